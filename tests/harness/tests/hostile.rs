//! Every hostile input of `fixtures/hostile`, through the real broker on its real socket.
//!
//! Each file is what one connection sends, byte for byte. The table says what becomes of each line; every case also
//! shows that no other connection is touched, that nothing but the test's hand settles anything, and that no control,
//! format or bidi character reaches a text that a person is shown. What is too large to store or needs more than one
//! connection stands in `hostile_large.rs` and `hostile_scenarios.rs`.

mod cases;
mod rig;
mod watch;

use cases::{CASES, Case, Error, Ignored, Nameless, Row, command};
use rig::Peer;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use watch::Watch;

#[test]
fn every_line_gets_its_class_and_nobody_else_is_touched() {
    let mut watch = Watch::start();
    for case in CASES {
        run(&mut watch, case);
    }
    watch.end();
}

#[test]
fn every_stored_input_stands_in_a_table() {
    let names = std::fs::read_dir(fixture(""))
        .expect("the fixtures")
        .map(|it| it.expect("an entry").file_name());
    for name in names.map(|name| name.to_string_lossy().into_owned()) {
        let elsewhere =
            name.ends_with(".recipe.json") || name.starts_with("28-") || name.starts_with('.');
        let here = CASES
            .iter()
            .any(|case| name == format!("{}.jsonl", case.name));
        assert!(here || elsewhere, "{name} is tested nowhere");
    }
}

fn run(watch: &mut Watch, case: &Case) {
    let name = case.name;
    let bytes = std::fs::read(fixture(&format!("{name}.jsonl"))).expect("a fixture");
    let lines: Vec<String> = String::from_utf8_lossy(&bytes)
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    assert_eq!(lines.len(), case.lines.len(), "{name}");
    let mut peer = watch.rig.connect();
    peer.bytes(&bytes);
    let mut rows = Vec::new();
    for (number, (line, class)) in lines.iter().zip(case.lines).enumerate() {
        match class {
            Row(marks) => {
                let arrived = watch.arrived();
                let detail = &arrived["detail"];
                offered_exactly(name, line, detail);
                for mark in *marks {
                    let has = detail["marks"]
                        .as_array()
                        .expect("marks")
                        .iter()
                        .any(|it| it == mark);
                    assert!(
                        has,
                        "{name}, line {number}: {mark} is not among {}",
                        detail["marks"]
                    );
                }
                watch::nothing_hidden(name, detail);
                (case.seen)(number, detail);
                rows.push(arrived);
            }
            Error(code) => refused(name, &peer.json(), *code, &id(line)),
            Nameless(code) => refused(name, &peer.json(), *code, &Value::Null),
            Ignored => {}
        }
    }
    // The connection goes on, and no row stood for anything else.
    peer.ask("99", "ls");
    let last = watch.arrived();
    assert_eq!(command(&last["detail"]), "ls", "{name}");
    rows.push(last);
    for row in &rows {
        settle(watch, &mut peer, name, row);
    }
    peer.stream
        .shutdown(std::net::Shutdown::Write)
        .expect("closed");
    assert_eq!(
        peer.next_line(),
        None,
        "{name}: one answer for each request"
    );
    let _ = case.differs;
}

/// Chooses the last option that rejects, and sees it come back byte for byte.
fn settle(watch: &mut Watch, peer: &mut Peer, name: &str, row: &Value) {
    let options = row["detail"]["options"].as_array().expect("options");
    let option = options
        .iter()
        .rfind(|it| it["kind"] == "reject_once")
        .expect("a no");
    let option = option["id"].as_str().expect("an id");
    watch.choose(row, option);
    let answer = peer.json();
    assert_eq!(
        answer["result"],
        json!({"outcome": {"outcome": "selected", "optionId": option}}),
        "{name}"
    );
}

#[test]
fn each_hostile_option_id_comes_back_byte_for_byte() {
    let mut watch = Watch::start();
    let bytes = std::fs::read(fixture("17-option-id-hostile.jsonl")).expect("a fixture");
    let line = String::from_utf8(bytes)
        .expect("text")
        .lines()
        .next()
        .expect("a line")
        .to_owned();
    let sent: Value = serde_json::from_str(&line).expect("JSON");
    let options = sent["params"]["options"]
        .as_array()
        .expect("options")
        .clone();
    assert!(options.len() >= 8);
    for option in &options {
        let mut peer = watch.rig.connect();
        peer.send(&line);
        let row = watch.arrived();
        let id = option["optionId"].as_str().expect("an id");
        watch.choose(&row, id);
        assert_eq!(peer.json()["result"]["outcome"]["optionId"], id);
    }
    watch.end();
}

fn refused(name: &str, answer: &Value, code: i64, id: &Value) {
    assert_eq!(answer["error"]["code"], code, "{name}: {answer}");
    assert_eq!(&answer["id"], id, "{name}: {answer}");
    assert!(answer.get("result").is_none(), "{name}: {answer}");
}

/// The id of a line whose rest may be no JSON that a parser takes.
fn id(line: &str) -> Value {
    let members: HashMap<&str, &RawValue> = serde_json::from_str(line).expect("an object");
    serde_json::from_str(members["id"].get()).expect("an id")
}

/// Ids byte for byte, in the agent's order, none added and none left out.
fn offered_exactly(name: &str, line: &str, detail: &Value) {
    let sent: Value = serde_json::from_str(line).expect("JSON");
    let pick = |options: &Value, key: &str| {
        let options = options.as_array().expect("options").iter();
        options
            .map(|option| option[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        pick(&detail["options"], "id"),
        pick(&sent["params"]["options"], "optionId"),
        "{name}"
    );
    assert_eq!(
        pick(&detail["options"], "kind"),
        pick(&sent["params"]["options"], "kind"),
        "{name}"
    );
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/hostile")
        .join(name)
}
