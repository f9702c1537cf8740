use serde_json::{Value, json};

use super::*;

fn tree(markdown: &str) -> Value {
    serde_json::to_value(blocks(markdown)).unwrap()
}

fn plain(text: &str) -> Value {
    json!({"text": text, "style": "plain", "target": null})
}

#[test]
fn headings_paragraphs_and_styles() {
    let styled = |text: &str, style: &str| json!({"text": text, "style": style, "target": null});
    let seen = tree("## A\n\nb **c** *d*\n`e` ~~f~~\n\n---");
    let spans = json!([
        plain("b "),
        styled("c", "strong"),
        plain(" "),
        styled("d", "emphasis"),
        plain(" "),
        styled("e", "code"),
        plain(" "),
        styled("f", "strike"),
    ]);
    let want = json!([
        {"type": "heading", "level": 2, "spans": [plain("A")]},
        {"type": "paragraph", "spans": spans},
        {"type": "rule"},
    ]);
    assert_eq!(seen, want);
}

#[test]
fn lists_keep_order_checks_and_nesting() {
    let para = |text: &str| json!({"type": "paragraph", "spans": [plain(text)]});
    let seen = tree("3. a\n   - [x] b\n   - [ ] c\n4. d\n\n   e");
    let inner = json!({"type": "list", "ordered": false, "start": null, "items": [
        {"checked": true, "blocks": [para("b")]},
        {"checked": false, "blocks": [para("c")]},
    ]});
    let want = json!([{"type": "list", "ordered": true, "start": 3, "items": [
        {"checked": null, "blocks": [para("a"), inner]},
        {"checked": null, "blocks": [para("d"), para("e")]},
    ]}]);
    assert_eq!(seen, want);
}

#[test]
fn code_quotes_and_tables() {
    let want = json!([{"type": "code", "lang": "rust", "text": "a <b>\n  c"}]);
    assert_eq!(tree("```rust x\na <b>\n  c\n```"), want);
    let want = json!([{"type": "code", "lang": null, "text": "x"}]);
    assert_eq!(tree("    x"), want);
    let inside = json!({"type": "paragraph", "spans": [plain("q")]});
    assert_eq!(tree("> q"), json!([{"type": "quote", "blocks": [inside]}]));
    let want = json!([{
        "type": "table",
        "header": [[plain("a")], [plain("b")]],
        "rows": [[[plain("1")], [plain("2")]], [[plain("3")], []]],
    }]);
    assert_eq!(tree("|a|b|\n|-|-|\n|1|2|\n|3||"), want);
}

#[test]
fn html_images_and_links_are_text() {
    let want = json!([{"type": "paragraph", "spans": [plain("<script>x()</script>")]}]);
    assert_eq!(tree("<script>x()</script>"), want);
    let want = json!([{"type": "paragraph", "spans": [plain("a <b onclick=x>c</b>")]}]);
    assert_eq!(tree("a <b onclick=x>c</b>"), want);
    let want = plain("[image: alt (http://x/y.png)]");
    assert_eq!(tree("![alt](http://x/y.png)")[0]["spans"][0], want);
    let link = json!({"text": "good", "style": "link", "target": "javascript:x[U+202E]"});
    let spans = tree("**[go*od*](<javascript:x\u{202e}>)**");
    assert_eq!(spans[0]["spans"], json!([link]));
}

#[test]
fn hidden_characters_show_everywhere() {
    let seen = tree(
        "# a\u{202e}\n\n`b\u{200b}` \u{1b}\n\n```l\u{200b}\nc\u{7}\n```\n\n|h\u{ad}|\n|-|\n|\u{a0}x|",
    );
    let text = seen.to_string();
    for escape in ["202E", "200B", "001B", "0007", "00AD", "00A0"] {
        assert!(text.contains(&format!("[U+{escape}]")), "{escape} {text}");
    }
}

#[test]
fn nesting_is_bounded_and_loses_nothing() {
    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(all) => 1 + all.iter().map(depth).max().unwrap_or(0),
            Value::Object(all) => 1 + all.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }
    let lists: String = (0..60).map(|n| "  ".repeat(n) + "- x\n").collect();
    for markdown in [
        format!("{}deep", "> ".repeat(1000)),
        lists + "\ndeep",
        "- ".repeat(500) + "deep",
    ] {
        let seen = tree(&markdown);
        assert!(depth(&seen) < 60, "{}", depth(&seen));
        assert!(seen.to_string().contains("deep"));
    }
}
