//! The real window, started by the real tray program, on a screen of its own.
//!
//! WebKitWebDriver tells where things are on the page; the clicks and keys are the X server's, so
//! they take the way of a person's: through the window manager, the toolkit and the web view.

mod desktop;

use std::thread::sleep;
use std::time::Duration;

use desktop::{Desktop, TITLE, open};
use doorward_desk::ask::command;
use doorward_desk::eventually;
use doorward_desk::relay::Relay;
use doorward_desk::screen::Screen;
use doorward_desk::world::World;
use serde_json::json;

/// No button has these words any more.
const GONE: &str = "return [...document.querySelectorAll('button')].some((button) =>
    button.innerText.includes(arguments[0])) ? null : true;";

/// Clicks on the option until the agent was answered: too early a click is refused.
fn choose(desktop: &Desktop, label: &str, relay: &Relay) {
    until_answered(relay, || desktop.click(&desktop.page.button(label)));
}

fn until_answered(relay: &Relay, mut act: impl FnMut()) {
    eventually("an answer", || {
        act();
        // Long enough for the answer's way, short enough to try again soon.
        (0..20).find_map(|_| {
            sleep(Duration::from_millis(50));
            (!relay.waits()).then_some(())
        })
    });
}

#[test]
fn a_click_in_the_window_answers_and_the_agent_goes_on() {
    let (desktop, _made) = Desktop::open(|world| (world.host(), world.notifications()), open);
    let relay = Relay::start(&desktop.world, &command("make test"));
    desktop.page.reads("make test");
    for label in ["Yes, run it", "Yes, and don't ask again", "No"] {
        desktop.page.reads(label);
    }
    choose(&desktop, "Yes, run it", &relay);
    relay.chose("once ");
    // The next one by the driver's own click, which debug builds take.
    let relay = Relay::start(&desktop.world, &command("make install"));
    // The card that was answered stays in view until somebody looks at the next one.
    desktop.click(&desktop.page.button("make install"));
    desktop.page.button("Yes, and don't ask again");
    until_answered(&relay, || desktop.page.press("Yes, and don't ask again"));
    relay.chose("always");
}

#[test]
fn a_key_answers_in_the_window() {
    // Without the driver: it would have a say in where the keyboard is.
    let mut world = World::new();
    let screen = Screen::start(&mut world);
    let host = world.host();
    let _tray = world.tray_with(&World::ours("doorward-window"));
    let relay = Relay::start(&world, &command("make test"));
    host.item().activate();
    let window = screen.window(TITLE);
    screen.focus(&window);
    // No option has the focus: a Return that was meant for another program chooses none.
    until_answered(&relay, || {
        screen.key("Return");
        screen.key("ctrl+3");
    });
    relay.chose("No");
}

#[test]
fn the_tray_menu_answers_while_the_window_looks_on() {
    let (desktop, host) = Desktop::open(World::host, open);
    let item = host.item();
    let relay = Relay::start(&desktop.world, &command("make test"));
    desktop.page.reads("make test");
    until_answered(&relay, || item.press(&["make test", "Yes, run it"]));
    relay.chose("once ");
    let lasting = json!("Yes, and don't ask again");
    desktop.page.when("the card's end", GONE, &[lasting]);
}

#[test]
fn a_notification_s_reject_answers_while_the_window_looks_on() {
    let made = |world: &World| (world.host(), world.notifications());
    let (desktop, (_host, daemon)) = Desktop::open(made, open);
    let relay = Relay::start(&desktop.world, &command("make test"));
    desktop.page.reads("make test");
    daemon.press(&daemon.note("make test"), "reject");
    relay.chose("No");
    let lasting = json!("Yes, and don't ask again");
    desktop.page.when("the card's end", GONE, &[lasting]);
}

#[test]
fn with_neither_tray_nor_notifications_a_request_opens_the_window() {
    let mut relay = None;
    let ask = |world: &World| relay = Some(Relay::start(world, &command("make test")));
    let (desktop, ()) = Desktop::open(|_| (), ask);
    let relay = relay.expect("it asked");
    desktop.page.reads("make test");
    choose(&desktop, "No", &relay);
    relay.chose("No");
}

#[test]
fn with_a_tray_and_no_notifications_the_window_answers() {
    let (desktop, host) = Desktop::open(World::host, open);
    let relay = Relay::start(&desktop.world, &command("make test"));
    let there = |menu: &doorward_desk::menu::Menu| menu.request("make test").is_some();
    host.item().menu_when("the request", there);
    desktop.page.reads("make test");
    choose(&desktop, "Yes, run it", &relay);
    relay.chose("once ");
}

#[test]
fn closing_the_window_leaves_the_request() {
    let mut world = World::new();
    let screen = Screen::start(&mut world);
    let host = world.host();
    let mut tray = world.tray_with(&World::ours("doorward-window"));
    let item = host.item();
    let relay = Relay::start(&world, &command("make test"));
    open(&world);
    let window = screen.window(TITLE);
    screen.focus(&window);
    screen.key("alt+F4");
    eventually("the window's end", || {
        screen.find(TITLE).is_none().then_some(())
    });
    assert!(relay.waits());
    // A new one opens, and the tray still answers.
    item.activate();
    screen.window(TITLE);
    until_answered(&relay, || item.press(&["make test", "No"]));
    relay.chose("No");
    // The tray program takes its window with it.
    assert!(tray.terminate().success());
    eventually("the window's end", || {
        screen.find(TITLE).is_none().then_some(())
    });
}
