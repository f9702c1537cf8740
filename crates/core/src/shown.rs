//! What a person is shown of a request, made once a revision: diffs and marks are not free.

mod ends;
mod folds;

pub use folds::{Fold, Unit};

use crate::diff::{self, Hunk};
use crate::marks;
use crate::request::*;
use crate::simulate::{self, Operation, Replace, Text, Tool, Unsure};
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

impl FileView {
    /// The person's version, as a change of the file on disk.
    pub(crate) fn of_version(file: &FileChange, version: &[u8]) -> Self {
        let found = file.found.as_ref().unwrap_or(&Found::Absent);
        let sides = Text::read(version)
            .and_then(|after| between(found, &after))
            .unwrap_or_else(|unsure| Sides {
                status: "modified",
                hunks: vec![],
                said: vec![unsure.to_string()],
            });
        Self::new(file, sides)
    }

    fn new(file: &FileChange, sides: Sides) -> Self {
        let status = if file.moved_from.is_some() {
            "moved"
        } else {
            sides.status
        };
        let notes: Vec<_> = file.note.iter().cloned().chain(sides.said).collect();
        Self {
            path: show(&file.path),
            moved_from: file.moved_from.as_deref().map(show),
            status,
            hunks: sides.hunks.into_iter().map(shown_hunk).collect(),
            note: (!notes.is_empty()).then(|| notes.join(" ")),
        }
    }
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
        let files: Vec<_> = request
            .files
            .iter()
            .map(|file| FileView::new(file, sides(file)))
            .collect();
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
    if !request.files.is_empty() || request.plan.is_some() || request.question.is_some() {
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

struct Sides {
    status: &'static str,
    hunks: Vec<Hunk>,
    said: Vec<String>,
}

impl Sides {
    fn new(status: &'static str, hunks: Vec<Hunk>) -> Self {
        Self {
            status,
            hunks,
            said: vec![],
        }
    }

    fn whole(before: Option<&str>, after: &str) -> Self {
        let Some(before) = before else {
            let said = ends::of_new(after).into_iter().collect();
            return Self {
                status: "added",
                hunks: diff::unified("", after),
                said,
            };
        };
        Self {
            status: "modified",
            hunks: diff::unified(before, after),
            said: ends::words(before, after),
        }
    }
}

fn sides(file: &FileChange) -> Sides {
    match &file.change {
        Change::Whole { before, after } => sent(file, before.as_deref(), after),
        Change::Deleted { before } => Sides::new("deleted", diff::unified(before, "")),
        Change::Patch(hunks) => Sides::new("modified", hunks.clone()),
        Change::Operation(operation) => match &file.found {
            None => as_sent(operation),
            Some(found) => simulated(file.tool, operation, found).unwrap_or_else(|unsure| {
                let mut sent = as_sent(operation);
                sent.said.push(format!("{unsure} Shown as sent."));
                sent
            }),
        },
    }
}

/// ACP does not tell whether its two texts are the file or a part of it: the file on disk does.
fn sent(file: &FileChange, before: Option<&str>, after: &str) -> Sides {
    let (Some(before), Some(Found::Bytes(bytes))) = (before, &file.found) else {
        let new = before.is_some_and(str::is_empty) && file.found == Some(Found::Absent);
        return Sides::whole(before.filter(|_| !new), after);
    };
    let Ok(disk) = Text::read(bytes) else {
        return Sides::whole(Some(before), after);
    };
    if disk.text() == before {
        return Sides::whole(Some(before), after);
    }
    let part = Operation::Edit(vec![Replace {
        before: before.to_owned(),
        after: after.to_owned(),
        all: false,
    }]);
    let found = Found::Bytes(bytes.clone());
    if let (false, Ok(sides)) = (before.is_empty(), simulated(Tool::Unknown, &part, &found)) {
        return sides;
    }
    let mut sides = Sides::whole(Some(before), after);
    let said =
        "The file on disk is not the text that the agent sent as the one before. Shown as sent.";
    sides.said.push(said.to_owned());
    sides
}

/// The file before and after, as it will stand on disk.
fn simulated(tool: Tool, operation: &Operation, found: &Found) -> Result<Sides, Unsure> {
    let bytes = match found {
        Found::Absent => None,
        Found::Bytes(bytes) => Some(&bytes[..]),
    };
    between(
        found,
        &Text::read(&simulate::apply(tool, bytes, operation)?)?,
    )
}

fn between(found: &Found, after: &Text) -> Result<Sides, Unsure> {
    let Found::Bytes(bytes) = found else {
        return Ok(Sides::whole(None, after.text()));
    };
    let before = Text::read(bytes)?;
    let mut sides = Sides::whole(Some(before.text()), after.text());
    if let Some(change) = before.change_to(after) {
        sides.said.push(change.to_owned());
    }
    Ok(sides)
}

fn as_sent(operation: &Operation) -> Sides {
    match operation {
        Operation::Write(content) => Sides::whole(None, content),
        Operation::Edit(edits) => {
            let hunks = edits
                .iter()
                .flat_map(|edit| diff::unified(&edit.before, &edit.after))
                .collect();
            Sides::new("snippet", hunks)
        }
    }
}

/// Word ranges count characters of the raw row: a row that `visible()` changed loses its emphasis.
pub(crate) fn shown_hunk(mut hunk: Hunk) -> Hunk {
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

#[cfg(test)]
mod tests;
