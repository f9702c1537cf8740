use super::*;

const ASK: &str = r#""method":"session/request_permission""#;

fn limits() -> Limits {
    Limits::default()
}

/// Code and id of the error.
fn refused(line: &str) -> (i64, Option<String>) {
    let e = check(line.as_bytes(), &limits()).expect_err(line);
    (e.code, e.id)
}

fn with_id(code: i64, id: &str) -> (i64, Option<String>) {
    (code, Some(id.to_owned()))
}

fn params(raw: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,{ASK},"params":{raw}}}"#)
}

#[test]
fn passes_params_untouched() {
    for raw in [
        r#"{"options":[]}"#,
        r#"{"sessionId":"s","options":null}"#,
        r#"["s",{},[]]"#,
        r#""x""#,
        r#"{ "a" : 1.0, "b":"\ud83d\ude00" }"#,
    ] {
        let line = params(raw);
        let frame = check(line.as_bytes(), &limits()).unwrap();
        assert_eq!(frame.id.as_deref(), Some("1"));
        let method = "session/request_permission".to_owned();
        let params = Some(raw);
        assert_eq!(frame.kind, Kind::Request { method, params });
    }
    let bare = r#"{"jsonrpc":"2.0","id":4,"method":"a"}"#;
    let frame = check(bare.as_bytes(), &limits()).unwrap();
    assert!(matches!(frame.kind, Kind::Request { params: None, .. }));
}

#[test]
fn envelope_errors() {
    let cases = [
        (
            r#"{"jsonrpc":"1.0","id":6,"method":"a","params":{}}"#,
            Some("6"),
        ),
        (r#"{"id":7,"method":"a","params":{}}"#, Some("7")),
        (r#"{"jsonrpc":"2.0","id":9,"method":17}"#, Some("9")),
        (r#"{"jsonrpc":"2.0","id":10}"#, Some("10")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
            Some("1"),
        ),
        ("{}", None),
        (r#""""#, None),
        ("7", None),
        ("null", None),
        ("true", None),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, None),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, None),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"a"}"#, None),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, None),
        (r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, None),
        (r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"a"}"#, None),
        (r#"{"jsonrpc":"2.0","id":3,"\u0069d":4,"method":"a"}"#, None),
    ];
    for (line, id) in cases {
        assert_eq!(
            refused(line),
            (INVALID_REQUEST, id.map(str::to_owned)),
            "{line}"
        );
    }
}

#[test]
fn kinds() {
    for line in [
        r#"{"jsonrpc":"2.0","id":10,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
    ] {
        assert_eq!(
            check(line.as_bytes(), &limits()).unwrap().kind,
            Kind::Response
        );
    }
    let note = "{\"jsonrpc\":\"2.0\",\"m\\u0065thod\":\"a\\/b\"}\r";
    let frame = check(note.as_bytes(), &limits()).unwrap();
    assert_eq!(frame.id, None);
    let method = "a/b".to_owned();
    let params = None;
    assert_eq!(frame.kind, Kind::Notification { method, params });
}

#[test]
fn duplicate_keys_at_any_depth() {
    for raw in [
        r#"{"toolCall":{"rawInput":{"command":"npm test","command":"x"}}}"#,
        r#"{"options":[{"optionId":"r"}],"options":[]}"#,
        r#"{"options":[{"optionId":"r","optionId":"a","kind":1,"kind":2}]}"#,
        r#"{"command":"npm test","comm\u0061nd":"x"}"#,
        r#"{"":1,"":1}"#,
    ] {
        assert_eq!(refused(&params(raw)), with_id(INVALID_PARAMS, "1"));
    }
    let envelope = r#"{"jsonrpc":"2.0","method":"a","method":"b","id":"x"}"#;
    assert_eq!(refused(envelope), with_id(INVALID_PARAMS, "\"x\""));
    assert!(check(params(r#"[{"a":{"a":1}},{"a":1}]"#).as_bytes(), &limits()).is_ok());
}

#[test]
fn depth_and_nodes() {
    let nest =
        |n: usize, open: &str, close: &str| params(&(open.repeat(n) + "1" + &close.repeat(n)));
    assert!(check(nest(63, "[", "]").as_bytes(), &limits()).is_ok());
    assert!(check(nest(63, "{\"a\":", "}").as_bytes(), &limits()).is_ok());
    for n in [64, 65, 127, 128, 129, 100_000] {
        assert_eq!(refused(&nest(n, "[", "]")), with_id(INVALID_PARAMS, "1"));
        assert_eq!(
            refused(&nest(n, "{\"a\":", "}")),
            with_id(INVALID_PARAMS, "1")
        );
    }
    let many = format!("[{}0]", "{},".repeat(200_000));
    assert_eq!(refused(&params(&many)), with_id(INVALID_PARAMS, "1"));
    let late = format!(r#"{{"jsonrpc":"2.0","method":"a","params":{many},"id":"z"}}"#);
    assert_eq!(refused(&late), with_id(INVALID_PARAMS, "\"z\""));
    assert_eq!(refused(&"[".repeat(100_000)), (PARSE_ERROR, None));
}

#[test]
fn surrogates_and_numbers() {
    for raw in [
        r#""\ud83d""#,
        r#""\ude00x""#,
        r#""\ud83d\ud83d\ude00""#,
        r#"{"\ud83d":1}"#,
        "1e400",
    ] {
        assert_eq!(refused(&params(raw)), with_id(INVALID_PARAMS, "1"), "{raw}");
    }
    let lone = r#"{"jsonrpc":"2.0","id":"\ud83d","method":"a"}"#;
    assert_eq!(refused(lone), (INVALID_PARAMS, None));
}

#[test]
fn ids() {
    for id in ["1.0", "1e3", "1e400", "-0", "184467440737095516160", "\"\""] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#);
        assert_eq!(check(line.as_bytes(), &limits()).unwrap().id.unwrap(), id);
    }
    let long = |n| {
        let id = "a".repeat(n);
        format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"a"}}"#)
    };
    assert!(check(long(1024).as_bytes(), &limits()).is_ok());
    assert_eq!(refused(&long(1025)).0, INVALID_PARAMS);
    assert!(same_id("1", "1.0") && same_id("1000", "1e3") && same_id("\"a\"", "\"\\u0061\""));
    assert!(!same_id("0", "\"0\"") && !same_id("1", "2"));
    assert!(!same_id("9007199254740993", "9007199254740992"));
    assert!(!same_id("1e400", "1e401"));
}

#[test]
fn garbage() {
    let good = params("{}");
    for line in [
        format!("\u{feff}{good}"),
        format!("{good} trailing"),
        format!("{good}{good}"),
        "// comment".to_owned(),
        "{'id':3}".to_owned(),
        "Content-Length: 45\r".to_owned(),
        "GET /decide?id=1&optionId=allow-once HTTP/1.1\r".to_owned(),
        "Host: x\r".to_owned(),
        good[..good.len() - 1].to_owned(),
        String::new(),
        params("{\"a\":1,}"),
        params("[1,]"),
        params("[1}"),
        params("01"),
        params("1."),
        params("+1"),
        params("NaN"),
        params("\"\\x\""),
        params("\"\\u12g4\""),
        params("\"\t\""),
        params("{1:2}"),
    ] {
        assert_eq!(refused(&line), (PARSE_ERROR, None), "{line}");
    }
    let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [
        &utf16[..],
        b"\x16\x03\x01\x02\x00\x01",
        b"\"\xff\"",
        b"\"\xed\xa0\xbd\"",
    ] {
        assert_eq!(check(bytes, &limits()).unwrap_err().code, PARSE_ERROR);
    }
    let small = Limits {
        frame: 10,
        ..limits()
    };
    assert_eq!(
        check(good.as_bytes(), &small).unwrap_err().code,
        INVALID_REQUEST
    );
}

#[test]
fn messages_hold_no_content() {
    let e = check(params("{\"secret\":1,\"secret\":2}").as_bytes(), &limits()).unwrap_err();
    assert!(!e.message.contains("secret"));
}
