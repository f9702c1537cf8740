use super::*;
use crate::view::tests::request;

fn seen(tool: Tool, change: Change, disk: Option<&[u8]>) -> FileView {
    let found = disk.map_or(Found::Absent, |bytes| Found::Bytes(bytes.into()));
    let mut request = request("");
    request.files = vec![FileChange {
        found: Some(found),
        ..FileChange::new("/w/acme/a.txt".into(), tool, change)
    }];
    let (_, shown) = Prepared::new(request).into_parts();
    shown.files[0].clone()
}

fn edit(before: &str, after: &str, all: bool) -> Change {
    let (before, after) = (before.into(), after.into());
    Change::Operation(Operation::Edit(vec![Replace { before, after, all }]))
}

fn rows(file: &FileView) -> Vec<String> {
    let rows = file.hunks.iter().flat_map(|hunk| &hunk.rows);
    rows.map(|row| format!("{}{}", row.op, row.text)).collect()
}

#[test]
fn an_edit_is_shown_in_its_place() {
    let disk = b"1\n2\n3\n4\n5\n6\nold\n8\n";
    let file = seen(Tool::Claude, edit("old", "new", false), Some(disk));
    assert_eq!(file.status, "modified");
    assert_eq!((file.hunks[0].old_start, file.hunks[0].new_start), (4, 4));
    assert_eq!(rows(&file), [" 4", " 5", " 6", "-old", "+new", " 8"]);
    assert_eq!(file.note, None);
}

#[test]
fn all_occurrences_are_shown() {
    let file = seen(Tool::Claude, edit("a", "b", true), Some(b"a\nx\na\n"));
    assert_eq!(rows(&file), ["-a", "+b", " x", "-a", "+b"]);
}

#[test]
fn lines_that_the_tool_changes_besides_are_shown() {
    let file = seen(Tool::Claude, edit("b", "c", false), Some(b"a\r\nb\nz\n"));
    assert_eq!(rows(&file), ["-a", "-b", "+a", "+c", " z"]);
    let said = file.note.expect("a note");
    assert!(said.contains("a mixture to LF"), "{said}");
}

#[test]
fn an_edit_that_fits_no_place_is_shown_as_sent() {
    for disk in [
        None,
        Some(b"other\n".as_slice()),
        Some(b"old old\n"),
        Some(b"old\0"),
    ] {
        let file = seen(Tool::Claude, edit("old", "new", false), disk);
        assert_eq!(
            (file.status, rows(&file)),
            ("snippet", vec!["-old".into(), "+new".into()])
        );
        let said = file.note.expect("a note");
        assert!(said.ends_with("Shown as sent."), "{said}");
    }
}

#[test]
fn a_part_sent_as_two_texts_is_shown_in_its_place() {
    let change = || Change::Whole {
        before: Some("old".into()),
        after: "new".into(),
    };
    let file = seen(Tool::Unknown, change(), Some(b"1\nold\n3\n"));
    assert_eq!(rows(&file), [" 1", "-old", "+new", " 3"]);
    let file = seen(Tool::Unknown, change(), Some(b"old"));
    assert_eq!(
        (rows(&file), file.note),
        (vec!["-old".into(), "+new".into()], None)
    );
    for disk in [b"else\n".as_slice(), b"old old"] {
        let file = seen(Tool::Unknown, change(), Some(disk));
        assert_eq!(rows(&file), ["-old", "+new"]);
        assert!(file.note.expect("a note").ends_with("Shown as sent."));
    }
}

#[test]
fn an_overwrite_is_no_new_file() {
    let write = |text: &str| Change::Operation(Operation::Write(text.into()));
    let file = seen(Tool::Claude, write("new\n"), Some(b"\xef\xbb\xbfold\n"));
    assert_eq!(
        (file.status, rows(&file)),
        ("modified", vec!["-old".into(), "+new".into()])
    );
    assert_eq!(file.note, None);
    assert_eq!(seen(Tool::Claude, write("new\n"), None).status, "added");
    let emptied = seen(Tool::Claude, write(""), Some(b"old\n"));
    assert_eq!(emptied.note.as_deref(), Some("The file is emptied."));
}
