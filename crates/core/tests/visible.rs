//! Nothing hides in what `visible` returns, nothing is lost in it, and doing it twice changes nothing.

use doorward_core::visible::visible;
use proptest::prelude::*;
use unicode_general_category::{GeneralCategory as G, get_general_category};

fn hides(c: char) -> bool {
    let plain = matches!(c, '\n' | '\t' | ' ');
    !plain
        && matches!(
            get_general_category(c),
            G::Control
                | G::Format
                | G::PrivateUse
                | G::Unassigned
                | G::LineSeparator
                | G::ParagraphSeparator
                | G::SpaceSeparator
        )
}

/// Characters that are looked for more often than chance would bring them.
const ODD: &[char] = &[
    ' ',
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\u{1b}',
    '\u{7}',
    '\u{8}',
    '\u{7f}',
    '\u{85}',
    '\u{9b}',
    '\u{a0}',
    '\u{ad}',
    '\u{300}',
    '\u{301}',
    '\u{489}',
    '\u{61c}',
    '\u{115f}',
    '\u{200b}',
    '\u{200d}',
    '\u{200e}',
    '\u{202e}',
    '\u{2028}',
    '\u{2029}',
    '\u{2066}',
    '\u{2069}',
    '\u{2800}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{e0041}',
    '\u{e000}',
    '\u{10ffff}',
    '[',
    ']',
    'U',
    '+',
    '漢',
    'é',
    '🦀',
    'a',
    'b',
];

fn text() -> impl Strategy<Value = String> {
    let odd = proptest::sample::select(ODD);
    let run = (
        prop_oneof![odd, any::<char>()],
        prop_oneof![6 => 1..4usize, 1 => 4..60usize],
    );
    let runs = prop::collection::vec(run, 0..30);
    runs.prop_map(|runs| {
        runs.iter()
            .flat_map(|(c, count)| std::iter::repeat_n(*c, *count))
            .collect()
    })
}

/// The raw text again, from a text in which nothing was counted.
fn unescaped(shown: &str) -> String {
    let mut out = String::new();
    let mut rest = shown;
    while let Some(at) = rest.find("[U+") {
        out.push_str(&rest[..at]);
        let (code, after) = rest[at + 3..].split_once(']').expect("an escape ends");
        let c = u32::from_str_radix(code, 16)
            .ok()
            .and_then(char::from_u32)
            .expect("a character");
        out.push(c);
        // A break is shown as one, too, after the last one of a run.
        let escape = format!("[U+{code}]");
        let breaks = matches!(
            c,
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        rest = if breaks && !after.starts_with(&escape) {
            after.strip_prefix('\n').expect("a break is visible")
        } else {
            after
        };
    }
    out + rest
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
    #![proptest_config(cases(1500))]

    #[test]
    fn nothing_hides_and_twice_is_once(raw in text()) {
        let seen = visible(&raw);
        prop_assert_eq!(seen.text.chars().find(|c| hides(*c)), None);
        let again = visible(&seen.text);
        prop_assert_eq!(&again.text, &seen.text);
        prop_assert_eq!(again.hidden, 0);
        // Only a line's end may differ without being counted.
        prop_assert!(seen.hidden > 0 || seen.text == raw.replace("\r\n", "\n"));
    }

    #[test]
    fn nothing_is_lost(raw in prop::collection::vec(prop_oneof![proptest::sample::select(ODD), any::<char>()], 0..40)) {
        let text: String = raw.iter().filter(|c| !matches!(c, '[' | ']')).collect();
        let shown = visible(&text).text;
        let counted = ["spaces]", "tabs]", "blanks]", "marks]", "lines]"].iter().any(|count| shown.contains(count)) || shown.contains(" U+");
        prop_assume!(!counted && !text.contains("\r\n"));
        prop_assert_eq!(unescaped(&shown), text);
    }
}
