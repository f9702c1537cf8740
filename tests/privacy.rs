//! Nothing an agent sends, and nothing a person types, is written to a log, to stderr or to a file that stays.
//!
//! Every field of every kind of request carries a word of its own. The words go through the real tray process with a
//! page that decides, through the harness with everything logged, and through the command in all its forms; then no
//! file of that home and no log may hold one. Excepted is what the agent itself writes to stderr, which is passed on.

mod world;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use world::{PATIENCE, Running, World, connect, finish};

/// All words begin so; nothing else does.
const MARK: &str = "Zx7Mark";

/// Gives out words.
#[derive(Default)]
struct Words(u32);

impl Words {
    fn next(&mut self) -> String {
        self.0 += 1;
        format!("{MARK}{}q", self.0)
    }

    /// The same JSON with a word of its own at the end of every text but those that name a kind.
    fn marked(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(format!("{text}{}", self.next())),
            Value::Array(items) => items.iter().map(|item| self.marked(item)).collect(),
            Value::Object(members) => {
                let kept = [
                    "type",
                    "kind",
                    "status",
                    "sessionUpdate",
                    "hook_event_name",
                    "tool_name",
                    "behavior",
                    "destination",
                    "program",
                    "origin",
                ];
                let mark = |(key, value): (&String, &Value)| {
                    let value = if kept.contains(&key.as_str()) {
                        value.clone()
                    } else {
                        self.marked(value)
                    };
                    (key.clone(), value)
                };
                Value::Object(members.iter().map(mark).collect())
            }
            other => other.clone(),
        }
    }
}

fn options() -> Value {
    json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once", "description": "d", "_meta": {"permission": {"version": 1, "description": "d"}}},
        {"optionId": "always", "name": "Always", "kind": "allow_always"}, {"optionId": "no", "name": "No", "kind": "reject_once"}])
}

/// Permission requests with every member that is read somewhere.
fn acp_requests(folder: &str) -> Vec<Value> {
    let call = |more: Value| {
        let mut call = json!({"toolCallId": "t", "title": "title ", "status": "pending", "_meta": {"claudeCode": {"parentToolUseId": "p"}, "other": "o"}});
        for (key, value) in more.as_object().expect("an object") {
            call[key] = value.clone();
        }
        json!({"sessionId": "s", "toolCall": call, "options": options(), "_meta": {"permission": {"version": 1, "title": "m", "description": "m"}}})
    };
    vec![
        call(
            json!({"kind": "execute", "rawInput": {"command": "curl --token=x ", "cwd": "/w/", "description": "d", "env": {"A_TOKEN": "t"}},
            "content": [{"type": "content", "content": {"type": "text", "text": "words "}}, {"type": "unknown", "text": "u"}]}),
        ),
        call(
            json!({"kind": "edit", "rawInput": {"file_path": format!("{folder}/f"), "old_string": "a", "new_string": "b"}, "locations": [{"path": format!("{folder}/l"), "line": 3}],
            "content": [{"type": "diff", "path": format!("{folder}/d"), "oldText": "one\n", "newText": "two\n"}]}),
        ),
        call(
            json!({"kind": "edit", "content": [{"type": "diff", "path": format!("{folder}/new"), "oldText": null, "newText": "x\n"}]}),
        ),
        call(
            json!({"kind": "switch_mode", "rawInput": {"plan": "# Plan\n\n- step\n\n```sh\nrun\n```\n"}}),
        ),
        call(json!({"kind": "odd", "rawInput": ["an", "array"]})),
        json!({"sessionId": "s", "title": "v2 ", "description": "d", "subject": {"type": "command", "command": "ls ", "cwd": "/w/"}, "options": options()}),
    ]
}

fn hook_requests(folder: &str) -> Vec<Value> {
    let hook = |tool: &str, input: Value| {
        json!({"hook_event_name": "PermissionRequest", "session_id": "s", "transcript_path": format!("{folder}/t"), "cwd": folder, "prompt_id": "p", "agent_id": "a",
            "tool_name": tool, "tool_input": input, "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "x"}],
                "behavior": "allow", "destination": "session"}, {"type": "addDirectories", "directories": ["/w"], "destination": "session"}]})
    };
    vec![
        hook("Bash", json!({"command": "make ", "description": "d"})),
        hook(
            "Write",
            json!({"file_path": format!("{folder}/w"), "content": "text\n"}),
        ),
        hook(
            "Edit",
            json!({"file_path": format!("{folder}/e"), "old_string": "a", "new_string": "b"}),
        ),
        hook("ExitPlanMode", json!({"plan": "# Plan\n"})),
        hook("AskUserQuestion", json!({"questions": [{"question": "q"}]})),
        hook("mcp__server__tool", json!({"anything": {"nested": ["n"]}})),
    ]
}

/// What is refused, garbled or in the wrong order; each line holds a word.
fn odd_lines(words: &mut Words) -> Vec<String> {
    let mut odd = |text: &str| text.replace('§', &words.next());
    vec![
        odd("§ is no JSON"),
        odd(r#"{"jsonrpc":"2.0","id":"§","method":"§","params":{"§":"§"}}"#),
        odd(r#"{"jsonrpc":"§","id":2,"method":"session/request_permission"}"#),
        odd(r#"{"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":"§"}"#),
        odd(
            r#"{"jsonrpc":"2.0","id":4,"method":"session/request_permission","params":{"sessionId":{"§":1},"options":["§"]}}"#,
        ),
        odd(
            r#"{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"§":1,"§":2}}"#,
        ),
        odd(
            r#"{"jsonrpc":"2.0","id":6,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"§"},"options":[{"optionId":"§","name":"§"},{"optionId":"§","name":"§"}]}}"#,
        ),
        odd(
            r#"{"jsonrpc":"2.0","id":7,"method":"hook/PermissionRequest","params":{"tool_name":{"§":1}}}"#,
        ),
        odd(r#"{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{"message":"§"}}"#),
        odd(r#"{"jsonrpc":"2.0","id":9,"result":{"outcome":"§"}}"#),
        odd(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"§"}}"#),
        odd(
            r#"{"jsonrpc":"2.0","method":"doorward/elsewhere","params":{"requestId":"§","result":"§"}}"#,
        ),
        odd(r#"{"jsonrpc":"2.0","method":"doorward/turn_ended","params":{"sessionId":"§"}}"#),
        odd(r#"{"jsonrpc":"2.0","method":"doorward/hello","params":{"agent":"§","cwd":["§"]}}"#),
        odd(
            r#"{"jsonrpc":"2.0","method":"hook/PostToolUse","params":{"session_id":"§","tool_name":"§","tool_input":{"command":"§"}}}"#,
        ),
        odd(r#"{"jsonrpc":"2.0","method":"hook/§","params":{"session_id":"§"}}"#),
        odd(
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"§","title":"§","rawInput":{"command":"§"}}}}"#,
        ),
    ]
}

/// A connection that says who it is, then asks everything; the number of requests that want an answer.
fn speak(stream: &mut UnixStream, words: &mut Words, folder: &str) -> usize {
    let mut say = |line: &str| writeln!(stream, "{line}").expect("the broker reads");
    let hello = words.marked(&json!({"version": "v", "cwd": folder, "terminal": "t", "program": "x", "agent": {"name": "Agent ", "version": "v"}}));
    say(&json!({"jsonrpc": "2.0", "method": "doorward/hello", "params": hello}).to_string());
    let requests = acp_requests(folder);
    for request in &requests {
        let params = words.marked(request);
        let id = json!(words.next());
        let named = json!({"requestId": id, "nonce": words.next()});
        say(&json!({"jsonrpc": "2.0", "method": "doorward/nonce", "params": named}).to_string());
        say(&json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params}).to_string());
        let update = words.marked(&json!({"sessionUpdate": "tool_call_update", "title": "later ", "status": "in_progress"}));
        let mut update = update;
        update["toolCallId"] = params["toolCall"]["toolCallId"].clone();
        let update = json!({"sessionId": params["sessionId"], "update": update});
        say(&json!({"jsonrpc": "2.0", "method": "session/update", "params": update}).to_string());
    }
    requests.len()
}

/// Results and errors until all were answered.
fn answers(stream: &UnixStream, wanted: usize) -> Vec<Value> {
    let lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
    let lines =
        lines.map(|line| serde_json::from_str(&line.expect("an answer in time")).expect("JSON"));
    lines.take(wanted).collect()
}

/// Every file that holds a word.
fn told(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let about = std::fs::symlink_metadata(&path).expect("about it");
        if path.to_string_lossy().contains(MARK) {
            found.push((path.clone(), "its name".into()));
        }
        if about.is_dir() {
            found.extend(told(&path));
        } else if about.is_file() {
            let bytes = std::fs::read(&path).expect("a file");
            let text = String::from_utf8_lossy(&bytes);
            found.extend(
                text.lines()
                    .find(|line| line.contains(MARK))
                    .map(|line| (path.clone(), line.to_owned())),
            );
        }
    }
    found
}

fn logged(world: &World, log: &str) -> String {
    std::fs::read_to_string(world.path("log").join(log)).expect("a log")
}

#[test]
fn a_word_in_a_file_or_a_log_is_found() {
    let world = World::new();
    assert_eq!(told(world.dir.path()), []);
    std::fs::write(world.path("state/x"), format!("a\nb {MARK}1q c\n")).expect("written");
    assert_eq!(told(world.dir.path()).len(), 1);
}

#[test]
fn the_tray_writes_down_nothing_of_what_goes_through_it() {
    let world = World::new();
    let mut words = Words::default();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/world/page.py");
    // The page stands in for the window's program, and is told where to note its decisions.
    let window = world.path("page");
    let decided = world.path("log/page");
    std::fs::write(
        &window,
        format!("#!/bin/sh\nexec python3 {} \"$@\"\n", page.display()),
    )
    .expect("written");
    std::fs::set_permissions(&window, std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .expect("a program");
    let mut tray = world.command("doorward-tray", "tray");
    tray.arg("--window")
        .arg(&window)
        .env("PAGE_TOLD", &decided)
        .env("PAGE_WORDS", words.next())
        .stdout(Stdio::null());
    let tray = Running::start(tray);
    let folder = world.path("work").display().to_string();

    let mut stream = connect(&world.socket());
    let asked = speak(&mut stream, &mut words, &folder);
    let answered = answers(&stream, asked);
    assert!(
        answered.iter().all(|it| it["result"]["outcome"]["optionId"]
            .as_str()
            .is_some_and(|id| id.contains(MARK))),
        "{answered:?}"
    );

    for request in hook_requests(&folder) {
        let mut hook = world.command("doorward", "hook");
        hook.args(["hook", "claude"]);
        let (out, code) = finish(hook, &words.marked(&request).to_string());
        assert_eq!(code, Some(0));
        let question = request["tool_name"] == "AskUserQuestion";
        assert_eq!(
            out.contains(MARK),
            !question,
            "the person's words reach the agent: {out}"
        );
    }
    forms_of_the_command(&world, &mut words, &folder);

    let mut odd = connect(&world.socket());
    let lines = odd_lines(&mut words);
    lines
        .iter()
        .for_each(|line| writeln!(odd, "{line}").expect("the broker reads"));
    odd.shutdown(std::net::Shutdown::Write).expect("closed");
    assert!(answers(&odd, usize::MAX).len() >= 8);

    // Waiting when the tray ends: handed back, and not left anywhere.
    let mut last = connect(&world.socket());
    let params = words.marked(&acp_requests(&folder)[2]);
    writeln!(
        last,
        "{}",
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": params})
    )
    .expect("sent");
    std::thread::sleep(Duration::from_millis(200));
    assert!(tray.terminate().success());
    assert!(answers(&last, 1)[0]["error"]["code"].is_i64());
    assert!(
        logged(&world, "page")
            .lines()
            .filter(|line| line.starts_with("settled"))
            .count()
            > asked,
        "the page decided"
    );
    std::fs::remove_file(decided).expect("the page's own notes");
    assert!(
        logged(&world, "tray").contains("listening"),
        "the log is a log"
    );
    assert_eq!(told(world.dir.path()), []);
}

/// `ask`, `acp`, `status`, and each with input that is none, with the tray there.
fn forms_of_the_command(world: &World, words: &mut Words, folder: &str) {
    let ask = |log: &str| {
        let mut ask = world.command("doorward", log);
        ask.args(["ask", "--timeout", "50"]);
        ask
    };
    let (out, code) = finish(
        ask("ask"),
        &words.marked(&acp_requests(folder)[0]).to_string(),
    );
    assert!(code == Some(0) && out.contains(MARK), "{out}");
    for input in [
        "§",
        r#"{"§":"§"}"#,
        r#"{"toolCall":{"§":1},"options":[{"optionId":{"§":1}}]}"#,
    ] {
        let (out, code) = finish(ask("ask"), &input.replace('§', &words.next()));
        assert_eq!((out.as_str(), code), ("", Some(2)));
    }
    for input in [
        "§",
        r#"{"hook_event_name":{"§":1}}"#,
        r#"{"hook_event_name":"§","tool_name":["§"]}"#,
        r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","session_id":["§"]}"#,
    ] {
        let mut hook = world.command("doorward", "hook");
        hook.args(["hook", "claude"]);
        let (out, code) = finish(hook, &input.replace('§', &words.next()));
        assert_eq!((out.as_str(), code), ("", Some(0)));
    }
    for event in [
        "PostToolUse",
        "PostToolBatch",
        "Stop",
        "UserPromptSubmit",
        "SessionEnd",
    ] {
        let mut hook = world.command("doorward", "hook");
        hook.args(["hook", "claude"]);
        let input = json!({"hook_event_name": event, "session_id": words.next(), "prompt": words.next(), "tool_input": {"command": words.next()}});
        assert_eq!(finish(hook, &input.to_string()), (String::new(), Some(0)));
    }
    relay(world, words, folder);
}

/// An agent behind the relay: one request that Doorward answers, odd lines, and words on its own stderr.
fn relay(world: &World, words: &mut Words, folder: &str) {
    let request = json!({"jsonrpc": "2.0", "id": words.next(), "method": "session/request_permission", "params": words.marked(&acp_requests(folder)[0])});
    // Not below the folders that are searched: it is the test's own.
    let script = tempfile::NamedTempFile::new().expect("a file");
    let odd = odd_lines(words).join("\n");
    std::fs::write(script.path(), format!("cat <<'END'\n{request}\n{odd}\nEND\nread answer\necho \"$answer\"\necho {MARK}own >&2\n")).expect("written");
    let mut relay = world.command("doorward", "acp");
    relay.args(["acp", "--", "sh"]).arg(script.path());
    let relay = relay
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut relay = Running(relay);
    let out = BufReader::new(relay.0.stdout.take().expect("stdout"));
    let lines: Vec<String> = out.lines().map(|line| line.expect("text")).collect();
    // The echo and the withdrawal come in either order.
    let answered = |line: &String| line.contains(r#""outcome":"selected""#);
    assert!(lines.iter().any(answered), "{lines:?}");
    // The agent's own word is passed on, and is the only one.
    let log = world.path("log/acp");
    let until = Instant::now() + PATIENCE;
    while logged(world, "acp").is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(logged(world, "acp"), format!("{MARK}own\n"));
    std::fs::remove_file(log).expect("the agent's own words");
}

#[test]
fn everything_logged_holds_nothing_of_what_was_asked() {
    let world = World::new();
    let mut words = Words::default();
    let mut harness = world.command("doorward-harness", "harness");
    harness
        .arg("--trace")
        .arg("--dir")
        .arg(world.path("run/harness"));
    let mut harness = Running::start({
        harness.stdin(Stdio::piped()).stdout(Stdio::piped());
        harness
    });
    let mut stdin = harness.0.stdin.take().expect("stdin");
    let stdout = BufReader::new(harness.0.stdout.take().expect("stdout"));
    let mut lines = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.expect("text")).expect("JSON"));
    let ready = lines.next().expect("ready");
    let mut stream = connect(Path::new(
        ready["ready"]["socket"].as_str().expect("a path"),
    ));
    let folder = world.path("work").display().to_string();
    let asked = speak(&mut stream, &mut words, &folder);
    let mut odd = connect(Path::new(
        ready["ready"]["socket"].as_str().expect("a path"),
    ));
    odd_lines(&mut words)
        .iter()
        .for_each(|line| writeln!(odd, "{line}").expect("the broker reads"));
    for request in hook_requests(&folder) {
        let params = words.marked(&request);
        writeln!(odd, "{}", json!({"jsonrpc": "2.0", "id": words.next(), "method": "hook/PermissionRequest", "params": params})).expect("sent");
    }
    // One of them is a question, which makes no card.
    let mut left = asked + hook_requests(&folder).len() - 1;
    while left > 0 {
        let line = lines.next().expect("a line");
        for kind in ["arrived", "changed"] {
            let body = &line[kind];
            if body["detail"]["ended"].is_null() && body["detail"].is_object() {
                let option = body["detail"]["options"]
                    .as_array()
                    .and_then(|it| it.last())
                    .expect("options");
                let decide = json!({"id": body["id"], "revision": body["revision"], "option": option["id"], "feedback": words.next()});
                writeln!(stdin, "{}", json!({"decide": decide})).expect("the harness reads");
            }
        }
        left -= usize::from(line["settled"]["outcome"]["selected"].is_string());
    }
    writeln!(stdin, "{}", json!({"quit": true})).expect("the harness reads");
    assert!(lines.all(|line| line.get("ready").is_none()));
    drop((stream, odd));
    assert!(harness.0.wait().expect("it ends").success());
    assert!(
        logged(&world, "harness").contains("TRACE"),
        "everything is logged"
    );
    assert_eq!(told(world.dir.path()), []);
}
