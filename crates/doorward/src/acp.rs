//! `doorward acp`: an agent's process between an editor and its agent.
//!
//! Here are the processes and the pipes: bytes pass unchanged and in order, one
//! write for each read, and this program ends as the agent ended. Which lines
//! mean something is decided in `relay`.

mod envelope;
mod lines;
mod link;
mod relay;
mod state;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use relay::{Relay, lock};

/// Whom the agent's questions reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Editor {
    /// The editor and Doorward, whoever answers first.
    Asked,
    /// Doorward; the editor only when Doorward cannot answer.
    WhenNeeded,
}

pub fn run(socket: Option<&Path>, asked: Editor, command: &[OsString]) -> ExitCode {
    match relay(socket, asked, command) {
        Ok(status) => end_as(status),
        Err(error) => {
            let name = command.first().map(|name| name.to_string_lossy());
            eprintln!("doorward: start {}: {error}", name.unwrap_or_default());
            ExitCode::from(127)
        }
    }
}

fn relay(socket: Option<&Path>, asked: Editor, command: &[OsString]) -> io::Result<ExitStatus> {
    let (name, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    // Registered before the child exists, so that no signal is lost.
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let editor_in = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let editor_out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let agent_in = child.stdin.take().map(OwnedFd::from).map(File::from);
    let agent_out = child.stdout.take().map(OwnedFd::from).map(File::from);
    let relay = Arc::new(Relay {
        socket: socket.map(Path::to_owned),
        asked,
        agent: Mutex::new(agent_in),
        editor: Mutex::new(editor_out),
        state: Mutex::default(),
        changed: Condvar::new(),
    });

    let pid = Pid::from_child(&child);
    let alive = Arc::new(Mutex::new(Some(pid)));
    let target = Arc::clone(&alive);
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if let (Some(pid), Some(signal)) = (*lock(&target), Signal::from_named_raw(signal)) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    });

    let (told, link) = mpsc::channel();
    let linked = Arc::clone(&relay);
    std::thread::spawn(move || {
        link::run(&linked);
        let _ = told.send(());
    });

    let from_editor = Arc::clone(&relay);
    std::thread::spawn(move || {
        let passed = AtomicU64::new(0);
        let pass = |lines: &[u8]| {
            // An agent that does not read any more must not block the editor.
            let _ = from_editor.pass_to_agent(lines);
            Ok(())
        };
        pump(editor_in, &passed, pass);
        from_editor.close();
    });

    let (ended, drained) = mpsc::channel();
    let passed = Arc::new(AtomicU64::new(0));
    if let Some(agent_out) = agent_out {
        let (relay, passed) = (Arc::clone(&relay), Arc::clone(&passed));
        std::thread::spawn(move || {
            pump(agent_out, &passed, |lines| relay.pass_to_editor(lines));
            let _ = ended.send(());
        });
    }

    // Waited for without reaping: the number stays ours until no signal can
    // be sent to it any more.
    let _ = rustix::process::waitid(
        WaitId::Pid(pid),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    );
    *lock(&alive) = None;
    let status = child.wait()?;
    // What the agent left in the pipe still passes; a grandchild that keeps
    // the pipe open does not keep us.
    let mut before = u64::MAX;
    while let Err(mpsc::RecvTimeoutError::Timeout) =
        drained.recv_timeout(Duration::from_millis(500))
    {
        let now = passed.load(Ordering::Acquire);
        if now == before && now.is_multiple_of(2) {
            break;
        }
        before = now;
    }
    lock(&relay.state).closing = true;
    relay.changed.notify_all();
    let _ = link.recv_timeout(Duration::from_millis(300));
    Ok(status)
}

/// Reads to the end and passes whole lines on; the last may lack its newline.
/// `passed` is odd while a write is under way.
fn pump(mut from: File, passed: &AtomicU64, mut pass: impl FnMut(&[u8]) -> io::Result<()>) {
    let mut chunk = vec![0; 64 << 10];
    let mut pending = Vec::new();
    let mut deliver = |lines: &[u8]| {
        passed.fetch_add(1, Ordering::AcqRel);
        let delivered = pass(lines);
        passed.fetch_add(1, Ordering::AcqRel);
        delivered
    };
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let chunk = &chunk[..count];
        let Some(last) = chunk.iter().rposition(|byte| *byte == b'\n') else {
            pending.extend_from_slice(chunk);
            continue;
        };
        pending.extend_from_slice(&chunk[..=last]);
        if deliver(&pending).is_err() {
            return;
        }
        pending.clear();
        pending.extend_from_slice(&chunk[last + 1..]);
    }
    if !pending.is_empty() {
        let _ = deliver(&pending);
    }
}

fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        // Signals that cannot have a handler, and those ignored by default.
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        }
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(1));
    }
    ExitCode::from(
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    )
}
