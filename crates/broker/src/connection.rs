//! One connection: bounded frames in, answers out. Decoding happens here, deciding never.

mod asks;
mod lines;
mod sessions;

use crate::broker::Message;
use asks::Open;
use doorward_core::queue::Why;
use doorward_core::request::{Agent, Origin};
use doorward_protocols::tool_calls::ToolCalls;
use doorward_protocols::{Context, acp, claude_hook, elicitation};
use doorward_socket::{frame, limits};
use lines::{Reading, gone, write_lines};
use serde_json::{Value, json};
use sessions::Sessions;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::mpsc::{Sender, UnboundedSender, channel};
use tokio::time::timeout;

/// A line for the peer, and the raw id of the ask it answers.
pub struct Answer {
    pub line: String,
    pub answers: Option<String>,
}

pub async fn serve(stream: UnixStream, number: u64, messages: UnboundedSender<Message>) {
    let (mut read, write) = stream.into_split();
    let (answers, lines) = channel(1024);
    let writer = tokio::spawn(write_lines(write, lines, number, messages.clone()));
    let mut connection = Connection {
        number,
        messages: messages.clone(),
        answers,
        context: Context::default(),
        reports: false,
        calls: ToolCalls::default(),
        sessions: Sessions::default(),
        tried: vec![],
        nonces: vec![],
        open: vec![],
        garbage: 0,
    };
    let ended = connection.read_lines(&mut read).await;
    drop(connection);
    // A half-closed peer still reads: what it asked stays open until it has its answers, or has gone.
    if ended == Reading::HalfClosed {
        let _ = messages.send(Message::HalfClosed(number));
        while !writer.is_finished() && !gone(&read) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let _ = messages.send(Message::Lost(number));
}

struct Connection {
    number: u64,
    messages: UnboundedSender<Message>,
    answers: Sender<Answer>,
    context: Context,
    /// It says itself when an answer was delivered: it may have lost a race.
    reports: bool,
    calls: ToolCalls,
    sessions: Sessions,
    /// Methods that were called and that nobody may call here.
    tried: Vec<String>,
    nonces: Vec<(String, String)>,
    /// ACP asks that a later line may complete.
    open: Vec<Open>,
    garbage: usize,
}

impl Connection {
    async fn request(&mut self, id: String, method: &str, raw: &str) {
        let params: Value = match serde_json::from_str(raw) {
            Ok(params) => params,
            Err(_) => {
                return self
                    .error(
                        Some(&id),
                        frame::INVALID_PARAMS,
                        "params cannot be read",
                        Value::Null,
                    )
                    .await;
            }
        };
        match method {
            "session/request_permission" => {
                let decoded = acp::decode(raw, &params, &self.calls, &self.context);
                self.ask(id, raw, decoded.map(Some)).await;
            }
            "hook/PermissionRequest" => {
                self.ask(id, raw, claude_hook::decode(raw, &params, &self.context))
                    .await
            }
            "elicitation/create" => {
                let decoded = elicitation::decode(raw, &params, &self.calls, &self.context);
                self.ask(id, raw, decoded).await;
            }
            "hook/PostToolUse" => {
                self.send(Message::HookAsked(id, params, self.answers.clone()));
            }
            "doorward/status" => self.send(Message::Status {
                answers: self.answers.clone(),
                id,
            }),
            "doorward/open" => {
                self.send(Message::Open);
                self.answer(
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
                    None,
                )
                .await;
            }
            _ => {
                self.error(Some(&id), -32601, "no such method", Value::Null)
                    .await;
                self.tried(method).await;
            }
        }
    }

    async fn notification(&mut self, method: &str, raw: &str) {
        let Ok(params) = serde_json::from_str::<Value>(raw) else {
            return;
        };
        let number = self.number;
        let asked = raw_request_id(raw);
        match (method, asked) {
            ("doorward/hello", _) => self.hello(&params),
            ("doorward/nonce", Some(id)) => {
                let nonce = params
                    .get("nonce")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                self.nonces.truncate(limits::PENDING_SESSION);
                self.nonces.insert(0, (id, nonce));
            }
            ("$/cancel_request", Some(id)) => {
                self.close(&id);
                self.send(Message::Withdraw(number, id, Why::Cancelled))
            }
            ("doorward/delivered", Some(id)) => {
                self.close(&id);
                self.send(Message::Delivered(number, id))
            }
            ("doorward/elsewhere", Some(id)) => {
                self.close(&id);
                self.send(Message::Withdraw(number, id, Why::Elsewhere))
            }
            ("doorward/session", _) => {
                if let Some(session) = self.sessions.place(&params) {
                    self.again(|open| open.session == session).await;
                }
            }
            ("doorward/missed", _) => {
                self.sessions.missed(&params);
                self.again(|_| true).await;
            }
            ("doorward/turn_ended" | "session/cancel", _) => {
                let Some(session) = params.get("sessionId").and_then(Value::as_str) else {
                    return;
                };
                let why = if method == "session/cancel" {
                    Why::Cancelled
                } else {
                    Why::TurnEnded
                };
                // A turn that ended leaves the children at work; a cancel does not.
                let family = match why {
                    Why::Cancelled => self.sessions.family(session),
                    _ => vec![session.to_owned()],
                };
                for session in family {
                    self.open.retain(|open| open.session != session);
                    self.send(Message::WithdrawSession(number, session, why));
                }
            }
            ("session/update", _) => self.update(&params).await,
            _ => {
                if let Some(event) = method.strip_prefix("hook/") {
                    self.send(Message::HookEvent(event.to_owned(), params));
                }
            }
        }
    }

    fn hello(&mut self, params: &Value) {
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(agent) = params.get("agent")
            && let Some(name) = text(agent, "name")
        {
            self.context.agent = Some(Agent {
                name,
                version: text(agent, "version"),
            });
        }
        self.context.cwd = text(params, "cwd").or(self.context.cwd.take());
        self.context.terminal = text(params, "terminal").or(self.context.terminal.take());
        // In seconds; a deadline far beyond a year is none.
        let patience = params.get("patience").and_then(Value::as_u64);
        self.context.patience = patience.filter(|it| *it < 366 * 86_400).map(|it| it * 1000);
        let program = params.get("program").and_then(Value::as_str);
        self.reports = matches!(program, Some("acp" | "ask" | "hook"));
        if params.get("origin").and_then(Value::as_str) == Some("elsewhere") {
            self.context.origin = Origin::Elsewhere;
        }
    }

    async fn hand_back(&self, id: &str, why: Why) {
        self.error(
            Some(id),
            crate::broker::HANDED_BACK,
            "handed back",
            json!({"reason": why}),
        )
        .await;
    }

    async fn error(&self, id: Option<&str>, code: i64, message: &str, data: Value) {
        self.answer(error_line(id.unwrap_or("null"), code, message, data), None)
            .await;
    }

    async fn answer(&self, line: String, answers: Option<String>) {
        // A peer that does not read is dropped by the writer; its lines may go.
        let _ = timeout(
            Duration::from_secs(5),
            self.answers.send(Answer { line, answers }),
        )
        .await;
    }

    fn send(&self, message: Message) {
        let _ = self.messages.send(message);
    }
}

pub fn error_line(id: &str, code: i64, message: &str, data: Value) -> String {
    let mut error = json!({"code": code, "message": message});
    if !data.is_null() {
        error["data"] = data;
    }
    // The id goes back as it was written.
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// `requestId` as written: an id may be a number that no float holds.
fn raw_request_id(raw: &str) -> Option<String> {
    let members: std::collections::HashMap<&str, &serde_json::value::RawValue> =
        serde_json::from_str(raw).ok()?;
    members.get("requestId").map(|id| id.get().to_owned())
}
