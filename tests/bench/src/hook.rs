//! The hook against an empty process.

use crate::process::{World, broker, program};
use crate::table::{Table, median};
use anyhow::{Result, ensure};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 300;
const INPUT: &str = r#"{"session_id":"s","transcript_path":"/w/t","cwd":"/w","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make test","description":"Run the tests"}}"#;

pub fn measure(world: &World, table: &mut Table) -> Result<()> {
    let socket = world.path("hook/doorward.sock");
    let empty = program("doorward-bench-empty")?;
    let hook = || -> Result<Command> {
        let mut command = world.command(&program("doorward")?);
        command
            .arg("--socket")
            .arg(&socket)
            .args(["hook", "claude"]);
        Ok(command)
    };
    let absent = compare(&mut || Ok(world.command(&empty)), &mut || hook(), false)?;
    table.row(
        "hook, app absent, against an empty process",
        format!("{absent:.2}x"),
        "<= 1.5x",
        absent <= 1.5,
    );
    let _broker = broker(world, &socket)?;
    let present = compare(&mut || Ok(world.command(&empty)), &mut || hook(), true)?;
    table.row(
        "hook, app present and answering at once",
        format!("{present:.2}x"),
        "<= 3x",
        present <= 3.0,
    );
    Ok(())
}

type Start<'a> = &'a mut dyn FnMut() -> Result<Command>;

/// By turns, so that both meet the same machine.
fn compare(base: Start<'_>, other: Start<'_>, answers: bool) -> Result<f64> {
    let (mut bases, mut others) = (vec![], vec![]);
    for _ in 0..RUNS {
        bases.push(once(base()?, false)?);
        others.push(once(other()?, answers)?);
    }
    Ok(median(others).as_secs_f64() / median(bases).as_secs_f64())
}

fn once(mut command: Command, answers: bool) -> Result<Duration> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // An empty process reads nothing.
        let _ = stdin.write_all(INPUT.as_bytes());
    }
    let mut out = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut out)?;
    }
    let status = child.wait()?;
    let took = began.elapsed();
    ensure!(
        status.success() && out.contains("deny") == answers,
        "it said {out:?}"
    );
    Ok(took)
}
