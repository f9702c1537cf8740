//! The window: from the request on the socket to the page that has painted it.
//!
//! The tray starts this program instead of the window; it starts the real one and passes the lines of the surface
//! protocol on. The page says `shown` when a card stands on the screen: that line is what is waited for.

use crate::process::{Running, World, program};
use crate::table::{Table, median, ms};
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FRESH: usize = 7;
const WARM: usize = 25;
const TOLD: &str = "DOORWARD_BENCH_TOLD";

/// Stands in for the window's program: `words` are the options the tray gave it.
pub fn pass(words: &[String]) -> Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    let told = UnixStream::connect(std::env::var(TOLD)?)?;
    let mut window = start(words, theirs)?;
    let tray = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let down = (BufReader::new(tray.try_clone()?), ours.try_clone()?);
    let ours_end = ours.try_clone()?;
    std::thread::spawn(move || {
        let (mut from, mut to) = down;
        let _ = std::io::copy(&mut from, &mut to);
        // The tray is gone, or wants us gone.
        let _ = ours_end.shutdown(std::net::Shutdown::Both);
    });
    let (mut tray, mut told) = (tray, told);
    // What the bench says is for the window: to close.
    let mut orders = BufReader::new(told.try_clone()?);
    let id = window.id();
    std::thread::spawn(move || {
        let mut line = String::new();
        if orders.read_line(&mut line).is_ok_and(|count| count > 0) {
            let _ = Command::new("kill").arg(id.to_string()).status();
        }
    });
    for line in BufReader::new(ours).lines().map_while(Result::ok) {
        if line.starts_with(r#"{"shown""#) {
            writeln!(told, "{line}")?;
        }
        writeln!(tray, "{line}")?;
    }
    window.wait()?;
    Ok(())
}

/// The other end of the pair is held by the window alone: its end is the end of the lines.
fn start(words: &[String], socket: UnixStream) -> Result<Child> {
    let mut window = Command::new(program("doorward-window")?);
    let stdin = Stdio::from(OwnedFd::from(socket));
    window
        .args(words)
        .stdin(stdin)
        .spawn()
        .context("start the window")
}

pub fn measure(world: &World, table: &mut Table) -> Result<()> {
    let (fresh, warm) = (
        "window, request to painted, fresh process",
        "window, request to painted, warm",
    );
    let Ok(_) = program("doorward-window") else {
        table.missing(fresh, "doorward-window is not built");
        table.missing(warm, "doorward-window is not built");
        return Ok(());
    };
    let display = Display::start()?;
    let told = UnixListener::bind(world.path("told"))?;
    let socket = world.path("window/doorward.sock");
    let mut command = world.command(&program("doorward-tray")?);
    command
        .arg("--socket")
        .arg(&socket)
        .arg("--window")
        .arg(std::env::current_exe()?);
    command
        .env(TOLD, world.path("told"))
        .env("DISPLAY", &display.name)
        .env("GDK_BACKEND", "x11")
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env("NO_AT_BRIDGE", "1");
    let tray = Running(command.stderr(Stdio::null()).spawn()?);
    let mut agent = connect(&socket)?;
    std::thread::sleep(Duration::from_secs(2));
    let before = tray.pss()? as f64 / 1024.0;
    let mut times = vec![];
    let mut open = None;
    for number in 0..FRESH {
        drop(open.take());
        let began = ask(&mut agent, number)?;
        // With no tray to click on, a request opens the window.
        let (stream, _) = told.accept()?;
        let mut window = Window {
            lines: BufReader::new(stream),
        };
        window.shown()?;
        times.push(began.elapsed());
        open = Some(window);
    }
    let took = median(times);
    table.row(
        fresh,
        ms(took),
        "<= 600 ms",
        took <= Duration::from_millis(600),
    );
    let mut window = open.context("a window")?;
    let mut times = vec![];
    for number in 0..WARM {
        // The card before goes, so that the next one is shown.
        cancel(
            &mut agent,
            if number == 0 {
                FRESH - 1
            } else {
                100 + number - 1
            },
        )?;
        std::thread::sleep(Duration::from_millis(400));
        window.drain()?;
        let began = ask(&mut agent, 100 + number)?;
        window.shown()?;
        times.push(began.elapsed());
    }
    let took = median(times);
    table.row(
        warm,
        ms(took),
        "<= 50 ms",
        took <= Duration::from_millis(50),
    );
    drop(window);
    std::thread::sleep(Duration::from_secs(3));
    let after = tray.pss()? as f64 / 1024.0;
    table.row(
        "doorward-tray, PSS after a window was open",
        format!("{after:.1} MB (before: {before:.1})"),
        "<= 10 MB",
        after <= 10.0,
    );
    Ok(())
}

/// What the page says; the window goes with it.
struct Window {
    lines: BufReader<UnixStream>,
}

impl Window {
    fn shown(&mut self) -> Result<()> {
        self.lines
            .get_ref()
            .set_read_timeout(Some(Duration::from_secs(30)))?;
        let mut line = String::new();
        ensure!(
            self.lines
                .read_line(&mut line)
                .context("the page paints nothing")?
                > 0,
            "the window has gone"
        );
        let line: Value = serde_json::from_str(&line)?;
        ensure!(line["shown"]["id"].is_u64(), "it said {line}");
        Ok(())
    }

    /// Paintings that nobody asked for.
    fn drain(&mut self) -> Result<()> {
        self.lines
            .get_ref()
            .set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut line = String::new();
        while self.lines.read_line(&mut line).is_ok_and(|count| count > 0) {
            line.clear();
        }
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let stream = self.lines.get_mut();
        let _ = stream.write_all(b"close\n");
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let mut line = String::new();
        while self.lines.read_line(&mut line).is_ok_and(|count| count > 0) {}
    }
}

fn ask(agent: &mut UnixStream, number: usize) -> Result<Instant> {
    let params = json!({"sessionId": "s", "toolCall": {"toolCallId": format!("t{number}"), "title": "make test", "kind": "execute", "rawInput": {"command": "make test"}},
        "options": [{"optionId": "a", "name": "Yes", "kind": "allow_once"}, {"optionId": "r", "name": "No", "kind": "reject_once"}]});
    let line = json!({"jsonrpc": "2.0", "id": number, "method": "session/request_permission", "params": params});
    let began = Instant::now();
    writeln!(agent, "{line}")?;
    Ok(began)
}

fn cancel(agent: &mut UnixStream, number: usize) -> Result<()> {
    let line =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": number}});
    Ok(writeln!(agent, "{line}")?)
}

fn connect(socket: &Path) -> Result<UnixStream> {
    let began = Instant::now();
    loop {
        match UnixStream::connect(socket) {
            Ok(stream) => return Ok(stream),
            Err(error) if began.elapsed() > Duration::from_secs(20) => {
                bail!("the tray does not listen: {error}")
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// A virtual screen with a window manager.
struct Display {
    name: String,
    _manager: Option<Running>,
    _server: Running,
}

impl Display {
    fn start() -> Result<Self> {
        let mut server = Command::new("Xvfb");
        server.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1280x900x24",
            "-nolisten",
            "tcp",
        ]);
        let mut server = server
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start Xvfb")?;
        let mut number = String::new();
        BufReader::new(server.stdout.take().context("stdout")?).read_line(&mut number)?;
        let name = format!(":{}", number.trim());
        let manager = Command::new("openbox")
            .env("DISPLAY", &name)
            .stderr(Stdio::null())
            .spawn();
        Ok(Self {
            name,
            _manager: manager.ok().map(Running),
            _server: Running(server),
        })
    }
}
