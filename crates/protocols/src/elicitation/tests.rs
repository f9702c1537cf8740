use super::*;

fn form(schema: Value) -> Option<Question> {
    let params =
        json!({"mode": "form", "sessionId": "s", "message": "M", "requestedSchema": schema});
    let decoded = decode(
        &params.to_string(),
        &params,
        &ToolCalls::default(),
        &Context::default(),
    );
    decoded.expect("valid")?.request.question
}

/// A form of one field `f`.
fn kind(property: Value) -> Option<Kind> {
    let form = form(json!({"type": "object", "properties": {"f": property}}))?;
    form.fields.into_iter().next().map(|field| field.kind)
}

#[test]
fn every_part_of_the_restricted_schema_is_drawn() {
    let number = |integer, min: Option<i64>| Kind::Number {
        integer,
        min: min.map(Into::into),
        max: None,
    };
    assert_eq!(kind(json!({"type": "number"})), Some(number(false, None)));
    assert_eq!(
        kind(json!({"type": "integer", "minimum": 1})),
        Some(number(true, Some(1)))
    );
    assert_eq!(
        kind(json!({"type": "boolean", "title": "B"})),
        Some(Kind::Boolean)
    );
    let Some(Kind::Text(text)) = kind(json!({"type": "string", "format": "date-time",
        "minLength": 1, "maxLength": 9, "pattern": "^a"}))
    else {
        panic!("a text")
    };
    assert_eq!((text.min_length, text.max_length), (Some(1), Some(9)));
    assert_eq!(text.format, Some(Format::DateTime));
    assert_eq!(text.pattern, Pattern::new("^a"));
    for secret in [
        json!({"type": "string", "format": "password"}),
        json!({"type": "string", "writeOnly": true}),
        json!({"type": "string", "_meta": {"codex": {"isSecret": true}}}),
    ] {
        assert!(matches!(kind(secret), Some(Kind::Text(text)) if text.secret));
    }
    for (property, multiple) in [
        (json!({"type": "string", "enum": ["a", "b"]}), false),
        (json!({"enum": ["a", "b"], "enumNames": ["A", "B"]}), false),
        (
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}),
            false,
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
            true,
        ),
        (
            json!({"type": "array", "items": {"anyOf": [{"const": "a"}, {"const": "b"}]}, "minItems": 1}),
            true,
        ),
    ] {
        let Some(Kind::Choice(choices)) = kind(property.clone()) else {
            panic!("a choice: {property}")
        };
        let values: Vec<&str> = choices.options.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(
            (values.as_slice(), choices.multiple),
            (&["a", "b"][..], multiple)
        );
    }
}

#[test]
fn what_cannot_be_drawn_whole_is_handed_back() {
    for property in [
        json!({}),
        json!("string"),
        json!({"type": "object", "properties": {}}),
        json!({"type": ["string", "null"]}),
        json!({"type": "_color"}),
        json!({"type": "string", "contentEncoding": "base64"}),
        json!({"type": "string", "pattern": "(?=a)"}),
        json!({"type": "string", "minLength": -1}),
        json!({"type": "string", "enum": []}),
        json!({"type": "string", "enum": ["a", 1]}),
        json!({"type": "string", "enum": ["a", "a"]}),
        json!({"type": "string", "enum": ["a"], "oneOf": [{"const": "a"}]}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}),
        json!({"type": "string", "oneOf": [{"title": "A"}]}),
        json!({"type": "string", "oneOf": [{"const": "a", "if": {}}]}),
        json!({"type": "integer", "enum": [1, 2]}),
        json!({"type": "number", "multipleOf": 2}),
        json!({"type": "number", "minimum": "1"}),
        json!({"type": "boolean", "const": true}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array", "items": {"type": "number", "enum": ["a"]}}),
        json!({"type": "array"}),
    ] {
        assert_eq!(kind(property.clone()), None, "{property}");
    }
    for schema in [
        json!(null),
        json!({"type": "array"}),
        json!({"type": "object", "properties": {}, "if": {}}),
        json!({"type": "object", "properties": [], "required": []}),
        json!({"type": "object", "properties": {}, "required": ["f"]}),
        json!({"properties": (0..101).map(|n| (n.to_string(), json!({"type": "boolean"}))).collect::<Map<_, _>>()}),
    ] {
        assert_eq!(form(schema.clone()), None, "{schema}");
    }
    let url = json!({"mode": "url", "sessionId": "s", "elicitationId": "e", "url": "https://a", "message": "M"});
    let decoded = decode("", &url, &ToolCalls::default(), &Context::default());
    assert_eq!(decoded, Ok(None));
}

#[test]
fn fields_keep_their_order_and_defaults_that_fit() {
    let form = form(
        json!({"type": "object", "title": "T", "required": ["m"], "properties": {
        "z": {"type": "string", "default": "a"},
        "a": {"type": "integer", "default": "1"},
        "m": {"type": "string", "enum": ["x"], "default": "y"},
        "b": {"type": "boolean", "default": false},
        "1": {"type": "array", "items": {"enum": ["x", "y"]}, "default": ["y"]}}}),
    )
    .expect("a form");
    let seen: Vec<(&str, bool, Option<Value>)> = form
        .fields
        .iter()
        .map(|field| (field.id.as_str(), field.required, field.default.clone()))
        .collect();
    assert_eq!(
        seen,
        [
            ("z", false, Some(json!("a"))),
            ("a", false, None),
            ("m", true, None),
            ("b", false, Some(json!(false))),
            ("1", false, Some(json!(["y"]))),
        ]
    );
    assert_eq!((form.message.as_str(), form.needs_one), ("M", false));
}

#[test]
fn a_text_that_belongs_to_a_choice_stands_with_it() {
    let offers =
        json!([{"const": "a", "_meta": {"_claude/askUserQuestionOption": {"preview": "P"}}}]);
    let claude = form(json!({"type": "object", "properties": {
        "question_0": {"type": "string", "title": "DB", "oneOf": offers},
        "question_0_custom": {"type": "string", "title": "Other"}}}))
    .expect("a form");
    let [field] = claude.fields.as_slice() else {
        panic!("one field")
    };
    assert_eq!(
        (field.title.as_str(), field.tag.as_deref()),
        ("M", Some("DB"))
    );
    assert_eq!((claude.message.as_str(), claude.needs_one), ("", true));
    let Kind::Choice(choices) = &field.kind else {
        panic!("a choice")
    };
    assert_eq!(choices.options[0].preview.as_deref(), Some("P"));
    assert_eq!(
        choices.other.as_ref().expect("another").id,
        "question_0_custom"
    );

    let note = json!({"codex": {"questionId": "q1", "role": "user_note", "isSecret": true}});
    let codex = form(json!({"type": "object", "required": ["q1"], "properties": {
        "q1": {"type": "string", "title": "Which?", "oneOf": offers},
        "q1_note": {"type": "string", "title": "Note", "_meta": note}}}))
    .expect("a form");
    let Kind::Choice(choices) = &codex.fields[0].kind else {
        panic!("a choice")
    };
    assert_eq!((codex.fields.len(), codex.needs_one), (1, false));
    assert!(choices.other.as_ref().is_some_and(|other| other.secret));

    // A text that has rules of its own is a field of its own.
    let apart = form(json!({"type": "object", "properties": {
        "a": {"type": "string", "oneOf": offers},
        "a_custom": {"type": "string", "maxLength": 3}}}));
    assert_eq!(apart.expect("a form").fields.len(), 2);
}

#[test]
fn the_three_results_are_the_protocols() {
    let carried = |answers: Value| Carried {
        answers: answers.as_object().cloned(),
        ..Carried::default()
    };
    let answered = selected(ANSWER, &carried(json!({"z": 1, "a": ["x"]}))).expect("a result");
    assert_eq!(
        answered.to_string(),
        r#"{"action":"accept","content":{"z":1,"a":["x"]}}"#
    );
    assert_eq!(selected(ANSWER, &Carried::default()), None);
    assert_eq!(
        selected(DECLINE, &Carried::default()),
        Some(json!({"action": "decline"}))
    );
    assert_eq!(selected("allow", &carried(json!({}))), None);
    assert_eq!(cancelled(), json!({"action": "cancel"}));
}

#[test]
fn the_agents_own_deadline_is_ours() {
    let params = json!({"mode": "form", "message": "M", "requestedSchema": {"properties": {}},
        "_meta": {"codex": {"autoResolutionMs": 5000}}});
    let decoded = decode("", &params, &ToolCalls::default(), &Context::default());
    let request = decoded.expect("valid").expect("a form").request;
    assert_eq!(
        (request.patience, request.session.id.as_str()),
        (Some(5000), "")
    );
}
