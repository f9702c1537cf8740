//! Forms on a real socket: what each side sees.

mod rig;

use rig::{Peer, Rig};
use serde_json::{Value, json};

#[test]
fn a_form_is_answered_cancelled_or_handed_back_in_its_own_words() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    let form = json!({"mode": "form", "message": "Where to?", "requestedSchema": {"type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer", "maximum": 9}, "a": {"type": "string"}}}});
    let ask = |peer: &mut Peer, id: u32, params: &Value| {
        peer.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{params}}}"#
        ));
    };
    let answer = |rig: &mut Rig, id: u64, answers: Value| {
        rig.tell(
            &json!({"decide": {"id": id, "revision": 1, "option": "answer", "answers": answers}}),
        );
        rig.line()
    };
    ask(&mut peer, 7, &form);
    let arrived = rig.line();
    let seen = &arrived["arrived"]["detail"];
    assert_eq!(seen["question"]["fields"][0]["kind"]["max"], "9");
    assert_eq!((&seen["fact"], &seen["plan"]), (&Value::Null, &Value::Null));
    for wrong in [
        json!({}),
        json!({"n": 10}),
        json!({"n": "x"}),
        json!({"n": 1, "z": 1}),
    ] {
        assert_eq!(answer(&mut rig, 1, wrong)["refused"]["why"], "incomplete");
    }
    let settled = answer(&mut rig, 1, json!({"a": "x", "n": "3"}));
    assert_eq!(settled["settled"]["outcome"], json!({"selected": "answer"}));
    let content =
        r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"n":3,"a":"x"}}}"#;
    assert_eq!(peer.line(), content);
    assert_eq!(rig.line()["changed"]["detail"]["ended"]["delivered"], "yes");

    ask(&mut peer, 8, &form);
    rig.line();
    peer.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":8}}"#);
    assert_eq!(rig.line()["settled"]["why"], "cancelled");
    assert_eq!(
        peer.line(),
        r#"{"jsonrpc":"2.0","id":8,"result":{"action":"cancel"}}"#
    );

    let url = json!({"mode": "url", "elicitationId": "e", "url": "https://example.com/", "message": "Sign in"});
    for params in [
        url,
        json!({"message": "M", "requestedSchema": {"properties": {"f": {"type": "object"}}}}),
    ] {
        ask(&mut peer, 9, &params);
        let handed_back: Value = serde_json::from_str(&peer.line()).expect("JSON");
        assert_eq!(handed_back["error"]["code"], -32010);
        assert_eq!(handed_back["error"]["data"]["reason"], "no_surface");
    }
    // Answers are no way to change what another request does.
    peer.ask("10", "ls");
    assert_eq!(rig.line()["arrived"]["id"], 3);
    rig.tell(&json!({"decide": {"id": 3, "revision": 1, "option": "a ", "answers": {"n": 3}}}));
    assert_eq!(rig.line()["refused"]["why"], "not_amendable");
}
