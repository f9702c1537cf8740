//! Changes that rows cannot show: line endings and the last newline, told in words.

/// What a new file's rows do not tell.
pub fn of_new(text: &str) -> Option<String> {
    text.is_empty().then(|| "The new file is empty.".to_owned())
}

/// What changes besides the text of the lines, or that nothing does.
pub fn words(old: &str, new: &str) -> Vec<String> {
    if old == new {
        return vec!["Nothing changes.".to_owned()];
    }
    if new.is_empty() {
        return vec!["The file is emptied.".to_owned()];
    }
    if old.is_empty() {
        return vec![];
    }
    let (before, after) = (Ends::of(old), Ends::of(new));
    let mut said = Vec::new();
    if before != after && before != Ends::None && after != Ends::None {
        let (from, to) = (before.name(), after.name());
        said.push(format!("Line endings change from {from} to {to}."));
    }
    match (ends_a_line(old), ends_a_line(new)) {
        (true, false) => said.push("The newline at the end of the file goes.".to_owned()),
        (false, true) => said.push("A newline at the end of the file is added.".to_owned()),
        (true, true) | (false, false) => {}
    }
    said
}

fn ends_a_line(text: &str) -> bool {
    text.ends_with(['\n', '\r'])
}

#[derive(Clone, Copy, PartialEq)]
enum Ends {
    None,
    Lf,
    Crlf,
    Cr,
    Mixed,
}

impl Ends {
    fn of(text: &str) -> Self {
        let crlf = text.matches("\r\n").count();
        let lf = text.matches('\n').count() - crlf;
        let cr = text.matches('\r').count() - crlf;
        match (lf, crlf, cr) {
            (0, 0, 0) => Self::None,
            (_, 0, 0) => Self::Lf,
            (0, _, 0) => Self::Crlf,
            (0, 0, _) => Self::Cr,
            _ => Self::Mixed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "a mixture",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rows_do_not_show_is_said() {
        let table: &[(&str, &str, &[&str])] = &[
            ("a\n", "b\n", &[]),
            ("a\n", "a\n", &["Nothing changes."]),
            ("a\n", "", &["The file is emptied."]),
            ("", "a\n", &[]),
            (
                "a\r\nb\r\n",
                "a\nb\n",
                &["Line endings change from CRLF to LF."],
            ),
            (
                "a\r\nb\n",
                "a\nb\n",
                &["Line endings change from a mixture to LF."],
            ),
            ("a\rb\r", "a\nb\n", &["Line endings change from CR to LF."]),
            ("a\n", "a", &["The newline at the end of the file goes."]),
            ("a", "a\n", &["A newline at the end of the file is added."]),
        ];
        for (old, new, said) in table {
            assert_eq!(words(old, new), *said, "{old:?} {new:?}");
        }
        assert!(of_new("").is_some() && of_new("a").is_none());
    }
}
