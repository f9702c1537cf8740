use super::*;

fn show(old: &str, new: &str) -> Vec<String> {
    let hunks = unified(old, new);
    let head = |h: &Hunk| {
        format!(
            "@ {},{} {},{}",
            h.old_start, h.old_lines, h.new_start, h.new_lines
        )
    };
    hunks
        .iter()
        .flat_map(|h| {
            let rows = h.rows.iter().map(|r| format!("{}{}", r.op, r.text));
            std::iter::once(head(h)).chain(rows).collect::<Vec<_>>()
        })
        .collect()
}

/// The new lines, made from the old ones and the hunks.
fn apply(old: &str, new: &str) -> Vec<String> {
    let bare = |line: &&str| line.trim_end_matches(['\r', '\n']).to_owned();
    let lines: Vec<String> = lines::split(old).iter().map(bare).collect();
    let mut at = 0;
    let mut out = Vec::new();
    for hunk in unified(old, new) {
        let start = if hunk.old_lines == 0 {
            hunk.old_start
        } else {
            hunk.old_start - 1
        };
        out.extend_from_slice(&lines[at..start]);
        at = start + hunk.old_lines;
        let kept = hunk.rows.iter().filter(|r| r.op != '-');
        out.extend(kept.map(|r| r.text.clone()));
    }
    out.extend_from_slice(&lines[at..]);
    let want: Vec<String> = lines::split(new).iter().map(bare).collect();
    assert!(out == want);
    out
}

#[test]
fn whole_files() {
    assert!(show("a\n", "a\n").is_empty() && show("", "").is_empty());
    assert_eq!(show("", "a\nb\n"), ["@ 0,0 1,2", "+a", "+b"]);
    assert_eq!(show("a\nb", ""), ["@ 1,2 0,0", "-a", "-b"]);
    assert_eq!(show("a", "a\n"), ["@ 1,1 1,1", "-a", "+a"]);
    assert_eq!(show("a\r\n", "a\n"), ["@ 1,1 1,1", "-a", "+a"]);
    assert_eq!(show("a\rb\r", "a\rc\r"), ["@ 1,2 1,2", " a", "-b", "+c"]);
}

#[test]
fn context_and_numbers() {
    let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
    let new = old.replace("\n5\n", "\n5\nx\n").replace("\n18\n", "\n");
    let want = [
        "@ 3,6 3,7",
        " 3",
        " 4",
        " 5",
        "+x",
        " 6",
        " 7",
        " 8",
        "@ 15,6 16,5",
        " 15",
        " 16",
        " 17",
        "-18",
        " 19",
        " 20",
    ];
    assert_eq!(show(&old, &new), want);
}

#[test]
fn words_of_replaced_lines() {
    let rows = &unified("let é = one(1);\n", "let é = two(1);\n")[0].rows;
    assert_eq!(rows[0].words, [(8, 11)]);
    assert_eq!(rows[1].words, [(8, 11)]);
    let rows = &unified("alpha beta\n", "gamma delta\n")[0].rows;
    assert!(rows.iter().all(|row| row.words.is_empty()));
    let json = serde_json::to_string(&unified("", "a")).unwrap();
    let want =
        r#"[{"oldStart":0,"oldLines":0,"newStart":1,"newLines":1,"rows":[{"op":"+","text":"a"}]}]"#;
    assert_eq!(json, want);
}

#[test]
fn large_files() {
    let line = |n: usize| format!("line {n}\n");
    let old: String = (0..20_000).map(line).collect();
    let other: String = (0..20_000).map(|n| format!("other {n}\n")).collect();
    let hunks = unified(&old, &other);
    assert_eq!((hunks.len(), hunks[0].rows.len()), (1, 40_000));
    // Changed at both ends: still small.
    let edited = format!("x\n{}y\n", &old[line(0).len()..]);
    assert_eq!(unified(&old, &edited).len(), 2);
    // Backwards, with repeats, and with nothing unique: correct, whatever the size.
    let back: String = (0..10_000).rev().map(line).collect();
    apply(&old, &back);
    let few: String = (0..5_000).map(|n| line(n % 7)).collect();
    let rest: String = (0..5_000).map(|n| line(n * n % 11)).collect();
    apply(&few, &rest);
    apply(&format!("{few}{old}"), &format!("{rest}{old}{few}"));
}

#[test]
fn hunks_rebuild_the_new_file() {
    let mut seed = 7_u64;
    for _ in 0..300 {
        let mut file = || {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let end = ["\n", "\r\n", "\r", "\n"][(seed >> 40) as usize % 4];
                text.push_str(&format!("{}{end}", (seed >> 33) % 4));
            }
            text
        };
        let (old, new) = (file(), file());
        apply(&old, &new);
    }
}
