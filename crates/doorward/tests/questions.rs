//! Questions end to end: the command between an agent and the real broker, with a person who fills the form.

mod rig;

use rig::{Harness, Rig, Server, cancel, directory, doorward, end, finish, socket, start};
use serde_json::{Value, json};

const PARAMS: &str = r#"{"mode":"form","sessionId":"s","toolCallId":"t","message":"Which database?","requestedSchema":{"type":"object","properties":{"question_0":{"type":"string","title":"DB","oneOf":[{"const":"Postgres"},{"const":"SQLite"}]},"question_0_custom":{"type":"string","title":"Other"}}}}"#;

fn form(id: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{params}}}"#)
}

fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// A relay with the real Doorward, and one open form under the agent's id.
fn asked(id: &str) -> (Rig, Harness, Value) {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut rig = Rig::start(directory, &[], "exit 0");
    let arrived = ask(&mut rig, &harness, id);
    (rig, harness, arrived)
}

fn ask(rig: &mut Rig, harness: &Harness, id: &str) -> Value {
    rig.agent_says(&form(id, PARAMS));
    assert_eq!(rig.editor_hears(), form(id, PARAMS));
    harness.expect("arrived")
}

#[test]
fn row_1_the_editors_form_is_filled_first() {
    let (mut rig, mut harness, arrived) = asked("0");
    let answer = result(
        "0",
        r#"{ "action":"accept", "content":{"question_0":"Postgres"} }"#,
    );
    rig.editor_says(&answer);
    assert_eq!(rig.agent_hears(), answer);
    let settled = harness.expect("settled");
    assert_eq!(
        (&settled["end"], &settled["why"]),
        (&json!("withdrawn"), &json!("elsewhere"))
    );
    harness.fill(&arrived, "answer", &json!({"question_0": "SQLite"}));
    assert_eq!(harness.expect("refused")["why"], "not_pending");
    rig.agent_heard_no_more();
}

#[test]
fn row_2_doorwards_form_is_filled_first() {
    let (mut rig, mut harness, arrived) = asked("\"a\"");
    let question = &arrived["detail"]["question"];
    assert_eq!(question["fields"][0]["title"], "Which database?");
    let filled = json!({"question_0_custom": "small", "question_0": "SQLite"});
    harness.fill(&arrived, "answer", &filled);
    let content =
        r#"{"action":"accept","content":{"question_0":"SQLite","question_0_custom":"small"}}"#;
    assert_eq!(rig.agent_hears(), result("\"a\"", content));
    assert_eq!(rig.editor_hears(), cancel("\"a\""));
    assert_eq!(harness.expect("settled")["outcome"]["selected"], "answer");
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
    rig.editor_says(&result("\"a\"", r#"{"action":"cancel"}"#));
    rig.agent_heard_no_more();
}

#[test]
fn a_question_is_declined_and_never_cancelled_by_a_person() {
    let (rig, mut harness, arrived) = asked("1");
    harness.fill(&arrived, "decline", &json!(null));
    assert_eq!(rig.agent_hears(), result("1", r#"{"action":"decline"}"#));
    assert_eq!(rig.editor_hears(), cancel("1"));
    assert_eq!(harness.expect("settled")["outcome"]["selected"], "decline");
}

#[test]
fn what_does_not_fit_the_form_leaves_it_open() {
    let (rig, mut harness, arrived) = asked("1");
    for wrong in [
        json!(null),
        json!({}),
        json!({"question_0": "MySQL"}),
        json!({"question_0": "SQLite", "stranger": "x"}),
        json!({"question_0_custom": 7}),
    ] {
        harness.fill(&arrived, "answer", &wrong);
        assert_eq!(harness.expect("refused")["why"], "incomplete", "{wrong}");
    }
    for stranger in ["allow", "accept", "Answer", "SQLite"] {
        harness.fill(&arrived, stranger, &json!({"question_0": "SQLite"}));
        assert_eq!(harness.expect("refused")["why"], "not_offered");
    }
    harness.fill(&arrived, "answer", &json!({"question_0": "SQLite"}));
    let content = r#"{"action":"accept","content":{"question_0":"SQLite"}}"#;
    assert_eq!(rig.agent_hears(), result("1", content));
}

#[test]
fn row_5_a_cancel_of_the_agent_takes_the_form_away() {
    let (mut rig, harness, _) = asked("1");
    rig.agent_says(&cancel("1"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    let settled = harness.expect("settled");
    assert_eq!(
        (&settled["end"], &settled["why"]),
        (&json!("withdrawn"), &json!("cancelled"))
    );
    rig.editor_says(&result("1", r#"{"action":"cancel"}"#));
    assert_eq!(rig.agent_hears(), result("1", r#"{"action":"cancel"}"#));
    rig.agent_heard_no_more();
}

#[test]
fn row_7_no_answer_follows_a_cancelled_session() {
    let (mut rig, mut harness, arrived) = asked("1");
    let stop = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    rig.editor_says(stop);
    assert_eq!(rig.agent_hears(), stop);
    assert_eq!(harness.expect("settled")["why"], "cancelled");
    harness.fill(&arrived, "answer", &json!({"question_0": "SQLite"}));
    assert_eq!(harness.expect("refused")["why"], "not_pending");
    rig.agent_heard_no_more();
}

#[test]
fn row_12_a_lost_form_is_submitted_again_as_a_form() {
    let directory = directory();
    let mut server = Server::start(&socket(&directory));
    let mut rig = Rig::start(directory, &[], "exit 0");
    server.accept();
    rig.agent_says(&form("1", PARAMS));
    rig.editor_hears();
    let nonce = server.expect("doorward/nonce")["params"]["nonce"].clone();
    assert_eq!(
        server.expect("elicitation/create")["params"]["toolCallId"],
        "t"
    );
    server.hang_up();
    server.accept();
    assert_eq!(server.expect("doorward/nonce")["params"]["nonce"], nonce);
    server.expect("elicitation/create");
}

#[test]
fn row_14_alone_a_stopped_form_is_cancelled_in_its_own_words() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut rig = Rig::start(directory, &["--only-doorward"], "exit 0");
    rig.agent_says(&form("1", PARAMS));
    harness.expect("arrived");
    rig.editor_heard_no_more();
    let stop = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    rig.editor_says(stop);
    assert_eq!(rig.agent_hears(), stop);
    assert_eq!(rig.agent_hears(), result("1", r#"{"action":"cancel"}"#));
    harness.expect("settled");

    rig.agent_says(&form("2", PARAMS));
    harness.expect("arrived");
    rig.agent_says(&cancel("2"));
    assert_eq!(rig.agent_hears(), result("2", r#"{"action":"cancel"}"#));
}

#[test]
fn what_cannot_be_drawn_is_the_editors_alone() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut rig = Rig::start(directory, &["--only-doorward"], "exit 0");
    let nested = PARAMS.replace(r#""title":"DB","#, r#""title":"DB","if":{},"#);
    let url = r#"{"mode":"url","sessionId":"s","elicitationId":"e","url":"https://example.com/","message":"Sign in"}"#;
    for params in [&nested, url] {
        rig.agent_says(&form("1", params));
        assert_eq!(rig.editor_hears(), form("1", params));
        rig.editor_says(&result("1", r#"{"action":"decline"}"#));
        assert_eq!(rig.agent_hears(), result("1", r#"{"action":"decline"}"#));
    }
    rig.agent_heard_no_more();
    assert_eq!(harness.try_next(), None);
}

const HOOK: &str = include_str!("../../../tests/fixtures/claude-hook/i-pr-ask/request-1.json");

fn hook_input() -> String {
    let fixture: Value = serde_json::from_str(HOOK).unwrap();
    fixture["params"].to_string()
}

fn hook(socket: &std::path::Path) -> std::process::Command {
    let mut hook = doorward(socket);
    hook.args(["hook", "claude"]);
    hook
}

#[test]
fn the_hook_prints_the_answers_under_the_questions_own_texts() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), &hook_input());
    let arrived = harness.expect("arrived");
    assert_eq!(arrived["detail"]["heading"], "Claude Code asks 2 questions");
    harness.fill(&arrived, "answer", &json!({}));
    assert_eq!(harness.expect("refused")["why"], "incomplete");
    let filled = json!({"question_0": "SQLite", "question_0_custom": "small",
        "question_1": ["Search", "Auth"], "question_1_custom": "Sync, later"});
    harness.fill(&arrived, "answer", &filled);
    let (printed, code) = end(child);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let decision = &printed["hookSpecificOutput"]["decision"];
    let asked: Value = serde_json::from_str(&hook_input()).unwrap();
    let expected = json!({"behavior": "allow", "updatedInput": {
        "questions": asked["tool_input"]["questions"],
        "answers": {"Which database?": "SQLite", "Which features?": "Auth, Search, \"Sync, later\""},
        "annotations": {"Which database?": {"notes": "small"}}}});
    assert_eq!((decision, code), (&expected, Some(0)));
}

#[test]
fn the_hook_declines_in_words_and_hands_back_in_silence() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), &hook_input());
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "decline");
    let said = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"The user declined to answer."}}}"#;
    assert_eq!(end(child), (said.into(), Some(0)));
    harness.expect("settled");
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");

    let child = start(hook(&socket(&directory)), &hook_input());
    let arrived = harness.expect("arrived");
    harness.abstain(&arrived);
    assert_eq!(end(child), (String::new(), Some(0)));
    harness.expect("settled");

    // Two questions of one text could not be told apart in the answer.
    let twice = hook_input().replace("Which features?", "Which database?");
    let silent = finish(hook(&socket(&directory)), &twice);
    assert_eq!(silent, (String::new(), Some(0)));
    assert_eq!(harness.try_next(), None);
}

/// The tool's result holds the answers, wherever they were given: the questions tell which card it is about.
#[test]
fn what_the_tool_says_afterwards_finds_its_card() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    let child = start(hook(&socket(&directory)), &hook_input());
    let arrived = harness.expect("arrived");
    let mut event: Value = serde_json::from_str(&hook_input()).unwrap();
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_input"]["answers"] = json!({"Which database?": "SQLite"});
    harness.fill(&arrived, "answer", &json!({"question_0": "SQLite"}));
    end(child);
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
    finish(hook(&socket(&directory)), &event.to_string());
    harness.changed(|detail| detail["ended"]["applied"] == true);

    // Answered in the terminal.
    let child = start(hook(&socket(&directory)), &hook_input());
    harness.expect("arrived");
    finish(hook(&socket(&directory)), &event.to_string());
    let settled = harness.expect("settled");
    assert_eq!(
        (&settled["end"], &settled["why"]),
        (&json!("withdrawn"), &json!("retired"))
    );
    assert_eq!(end(child), (String::new(), Some(0)));
}
