use super::*;

fn edit(before: &str, after: &str) -> Operation {
    Operation::Edit(vec![Replace {
        before: before.into(),
        after: after.into(),
        all: false,
    }])
}

fn all(before: &str, after: &str) -> Operation {
    Operation::Edit(vec![Replace {
        before: before.into(),
        after: after.into(),
        all: true,
    }])
}

/// What Claude Code 2.1.328 left on disk.
#[test]
fn edits_of_claude_leave_what_was_measured() {
    let b = edit("b", "X\nY");
    let table: &[(&[u8], &Operation, &[u8])] = &[
        (b"a\nb\nc\n", &b, b"a\nX\nY\nc\n"),
        (b"a\r\nb\r\nc\r\n", &b, b"a\r\nX\r\nY\r\nc\r\n"),
        (b"a\r\nb\nc\n", &b, b"a\nX\nY\nc\n"),
        (b"a\r\nb\r\nc\n", &b, b"a\r\nX\r\nY\r\nc\r\n"),
        (b"a\r\nb\n", &b, b"a\nX\nY\n"),
        (b"a\nb\r\n", &b, b"a\nX\nY\n"),
        (b"\xef\xbb\xbfa\nb\nc\n", &b, b"\xef\xbb\xbfa\nX\nY\nc\n"),
        (
            b"\xef\xbb\xbfa\r\nb\r\n",
            &b,
            b"\xef\xbb\xbfa\r\nX\r\nY\r\n",
        ),
        (b"a\nb\nc", &b, b"a\nX\nY\nc"),
        (b"a\rb\rc\r", &b, b"a\rX\nY\rc\r"),
        (
            b"\xff\xfea\0\n\0b\0\n\0",
            &b,
            b"\xff\xfea\0\n\0X\0\n\0Y\0\n\0",
        ),
        (
            b"a\r\nb\r\nc\r\n",
            &edit("a\nb\nc\n", "p\nq\r\nr\n"),
            b"p\r\nq\r\nr\r\n",
        ),
        (b"a\nb\nc\n", &edit("b", "X\r\nY"), b"a\nX\r\nY\nc\n"),
        (b"a\nb\na\nb\n", &all("a", "Z"), b"Z\nb\nZ\nb\n"),
        (b"a\nb\nc\n", &edit("b", ""), b"a\nc\n"),
        (b"a\nb\nc\n", &edit("b\n", ""), b"a\nc\n"),
        (b"a\nb\nb\n", &all("b", ""), b"a\n"),
        (b"x b\nb\n", &edit("x b", ""), b"b\n"),
        (b"a\r\nb\r\nc\r\n", &edit("b", ""), b"a\r\nc\r\n"),
        (b"b", &edit("b", ""), b""),
        (b"", &edit("", "Z\n"), b"Z\n"),
    ];
    for (before, operation, after) in table {
        let made = apply(Tool::Claude, Some(before), operation);
        assert_eq!(made.as_deref(), Ok(*after), "{operation:?} on {before:?}");
    }
}

#[test]
fn the_beginning_of_a_file_decides_its_ending() {
    let file = |line: &str, lines: usize| {
        format!(
            "{}{}needle\n",
            format!("{line}\n").repeat(lines),
            "\r\n".repeat(300)
        )
    };
    let made = |file: String| {
        apply(Tool::Claude, Some(file.as_bytes()), &edit("needle", "Z")).expect("found")
    };
    assert!(made(file(&"a".repeat(19), 200)).ends_with(b"\n\nZ\n"));
    assert!(made(file(&"a".repeat(37), 100)).ends_with(b"\r\n\r\nZ\r\n"));
    // Counted in UTF-16 units, not in bytes.
    assert!(made(file(&"é".repeat(37), 100)).ends_with(b"\r\n\r\nZ\r\n"));
}

#[test]
fn writes_of_claude_keep_the_mark_and_nothing_else() {
    type Case = (Option<&'static [u8]>, &'static str, &'static [u8]);
    let table: &[Case] = &[
        (None, "n\r\nm\n", b"n\r\nm\n"),
        (Some(b"a\r\nb\r\n"), "n\nm\n", b"n\nm\n"),
        (Some(b"a\nb\n"), "n\r\nm\n", b"n\r\nm\n"),
        (Some(b"\xef\xbb\xbfa\r\n"), "n\n", b"\xef\xbb\xbfn\n"),
        (Some(b"\xff\xfea\0"), "n", b"\xff\xfen\0"),
    ];
    for (before, content, after) in table {
        let made = apply(Tool::Claude, *before, &Operation::Write((*content).into()));
        assert_eq!(made.as_deref(), Ok(*after), "{before:?}");
    }
}

#[test]
fn what_a_tool_would_refuse_is_said() {
    let table = [
        (None::<&[u8]>, edit("a", "b"), Unsure::Missing),
        (Some(b"a"), edit("", "b"), Unsure::Exists),
        (Some(b"a\xe9"), edit("a", "b"), Unsure::NotText),
        (
            Some(b"a\xe9"),
            Operation::Write("b".into()),
            Unsure::NotText,
        ),
        (Some(b"a\0b"), edit("a", "b"), Unsure::NotText),
        (Some(b"a\r\nb"), edit("a\r\nb", "b"), Unsure::NotFound),
        (Some(b"b\nb\n"), edit("b", "Z"), Unsure::Ambiguous(2)),
        (
            Some("\u{201c}hi\u{201d}".as_bytes()),
            edit("\"hi\"", "x"),
            Unsure::Quotes,
        ),
    ];
    for (before, operation, unsure) in &table {
        assert_eq!(
            apply(Tool::Claude, *before, operation),
            Err(*unsure),
            "{operation:?}"
        );
    }
}

#[test]
fn edits_follow_each_other() {
    let Operation::Edit(mut edits) = edit("a", "b b") else {
        unreachable!()
    };
    edits.push(Replace {
        before: "b".into(),
        after: "c".into(),
        all: true,
    });
    let made = apply(Tool::Claude, Some(b"a\n"), &Operation::Edit(edits));
    assert_eq!(made.as_deref(), Ok(b"c c\n".as_slice()));
}

#[test]
fn an_unknown_tool_changes_nothing_but_the_place() {
    let made = apply(Tool::Unknown, Some(b"a\r\nb\nc"), &edit("b", "X"));
    assert_eq!(made.as_deref(), Ok(b"a\r\nX\nc".as_slice()));
}

/// What Claude Code 2.1.328 wrote when its edit was amended like this, byte for byte.
#[test]
fn an_amendment_leaves_exactly_the_persons_bytes() {
    type Case = (Option<&'static [u8]>, Operation, &'static [u8]);
    let b = || edit("b", "zz");
    let table: Vec<Case> = vec![
        (Some(b"a\nb\nc\n"), b(), b"X  \nY\t\nc\n"),
        (Some(b"a\nb\n"), b(), b"a $& $1 $` $$ b\n"),
        (Some(b"a\r\nb\r\n"), b(), b"p\r\nq  \r\nr\r\n"),
        (Some(b"\xef\xbb\xbfa\nb\n"), b(), b"\xef\xbb\xbfbom \nq\n"),
        (Some(b"a\nb\n"), b(), b""),
        (Some(b"a\nb\n"), b(), b"no eol"),
        (Some(b"a\nb\n"), b(), b"mixed\r\nlf\n"),
        (None, edit("", "n\n"), b"new\r\nfile  \n"),
        (Some(b"a\n"), Operation::Write("n\n".into()), b"w  \n"),
    ];
    for (before, original, wanted) in table {
        let amended = amend(Tool::Claude, before, &original, wanted).expect("it can be sent");
        assert_eq!(apply(Tool::Claude, before, &amended).as_deref(), Ok(wanted));
    }
}

#[test]
fn what_the_tool_would_write_otherwise_is_not_sent() {
    let b = edit("b", "zz");
    let table: &[(&[u8], &[u8], CannotSend)] = &[
        (b"a\r\nb\r\n", b"a\nb\r\n", CannotSend::LineEndings),
        (b"a\nb\n", b"\xff", CannotSend::Encoding),
        (b"a\nb\n", b"\xef\xbb\xbfa\n", CannotSend::Encoding),
        (b"\xef\xbb\xbfa\nb\n", b"a\n", CannotSend::Encoding),
        (b"a\xe9", b"a\n", CannotSend::Unsure(Unsure::NotText)),
    ];
    for (before, wanted, why) in table {
        assert_eq!(
            amend(Tool::Claude, Some(before), &b, wanted),
            Err(*why),
            "{wanted:?}"
        );
    }
}
