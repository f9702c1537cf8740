//! The real broker with the surface protocol on stdin and stdout: for tests, never packaged.
//!
//! It pulls the detail that a window would pull and prints it. One JSON object a line.

use anyhow::Context as _;
use clap::Parser;
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;
use tokio::io::{AsyncBufReadExt, BufReader};

#[derive(Parser)]
struct Arguments {
    /// Directory for the socket; made with mode 0700 when it is missing.
    #[arg(long)]
    dir: PathBuf,
    /// The socket's path, else `doorward.sock` in the directory.
    #[arg(long)]
    socket: Option<PathBuf>,
    /// Logs everything to stderr, to show that nothing of a request is in it.
    #[arg(long)]
    trace: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.trace {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(std::io::stderr)
            .init();
        tracing::trace!("everything is logged");
    }
    let socket = arguments
        .socket
        .unwrap_or_else(|| arguments.dir.join("doorward.sock"));
    let broker = doorward_broker::start(Some(socket)).await?;
    let mut pushes = broker.handle.subscribe(Surface::Harness);
    print(&json!({"ready": {"socket": broker.socket}}))?;
    let mut early = arrived_before(&broker.handle).await?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        tokio::select! {
            push = pushes.recv() => match push {
                // One that came while the snapshot was taken is in both.
                Some(Push::Arrived { id, .. }) if early.remove(&id) => {}
                Some(push) => report(&broker.handle, push).await?,
                None => break,
            },
            line = lines.next_line() => match line.context("read a command")? {
                Some(line) if !line.trim().is_empty() => {
                    if !obey(&broker.handle, &line)? { break }
                }
                Some(_) => {}
                None => break,
            },
        }
    }
    broker.handle.shutdown().await;
    while let Ok(push) = pushes.try_recv() {
        report(&broker.handle, push).await?;
    }
    Ok(())
}

/// Requests may be faster than the subscription: the socket is open before it.
async fn arrived_before(handle: &Handle) -> anyhow::Result<HashSet<u32>> {
    let mut ids = HashSet::new();
    for row in handle.snapshot().await {
        detail(handle, "arrived", row.id).await?;
        ids.insert(row.id);
    }
    Ok(ids)
}

async fn report(handle: &Handle, push: Push) -> anyhow::Result<()> {
    match push {
        Push::Arrived { id, .. } => detail(handle, "arrived", id).await,
        Push::Changed { id, .. } => detail(handle, "changed", id).await,
        other => match other.to_line() {
            Some(line) => print(&serde_json::from_str(&line)?),
            None => Ok(()),
        },
    }
}

async fn detail(handle: &Handle, name: &str, id: u32) -> anyhow::Result<()> {
    match handle.detail_at(id).await {
        Some((revision, detail)) => {
            print(&json!({name: {"id": id, "revision": revision, "detail": detail}}))
        }
        None => Ok(()),
    }
}

/// `false` ends the harness.
fn obey(handle: &Handle, line: &str) -> anyhow::Result<bool> {
    let command: Value = serde_json::from_str(line).context("read a command")?;
    if let Some(decide) = command.get("decide") {
        let decide: Decide = serde_json::from_value(decide.clone()).context("read a decide")?;
        handle.decide(decide, Surface::Harness);
    } else if let Some(id) = command.pointer("/abstain/id").and_then(Value::as_u64) {
        handle.abstain(u32::try_from(id).context("read an abstain")?);
    } else if command.get("quit").is_some() {
        return Ok(false);
    } else {
        anyhow::bail!("not a command: decide, abstain or quit");
    }
    Ok(true)
}

fn print(line: &Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").context("write a line")?;
    out.flush().context("write a line")
}
