//! Line diffs for review.
//!
//! The work is bounded by counting, not by a clock, so that the same two files always look the same. Lines that
//! occur once on both sides anchor a large file; what lies between anchors is compared in full while the budget
//! lasts and shown as replaced after that. Texts are raw, without line terminators: making them visible is the
//! caller's part, and so is saying that only line endings changed.

use std::ops::Range;

use serde::Serialize;
use similar::{DiffOp, group_diff_ops};

mod lines;
mod words;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// Changes that lie together. Line numbers count from 1; a side without lines starts at 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    pub rows: Vec<DiffRow>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DiffRow {
    /// `' '`, `'-'` or `'+'`.
    #[cfg_attr(feature = "ts", ts(type = "\" \" | \"-\" | \"+\""))]
    pub op: char,
    pub text: String,
    /// Ranges of characters that differ from the line's counterpart, in Unicode scalar values of `text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<(u32, u32)>>"))]
    pub words: Vec<(u32, u32)>,
}

/// The hunks that turn `old` into `new`; none if they are equal.
#[must_use]
pub fn unified(old: &str, new: &str) -> Vec<Hunk> {
    let old = lines::split(old);
    let new = lines::split(new);
    let mut budget = words::BUDGET;
    group_diff_ops(lines::ops(&old, &new), CONTEXT)
        .iter()
        .filter(|group| group.iter().any(|op| !matches!(op, DiffOp::Equal { .. })))
        .map(|group| hunk(group, &old, &new, &mut budget))
        .collect()
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str], budget: &mut usize) -> Hunk {
    let mut rows = Vec::new();
    for op in group {
        match *op {
            DiffOp::Equal { old_index, len, .. } => {
                push(&mut rows, ' ', &old[old_index..old_index + len]);
            }
            DiffOp::Delete {
                old_index, old_len, ..
            } => push(&mut rows, '-', &old[old_index..old_index + old_len]),
            DiffOp::Insert {
                new_index, new_len, ..
            } => push(&mut rows, '+', &new[new_index..new_index + new_len]),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => {
                let first = rows.len();
                push(&mut rows, '-', &old[old_index..old_index + old_len]);
                push(&mut rows, '+', &new[new_index..new_index + new_len]);
                let (gone, come) = rows[first..].split_at_mut(old_len);
                for (gone, come) in gone.iter_mut().zip(come) {
                    (gone.words, come.words) = words::changed(&gone.text, &come.text, budget);
                }
            }
        }
    }
    let span = |range: fn(&DiffOp) -> Range<usize>| {
        let start = group.first().map_or(0, |op| range(op).start);
        let lines = group.last().map_or(0, |op| range(op).end) - start;
        (if lines == 0 { start } else { start + 1 }, lines)
    };
    let (old_start, old_lines) = span(DiffOp::old_range);
    let (new_start, new_lines) = span(DiffOp::new_range);
    Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        rows,
    }
}

fn push(rows: &mut Vec<DiffRow>, op: char, lines: &[&str]) {
    rows.extend(lines.iter().map(|line| DiffRow {
        op,
        text: line.trim_end_matches(['\r', '\n']).to_owned(),
        words: Vec::new(),
    }));
}

#[cfg(test)]
mod tests;
