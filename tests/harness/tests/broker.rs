//! The real broker on a real socket: what each side sees.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Rig {
    harness: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    socket: String,
    _dir: tempfile::TempDir,
}

impl Rig {
    fn start() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut harness = Command::new(env!("CARGO_BIN_EXE_doorward-harness"))
            .arg("--dir")
            .arg(dir.path().join("run"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the harness starts");
        let stdin = harness.stdin.take().expect("stdin");
        let stdout = BufReader::new(harness.stdout.take().expect("stdout"));
        let mut rig = Self {
            harness,
            stdin,
            stdout,
            socket: String::new(),
            _dir: dir,
        };
        rig.socket = rig.line()["ready"]["socket"]
            .as_str()
            .expect("a path")
            .to_owned();
        rig
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    fn tell(&mut self, command: Value) {
        writeln!(self.stdin, "{command}").expect("the harness reads");
    }

    fn decide(&mut self, id: u64, revision: u64, option: &str) {
        self.tell(json!({"decide": {"id": id, "revision": revision, "option": option}}));
    }

    fn connect(&self) -> Peer {
        let stream = UnixStream::connect(&self.socket).expect("the socket is there");
        Peer {
            reader: BufReader::new(stream.try_clone().expect("a second handle")),
            stream,
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let _ = self.harness.kill();
        let _ = self.harness.wait();
    }
}

struct Peer {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
}

impl Peer {
    fn send(&mut self, line: &str) {
        writeln!(self.stream, "{line}").expect("the broker reads");
    }

    fn ask(&mut self, id: &str, command: &str) {
        let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": command, "kind": "execute",
            "rawInput": {"command": command}}, "options": [{"optionId": "a ", "name": "Yes", "kind": "allow_once"},
            {"optionId": "r", "name": "No", "kind": "reject_once"}]});
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{params}}}"#));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

#[test]
fn the_option_chosen_goes_back_byte_for_byte_under_the_raw_id() {
    let mut rig = Rig::start();
    for (number, id) in ["0", "\"0\"", "123456789012345678901234567890"]
        .into_iter()
        .enumerate()
    {
        let number = number as u64 + 1;
        let mut peer = rig.connect();
        peer.ask(id, "ls");
        assert_eq!(rig.line()["arrived"]["id"], number);
        rig.decide(number, 1, "a ");
        assert_eq!(rig.line()["settled"]["outcome"], json!({"selected": "a "}));
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{{"outcome":"selected","optionId":"a "}}}}}}"#
        );
        assert_eq!(peer.line(), answer);
        assert_eq!(rig.line()["changed"]["detail"]["ended"]["delivered"], "yes");
    }
}

#[test]
fn what_was_not_offered_stale_or_settled_is_refused() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    for (revision, option, why) in [(1, "a", "not_offered"), (7, "a ", "stale")] {
        rig.decide(1, revision, option);
        assert_eq!(rig.line()["refused"]["why"], why);
    }
    rig.decide(1, 1, "r");
    assert_eq!(rig.line()["settled"]["by"], "person");
    rig.line();
    rig.decide(1, 1, "a ");
    assert_eq!(rig.line()["refused"]["why"], "not_pending");
}

#[test]
fn a_cancel_withdraws_and_is_answered_cancelled() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    peer.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#);
    let settled = rig.line();
    assert_eq!(
        settled["settled"],
        json!({"id": 1, "end": "withdrawn", "outcome": null, "why": "cancelled"})
    );
    assert!(peer.line().contains(r#""outcome":"cancelled""#));
}

#[test]
fn a_lost_connection_withdraws_and_a_half_closed_one_is_answered() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    drop(peer);
    assert_eq!(rig.line()["settled"]["why"], "connection_lost");
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    peer.stream
        .shutdown(std::net::Shutdown::Write)
        .expect("half closed");
    rig.decide(2, 1, "r");
    assert!(peer.line().contains(r#""optionId":"r""#));
}

#[test]
fn a_pending_request_cannot_be_swapped_under_its_id() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    peer.ask("1.0", "rm -rf ~");
    assert!(peer.line().contains("-32600"));
    rig.decide(1, 1, "a ");
    rig.line();
    assert!(peer.line().contains("selected"));
}

#[test]
fn nothing_on_the_socket_decides() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    for method in ["decide", "pending/list", "policy/set", "shutdown"] {
        peer.send(&format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{{"id":1,"option":"a "}}}}"#
        ));
        assert!(peer.line().contains("-32601"), "{method}");
    }
    rig.tell(json!({"abstain": {"id": 1}}));
    let mut line = rig.line();
    // The session is marked: it tried.
    assert!(
        line["changed"]["detail"]["warnings"]
            .to_string()
            .contains("tried"),
        "{line}"
    );
    while line["settled"].is_null() {
        line = rig.line();
    }
    assert_eq!(
        line["settled"],
        json!({"id": 1, "end": "answered", "outcome": "abstained", "why": "person"})
    );
    assert!(peer.line().contains("-32010"));
}

#[test]
fn an_update_completes_the_card_and_raises_the_revision() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.send(r#"{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"r","name":"No","kind":"reject_once"}]}}"#);
    assert_eq!(
        rig.line()["arrived"]["detail"]["marks"],
        json!(["join-failed"])
    );
    peer.send(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"ls","kind":"execute","rawInput":{"command":"ls"}}}}"#);
    let changed = rig.line();
    assert_eq!(changed["changed"]["revision"], 2);
    assert_eq!(changed["changed"]["detail"]["toolCall"]["command"], "ls");
}

#[test]
fn quitting_hands_back_and_removes_the_socket() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    rig.line();
    rig.tell(json!({"quit": true}));
    assert!(peer.line().contains("shutting_down"));
    rig.harness.wait().expect("it ends");
    assert!(!std::path::Path::new(&rig.socket).exists());
}
