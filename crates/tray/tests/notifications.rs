//! Notifications, with a daemon that a test plays and askers that are real processes.

use std::time::{Duration, Instant};

use doorward_desk::ask::command;
use doorward_desk::eventually;
use doorward_desk::host::Host;
use doorward_desk::notes::{Daemon, Habits, forge};
use doorward_desk::world::{Tray, World};
use serde_json::json;
use zbus::interface;

/// A desktop with a tray host, so that no window opens by itself.
fn desk(habits: Habits) -> (World, Daemon, Host, Tray) {
    let world = World::new();
    let host = world.host();
    let daemon = Daemon::start(&world.bus, habits);
    let tray = world.tray();
    host.item();
    (world, daemon, host, tray)
}

#[test]
fn reject_answers_with_the_exact_id() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let ask = world.ask(&command("make <all> & more"));
    let note = daemon.note("make");
    assert_eq!(note.body, "make &lt;all&gt; &amp; more");
    assert_eq!(note.actions, ["default", "Review", "reject", "Reject"]);
    daemon.press(&note, "reject");
    ask.chose("No");
}

#[test]
fn review_opens_the_window_and_answers_nothing() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let mut ask = world.ask(&command("ls"));
    let note = daemon.note("ls");
    daemon.press(&note, "default");
    let shown = eventually("the window", || world.shown().into_iter().next());
    assert_eq!(shown, json!({"id": 1, "focus": true}));
    assert!(ask.waits());
}

#[test]
fn only_one_reject_is_a_button() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let mut two = command("two rejects");
    two["options"][0]["kind"] = json!("reject_once");
    let mut none = command("no reject");
    none["options"][2]["kind"] = json!("allow_once");
    for request in [two, none] {
        let _ask = world.ask(&request);
        let fact = request["toolCall"]["title"].as_str().expect("a title");
        let note = daemon.note(fact);
        assert_eq!(note.actions, ["default", "Review"], "{fact}");
    }
    let ask = world.ask(&command("rm -rf ~"));
    let note = daemon.note("rm -rf ~");
    assert!(note.body.starts_with("Marked: "), "{note:?}");
    daemon.press(&note, "reject");
    ask.chose("No");
}

#[test]
fn allow_once_is_a_button_only_where_it_was_set() {
    let world = World::new();
    world.settings("notification-allow = true");
    let _host = world.host();
    let daemon = world.notifications();
    let _tray = world.tray();
    let ask = world.ask(&command("ls"));
    let note = daemon.note("ls");
    assert!(note.has("allow"), "{note:?}");
    daemon.press(&note, "allow");
    ask.chose("once ");
    for fact in ["rm -rf ~", &format!("echo {}", "x".repeat(200))] {
        let _ask = world.ask(&command(fact));
        let note = daemon.note(&fact[..8]);
        assert!(!note.has("allow"), "{note:?}");
    }
}

#[test]
fn names_only_is_a_setting() {
    let world = World::new();
    world.settings("notification-names-only = true");
    let _host = world.host();
    let daemon = world.notifications();
    let _tray = world.tray();
    let _ask = world.ask(&command("ls"));
    let note = daemon.note("asks for a decision");
    assert_eq!((note.body.as_str(), note.has("reject")), ("acme", false));
}

#[test]
fn a_secret_is_in_no_notification() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let _ask = world.ask(&command(
        "export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    ));
    let note = daemon.note("asks for a decision");
    assert_eq!((note.body.as_str(), note.has("reject")), ("acme", false));
}

#[test]
fn a_daemon_without_actions_or_markup_gets_none() {
    let habits = Habits {
        capabilities: vec!["body"],
        ..Daemon::usual()
    };
    let (world, daemon, _host, _tray) = desk(habits);
    let _ask = world.ask(&command("a < b && c"));
    let note = daemon.note("a < b && c");
    assert!(note.actions.is_empty());
}

#[test]
fn a_burst_is_one_notification() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let _asks: Vec<_> = (0..6)
        .map(|n| world.ask(&command(&format!("make {n}"))))
        .collect();
    // How the six fall into bursts is the machine's matter; none is lost and few are alone.
    let told = |summary: &str| match summary.split_once(" requests wait") {
        Some((count, "")) => count.parse().expect("a number"),
        _ => 1,
    };
    let all = || {
        daemon
            .notes()
            .iter()
            .map(|note| told(&note.summary))
            .sum::<usize>()
    };
    eventually("six", || (all() == 6).then_some(()));
    let notes = daemon.notes();
    for note in notes.iter().filter(|note| told(&note.summary) > 1) {
        assert!(!note.has("reject"), "{note:?}");
    }
}

#[test]
fn what_another_process_says_answers_nothing() {
    for private in [false, true] {
        let habits = Habits {
            private,
            ..Daemon::usual()
        };
        let (world, daemon, _host, _tray) = desk(habits);
        let mut ask = world.ask(&command("ls"));
        let note = daemon.note("ls");
        let stranger = world.bus.connect();
        let bus = zbus::blocking::fdo::DBusProxy::new(&stranger).expect("the bus");
        // A forgery may raise the window, without the keyboard; by then a real answer would have
        // counted. Said again and again, as the first may come before anybody listens.
        let shown = eventually("the window", || {
            // To all, and to each connection of the tray's alone.
            forge(&stranger, None, note.id, "reject");
            for name in bus.list_names().expect("the connections") {
                if name.starts_with(':') {
                    forge(&stranger, Some(name.as_str()), note.id, "reject");
                }
            }
            world.shown().into_iter().next()
        });
        assert_eq!(shown, json!({"id": 1, "focus": false}));
        assert!(ask.waits());
        daemon.press(&note, "reject");
        // Where signals go to the sender alone, this is heard as the bus's copy, with its true sender.
        ask.chose("No");
    }
}

#[test]
fn a_button_that_nobody_vouches_for_opens_the_window() {
    let world = World::without_overhearing();
    let _host = world.host();
    let habits = Habits {
        private: true,
        ..Daemon::usual()
    };
    let daemon = Daemon::start(&world.bus, habits);
    let _tray = world.tray();
    let mut ask = world.ask(&command("ls"));
    let note = daemon.note("ls");
    let shown = eventually("the window", || {
        daemon.press(&note, "reject");
        world.shown().into_iter().next()
    });
    assert_eq!(shown, json!({"id": 1, "focus": false}));
    assert!(ask.waits());
}

#[test]
fn a_settled_request_takes_its_notification_back() {
    for private in [false, true] {
        let habits = Habits {
            private,
            ..Daemon::usual()
        };
        let (world, daemon, _host, _tray) = desk(habits);
        let ask = world.ask(&command("ls"));
        let note = daemon.note("ls");
        assert!(!note.closed);
        // The asker goes away.
        drop(ask);
        daemon.note_when("a withdrawal", |known| known.id == note.id && known.closed);
    }
}

#[test]
fn a_dismissed_notification_leaves_the_request() {
    let (world, daemon, _host, _tray) = desk(Daemon::usual());
    let mut first = world.ask(&command("first"));
    daemon.dismiss(&daemon.note("first"));
    let second = world.ask(&command("second"));
    daemon.press(&daemon.note("second"), "reject");
    second.chose("No");
    assert!(first.waits());
}

#[test]
fn a_daemon_that_does_not_answer_delays_nothing() {
    let habits = Habits {
        hangs: 1,
        ..Daemon::usual()
    };
    let (world, daemon, host, _tray) = desk(habits);
    let first = world.ask(&command("first"));
    eventually("a call that hangs", || (daemon.called() == 1).then_some(()));
    let hung = Instant::now();
    // The tray's menu follows, and the next notification is sent and answered meanwhile.
    let item = host.item();
    item.menu_when("first", |menu| menu.request("first").is_some());
    let second = world.ask(&command("second"));
    let note = daemon.note("second");
    daemon.press(&note, "reject");
    second.chose("No");
    let no = item
        .menu_when("first", |menu| menu.requests().len() == 1)
        .request("first")
        .and_then(|entry| Some(entry.find("No")?.id));
    std::thread::sleep(Duration::from_millis(600));
    assert!(item.click(no.expect("it is offered")));
    first.chose("No");
    // All that is less than the time after which the call was given up.
    assert!(
        hung.elapsed() < Duration::from_secs(5),
        "{:?}",
        hung.elapsed()
    );
}

#[test]
fn a_daemon_that_never_answers_costs_notifications_alone() {
    let habits = Habits {
        hangs: usize::MAX,
        ..Daemon::usual()
    };
    let (world, daemon, host, mut tray) = desk(habits);
    let mut asks = Vec::new();
    for n in 0..8 {
        asks.push(world.ask(&command(&format!("make {n}"))));
        let item = host.item();
        item.menu_when("the menu", |menu| menu.requests().len() == n + 1);
    }
    eventually("calls that hang", || (daemon.called() > 0).then_some(()));
    assert!(daemon.called() <= 4, "{}", daemon.called());
    assert!(tray.terminate().success());
    for ask in asks {
        ask.handed_back();
    }
}

#[test]
fn without_a_daemon_or_a_bus_the_tray_program_works() {
    let world = World::new();
    let _tray = world.tray();
    let first = world.ask(&command("first"));
    eventually("the window", || world.shown().into_iter().next());
    // A daemon that comes later is used.
    let daemon = world.notifications();
    let second = world.ask(&command("second"));
    daemon.press(&daemon.note("second"), "reject");
    second.chose("No");
    drop(first);
}

struct Saver(bool);

#[interface(name = "org.freedesktop.ScreenSaver")]
impl Saver {
    fn get_active(&self) -> bool {
        self.0
    }
}

#[test]
fn a_locked_or_shared_screen_shows_names_only() {
    for (locked, inhibited, content) in [
        (false, false, true),
        (true, false, false),
        (false, true, false),
    ] {
        let habits = Habits {
            inhibited,
            ..Daemon::usual()
        };
        let (world, daemon, _host, _tray) = desk(habits);
        let saver = world.bus.connect();
        let path = "/org/freedesktop/ScreenSaver";
        saver
            .object_server()
            .at(path, Saver(locked))
            .expect("a screen saver");
        saver
            .request_name("org.freedesktop.ScreenSaver")
            .expect("its name");
        let _ask = world.ask(&command("ls"));
        let note = daemon.note("asks");
        assert_eq!(note.body == "ls", content, "{note:?}");
        assert_eq!(note.has("reject"), content, "{note:?}");
    }
}
