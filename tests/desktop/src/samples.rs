//! Requests as agents make them, for pictures and for pages that must bear them.

use serde_json::{Value, json};

fn options() -> Value {
    json!([
        {"optionId": "allow-once", "name": "Yes", "kind": "allow_once"},
        {"optionId": "allow-with-updates", "name": "Yes, and don't ask again for this project", "kind": "allow_always"},
        {"optionId": "reject", "name": "No", "kind": "reject_once"},
    ])
}

fn call(id: &str, title: &str, kind: &str, input: Value, content: Value) -> Value {
    json!({
        "sessionId": "session",
        "toolCall": {
            "toolCallId": id,
            "title": title,
            "kind": kind,
            "status": "pending",
            "rawInput": input,
            "content": content,
        },
        "options": options(),
    })
}

pub fn run(command: &str) -> Value {
    // An id has a limit that a command has not.
    let id: String = command.chars().take(40).collect();
    let input = json!({"command": command});
    call(&id, command, "execute", input, json!([]))
}

/// A command that fills the window, with its end far from its head.
pub fn long_command() -> Value {
    let steps: Vec<String> = (1..=60)
        .map(|step| {
            format!("echo \"step {step}\" && cp -r build/part-{step} /srv/releases/part-{step}")
        })
        .collect();
    run(&steps.join(" && \\\n  "))
}

pub fn edit(path: &str, old: &str, new: &str) -> Value {
    let content = json!([{"type": "diff", "path": path, "oldText": old, "newText": new}]);
    let input = json!({"file_path": path, "old_string": old, "new_string": new});
    call(path, &format!("Edit {path}"), "edit", input, content)
}

/// A small edit with changed words, and the file that it changes in the middle.
pub fn small_edit(folder: &str) -> Value {
    let old = "export async function fetchUser(id: string) {\n  const response = await fetch(`/users/${id}`);\n  \
               return response.json();\n}\n\nexport function displayName(user: User) {\n  return user.name;\n}\n";
    let new = "export async function fetchUser(id: string, signal?: AbortSignal) {\n  const response = await fetch(`/users/${encodeURIComponent(id)}`, { signal });\n  \
               if (!response.ok) throw new Error(`user ${id}: ${response.status}`);\n  return response.json();\n}\n\nexport function displayName(user: User) {\n  return user.nickname ?? user.name;\n}\n";
    let path = format!("{folder}/src/users.ts");
    std::fs::create_dir_all(format!("{folder}/src")).expect("a folder");
    let file = format!("import type {{ User }} from './types';\n\n{old}\nexport {{ User }};\n");
    std::fs::write(&path, file).expect("a file");
    edit(&path, old, new)
}

/// A file of so many lines, every tenth of them changed.
pub fn long_edit(folder: &str, lines: usize) -> Value {
    let file = |changed: &str| -> String {
        let line = |n: usize| match n % 10 {
            0 => format!("    let value_{n} = {changed}({n});\n"),
            _ => format!("    let value_{n} = keep({n});\n"),
        };
        (1..=lines).map(line).collect()
    };
    edit(
        &format!("{folder}/src/generated.rs"),
        &file("before"),
        &file("after"),
    )
}

pub fn plan() -> Value {
    let plan = "# Move search to the build step\n\n1. Write the index in `scripts/index.mjs`\n2. Load it **lazily** in `src/search.ts`\n3. Drop the server route\n\n| page | before | after |\n|---|---|---|\n| search | 840 ms | 40 ms |\n\n```sh\nnpm run index && npm test\n```\n";
    let mut request = call(
        "plan",
        "Ready to code?",
        "switch_mode",
        json!({"plan": plan}),
        json!([{"type": "content", "content": {"type": "text", "text": plan}}]),
    );
    request["options"] = json!([
        {"optionId": "exit-plan-accept-edits", "name": "Yes, and auto-accept edits", "kind": "allow_always"},
        {"optionId": "exit-plan-default", "name": "Yes, and manually approve edits", "kind": "allow_once"},
        {"optionId": "reject", "name": "No, keep planning", "kind": "reject_once"},
    ]);
    request
}
