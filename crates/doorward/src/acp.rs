//! `doorward acp`: an agent's process between an editor and its agent.
//!
//! Here are the processes and the pipes: bytes pass unchanged and in order, one
//! write for each read, and this program ends as the agent ended. Which lines
//! mean something is decided in `relay`.

mod envelope;
mod lines;
mod link;
mod parts;
mod relay;
mod sessions;
mod state;
mod update;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use parts::{Part, Parts};
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
        pass_to_agent(&from_editor, editor_in);
        from_editor.close();
    });

    let (ended, drained) = mpsc::channel();
    let passed = Arc::new(AtomicU64::new(0));
    if let Some(agent_out) = agent_out {
        let (relay, passed) = (Arc::clone(&relay), Arc::clone(&passed));
        std::thread::spawn(move || {
            // A closed editor ends it, and so the agent's pipe.
            let _ = pass_to_editor(&relay, agent_out, &passed);
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

/// `passed` is odd while a write is under way.
fn pass_to_editor(relay: &Arc<Relay>, agent: File, passed: &AtomicU64) -> io::Result<()> {
    let mut parts = Parts::new(agent);
    let count = |written: io::Result<()>| {
        passed.fetch_add(1, Ordering::AcqRel);
        written
    };
    while let Some(part) = parts.part() {
        passed.fetch_add(1, Ordering::AcqRel);
        match part {
            Part::Start(start) => {
                relay.unseen_of_agent();
                // Held to the end of the line: nothing may be said inside it.
                let mut editor = lock(&relay.editor);
                count(editor.write_all(start))?;
                while let Some(part) = parts.part() {
                    passed.fetch_add(1, Ordering::AcqRel);
                    count(editor.write_all(part.bytes()))?;
                    if part.ends() {
                        break;
                    }
                }
            }
            part => count(relay.pass_to_editor(part.bytes()))?,
        }
    }
    Ok(())
}

/// An agent that does not read any more must not block the editor, so a failed
/// write is no reason to stop reading.
fn pass_to_agent(relay: &Relay, editor: File) {
    let mut parts = Parts::new(editor);
    while let Some(part) = parts.part() {
        match part {
            Part::Start(start) => {
                relay.unseen_of_editor();
                let mut agent = lock(&relay.agent);
                let mut write = |bytes: &[u8]| {
                    if let Some(agent) = agent.as_mut() {
                        let _ = agent.write_all(bytes);
                    }
                };
                write(start);
                while let Some(part) = parts.part() {
                    write(part.bytes());
                    if part.ends() {
                        break;
                    }
                }
            }
            part => {
                let _ = relay.pass_to_agent(part.bytes());
            }
        }
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
