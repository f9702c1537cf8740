//! The harness and connections to it. Every wait has an end, so that a lost line fails and does not hang.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Rig {
    pub harness: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
    pub socket: String,
    pub dir: tempfile::TempDir,
}

impl Rig {
    pub fn start() -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"))
    }

    pub fn start_in(dir: tempfile::TempDir) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_doorward-harness"));
        command.arg("--dir").arg(dir.path().join("run"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut harness = command.spawn().expect("the harness starts");
        let stdin = harness.stdin.take().expect("stdin");
        let stdout = BufReader::new(harness.stdout.take().expect("stdout"));
        let (said, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // One that is killed may say half a line.
                let Ok(line) = serde_json::from_str(&line) else {
                    break;
                };
                if said.send(line).is_err() {
                    break;
                }
            }
        });
        let mut rig = Self {
            harness,
            stdin,
            lines,
            socket: String::new(),
            dir,
        };
        let socket = rig.line()["ready"]["socket"].clone();
        rig.socket = socket.as_str().expect("a path").to_owned();
        rig
    }

    pub fn line(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a line")
    }

    /// The next line within some time, if there is one.
    pub fn line_within(&mut self, patience: Duration) -> Option<Value> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the harness has ended"),
        }
    }

    /// The next line of a kind, passing over the others.
    pub fn next(&mut self, kind: &str) -> Value {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let mut line = self.line();
            if let Some(body) = line.get_mut(kind) {
                return body.take();
            }
        }
        panic!("no line says {kind}");
    }

    pub fn tell(&mut self, command: &Value) {
        writeln!(self.stdin, "{command}").expect("the harness reads");
    }

    pub fn decide(&mut self, id: u64, revision: u64, option: &str) {
        self.tell(&json!({"decide": {"id": id, "revision": revision, "option": option}}));
    }

    pub fn connect(&self) -> Peer {
        Peer::new(&self.socket)
    }

    /// A number of `/proc/PID/status`, in KiB.
    pub fn memory(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.harness.id());
        let status = std::fs::read_to_string(path).expect("it lives");
        let line = status.lines().find(|line| line.starts_with(name));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.and_then(|it| it.parse().ok()).expect("a number")
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let _ = self.harness.kill();
        let _ = self.harness.wait();
    }
}

pub struct Peer {
    pub stream: UnixStream,
    pub reader: BufReader<UnixStream>,
}

impl Peer {
    pub fn new(socket: &str) -> Self {
        let stream = UnixStream::connect(socket).expect("the socket is there");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Self {
            reader: BufReader::new(stream.try_clone().expect("a second handle")),
            stream,
        }
    }

    pub fn send(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the broker reads");
    }

    pub fn ask(&mut self, id: &str, command: &str) {
        self.send(&question(id, command));
    }

    /// The next line; nothing at the end of the connection.
    pub fn next_line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            // What was not read when the other side closed is a reset.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no line: {error}"),
        }
    }

    pub fn line(&mut self) -> String {
        self.next_line().expect("a line")
    }

    pub fn json(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("the broker says JSON")
    }
}

/// A command with a yes and a no; the ids are not ours to change, hence the blank.
pub fn question(id: &str, command: &str) -> String {
    let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": command, "kind": "execute",
        "rawInput": {"command": command}}, "options": [{"optionId": "a ", "name": "Yes", "kind": "allow_once"},
        {"optionId": "r", "name": "No", "kind": "reject_once"}]});
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{params}}}"#
    )
}
