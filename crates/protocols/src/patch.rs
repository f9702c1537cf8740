//! A git patch as hunks: AIR's `diffPatch` and ACP v2's `patch`. Rows are the agent's own.

use doorward_core::diff::{DiffRow, Hunk};

/// One file of a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    pub old_path: Option<String>,
    pub new_path: Option<String>,
    pub hunks: Vec<Hunk>,
}

/// Reads a patch; `None` when any part of it is not understood, so that nothing is shown half.
pub fn parse(text: &str) -> Option<Vec<Patched>> {
    let mut files: Vec<Patched> = Vec::new();
    let mut old_path = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_prefix("--- ") {
            old_path = Some(path_of(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            files.push(Patched {
                old_path: old_path.take()?,
                new_path: path_of(path),
                hunks: vec![],
            });
        } else if line.starts_with("@@ ") {
            let mut hunk = header(line)?;
            let (mut old, mut new) = (hunk.old_lines, hunk.new_lines);
            while old > 0 || new > 0 {
                let row = lines.next()?;
                let (op, rest) = row.split_at_checked(1).unwrap_or((" ", ""));
                let op = op.chars().next()?;
                match op {
                    ' ' => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                    '-' => old = old.checked_sub(1)?,
                    '+' => new = new.checked_sub(1)?,
                    '\\' => continue,
                    _ => return None,
                }
                hunk.rows.push(DiffRow {
                    op,
                    text: rest.to_owned(),
                    words: vec![],
                });
            }
            files.last_mut()?.hunks.push(hunk);
        } else if line.starts_with("Binary files") || line.starts_with("GIT binary patch") {
            return None;
        }
    }
    (!files.is_empty()).then_some(files)
}

fn path_of(text: &str) -> Option<String> {
    let path = text.split('\t').next().unwrap_or(text);
    (path != "/dev/null").then(|| path.to_owned())
}

fn header(line: &str) -> Option<Hunk> {
    let mut parts = line.split(' ').skip(1);
    let (old_start, old_lines) = range(parts.next()?.strip_prefix('-')?)?;
    let (new_start, new_lines) = range(parts.next()?.strip_prefix('+')?)?;
    Some(Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        rows: vec![],
    })
}

fn range<N: std::str::FromStr + From<u8>>(text: &str) -> Option<(N, N)> {
    match text.split_once(',') {
        Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
        None => Some((text.parse().ok()?, N::from(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_read_whole_or_not_at_all() {
        let patch = "--- /w/a.txt\n+++ /w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n";
        let files = parse(patch).expect("a patch");
        assert_eq!(files[0].hunks[0].rows.len(), 3);
        assert_eq!(parse("--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n"), None);
        assert_eq!(parse("no patch"), None);
    }
}
