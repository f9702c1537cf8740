//! The window's process: started when somebody wants to look, at most one, and never waited for.
//!
//! It gets one end of a socket pair as its standard input. A window that does not read for two
//! seconds is stuck; it is ended, and the next wish to look starts a new one.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(2);

/// Variables that would let another process drive the window's page.
#[cfg(not(debug_assertions))]
const REFUSED: [&str; 4] = [
    "TAURI_WEBVIEW_AUTOMATION",
    "TAURI_AUTOMATION",
    "WEBKIT_INSPECTOR_SERVER",
    "WEBKIT_INSPECTOR_HTTP_SERVER",
];
#[cfg(debug_assertions)]
const REFUSED: [&str; 0] = [];

/// A wish to look at a request, or at whatever waits.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub id: Option<u32>,
    /// Only when a person asked: a window that takes the focus catches keys meant for another.
    pub focus: bool,
}

#[derive(Clone)]
pub struct Opener(UnboundedSender<Open>);

impl Opener {
    pub fn open(&self, id: Option<u32>, focus: bool) {
        let _ = self.0.send(Open { id, focus });
    }
}

/// Starts the task that owns the window's process.
pub fn start(program: PathBuf, handle: Handle) -> Opener {
    let (sender, mut wishes) = unbounded_channel();
    tokio::spawn(async move {
        while let Some(open) = wishes.recv().await {
            if let Err(error) = serve(&program, &handle, open, &mut wishes).await {
                tracing::warn!(error = format!("{error:#}"), "the window was ended");
            }
        }
    });
    Opener(sender)
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asked {
    Snapshot {},
    Detail { id: u32 },
    Decide(Decide),
    Abstain { id: u32 },
}

async fn serve(
    program: &PathBuf,
    handle: &Handle,
    first: Open,
    wishes: &mut UnboundedReceiver<Open>,
) -> Result<()> {
    let mut pushes = handle.subscribe(Surface::Window);
    let (mut child, socket) = spawn(program)?;
    let (reader, mut writer) = socket.into_split();
    let mut lines = BufReader::new(reader).lines();
    let served = async {
        write(&mut writer, show(first)).await?;
        loop {
            tokio::select! {
                line = lines.next_line() => match line {
                    Ok(Some(line)) => {
                        if let Some(answer) = answer(handle, &line).await {
                            write(&mut writer, answer).await?;
                        }
                    }
                    Ok(None) | Err(_) => return Ok(()),
                },
                Some(push) = pushes.recv() => {
                    // The tray turns `show` into a wish itself, also while no window is there.
                    if !matches!(push, Push::Show { .. })
                        && let Some(line) = push.to_line()
                    {
                        write(&mut writer, line).await?;
                    }
                }
                Some(open) = wishes.recv() => write(&mut writer, show(open)).await?,
            }
        }
    }
    .await;
    drop(writer);
    drop(lines);
    if served.is_err() || timeout(PATIENCE, child.wait()).await.is_err() {
        child.kill().await.context("ending the window")?;
    }
    served
}

fn spawn(program: &PathBuf) -> Result<(Child, UnixStream)> {
    let (ours, theirs) =
        std::os::unix::net::UnixStream::pair().context("making the surface socket")?;
    ours.set_nonblocking(true)
        .context("making the surface socket")?;
    let mut command = Command::new(program);
    command
        .args(["--surface-fd", "0"])
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .kill_on_drop(true);
    for name in REFUSED {
        command.env_remove(name);
    }
    let child = command
        .spawn()
        .with_context(|| format!("starting {}", program.display()))?;
    Ok((
        child,
        UnixStream::from_std(ours).context("making the surface socket")?,
    ))
}

async fn write(writer: &mut OwnedWriteHalf, mut line: String) -> Result<()> {
    if !line.ends_with('\n') {
        line.push('\n');
    }
    match timeout(PATIENCE, writer.write_all(line.as_bytes())).await {
        Ok(written) => written.context("the window does not listen any more"),
        Err(_) => bail!("the window did not read for {} s", PATIENCE.as_secs()),
    }
}

fn show(open: Open) -> String {
    json!({ "show": { "id": open.id, "focus": open.focus } }).to_string()
}

async fn answer(handle: &Handle, line: &str) -> Option<String> {
    let asked = match serde_json::from_str::<Asked>(line) {
        Ok(asked) => asked,
        Err(error) => {
            tracing::warn!(%error, "the window asked something unknown");
            return None;
        }
    };
    match asked {
        Asked::Snapshot {} => {
            let rows = handle.snapshot().await;
            Some(json!({ "snapshot": { "rows": rows } }).to_string())
        }
        Asked::Detail { id } => {
            let (revision, detail) = handle.detail_at(id).await.unzip();
            Some(
                json!({ "detail": { "id": id, "revision": revision, "detail": detail } })
                    .to_string(),
            )
        }
        Asked::Decide(decide) => {
            handle.decide(decide, Surface::Window);
            None
        }
        Asked::Abstain { id } => {
            handle.abstain(id);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_says_four_things() {
        for line in [
            r#"{"snapshot":{}}"#,
            r#"{"detail":{"id":1}}"#,
            r#"{"decide":{"id":1,"revision":2,"option":"a"}}"#,
            r#"{"decide":{"id":1,"revision":2,"option":"a","feedback":"b"}}"#,
            r#"{"abstain":{"id":1}}"#,
        ] {
            assert!(serde_json::from_str::<Asked>(line).is_ok(), "{line}");
        }
        assert!(serde_json::from_str::<Asked>(r#"{"policy":{}}"#).is_err());
    }

    #[test]
    fn show_names_the_request() {
        let line = show(Open {
            id: Some(3),
            focus: false,
        });
        assert_eq!(line, r#"{"show":{"id":3,"focus":false}}"#);
    }
}
