//! Whatever an agent sends: nothing panics, and no option is shown that it did not offer.

use doorward_core::queue::{Event, Queue, RequestId};
use doorward_core::request::Carried;
use doorward_core::shown::Prepared;
use doorward_core::view;
use doorward_protocols::tool_calls::ToolCalls;
use doorward_protocols::{Context, Incoming, acp, claude_hook, patch};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names that the decoders look for, so that any JSON gets far into them.
const KEYS: &[&str] = &[
    "sessionId",
    "toolCall",
    "toolCallId",
    "title",
    "kind",
    "status",
    "rawInput",
    "content",
    "locations",
    "options",
    "optionId",
    "name",
    "description",
    "command",
    "cwd",
    "path",
    "line",
    "type",
    "text",
    "oldText",
    "newText",
    "old_string",
    "new_string",
    "plan",
    "subject",
    "_meta",
    "permission",
    "version",
    "jetbrains",
    "air",
    "diffPatch",
    "patch",
    "claudeCode",
    "parentToolUseId",
    "tool_name",
    "tool_input",
    "session_id",
    "permission_suggestions",
    "rules",
    "behavior",
    "destination",
    "mode",
    "toolName",
    "ruleContent",
    "directories",
    "file_path",
    "edits",
    "agent_id",
    "terminalId",
    "update",
    "sessionUpdate",
];

const TEXTS: &[&str] = &[
    "",
    " ",
    "allow",
    "allow_once",
    "allow_always",
    "reject_once",
    "deny",
    "execute",
    "edit",
    "read",
    "switch_mode",
    "fetch",
    "content",
    "diff",
    "text",
    "terminal",
    "tool_call",
    "tool_call_update",
    "command",
    "Bash",
    "Edit",
    "Write",
    "MultiEdit",
    "ExitPlanMode",
    "AskUserQuestion",
    "addRules",
    "setMode",
    "addDirectories",
    "session",
    "localSettings",
    "acceptEdits",
    "bypassPermissions",
    "allow:suggestion:0",
    "allow:mode:acceptEdits",
    "/etc/passwd",
    "delete",
    "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
    "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+z\n",
    "@@ -1 +1 @@\n",
    "--- a\n+++ /dev/null\n@@ -1,99999999999999999999 +0,0 @@\n",
    "e\u{301}",
    "\u{202e}",
    "\0",
    "# a\n- b\n",
    "a\r\nb",
];

fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![4 => proptest::sample::select(TEXTS).prop_map(str::to_owned), 1 => any::<String>()];
    let leaf = prop_oneof![
        6 => text.prop_map(Value::String),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => prop_oneof![Just(json!(1)), any::<i64>().prop_map(|it| json!(it)), any::<f64>().prop_map(|it| json!(it))],
    ];
    let key = prop_oneof![8 => proptest::sample::select(KEYS).prop_map(str::to_owned), 1 => any::<String>()];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            3 => prop::collection::vec((key.clone(), inner), 0..8).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Recorded requests of real agents: method and params.
fn recorded() -> &'static [(String, Value)] {
    static FOUND: OnceLock<Vec<(String, Value)>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found = Vec::new();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")];
        while let Some(folder) = folders.pop() {
            let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
                .expect("a folder")
                .map(|it| it.expect("an entry").path())
                .collect();
            entries.sort();
            for path in entries {
                let name = path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if name.starts_with("request-") {
                    let fixture: Value =
                        serde_json::from_slice(&std::fs::read(path).expect("a fixture"))
                            .expect("JSON");
                    found.push((
                        fixture["method"].as_str().expect("a method").to_owned(),
                        fixture["params"].clone(),
                    ));
                }
            }
        }
        assert!(found.len() > 100);
        found
    })
}

/// A recorded request in which some parts are something else, are missing, or stand twice.
fn damaged() -> impl Strategy<Value = (String, Value)> {
    let change = (
        any::<prop::sample::Index>(),
        prop_oneof![3 => json_value().prop_map(Some), 1 => Just(None)],
    );
    (
        any::<prop::sample::Index>(),
        prop::collection::vec(change, 0..5),
    )
        .prop_map(|(which, changes)| {
            let (method, mut params) = which.get(recorded()).clone();
            for (at, put) in changes {
                let mut places = Vec::new();
                pointers(&params, String::new(), &mut places);
                replace(&mut params, at.get::<String>(&places), put);
            }
            (method, params)
        })
}

fn pointers(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(n, it)| pointers(it, format!("{at}/{n}"), out)),
        Value::Object(members) => members.iter().for_each(|(key, it)| {
            pointers(
                it,
                format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                out,
            )
        }),
        _ => {}
    }
    out.push(at);
}

fn replace(root: &mut Value, at: &str, put: Option<Value>) {
    match (put, at.rsplit_once('/')) {
        (Some(put), _) => *root.pointer_mut(at).expect("it is there") = put,
        (None, Some((parent, key))) => match root.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                drop(members.remove(&key.replace("~1", "/").replace("~0", "~")))
            }
            // An item that stands twice.
            Some(Value::Array(items)) => {
                items.extend(items.get(key.parse::<usize>().unwrap_or(0)).cloned())
            }
            _ => {}
        },
        (None, None) => {}
    }
}

fn decoded(method: &str, params: &Value, calls: &ToolCalls) -> Option<Incoming> {
    let raw = params.to_string();
    match method {
        "session/request_permission" => acp::decode(&raw, params, calls, &Context::default()).ok(),
        _ => claude_hook::decode(&raw, params, &Context::default())
            .ok()
            .flatten(),
    }
}

/// What holds for every request that is shown.
fn check(method: &str, params: &Value, incoming: Incoming) -> Result<(), TestCaseError> {
    let ids: Vec<String> = incoming
        .request
        .options
        .iter()
        .map(|choice| choice.id.clone())
        .collect();
    if method == "session/request_permission" {
        let offered = params["options"].as_array().expect("options").iter();
        let offered: Vec<&Value> = offered.map(|option| &option["optionId"]).collect();
        prop_assert_eq!(json!(ids), json!(offered), "as offered, in their order");
        for id in &ids {
            let reply = incoming
                .reply
                .selected(id, &Carried::default())
                .expect("a reply");
            prop_assert_eq!(
                reply,
                json!({"outcome": {"outcome": "selected", "optionId": id}})
            );
        }
        prop_assert_eq!(
            incoming.reply.cancelled(),
            Some(json!({"outcome": {"outcome": "cancelled"}}))
        );
    } else {
        check_hook(params, &incoming, &ids)?;
    }
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(Box::new(Prepared::new(incoming.request))), 0);
    let entry = queue.entry(RequestId(1)).expect("it arrived");
    let detail = serde_json::to_value(view::detail(entry)).expect("JSON");
    let shown: Vec<&Value> = detail["options"]
        .as_array()
        .expect("options")
        .iter()
        .map(|it| &it["id"])
        .collect();
    prop_assert_eq!(json!(shown), json!(ids), "a person is shown the same");
    serde_json::to_value(view::row(RequestId(1), entry)).expect("JSON");
    Ok(())
}

/// A hook offers a fixed table; its replies hold nothing but what came in.
fn check_hook(params: &Value, incoming: &Incoming, ids: &[String]) -> Result<(), TestCaseError> {
    if incoming.request.question.is_some() {
        prop_assert_eq!(json!(ids), json!(["answer", "decline"]));
        let reply = |id| incoming.reply.selected(id, &Carried::default());
        prop_assert_eq!(reply("answer"), None, "no answer without answers");
        let declined = reply("decline").expect("a reply");
        let behavior = declined.pointer("/hookSpecificOutput/decision/behavior");
        prop_assert_eq!(behavior, Some(&json!("deny")));
        return Ok(());
    }
    let known = [
        "allow",
        "allow:suggestion:0",
        "allow:mode:default",
        "allow:mode:acceptEdits",
        "deny",
    ];
    for id in known {
        let carried = Carried {
            feedback: Some("why".into()),
            amendment: None,
            answers: None,
        };
        let reply = incoming.reply.selected(id, &carried);
        if !ids.iter().any(|offered| offered == id) {
            let allows = reply
                .as_ref()
                .is_some_and(|it| it["hookSpecificOutput"]["decision"]["behavior"] == "allow");
            prop_assert!(!allows, "{} was not offered", id);
            continue;
        }
        let reply = reply.expect("a reply");
        let decision = &reply["hookSpecificOutput"]["decision"];
        prop_assert_eq!(
            &decision["behavior"],
            if id == "deny" { "deny" } else { "allow" }
        );
        match id {
            "allow" => prop_assert_eq!(decision, &json!({"behavior": "allow"})),
            "deny" => prop_assert_eq!(decision, &json!({"behavior": "deny", "message": "why"})),
            "allow:suggestion:0" => prop_assert_eq!(
                &decision["updatedPermissions"],
                &params["permission_suggestions"]
            ),
            _ => {
                let plan = params["tool_input"].get("plan").filter(|it| it.is_string());
                let input = plan.map_or(json!({}), |plan| json!({"plan": plan}));
                prop_assert_eq!(&decision["updatedInput"], &input);
            }
        }
    }
    prop_assert!(ids.iter().all(|id| known.contains(&id.as_str())));
    prop_assert_eq!(
        ids.last().map(String::as_str),
        Some("deny"),
        "a no is always there"
    );
    prop_assert_eq!(
        incoming
            .reply
            .selected("anything else", &Carried::default()),
        None
    );
    prop_assert_eq!(
        incoming.reply.cancelled(),
        None,
        "a hook that is taken back says nothing"
    );
    Ok(())
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
    fn any_json_is_read_or_refused(params in json_value(), updates in prop::collection::vec(json_value(), 0..3)) {
        let mut calls = ToolCalls::default();
        for update in &updates {
            let _ = calls.update(update);
        }
        for method in ["session/request_permission", "hook/PermissionRequest"] {
            if let Some(incoming) = decoded(method, &params, &calls) {
                check(method, &params, incoming)?;
            }
        }
    }

    #[test]
    fn a_damaged_request_offers_what_it_says(request in damaged(), updates in prop::collection::vec(json_value(), 0..2)) {
        let (method, params) = request;
        let mut calls = ToolCalls::default();
        for update in updates {
            // For the very call, so that it is joined.
            let mut update = match update {
                Value::Object(members) => members,
                other => Map::from_iter([("rawInput".to_owned(), other)]),
            };
            update.insert("sessionUpdate".into(), "tool_call".into());
            update.insert("toolCallId".into(), params["toolCall"]["toolCallId"].clone());
            let _ = calls.update(&json!({"sessionId": params["sessionId"], "update": update}));
        }
        if let Some(incoming) = decoded(&method, &params, &calls) {
            check(&method, &params, incoming)?;
        }
    }

    #[test]
    fn any_text_is_a_patch_or_none(text in prop_oneof![any::<String>(), prop::collection::vec(proptest::sample::select(vec!["--- a", "+++ b", "+++ /dev/null", "@@ -1 +1 @@", "@@ -1,2 +1,3 @@ f", "@@ -,+ @@", " x", "-y", "+z", "\\ No newline", "", "é"]), 0..14).prop_map(|lines| lines.join("\n"))]) {
        for file in patch::parse(&text).unwrap_or_default() {
            for hunk in &file.hunks {
                let count = |other: char| hunk.rows.iter().filter(|row| row.op != other).count();
                prop_assert_eq!((count('+'), count('-')), (hunk.old_lines, hunk.new_lines));
            }
        }
    }
}

#[test]
fn most_damaged_requests_are_still_shown() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let shown = (0..300).filter(|_| {
        let (method, params) = damaged()
            .new_tree(&mut runner)
            .expect("a request")
            .current();
        decoded(&method, &params, &ToolCalls::default()).is_some()
    });
    // Otherwise the test above would show little.
    assert!(shown.count() > 100);
}
