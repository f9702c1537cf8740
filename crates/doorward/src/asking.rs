//! One question, from a program that has nothing else to do.
//!
//! The hook and `ask` both wait for one answer while the world around them may
//! end the wait. It is one loop over poll: the socket, a signal, standard
//! output, and a look now and then at whether anybody still wants the answer.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use doorward_socket::client::{self, Lines, Reply};
use doorward_socket::endpoint;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

const ID: u64 = 1;
const PULSE: u64 = 2;
/// A connection that held this long is a new one to lose.
const LASTING: Duration = Duration::from_secs(2);

pub struct Asking<'a> {
    pub socket: Option<&'a Path>,
    pub program: &'static str,
    pub method: &'static str,
    pub params: &'a str,
    /// When nobody waits for the answer any more.
    pub deadline: Instant,
    /// Whether that is near enough to be told.
    pub timed: bool,
    /// How long a lost connection is retried.
    pub retry: Duration,
    /// How long a Doorward is waited for that is there and does not read.
    pub pulse: Option<Duration>,
    /// Processes for whom the answer is: with the end of one nobody waits.
    pub askers: &'a [OwnedFd],
}

impl Asking<'_> {
    /// Gives the answer to `print`; whether there was one.
    pub fn ask(&self, mut print: impl FnMut(&str) -> io::Result<()>) -> io::Result<bool> {
        let (signalled, handler) = UnixStream::pair()?;
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
            signal_hook::low_level::pipe::register(signal, handler.try_clone()?)?;
        }
        let nonce = crate::nonce::nonce();
        // Absent at the start is absent; only what was lost is waited for.
        let mut stream = endpoint::connect(self.socket)?;
        let mut patience: Option<Patience> = None;
        loop {
            let began = Instant::now();
            let asked = Asked::new(self, stream, &signalled, &nonce).and_then(|it| it.wait());
            match asked {
                Ok(Some((lines, result))) => {
                    print(&result)?;
                    tell(&lines, "doorward/delivered");
                    return Ok(true);
                }
                Ok(None) => return Ok(false),
                Err(_) => {}
            }
            let held = began.elapsed() > LASTING;
            let patience = match &mut patience {
                Some(patience) if !held => patience,
                other => other.insert(Patience::new(
                    self.deadline.min(Instant::now() + self.retry),
                )),
            };
            match self.reconnect(&signalled, patience)? {
                Some(again) => stream = again,
                None => return Ok(false),
            }
        }
    }

    fn reconnect(
        &self,
        signalled: &UnixStream,
        patience: &mut Patience,
    ) -> io::Result<Option<UnixStream>> {
        loop {
            let left = patience.until.saturating_duration_since(Instant::now());
            if self.over(signalled, patience.delay.min(left))? || left.is_zero() {
                return Ok(None);
            }
            patience.delay = (patience.delay * 2).min(Duration::from_secs(2));
            if let Ok(stream) = endpoint::connect(self.socket) {
                return Ok(Some(stream));
            }
        }
    }

    /// Whether nobody waits any more; looks for as long as `within`.
    fn over(&self, signalled: &UnixStream, within: Duration) -> io::Result<bool> {
        let stdout = io::stdout();
        let mut fds = self.ends(signalled, stdout.as_fd());
        wait(&mut fds, within)?;
        Ok(fds.iter().any(|fd| !fd.revents().is_empty()))
    }

    /// Whatever happens on one of these is the end.
    fn ends<'a>(&'a self, signalled: &'a UnixStream, stdout: BorrowedFd<'a>) -> Vec<PollFd<'a>> {
        let mut fds = vec![
            PollFd::new(signalled, PollFlags::IN),
            // Nothing is asked for, so only its reader's end is told.
            PollFd::from_borrowed_fd(stdout, PollFlags::empty()),
        ];
        fds.extend(self.askers.iter().map(|it| PollFd::new(it, PollFlags::IN)));
        fds
    }
}

struct Patience {
    until: Instant,
    delay: Duration,
}

impl Patience {
    fn new(until: Instant) -> Self {
        let delay = Duration::from_millis(250);
        Self { until, delay }
    }
}

/// The question on one connection. Writing never waits: a Doorward that does not
/// read must not keep a signal from us.
struct Asked<'a> {
    asking: &'a Asking<'a>,
    signalled: &'a UnixStream,
    lines: Lines,
    out: Vec<u8>,
    pulse: Option<Instant>,
}

impl<'a> Asked<'a> {
    fn new(
        asking: &'a Asking<'a>,
        stream: UnixStream,
        signalled: &'a UnixStream,
        nonce: &str,
    ) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let left = asking.deadline.saturating_duration_since(Instant::now());
        let mut out = hello(asking.program, asking.timed.then_some(left));
        let named = format!(r#"{{"requestId":{ID},"nonce":"{nonce}"}}"#);
        out.extend(client::notification("doorward/nonce", &named));
        out.extend(client::request(ID, asking.method, asking.params));
        if asking.pulse.is_some() {
            out.extend(client::request(PULSE, "doorward/status", "{}"));
        }
        Ok(Self {
            asking,
            signalled,
            lines: Lines::new(stream),
            out,
            pulse: asking.pulse.map(|pulse| Instant::now() + pulse),
        })
    }

    /// The answer; none when it was handed back, or nobody waits any more. An
    /// error is a lost connection.
    fn wait(mut self) -> io::Result<Option<(Lines, String)>> {
        loop {
            let until = self.pulse.unwrap_or(self.asking.deadline);
            let until = until.min(self.asking.deadline);
            let left = until.saturating_duration_since(Instant::now());
            let (ended, ready) = self.poll(left)?;
            if ended || left.is_zero() {
                tell(&self.lines, "$/cancel_request");
                return Ok(None);
            }
            if ready.contains(PollFlags::OUT) {
                self.write()?;
            }
            if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                match self.lines.fill() {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    filled => filled?,
                }
            }
            while let Some(line) = self.lines.ready() {
                match client::reply(&line) {
                    Reply::Answer { id: ID, result } => {
                        let nobody = self.asking.over(self.signalled, Duration::ZERO)?;
                        return Ok((!nobody).then_some((self.lines, result)));
                    }
                    Reply::Refused { id: ID } => return Ok(None),
                    Reply::Answer { id: PULSE, .. } | Reply::Refused { id: PULSE } => {
                        self.pulse = None;
                    }
                    Reply::Answer { .. } | Reply::Refused { .. } | Reply::Other => {}
                }
            }
        }
    }

    /// Whether the end came, and what the socket is ready for.
    fn poll(&self, left: Duration) -> io::Result<(bool, PollFlags)> {
        let stdout = io::stdout();
        let mut fds = self.asking.ends(self.signalled, stdout.as_fd());
        let mut wanted = PollFlags::IN;
        wanted.set(PollFlags::OUT, !self.out.is_empty());
        fds.push(PollFd::new(self.lines.stream(), wanted));
        wait(&mut fds, left)?;
        let socket = fds.pop().map_or(PollFlags::empty(), |fd| fd.revents());
        Ok((fds.iter().any(|fd| !fd.revents().is_empty()), socket))
    }

    fn write(&mut self) -> io::Result<()> {
        match self.lines.stream().write(&self.out) {
            Ok(count) => drop(self.out.drain(..count)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Tells what became of the question, if there is room; the end of the
/// connection tells the rest.
fn tell(lines: &Lines, method: &str) {
    let told = client::notification(method, &format!(r#"{{"requestId":{ID}}}"#));
    let _ = lines.stream().write_all(&told);
}

/// Says who we are, and how long an answer is waited for.
pub fn hello(program: &str, patience: Option<Duration>) -> Vec<u8> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let params = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1,
        "pid": std::process::id(),
        "cwd": cwd.to_string_lossy(),
        "terminal": std::env::var("TERM_PROGRAM").ok(),
        "origin": "local",
        "patience": patience.map(|it| it.as_secs()),
        "program": program,
    });
    client::notification("doorward/hello", &params.to_string())
}

fn wait(fds: &mut [PollFd<'_>], left: Duration) -> io::Result<()> {
    let timeout = Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(left.subsec_nanos()),
    };
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
