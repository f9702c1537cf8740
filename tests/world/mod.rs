//! A throw-away home with its own runtime directory and message bus, and the real programs started in it.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longer than anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A program of this workspace, built as this test is.
pub fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let test = std::env::current_exe().expect("this test");
        let folder = test.ancestors().nth(2).expect("target/PROFILE").to_owned();
        let mut cargo = Command::new(env!("CARGO"));
        // Everything, as `make test` builds it: with a part alone, other features would be chosen, and all built anew.
        cargo.args(["build", "--offline", "--quiet"]);
        cargo.args((!cfg!(debug_assertions)).then_some("--release"));
        cargo
            .arg("--target-dir")
            .arg(folder.parent().expect("target"));
        assert!(cargo.status().expect("cargo runs").success());
        folder
    });
    folder.join(name)
}

pub struct World {
    pub dir: tempfile::TempDir,
    bus: Child,
    address: String,
}

impl World {
    /// No display, and a bus on which nobody is.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        for name in [
            "home", "run", "state", "config", "cache", "data", "work", "log",
        ] {
            std::fs::DirBuilder::new()
                .mode(0o700)
                .create(dir.path().join(name))
                .expect("a folder");
        }
        let socket = dir.path().join("bus");
        let conf = format!(
            "<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
            socket.display()
        );
        let file = dir.path().join("bus.conf");
        std::fs::write(&file, conf).expect("written");
        let mut bus = Command::new("dbus-daemon");
        bus.arg("--nofork")
            .arg("--print-address")
            .arg("--config-file")
            .arg(file);
        let mut bus = bus
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon starts");
        let mut address = String::new();
        BufReader::new(bus.stdout.take().expect("stdout"))
            .read_line(&mut address)
            .expect("an address");
        let address = address.trim().to_owned();
        Self { dir, bus, address }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn socket(&self) -> PathBuf {
        self.path("run/doorward/doorward.sock")
    }

    /// A program with this world as its environment; what it says on stderr goes to a log of its own.
    pub fn command(&self, name: &str, log: &str) -> Command {
        let mut command = Command::new(program(name));
        let log = self.path("log").join(log);
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(log)
            .expect("a log");
        command
            .stderr(log)
            .current_dir(self.path("work"))
            .env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .env("RUST_BACKTRACE", "1");
        command
            .env("HOME", self.path("home"))
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        for (variable, folder) in [
            ("RUNTIME_DIR", "run"),
            ("STATE_HOME", "state"),
            ("CONFIG_HOME", "config"),
            ("CACHE_HOME", "cache"),
            ("DATA_HOME", "data"),
        ] {
            command.env(format!("XDG_{variable}"), self.path(folder));
        }
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}

/// A process that ends with the test.
pub struct Running(pub Child);

impl Running {
    pub fn start(mut command: Command) -> Self {
        Self(command.spawn().expect("it starts"))
    }

    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.0.id().to_string())
            .status();
        assert!(kill.expect("kill runs").success());
    }

    /// Asks it to end as a session's end does, and waits for that.
    pub fn terminate(mut self) -> std::process::ExitStatus {
        self.signal("TERM");
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Connects as soon as somebody listens.
pub fn connect(socket: &Path) -> UnixStream {
    let until = Instant::now() + PATIENCE;
    loop {
        match UnixStream::connect(socket) {
            Ok(stream) => {
                stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
                return stream;
            }
            Err(error) => assert!(Instant::now() < until, "nobody listens: {error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a command on an input; gives its output and exit code.
pub fn finish(mut command: Command, input: &str) -> (String, Option<i32>) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // One that does not read is one that needs no input.
    let _ = child
        .stdin
        .take()
        .expect("stdin")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        output.status.code(),
    )
}
