//! The command that agents and editors start.
//!
//! Every form of it sits in somebody else's path, so it has one rule: without
//! Doorward, or when anything goes wrong, the agent and its editor or terminal
//! behave as if this program were not there. No path from an error leads to an
//! allow. There is no runtime here: a hook must start in a few milliseconds.

mod acp;
mod ask;
mod asking;
mod hook;
mod nonce;
mod tray;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(
    name = "doorward",
    version,
    about = "Answer your agents' questions in one place"
)]
struct Arguments {
    /// Use this socket instead of the usual places.
    #[arg(long, global = true, value_name = "PATH")]
    socket: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an ACP agent for an editor, and offer its questions here too.
    Acp {
        /// Ask here alone; the editor is asked only when Doorward cannot.
        #[arg(long)]
        only_doorward: bool,
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
    /// Answer an agent's hook; the hook's JSON is read from standard input.
    Hook { agent: Agent },
    /// Ask one question: ACP permission parameters in, ACP outcome out.
    Ask {
        /// Give up after this many seconds.
        #[arg(long, value_name = "S")]
        timeout: Option<u64>,
    },
    /// Say whether Doorward runs, and how many requests wait.
    Status,
    /// Show the window, starting Doorward if it does not run.
    Open,
    /// Play a scripted agent, to see what a request looks like.
    Demo,
}

#[derive(Clone, Copy, ValueEnum)]
enum Agent {
    Claude,
}

fn main() -> ExitCode {
    let Arguments { socket, command } = Arguments::parse();
    let socket = socket.as_deref();
    match command {
        Command::Acp {
            only_doorward,
            command,
        } => {
            let editor = if only_doorward {
                acp::Editor::WhenNeeded
            } else {
                acp::Editor::Asked
            };
            acp::run(socket, editor, &command)
        }
        Command::Hook {
            agent: Agent::Claude,
        } => hook::run(socket),
        Command::Ask { timeout } => ask::run(socket, timeout),
        Command::Status => tray::status(socket),
        Command::Open => tray::open(socket),
        Command::Demo => tray::demo(socket),
    }
}
