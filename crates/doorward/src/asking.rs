//! One question, from a program that has nothing else to do.
//!
//! The hook and `ask` both wait for one answer while the world around them may
//! end the wait. It is one loop over poll: the socket, a signal, standard
//! output, and a look now and then at whether anybody still wants the answer.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use doorward_socket::client::{self, Lines, Reply};
use doorward_socket::endpoint;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

const ID: u64 = 1;
const LOOK: Duration = Duration::from_millis(500);

pub struct Asking<'a> {
    pub socket: Option<&'a Path>,
    pub program: &'static str,
    pub method: &'static str,
    pub params: &'a str,
    /// When nobody waits for the answer any more.
    pub deadline: Instant,
    /// How long a lost connection is retried.
    pub retry: Duration,
    /// Whether the one who asked is gone; looked at now and then.
    pub gone: &'a dyn Fn() -> bool,
}

pub enum Outcome {
    /// The result, as text.
    Answer(String),
    /// Handed back, absent, lost or late.
    Nothing,
}

impl Asking<'_> {
    pub fn ask(&self) -> io::Result<Outcome> {
        let (signalled, handler) = UnixStream::pair()?;
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
            signal_hook::low_level::pipe::register(signal, handler.try_clone()?)?;
        }
        let nonce = crate::nonce::nonce();
        // Absent at the start is absent; only what was lost is waited for.
        let mut stream = endpoint::connect(self.socket)?;
        loop {
            match self.wait(stream, &signalled, &nonce) {
                Ok(outcome) => return Ok(outcome),
                Err(_) => match self.reconnect(&signalled)? {
                    Some(again) => stream = again,
                    None => return Ok(Outcome::Nothing),
                },
            }
        }
    }

    /// An error is a lost connection.
    fn wait(&self, stream: UnixStream, signalled: &UnixStream, nonce: &str) -> io::Result<Outcome> {
        let mut lines = Lines::new(stream);
        lines.send(&hello(self.program))?;
        let named = format!(r#"{{"requestId":{ID},"nonce":"{nonce}"}}"#);
        lines.send(&client::notification("doorward/nonce", &named))?;
        lines.send(&client::request(ID, self.method, self.params))?;
        let stdout = io::stdout();
        loop {
            while let Some(line) = lines.ready() {
                match client::reply(&line) {
                    Reply::Answer { id: ID, result } => {
                        if (self.gone)() {
                            return Ok(Outcome::Nothing);
                        }
                        let told = format!(r#"{{"requestId":{ID}}}"#);
                        // The answer is printed whether or not this arrives.
                        let _ = lines.send(&client::notification("doorward/delivered", &told));
                        return Ok(Outcome::Answer(result));
                    }
                    Reply::Refused { id: ID } => return Ok(Outcome::Nothing),
                    Reply::Answer { .. } | Reply::Refused { .. } | Reply::Other => {}
                }
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            let (readable, ended) = {
                let mut fds = [
                    PollFd::new(lines.stream(), PollFlags::IN),
                    PollFd::new(signalled, PollFlags::IN),
                    // Only an error is waited for: the reader's end is closed.
                    PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty()),
                ];
                wait(&mut fds, left)?;
                let ended = !fds[1].revents().is_empty()
                    || fds[2]
                        .revents()
                        .intersects(PollFlags::ERR | PollFlags::NVAL);
                (!fds[0].revents().is_empty(), ended)
            };
            if ended || left.is_zero() || (self.gone)() {
                let id = format!(r#"{{"requestId":{ID}}}"#);
                let _ = lines.send(&client::notification("$/cancel_request", &id));
                return Ok(Outcome::Nothing);
            }
            if readable {
                lines.fill()?;
            }
        }
    }

    fn reconnect(&self, signalled: &UnixStream) -> io::Result<Option<UnixStream>> {
        let until = self.deadline.min(Instant::now() + self.retry);
        let mut delay = Duration::from_millis(250);
        loop {
            let mut fds = [PollFd::new(signalled, PollFlags::IN)];
            let left = until.saturating_duration_since(Instant::now());
            wait(&mut fds, delay.min(left))?;
            if !fds[0].revents().is_empty() || left.is_zero() || (self.gone)() {
                return Ok(None);
            }
            if let Ok(stream) = endpoint::connect(self.socket) {
                return Ok(Some(stream));
            }
            delay = (delay * 2).min(Duration::from_secs(2));
        }
    }
}

/// Says who we are.
pub fn hello(program: &str) -> Vec<u8> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let params = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1,
        "pid": std::process::id(),
        "cwd": cwd.to_string_lossy(),
        "terminal": std::env::var("TERM_PROGRAM").ok(),
        "origin": "local",
        "program": program,
    });
    client::notification("doorward/hello", &params.to_string())
}

fn wait(fds: &mut [PollFd<'_>], left: Duration) -> io::Result<()> {
    let look = left.min(LOOK);
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(look.subsec_nanos()),
    };
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
