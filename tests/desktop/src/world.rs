//! One test's world: folders, bus, environment, the tray program, and a window that only listens.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::ask::Ask;
use crate::bus::Bus;
use crate::eventually;
use crate::host::Host;
use crate::notes::Daemon;

/// Tells what it hears in a file, says who it is in another, and ends with its socket.
const STAND_IN: &str =
    "#!/bin/sh\ncd \"${0%/*}\" && echo $$ >>window.pids && exec cat >>window.lines\n";

pub struct World {
    pub folder: tempfile::TempDir,
    pub bus: Bus,
    pub display: Option<String>,
    /// More of the environment.
    pub variables: Vec<(&'static str, &'static str)>,
}

impl World {
    #[expect(clippy::new_without_default, reason = "it starts a process")]
    pub fn new() -> Self {
        Self::on(Bus::start)
    }

    /// On a bus that hands no message to anyone but the addressee, as dbus-broker does.
    pub fn without_overhearing() -> Self {
        Self::on(Bus::discreet)
    }

    fn on(bus: impl FnOnce(&Path) -> Bus) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("doorward-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .expect("a folder");
        for name in ["home", "home/acme", "run"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).expect("a folder");
            std::fs::set_permissions(&path, Permissions::from_mode(0o700)).expect("its mode");
        }
        let script = folder.path().join("window.sh");
        std::fs::write(&script, STAND_IN).expect("the stand-in");
        std::fs::set_permissions(&script, Permissions::from_mode(0o700)).expect("its mode");
        let bus = bus(folder.path());
        Self {
            folder,
            bus,
            display: None,
            variables: Vec::new(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.path("run/doorward.sock")
    }

    /// A program of ours, from the folder that this test was built into.
    pub fn ours(name: &str) -> PathBuf {
        let own = std::env::current_exe().expect("the test's own path");
        let program = own
            .ancestors()
            .nth(2)
            .map(|folder| folder.join(name))
            .expect("a build folder");
        assert!(program.exists(), "{name} is not built: cargo build first");
        program
    }

    /// A command that sees this world and nothing of the one outside.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let home = self.path("home");
        let mut command = Command::new(program.as_ref());
        command.current_dir(home.join("acme")).env_clear();
        for name in ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus.address)
            .env(
                "DBUS_SYSTEM_BUS_ADDRESS",
                format!("unix:path={}", self.path("none").display()),
            )
            .env("GDK_BACKEND", "x11")
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("NO_AT_BRIDGE", "1")
            .env("GTK_USE_PORTAL", "0")
            .envs(self.variables.iter().copied());
        if let Some(display) = &self.display {
            command.env("DISPLAY", display);
        }
        command
    }

    /// What the person of this world has set.
    pub fn settings(&self, text: &str) {
        let folder = self.path("home/.config/doorward");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("settings.toml"), text).expect("the settings");
    }

    /// The toolkit's settings, as a desktop leaves them.
    pub fn gtk(&self, text: &str) {
        let folder = self.path("home/.config/gtk-3.0");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("settings.ini"), text).expect("the settings");
    }

    /// `doorward`, on this world's socket.
    pub fn doorward(&self) -> Command {
        let mut command = self.command(Self::ours("doorward"));
        command.arg("--socket").arg(self.socket());
        command
    }

    /// The tray program with the stand-in as its window, once it listens.
    pub fn tray(&self) -> Tray {
        let window = self.path("window.sh");
        self.tray_with(&window)
    }

    pub fn tray_with(&self, window: &Path) -> Tray {
        let errors = std::fs::File::create(self.path("tray.log")).expect("a log");
        let mut command = self.command(Self::ours("doorward-tray"));
        command.arg("--socket").arg(self.socket());
        command.arg("--window").arg(window).stderr(errors);
        let tray = Tray(command.spawn().expect("doorward-tray starts"));
        eventually("the socket", || self.socket().exists().then_some(()));
        tray
    }

    /// Ends the tray program that answers on the socket, whoever started it.
    pub fn end_tray(&self) {
        let Ok(stream) = UnixStream::connect(self.socket()) else {
            return;
        };
        let peer = socket_peercred(&stream).expect("the peer of a socket");
        let _ = kill_process(peer.pid, Signal::TERM);
        // It takes the socket's file with it.
        eventually("the tray program's end", || {
            (!self.socket().exists()).then_some(())
        });
    }

    /// Asks through `doorward ask`, as bridges do.
    pub fn ask(&self, request: &Value) -> Ask {
        let mut command = self.doorward();
        command
            .arg("ask")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("doorward starts");
        let mut input = child.stdin.take().expect("its input");
        write!(input, "{request}").expect("it reads");
        drop(input);
        Ask::new(child)
    }

    pub fn host(&self) -> Host {
        Host::start(&self.bus)
    }

    pub fn notifications(&self) -> Daemon {
        Daemon::start(&self.bus, Daemon::usual())
    }

    /// What the stand-in has heard so far.
    pub fn window_lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("window.lines")).unwrap_or_default();
        // The last line may be half written.
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The requests that the window was asked to show so far; `null` for none in particular.
    pub fn shown(&self) -> Vec<Value> {
        let lines = self.window_lines();
        lines
            .iter()
            .filter_map(|line| line.get("show").cloned())
            .collect()
    }

    /// The processes that the stand-in has been.
    pub fn window_pids(&self) -> Vec<i32> {
        let text = std::fs::read_to_string(self.path("window.pids")).unwrap_or_default();
        text.lines().filter_map(|line| line.parse().ok()).collect()
    }

    pub fn tray_log(&self) -> String {
        std::fs::read_to_string(self.path("tray.log")).unwrap_or_default()
    }
}

/// The tray program; ended with the test.
pub struct Tray(pub Child);

impl Tray {
    /// Sends SIGTERM and waits for the end.
    pub fn terminate(&mut self) -> ExitStatus {
        kill_process(Pid::from_child(&self.0), Signal::TERM).expect("it still runs");
        self.ended()
    }

    pub fn ended(&mut self) -> ExitStatus {
        eventually("the tray program's end", || {
            self.0.try_wait().expect("our child")
        })
    }
}

impl Drop for Tray {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            // Its window ends with it.
            let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
            for _ in 0..300 {
                if !matches!(self.0.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}
