//! Which lines stay, within a budget of comparisons.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Line pairs compared in one stretch at most, and in all.
const STRETCH: usize = 4_000_000;
const BUDGET: usize = 40_000_000;

/// Lines with their terminators, which are `\n`, `\r\n` or a lone `\r`.
pub(super) fn split(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if ends {
            lines.push(&text[start..=at]);
            start = at + 1;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

pub(super) fn ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let (old_ids, new_ids) = number(old, new);
    let mut pairs = Pairs {
        old: &old_ids,
        new: &new_ids,
        budget: BUDGET,
        found: Vec::new(),
    };
    pairs.between(true, 0..old.len(), 0..new.len());
    assemble(&pairs.found, old.len(), new.len())
}

/// Equal lines get equal numbers, so that comparing them costs the same whatever they hold.
fn number<'a>(old: &[&'a str], new: &[&'a str]) -> (Vec<usize>, Vec<usize>) {
    let mut known = HashMap::new();
    let mut ids = |lines: &[&'a str]| {
        let id = |line: &&'a str| {
            let next = known.len();
            *known.entry(*line).or_insert(next)
        };
        lines.iter().map(id).collect::<Vec<_>>()
    };
    (ids(old), ids(new))
}

struct Pairs<'a> {
    old: &'a [usize],
    new: &'a [usize],
    budget: usize,
    /// Index in old and new of each line that stays, ascending in both.
    found: Vec<(usize, usize)>,
}

impl Pairs<'_> {
    /// What lies between anchors looks for none of its own, so the recursion ends there.
    fn between(&mut self, deep: bool, old: Range<usize>, new: Range<usize>) {
        let (mut o, mut oe, mut n, mut ne) = (old.start, old.end, new.start, new.end);
        while o < oe && n < ne && self.old[o] == self.new[n] {
            self.found.push((o, n));
            (o, n) = (o + 1, n + 1);
        }
        let mut tail = 0;
        while o < oe && n < ne && self.old[oe - 1] == self.new[ne - 1] {
            (oe, ne, tail) = (oe - 1, ne - 1, tail + 1);
        }
        let cost = (oe - o).saturating_mul(ne - n);
        if cost <= STRETCH && cost <= self.budget {
            self.budget -= cost;
            self.compare(o, n, oe, ne);
        } else if cost > STRETCH && deep {
            let anchors = self.anchors(o, n, oe, ne);
            let (mut from, mut to) = (o, n);
            if !anchors.is_empty() {
                for (a, b) in anchors.into_iter().chain([(oe, ne)]) {
                    self.between(false, from..a, to..b);
                    if a < oe {
                        self.found.push((a, b));
                    }
                    (from, to) = (a + 1, b + 1);
                }
            }
        }
        self.found.extend((0..tail).map(|i| (oe + i, ne + i)));
    }

    fn compare(&mut self, o: usize, n: usize, oe: usize, ne: usize) {
        if o == oe || n == ne {
            return;
        }
        for op in capture_diff_slices(Algorithm::Myers, &self.old[o..oe], &self.new[n..ne]) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                let pair = |i| (o + old_index + i, n + new_index + i);
                self.found.extend((0..len).map(pair));
            }
        }
    }

    /// The longest ascending chain of lines that occur once on each side.
    fn anchors(&self, o: usize, n: usize, oe: usize, ne: usize) -> Vec<(usize, usize)> {
        // Count and place of each line, old and new.
        let mut seen: HashMap<usize, (usize, usize, usize)> = HashMap::new();
        for id in &self.old[o..oe] {
            seen.entry(*id).or_default().0 += 1;
        }
        for (at, id) in (n..).zip(&self.new[n..ne]) {
            let entry = seen.entry(*id).or_default();
            (entry.1, entry.2) = (entry.1 + 1, at);
        }
        let unique: Vec<(usize, usize)> = (o..oe)
            .filter_map(|at| match seen.get(&self.old[at]) {
                Some((1, 1, place)) => Some((at, *place)),
                _ => None,
            })
            .collect();
        // Patience: the top of each pile, and for each card the one under it on the pile before.
        let mut piles: Vec<usize> = Vec::new();
        let mut under: Vec<Option<usize>> = Vec::with_capacity(unique.len());
        for (card, (_, place)) in unique.iter().enumerate() {
            let pile = piles.partition_point(|top| unique[*top].1 < *place);
            under.push(pile.checked_sub(1).map(|before| piles[before]));
            match piles.get_mut(pile) {
                Some(top) => *top = card,
                None => piles.push(card),
            }
        }
        let mut chain = Vec::with_capacity(piles.len());
        let mut card = piles.last().copied();
        while let Some(at) = card {
            chain.push(unique[at]);
            card = under[at];
        }
        chain.reverse();
        chain
    }
}

fn assemble(pairs: &[(usize, usize)], old_len: usize, new_len: usize) -> Vec<DiffOp> {
    let mut ops = Vec::new();
    let (mut o, mut n) = (0, 0);
    for (a, b) in pairs.iter().copied().chain([(old_len, new_len)]) {
        let (old_index, old_len_here, new_index, new_len_here) = (o, a - o, n, b - n);
        match (old_len_here, new_len_here) {
            (0, 0) => {}
            (old_len, 0) => ops.push(DiffOp::Delete {
                old_index,
                old_len,
                new_index,
            }),
            (0, new_len) => ops.push(DiffOp::Insert {
                old_index,
                new_index,
                new_len,
            }),
            (old_len, new_len) => ops.push(DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            }),
        }
        if a < old_len {
            match ops.last_mut() {
                Some(DiffOp::Equal { len, .. }) => *len += 1,
                _ => ops.push(DiffOp::Equal {
                    old_index: a,
                    new_index: b,
                    len: 1,
                }),
            }
        }
        (o, n) = (a + 1, b + 1);
    }
    ops
}
