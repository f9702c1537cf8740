//! Every recorded request of a real agent: what a person sees, and for each option the exact reply.
//!
//! Fixtures: `request-N.json` recorded from claude-agent-acp 0.101.0, Claude Code 2.1.328 and codex-acp 2.6.0,
//! with `answers` of ours where it is a question; `view-N.json`
//! is written by `UPDATE_EXPECT=1 cargo test --test golden`.

use doorward_core::question::Answers;
use doorward_core::queue::{Event, Queue, RequestId};
use doorward_core::request::Carried;
use doorward_core::shown::Prepared;
use doorward_core::view;
use doorward_protocols::tool_calls::ToolCalls;
use doorward_protocols::{Context, acp, claude_hook, elicitation};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

#[test]
fn every_recorded_request_is_shown_and_answered_exactly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut requests = files(&root);
    requests.retain(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("request-"))
    });
    assert!(
        requests.len() > 100,
        "the fixtures are there: {}",
        requests.len()
    );
    let wrong: Vec<_> = requests.iter().filter(|path| !matches(path)).collect();
    assert!(wrong.is_empty(), "these views differ: {wrong:#?}");
}

fn matches(path: &Path) -> bool {
    let fixture: Value = serde_json::from_str(&read(path)).expect("a fixture is JSON");
    let seen = serde_json::to_string_pretty(&see(&fixture)).expect("a view is JSON") + "\n";
    let name = path
        .file_name()
        .expect("a file")
        .to_string_lossy()
        .replace("request-", "view-");
    let golden = path.with_file_name(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&golden, &seen).expect("write the golden view");
    }
    read(&golden) == seen
}

/// The detail without `raw` (it is the params), and the reply to each option.
fn see(fixture: &Value) -> Value {
    let params = &fixture["params"];
    let raw = params.to_string();
    let mut calls = ToolCalls::default();
    for update in fixture["updates"].as_array().expect("updates") {
        calls.update(update);
    }
    let context = Context::default();
    let incoming = match fixture["method"].as_str().expect("a method") {
        "session/request_permission" => {
            Some(acp::decode(&raw, params, &calls, &context).expect("decodes"))
        }
        "elicitation/create" => {
            elicitation::decode(&raw, params, &calls, &context).expect("decodes")
        }
        _ => claude_hook::decode(&raw, params, &context).expect("decodes"),
    };
    let Some(incoming) = incoming else {
        return json!("no card");
    };
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(Box::new(Prepared::new(incoming.request))), 0);
    let entry = queue.entry(RequestId(1)).expect("it arrived");
    let mut detail = serde_json::to_value(view::detail(entry)).expect("a detail is JSON");
    detail.as_object_mut().expect("an object").remove("raw");
    let carried = Carried {
        answers: entry.request.question.as_ref().map(|question| {
            let given: Answers =
                serde_json::from_value(fixture["answers"].clone()).expect("answers");
            question.validate(&given).expect("valid answers")
        }),
        ..Carried::default()
    };
    let reply = |choice: &doorward_core::request::Choice| {
        let reply = incoming
            .reply
            .selected(&choice.id, &carried)
            .expect("an offered option has a reply");
        (choice.id.clone(), reply)
    };
    let replies: Map<String, Value> = entry.request.options.iter().map(reply).collect();
    json!({"detail": detail, "replies": replies})
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .expect("a folder of fixtures")
        .map(|entry| entry.expect("an entry").path());
    let mut found: Vec<_> = entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    found.sort();
    found
}
