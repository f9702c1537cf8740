//! The commands for a person: is it there, show it, try it.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use doorward_socket::client::{self, Lines, Reply};
use doorward_socket::endpoint;
use serde_json::Value;

/// A start slower than this is a failure to look into.
const START: Duration = Duration::from_secs(5);

pub fn status(socket: Option<&Path>) -> ExitCode {
    let Ok(stream) = endpoint::connect(socket) else {
        println!("Doorward is not running.");
        return ExitCode::from(1);
    };
    let status = match call(stream, "doorward/status") {
        Ok(result) => serde_json::from_str(&result).unwrap_or(Value::Null),
        Err(error) => return failed("ask Doorward for its status", &error),
    };
    let version = status["version"]
        .as_str()
        .unwrap_or("of an unknown version");
    match status["waiting"].as_u64() {
        Some(1) => println!("Doorward {version} is running; 1 request waits."),
        Some(count) => println!("Doorward {version} is running; {count} requests wait."),
        None => println!("Doorward {version} is running."),
    }
    ExitCode::SUCCESS
}

pub fn open(socket: Option<&Path>) -> ExitCode {
    let stream = match endpoint::connect(socket) {
        Ok(stream) => Ok(stream),
        Err(_) => start(socket),
    };
    match stream.and_then(|stream| call(stream, "doorward/open")) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => failed("open Doorward", &error),
    }
}

pub fn demo(socket: Option<&Path>) -> ExitCode {
    let mut command = Command::new(program("doorward-demo"));
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("doorward"));
    command.arg("--relay").arg(own).args(selected(socket));
    // Only returns when it failed.
    failed("start doorward-demo", &command.exec())
}

fn start(socket: Option<&Path>) -> io::Result<UnixStream> {
    Command::new(program("doorward-tray"))
        .args(selected(socket))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Not in our terminal's group, so that Ctrl-C there does not end it.
        .process_group(0)
        .spawn()?;
    let started = Instant::now();
    loop {
        match endpoint::connect(socket) {
            Err(_) if started.elapsed() < START => {
                std::thread::sleep(Duration::from_millis(50));
            }
            other => return other,
        }
    }
}

/// Beside our own executable, else wherever PATH has it.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.with_file_name(name);
    if beside.is_file() {
        beside
    } else {
        PathBuf::from(name)
    }
}

fn selected(socket: Option<&Path>) -> Vec<OsString> {
    match socket {
        Some(path) => vec!["--socket".into(), path.into()],
        None => Vec::new(),
    }
}

fn call(stream: UnixStream, method: &str) -> io::Result<String> {
    stream.set_read_timeout(Some(START))?;
    let mut lines = Lines::new(stream);
    lines.send(&client::request(1, method, "{}"))?;
    loop {
        match client::reply(&lines.next_line()?) {
            Reply::Answer { id: 1, result } => return Ok(result),
            Reply::Refused { .. } => return Err(io::Error::other("Doorward refused")),
            Reply::Answer { .. } | Reply::Other => {}
        }
    }
}

fn failed(what: &str, error: &io::Error) -> ExitCode {
    eprintln!("doorward: {what}: {error}");
    ExitCode::from(1)
}
