//! A screen with the real window on it, driven.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::PathBuf;
use std::thread::scope;

use doorward_desk::driver::{Area, Driver, Page};
use doorward_desk::eventually;
use doorward_desk::screen::Screen;
use doorward_desk::world::World;

pub const TITLE: &str = "Doorward";

/// In this order, so that the window ends before its screen and its bus.
pub struct Desktop {
    pub page: Page,
    _driver: Driver,
    pub screen: Screen,
    pub world: World,
}

impl Desktop {
    /// `before` makes the desktop; the tray program then starts, and `wish` makes it open a window.
    pub fn open<T>(before: impl FnOnce(&World) -> T, wish: impl FnOnce(&World)) -> (Self, T) {
        let mut world = World::new();
        let screen = Screen::start(&mut world);
        let made = before(&world);
        let driver = Driver::start(&world);
        let text = |path: PathBuf| path.display().to_string();
        let arguments = ["--socket".to_owned(), text(world.socket())];
        let page = scope(|threads| {
            let opening = threads.spawn(|| driver.open(&World::ours("doorward-tray"), &arguments));
            eventually("the socket", || world.socket().exists().then_some(()));
            wish(&world);
            opening.join().expect("a window")
        });
        let desktop = Self {
            page,
            _driver: driver,
            screen,
            world,
        };
        (desktop, made)
    }

    /// A left click of the mouse in the middle of this area of the page.
    pub fn click(&self, area: &Area) {
        let window = self.screen.window(TITLE);
        let (x, y) = area.middle();
        self.screen.click(&window, x as i32, y as i32);
    }
}

impl Drop for Desktop {
    /// What a person would have seen is the best account of a failure.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("window").to_owned();
            self.screen
                .picture(&pictures().join(format!("failed-{name}.png")));
            eprintln!("the page: {}", self.page.text());
        }
        // The driver started it and leaves it running.
        self.world.end_tray();
    }
}

/// Where pictures go: `screenshots` in the build folder.
pub fn pictures() -> PathBuf {
    let program = World::ours("doorward");
    let target = program.ancestors().nth(2).expect("a build folder");
    let folder = target.join("screenshots");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub fn open(world: &World) {
    let status = world.doorward().arg("open").status();
    assert!(status.expect("doorward starts").success());
}
