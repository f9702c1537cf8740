use super::*;

fn decode_value(params: Value) -> Result<Incoming, Invalid> {
    decode(
        &params.to_string(),
        &params,
        &ToolCalls::default(),
        &Context::default(),
    )
}

fn options_json() -> Value {
    json!([{"optionId": "a", "name": "A", "kind": "allow_once"}, {"optionId": "r", "name": "R", "kind": "reject_once"}])
}

#[test]
fn wrong_shapes_are_refused_by_name() {
    let table = [
        json!({"sessionId": 42, "toolCall": {"toolCallId": "t"}, "options": options_json()}),
        json!({"sessionId": "s", "toolCall": null, "options": options_json()}),
        json!(["s", {}, []]),
        json!("x"),
        Value::Null,
        json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": []}),
        json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}}),
        json!({"sessionId": "s".repeat(1025), "toolCall": {"toolCallId": "t"}, "options": options_json()}),
    ];
    for params in table {
        assert!(decode_value(params.clone()).is_err(), "{params}");
    }
}

#[test]
fn an_overwrite_is_not_taken_for_a_new_file() {
    let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "kind": "edit", "title": "Write a.txt",
        "content": [{"type": "diff", "path": "/w/a.txt", "oldText": null, "newText": "x"}]}, "options": options_json()});
    let request = decode_value(params).expect("valid").request;
    assert!(matches!(
        request.files[0].change,
        Change::Operation(Operation::Write(_))
    ));
}

#[test]
fn what_cannot_be_shown_is_counted() {
    let content = json!([{"type": "hologram"}, {"type": "diff", "path": "/w/a"}, {"type": "content", "content": {"type": "image"}},
        {"type": "diff", "path": "/w/a", "oldText": 1, "newText": "x"}]);
    let params = json!({"sessionId": "s", "future": 1, "toolCall": {"toolCallId": "t", "title": "T", "content": content,
        "locations": [{"line": 1}]}, "options": options_json()});
    assert_eq!(decode_value(params).expect("valid").request.not_shown, 5);
}

#[test]
fn prompt_text_is_read_in_version_1_only() {
    let ask = |meta: Value| {
        let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": "ls", "kind": "execute"},
            "options": options_json(), "_meta": {"permission": meta}});
        decode_value(params).expect("valid").request.words
    };
    assert_eq!(
        ask(json!({"version": 1, "title": "Run?", "description": "Why"})),
        ["Run?", "Why"]
    );
    assert_eq!(
        ask(json!({"version": 1, "title": " "})),
        Vec::<String>::new()
    );
    assert_eq!(
        ask(json!({"version": 2, "title": "Run?"})),
        Vec::<String>::new()
    );
}

#[test]
fn a_v2_request_is_read() {
    let params = json!({"sessionId": "s", "title": "Run", "description": "Reason", "subject": {"type": "command",
        "command": "ls", "cwd": "/w"}, "options": options_json()});
    let request = decode_value(params).expect("valid").request;
    assert_eq!(request.tool_call.command.as_deref(), Some("ls"));
    assert_eq!(request.words, ["Reason"]);
    assert!(!request.join_failed);
}

#[test]
fn an_unknown_mode_elevates() {
    let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": "Plan", "kind": "switch_mode",
        "rawInput": {"plan": "# P"}}, "options": [{"optionId": "exit-plan-default", "name": "A", "kind": "allow_once"},
        {"optionId": "yolo", "name": "B", "kind": "allow_once"}, {"optionId": "reject", "name": "C", "kind": "reject_once"}]});
    let request = decode_value(params).expect("valid").request;
    let elevates: Vec<bool> = request
        .options
        .iter()
        .map(|choice| choice.elevates)
        .collect();
    assert_eq!(elevates, [false, true, false]);
    assert_eq!(request.plan.as_deref(), Some("# P"));
}
