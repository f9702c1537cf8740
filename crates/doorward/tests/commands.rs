//! The commands that ask once: what they print, and how they end.

mod rig;

use std::io::Write;

use rig::{PARAMS, Server, directory, doorward, finish, selected, socket};

const HOOK: &str = "{\n \"hook_event_name\":\"PermissionRequest\",\n \"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}\n";

#[test]
fn a_hook_without_doorward_is_silent() {
    let directory = directory();
    for input in [HOOK, "", "not json", "{}", r#"{"hook_event_name":"Stop"}"#] {
        let mut hook = doorward(&socket(&directory));
        hook.args(["hook", "claude"]);
        assert_eq!(finish(hook, input), (String::new(), Some(0)), "{input}");
    }
}

#[test]
fn a_hook_prints_exactly_the_answer() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut hook = doorward(&socket(&directory));
    hook.args(["hook", "claude"]);
    let finished = std::thread::spawn(move || finish(hook, HOOK));
    assert_eq!(server.accept()["params"]["program"], "hook");
    server.expect("doorward/nonce");
    let request = server.expect("hook/PermissionRequest");
    assert_eq!(request["params"]["tool_input"]["command"], "ls");
    server.send(r#"{"jsonrpc":"2.0","id":1,"result":{"a": 1.0}}"#);
    assert_eq!(finished.join().unwrap(), (r#"{"a": 1.0}"#.into(), Some(0)));
}

#[test]
fn a_hook_that_is_terminated_withdraws_in_silence() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut hook = doorward(&socket(&directory));
    let mut child = hook.args(["hook", "claude"]).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(HOOK.as_bytes())
        .unwrap();
    server.accept();
    server.question();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    server.expect("$/cancel_request");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.stdout.len(), output.status.code()), (0, Some(0)));
}

#[test]
fn a_hook_whose_output_is_closed_withdraws() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut hook = doorward(&socket(&directory));
    let mut child = hook.args(["hook", "claude"]).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(HOOK.as_bytes())
        .unwrap();
    server.accept();
    server.question();
    drop(child.stdout.take());
    server.expect("$/cancel_request");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_event_hook_is_told_and_says_nothing() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut hook = doorward(&socket(&directory));
    hook.args(["hook", "claude"]);
    let input = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
    assert_eq!(finish(hook, input), (String::new(), Some(0)));
    server.accept();
    assert_eq!(server.expect("hook/Stop")["params"]["session_id"], "s");
}

#[test]
fn a_hook_below_a_relay_is_silent() {
    let directory = directory();
    let _server = Server::start(&socket(&directory));
    let mut relay = doorward(&socket(&directory));
    relay.args([
        "acp",
        "--",
        "sh",
        "-c",
        r#""$0" --socket "$1" hook claude; echo "$?""#,
    ]);
    relay
        .arg(env!("CARGO_BIN_EXE_doorward"))
        .arg(socket(&directory));
    assert_eq!(finish(relay, HOOK), ("0\n".into(), Some(0)));
}

#[test]
fn ask_says_in_its_exit_code_what_happened() {
    let directory = directory();
    let ask = |timeout: bool| {
        let mut ask = doorward(&socket(&directory));
        ask.arg("ask").args(timeout.then_some("--timeout=1"));
        ask
    };
    assert_eq!(finish(ask(false), PARAMS), (String::new(), Some(4)));
    assert_eq!(finish(ask(false), "{}"), (String::new(), Some(2)));
    let mut server = Server::start(&socket(&directory));
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#.to_owned();
    for (answer, printed, code) in [
        (Some(selected("yes")), format!("{}\n", selected("yes")), 0),
        (Some(cancelled.clone()), format!("{cancelled}\n"), 3),
        (None, String::new(), 4),
    ] {
        let command = ask(false);
        let finished = std::thread::spawn(move || finish(command, PARAMS));
        server.accept();
        let (id, _) = server.question();
        match answer {
            Some(result) => server.send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
            )),
            None => server.hand_back(id),
        }
        assert_eq!(finished.join().unwrap(), (printed, Some(code)));
    }
    assert_eq!(finish(ask(true), PARAMS), (String::new(), Some(4)));
    server.accept();
    server.question();
    server.expect("$/cancel_request");
}

#[test]
fn status_says_whether_it_runs() {
    let directory = directory();
    let status = || {
        let mut status = doorward(&socket(&directory));
        status.arg("status");
        status
    };
    let absent = ("Doorward is not running.\n".to_owned(), Some(1));
    assert_eq!(finish(status(), ""), absent);
}
