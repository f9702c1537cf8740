//! What the demo agent wants to do: five requests, one of each kind a person meets
//! most, in the shapes that shipped adapters send.
//!
//! Written as JSON on purpose: the shapes are copied from the wire, and the SDK's
//! own parser checks them when they are sent.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// One request and what an allow leads to.
pub struct Step {
    pub tool_call: Value,
    pub options: Value,
    pub effect: Effect,
}

/// What the agent does after an allow. It runs nothing: the command of the script
/// is a folder to be made, and the agent makes it itself.
pub enum Effect {
    Folder(PathBuf),
    File(PathBuf, String),
    Replace(PathBuf, &'static str, &'static str),
    Mode,
}

const GREETING: &str = "def greet(name):\n    print(\"Hello \" + name)\n\n\nif __name__ == \"__main__\":\n    greet(\"world\")\n";
const OLD_LINE: &str = "    print(\"Hello \" + name)";
const NEW_LINE: &str = "    print(f\"Hello, {name}!\")";
const NOTES: &str = "Notes\n\n- greet by name\n- write a test\n";
const NEW_NOTES: &str =
    "Notes\n\n- greet by name (done)\n- write a test (done)\n- say goodbye, too\n";
const TEST: &str = "from greeting import greet\n\n\ndef test_greets(capsys):\n    greet(\"Ada\")\n    assert capsys.readouterr().out == \"Hello, Ada!\\n\"\n";
const PLAN: &str = "# Say goodbye, too\n\n1. Add `goodbye(name)` to `greeting.py`\n2. Test it beside `greet`\n3. Run the tests:\n\n```sh\npython3 -m pytest -q\n```\n\nNothing else changes.\n";

/// Writes the files that the script works on.
pub fn prepare(folder: &Path) -> std::io::Result<()> {
    std::fs::write(folder.join("greeting.py"), GREETING)?;
    std::fs::write(folder.join("notes.md"), NOTES)
}

/// The five steps, in order.
pub fn steps(folder: &Path) -> Vec<Step> {
    vec![
        command(folder),
        new_file(folder),
        snippet(folder),
        overwrite(folder),
        plan(),
    ]
}

fn command(folder: &Path) -> Step {
    let made = folder.join("tests");
    Step {
        tool_call: json!({
            "toolCallId": "demo-1", "title": "mkdir -p tests", "kind": "execute", "status": "pending",
            "rawInput": {"command": "mkdir -p tests", "description": "Make a folder for the tests"},
            "content": [text("Make a folder for the tests")],
            "locations": [{"path": made}]
        }),
        options: once_or_always("Yes, and don't ask again for mkdir commands"),
        effect: Effect::Folder(made),
    }
}

fn new_file(folder: &Path) -> Step {
    let path = folder.join("test_greeting.py");
    Step {
        tool_call: json!({
            "toolCallId": "demo-2", "title": "Write test_greeting.py", "kind": "edit", "status": "pending",
            "rawInput": {"file_path": path, "content": TEST},
            "content": [{"type": "diff", "path": path, "oldText": null, "newText": TEST}],
            "locations": [{"path": path}]
        }),
        options: once_or_always("Yes, allow all edits during this session"),
        effect: Effect::File(path, TEST.to_owned()),
    }
}

fn snippet(folder: &Path) -> Step {
    let path = folder.join("greeting.py");
    Step {
        tool_call: json!({
            "toolCallId": "demo-3", "title": "Edit greeting.py", "kind": "edit", "status": "pending",
            "rawInput": {"file_path": path, "old_string": OLD_LINE, "new_string": NEW_LINE, "replace_all": false},
            "content": [{"type": "diff", "path": path, "oldText": OLD_LINE, "newText": NEW_LINE}],
            "locations": [{"path": path, "line": 2}]
        }),
        options: once_or_always("Yes, allow all edits during this session"),
        effect: Effect::Replace(path, OLD_LINE, NEW_LINE),
    }
}

fn overwrite(folder: &Path) -> Step {
    let path = folder.join("notes.md");
    Step {
        tool_call: json!({
            "toolCallId": "demo-4", "title": "Write notes.md", "kind": "edit", "status": "pending",
            "rawInput": {"file_path": path, "content": NEW_NOTES},
            "content": [{"type": "diff", "path": path, "oldText": NOTES, "newText": NEW_NOTES}],
            "locations": [{"path": path}]
        }),
        options: once_or_always("Yes, allow all edits during this session"),
        effect: Effect::File(path, NEW_NOTES.to_owned()),
    }
}

fn plan() -> Step {
    Step {
        tool_call: json!({
            "toolCallId": "demo-5", "title": "Approve Plan", "kind": "switch_mode", "status": "pending",
            "rawInput": {"plan": PLAN},
            "content": [text(PLAN)]
        }),
        options: json!([
            {"optionId": "exit-plan-default", "name": "Yes, manually approve edits", "kind": "allow_once"},
            {"optionId": "exit-plan-accept-edits", "name": "Yes, auto-accept edits", "kind": "allow_always"},
            {"optionId": "reject", "name": "No, keep planning", "kind": "reject_once"}
        ]),
        effect: Effect::Mode,
    }
}

fn text(words: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": words}})
}

fn once_or_always(always: &str) -> Value {
    json!([
        {"optionId": "allow-once", "name": "Yes", "kind": "allow_once"},
        {"optionId": "allow-with-updates", "name": always, "kind": "allow_always"},
        {"optionId": "reject", "name": "No", "kind": "reject_once"}
    ])
}
