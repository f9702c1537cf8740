//! Turns untrusted text into text that shows all of itself.
//!
//! Controls, bidi overrides, invisible letters and odd blanks can make a command read as another one, and padding
//! can push its end off the screen. Each such character becomes an escape like `[U+202E]`, long runs become a
//! count, and the number of changes tells the surface that the text was not plain.

use unicode_general_category::{GeneralCategory as G, get_general_category};

/// Blanks in a row that stay as they are.
const BLANKS: usize = 8;
/// Indentation in columns that stays as it is.
const INDENT: usize = 40;
/// Blank lines in a row that stay.
const BLANK_LINES: usize = 3;
/// Combining marks on one letter that stay.
const MARKS: usize = 4;

/// Text fit for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// The text; the only controls in it are newline and tab.
    pub text: String,
    /// How many escapes and counts it holds that stand for other text.
    pub hidden: u32,
}

/// Makes every character of the text visible.
#[must_use]
pub fn visible(raw: &str) -> Visible {
    let mut hidden = 0;
    let escaped = escape(raw, &mut hidden);
    let text = collapse(&escaped, &mut hidden);
    Visible { text, hidden }
}

fn escape(raw: &str, hidden: &mut u32) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    let mut marks = String::new();
    while let Some(c) = chars.next() {
        if c == '\r' && chars.peek() == Some(&'\n') {
            continue;
        }
        if is_hidden(c) {
            let mut run = 1;
            while chars.peek() == Some(&c) {
                chars.next();
                run += 1;
            }
            // The return of a CRLF belongs to its newline.
            if c == '\r' && chars.peek() == Some(&'\n') {
                run -= 1;
            }
            let code = u32::from(c);
            if run > BLANKS {
                out.push_str(&format!("[{run} U+{code:04X}]"));
                *hidden += 1;
            } else {
                (0..run).for_each(|_| out.push_str(&format!("[U+{code:04X}]")));
                *hidden += u32::try_from(run).unwrap_or(u32::MAX);
            }
            if breaks(c) {
                out.push('\n');
            }
        } else if is_mark(c) {
            marks.push(c);
            let mut count = 1;
            while let Some(next) = chars.next_if(|next| is_mark(*next) && !is_hidden(*next)) {
                marks.push(next);
                count += 1;
            }
            if count > MARKS {
                out.push_str(&format!("[{count} combining marks]"));
                *hidden += 1;
            } else {
                out.push_str(&marks);
            }
            marks.clear();
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters some programs end a line at.
fn breaks(c: char) -> bool {
    matches!(
        c,
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_mark(c: char) -> bool {
    c > '\u{2ff}'
        && matches!(
            get_general_category(c),
            G::NonspacingMark | G::EnclosingMark | G::SpacingMark
        )
}

/// Whether a reader could miss the character, or it changes how others are seen.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => return false,
        // Variation selectors, fillers and blanks whose category is that of letters, marks or symbols.
        '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{1d159}'
        | '\u{e0000}'..='\u{e0fff}' => return true,
        _ => {}
    }
    matches!(
        get_general_category(c),
        G::Control
            | G::Format
            | G::PrivateUse
            | G::Surrogate
            | G::Unassigned
            | G::LineSeparator
            | G::ParagraphSeparator
            | G::SpaceSeparator
    )
}

fn collapse(text: &str, hidden: &mut u32) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank: Vec<&str> = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        if bare.len() < line.len() && bare.bytes().all(is_blank) {
            blank.push(bare);
            continue;
        }
        blank_lines(&mut out, &mut blank, hidden);
        runs(&mut out, bare, hidden);
        if bare.len() < line.len() {
            out.push('\n');
        }
    }
    blank_lines(&mut out, &mut blank, hidden);
    out
}

fn blank_lines(out: &mut String, blank: &mut Vec<&str>, hidden: &mut u32) {
    if blank.len() > BLANK_LINES {
        out.push_str(&format!("[{} blank lines]\n", blank.len()));
        *hidden += 1;
    } else {
        for line in blank.iter() {
            runs(out, line, hidden);
            out.push('\n');
        }
    }
    blank.clear();
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn runs(out: &mut String, line: &str, hidden: &mut u32) {
    let mut rest = line;
    while let Some(at) = rest.find([' ', '\t']) {
        let (before, tail) = rest.split_at(at);
        let (run, after) = tail.split_at(tail.bytes().take_while(|b| is_blank(*b)).count());
        out.push_str(before);
        let tabs = run.bytes().filter(|b| *b == b'\t').count();
        let indent = at == 0 && rest.len() == line.len() && !after.is_empty();
        let columns = run.len() - tabs + 4 * tabs;
        if run.len() <= BLANKS || (indent && columns <= INDENT) {
            out.push_str(run);
        } else {
            let what = match tabs {
                0 => "spaces",
                n if n == run.len() => "tabs",
                _ => "blanks",
            };
            out.push_str(&format!("[{} {what}]", run.len()));
            *hidden += 1;
        }
        rest = after;
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(raw: &str, text: &str, hidden: u32) {
        let seen = visible(raw);
        assert_eq!((seen.text.as_str(), seen.hidden), (text, hidden), "{raw:?}");
    }

    #[test]
    fn plain_text_stays() {
        for raw in [
            "",
            "ls -la\n\tx",
            "naïve 漢字 한국어 e\u{301}",
            "a\n\n\n\nb\n",
            "    if x {",
        ] {
            is(raw, raw, 0);
        }
    }

    #[test]
    fn escapes() {
        is("a\u{202e}b", "a[U+202E]b", 1);
        is("\u{1b}[31m\u{7}\u{9b}", "[U+001B][31m[U+0007][U+009B]", 3);
        is("\0\u{7f}\u{ad}", "[U+0000][U+007F][U+00AD]", 3);
        is("x\u{e0041}\u{fe0f}", "x[U+E0041][U+FE0F]", 2);
        is("\u{e000}\u{ffff}\u{378}", "[U+E000][U+FFFF][U+0378]", 3);
        for c in "\u{a0}\u{3164}\u{115f}\u{1160}\u{2800}\u{ffa0}\u{2003}\u{3000}\u{feff}".chars() {
            let code = u32::from(c);
            is(&format!("a{c}b"), &format!("a[U+{code:04X}]b"), 1);
        }
        is(&"\u{200b}".repeat(5000), "[5000 U+200B]", 1);
    }

    #[test]
    fn line_breaks() {
        is("a\r\nb\r\n", "a\nb\n", 0);
        is("a\rb", "a[U+000D]\nb", 1);
        is("a\r\r\nb", "a[U+000D]\n\nb", 1);
        is("a\u{2028}b\u{85}c", "a[U+2028]\nb[U+0085]\nc", 2);
    }

    #[test]
    fn runs_are_counted() {
        is(
            &format!("ls{};rm", " ".repeat(5000)),
            "ls[5000 spaces];rm",
            1,
        );
        is(&format!("ls{};rm", " ".repeat(8)), "ls        ;rm", 0);
        is(
            &format!("ls{};rm", " \t".repeat(50)),
            "ls[100 blanks];rm",
            1,
        );
        is(&format!("a\n{}b", " ".repeat(41)), "a\n[41 spaces]b", 1);
        let deep = format!("a\n{}b", " ".repeat(40));
        is(&deep, &deep, 0);
        is(
            &format!("a\n{}b", "\n".repeat(12)),
            "a\n[12 blank lines]\nb",
            1,
        );
        is(
            &format!("a\n{}", " \r\n".repeat(12)),
            "a\n[12 blank lines]\n",
            1,
        );
        is("a\u{300}\u{301}", "a\u{300}\u{301}", 0);
        is(
            &format!("a{}b", "\u{300}".repeat(96)),
            "a[96 combining marks]b",
            1,
        );
    }

    #[test]
    fn nothing_hidden_is_left() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let seen = visible(&format!("a{c}b")).text;
            assert!(!seen.chars().any(is_hidden), "{c:?}");
        }
    }
}
