//! The release build takes a decision only from a real mouse or keyboard.
//!
//! A screen inside a screen: input on the outer one reaches the inner one through devices that the
//! toolkit cannot tell from hardware; input made on the inner one itself comes from the X server's
//! test device, as any program of the session can make it.

mod desktop;

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use desktop::{Desktop, TITLE, open};
use doorward_desk::ask::{Ask, command};
use doorward_desk::driver::Area;
use doorward_desk::eventually;
use doorward_desk::screen::Screen;
use doorward_desk::world::{Tray, World};

/// Times that a forged input is tried. The protection of a request ends well within them.
const FORGED: usize = 30;
const PAUSE: Duration = Duration::from_millis(150);

struct Gate {
    world: World,
    _tray: Tray,
    inner: Screen,
    outer: Screen,
    host: doorward_desk::host::Host,
}

impl Gate {
    fn open() -> Self {
        Self::with(&[])
    }

    fn with(variables: &[(&'static str, &'static str)]) -> Self {
        let outer = Screen::bare();
        let inner = outer.inner();
        let mut world = World::new();
        world.display = Some(inner.display.clone());
        world.variables = variables.to_vec();
        let host = world.host();
        let tray = world.tray_with(&release());
        Self {
            world,
            _tray: tray,
            inner,
            outer,
            host,
        }
    }

    /// Asks, and has the window show it.
    fn ask(&self) -> Ask {
        let ask = self.world.ask(&command("make test"));
        let there = |menu: &doorward_desk::menu::Menu| menu.request("make test").is_some();
        self.host.item().menu_when("the request", there);
        self.host.item().activate();
        self.inner.point(&self.inner.window(TITLE));
        ask
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.inner
                .picture(&desktop::pictures().join("failed-gate.png"));
            eprintln!("the tray program: {}", self.world.tray_log());
        }
    }
}

fn release() -> PathBuf {
    let debug = World::ours("doorward");
    let target = debug.ancestors().nth(2).expect("a build folder");
    let window = target.join("release/doorward-window");
    assert!(
        window.exists(),
        "first: cargo build --release -p doorward-window"
    );
    window
}

/// Where the page has this button, told by the debug build, which can be asked.
fn place(label: &str) -> Area {
    let (desktop, _host) = Desktop::open(World::host, open);
    let _ask = desktop.world.ask(&command("make test"));
    desktop.page.button(label)
}

#[test]
fn clicks_of_a_real_mouse_count_and_forged_ones_do_not() {
    let (x, y) = place("Yes, run it").middle();
    let gate = Gate::open();
    let mut ask = gate.ask();
    let origin = gate.inner.origin(&gate.inner.window(TITLE));
    let (x, y) = (origin.0 + x as i32, origin.1 + y as i32);
    for _ in 0..FORGED {
        gate.inner.click_at(x, y);
        sleep(PAUSE);
    }
    assert!(ask.waits(), "a forged click was taken");
    eventually("an answer", || {
        gate.outer.click_at(x, y);
        sleep(PAUSE);
        (!ask.waits()).then_some(())
    });
    ask.chose("once ");
}

#[test]
fn keys_of_a_real_keyboard_count_and_forged_ones_do_not() {
    let gate = Gate::open();
    let mut ask = gate.ask();
    for _ in 0..FORGED {
        gate.inner.key("ctrl+1");
        sleep(PAUSE);
    }
    assert!(ask.waits(), "a forged key was taken");
    // Into the window that is the inner screen.
    gate.outer.click_at(1, 1);
    eventually("an answer", || {
        gate.outer.key("ctrl+1");
        sleep(PAUSE);
        (!ask.waits()).then_some(())
    });
    ask.chose("once ");
}

#[test]
fn a_release_build_cannot_be_driven() {
    // Passed on by a debug build of the tray program; the window itself must refuse them.
    let gate = Gate::with(&[
        ("TAURI_WEBVIEW_AUTOMATION", "true"),
        ("WEBKIT_INSPECTOR_SERVER", "127.0.0.1:9"),
        ("WEBKIT_INJECTED_BUNDLE_PATH", "/nowhere"),
    ]);
    let _ask = gate.ask();
    let pid = gate.inner.pid(&gate.inner.window(TITLE));
    let environment = std::fs::read(format!("/proc/{pid}/environ")).expect("its environment");
    let environment = String::from_utf8_lossy(&environment);
    for word in ["AUTOMATION", "WEBKIT_"] {
        assert!(!environment.contains(word), "{environment}");
    }
}
