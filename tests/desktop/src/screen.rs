//! A screen that nobody sees, with a window manager, and a mouse and keyboard on it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::eventually;
use crate::world::World;

pub struct Screen {
    pub display: String,
    server: Child,
    manager: Option<Child>,
}

/// A window on the screen, without its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub window: u64,
    pub width: i32,
    pub height: i32,
}

impl Screen {
    /// Starts a screen with a window manager, and tells `world` of it.
    pub fn start(world: &mut World) -> Self {
        let mut screen = Self::bare();
        world.display = Some(screen.display.clone());
        let manager = world
            .command("openbox")
            .arg("--sm-disable")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openbox starts");
        screen.manager = Some(manager);
        screen
    }

    /// A screen with nothing on it.
    pub fn bare() -> Self {
        let mut server = Command::new("Xvfb");
        server.args(["-screen", "0", "1400x1000x24"]);
        Self::serve(server)
    }

    /// A screen inside a window of this one. What a test does to the outer screen comes from its
    /// mouse and keyboard; what it does to the inner one comes from its test device.
    pub fn inner(&self) -> Self {
        let mut server = Command::new("Xephyr");
        server.args(["-screen", "1300x950"]);
        server.env("DISPLAY", &self.display);
        Self::serve(server)
    }

    fn serve(mut command: Command) -> Self {
        let mut server = command
            // A server starts afresh when its last client leaves, and xdotool leaves each time.
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("an X server starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("its output");
        BufReader::new(output)
            .read_line(&mut number)
            .expect("its number");
        Self {
            display: format!(":{}", number.trim()),
            server,
            manager: None,
        }
    }

    fn xdotool(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new("xdotool")
            .env("DISPLAY", &self.display)
            .args(arguments)
            .stderr(Stdio::null())
            .output()
            .expect("xdotool starts");
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The window with this title, once it is on the screen.
    pub fn window(&self, title: &str) -> Place {
        eventually(title, || self.find(title))
    }

    pub fn find(&self, title: &str) -> Option<Place> {
        let title = format!("^{title}$");
        let found = self.xdotool(&["search", "--onlyvisible", "--name", &title])?;
        let window = found.lines().next()?.to_owned();
        let shell = self.xdotool(&["getwindowgeometry", "--shell", &window])?;
        let value = |name: &str| {
            let line = shell.lines().find_map(|line| line.strip_prefix(name))?;
            line.strip_prefix('=')?.parse().ok()
        };
        Some(Place {
            window: window.parse().ok()?,
            width: value("WIDTH")?,
            height: value("HEIGHT")?,
        })
    }

    /// A click at this place of the window, as the X server reports it: from its test device, which
    /// debug builds take.
    pub fn click(&self, window: &Place, x: i32, y: i32) {
        let (window, x, y) = (window.window.to_string(), x.to_string(), y.to_string());
        self.xdotool(&["mousemove", "--window", &window, &x, &y, "click", "1"])
            .expect("a click");
    }

    /// A click at this place of the screen.
    pub fn click_at(&self, x: i32, y: i32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.xdotool(&["mousemove", &x, &y, "click", "1"])
            .expect("a click");
    }

    /// The other button at this place of the screen: what is there shows its menu.
    pub fn menu_at(&self, x: i32, y: i32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.xdotool(&["mousemove", &x, &y, "click", "3"])
            .expect("a click");
    }

    /// Where a window without a frame begins.
    pub fn origin(&self, window: &Place) -> (i32, i32) {
        let shell = self.xdotool(&["getwindowgeometry", "--shell", &window.window.to_string()]);
        let shell = shell.expect("a window");
        let value = |name: &str| {
            let line = shell.lines().find_map(|line| line.strip_prefix(name))?;
            line.strip_prefix('=')?.parse().ok()
        };
        (value("X").expect("its x"), value("Y").expect("its y"))
    }

    /// The process of a window.
    pub fn pid(&self, window: &Place) -> u32 {
        let pid = self.xdotool(&["getwindowpid", &window.window.to_string()]);
        pid.and_then(|pid| pid.trim().parse().ok())
            .expect("its process")
    }

    /// Gives the keyboard to a window on a screen without a manager.
    pub fn point(&self, window: &Place) {
        self.xdotool(&["windowfocus", &window.window.to_string()])
            .expect("the keyboard");
    }

    /// Gives the keyboard to a window.
    pub fn focus(&self, window: &Place) {
        let id = window.window.to_string();
        eventually("the keyboard", || {
            self.xdotool(&["windowactivate", &id])?;
            let focused = self.xdotool(&["getwindowfocus"])?;
            (focused.trim() == id).then_some(())
        });
    }

    /// A key, for the window that has the keyboard.
    pub fn key(&self, key: &str) {
        self.xdotool(&["key", key]).expect("a key");
    }

    pub fn resize(&self, window: &Place, width: i32, height: i32) {
        let (window, width, height) = (
            window.window.to_string(),
            width.to_string(),
            height.to_string(),
        );
        self.xdotool(&["windowsize", &window, &width, &height])
            .expect("a new size");
    }

    /// The whole screen as a PNG file.
    pub fn picture(&self, file: &Path) {
        let status = Command::new("import")
            .env("DISPLAY", &self.display)
            .args(["-window", "root"])
            .arg(file)
            .status();
        assert!(
            status.expect("import starts").success(),
            "a picture of the screen"
        );
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Asked to end, a server takes its lock and its socket away; the next one with its number would
        // fall over them.
        for child in self.manager.iter_mut().chain([&mut self.server]) {
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
            let _ = child.wait();
        }
    }
}
