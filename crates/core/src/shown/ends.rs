//! Changes that rows cannot show: line endings and the last newline, told in words.

/// What changed besides the text of the lines; none if nothing did. Only a `whole` file has an end to tell of.
pub fn words(old: &str, new: &str, whole: bool) -> Option<String> {
    if old.is_empty() || new.is_empty() || old == new {
        return None;
    }
    let (before, after) = (Ends::of(old), Ends::of(new));
    let mut said = Vec::new();
    if before != after && before != Ends::None && after != Ends::None {
        said.push(format!(
            "Line endings change from {} to {}.",
            before.name(),
            after.name()
        ));
    }
    match (old.ends_with('\n'), new.ends_with('\n')) {
        _ if !whole => {}
        (true, false) => said.push("The newline at the end of the file goes.".into()),
        (false, true) => said.push("A newline at the end of the file is added.".into()),
        (true, true) | (false, false) => {}
    }
    (!said.is_empty()).then(|| said.join(" "))
}

#[derive(PartialEq)]
enum Ends {
    None,
    Lf,
    Crlf,
    Mixed,
}

impl Ends {
    fn of(text: &str) -> Self {
        let all = text.matches('\n').count();
        let windows = text.matches("\r\n").count();
        match (all, windows) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (all, windows) if all == windows => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Mixed => "mixed LF and CRLF",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn what_rows_do_not_show_is_said() {
        let table = [
            ("a\n", "b\n", None),
            (
                "a\r\nb\r\n",
                "a\nb\n",
                Some("Line endings change from CRLF to LF."),
            ),
            (
                "a\r\nb\n",
                "a\nb\n",
                Some("Line endings change from mixed LF and CRLF to LF."),
            ),
            ("a\n", "a", Some("The newline at the end of the file goes.")),
            (
                "a",
                "a\n",
                Some("A newline at the end of the file is added."),
            ),
            ("", "a\n", None),
        ];
        for (old, new, said) in table {
            assert_eq!(words(old, new, true).as_deref(), said, "{old:?} {new:?}");
        }
        assert_eq!(words("a\n", "a", false), None);
    }
}
