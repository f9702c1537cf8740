use super::*;

fn ask(tool: &str, input: Value, suggestions: Value) -> Incoming {
    let params = json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PermissionRequest", "tool_name": tool,
        "tool_input": input, "permission_suggestions": suggestions});
    decode(&params.to_string(), &params, &Context::default())
        .expect("valid")
        .expect("a card")
}

fn ids(incoming: &Incoming) -> Vec<&str> {
    incoming
        .request
        .options
        .iter()
        .map(|choice| choice.id.as_str())
        .collect()
}

fn decision(incoming: &Incoming, option: &str, feedback: Option<&str>) -> Value {
    let carried = Carried {
        feedback: feedback.map(str::to_owned),
        ..Carried::default()
    };
    let reply = incoming.reply.selected(option, &carried).expect("offered");
    reply["hookSpecificOutput"]["decision"].clone()
}

#[test]
fn replies_are_exactly_the_table() {
    let rules = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm *"}], "behavior": "allow",
        "destination": "localSettings"}]);
    let incoming = ask("Bash", json!({"command": "npm ls"}), rules.clone());
    assert_eq!(ids(&incoming), ["allow", "allow:suggestion:0", "deny"]);
    assert_eq!(
        decision(&incoming, "allow", None),
        json!({"behavior": "allow"})
    );
    assert_eq!(
        decision(&incoming, "allow:suggestion:0", None),
        json!({"behavior": "allow", "updatedPermissions": rules})
    );
    assert_eq!(
        decision(&incoming, "deny", None),
        json!({"behavior": "deny"})
    );
    assert_eq!(
        decision(&incoming, "deny", Some("no")),
        json!({"behavior": "deny", "message": "no"})
    );
    assert_eq!(
        incoming
            .reply
            .selected("allow:mode:default", &Carried::default()),
        None
    );
}

#[test]
fn a_suggestion_that_cannot_be_told_whole_is_not_offered() {
    for suggestions in [
        json!([]),
        Value::Null,
        json!([{"type": "future"}]),
        json!([{"type": "setMode", "mode": "x"}]),
    ] {
        assert_eq!(
            ids(&ask("Bash", json!({"command": "ls"}), suggestions)),
            ["allow", "deny"]
        );
    }
}

#[test]
fn a_plan_is_left_by_mode() {
    let incoming = ask(
        "ExitPlanMode",
        json!({"plan": "# Plan", "planFilePath": "/p"}),
        Value::Null,
    );
    assert_eq!(
        ids(&incoming),
        ["allow:mode:default", "allow:mode:acceptEdits", "deny"]
    );
    assert_eq!(
        decision(&incoming, "allow:mode:default", None),
        json!({"behavior": "allow", "updatedInput": {"plan": "# Plan"},
            "updatedPermissions": [{"type": "setMode", "mode": "default", "destination": "session"}]})
    );
    assert_eq!(incoming.reply.selected("allow", &Carried::default()), None);
}

#[test]
fn a_question_makes_no_card() {
    let params = json!({"session_id": "s", "tool_name": "AskUserQuestion", "tool_input": {}});
    assert_eq!(decode("", &params, &Context::default()), Ok(None));
}

#[test]
fn an_amendment_changes_the_input_and_keeps_the_rest_of_it() {
    let write = json!({"file_path": "/w/a", "content": "x", "later": 1});
    let edit = json!({"file_path": "/w/a", "old_string": "x", "new_string": "y", "replace_all": true, "later": 1});
    let multi = json!({"file_path": "/w/a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "y", "new_string": "z"}]});
    let pair = Replace {
        before: "whole".into(),
        after: "new".into(),
        all: false,
    };
    let written = json!({"file_path": "/w/a", "content": "new", "later": 1});
    let edited = json!({"file_path": "/w/a", "old_string": "whole", "new_string": "new", "replace_all": false, "later": 1});
    let several = json!({"file_path": "/w/a", "edits": [{"old_string": "whole", "new_string": "new", "replace_all": false}]});
    let table = [
        ("Write", write, Operation::Write("new".into()), written),
        ("Edit", edit, Operation::Edit(vec![pair.clone()]), edited),
        ("MultiEdit", multi, Operation::Edit(vec![pair]), several),
    ];
    for (tool, input, operation, updated) in table {
        let params = json!({"session_id": "s", "tool_name": tool, "tool_input": input});
        let incoming = decode(&params.to_string(), &params, &Context::default())
            .expect("valid")
            .expect("a card");
        assert!(incoming.request.affordances.amend);
        let carried = Carried {
            amendment: Some(operation),
            ..Carried::default()
        };
        let said = incoming.reply.selected("allow", &carried).expect("a reply");
        assert_eq!(
            said.pointer("/hookSpecificOutput/decision/updatedInput"),
            Some(&updated)
        );
    }
}
