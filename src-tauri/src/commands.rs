//! The page's twelve commands. They carry values; the broker checks every one of them. What decides or
//! unlocks needs a person's input in this window besides.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tauri::{AppHandle, State};

use crate::link::Link;
use crate::native::Native;

/// No key or button of a real device was pressed in this window just before.
const NO_INPUT: &str = "no_input";
const GONE: &str = "the broker has gone";

/// What waits and what has ended: `{"rows":[…]}`.
#[tauri::command]
pub async fn snapshot(link: State<'_, Arc<Link>>) -> Result<Value, String> {
    let answer = link.ask("snapshot", 0, &json!({ "snapshot": {} }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// One request whole: `{"id","revision","detail"}`.
#[tauri::command]
pub async fn detail(id: u32, link: State<'_, Arc<Link>>) -> Result<Value, String> {
    let answer = link.ask("detail", id, &json!({ "detail": { "id": id } }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// This revision has been painted: its protection time starts.
#[tauri::command]
pub fn shown(id: u32, revision: u32, link: State<'_, Arc<Link>>) -> Result<(), String> {
    link.send(&json!({ "shown": { "id": id, "revision": revision } }))
}

/// A person opened a fold of this revision.
#[tauri::command]
pub fn opened(
    id: u32,
    revision: u32,
    fold: String,
    link: State<'_, Arc<Link>>,
    native: State<'_, Arc<Native>>,
) -> Result<(), String> {
    by_a_person(&native)?;
    link.send(&json!({ "opened": { "id": id, "revision": revision, "fold": fold } }))
}

/// What has been typed so far; the next window finds it in the detail.
#[tauri::command]
pub fn draft(id: u32, feedback: String, link: State<'_, Arc<Link>>) -> Result<(), String> {
    link.send(&json!({ "draft": { "id": id, "feedback": feedback } }))
}

/// The texts of a proposal: `{"id","texts"}`, null where nothing can be amended.
#[tauri::command]
pub async fn texts(id: u32, link: State<'_, Arc<Link>>) -> Result<Value, String> {
    let answer = link.ask("texts", id, &json!({ "texts": { "id": id } }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// The person's version of the file; null takes it back. The changed detail shows what it amounts to.
#[tauri::command]
pub fn version(
    id: u32,
    text: Option<String>,
    link: State<'_, Arc<Link>>,
    native: State<'_, Arc<Native>>,
) -> Result<(), String> {
    by_a_person(&native)?;
    link.send(&json!({ "version": { "id": id, "text": text } }))
}

/// Opens the proposal in the person's editor: `{"id","editor"}` or `{"id","error"}`.
#[tauri::command]
pub async fn edit(
    id: u32,
    link: State<'_, Arc<Link>>,
    native: State<'_, Arc<Native>>,
) -> Result<Value, String> {
    by_a_person(&native)?;
    let answer = link.ask("edit", id, &json!({ "edit": { "id": id } }))?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// What is wrong with answers to a question: `{"id","errors":[{"field","missing","words"}]}`.
#[tauri::command]
pub async fn check(
    id: u32,
    answers: Map<String, Value>,
    link: State<'_, Arc<Link>>,
) -> Result<Value, String> {
    let question = json!({ "check": { "id": id, "answers": answers } });
    let answer = link.ask("check", id, &question)?;
    answer.await.map_err(|_| GONE.to_owned())
}

/// The outcome comes as a push, `settled` or `refused`.
#[tauri::command]
#[expect(clippy::too_many_arguments, reason = "the page names what it sends")]
pub fn decide(
    id: u32,
    revision: u32,
    option: String,
    feedback: Option<String>,
    amendment: Option<String>,
    answers: Option<Map<String, Value>>,
    link: State<'_, Arc<Link>>,
    native: State<'_, Arc<Native>>,
) -> Result<(), String> {
    by_a_person(&native)?;
    let mut decide = json!({ "id": id, "revision": revision, "option": option });
    if let Some(feedback) = feedback {
        decide["feedback"] = Value::String(feedback);
    }
    if let Some(amendment) = amendment {
        decide["amendment"] = Value::String(amendment);
    }
    if let Some(answers) = answers {
        decide["answers"] = Value::Object(answers);
    }
    link.send(&json!({ "decide": decide }))
}

/// Hands the request back to the agent's own prompt.
#[tauri::command]
pub fn abstain(
    id: u32,
    link: State<'_, Arc<Link>>,
    native: State<'_, Arc<Native>>,
) -> Result<(), String> {
    by_a_person(&native)?;
    link.send(&json!({ "abstain": { "id": id } }))
}

/// The page listens for pushes from now on.
#[tauri::command]
pub fn ready(app: AppHandle, link: State<'_, Arc<Link>>) {
    link.page_ready(&app);
}

fn by_a_person(native: &Native) -> Result<(), String> {
    native
        .fresh()
        .then_some(())
        .ok_or_else(|| NO_INPUT.to_owned())
}
