//! The window: a webview that shows what waits and hands a person's choice back.
//!
//! It owns nothing. Every fact comes over one inherited socket from the tray program, and when that
//! socket ends the window ends too: a window without a broker could only show stale requests.

mod commands;
mod link;
mod native;
mod start;

use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;
use tauri::{Manager as _, WindowEvent};

use link::Link;
use native::Native;

fn main() -> ExitCode {
    match started() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("doorward-window: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn started() -> anyhow::Result<ExitCode> {
    start::scrub_environment()?;
    let arguments = start::arguments()?;
    match arguments.surface()? {
        Some(socket) => run(socket, arguments.assistive).map(|()| ExitCode::SUCCESS),
        None => Ok(start::open_through_tray()),
    }
}

fn run(socket: UnixStream, assistive: bool) -> anyhow::Result<()> {
    let reader = socket.try_clone().context("cloning the surface socket")?;
    let link = Arc::new(Link::new(socket));
    let native = Arc::new(Native::new(!assistive));
    let (pump, watched, disturbed) = (Arc::clone(&link), Arc::clone(&native), Arc::clone(&link));
    tauri::Builder::default()
        .manage(link)
        .manage(native)
        .invoke_handler(tauri::generate_handler![
            commands::snapshot,
            commands::detail,
            commands::shown,
            commands::opened,
            commands::draft,
            commands::texts,
            commands::version,
            commands::edit,
            commands::check,
            commands::decide,
            commands::abstain,
            commands::ready
        ])
        .on_window_event(move |_, event| {
            if matches!(
                event,
                WindowEvent::Moved(_) | WindowEvent::Resized(_) | WindowEvent::Focused(true)
            ) {
                // A broker that has gone ends this window anyway.
                let _ = disturbed.send(&json!({ "disturbed": {} }));
            }
        })
        .setup(move |app| {
            let window = app
                .get_webview_window("main")
                .context("the window is missing")?;
            native::watch(&window, watched)?;
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
