//! A D-Bus daemon of our own, on which no installed service can appear.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use zbus::blocking::{Connection, connection::Builder};

const CONFIG: &str = include_str!("../bus.conf");

pub struct Bus {
    pub address: String,
    daemon: Child,
}

impl Bus {
    pub fn start(folder: &Path) -> Self {
        Self::with(folder, CONFIG)
    }

    /// One on which nobody overhears what is addressed to others.
    pub fn discreet(folder: &Path) -> Self {
        Self::with(
            folder,
            &CONFIG.replace(r#" eavesdrop="true""#, r#" eavesdrop="false""#),
        )
    }

    fn with(folder: &Path, settings: &str) -> Self {
        let config = folder.join("bus.conf");
        std::fs::write(&config, settings).expect("the bus's configuration");
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .arg(format!(
                "--address=unix:path={}",
                folder.join("bus").display()
            ))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            // It complains of a limit on open files that it need not raise.
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon starts");
        let mut address = String::new();
        let output = daemon.stdout.take().expect("its output");
        BufReader::new(output)
            .read_line(&mut address)
            .expect("its address");
        Self {
            address: address.trim().to_owned(),
            daemon,
        }
    }

    pub fn connect(&self) -> Connection {
        Builder::address(self.address.as_str())
            .and_then(Builder::build)
            .expect("the private bus takes a connection")
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
