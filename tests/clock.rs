//! Scenario 50 of the hostile inputs: a clock that is set, and a program that was stopped, decide nothing.

mod world;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use world::{PATIENCE, Running, World, connect};

/// The tray with a wall clock that the test sets, a page that says what the test says, and an agent.
struct Desk {
    world: World,
    tray: Running,
    agent: BufReader<UnixStream>,
    page: BufReader<UnixStream>,
    seen: Vec<Value>,
}

impl Desk {
    fn new() -> Self {
        let world = World::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/world");
        let shim = world.path("clock.so");
        let mut compiler = Command::new("cc");
        compiler
            .args(["-shared", "-fPIC", "-o"])
            .arg(&shim)
            .arg(source.join("clock.c"))
            .arg("-ldl");
        assert!(compiler.status().expect("a C compiler").success());
        let hand = UnixListener::bind(world.path("hand")).expect("a socket");
        let window = script(&world, &source.join("hand.py"));
        let mut tray = world.command("doorward-tray", "tray");
        tray.arg("--window").arg(window).stdout(Stdio::null());
        tray.env("LD_PRELOAD", shim)
            .env("CLOCK_OFFSET", world.path("offset"))
            .env("HAND", world.path("hand"));
        let tray = Running::start(tray);
        let mut agent = BufReader::new(connect(&world.socket()));
        // With no tray to click on, a request opens the window.
        ask(agent.get_mut(), 1);
        let (page, _) = hand.accept().expect("the page comes");
        page.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let page = BufReader::new(page);
        Self {
            world,
            tray,
            agent,
            page,
            seen: vec![],
        }
    }

    fn set_clock(&self, seconds: i64) {
        std::fs::write(self.world.path("offset"), seconds.to_string()).expect("written");
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.page.get_mut(), "{line}").expect("the tray reads");
    }

    /// The next line of the surface protocol for which something holds; what came before it is kept.
    fn hear(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.seen.iter().position(&holds) {
            return self.seen.remove(at);
        }
        loop {
            let mut line = String::new();
            assert!(
                self.page.read_line(&mut line).expect("a line in time") > 0,
                "the tray has ended"
            );
            let line: Value = serde_json::from_str(&line).expect("JSON");
            if holds(&line) {
                return line;
            }
            self.seen.push(line);
        }
    }

    /// Looks at a request as the page does; its revision, and how long it is protected.
    fn look(&mut self, id: u64) -> (Value, Duration) {
        self.say(&json!({"detail": {"id": id}}));
        let detail =
            self.hear(|line| line["detail"]["id"] == id && line["detail"]["detail"].is_object());
        let revision = detail["detail"]["revision"].clone();
        self.say(&json!({"shown": {"id": id, "revision": revision}}));
        // What is answered after it comes after it.
        self.seen.retain(|line| line.get("snapshot").is_none());
        self.say(&json!({"snapshot": {}}));
        self.hear(|line| line.get("snapshot").is_some());
        let protected = detail["detail"]["detail"]["protectMs"]
            .as_u64()
            .expect("a time");
        (revision, Duration::from_millis(protected))
    }

    /// Presses the option; what comes of it.
    fn press(&mut self, id: u64, revision: &Value) -> Value {
        self.say(&json!({"decide": {"id": id, "revision": revision, "option": "a"}}));
        self.hear(|line| line["settled"]["id"] == id || line["refused"]["id"] == id)
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.agent.read_line(&mut line).expect("an answer in time");
        serde_json::from_str(&line).expect("JSON")
    }
}

fn script(world: &World, python: &Path) -> PathBuf {
    let path = world.path("page");
    std::fs::write(
        &path,
        format!(
            "#!/bin/sh\nunset LD_PRELOAD\nexec python3 {}\n",
            python.display()
        ),
    )
    .expect("written");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .expect("a program");
    path
}

fn ask(agent: &mut UnixStream, id: u64) {
    let params = json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}},
        "options": [{"optionId": "a", "name": "Yes", "kind": "allow_once"}, {"optionId": "r", "name": "No", "kind": "reject_once"}]});
    writeln!(agent, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params})).expect("the broker reads");
}

// Wanting: the times of looks and presses are taken from the wall clock. When they are not, these two must pass.
#[test]
fn a_clock_that_is_set_ahead_skips_no_protection() {
    for _ in 0..5 {
        let mut desk = Desk::new();
        let looked = Instant::now();
        let (revision, _) = desk.look(1);
        desk.set_clock(86_400);
        let pressed = desk.press(1, &revision);
        // On a machine so slow that the time has passed anyway, nothing is shown.
        if looked.elapsed() < Duration::from_millis(400) {
            assert_eq!(pressed["refused"]["why"], "too_soon", "a day ahead");
            return;
        }
    }
}

#[test]
fn a_clock_that_is_set_back_keeps_nobody_from_answering() {
    let mut desk = Desk::new();
    let (revision, protected) = desk.look(1);
    desk.set_clock(-3600);
    std::thread::sleep(protected + Duration::from_millis(300));
    let pressed = desk.press(1, &revision);
    assert_eq!(
        pressed["settled"]["outcome"]["selected"], "a",
        "an hour back: {pressed}"
    );
    assert_eq!(desk.answer()["result"]["outcome"]["optionId"], "a");
}

#[test]
fn what_was_stopped_goes_on_with_what_was_pending_and_an_asker_that_left_is_noticed() {
    let mut desk = Desk::new();
    let mut other = connect(&desk.world.socket());
    ask(&mut other, 1);
    desk.hear(|line| line["arrived"]["id"] == 2);
    desk.tray.signal("STOP");
    drop(other);
    std::thread::sleep(Duration::from_secs(2));
    desk.tray.signal("CONT");
    assert_eq!(
        desk.hear(|line| line["settled"]["id"] == 2)["settled"]["why"],
        "connection_lost"
    );
    let (revision, protected) = desk.look(1);
    std::thread::sleep(protected + Duration::from_millis(300));
    assert_eq!(
        desk.press(1, &revision)["settled"]["outcome"]["selected"],
        "a"
    );
    assert_eq!(desk.answer()["result"]["outcome"]["optionId"], "a");
}
