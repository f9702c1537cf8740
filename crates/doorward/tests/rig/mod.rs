//! An editor, an agent and a Doorward that a test plays itself, around the
//! real command. Every wait has an end, so that a lost line fails and does not
//! hang.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs::{File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

#[allow(unused_imports, reason = "each test file uses its part")]
pub use harness::{Harness, program};
#[allow(unused_imports, reason = "each test file uses its part")]
pub use server::Server;

mod harness;
mod server;

pub const PATIENCE: Duration = Duration::from_secs(20);

/// The agent's two pipes become fifos that the test holds.
const AGENT: &str = r#"exec 3<&0; cat <&3 >"$1" & cat "$2"; eval "$3""#;

pub fn doorward(socket: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_doorward"));
    command.arg("--socket").arg(socket);
    // These tests may run below an agent.
    for name in ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PID"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

pub struct Rig {
    pub directory: tempfile::TempDir,
    pub relay: Child,
    editor_in: Option<ChildStdin>,
    editor: Receiver<String>,
    agent_out: Option<File>,
    agent: Receiver<String>,
}

impl Rig {
    /// `end` is what the agent's shell does when its output is closed.
    pub fn start(directory: tempfile::TempDir, options: &[&str], end: &str) -> Self {
        let (to_agent, from_agent) = (directory.path().join("in"), directory.path().join("out"));
        let made = Command::new("mkfifo")
            .args([&to_agent, &from_agent])
            .status();
        assert!(made.unwrap().success());
        let mut relay = doorward(&socket(&directory))
            .arg("acp")
            .args(options)
            .args(["--", "sh", "-c", AGENT, "sh"])
            .args([&to_agent, &from_agent])
            .arg(end)
            .spawn()
            .unwrap();
        let agent = lines(File::open(&to_agent).unwrap());
        let agent_out = File::options().write(true).open(&from_agent).unwrap();
        let editor_in = relay.stdin.take();
        let editor = lines(relay.stdout.take().unwrap());
        Self {
            directory,
            relay,
            editor_in,
            editor,
            agent_out: Some(agent_out),
            agent,
        }
    }

    /// Says a piece of a line.
    pub fn agent_begins(&mut self, piece: &str) {
        let agent = self.agent_out.as_mut().unwrap();
        agent.write_all(piece.as_bytes()).unwrap();
    }

    pub fn agent_says(&mut self, line: &str) {
        let agent = self.agent_out.as_mut().unwrap();
        agent.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub fn editor_says(&mut self, line: &str) {
        let editor = self.editor_in.as_mut().unwrap();
        editor.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub fn agent_hears(&self) -> String {
        self.agent
            .recv_timeout(PATIENCE)
            .expect("a line for the agent")
    }

    pub fn editor_hears(&self) -> String {
        self.editor
            .recv_timeout(PATIENCE)
            .expect("a line for the editor")
    }

    /// What comes next at the agent is what is said now: nothing came before.
    pub fn agent_heard_no_more(&mut self) {
        let line = r#"{"jsonrpc":"2.0","method":"_mark"}"#;
        self.editor_says(line);
        assert_eq!(self.agent_hears(), line);
    }

    pub fn editor_heard_no_more(&mut self) {
        let line = r#"{"jsonrpc":"2.0","method":"_mark"}"#;
        self.agent_says(line);
        assert_eq!(self.editor_hears(), line);
    }

    pub fn agent_ends(&mut self) -> std::process::ExitStatus {
        self.agent_out = None;
        self.relay.wait().unwrap()
    }

    pub fn editor_ends(&mut self) {
        self.editor_in = None;
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.agent_out = None;
        let _ = self.relay.kill();
        let _ = self.relay.wait();
    }
}

pub fn directory() -> tempfile::TempDir {
    let ours = Permissions::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    builder.permissions(ours).tempdir().unwrap()
}

pub fn socket(directory: &tempfile::TempDir) -> PathBuf {
    directory.path().join("d.sock")
}

pub fn selected(option: &str) -> String {
    format!(r#"{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}"#)
}

pub fn response(id: &str, option: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#,
        selected(option)
    )
}

pub fn question(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{PARAMS}}}"#
    )
}

pub fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id}}}}}"#)
}

pub const PARAMS: &str = r#"{"sessionId":"s","toolCall":{"toolCallId":"t","title":"ls"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}"#;

/// Waits for what comes without a message; looks often, fails late.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// The most memory a process ever had, in bytes.
pub fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.unwrap().split_ascii_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

/// Starts a command with an input and nothing after it.
pub fn start(mut command: Command, input: &str) -> Child {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    child
}

/// Waits for the end; gives what was printed, and the exit code.
pub fn end(child: Child) -> (String, Option<i32>) {
    let pid = Pid::from_child(&child);
    let (tx, rx) = channel();
    std::thread::spawn(move || tx.send(child.wait_with_output()));
    let Ok(output) = rx.recv_timeout(PATIENCE) else {
        let _ = kill_process(pid, Signal::KILL);
        panic!("it does not end");
    };
    let output = output.unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (printed, output.status.code())
}

pub fn finish(command: Command, input: &str) -> (String, Option<i32>) {
    end(start(command, input))
}

pub fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (tx, rx) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { break };
            if tx.send(line).is_err() {
                break;
            }
        }
    });
    rx
}
