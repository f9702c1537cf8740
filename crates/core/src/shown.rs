//! What a person is shown of a request, made once a revision: diffs and marks are not free.

mod ends;
mod folds;

pub use folds::{Fold, Unit};

use crate::diff::{self, Hunk};
use crate::marks;
use crate::request::*;
use crate::visible::visible;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct FileView {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    #[cfg_attr(
        feature = "ts",
        ts(type = "\"added\" | \"modified\" | \"deleted\" | \"moved\" | \"snippet\"")
    )]
    pub status: &'static str,
    pub hunks: Vec<Hunk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub files: Vec<FileView>,
    pub marks: Vec<&'static str>,
    /// The machine's fact as text; none where files or a plan are the fact.
    pub fact: Option<String>,
    /// What a surface cuts short at first. An allow is locked until each was opened.
    pub folds: Vec<Fold>,
}

impl Shown {
    /// Whether one key, tray, notification and rules stay off.
    pub fn marked(&self) -> bool {
        self.marks
            .iter()
            .any(|mark| marks::keeps_fast_paths_off(mark))
    }
}

/// A request together with what is shown of it; the two never come apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    request: PermissionRequest,
    shown: Shown,
}

impl Prepared {
    pub fn new(request: PermissionRequest) -> Self {
        let files: Vec<_> = request.files.iter().map(file).collect();
        let fact = fact(&request);
        let folds = folds::of(fact.as_deref(), &files);
        let marks = marks::of(&request);
        let shown = Shown {
            files,
            marks,
            fact,
            folds,
        };
        Self { request, shown }
    }

    pub fn request(&self) -> &PermissionRequest {
        &self.request
    }

    pub fn into_parts(self) -> (PermissionRequest, Shown) {
        (self.request, self.shown)
    }
}

/// The command, or the input as it came where there is nothing better.
fn fact(request: &PermissionRequest) -> Option<String> {
    let call = &request.tool_call;
    if let Some(command) = call
        .command
        .as_deref()
        .filter(|line| !line.trim().is_empty())
    {
        return Some(show(command));
    }
    if !request.files.is_empty() || request.plan.is_some() {
        return None;
    }
    match &call.raw_input {
        None | Some(Value::Null) => Some(show(&call.title)),
        Some(Value::String(text)) => Some(show(text)),
        Some(input) if only_path(input, &call.locations) => {
            call.locations.first().map(|location| show(&location.path))
        }
        Some(value) => serde_json::to_string_pretty(&shown_value(value)).ok(),
    }
}

/// An input that is one path needs no JSON around it.
fn only_path(input: &Value, locations: &[Location]) -> bool {
    let [location] = locations else { return false };
    input
        .as_object()
        .filter(|members| members.len() == 1)
        .and_then(|members| members.values().next())
        .is_some_and(|value| value.as_str() == Some(&location.path))
}

/// Made visible string by string: the indentation is ours and stays.
fn shown_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(show(text)),
        Value::Array(items) => items.iter().map(shown_value).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (show(key), shown_value(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn file(file: &FileChange) -> FileView {
    let (status, hunks, ends) = match &file.change {
        Change::Whole {
            before: Before::Text(old),
            after,
        } => (
            "modified",
            diff::unified(old, after),
            ends::words(old, after, true),
        ),
        Change::Whole {
            before: Before::NotSent | Before::Absent,
            after,
        } => ("added", diff::unified("", after), None),
        Change::Snippet { before, after } => (
            "snippet",
            diff::unified(before, after),
            ends::words(before, after, false),
        ),
        Change::Deleted { before } => ("deleted", diff::unified(before, ""), None),
        Change::Patch(hunks) => ("modified", hunks.clone(), None),
    };
    let status = if file.moved_from.is_some() {
        "moved"
    } else {
        status
    };
    let notes: Vec<_> = file.note.iter().cloned().chain(ends).collect();
    FileView {
        path: show(&file.path),
        moved_from: file.moved_from.as_deref().map(show),
        status,
        hunks: hunks.into_iter().map(shown_hunk).collect(),
        note: (!notes.is_empty()).then(|| notes.join(" ")),
    }
}

/// Word ranges count characters of the raw row: a row that `visible()` changed loses its emphasis.
fn shown_hunk(mut hunk: Hunk) -> Hunk {
    for row in &mut hunk.rows {
        let text = show(&row.text);
        if text != row.text {
            row.words.clear();
            row.text = text;
        }
    }
    hunk
}

pub(crate) fn show(text: &str) -> String {
    visible(text).text
}
