//! ACP `elicitation/create` in form mode.
//!
//! A schema is drawn whole or handed back: a part of a form would be another form. Shapes:
//! agentclientprotocol.com, "Elicitation"; the adapters for Claude and Codex mark texts that belong to a choice.

use crate::acp::id;
use crate::tool_calls::ToolCalls;
use crate::{Context, Incoming, Invalid, Reply, said, text};
use doorward_core::question::*;
use doorward_core::request::*;
use serde_json::{Map, Value, json};

mod schema;

pub fn selected(option: &str, carried: &Carried) -> Option<Value> {
    match option {
        ANSWER => Some(json!({"action": "accept", "content": carried.answers.as_ref()?})),
        DECLINE => Some(json!({"action": "decline"})),
        _ => None,
    }
}

/// Only after the asker cancelled: to decline is another answer.
pub fn cancelled() -> Value {
    json!({"action": "cancel"})
}

/// `None`: not a form, or one that cannot be drawn whole; whoever asked has a dialog of its own.
pub fn decode(
    raw: &str,
    params: &Value,
    calls: &ToolCalls,
    context: &Context,
) -> Result<Option<Incoming>, Invalid> {
    let members = params
        .as_object()
        .ok_or_else(|| Invalid("params is not an object".into()))?;
    // A form may also belong to a request of the client, before there is any session.
    let session = match members.get("sessionId") {
        None | Some(Value::Null) => String::new(),
        given => id(given, "sessionId")?,
    };
    let message = text(params, "message")
        .ok_or_else(|| Invalid("message is not a string".into()))?
        .to_owned();
    if text(params, "mode").is_some_and(|mode| mode != "form") {
        return Ok(None);
    }
    let schema = members
        .get("requestedSchema")
        .ok_or_else(|| Invalid("requestedSchema is missing".into()))?;
    let Some(question) = schema::form(&message, schema) else {
        return Ok(None);
    };
    let agent = context.agent.clone().unwrap_or_else(|| Agent {
        name: "Agent".into(),
        version: None,
    });
    let request = PermissionRequest {
        source: Source::Acp,
        origin: context.origin,
        agent,
        tool_call: tool_call(params, &session, &message, calls),
        session: Session {
            id: session,
            cwd: context.cwd.clone(),
            terminal: context.terminal.clone(),
            ..Session::default()
        },
        files: vec![],
        plan: None,
        words: words(schema, &message),
        question: Some(question),
        heading: None,
        warnings: vec![],
        options: crate::question_options(),
        affordances: Affordances::default(),
        patience: patience(params, context),
        not_shown: 0,
        join_failed: false,
        changed: false,
        raw: raw.to_owned(),
    };
    let reply = Reply::Elicitation;
    Ok(Some(Incoming { request, reply }))
}

/// The call that asks, where it was announced; its input is the question itself.
fn tool_call(params: &Value, session: &str, message: &str, calls: &ToolCalls) -> ToolCall {
    let own = text(params, "toolCallId");
    let named = own.map(|id| Map::from_iter([("toolCallId".to_owned(), json!(id))]));
    let known = Value::Object(named.map_or(Map::new(), |own| calls.joined(session, &own)));
    ToolCall {
        id: own.map(str::to_owned),
        title: said(&known, "title").unwrap_or(message).to_owned(),
        kind: "other".into(),
        ..ToolCall::default()
    }
}

/// What the schema says of the form as a whole, besides the message.
fn words(schema: &Value, message: &str) -> Vec<String> {
    let said = ["title", "description"].map(|key| said(schema, key));
    let new = said.into_iter().flatten().filter(|text| *text != message);
    new.map(str::to_owned).collect()
}

/// Codex answers for the person after a while.
fn patience(params: &Value, context: &Context) -> Option<u64> {
    let own = params.pointer("/_meta/codex/autoResolutionMs");
    let own = own.and_then(Value::as_u64);
    own.into_iter().chain(context.patience).min()
}

#[cfg(test)]
mod tests;
