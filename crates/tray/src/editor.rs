//! The person's own editor, for a proposal.
//!
//! Chosen by the person or found by name, and started with one path. Never by file association: an
//! opener runs what an agent wrote. Closing an editor decides nothing, unless the person set that it does.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use tokio::process::{Child, Command};

use crate::card;
use crate::settings::{Close, Settings};

/// Editors with a window, and what makes them end only when the file was closed.
const WINDOWED: [(&str, &[&str]); 9] = [
    ("zed", &["--wait"]),
    ("code", &["--wait"]),
    ("codium", &["--wait"]),
    ("subl", &["--wait"]),
    ("kate", &["--block"]),
    ("gnome-text-editor", &["--standalone"]),
    ("gedit", &["--wait"]),
    ("xed", &["--wait"]),
    ("mousepad", &["--disable-server"]),
];

const TERMINAL: [&str; 7] = ["nvim", "vim", "vi", "hx", "helix", "micro", "nano"];

/// Terminals that end with the program they run, and what comes before that program.
const TERMINALS: [(&str, &[&str]); 9] = [
    ("ghostty", &["-e"]),
    ("kitty", &[]),
    ("foot", &[]),
    ("alacritty", &["-e"]),
    ("wezterm", &["start", "--always-new-process", "--"]),
    ("gnome-terminal", &["--wait", "--"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["--disable-server", "-x"]),
    ("xterm", &["-e"]),
];

#[derive(Clone)]
pub struct Editors {
    handle: Handle,
    settings: Settings,
}

impl Editors {
    pub fn new(handle: Handle, settings: Settings) -> Self {
        Self { handle, settings }
    }

    /// Stages the proposal and starts the editor on it; its name comes back.
    pub async fn open(&self, id: u32) -> Result<String> {
        let words = self
            .settings
            .editor
            .clone()
            .filter(|words| !words.is_empty())
            .or_else(|| found(&path()))
            .context(
                "No editor was found. Name one in settings.toml: editor = [\"…\", \"--wait\"]",
            )?;
        let file = self
            .handle
            .stage(id)
            .await
            .context("The proposal cannot be put on disk")?;
        let child = Command::new(&words[0])
            .args(&words[1..])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} does not start", words[0]))?;
        tokio::spawn(self.clone().watch(id, child));
        Ok(name(&words))
    }

    /// Until the editor ends, or the request.
    async fn watch(self, id: u32, mut child: Child) {
        let mut pushes = self.handle.subscribe(Surface::Tray);
        loop {
            tokio::select! {
                _ = child.wait() => break,
                push = pushes.recv() => match push {
                    Some(Push::Changed { id: changed, revision }) if changed == id => {
                        self.saved(id, revision).await;
                    }
                    // Its file has gone; the editor is the person's to close.
                    Some(Push::Settled { id: settled, .. }) if settled == id => return,
                    Some(_) => {}
                    None => return,
                },
            }
        }
        self.closed(id).await;
    }

    async fn saved(&self, id: u32, revision: u32) {
        let texts = self.handle.texts(id).await;
        let Some(version) = texts.and_then(|texts| texts.version) else {
            return;
        };
        let cards = card::among(&self.handle, &[id]).await;
        let allow = cards.first().and_then(card::Card::lone_allow);
        if let (true, Some(allow)) = (self.settings.apply_on_save, allow) {
            self.decide(id, revision, &allow.id, Some(version));
        }
    }

    async fn closed(&self, id: u32) {
        let saved = self
            .handle
            .texts(id)
            .await
            .is_some_and(|texts| texts.version.is_some());
        if saved || self.settings.close_without_saving == Close::Ask {
            return;
        }
        let cards = card::among(&self.handle, &[id]).await;
        if let Some((card, reject)) = cards
            .first()
            .and_then(|card| Some((card, card.only_reject()?)))
        {
            self.decide(id, card.revision, &reject.id, None);
        }
    }

    fn decide(&self, id: u32, revision: u32, option: &str, amendment: Option<String>) {
        let decide = Decide {
            id,
            revision,
            option: option.to_owned(),
            feedback: None,
            amendment,
            answers: None,
        };
        self.handle.decide(decide, Surface::Tray);
    }
}

/// The folders of `PATH` that do not depend on where we stand.
fn path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect()
}

/// The first editor there is: with a window, else in a terminal.
fn found(path: &[PathBuf]) -> Option<Vec<String>> {
    let there = |name: &str| path.iter().any(|folder| runs(&folder.join(name)));
    let words = |name: &str, rest: &[&str]| {
        let rest = rest.iter().map(|word| (*word).to_owned());
        std::iter::once(name.to_owned())
            .chain(rest)
            .collect::<Vec<_>>()
    };
    if let Some((name, arguments)) = WINDOWED.iter().find(|(name, _)| there(name)) {
        return Some(words(name, arguments));
    }
    let editor = TERMINAL.iter().find(|name| there(name))?;
    let (terminal, arguments) = TERMINALS.iter().find(|(name, _)| there(name))?;
    let mut words = words(terminal, arguments);
    words.push((*editor).to_owned());
    Some(words)
}

fn runs(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// What the person calls it: in a terminal, the editor.
fn name(words: &[String]) -> String {
    let base = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    let editor = words
        .iter()
        .map(base)
        .find(|word| TERMINAL.contains(&word.as_str()));
    editor
        .or_else(|| words.first().map(base))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn bin(names: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            let path = folder.path().join(name);
            std::fs::write(&path, "").expect("a file");
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("it runs");
        }
        let path = vec![folder.path().to_owned()];
        (folder, path)
    }

    #[test]
    fn an_editor_is_found_by_name() {
        type Case = (
            &'static [&'static str],
            Option<&'static [&'static str]>,
            &'static str,
        );
        let table: &[Case] = &[
            (&["vim", "xterm", "code"], Some(&["code", "--wait"]), "code"),
            (&["vim", "xterm", "kitty"], Some(&["kitty", "vim"]), "vim"),
            (
                &["nano", "xfce4-terminal"],
                Some(&["xfce4-terminal", "--disable-server", "-x", "nano"]),
                "nano",
            ),
            (&["nano"], None, ""),
            (&["xterm"], None, ""),
        ];
        for (there, words, called) in table {
            let (_folder, path) = bin(there);
            let found = found(&path);
            let wanted = words.map(|words| {
                words
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>()
            });
            assert_eq!(found, wanted, "{there:?}");
            assert_eq!(found.as_deref().map(name).unwrap_or_default(), *called);
        }
    }
}
