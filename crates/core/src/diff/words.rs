//! Which words of a replaced line differ.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Word pairs compared per file and per line.
pub(super) const BUDGET: usize = 10_000_000;
const LINE: usize = 250_000;

type Ranges = Vec<(u32, u32)>;

/// Character ranges that differ. None if the lines have little in common, where emphasis would only be noise.
pub(super) fn changed(old: &str, new: &str, budget: &mut usize) -> (Ranges, Ranges) {
    let none = (Vec::new(), Vec::new());
    let (a, b) = (tokens(old), tokens(new));
    let cost = a.len().saturating_mul(b.len());
    if cost == 0 || cost > LINE || cost > *budget || old == new {
        return none;
    }
    *budget -= cost;
    let ops = capture_diff_slices(Algorithm::Myers, &a, &b);
    let mut same = 0;
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for op in &ops {
        if let DiffOp::Equal { old_index, len, .. } = op {
            let kept = a[*old_index..old_index + len].iter();
            same += kept.map(|word| word.trim().len()).sum::<usize>();
        } else {
            mark(&mut gone, &a, op.old_range());
            mark(&mut come, &b, op.new_range());
        }
    }
    if same * 3 < old.trim().len().max(new.trim().len()) {
        return none;
    }
    (gone, come)
}

/// Words, runs of blanks, and every other character alone.
fn tokens(line: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in line.char_indices() {
        let now = kind(c);
        if at > start && (now == 0 || before != Some(now)) {
            out.push(&line[start..at]);
            start = at;
        }
        before = Some(now);
    }
    if start < line.len() {
        out.push(&line[start..]);
    }
    out
}

fn mark(ranges: &mut Ranges, tokens: &[&str], which: std::ops::Range<usize>) {
    let chars = |tokens: &[&str]| {
        let count = tokens
            .iter()
            .map(|token| token.chars().count())
            .sum::<usize>();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let start = chars(&tokens[..which.start]);
    let end = start + chars(&tokens[which]);
    if start < end {
        ranges.push((start, end));
    }
}
