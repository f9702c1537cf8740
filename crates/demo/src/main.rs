//! doorward-demo: an agent and a client that show what Doorward does, without an
//! account, a model or an editor.
//!
//! Both ends are built on the public ACP SDK and know nothing about Doorward. What
//! the relay between them does is therefore what it does for any agent and any
//! editor, and a demo that works is also a small proof of compatibility.

mod agent;
mod client;
mod script;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Asks five permission questions in a temporary folder.
#[derive(Parser)]
#[command(name = "doorward-demo", version)]
struct Cli {
    #[command(subcommand)]
    role: Option<Role>,
    /// The relay to start between client and agent (default: doorward beside this program)
    #[arg(long, value_name = "PATH")]
    relay: Option<PathBuf>,
    /// The socket that the relay connects to (default: the one of this user)
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Answer "reject" like an editor when nobody has answered after this many seconds
    #[arg(long, value_name = "S")]
    answer_after: Option<u64>,
}

#[derive(Subcommand)]
enum Role {
    /// The agent alone: ACP on stdin and stdout
    Agent,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if let Some(Role::Agent) = cli.role {
        return agent::run().await;
    }
    let own = std::env::current_exe()?;
    let relay = cli.relay.unwrap_or_else(|| own.with_file_name("doorward"));
    client::run(client::Setup {
        relay,
        socket: cli.socket,
        agent: own,
        answer_after: cli.answer_after,
    })
    .await
}
