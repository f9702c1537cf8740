//! What passes through the relay passes unchanged, whatever it is, and costs no
//! memory to speak of.

mod rig;

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rig::{Harness, Server, directory, doorward, peak, signal, socket};
use rustix::process::Signal;

const MIB: usize = 1 << 20;

fn relay(socket: &Path, agent: &[&str]) -> Child {
    doorward(socket)
        .args(["acp", "--"])
        .args(agent)
        .spawn()
        .unwrap()
}

/// Sends all to an agent that says everything back; what comes has to be equal.
/// Gives the relay's peak of memory.
fn echo(socket: &Path, bytes: &[u8]) -> u64 {
    let mut relay = relay(socket, &["cat"]);
    let mut stdin = relay.stdin.take().unwrap();
    let mut stdout = relay.stdout.take().unwrap();
    let mut received = vec![0; bytes.len()];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let ended = bytes.last() != Some(&b'\n');
            stdin.write_all(bytes).unwrap();
            if ended {
                drop(stdin);
            } else {
                // Kept, so that the relay can be looked at.
                std::mem::forget(stdin);
            }
        });
        stdout.read_exact(&mut received).unwrap();
    });
    let peak = if bytes.ends_with(b"\n") {
        peak(&relay)
    } else {
        0
    };
    let different = received.iter().zip(bytes).position(|(a, b)| a != b);
    assert_eq!(different, None, "the first byte that differs");
    relay.kill().unwrap();
    relay.wait().unwrap();
    peak
}

fn odd_lines() -> Vec<u8> {
    let mut bytes = b"{\"a\":1}\r\n\n\r\n\xff\xfe\x00\n[{\"id\":1}]\n\x0b\n".to_vec();
    bytes.extend(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n{\"id\":1,\"id\":2}\n");
    bytes.extend(b"{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\",\"params\":\"\xc3\x28\"}\n");
    bytes.extend(std::iter::repeat_n(b'x', MIB));
    bytes.push(b'\n');
    bytes.extend(b"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":\"");
    bytes.extend(std::iter::repeat_n(b'y', MIB));
    bytes.extend(b"\"}\n");
    bytes
}

#[test]
fn odd_lines_pass_unchanged_without_doorward_and_with_it() {
    let directory = directory();
    let mut bytes = odd_lines();
    bytes.extend(b"no newline at the end");
    echo(&socket(&directory), &bytes);
    let _harness = Harness::start(&socket(&directory));
    echo(&socket(&directory), &bytes);
    echo(&socket(&directory), &odd_lines());
    // The end of the input is the agent's end.
    let mut relay = relay(&socket(&directory), &["cat"]);
    relay.stdin.take().unwrap().write_all(b"x").unwrap();
    let output = relay.wait_with_output().unwrap();
    assert_eq!(
        (output.stdout.as_slice(), output.status.code()),
        (&b"x"[..], Some(0))
    );
}

#[test]
fn a_line_of_any_length_passes_in_little_memory() {
    let directory = directory();
    let _harness = Harness::start(&socket(&directory));
    let mut bytes = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"x\":\"".to_vec();
    bytes.extend(std::iter::repeat_n(b'x', 64 * MIB));
    bytes.extend(b"\"}}\n{\"jsonrpc\":\"2.0\",\"method\":\"_after\"}\n");
    let peak = echo(&socket(&directory), &bytes);
    assert!(peak < 56 * MIB as u64, "{peak} bytes for a line of 64 MiB");
}

/// Nothing of ours is put into a line that is not over yet.
#[test]
fn an_answer_waits_for_the_end_of_a_long_line() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut rig = rig::Rig::start(directory, &[], "exit 0");
    server.accept();
    // The line that the agent is in the middle of.
    let start = "x".repeat(12 * MIB);
    rig.agent_begins(&rig::question("1"));
    rig.agent_begins("\n");
    assert_eq!(rig.editor_hears(), rig::question("1"));
    let (number, _) = server.question();
    rig.agent_begins(&start);
    server.expect("doorward/missed");
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), rig::response("1", "yes"));
    rig.agent_says("end");
    assert_eq!(rig.editor_hears(), format!("{start}end"));
    assert_eq!(rig.editor_hears(), rig::cancel("1"));
    server.expect("doorward/delivered");

    // An editor's line that nobody read may have been the answer.
    rig.agent_says(&rig::question("2"));
    rig.editor_hears();
    let (number, _) = server.question();
    rig.editor_says(&start);
    assert_eq!(rig.agent_hears(), start);
    server.expect("$/cancel_request");
    server.select(number, "yes");
    rig.agent_heard_no_more();
}

#[test]
fn the_agents_errors_and_its_folder_are_its_own() {
    let directory = directory();
    let mut command = doorward(&socket(&directory));
    command.args(["acp", "--", "sh", "-c", "pwd; echo wrong >&2; exit 3"]);
    command.current_dir("/").stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.stdout, b"/\n");
    assert_eq!(output.stderr, b"wrong\n");
    assert_eq!(output.status.code(), Some(3));
    let mut command = doorward(&socket(&directory));
    command
        .args(["acp", "--", "./no-such-agent"])
        .stderr(Stdio::null());
    assert_eq!(command.spawn().unwrap().wait().unwrap().code(), Some(127));
}

#[test]
fn signals_reach_the_agent_and_its_end_is_ours() {
    let directory = directory();
    let caught = r#"for s in TERM INT HUP; do trap "echo $s; exit 42" $s; done; echo ready; while :; do sleep 0.02; done"#;
    for (number, name) in [
        (Signal::TERM, "TERM"),
        (Signal::INT, "INT"),
        (Signal::HUP, "HUP"),
    ] {
        let mut child = relay(&socket(&directory), &["sh", "-c", caught]);
        let lines = rig::lines(child.stdout.take().unwrap());
        assert_eq!(lines.recv_timeout(rig::PATIENCE).unwrap(), "ready");
        signal(&child, number);
        assert_eq!(lines.recv_timeout(rig::PATIENCE).unwrap(), name);
        assert_eq!(child.wait().unwrap().code(), Some(42));

        let mut child = relay(
            &socket(&directory),
            &["sh", "-c", "echo ready; exec sleep 60"],
        );
        let lines = rig::lines(child.stdout.take().unwrap());
        assert_eq!(lines.recv_timeout(rig::PATIENCE).unwrap(), "ready");
        signal(&child, number);
        assert_eq!(child.wait().unwrap().signal(), Some(number.as_raw()));
    }
}

/// A shell sees what it would see of the agent: 128 and the signal's number.
#[test]
fn a_shell_sees_the_agents_signal() {
    let directory = directory();
    let script = r#""$0" --socket "$1" acp -- sh -c 'kill -TERM $$'; echo $?"#;
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_doorward")])
        .arg(socket(&directory))
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"143\n");
}
