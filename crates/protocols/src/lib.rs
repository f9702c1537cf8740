//! Each agent's wire format, to and from the domain. Pure: one file per protocol.
//!
//! Raw before typed: views are built from a lenient `Value`; what cannot be understood is counted, and
//! replies are built from the offered options only.

pub mod acp;
pub mod claude_hook;
pub mod elicitation;
pub mod patch;
pub mod tool_calls;

use doorward_core::question;
use doorward_core::request::{
    Agent, Carried, Choice, OptionKind, Options, Origin, PermissionRequest,
};
use serde_json::Value;

/// What the connection told about itself before it asked.
#[derive(Debug, Clone)]
pub struct Context {
    pub agent: Option<Agent>,
    pub cwd: Option<String>,
    pub origin: Origin,
    pub terminal: Option<String>,
    /// How long an answer is waited for, in milliseconds.
    pub patience: Option<u64>,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            agent: None,
            cwd: None,
            origin: Origin::Local,
            terminal: None,
            patience: None,
        }
    }
}

/// Why params are refused (JSON-RPC -32602). Names the member, never its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

/// How a decision is written for the one who asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Acp,
    Elicitation,
    ClaudeHook(Box<claude_hook::Ask>),
}

impl Reply {
    /// The JSON-RPC result for an option that was offered in this request.
    pub fn selected(&self, option: &str, carried: &Carried) -> Option<Value> {
        match self {
            Self::Acp => Some(acp::selected(option)),
            Self::Elicitation => elicitation::selected(option, carried),
            Self::ClaudeHook(ask) => ask.selected(option, carried),
        }
    }

    /// The result after the asker cancelled, where its protocol wants one.
    pub fn cancelled(&self) -> Option<Value> {
        match self {
            Self::Acp => Some(acp::cancelled()),
            Self::Elicitation => Some(elicitation::cancelled()),
            Self::ClaudeHook(_) => None,
        }
    }
}

/// A request and the way back to its asker.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    pub request: PermissionRequest,
    pub reply: Reply,
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The options of a question. An answer carries what was filled in; nothing else is decided by it.
fn question_options() -> Options {
    let choice = |id: &str, name: &str, kind, effect: &str| Choice {
        id: id.into(),
        name: name.into(),
        kind,
        description: None,
        effect: Some(effect.to_owned()),
        lasts: false,
        elevates: false,
    };
    let answer = "Sends what is filled in.";
    Options::new(vec![
        choice(question::ANSWER, "Answer", OptionKind::AllowOnce, answer),
        choice(
            question::DECLINE,
            "Decline",
            OptionKind::RejectOnce,
            "The turn goes on.",
        ),
    ])
    .expect("two different ids")
}

/// A text with something in it; blank titles say nothing.
fn said<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    text(value, key).filter(|text| !text.trim().is_empty())
}
