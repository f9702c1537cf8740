//! Programs in a throw-away home, and the broker with a person who answers at once.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub struct World {
    pub dir: tempfile::TempDir,
    bus: Child,
    address: String,
}

impl World {
    /// No display, and a bus on which nobody is. In memory, so that no disk is measured.
    pub fn new() -> Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix("dw-bench-")
            .tempdir_in("/dev/shm")?;
        for name in ["home", "run"] {
            std::fs::DirBuilder::new()
                .mode(0o700)
                .create(dir.path().join(name))?;
        }
        let file = dir.path().join("bus.conf");
        let policy = r#"<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>"#;
        std::fs::write(
            &file,
            format!(
                "<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>{policy}</busconfig>",
                dir.path().join("bus").display()
            ),
        )?;
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--nofork", "--print-address", "--config-file"])
            .arg(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut bus = bus.spawn().context("start dbus-daemon")?;
        let mut address = String::new();
        BufReader::new(bus.stdout.take().context("its stdout")?).read_line(&mut address)?;
        Ok(Self {
            dir,
            bus,
            address: address.trim().to_owned(),
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"));
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}

/// A program beside this one.
pub fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    ensure!(
        path.exists(),
        "{} is missing: build it first",
        path.display()
    );
    Ok(path)
}

/// A process that ends with its owner.
pub struct Running(pub Child);

impl Running {
    pub fn signal(&self, name: &str) -> Result<()> {
        let status = Command::new("kill")
            .arg(name)
            .arg(self.0.id().to_string())
            .status()?;
        ensure!(status.success(), "cannot signal");
        Ok(())
    }

    /// Proportional memory in kB.
    pub fn pss(&self) -> Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.0.id()))?;
        let line = text
            .lines()
            .find(|line| line.starts_with("Pss:"))
            .context("a Pss line")?;
        line.split_whitespace()
            .nth(1)
            .context("a number")?
            .parse()
            .context("a number")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The broker with a person who rejects everything at once.
pub fn broker(world: &World, socket: &Path) -> Result<Running> {
    let mut command = world.command(&program("doorward-harness")?);
    command
        .arg("--dir")
        .arg(socket.parent().context("a folder")?)
        .arg("--socket")
        .arg(socket);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("stdin")?;
    let mut stdout = BufReader::new(child.stdout.take().context("stdout")?);
    let mut ready = String::new();
    stdout.read_line(&mut ready)?;
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let line: Value = serde_json::from_str(&line).unwrap_or_default();
            let arrived = &line["arrived"];
            if let Some(option) = arrived["detail"]["options"]
                .as_array()
                .and_then(|options| options.last())
            {
                let decide = json!({"decide": {"id": arrived["id"], "revision": arrived["revision"], "option": option["id"]}});
                if writeln!(stdin, "{decide}").is_err() {
                    break;
                }
            }
        }
    });
    Ok(Running(child))
}
