//! The demo agent: ACP version 1 on stdin and stdout, no model behind it.
//!
//! It takes the chosen option at its word and nothing else: an outcome that it does
//! not know leads to no effect.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, Implementation, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, RequestPermissionOutcome,
    RequestPermissionRequest, SessionNotification, StopReason,
};
use agent_client_protocol::{Agent, Client, Error, Stdio};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::script::{Effect, Step, steps};

const SESSION: &str = "demo-session";

/// Serves one client until it closes its end.
pub async fn run() -> anyhow::Result<()> {
    let folder = Arc::new(Mutex::new(PathBuf::new()));
    let chosen = folder.clone();
    Agent
        .v1()
        .name("doorward-demo")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _connection| {
                responder.respond(
                    InitializeResponse::new(request.protocol_version)
                        .agent_capabilities(AgentCapabilities::new())
                        .agent_info(Implementation::new(
                            "doorward-demo",
                            env!("CARGO_PKG_VERSION"),
                        )),
                )
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _connection| {
                *chosen.lock().unwrap_or_else(PoisonError::into_inner) = request.cwd;
                responder.respond(NewSessionResponse::new(SESSION))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_request: PromptRequest, responder, connection: ConnectionTo<Client>| {
                let folder = folder
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                let turn = connection.clone();
                // A turn waits for people: it must not hold up the messages that follow.
                connection.spawn(async move {
                    let result = play(&turn, &folder).await;
                    responder.respond_with_result(result.map(PromptResponse::new))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await?;
    Ok(())
}

/// Goes through the script; each step waits for its answer.
async fn play(client: &ConnectionTo<Client>, folder: &Path) -> Result<StopReason, Error> {
    for step in steps(folder) {
        let id = step.tool_call["toolCallId"].clone();
        let mut announced = step.tool_call.clone();
        announced["sessionUpdate"] = json!("tool_call");
        update(client, announced)?;
        let status = match ask(client, &step).await? {
            RequestPermissionOutcome::Selected(answer) if allows(&step, &answer.option_id.0) => {
                match step.effect.apply() {
                    Ok(()) => "completed",
                    Err(_) => "failed",
                }
            }
            RequestPermissionOutcome::Selected(_) => "failed",
            _ => return Ok(StopReason::Cancelled),
        };
        update(
            client,
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}),
        )?;
    }
    Ok(StopReason::EndTurn)
}

async fn ask(
    client: &ConnectionTo<Client>,
    step: &Step,
) -> Result<RequestPermissionOutcome, Error> {
    let request: RequestPermissionRequest = parsed(json!({
        "sessionId": SESSION, "toolCall": step.tool_call, "options": step.options
    }))?;
    let response = client.send_request(request).block_task().await?;
    Ok(response.outcome)
}

fn update(client: &ConnectionTo<Client>, update: Value) -> Result<(), Error> {
    let notice: SessionNotification = parsed(json!({"sessionId": SESSION, "update": update}))?;
    client.send_notification(notice)
}

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    serde_json::from_value(value).map_err(Error::into_internal_error)
}

/// Whether the option with this id is one of the step's allowing ones.
fn allows(step: &Step, id: &str) -> bool {
    step.options.as_array().is_some_and(|options| {
        options.iter().any(|option| {
            option["optionId"] == id
                && option["kind"]
                    .as_str()
                    .is_some_and(|kind| kind.starts_with("allow"))
        })
    })
}

impl Effect {
    fn apply(&self) -> std::io::Result<()> {
        match self {
            Effect::Folder(path) => std::fs::create_dir_all(path),
            Effect::File(path, text) => std::fs::write(path, text),
            Effect::Replace(path, old, new) => {
                let text = std::fs::read_to_string(path)?;
                std::fs::write(path, text.replacen(old, new, 1))
            }
            Effect::Mode => Ok(()),
        }
    }
}
