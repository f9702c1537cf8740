//! What is cut short at first. The same for every surface, and counted, so that "everything was opened"
//! means the same to the page that draws the folds and to the queue that locks the allow.

use super::FileView;
use serde::Serialize;

/// More lines than this are folded, down to head and tail.
const LINES: usize = 40;
const HEAD_LINES: usize = 12;
const TAIL_LINES: usize = 6;
/// A text without many lines may still be long.
const CHARACTERS: usize = 8_000;
const HEAD_CHARACTERS: usize = 3_000;
const TAIL_CHARACTERS: usize = 1_000;
const ROWS: usize = 400;
const HEAD_ROWS: usize = 120;
const TAIL_ROWS: usize = 60;
/// Beyond this even few rows are too much to lay out at once.
const ROW_CHARACTERS: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Lines,
    Characters,
    Rows,
}

/// One cut: `head` and `tail` units stay in sight. Characters are Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Fold {
    /// `fact`, or `file-N` with the file's place in the list, from 0.
    pub key: String,
    pub unit: Unit,
    pub head: usize,
    pub tail: usize,
    pub hidden_lines: usize,
    pub hidden_characters: usize,
}

pub fn of(fact: Option<&str>, files: &[FileView]) -> Vec<Fold> {
    let of_files = files
        .iter()
        .enumerate()
        .filter_map(|(at, file)| rows(at, file));
    fact.and_then(text).into_iter().chain(of_files).collect()
}

fn text(text: &str) -> Option<Fold> {
    let lines: Vec<&str> = text.split('\n').collect();
    let lengths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
    let all = lengths.iter().sum::<usize>() + lines.len() - 1;
    if lines.len() > LINES {
        let hidden = &lengths[HEAD_LINES..lines.len() - TAIL_LINES];
        let characters = hidden.iter().sum::<usize>() + hidden.len();
        // Folding lines helps only where what stays is short.
        if all - characters <= CHARACTERS {
            return Some(Fold {
                key: "fact".into(),
                unit: Unit::Lines,
                head: HEAD_LINES,
                tail: TAIL_LINES,
                hidden_lines: hidden.len(),
                hidden_characters: characters,
            });
        }
    } else if all <= CHARACTERS {
        return None;
    }
    let hidden_characters = all - HEAD_CHARACTERS - TAIL_CHARACTERS;
    let hidden = text.chars().skip(HEAD_CHARACTERS).take(hidden_characters);
    Some(Fold {
        key: "fact".into(),
        unit: Unit::Characters,
        head: HEAD_CHARACTERS,
        tail: TAIL_CHARACTERS,
        hidden_lines: hidden.filter(|character| *character == '\n').count(),
        hidden_characters,
    })
}

fn rows(at: usize, file: &FileView) -> Option<Fold> {
    let lengths: Vec<usize> = file
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.rows)
        .map(|row| row.text.chars().count())
        .collect();
    let long = lengths.iter().sum::<usize>() > ROW_CHARACTERS;
    let (head, tail) = match (lengths.len() > ROWS, long) {
        (false, false) => return None,
        (true, false) => (HEAD_ROWS, TAIL_ROWS),
        // As many whole rows as half of what may be drawn at once.
        (_, true) => {
            let rows = lengths.iter().take(HEAD_ROWS.min(lengths.len()));
            let mut drawn = 0;
            let fits = |length: &&usize| {
                drawn += **length;
                drawn <= ROW_CHARACTERS / 2
            };
            (rows.take_while(fits).count(), 0)
        }
    };
    let hidden = &lengths[head..lengths.len() - tail];
    Some(Fold {
        key: format!("file-{at}"),
        unit: Unit::Rows,
        head,
        tail,
        hidden_lines: hidden.len(),
        hidden_characters: hidden.iter().sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(text(&"ls\n".repeat(39)), None);
        assert_eq!(text(&"x".repeat(CHARACTERS)), None);
    }

    #[test]
    fn many_lines_keep_head_and_tail() {
        let fold = text(&"ls\n".repeat(99)).expect("a fold");
        assert_eq!((fold.unit, fold.head, fold.tail), (Unit::Lines, 12, 6));
        assert_eq!(fold.hidden_lines, 100 - 12 - 6);
    }

    #[test]
    fn one_long_line_is_folded_by_characters() {
        for long in [
            "é".repeat(9_000),
            format!("{}{}", "y".repeat(9_000), "\n".repeat(60)),
        ] {
            let fold = text(&long).expect("a fold");
            assert_eq!(fold.unit, Unit::Characters);
            let all = fold.head + fold.hidden_characters + fold.tail;
            assert_eq!(all, long.chars().count());
        }
    }

    #[test]
    fn a_file_of_few_but_endless_rows_is_folded() {
        let row = |text: String| crate::diff::DiffRow {
            op: '+',
            text,
            words: vec![],
        };
        let file = |rows: Vec<crate::diff::DiffRow>| FileView {
            path: "a".into(),
            moved_from: None,
            status: "added",
            hunks: vec![crate::diff::Hunk {
                old_start: 0,
                old_lines: 0,
                new_start: 1,
                new_lines: rows.len(),
                rows,
            }],
            note: None,
        };
        assert_eq!(rows(0, &file(vec![row("short".into()); 400])), None);
        let fold = rows(2, &file(vec![row("x".repeat(60_000)); 3])).expect("a fold");
        assert_eq!(
            (fold.key.as_str(), fold.head, fold.hidden_lines),
            ("file-2", 0, 3)
        );
        let fold = rows(0, &file(vec![row("short".into()); 401])).expect("a fold");
        assert_eq!((fold.head, fold.tail, fold.hidden_lines), (120, 60, 221));
    }
}
