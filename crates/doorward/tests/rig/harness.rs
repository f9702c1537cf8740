//! The real broker, with the test as its person.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use super::{PATIENCE, lines};

pub struct Harness {
    pub process: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Harness {
    pub fn start(socket: &Path) -> Self {
        let mut process = Command::new(program("doorward-harness"))
            .arg("--dir")
            .arg(socket.parent().unwrap())
            .arg("--socket")
            .arg(socket)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = process.stdin.take().unwrap();
        let lines = lines(process.stdout.take().unwrap());
        let harness = Self {
            process,
            stdin,
            lines,
        };
        harness.expect("ready");
        harness
    }

    /// The next line, which is of this kind.
    pub fn expect(&self, kind: &str) -> Value {
        let message = self.next();
        assert!(message.get(kind).is_some(), "{kind}: {message}");
        message[kind].clone()
    }

    /// The next change after which the detail fits.
    pub fn changed(&self, fits: impl Fn(&Value) -> bool) -> Value {
        self.find("changed", |changed| fits(&changed["detail"]))
    }

    pub fn find(&self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if message.get(kind).is_some_and(&fits) {
                return message[kind].clone();
            }
        }
    }

    pub fn try_next(&self) -> Option<Value> {
        let line = self.lines.try_recv().ok()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    pub fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE);
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    pub fn decide(&mut self, arrived: &Value, option: &str) {
        let (id, revision) = (&arrived["id"], &arrived["revision"]);
        self.tell(&json!({"decide": {"id": id, "revision": revision, "option": option}}));
    }

    /// Decides a question.
    pub fn fill(&mut self, arrived: &Value, option: &str, answers: &Value) {
        let (id, revision) = (&arrived["id"], &arrived["revision"]);
        self.tell(&json!({"decide": {"id": id, "revision": revision, "option": option, "answers": answers}}));
    }

    pub fn abstain(&mut self, arrived: &Value) {
        self.tell(&json!({"abstain": {"id": arrived["id"]}}));
    }

    fn tell(&mut self, command: &Value) {
        writeln!(self.stdin, "{command}").unwrap();
    }

    /// Dies as by `kill -9`.
    pub fn dies(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A program of another package beside ours; made if this package is tested alone.
pub fn program(package: &str) -> PathBuf {
    static MAKING: Mutex<()> = Mutex::new(());
    let beside = Path::new(env!("CARGO_BIN_EXE_doorward")).with_file_name(package);
    let _one = MAKING.lock().unwrap();
    if !beside.is_file() {
        let made = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", package])
            .status();
        assert!(made.unwrap().success());
    }
    beside
}
