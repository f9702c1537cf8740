//! What a person has set, in `settings.toml` of the configuration folder; read once, at the start.
//!
//! Every default is the careful choice. A file that cannot be read leaves the defaults and says so:
//! half of a file never counts.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// The tray menu answers ordinary requests; off, every item opens the window.
    pub tray_decisions: bool,
    /// A notification offers the one-time allow of an unmarked request that fits it whole.
    pub notification_allow: bool,
    /// A notification names the agent and the project, and nothing of the request.
    pub notification_names_only: bool,
    /// Input that comes from no device may decide in the window: screen readers, on-screen keyboards,
    /// remote control. Any program of the session can make such input.
    pub assistive_input: bool,
    /// The editor for proposals and its arguments, as `["code", "--wait"]`; none looks for one.
    pub editor: Option<Vec<String>>,
    /// A save in that editor allows at once with what was saved. An editor that saves by itself
    /// would then allow by itself.
    pub apply_on_save: bool,
    /// What it means to close that editor without a save.
    pub close_without_saving: Close,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Close {
    /// The request waits on, and its card comes up.
    Ask,
    /// The one reject that lets the turn go on, where there is exactly one; else as `Ask`.
    Deny,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tray_decisions: true,
            notification_allow: false,
            notification_names_only: false,
            assistive_input: false,
            editor: None,
            apply_on_save: false,
            close_without_saving: Close::Ask,
        }
    }
}

impl Settings {
    pub fn read() -> Self {
        read().unwrap_or_else(|error| {
            eprintln!("doorward-tray: {error:#}; every setting has its default");
            Self::default()
        })
    }
}

fn read() -> Result<Settings> {
    let Some(path) = path() else {
        return Ok(Settings::default());
    };
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Settings::default()),
        Err(error) => Err(error).context("settings.toml cannot be read"),
    }
}

fn path() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "doorward")?;
    Some(folders.config_dir().join("settings.toml"))
}

fn parse(text: &str) -> Result<Settings> {
    toml_edit::de::from_str(text).context("settings.toml is not understood")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_has_its_careful_default() {
        let settings = parse("tray-decisions = false").expect("it is valid");
        assert!(
            !settings.tray_decisions && !settings.assistive_input && !settings.notification_allow
        );
        assert_eq!(parse("").expect("it is valid"), Settings::default());
    }

    #[test]
    fn what_is_misspelt_is_named() {
        for (text, named) in [
            ("asistive-input = true", "asistive-input"),
            ("notification-allow = 1", "line 1"),
            ("[", "line 1"),
        ] {
            let said = format!("{:#}", parse(text).expect_err("it is wrong"));
            assert!(said.contains(named), "{said}");
        }
    }
}
