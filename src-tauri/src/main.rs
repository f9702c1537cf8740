//! The window: a webview that shows what waits and hands a person's choice back.
//!
//! It owns nothing. Every fact comes over one inherited socket from the tray program, and when that
//! socket ends the window ends too: a window without a broker could only show stale requests.

mod commands;
mod link;
mod start;

use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;

use link::Link;

fn main() -> ExitCode {
    if let Err(error) = start::scrub_environment() {
        eprintln!("doorward-window: {error:#}");
        return ExitCode::FAILURE;
    }
    match start::surface() {
        Ok(Some(socket)) => match run(socket) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("doorward-window: {error:#}");
                ExitCode::FAILURE
            }
        },
        Ok(None) => start::open_through_tray(),
        Err(error) => {
            eprintln!("doorward-window: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(socket: UnixStream) -> anyhow::Result<()> {
    let reader = socket.try_clone().context("cloning the surface socket")?;
    let link = Arc::new(Link::new(socket));
    let pump = Arc::clone(&link);
    tauri::Builder::default()
        .manage(link)
        .invoke_handler(tauri::generate_handler![
            commands::snapshot,
            commands::detail,
            commands::decide,
            commands::abstain,
            commands::ready
        ])
        .setup(move |app| {
            let handle = app.handle().clone();
            std::thread::Builder::new()
                .name("surface".into())
                .spawn(move || {
                    pump.pump(reader, &handle);
                    handle.exit(0);
                })?;
            Ok(())
        })
        .run(tauri::generate_context!())
        .context("running the window")
}
