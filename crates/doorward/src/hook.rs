//! `doorward hook claude`: Claude Code's hooks.
//!
//! The terminal's prompt is open at the same time, so silence with exit 0 is
//! always right: it leaves the question where it was. Whatever goes wrong, even
//! a panic, ends in that silence; text on standard output is an answer.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use doorward_socket::client::{self, Lines};
use doorward_socket::endpoint;
use rustix::process::{Pid, PidfdFlags, getppid, pidfd_open};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::asking::{Asking, hello};

/// Five seconds less than the timeout that the hook is registered with.
const DEADLINE: Duration = Duration::from_secs(86_395);
/// Where the agent waits for the hook, a lost connection must not hold it up.
const BRIEFLY: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
struct Event {
    hook_event_name: String,
}

pub fn run(socket: Option<&Path>) -> ExitCode {
    // Nothing of a panic may reach the agent, neither text nor exit code.
    std::panic::set_hook(Box::new(|_| std::process::exit(0)));
    let started = Instant::now();
    // Any failure is silence; the terminal asks.
    let _ = answer(socket, started);
    ExitCode::SUCCESS
}

fn answer(socket: Option<&Path>, started: Instant) -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let event: Event = serde_json::from_str(&input)?;
    if below_relay() {
        return Ok(());
    }
    match event.hook_event_name.as_str() {
        "PermissionRequest" => {}
        "PostToolUse" => return ran(socket, &input),
        name @ ("PostToolBatch" | "Stop" | "UserPromptSubmit" | "SessionEnd") => {
            let mut stream = endpoint::connect(socket)?;
            stream.set_write_timeout(Some(BRIEFLY))?;
            stream.write_all(&hello("hook", None))?;
            let method = format!("hook/{name}");
            return stream.write_all(&client::notification(&method, &slim(&input)?));
        }
        _ => return Ok(()),
    }
    let terminal = std::env::var_os("CLAUDE_CODE_ENTRYPOINT").is_some_and(|it| it == "cli");
    let Some(askers) = askers() else {
        return Ok(());
    };
    let asking = Asking {
        socket,
        program: "hook",
        method: "hook/PermissionRequest",
        params: &input,
        deadline: started + DEADLINE,
        timed: true,
        retry: if terminal { DEADLINE } else { BRIEFLY },
        // In a terminal the wait keeps nobody.
        pulse: (!terminal).then_some(BRIEFLY),
        askers: &askers,
    };
    asking.ask(|result| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(result.as_bytes())?;
        stdout.flush()
    })?;
    Ok(())
}

/// Our parent and Claude itself, as far as they can be watched; none if one is
/// gone already.
fn askers() -> Option<Vec<OwnedFd>> {
    let named = std::env::var("CLAUDE_PID").ok();
    let claude = named
        .and_then(|pid| pid.parse().ok())
        .and_then(Pid::from_raw);
    let mut askers = Vec::new();
    for pid in [getppid(), claude].into_iter().flatten() {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) => askers.push(process),
            Err(rustix::io::Errno::SRCH) => return None,
            Err(_) => {}
        }
    }
    Some(askers)
}

/// A tool has run. The agent is told if the person had changed what it ran; it waits a moment at most.
fn ran(socket: Option<&Path>, input: &str) -> io::Result<()> {
    let stream = endpoint::connect(socket)?;
    stream.set_write_timeout(Some(BRIEFLY))?;
    stream.set_read_timeout(Some(BRIEFLY))?;
    let mut lines = Lines::new(stream);
    lines.send(&hello("hook", None))?;
    lines.send(&client::request(1, "hook/PostToolUse", &slim(input)?))?;
    if let client::Reply::Answer { id: 1, result } = client::reply(&lines.next_line()?)
        && result != "{}"
    {
        let mut stdout = io::stdout().lock();
        stdout.write_all(result.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

/// Without what the tools answered: nobody here needs it, and it may be larger than a frame.
fn slim(input: &str) -> io::Result<String> {
    type Members<'a> = BTreeMap<&'a str, &'a RawValue>;
    const ANSWER: &str = "tool_response";
    let mut event: Members = serde_json::from_str(input)?;
    event.remove(ANSWER);
    let calls = match event.get("tool_calls") {
        Some(calls) => {
            let mut calls: Vec<Members> = serde_json::from_str(calls.get())?;
            for call in &mut calls {
                call.remove(ANSWER);
            }
            Some(serde_json::value::to_raw_value(&calls)?)
        }
        None => None,
    };
    if let Some(calls) = &calls {
        event.insert("tool_calls", calls);
    }
    Ok(serde_json::to_string(&event)?)
}

/// Under `doorward acp` the same question already comes through the relay.
fn below_relay() -> bool {
    let Some(mut pid) = getppid().map(Pid::as_raw_pid) else {
        return false;
    };
    // Deeper trees than this are none of ours.
    for _ in 0..64 {
        if pid <= 1 {
            return false;
        }
        if is_relay(pid) {
            return true;
        }
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name in parentheses may hold anything, so from its end.
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1));
        let Some(parent) = parent.and_then(|parent| parent.parse().ok()) else {
            return false;
        };
        pid = parent;
    }
    false
}

fn is_relay(pid: i32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return false;
    };
    let arguments: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let own = arguments.iter().take_while(|it| **it != b"--");
    if !own.skip(1).any(|argument| *argument == b"acp") {
        return false;
    }
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    // A replaced executable is named "doorward (deleted)".
    let name = program
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.trim_end_matches(" (deleted)") == "doorward")
}

#[cfg(test)]
mod tests {
    use super::slim;

    #[test]
    fn what_tools_answered_stays_behind() {
        let event = r#"{"session_id":"s","tool_input":{"a":1.0},"tool_response":"x","tool_calls":[{"tool_name":"Edit","tool_response":[1]}]}"#;
        assert_eq!(
            slim(event).expect("an event"),
            r#"{"session_id":"s","tool_calls":[{"tool_name":"Edit"}],"tool_input":{"a":1.0}}"#
        );
        assert!(slim(r#"{"tool_calls":1}"#).is_err());
    }
}
