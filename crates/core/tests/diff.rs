//! A diff put together again gives both sides.

use doorward_core::diff::{Hunk, unified};
use proptest::prelude::*;

/// Lines without their terminators: line feed, carriage return, or both.
fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// One side of the hunks, laid over the other side's lines.
fn other_side(from: &[String], hunks: &[Hunk], forward: bool) -> Vec<String> {
    let (gone, come) = if forward { ('-', '+') } else { ('+', '-') };
    let mut out = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        let (start, count) = if forward {
            (hunk.old_start, hunk.old_lines)
        } else {
            (hunk.new_start, hunk.new_lines)
        };
        let start = if count == 0 { start } else { start - 1 };
        out.extend_from_slice(&from[at..start]);
        let mut taken = from[start..start + count].iter();
        for row in &hunk.rows {
            if row.op != come {
                assert_eq!(
                    taken.next(),
                    Some(&row.text),
                    "a row says what the line says"
                );
            }
            if row.op != gone {
                out.push(row.text.clone());
            }
        }
        assert_eq!(taken.next(), None, "the header counts its rows");
        at = start + count;
    }
    out.extend_from_slice(&from[at..]);
    out
}

/// Everything that must hold for two texts.
fn check(old: &str, new: &str) {
    let hunks = unified(old, new);
    let (before, after) = (lines(old), lines(new));
    assert_eq!(other_side(&before, &hunks, true), after);
    assert_eq!(other_side(&after, &hunks, false), before);
    assert_eq!(
        hunks.is_empty(),
        old == new,
        "what differs is shown, be it a line's end"
    );
    let mut last = 0;
    for hunk in &hunks {
        assert!(
            hunk.rows.iter().any(|row| row.op != ' '),
            "a hunk changes something"
        );
        let context =
            |rows: &mut dyn Iterator<Item = char>| rows.take_while(|op| *op == ' ').count();
        assert!(context(&mut hunk.rows.iter().map(|row| row.op)) <= 3);
        assert!(context(&mut hunk.rows.iter().rev().map(|row| row.op)) <= 3);
        assert!(hunk.old_start >= last, "hunks are in order and apart");
        last = hunk.old_start + hunk.old_lines;
        for row in &hunk.rows {
            words(row.text.chars().count(), &row.words);
        }
    }
    assert_eq!(hunks, unified(old, new), "the same again");
}

/// Ranges lie inside the row, in order, and none is empty.
fn words(length: usize, ranges: &[(u32, u32)]) {
    let mut end = 0;
    for (from, to) in ranges {
        assert!(
            from < to && *from >= end && *to as usize <= length,
            "{ranges:?} of {length}"
        );
        end = *to;
    }
}

/// Few different lines, so that texts have much in common; every kind of line end.
fn text(most: usize) -> impl Strategy<Value = String> {
    let bodies = vec![
        "", "a", "b", "a b", "  a", "naïve", "漢字", "e\u{301}", "🦀", "\u{2028}", "\t", "}",
    ];
    let ends = prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")];
    let line =
        (proptest::sample::select(bodies), ends).prop_map(|(body, end)| format!("{body}{end}"));
    let last = proptest::sample::select(vec!["", "", "x", "é", "}"]);
    (prop::collection::vec(line, 0..most), last).prop_map(|(lines, last)| lines.concat() + last)
}

/// How many cases; `PROPTEST_CASES` asks for more.
fn cases(least: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    let wanted = std::env::var_os("PROPTEST_CASES").map_or(least, |_| asked.cases);
    ProptestConfig {
        cases: wanted.max(least),
        failure_persistence: None,
        ..asked
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn two_texts_with_much_in_common(old in text(30), new in text(30)) {
        check(&old, &new);
    }

    #[test]
    fn a_text_and_an_edit_of_it(old in text(60), at in any::<prop::sample::Index>(), cut in 0..8usize, put in text(4)) {
        let mut new: Vec<char> = old.chars().collect();
        let at = at.index(new.len() + 1);
        let until = (at + cut).min(new.len());
        new.splice(at..until, put.chars());
        check(&old, &new.into_iter().collect::<String>());
    }

    #[test]
    fn any_two_texts(old in any::<String>(), new in any::<String>()) {
        check(&old, &new);
    }

    #[test]
    fn the_end_of_the_last_line(text in text(6)) {
        for (old, new) in [(text.clone(), text.clone() + "\n"), (text.clone() + "\r\n", text.clone() + "\n"), (String::new(), text.clone())] {
            check(&old, &new);
            check(&new, &old);
        }
    }
}

proptest! {
    #![proptest_config(cases(4))]

    /// So large that the work is cut short.
    #[test]
    fn large_texts(seed in prop::collection::vec(0..3000u32, 3000..4000), other in prop::collection::vec(0..3000u32, 3000..4000)) {
        let text = |numbers: &[u32]| numbers.iter().map(|number| format!("line {number}\n")).collect::<String>();
        check(&text(&seed), &text(&other));
    }
}
