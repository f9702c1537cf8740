//! The page's five commands. They carry values and judge none: the broker checks every one of them.

use std::sync::Arc;

use serde_json::{Value, json};
use tauri::{AppHandle, State};

use crate::link::Link;

const GONE: &str = "the broker has gone";

/// What waits and what has ended: `{"rows":[…]}`.
#[tauri::command]
pub async fn snapshot(link: State<'_, Arc<Link>>) -> Result<Value, String> {
    let answer = link.ask_snapshot(&json!({ "snapshot": {} }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// One request whole: `{"id","revision","detail"}`.
#[tauri::command]
pub async fn detail(id: u32, link: State<'_, Arc<Link>>) -> Result<Value, String> {
    let answer = link.ask_detail(u64::from(id), &json!({ "detail": { "id": id } }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// The outcome comes as a push, `settled` or `refused`.
#[tauri::command]
pub fn decide(
    id: u32,
    revision: u32,
    option: String,
    feedback: Option<String>,
    link: State<'_, Arc<Link>>,
) -> Result<(), String> {
    let mut decide = json!({ "id": id, "revision": revision, "option": option });
    if let Some(feedback) = feedback {
        decide["feedback"] = Value::String(feedback);
    }
    link.send(&json!({ "decide": decide }))
}

/// Hands the request back to the agent's own prompt.
#[tauri::command]
pub fn abstain(id: u32, link: State<'_, Arc<Link>>) -> Result<(), String> {
    link.send(&json!({ "abstain": { "id": id } }))
}

/// The page listens for pushes from now on.
#[tauri::command]
pub fn ready(app: AppHandle, link: State<'_, Arc<Link>>) {
    link.page_ready(&app);
}
