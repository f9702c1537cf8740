//! The resident process: how soon it listens, and what it holds.

use crate::process::{Running, World, program};
use crate::table::{Table, median, ms};
use anyhow::{Result, ensure};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RUNS: usize = 30;

pub fn measure(world: &World, table: &mut Table) -> Result<()> {
    let mut times = vec![];
    for _ in 0..RUNS {
        let (tray, took) = start(world)?;
        times.push(took);
        end(tray)?;
    }
    let took = median(times);
    table.row(
        "doorward-tray, start to socket",
        ms(took),
        "<= 10 ms",
        took <= Duration::from_millis(10),
    );
    let (tray, _) = start(world)?;
    std::thread::sleep(Duration::from_secs(3));
    let pss = tray.pss()? as f64 / 1024.0;
    table.row(
        "doorward-tray, PSS idle",
        format!("{pss:.1} MB"),
        "<= 10 MB",
        pss <= 10.0,
    );
    end(tray)
}

fn start(world: &World) -> Result<(Running, Duration)> {
    let socket = world.path("tray/doorward.sock");
    let _ = std::fs::remove_file(&socket);
    let mut command = world.command(&program("doorward-tray")?);
    command.arg("--socket").arg(&socket).stderr(Stdio::null());
    let began = Instant::now();
    let tray = Running(command.spawn()?);
    while UnixStream::connect(&socket).is_err() {
        ensure!(
            began.elapsed() < Duration::from_secs(20),
            "the tray does not listen"
        );
        std::thread::sleep(Duration::from_micros(50));
    }
    Ok((tray, began.elapsed()))
}

fn end(mut tray: Running) -> Result<()> {
    tray.signal("-TERM")?;
    tray.0.wait()?;
    Ok(())
}
