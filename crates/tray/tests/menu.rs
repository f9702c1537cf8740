//! The tray's menu, pressed as a tray host presses it, with askers that are real processes.

use std::time::{Duration, Instant};

use doorward_desk::ask::{Ask, command};
use doorward_desk::eventually;
use doorward_desk::host::{Host, Item};
use doorward_desk::menu::Menu;
use doorward_desk::world::{Tray, World};
use serde_json::{Value, json};

/// The menu's own protection after a change, as the tray promises it.
const PROTECT: Duration = Duration::from_millis(500);

struct Desk {
    world: World,
    host: Host,
    _tray: Tray,
}

impl Desk {
    fn new() -> Self {
        let world = World::new();
        let host = world.host();
        let _tray = world.tray();
        Self { world, host, _tray }
    }

    fn item(&self) -> Item {
        self.host.item()
    }
}

/// The menu with this request in it.
fn with(item: &Item, fact: &str) -> Menu {
    let menu = item.menu_when(fact, |menu| menu.request(fact).is_some());
    menu.request(fact).cloned().expect("looked for")
}

/// Presses until the asker has its answer: a menu that has just changed takes no press.
fn answer(item: &Item, fact: &str, label: &str, mut ask: Ask) -> Ask {
    eventually(label, || {
        if let Some(entry) = item
            .menu()
            .request(fact)
            .and_then(|entry| entry.find(label))
        {
            item.click(entry.id);
            std::thread::sleep(Duration::from_millis(50));
        }
        (!ask.waits()).then_some(())
    });
    ask
}

#[test]
fn requests_stand_oldest_first_with_their_options_in_order() {
    let desk = Desk::new();
    let item = desk.item();
    let mut first = command("make one_two & three");
    first["options"].as_array_mut().expect("options").reverse();
    let _first = desk.world.ask(&first);
    with(&item, "make one_two & three");
    let _second = desk.world.ask(&command("make four"));
    with(&item, "make four");
    let menu = item.menu();
    let requests = menu.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests[0].label.ends_with("make one_two & three"),
        "{menu:?}"
    );
    assert!(requests[1].label.ends_with("make four"), "{menu:?}");
    let labels = requests[0].labels();
    let expected = [
        "make one_two & three",
        "No",
        "Yes, and don't ask again…",
        "Yes, run it",
        "Review…",
        "Ask me there",
    ];
    assert_eq!(labels, expected);
    assert!(!requests[0].entries[0].enabled, "the fact is no button");
    let rest: Vec<&str> = menu.labels().into_iter().rev().take(3).collect();
    assert_eq!(rest, ["Quit", "Pause", "Open"]);
}

#[test]
fn a_click_answers_with_the_exact_id() {
    let desk = Desk::new();
    let item = desk.item();
    for (label, id) in [("Yes, run it", "once "), ("No", "No")] {
        let ask = desk.world.ask(&command("ls"));
        with(&item, "ls");
        answer(&item, "ls", label, ask).chose(id);
        item.menu_when("an empty menu", |menu| menu.requests().is_empty());
    }
}

#[test]
fn ask_me_there_hands_back() {
    let desk = Desk::new();
    let item = desk.item();
    let ask = desk.world.ask(&command("ls"));
    with(&item, "ls");
    answer(&item, "ls", "Ask me there", ask).handed_back();
}

#[test]
fn a_durable_option_opens_the_window_and_answers_nothing() {
    let desk = Desk::new();
    let item = desk.item();
    let mut ask = desk.world.ask(&command("ls"));
    item.press(&["ls", "Yes, and don't ask again…"]);
    let shown = eventually("the window", || desk.world.shown().into_iter().next());
    assert_eq!(shown, json!({"id": 1, "focus": true}));
    assert!(ask.waits());
    answer(&item, "ls", "No", ask).chose("No");
}

#[test]
fn a_marked_request_only_leads_to_the_window_or_back() {
    let desk = Desk::new();
    let item = desk.item();
    let mut ask = desk.world.ask(&command("rm -rf ~"));
    let entry = with(&item, "rm -rf ~");
    assert_eq!(entry.labels(), ["rm -rf ~", "Review…", "Ask me there"]);
    item.press(&["rm -rf ~", "Review…"]);
    let shown = eventually("the window", || desk.world.shown().into_iter().next());
    assert_eq!(shown["id"], 1);
    assert!(ask.waits());
}

#[test]
fn an_item_of_a_replaced_menu_answers_nothing() {
    let desk = Desk::new();
    let item = desk.item();
    let mut first = desk.world.ask(&command("first"));
    let old: Vec<i32> = with(&item, "first")
        .entries
        .iter()
        .map(|entry| entry.id)
        .collect();
    let mut second = desk.world.ask(&command("second"));
    with(&item, "second");
    // Past the protection, so that it is the age of the item that counts.
    std::thread::sleep(PROTECT + Duration::from_millis(100));
    for id in old {
        assert!(!item.click(id), "the host was told that {id} is gone");
    }
    // A press that counts comes after all that the old ones could have done.
    assert!(first.waits() && second.waits());
    answer(&item, "second", "No", second).chose("No");
    assert!(first.waits());
    answer(&item, "first", "Yes, run it", first).chose("once ");
}

#[test]
fn a_click_on_a_menu_that_has_just_changed_answers_nothing() {
    let desk = Desk::new();
    let item = desk.item();
    for attempt in 0..20 {
        let fact = format!("attempt {attempt}");
        let asked = Instant::now();
        let ask = desk.world.ask(&command(&fact));
        let entry = with(&item, &fact);
        item.click(entry.find("Yes, run it").expect("it is offered").id);
        // The menu changed after the request was made, so this click came early enough to tell.
        let told = asked.elapsed() < PROTECT;
        if !told {
            drop(ask);
            item.menu_when("an empty menu", |menu| menu.requests().is_empty());
            continue;
        }
        answer(&item, &fact, "No", ask).chose("No");
        return;
    }
    panic!("this machine is too slow to click within {PROTECT:?}");
}

#[test]
fn with_tray_decisions_off_every_entry_opens_the_window() {
    let world = World::new();
    world.settings("tray-decisions = false");
    let host = world.host();
    let _tray = world.tray();
    let item = host.item();
    let mut ask = world.ask(&command("ls"));
    item.press(&["ls", "Yes, run it…"]);
    let shown = eventually("the window", || world.shown().into_iter().next());
    assert_eq!(shown, json!({"id": 1, "focus": true}));
    assert!(ask.waits());
}

#[test]
fn the_icon_counts_and_a_click_on_it_opens_the_window_at_the_oldest() {
    let desk = Desk::new();
    let item = desk.item();
    eventually("the idle tooltip", || {
        (item.tooltip() == "Nothing waits").then_some(())
    });
    let idle = item.picture();
    let _first = desk.world.ask(&command("first"));
    with(&item, "first");
    let _second = desk.world.ask(&command("second"));
    with(&item, "second");
    eventually("the tooltip", || {
        (item.tooltip() == "2 requests wait").then_some(())
    });
    assert_ne!(item.picture(), idle);
    item.activate();
    let shown = eventually("the window", || desk.world.shown().into_iter().next());
    assert_eq!(shown, json!({"id": 1, "focus": true}));
}

#[test]
fn many_requests_leave_the_menu_short() {
    let desk = Desk::new();
    let item = desk.item();
    let _asks: Vec<Ask> = (0..14)
        .map(|n| desk.world.ask(&command(&format!("make {n}"))))
        .collect();
    let menu = item.menu_when("two more", |menu| menu.find("2 more…").is_some());
    assert_eq!(menu.requests().len(), 12);
}

#[test]
fn pause_hands_back_what_waits_and_what_comes() {
    let desk = Desk::new();
    let item = desk.item();
    let ask = desk.world.ask(&command("first"));
    with(&item, "first");
    item.press(&["Pause"]);
    ask.handed_back();
    desk.world.ask(&command("second")).handed_back();
    item.press(&["Resume"]);
    item.menu_when("Pause", |menu| menu.find("Pause").is_some());
    let ask = desk.world.ask(&command("third"));
    with(&item, "third");
    answer(&item, "third", "No", ask).chose("No");
}

#[test]
fn quit_ends_the_program_and_hands_back() {
    let mut desk = Desk::new();
    let item = desk.item();
    let ask = desk.world.ask(&command("ls"));
    with(&item, "ls");
    // It may end before it has answered the click.
    if let Some(quit) = item.menu().find("Quit") {
        item.click(quit.id);
    }
    assert!(desk._tray.ended().success());
    ask.handed_back();
    assert!(!desk.world.socket().exists());
}

#[test]
fn without_a_tray_the_window_opens_and_the_icon_comes_with_the_host() {
    let world = World::new();
    let _tray = world.tray();
    let ask = world.ask(&command("ls"));
    let shown = eventually("the window", || world.shown().into_iter().next());
    assert_eq!(
        shown,
        json!({"id": Value::Null, "focus": false}),
        "nobody asked for the keyboard"
    );
    let host = world.host();
    let item = host.item();
    with(&item, "ls");
    answer(&item, "ls", "Yes, run it", ask).chose("once ");
}
