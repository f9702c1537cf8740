//! The window's process: started when somebody wants to look, at most one, and never waited for.
//!
//! It gets one end of a socket pair as its standard input. A window that does not read for two
//! seconds is stuck; it is ended, and the next wish to look starts a new one.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use doorward_broker::{Decide, Handle, Push};
use doorward_core::question::Answers;
use doorward_core::queue::Surface;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::editor::Editors;
use crate::settings::Settings;

const PATIENCE: Duration = Duration::from_secs(2);
/// How often a window that got stuck is replaced without being asked for.
const RARELY: Duration = Duration::from_secs(30);

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
/// Once every opener is gone the task ends the window, buries it and ends.
pub fn start(program: PathBuf, handle: Handle, settings: Settings) -> (Opener, JoinHandle<()>) {
    let (sender, mut wishes) = unbounded_channel();
    let editors = Editors::new(handle.clone(), settings.clone());
    let window = Window {
        program,
        handle,
        editors,
        assistive: settings.assistive_input,
    };
    let task = tokio::spawn(async move {
        let mut replaced: Option<Instant> = None;
        let mut wish = wishes.recv().await;
        while let Some(open) = wish {
            let Err(error) = window.serve(open, &mut wishes).await else {
                wish = wishes.recv().await;
                continue;
            };
            tracing::warn!(error = format!("{error:#}"), "the window was ended");
            // A window that got stuck is replaced, unless its replacement gets stuck, too.
            if replaced.is_none_or(|at| at.elapsed() > RARELY) {
                replaced = Some(Instant::now());
                wish = Some(Open {
                    id: None,
                    focus: false,
                });
            } else {
                wish = wishes.recv().await;
            }
        }
    });
    (Opener(sender), task)
}

struct Window {
    program: PathBuf,
    handle: Handle,
    editors: Editors,
    /// Input of no device may decide there.
    assistive: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asked {
    Snapshot {},
    Detail {
        id: u32,
    },
    /// The page has painted this revision of a request.
    Shown {
        id: u32,
        revision: u32,
    },
    Opened {
        id: u32,
        revision: u32,
        fold: String,
    },
    Draft {
        id: u32,
        feedback: String,
    },
    /// The texts of a proposal, for the editor in the page.
    Texts {
        id: u32,
    },
    /// What is wrong with these answers to a question.
    Check {
        id: u32,
        answers: Answers,
    },
    /// The person's version; none takes it back.
    Version {
        id: u32,
        text: Option<String>,
    },
    /// Opens the proposal in the person's own editor.
    Edit {
        id: u32,
    },
    /// Said by the window itself, not by its page: it was moved, resized or raised.
    Disturbed {},
    Decide(Decide),
    Abstain {
        id: u32,
    },
}

impl Window {
    /// Ends well when the window was closed; an error is a window that had to be ended, or never came.
    async fn serve(&self, first: Open, wishes: &mut UnboundedReceiver<Open>) -> Result<()> {
        let mut pushes = self.handle.subscribe(Surface::Window);
        self.handle.window_started();
        let (mut child, socket) = self.spawn()?;
        let (reader, mut writer) = socket.into_split();
        let mut lines = BufReader::new(reader).lines();
        let served = async {
            write(&mut writer, show(first)).await?;
            loop {
                tokio::select! {
                    line = lines.next_line() => match line {
                        Ok(Some(line)) => {
                            if let Some(answer) = self.answer(&line).await {
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
                    wish = wishes.recv() => match wish {
                        Some(open) => write(&mut writer, show(open)).await?,
                        None => return Ok(()),
                    },
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

    async fn answer(&self, line: &str) -> Option<String> {
        let asked = match serde_json::from_str::<Asked>(line) {
            Ok(asked) => asked,
            Err(error) => {
                // The words of a parse error may quote what a person typed.
                let kind = error.classify();
                tracing::warn!(?kind, "the window asked something unknown");
                return None;
            }
        };
        let answer = match asked {
            Asked::Snapshot {} => json!({ "snapshot": { "rows": self.handle.snapshot().await } }),
            Asked::Detail { id } => {
                let (revision, detail) = self.handle.detail_at(id).await.unzip();
                json!({ "detail": { "id": id, "revision": revision, "detail": detail } })
            }
            Asked::Texts { id } => {
                json!({ "texts": { "id": id, "texts": self.handle.texts(id).await } })
            }
            Asked::Check { id, answers } => {
                let errors = self.handle.check(id, answers).await;
                json!({ "check": { "id": id, "errors": errors } })
            }
            Asked::Edit { id } => match self.editors.open(id).await {
                Ok(editor) => json!({ "edit": { "id": id, "editor": editor } }),
                Err(error) => json!({ "edit": { "id": id, "error": format!("{error:#}") } }),
            },
            told => {
                tell(&self.handle, told);
                return None;
            }
        };
        Some(answer.to_string())
    }

    fn spawn(&self) -> Result<(Child, UnixStream)> {
        let (ours, theirs) =
            std::os::unix::net::UnixStream::pair().context("making the surface socket")?;
        ours.set_nonblocking(true)
            .context("making the surface socket")?;
        let mut command = Command::new(&self.program);
        command
            .args(["--surface-fd", "0"])
            .args(self.assistive.then_some("--assistive"))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .kill_on_drop(true);
        for name in REFUSED {
            command.env_remove(name);
        }
        let child = command
            .spawn()
            .with_context(|| format!("starting {}", self.program.display()))?;
        Ok((
            child,
            UnixStream::from_std(ours).context("making the surface socket")?,
        ))
    }
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

/// What has no answer of its own; a decide is answered by a push.
fn tell(handle: &Handle, told: Asked) {
    match told {
        Asked::Shown { id, revision } => handle.painted(id, revision),
        Asked::Opened { id, revision, fold } => handle.opened(id, revision, fold),
        Asked::Draft { id, feedback } => handle.drafted(id, feedback),
        Asked::Disturbed {} => handle.disturbed(),
        Asked::Decide(decide) => handle.decide(decide, Surface::Window),
        Asked::Abstain { id } => handle.abstain(id),
        Asked::Version { id, text } => handle.version(id, text),
        Asked::Snapshot {}
        | Asked::Detail { .. }
        | Asked::Texts { .. }
        | Asked::Check { .. }
        | Asked::Edit { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_says_twelve_things() {
        for line in [
            r#"{"snapshot":{}}"#,
            r#"{"detail":{"id":1}}"#,
            r#"{"decide":{"id":1,"revision":2,"option":"a"}}"#,
            r#"{"decide":{"id":1,"revision":2,"option":"a","feedback":"b"}}"#,
            r#"{"abstain":{"id":1}}"#,
            r#"{"shown":{"id":1,"revision":2}}"#,
            r#"{"opened":{"id":1,"revision":2,"fold":"fact"}}"#,
            r#"{"draft":{"id":1,"feedback":"no"}}"#,
            r#"{"disturbed":{}}"#,
            r#"{"texts":{"id":1}}"#,
            r#"{"version":{"id":1,"text":"a"}}"#,
            r#"{"version":{"id":1,"text":null}}"#,
            r#"{"edit":{"id":1}}"#,
            r#"{"check":{"id":1,"answers":{"a":"b"}}}"#,
            r#"{"decide":{"id":1,"revision":2,"option":"answer","answers":{"a":["b"]}}}"#,
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
