//! How the window comes to life: the environment it refuses, and the socket it inherits.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

/// Variables by which another process could drive or inspect the webview, or choose its code.
#[cfg(not(debug_assertions))]
const REFUSED: [&str; 7] = [
    "TAURI_WEBVIEW_AUTOMATION",
    "TAURI_AUTOMATION",
    "WEBKIT_INSPECTOR_SERVER",
    "WEBKIT_INSPECTOR_HTTP_SERVER",
    "WEBKIT_EXEC_PATH",
    "WEBKIT_INJECTED_BUNDLE_PATH",
    "GTK_MODULES",
];

/// Release builds start themselves again without the refused variables.
///
/// Removing a variable of the running process is not safe once libraries may have read it; a second
/// start is, and it loads everything from a clean environment.
#[cfg(not(debug_assertions))]
pub fn scrub_environment() -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt as _;

    if REFUSED.iter().all(|name| std::env::var_os(name).is_none()) {
        return Ok(());
    }
    let own = std::env::current_exe().context("finding the own program")?;
    let mut again = Command::new(own);
    again.args(std::env::args_os().skip(1));
    for name in REFUSED {
        again.env_remove(name);
    }
    Err(again.exec()).context("starting again with a clean environment")
}

/// Debug builds keep the variables: tests drive the window through them.
#[cfg(debug_assertions)]
pub fn scrub_environment() -> anyhow::Result<()> {
    Ok(())
}

/// What the tray program says on the command line.
#[derive(Default)]
pub struct Arguments {
    surface: Option<String>,
    /// Assistive technology may decide: its input makes no events of a device.
    pub assistive: bool,
}

/// Reads the command line; what is not known there is left to the toolkit.
pub fn arguments() -> anyhow::Result<Arguments> {
    let mut read = Arguments::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        if argument == "--surface-fd" {
            read.surface = Some(given.next().context("--surface-fd needs a number")?);
        } else if let Some(value) = argument.strip_prefix("--surface-fd=") {
            read.surface = Some(value.to_owned());
        } else if argument == "--assistive" {
            read.assistive = true;
        }
    }
    Ok(read)
}

impl Arguments {
    /// The inherited socket, or none if the window was started by hand.
    ///
    /// The tray program passes it as standard input, so `--surface-fd 0` is the only number there is:
    /// it can be taken without trusting a bare number, and afterwards standard input is `/dev/null`, so
    /// that no web process inherits the way to the broker.
    pub fn surface(&self) -> anyhow::Result<Option<UnixStream>> {
        match self.surface.as_deref() {
            None => Ok(None),
            Some("0") => standard_input().map(Some),
            Some(other) => bail!("--surface-fd {other}: only standard input (0) is taken"),
        }
    }
}

fn standard_input() -> anyhow::Result<UnixStream> {
    let input = std::io::stdin();
    let owned = input
        .as_fd()
        .try_clone_to_owned()
        .context("taking standard input")?;
    let kind = rustix::fs::fstat(&owned)
        .context("looking at standard input")?
        .st_mode;
    if rustix::fs::FileType::from_raw_mode(kind) != rustix::fs::FileType::Socket {
        bail!("standard input is no socket");
    }
    let nothing = std::fs::File::open("/dev/null").context("opening /dev/null")?;
    rustix::stdio::dup2_stdin(&nothing).context("closing standard input")?;
    Ok(UnixStream::from(owned))
}

/// Started by hand: ask the tray program to show its window, which is the only one with a socket.
pub fn open_through_tray() -> ExitCode {
    let program = std::env::current_exe()
        .ok()
        .map(|own| own.with_file_name("doorward"))
        .filter(|path| path.exists())
        .unwrap_or_else(|| "doorward".into());
    match Command::new(&program).arg("open").status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("doorward-window: cannot run {}: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}
