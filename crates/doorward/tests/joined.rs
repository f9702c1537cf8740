//! Relay and broker together: what a card says, also after one of them was away.

mod rig;

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use rig::{Harness, Rig, cancel, directory, doorward, peak, response, signal, socket};
use rustix::process::Signal;
use serde_json::{Value, json};

fn line(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

fn update(session: &str, body: Value) -> String {
    line(
        "session/update",
        &json!({"sessionId": session, "update": body}),
    )
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A question that says nothing itself, as Codex asks about files.
fn bare(id: &str, session: &str, call: &str) -> String {
    let params = json!({"sessionId": session, "toolCall": {"toolCallId": call}, "options": [
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"}]});
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{params}}}"#
    )
}

fn edit(session: &str, call: &str, new: &str) -> String {
    update(
        session,
        json!({"sessionUpdate": "tool_call", "toolCallId": call, "title": "Edit", "kind": "edit",
            "content": [{"type": "diff", "path": "/w/a.txt", "oldText": "one\n", "newText": new}]}),
    )
}

fn command(session: &str, call: &str, command: &str) -> String {
    update(
        session,
        json!({"sessionUpdate": "tool_call", "toolCallId": call, "title": command,
            "kind": "execute", "rawInput": {"command": command}}),
    )
}

impl Rig {
    /// The agent says it, and the editor has it unchanged.
    fn agent_tells(&mut self, line: &str) {
        self.agent_says(line);
        assert_eq!(self.editor_hears(), line);
    }

    fn editor_tells(&mut self, line: &str) {
        self.editor_says(line);
        assert_eq!(self.agent_hears(), line);
    }
}

fn rows(detail: &Value) -> Vec<String> {
    let hunks = detail["files"][0]["hunks"].as_array().unwrap().iter();
    let rows = hunks.flat_map(|hunk| hunk["rows"].as_array().unwrap());
    let text = |row: &Value| {
        format!(
            "{}{}",
            row["op"].as_str().unwrap(),
            row["text"].as_str().unwrap()
        )
    };
    rows.map(text).collect()
}

fn marked(detail: &Value, mark: &str) -> bool {
    detail["marks"].as_array().unwrap().contains(&json!(mark))
}

#[test]
fn row_12_a_new_broker_shows_what_the_old_one_showed() {
    let directory = directory();
    let socket = socket(&directory);
    let harness = Harness::start(&socket);
    let mut rig = Rig::start(directory, &[], "exit 0");
    rig.editor_tells(&request(
        1,
        "session/new",
        &json!({"cwd": "/w", "mcpServers": []}),
    ));
    rig.agent_tells(r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#);
    rig.agent_tells(&edit("s", "t", "two\n"));
    // A call that is over has nothing to say to a new broker.
    rig.agent_tells(&command("s", "over", "ls"));
    rig.agent_tells(&update(
        "s",
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "over", "status": "completed"}),
    ));
    rig.agent_tells(&bare("1", "s", "t"));
    let before = harness.expect("arrived")["detail"].clone();
    assert_eq!(rows(&before), ["-one", "+two"]);
    assert_eq!(before["session"]["cwd"], "/w");
    harness.dies();

    // The question stays with the editor, and the agent goes on.
    rig.agent_tells(&edit("s", "t", "three\n"));
    let mut harness = Harness::start(&socket);
    let arrived = harness.expect("arrived");
    assert_eq!(rows(&arrived["detail"]), ["-one", "+three"]);
    assert_eq!(arrived["detail"]["session"], before["session"]);
    assert_eq!(arrived["detail"]["marks"], json!([]));
    harness.decide(&arrived, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
}

#[test]
fn row_12_a_broker_that_was_absent_at_the_start_shows_it_all() {
    let directory = directory();
    let socket = socket(&directory);
    let mut rig = Rig::start(directory, &[], "exit 0");
    rig.agent_tells(&edit("s", "t", "two\n"));
    rig.agent_tells(&bare("1", "s", "t"));
    let harness = Harness::start(&socket);
    let arrived = harness.expect("arrived");
    assert_eq!(rows(&arrived["detail"]), ["-one", "+two"]);
    rig.editor_tells(&response("1", "no"));
    assert_eq!(harness.expect("settled")["why"], "elsewhere");
}

/// What a session keeps has a bound; what fell out of it is said on the card.
#[test]
fn row_12_what_could_not_be_kept_is_marked() {
    let directory = directory();
    let socket = socket(&directory);
    let mut rig = Rig::start(directory, &[], "exit 0");
    let text = "x".repeat(300 << 10);
    for call in ["a", "b", "c", "d"] {
        rig.agent_tells(&edit("s", call, &text));
        rig.agent_tells(&edit("other", "t", "two\n"));
    }
    rig.agent_tells(&bare("1", "s", "d"));
    rig.agent_tells(&bare("2", "other", "t"));
    let harness = Harness::start(&socket);
    for _ in 0..2 {
        let detail = harness.expect("arrived")["detail"].clone();
        let lost = detail["session"]["id"] == "s";
        assert_eq!(
            marked(&detail, "join-failed"),
            lost,
            "{}",
            detail["session"]
        );
    }
}

#[test]
fn row_13_a_decision_that_was_not_delivered_is_asked_again() {
    let directory = directory();
    let socket = socket(&directory);
    let mut harness = Harness::start(&socket);
    // Two connections of one relay, played: the first is lost with the answer in it.
    let ask = || {
        let mut peer = doorward_socket::endpoint::connect(Some(&socket)).unwrap();
        let hello = line("doorward/hello", &json!({"program": "acp"}));
        let nonce = line("doorward/nonce", &json!({"requestId": 1, "nonce": "n"}));
        let call = command("s", "t", "ls");
        writeln!(peer, "{hello}\n{call}\n{nonce}\n{}", bare("1", "s", "t")).unwrap();
        peer
    };
    let peer = ask();
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "yes");
    harness.expect("settled");
    drop(peer);
    harness.changed(|detail| detail["ended"]["delivered"] == "no");
    let peer = ask();
    let again = harness.expect("arrived");
    assert_ne!(again["id"], arrived["id"]);
    peer.set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let mut reader = BufReader::new(peer);
    let mut answer = String::new();
    assert!(reader.read_line(&mut answer).is_err(), "{answer}");
    harness.decide(&again, "no");
    reader
        .get_ref()
        .set_read_timeout(Some(rig::PATIENCE))
        .unwrap();
    reader.read_line(&mut answer).unwrap();
    assert_eq!(answer.trim_end(), response("1", "no"));
}

/// An agent that says everything back, so that every line passes both ways.
struct Echo {
    relay: std::process::Child,
    editor: std::process::ChildStdin,
    heard: std::sync::mpsc::Receiver<String>,
}

impl Echo {
    fn start(socket: &std::path::Path) -> Self {
        let mut relay = doorward(socket).args(["acp", "--", "cat"]).spawn().unwrap();
        let editor = relay.stdin.take().unwrap();
        let heard = rig::lines(relay.stdout.take().unwrap());
        Self {
            relay,
            editor,
            heard,
        }
    }

    /// Says all of it and hears all of it, unchanged and in order.
    fn pass(&mut self, lines: &[String]) {
        let Self { editor, heard, .. } = self;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for line in lines {
                    writeln!(editor, "{line}").unwrap();
                }
            });
            for line in lines {
                let heard = heard.recv_timeout(rig::PATIENCE).unwrap();
                assert!(heard == *line, "{} bytes, not {}", heard.len(), line.len());
            }
        });
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.relay.kill();
        let _ = self.relay.wait();
    }
}

#[test]
fn row_20_a_stopped_doorward_holds_nothing_up_and_is_told_what_it_missed() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    let mut echo = Echo::start(&socket(&directory));
    echo.pass(&[command("s", "first", "ls"), bare("1", "s", "first")]);
    let first = harness.expect("arrived");
    assert_eq!(first["detail"]["marks"], json!([]));

    signal(&harness.process, Signal::STOP);
    let text = "x".repeat(30_000);
    let flood: Vec<String> = (0..400)
        .map(|n| edit("s", &format!("call {n}"), &format!("{n} {text}")))
        .collect();
    // All of it passes while nobody reads there.
    echo.pass(&flood);
    // Another session loses nothing: what it says fits.
    echo.pass(&[
        edit("quiet", "q", "two\n"),
        bare("2", "quiet", "q"),
        bare("3", "s", "call 1"),
    ]);
    let most = peak(&echo.relay);
    assert!(most < 48 << 20, "{most} bytes");

    signal(&harness.process, Signal::CONT);
    // The latest of each card, until all three say what they have to.
    let mut cards = std::collections::HashMap::new();
    let fits = |cards: &std::collections::HashMap<u64, Value>| {
        let marked = |id: u64| {
            cards
                .get(&id)
                .is_some_and(|it| marked(&it["detail"], "join-failed"))
        };
        let of = |name: &str| {
            cards
                .values()
                .filter(|it| it["detail"]["session"]["id"] == name)
                .count()
        };
        of("s") == 2 && of("quiet") == 1 && cards.keys().filter(|id| marked(**id)).count() == 2
    };
    while !fits(&cards) {
        let message = harness.next();
        for kind in ["arrived", "changed"] {
            if let Some(card) = message.get(kind) {
                cards.insert(card["id"].as_u64().unwrap(), card.clone());
            }
        }
    }
    assert!(marked(
        &cards[&first["id"].as_u64().unwrap()]["detail"],
        "join-failed"
    ));
    let quiet = cards
        .values()
        .find(|it| it["detail"]["session"]["id"] == "quiet")
        .unwrap();
    assert!(!marked(&quiet["detail"], "join-failed"));
    assert_eq!(rows(&quiet["detail"]), ["-one", "+two"]);
    // And it answers again. The agent says the answer back, too.
    harness.decide(quiet, "yes");
    let mut heard = [(); 2].map(|()| echo.heard.recv_timeout(rig::PATIENCE).unwrap());
    heard.sort();
    assert_eq!(heard, [response("2", "yes"), cancel("2")]);
}

/// A frame may take ten seconds; those in which we were stopped do not count.
#[test]
fn row_20_a_frame_outlives_a_long_stop() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut peer = doorward_socket::endpoint::connect(Some(&socket(&directory))).unwrap();
    let text = "x".repeat(2 << 20);
    let frames = format!("{}\n{}\n", edit("s", "t", &text), bare("1", "s", "t"));
    let (start, rest) = frames.split_at(100 << 10);
    peer.write_all(start.as_bytes()).unwrap();
    // Read by then; if it was not, this shows less and fails no more.
    std::thread::sleep(Duration::from_millis(300));
    signal(&harness.process, Signal::STOP);
    std::thread::scope(|scope| {
        scope.spawn(|| peer.write_all(rest.as_bytes()).unwrap());
        std::thread::sleep(Duration::from_secs(12));
        signal(&harness.process, Signal::CONT);
        let arrived = harness.expect("arrived");
        assert!(!marked(&arrived["detail"], "join-failed"));
    });
}

#[test]
fn row_20_the_end_does_not_wait_for_a_stopped_doorward() {
    for only in [&[][..], &["--only-doorward"]] {
        let directory = directory();
        let harness = Harness::start(&socket(&directory));
        let mut rig = Rig::start(directory, only, "exit 5");
        rig.agent_tells(&command("s", "t", "ls"));
        signal(&harness.process, Signal::STOP);
        let asked = Instant::now();
        rig.agent_says(&bare("1", "s", "t"));
        // Alone, too, the editor is asked when nobody reads there.
        assert_eq!(rig.editor_hears(), bare("1", "s", "t"));
        assert!(asked.elapsed() < Duration::from_secs(5));
        rig.editor_tells(&response("1", "no"));
        let ended = Instant::now();
        assert_eq!(rig.agent_ends().code(), Some(5));
        assert!(ended.elapsed() < Duration::from_secs(3));
        signal(&harness.process, Signal::CONT);
    }
}

#[test]
fn a_card_says_whose_session_it_is_and_where_it_works() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut rig = Rig::start(directory, &[], "exit 0");
    rig.editor_tells(&request(0, "initialize", &json!({"protocolVersion": 1})));
    rig.agent_tells(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"an-agent","version":"1.2"}}}"#);
    let place = |cwd: &str| json!({"cwd": cwd, "mcpServers": [{"env": [{"value": "hunter2"}]}]});
    rig.editor_tells(&request(1, "session/new", &place("/w/one")));
    rig.editor_tells(&request(2, "session/new", &place("/w/two")));
    rig.agent_tells(r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"two"}}"#);
    rig.agent_tells(r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"one"}}"#);
    let mut load = place("/w/three");
    load["sessionId"] = json!("three");
    rig.editor_tells(&request(3, "session/load", &load));
    load["cwd"] = json!("/w/four");
    rig.editor_tells(&request(4, "session/fork", &load));
    rig.agent_tells(r#"{"jsonrpc":"2.0","id":4,"result":{"sessionId":"four"}}"#);
    rig.agent_tells(&update(
        "one",
        json!({"sessionUpdate": "session_info_update", "title": "A title"}),
    ));
    rig.agent_tells(&update(
        "one",
        json!({"sessionUpdate": "subagent_update", "sessionId": "child"}),
    ));

    for (id, session, cwd, path, outside) in [
        ("1", "one", "/w/one", "/w/one/a", false),
        ("2", "two", "/w/two", "/w/one/a", true),
        ("3", "three", "/w/three", "/w/three/a", false),
        ("4", "four", "/w/four", "/w/three/a", true),
        ("5", "child", "/w/one", "/w/one/a", false),
    ] {
        rig.agent_tells(&update(
            session,
            json!({"sessionUpdate": "tool_call", "toolCallId": "t",
            "title": "Read", "kind": "read", "locations": [{"path": path}]}),
        ));
        rig.agent_tells(&bare(id, session, "t"));
        let detail = harness.expect("arrived")["detail"].clone();
        assert_eq!(
            detail["agent"],
            json!({"name": "an-agent", "version": "1.2"})
        );
        assert_eq!(detail["session"]["id"], session);
        assert_eq!(detail["session"]["cwd"], cwd);
        assert_eq!(marked(&detail, "outside"), outside, "{session}");
        let title = (session == "one").then_some("A title");
        assert_eq!(detail["session"]["title"].as_str(), title);
        let parent = (session == "child").then_some("one");
        assert_eq!(detail["session"]["parent"].as_str(), parent);
        assert!(!detail.to_string().contains("hunter2"));
    }
    // A title that comes later is shown, too.
    rig.agent_tells(&update(
        "two",
        json!({"sessionUpdate": "session_info_update", "title": "Later"}),
    ));
    let changed = harness.changed(|detail| detail["session"]["id"] == "two");
    assert_eq!(changed["detail"]["session"]["title"], "Later");
    assert_eq!(changed["revision"], 2);

    // The parent is stopped, and so is its child; the others are not.
    let stop = line("session/cancel", &json!({"sessionId": "one"}));
    rig.editor_tells(&stop);
    for _ in 0..2 {
        assert_eq!(harness.expect("settled")["why"], "cancelled");
    }
    rig.editor_tells(&response("2", "no"));
    assert_eq!(harness.expect("settled")["why"], "elsewhere");
}

/// Without a relay nobody else knows whose child a session is.
#[test]
fn a_parents_cancel_without_a_relay_withdraws_its_children() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut peer = doorward_socket::endpoint::connect(Some(&socket(&directory))).unwrap();
    let named = |parent: &str, child: &str| {
        update(
            parent,
            json!({"sessionUpdate": "subagent_update", "sessionId": child}),
        )
    };
    for line in [
        named("p", "c"),
        named("c", "g"),
        bare("1", "g", "t"),
        bare("2", "other", "t"),
    ] {
        writeln!(peer, "{line}").unwrap();
    }
    let arrived = harness.expect("arrived");
    harness.expect("arrived");
    writeln!(
        peer,
        "{}",
        line("session/cancel", &json!({"sessionId": "p"}))
    )
    .unwrap();
    let settled = harness.expect("settled");
    assert_eq!(
        (&settled["id"], &settled["why"]),
        (&arrived["id"], &json!("cancelled"))
    );
    writeln!(
        peer,
        "{}",
        line("session/cancel", &json!({"sessionId": "other"}))
    )
    .unwrap();
    assert_eq!(harness.expect("settled")["id"], 2);
}

#[test]
fn who_tries_to_decide_is_refused_and_named_on_its_cards() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut peer = doorward_socket::endpoint::connect(Some(&socket(&directory))).unwrap();
    let mut reader = BufReader::new(peer.try_clone().unwrap());
    let mut answer = |peer: &mut dyn Write, line: &str| {
        writeln!(peer, "{line}").unwrap();
        let mut answer = String::new();
        reader.read_line(&mut answer).unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    // What an editor says to an agent is no attempt.
    let hello = request(7, "initialize", &json!({}));
    assert_eq!(answer(&mut peer, &hello)["error"]["code"], -32601);
    writeln!(peer, "{}\n{}", command("s", "t", "ls"), bare("1", "s", "t")).unwrap();
    assert_eq!(harness.expect("arrived")["detail"]["warnings"], json!([]));
    for (id, method) in [(8, "decide"), (9, "policy/set")] {
        let call = request(id, method, &json!({"id": 1, "option": "yes"}));
        assert_eq!(answer(&mut peer, &call)["error"]["code"], -32601);
        let words = harness.expect("changed")["detail"]["warnings"].to_string();
        assert!(words.contains(method), "{words}");
    }
    writeln!(peer, "{}", bare("2", "s", "t")).unwrap();
    let words = harness.expect("arrived")["detail"]["warnings"].to_string();
    assert!(
        words.contains("decide") && words.contains("policy/set"),
        "{words}"
    );
}
