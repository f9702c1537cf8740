//! A permission request: one tool call and the options the agent offered.

use crate::question::{Answers, Question};
use crate::simulate::{self, CannotSend, Operation, Tool, Unsure};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// The protocol a request came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Acp,
    ClaudeHook,
}

/// Whose disk the paths of a request are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Local,
    Elsewhere,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct Agent {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct Session {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The branch that is checked out in `cwd`, where it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct Location {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// The tool call a request is about, as far as the agent told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCall {
    pub id: Option<String>,
    pub title: String,
    /// An ACP tool kind; a missing or unknown one is `other`.
    pub kind: String,
    pub command: Option<String>,
    pub cwd: Option<String>,
    pub locations: Vec<Location>,
    pub raw_input: Option<Value>,
}

/// What stood on disk when it was looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Absent,
    Bytes(Arc<[u8]>),
}

/// One file change: both sides as sent, an operation of a tool, or the agent's own patch.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// `before` is none for a new file.
    Whole {
        before: Option<String>,
        after: String,
    },
    /// What it makes of the file is known only with the file.
    Operation(Operation),
    Deleted {
        before: String,
    },
    Patch(Vec<crate::diff::Hunk>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FileChange {
    pub path: String,
    pub moved_from: Option<String>,
    pub tool: Tool,
    pub change: Change,
    /// None where the disk was not read: another machine, or a failure that `note` tells.
    pub found: Option<Found>,
    pub note: Option<String>,
}

impl FileChange {
    pub fn new(path: String, tool: Tool, change: Change) -> Self {
        Self {
            path,
            moved_from: None,
            tool,
            change,
            found: None,
            note: None,
        }
    }

    /// The bytes on disk, none for no file; nothing where the disk was not read.
    pub fn disk(&self) -> Option<Option<&[u8]>> {
        match self.found.as_ref()? {
            Found::Absent => Some(None),
            Found::Bytes(bytes) => Some(Some(bytes)),
        }
    }

    /// The file after the change; nothing where that cannot be asked.
    pub fn outcome(&self) -> Option<Result<Vec<u8>, Unsure>> {
        match &self.change {
            Change::Operation(operation) => {
                Some(simulate::apply(self.tool, self.disk()?, operation))
            }
            Change::Whole { .. } | Change::Deleted { .. } | Change::Patch(_) => None,
        }
    }

    /// The operation that leaves `wanted` instead.
    pub fn amended(&self, wanted: &[u8]) -> Option<Result<Operation, CannotSend>> {
        match &self.change {
            Change::Operation(operation) => {
                Some(simulate::amend(self.tool, self.disk()?, operation, wanted))
            }
            Change::Whole { .. } | Change::Deleted { .. } | Change::Patch(_) => None,
        }
    }
}

/// A hint for icon and grouping, never for the effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
    Unknown(String),
}

impl OptionKind {
    pub fn parse(text: &str) -> Self {
        match text {
            "allow_once" => Self::AllowOnce,
            "allow_always" => Self::AllowAlways,
            "reject_once" => Self::RejectOnce,
            "reject_always" => Self::RejectAlways,
            other => Self::Unknown(other.to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::AllowOnce => "allow_once",
            Self::AllowAlways => "allow_always",
            Self::RejectOnce => "reject_once",
            Self::RejectAlways => "reject_always",
            Self::Unknown(other) => other,
        }
    }

    pub fn lasts(&self) -> bool {
        matches!(self, Self::AllowAlways | Self::RejectAlways)
    }

    pub fn rejects(&self) -> bool {
        matches!(self, Self::RejectOnce | Self::RejectAlways)
    }
}

/// One offered answer. `id` goes back byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub id: String,
    pub name: String,
    pub kind: OptionKind,
    pub description: Option<String>,
    pub effect: Option<String>,
    pub lasts: bool,
    pub elevates: bool,
}

/// Why a list of options cannot be shown as a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    #[error("options is empty: there is nothing to choose")]
    Empty,
    #[error("two options have the same optionId")]
    Duplicate,
    #[error("more than 32 options")]
    TooMany,
}

/// The options in the agent's order: never empty, ids unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options(Vec<Choice>);

impl Options {
    pub const MOST: usize = 32;

    pub fn new(choices: Vec<Choice>) -> Result<Self, OptionsError> {
        if choices.is_empty() {
            return Err(OptionsError::Empty);
        }
        if choices.len() > Self::MOST {
            return Err(OptionsError::TooMany);
        }
        let mut ids: Vec<&str> = choices.iter().map(|choice| choice.id.as_str()).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(OptionsError::Duplicate);
        }
        Ok(Self(choices))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Choice> {
        self.0.iter()
    }

    pub fn find(&self, id: &str) -> Option<&Choice> {
        self.0.iter().find(|choice| choice.id == id)
    }
}

/// What this source can carry back besides an option id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Affordances {
    pub feedback: bool,
    /// The tool's input can go back changed.
    pub amend: bool,
}

/// What goes back besides the option id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Carried {
    pub feedback: Option<String>,
    pub amendment: Option<Operation>,
    /// Of a question: what goes back, checked.
    pub answers: Option<Answers>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PermissionRequest {
    pub source: Source,
    pub origin: Origin,
    pub agent: Agent,
    pub session: Session,
    pub tool_call: ToolCall,
    pub files: Vec<FileChange>,
    pub plan: Option<String>,
    /// A form to fill: then its options are ours, and nothing but the window may choose them.
    pub question: Option<Question>,
    /// A heading the adapter sent for this card, when it says more than our own.
    pub heading: Option<String>,
    /// What the agent wrote as text. Never a command, path or label.
    pub words: Vec<String>,
    /// What we have noticed about the requester, in our words.
    pub warnings: Vec<String>,
    pub options: Options,
    pub affordances: Affordances,
    /// How long an answer is waited for, in milliseconds from the arrival.
    pub patience: Option<u64>,
    pub not_shown: u32,
    pub join_failed: bool,
    /// A file is another than when the request was first shown.
    pub changed: bool,
    /// The params as received.
    pub raw: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(id: &str) -> Choice {
        Choice {
            id: id.into(),
            name: "N".into(),
            kind: OptionKind::AllowOnce,
            description: None,
            effect: None,
            lasts: false,
            elevates: false,
        }
    }

    #[test]
    fn options_are_never_empty_nor_ambiguous() {
        assert_eq!(Options::new(vec![]), Err(OptionsError::Empty));
        assert_eq!(
            Options::new(vec![choice("a"), choice("a")]),
            Err(OptionsError::Duplicate)
        );
        let many = (0..33).map(|n| choice(&n.to_string())).collect();
        assert_eq!(Options::new(many), Err(OptionsError::TooMany));
        // Composed and decomposed forms are different ids.
        assert!(Options::new(vec![choice("é"), choice("e\u{301}"), choice("")]).is_ok());
    }
}
