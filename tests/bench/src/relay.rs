//! The relay against `cat`, and against a relay on the SDK.

use crate::process::{Running, World, broker, program};
use crate::table::{Table, median};
use anyhow::{Context as _, Result, ensure};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 7;

pub fn measure(world: &World, table: &mut Table) -> Result<()> {
    let socket = world.path("relay/doorward.sock");
    let large = world.path("large");
    write(&large, 30_000, 4_000)?;
    let relay = |file: &Path| -> Result<Command> {
        let mut command = world.command(&program("doorward")?);
        command
            .arg("--socket")
            .arg(&socket)
            .args(["acp", "--", "cat"])
            .arg(file);
        Ok(command)
    };
    let cat = |file: &Path| {
        let mut command = world.command(Path::new("/bin/sh"));
        command.args(["-c", "cat \"$1\" | cat", "sh"]).arg(file);
        command
    };
    let mut against_cat = |name: &str| -> Result<()> {
        let (mut ours, mut theirs) = (vec![], vec![]);
        for _ in 0..RUNS {
            theirs.push(through(cat(&large), &large)?);
            ours.push(through(relay(&large)?, &large)?);
        }
        let ratio = median(theirs).as_secs_f64() / median(ours.clone()).as_secs_f64();
        let rate = std::fs::metadata(&large)?.len() as f64 / median(ours).as_secs_f64() / 1e6;
        table.row(
            &format!("relay, 30 kB lines, {name}, against cat"),
            format!("{ratio:.2}x ({rate:.0} MB/s)"),
            ">= 0.5x",
            ratio >= 0.5,
        );
        Ok(())
    };
    against_cat("app absent")?;
    let broker: Running = broker(world, &socket)?;
    against_cat("app present")?;
    broker.signal("-STOP")?;
    against_cat("app stopped")?;
    broker.signal("-CONT")?;
    drop(broker);

    let (small, few) = (world.path("small"), world.path("few"));
    write(&small, 220, 400_000)?;
    write(&few, 220, 8_000)?;
    let rate =
        |command: &mut dyn FnMut() -> Result<Command>, file: &Path, lines: f64| -> Result<f64> {
            let times: Result<Vec<Duration>> = (0..3).map(|_| through(command()?, file)).collect();
            Ok(lines / median(times?).as_secs_f64())
        };
    let ours = rate(&mut || relay(&small), &small, 400_000.0)?;
    let sdk = rate(
        &mut || {
            let mut command = world.command(&std::env::current_exe()?);
            command.args(["sdk-relay", "cat"]).arg(&few);
            Ok(command)
        },
        &few,
        8_000.0,
    )?;
    let ratio = ours / sdk;
    table.row(
        "relay, 220 B lines, against a relay on the SDK",
        format!("{ratio:.0}x ({ours:.0} and {sdk:.0} lines/s)"),
        ">= 50x",
        ratio >= 50.0,
    );
    Ok(())
}

/// Lines as an agent sends them while it works.
fn write(path: &Path, length: usize, lines: usize) -> Result<()> {
    let (before, after) = (
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#,
        r#""}}}}"#,
    );
    let filling = length
        .checked_sub(before.len() + after.len() + 1)
        .context("a longer line")?;
    let line = format!("{before}{}{after}\n", "x".repeat(filling));
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for _ in 0..lines {
        file.write_all(line.as_bytes())?;
    }
    Ok(file.flush()?)
}

/// The time until the last byte has come through.
fn through(mut command: Command, file: &Path) -> Result<Duration> {
    let wanted = std::fs::metadata(file)?.len();
    let began = Instant::now();
    let mut child: Child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut out = child.stdout.take().context("stdout")?;
    let mut chunk = vec![0; 1 << 16];
    let mut got = 0;
    while got < wanted {
        match out.read(&mut chunk)? {
            0 => break,
            count => got += count as u64,
        }
    }
    let took = began.elapsed();
    drop(child.stdin.take());
    let mut child = Running(child);
    ensure!(got == wanted, "{got} of {wanted} bytes came through");
    let until = Instant::now() + Duration::from_secs(10);
    while child.0.try_wait()?.is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(took)
}
