//! `doorward hook claude`: silence with exit 0, but for an answer.

mod rig;

use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rig::{Harness, Server, directory, doorward, end, finish, signal, socket, start};
use rustix::process::Signal;
use serde_json::{Value, json};

const HOOK: &str = "{\n \"hook_event_name\":\"PermissionRequest\",\n \"session_id\":\"s\",\n \"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}\n";

fn silence() -> (String, Option<i32>) {
    (String::new(), Some(0))
}

fn hook(socket: &Path) -> Command {
    let mut hook = doorward(socket);
    hook.args(["hook", "claude"]);
    hook
}

fn in_terminal(socket: &Path) -> Command {
    let mut hook = hook(socket);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli");
    hook
}

#[test]
fn without_doorward_it_is_silent() {
    let directory = directory();
    for input in [HOOK, "", "not json", "{}", r#"{"hook_event_name":"Stop"}"#] {
        let hook = in_terminal(&socket(&directory));
        assert_eq!(finish(hook, input), silence(), "{input}");
    }
}

#[test]
fn it_prints_exactly_the_answer() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), HOOK);
    let hello = server.accept();
    assert_eq!(hello["params"]["program"], "hook");
    let patience = hello["params"]["patience"].as_u64().unwrap();
    assert!((86_300..=86_395).contains(&patience), "{patience}");
    server.expect("doorward/nonce");
    let request = server.expect("hook/PermissionRequest");
    assert_eq!(request["params"]["tool_input"]["command"], "ls");
    server.send(r#"{"jsonrpc":"2.0","id":1,"result":{"a": 1.0}}"#);
    assert_eq!(end(child), (r#"{"a": 1.0}"#.into(), Some(0)));
    server.expect("doorward/delivered");
}

#[test]
fn handed_back_it_is_silent() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    for hook in [hook(&socket(&directory)), in_terminal(&socket(&directory))] {
        let child = start(hook, HOOK);
        let arrived = harness.expect("arrived");
        harness.abstain(&arrived);
        assert_eq!(end(child), silence());
        harness.expect("settled");
    }
    // Without any question in it there is no form to draw.
    let question = HOOK.replace("Bash", "AskUserQuestion");
    assert_eq!(finish(hook(&socket(&directory)), &question), silence());
}

#[test]
fn a_signal_withdraws_in_silence() {
    for number in [Signal::TERM, Signal::INT] {
        let directory = directory();
        let mut server = Server::start(&socket(&directory));
        let child = start(in_terminal(&socket(&directory)), HOOK);
        server.accept();
        server.question();
        signal(&child, number);
        server.expect("$/cancel_request");
        assert_eq!(end(child), silence());
    }
}

#[test]
fn a_closed_output_withdraws() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    // A pipe, and the socket that other hosts use as one.
    for pair in [false, true] {
        let mut hook = in_terminal(&socket(&directory));
        let (ours, theirs) = UnixStream::pair().unwrap();
        if pair {
            hook.stdout(Stdio::from(OwnedFd::from(theirs)));
        }
        let mut child = start(hook, HOOK);
        server.accept();
        server.question();
        drop(child.stdout.take());
        drop(ours);
        server.expect("$/cancel_request");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn the_death_of_who_asked_withdraws() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    // The parent dies.
    let script = r#"exec 3<&0; "$0" --socket "$1" hook claude <&3 3<&- & exec sleep 60 <&- >&-"#;
    let mut parent = Command::new("sh");
    parent.args(["-c", script, env!("CARGO_BIN_EXE_doorward")]);
    parent.arg(socket(&directory));
    parent.stdin(Stdio::piped()).stdout(Stdio::piped());
    parent
        .env("CLAUDE_CODE_ENTRYPOINT", "cli")
        .env_remove("CLAUDE_PID");
    let mut parent = start(parent, HOOK);
    server.accept();
    server.question();
    let mut stdout = parent.stdout.take().unwrap();
    parent.kill().unwrap();
    server.expect("$/cancel_request");
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).unwrap();
    assert_eq!(printed, "");
    parent.wait().unwrap();

    // Claude dies, between whom and us a shell may stand; nobody has buried it yet.
    let mut claude = Command::new("sleep").arg("60").spawn().unwrap();
    let mut hook = in_terminal(&socket(&directory));
    hook.env("CLAUDE_PID", claude.id().to_string());
    let child = start(hook, HOOK);
    server.accept();
    server.question();
    claude.kill().unwrap();
    server.expect("$/cancel_request");
    assert_eq!(end(child), silence());
    let dead = claude.id().to_string();
    claude.wait().unwrap();
    let mut hook = in_terminal(&socket(&directory));
    hook.env("CLAUDE_PID", dead);
    assert_eq!(finish(hook, HOOK), silence());
}

#[test]
fn below_a_relay_it_is_silent() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut relay = doorward(&socket(&directory));
    let script = r#""$0" --socket "$1" hook claude; echo "$?""#;
    relay.args(["acp", "--", "sh", "-c", script]);
    relay
        .arg(env!("CARGO_BIN_EXE_doorward"))
        .arg(socket(&directory));
    assert_eq!(finish(relay, HOOK), ("0\n".into(), Some(0)));
    // An agent named acp is no relay.
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_doorward")]);
    shell.arg(socket(&directory)).arg("acp");
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .env_remove("CLAUDE_PID");
    let shell = start(shell, HOOK);
    let mut harness = harness;
    let arrived = harness.expect("arrived");
    assert_eq!(arrived["id"], 1);
    harness.abstain(&arrived);
    assert_eq!(end(shell), ("0\n".into(), Some(0)));
}

#[test]
fn in_a_terminal_a_lost_connection_is_waited_for() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let child = start(in_terminal(&socket(&directory)), HOOK);
    harness.expect("arrived");
    harness.dies();
    // Longer than it would be waited for elsewhere.
    std::thread::sleep(Duration::from_secs(3));
    let mut harness = Harness::start(&socket(&directory));
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "allow");
    let (printed, code) = end(child);
    let answer: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        answer["hookSpecificOutput"]["decision"]["behavior"],
        "allow"
    );
    assert_eq!(code, Some(0));
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
}

#[test]
fn in_a_terminal_the_wait_for_a_lost_connection_ends_by_a_signal() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let child = start(in_terminal(&socket(&directory)), HOOK);
    harness.expect("arrived");
    harness.dies();
    let ended = Instant::now();
    signal(&child, Signal::TERM);
    assert_eq!(end(child), silence());
    assert!(ended.elapsed() < Duration::from_secs(2));
}

#[test]
fn elsewhere_a_lost_connection_is_waited_for_briefly() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), HOOK);
    harness.expect("arrived");
    harness.dies();
    let lost = Instant::now();
    assert_eq!(end(child), silence());
    let took = lost.elapsed();
    let fits = Duration::from_millis(1900)..Duration::from_secs(5);
    assert!(fits.contains(&took), "{took:?}");

    // Within that time a new one is asked.
    let harness = Harness::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), HOOK);
    harness.expect("arrived");
    harness.dies();
    let mut harness = Harness::start(&socket(&directory));
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "deny");
    assert!(end(child).0.contains("deny"));
}

/// A server that hangs up at once is no server, however often it does.
#[test]
fn who_accepts_and_hangs_up_is_given_up() {
    let directory = directory();
    let listening = doorward_socket::endpoint::listen(Some(&socket(&directory))).unwrap();
    std::thread::spawn(move || while listening.listener.accept().is_ok() {});
    let started = Instant::now();
    assert_eq!(finish(hook(&socket(&directory)), HOOK), silence());
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[test]
fn a_stopped_doorward_holds_nobody_up() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    signal(&harness.process, Signal::STOP);
    // More than fits into the socket.
    let long = HOOK.replace("ls", &"x".repeat(2 << 20));
    for input in [HOOK, &long] {
        // In a terminal the wait keeps nobody, and ends when it is told to.
        let mut child = start(in_terminal(&socket(&directory)), input);
        let waits = Instant::now();
        while waits.elapsed() < Duration::from_secs(3) {
            assert!(child.try_wait().unwrap().is_none());
            std::thread::sleep(Duration::from_millis(50));
        }
        signal(&child, Signal::TERM);
        let ended = Instant::now();
        assert_eq!(end(child), silence());
        assert!(ended.elapsed() < Duration::from_secs(2));

        // Elsewhere the agent waits for us, so we do not wait.
        let started = Instant::now();
        assert_eq!(finish(hook(&socket(&directory)), input), silence());
        assert!(started.elapsed() < Duration::from_secs(6));
        let event = HOOK.replace("PermissionRequest", "Stop");
        assert_eq!(finish(hook(&socket(&directory)), &event), silence());
    }
    // What it reads later asks nobody any more.
    signal(&harness.process, Signal::CONT);
    let mut open = 0;
    let child = start(
        in_terminal(&socket(&directory)),
        &HOOK.replace("ls", "last"),
    );
    loop {
        let message = harness.next();
        if message["arrived"]["detail"]["toolCall"]["command"] == "last" {
            break;
        }
        open += i32::from(message.get("arrived").is_some());
        open -= i32::from(message.get("settled").is_some());
    }
    while open > 0 {
        harness.expect("settled");
        open -= 1;
    }
    signal(&child, Signal::TERM);
    assert_eq!(end(child), silence());
}

/// The stdin of each hook of a recorded run, by event.
fn recorded(run: &str) -> std::collections::HashMap<String, Value> {
    let recorded = include_str!("fixtures/claude-events.jsonl").lines();
    let of_run = recorded
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["run"] == run);
    let named = |line: Value| {
        let stdin = line["stdin"].clone();
        (stdin["hook_event_name"].as_str().unwrap().to_owned(), stdin)
    };
    of_run.map(named).collect()
}

fn tell(socket: &Path, event: &Value) {
    assert_eq!(finish(hook(socket), &event.to_string()), silence());
}

/// Asks as recorded, and allows.
fn allow(socket: &Path, harness: &mut Harness, asked: &Value) {
    let child = start(in_terminal(socket), &asked.to_string());
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "allow");
    let (printed, code) = end(child);
    let answer: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        answer["hookSpecificOutput"]["hookEventName"],
        "PermissionRequest"
    );
    assert_eq!(code, Some(0));
    harness.expect("settled");
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
}

#[test]
fn an_allowed_call_that_ran_was_applied() {
    let directory = directory();
    let socket = socket(&directory);
    let mut harness = Harness::start(&socket);
    let run = recorded("i-all-events");
    allow(&socket, &mut harness, &run["PermissionRequest"]);
    // Neither another call nor another session says anything of this one.
    let mut other = run["PostToolUse"].clone();
    other["tool_input"]["command"] = json!("other");
    tell(&socket, &other);
    let mut other = run["PostToolUse"].clone();
    other["session_id"] = json!("other");
    tell(&socket, &other);
    let mut other = run["PostToolUse"].clone();
    other["prompt_id"] = json!("other");
    tell(&socket, &other);
    tell(&socket, &run["PostToolUse"]);
    let changed = harness.expect("changed");
    assert_eq!(changed["detail"]["ended"]["applied"], true);
    assert_eq!(changed["revision"], 3);
    for event in ["PostToolBatch", "Stop", "UserPromptSubmit", "SessionEnd"] {
        tell(&socket, &run[event]);
    }
    // None of these changed it: what comes next is another card.
    allow(&socket, &mut harness, &run["PermissionRequest"]);
}

#[test]
fn an_allowed_call_that_did_not_run_was_not_applied() {
    let directory = directory();
    let socket = socket(&directory);
    let mut harness = Harness::start(&socket);
    let run = recorded("i-events-feedback");
    allow(&socket, &mut harness, &run["PermissionRequest"]);
    let mut other = run["PostToolBatch"].clone();
    other["prompt_id"] = json!("other");
    tell(&socket, &other);
    tell(&socket, &run["PostToolBatch"]);
    let changed = harness.expect("changed");
    assert_eq!(changed["detail"]["ended"]["applied"], false);
    // The events are asynchronous: one that comes late is still true.
    let mut late = run["PermissionRequest"].clone();
    late["hook_event_name"] = json!("PostToolUse");
    tell(&socket, &late);
    let changed = harness.expect("changed");
    assert_eq!(changed["detail"]["ended"]["applied"], true);
}

#[test]
fn an_event_that_shows_the_terminals_answer_retires_the_card_and_ends_the_hook() {
    let directory = directory();
    let socket = socket(&directory);
    let harness = Harness::start(&socket);
    let run = recorded("i-all-events");
    let events = [
        "PostToolUse",
        "PostToolBatch",
        "Stop",
        "UserPromptSubmit",
        "SessionEnd",
    ];
    for event in events {
        let asked = &run["PermissionRequest"];
        let child = start(in_terminal(&socket), &asked.to_string());
        harness.expect("arrived");
        tell(&socket, &run[event]);
        let settled = harness.expect("settled");
        assert_eq!(
            (&settled["end"], &settled["why"]),
            (&json!("withdrawn"), &json!("retired"))
        );
        // The terminal's "yes" gives it no signal.
        assert_eq!(end(child), silence(), "{event}");
    }
}

/// Two equal calls in one batch are two calls.
#[test]
fn one_event_retires_one_of_two_equal_calls() {
    let directory = directory();
    let socket = socket(&directory);
    let mut harness = Harness::start(&socket);
    let run = recorded("i-all-events");
    let asked = run["PermissionRequest"].to_string();
    let first = start(in_terminal(&socket), &asked);
    let arrived = harness.expect("arrived");
    let second = start(in_terminal(&socket), &asked);
    harness.expect("arrived");
    harness.decide(&arrived, "allow");
    harness.expect("settled");
    assert!(end(first).0.contains("allow"));
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
    tell(&socket, &run["PostToolUse"]);
    let changed = harness.expect("changed");
    assert_eq!(
        (&changed["id"], &changed["detail"]["ended"]["applied"]),
        (&json!(1), &json!(true))
    );
    tell(&socket, &run["PostToolUse"]);
    assert_eq!(harness.expect("settled")["id"], 2);
    assert_eq!(end(second), silence());
}
