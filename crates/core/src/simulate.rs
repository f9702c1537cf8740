//! What a tool would make of a file: the bytes after it, from the bytes before.
//!
//! A tool does not write what it was told letter for letter. Claude Code's Edit reads a file without its
//! byte-order mark and with LF, replaces, and writes every line with the ending that the beginning of the
//! file has most; its Write keeps the mark and nothing else. What is shown and what is amended goes through
//! here, so that both are what will stand on disk. Facts: measured with Claude Code 2.1.328, byte by byte.

mod amend;
mod text;

use std::hash::{Hash as _, Hasher as _};

pub use amend::{CannotSend, amend};
use text::Ending;
pub use text::Text;

/// How a source's tools treat a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Nothing is known: a text is replaced where it stands once, all else stays byte for byte.
    Unknown,
    Claude,
}

/// One replacement. `all` replaces every occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Replace {
    pub before: String,
    pub after: String,
    pub all: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    Write(String),
    /// One after another, each on what the last one left.
    Edit(Vec<Replace>),
}

impl Operation {
    /// Tells operations apart without keeping their texts.
    pub fn digest(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Why the outcome cannot be told. In the words of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsure {
    #[error("The file is not there.")]
    Missing,
    #[error("The file is there already; this edit would make a new one.")]
    Exists,
    #[error("The file on disk is not text in UTF-8 or UTF-16.")]
    NotText,
    #[error("The text to replace is not in the file.")]
    NotFound,
    #[error("The text to replace is in the file {0} times.")]
    Ambiguous(usize),
    #[error("The text is in the file only with other quotation marks.")]
    Quotes,
}

/// The bytes after the operation. `before` is none for a file that does not exist.
///
/// # Errors
/// When the tool would refuse, or when what it does is not known.
pub fn apply(tool: Tool, before: Option<&[u8]>, operation: &Operation) -> Result<Vec<u8>, Unsure> {
    match (operation, before) {
        (Operation::Write(content), None) => Ok(content.clone().into_bytes()),
        (Operation::Write(content), Some(bytes)) => match tool {
            Tool::Unknown => Ok(content.clone().into_bytes()),
            Tool::Claude => Ok(Text::read(bytes)?.with(content.clone()).bytes()),
        },
        (Operation::Edit(edits), None) => match edits.as_slice() {
            [only] if only.before.is_empty() => Ok(only.after.clone().into_bytes()),
            _ => Err(Unsure::Missing),
        },
        (Operation::Edit(edits), Some(bytes)) => match tool {
            Tool::Unknown => exact(bytes, edits),
            Tool::Claude => claude(bytes, edits),
        },
    }
}

fn exact(bytes: &[u8], edits: &[Replace]) -> Result<Vec<u8>, Unsure> {
    let mut text = String::from_utf8(bytes.to_vec()).map_err(|_| Unsure::NotText)?;
    for edit in edits {
        text = once_or_all(&text, &edit.before, &edit.after, edit.all)?;
    }
    Ok(text.into_bytes())
}

fn claude(bytes: &[u8], edits: &[Replace]) -> Result<Vec<u8>, Unsure> {
    let file = Text::read(bytes)?;
    let ending = Ending::of(file.text());
    let mut text = as_read(&file);
    for edit in edits {
        if edit.before.is_empty() {
            if !text.is_empty() {
                return Err(Unsure::Exists);
            }
            text = edit.after.clone();
            continue;
        }
        // Where a line's text is removed, its newline goes with it.
        let line = format!("{}\n", edit.before);
        let whole_line =
            edit.after.is_empty() && !edit.before.ends_with('\n') && text.contains(&line);
        let sought = if whole_line { &line } else { &edit.before };
        if !text.contains(sought.as_str()) && straight(&text).contains(&straight(sought)) {
            return Err(Unsure::Quotes);
        }
        // Whether it is ambiguous is told by the text that was asked for.
        let found = text.matches(edit.before.as_str()).count();
        if found > 1 && !edit.all {
            return Err(Unsure::Ambiguous(found));
        }
        text = once_or_all(&text, sought, &edit.after, true)?;
    }
    let text = match ending {
        Ending::Lf => text,
        Ending::Crlf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
    };
    Ok(file.with(text).bytes())
}

/// The text as Claude's tools see it: no byte-order mark, LF.
pub fn as_read(file: &Text) -> String {
    file.text().replace("\r\n", "\n")
}

fn once_or_all(text: &str, before: &str, after: &str, all: bool) -> Result<String, Unsure> {
    match text.matches(before).count() {
        0 => Err(Unsure::NotFound),
        1 => Ok(text.replacen(before, after, 1)),
        _ if all => Ok(text.replace(before, after)),
        many => Err(Unsure::Ambiguous(many)),
    }
}

fn straight(text: &str) -> String {
    text.replace(['\u{2018}', '\u{2019}'], "'")
        .replace(['\u{201c}', '\u{201d}'], "\"")
}

#[cfg(test)]
mod tests;
