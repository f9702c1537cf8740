//! The tray program: the broker, its icon and its notifications, and the parent of the window.
//!
//! It stays small and always runs; the window comes and goes as its child.

mod app;
mod card;
mod editor;
mod icon;
mod menu;
mod notes;
mod screen;
mod settings;
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use doorward_core::queue::Surface;
use tokio::signal::unix::{SignalKind, signal};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// Shows in the tray what agents ask, and brings the answer back to them.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen, instead of the usual place.
    #[arg(long)]
    socket: Option<PathBuf>,
    /// The window's program, instead of the one beside this one.
    #[arg(long)]
    window: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Libraries only speak of what is broken; a desktop that goes away is ordinary here.
    let speakers = Targets::new()
        .with_target("doorward", Level::INFO)
        .with_default(Level::ERROR);
    tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().with_writer(std::io::stderr))
        .with(speakers)
        .init();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("doorward-tray: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    let window = match arguments.window {
        Some(path) => path,
        None => std::env::current_exe()
            .context("finding the own program")?
            .with_file_name("doorward-window"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("starting the runtime")?;
    runtime.block_on(async {
        let stops = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        ];
        let broker = doorward_broker::start(arguments.socket).await?;
        // Before anything else: what comes in now must find somebody who listens.
        let handle = &broker.handle;
        let pushes = handle.subscribe(Surface::Tray);
        let alerts = handle.subscribe(Surface::Notification);
        eprintln!("doorward-tray: listening");
        let settings = settings::Settings::read();
        let tray_decisions = settings.tray_decisions;
        let (opener, window) = window::start(window, handle.clone(), settings.clone());
        notes::start(handle.clone(), alerts, opener.clone(), settings);
        app::App::new(handle.clone(), opener, tray_decisions)?
            .run(pushes, stops)
            .await;
        broker.handle.shutdown().await;
        // App and notifications have gone and their openers with them: this is the window's end.
        window.await.context("ending the window")
    })
}
