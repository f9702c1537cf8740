//! One connection: bounded frames in, answers out. Decoding happens here, deciding never.

mod sessions;

use crate::broker::{Ask, Message};
use crate::disk;
use doorward_core::queue::Why;
use doorward_core::request::{Agent, Origin, PermissionRequest, Source};
use doorward_protocols::tool_calls::{Progress, ToolCalls};
use doorward_protocols::{Context, Incoming, Invalid, acp, claude_hook};
use doorward_socket::frame::{self, Frame, Kind};
use doorward_socket::limits::{self, Limits};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use sessions::Sessions;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedSender, channel};
use tokio::time::{Instant, timeout, timeout_at};

/// What agents and editors say to each other: no attempt on anything here.
const AGENTS_OWN: &[&str] = &[
    "$/",
    "_",
    "authenticate",
    "elicitation/",
    "fs/",
    "initialize",
    "mcp/",
    "session/",
    "terminal/",
];

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

/// Whether the peer closed both directions.
fn gone(read: &OwnedReadHalf) -> bool {
    let stream: &UnixStream = read.as_ref();
    let mut events = [PollFd::new(stream, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut events, Some(&now)).is_err()
        || events[0]
            .revents()
            .intersects(PollFlags::HUP | PollFlags::ERR)
}

#[derive(PartialEq)]
enum Reading {
    HalfClosed,
    Dropped,
}

/// An ask as it came.
struct Open {
    id: String,
    raw: String,
    session: String,
    call: Option<String>,
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
    async fn read_lines(&mut self, read: &mut OwnedReadHalf) -> Reading {
        let mut buffer: Vec<u8> = Vec::new();
        let mut searched = 0;
        let mut deadline: Option<Instant> = None;
        let most = Limits::default().frame;
        let mut chunk = vec![0u8; 64 << 10];
        loop {
            let got = match deadline {
                None => read.read(&mut chunk).await,
                Some(at) => match timeout_at(at, read.read(&mut chunk)).await {
                    Ok(got) => got,
                    Err(_) => return Reading::Dropped,
                },
            };
            let got = match got {
                Ok(0) if buffer.is_empty() => return Reading::HalfClosed,
                Ok(0) | Err(_) => return Reading::Dropped,
                Ok(got) => got,
            };
            buffer.extend_from_slice(&chunk[..got]);
            let mut start = 0;
            while let Some(at) = buffer[searched.max(start)..]
                .iter()
                .position(|byte| *byte == b'\n')
            {
                let end = searched.max(start) + at;
                let line = buffer[start..end].to_vec();
                if !self.line(&line).await {
                    return Reading::Dropped;
                }
                start = end + 1;
                deadline = None;
            }
            buffer.drain(..start);
            searched = buffer.len();
            if buffer.len() > most {
                self.error(
                    None,
                    frame::INVALID_REQUEST,
                    "the frame is larger than 8 MiB",
                    Value::Null,
                )
                .await;
                return Reading::Dropped;
            }
            // The whole frame within the deadline of its first byte; an idle connection waits for ever.
            match (buffer.is_empty(), deadline) {
                (true, _) => deadline = None,
                (false, None) => deadline = Some(Instant::now() + limits::FRAME_DEADLINE),
                (false, Some(_)) => {}
            }
        }
    }

    /// `false` closes the connection.
    async fn line(&mut self, line: &[u8]) -> bool {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return true;
        }
        let limits = Limits::default();
        if line.len() > limits.frame {
            self.error(
                None,
                frame::INVALID_REQUEST,
                "the frame is larger than 8 MiB",
                Value::Null,
            )
            .await;
            return false;
        }
        match frame::check(line, &limits) {
            Ok(Frame { id, kind }) => match (id, kind) {
                (Some(id), Kind::Request { method, params }) => {
                    self.request(id, &method, params.unwrap_or("null")).await
                }
                (_, Kind::Notification { method, params }) => {
                    self.notification(&method, params.unwrap_or("null")).await
                }
                _ => {}
            },
            Err(error) => {
                // A notification over the limits may have been an update.
                if error.code == frame::INVALID_PARAMS && error.id.is_none() {
                    self.sessions.missed(&Value::Null);
                }
                self.error(error.id.as_deref(), error.code, &error.message, Value::Null)
                    .await;
                if error.code == frame::PARSE_ERROR {
                    self.garbage += 1;
                    return self.garbage <= limits::GARBAGE_LINES;
                }
            }
        }
        true
    }

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
            // No form is drawn yet: the agent's own prompt asks.
            "elicitation/create" => self.hand_back(&id, Why::NoSurface).await,
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

    /// Nothing here decides, lists or changes anything; who tries is named on its cards.
    async fn tried(&mut self, method: &str) {
        if AGENTS_OWN.iter().any(|own| method.starts_with(own)) {
            return;
        }
        tracing::warn!(
            connection = self.number,
            "a method that nobody may call here was called"
        );
        let method = method[..method.floor_char_boundary(64)].to_owned();
        if self.tried.len() < 8 && !self.tried.contains(&method) {
            self.tried.push(method);
            self.again(|_| true).await;
        }
    }

    async fn ask(&mut self, id: String, raw: &str, decoded: Result<Option<Incoming>, Invalid>) {
        let mut incoming = match decoded {
            Ok(Some(incoming)) => incoming,
            Ok(None) => return self.hand_back(&id, Why::NoSurface).await,
            Err(invalid) => {
                return self
                    .error(Some(&id), frame::INVALID_PARAMS, &invalid.0, Value::Null)
                    .await;
            }
        };
        self.complete(&mut incoming.request).await;
        let nonce = self
            .nonces
            .iter()
            .position(|(asked, _)| frame::same_id(asked, &id));
        let nonce = nonce.map(|at| self.nonces.swap_remove(at).1);
        self.close(&id);
        if incoming.request.source == Source::Acp {
            if self.open.len() == limits::PENDING_SESSION {
                self.open.remove(0);
            }
            self.open.push(Open {
                id: id.clone(),
                raw: raw.to_owned(),
                session: incoming.request.session.id.clone(),
                call: incoming.request.tool_call.id.clone(),
            });
        }
        let answers = self.answers.clone();
        let ask = Ask {
            connection: self.number,
            id,
            nonce,
            incoming,
            answers,
            relay: self.reports,
        };
        self.send(Message::Ask(Box::new(ask)));
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

    /// A later update may complete what is shown.
    async fn update(&mut self, params: &Value) {
        if let Some(named) = self.sessions.update(params) {
            let mut concerned: Vec<String> =
                self.open.iter().map(|it| it.session.clone()).collect();
            concerned.retain(|session| self.sessions.within(session, &named));
            return self.again(|open| concerned.contains(&open.session)).await;
        }
        let Some(Progress {
            session,
            tool_call,
            applied,
        }) = self.calls.update(params)
        else {
            return;
        };
        if let Some(applied) = applied {
            return self.send(Message::Applied(self.number, session, tool_call, applied));
        }
        self.again(|open| open.session == session && open.call.as_ref() == Some(&tool_call))
            .await;
    }

    /// Decodes open asks again, with what is known by now.
    async fn again(&mut self, which: impl Fn(&Open) -> bool) {
        for open in self.open.iter().filter(|open| which(open)) {
            let Ok(asked) = serde_json::from_str::<Value>(&open.raw) else {
                continue;
            };
            let Ok(incoming) = acp::decode(&open.raw, &asked, &self.calls, &self.context) else {
                continue;
            };
            let mut request = Box::new(incoming.request);
            self.complete(&mut request).await;
            self.send(Message::Updated(self.number, open.id.clone(), request));
        }
    }

    /// What stands neither in the request nor in its tool call.
    async fn complete(&self, request: &mut PermissionRequest) {
        self.sessions.fill(request);
        for method in &self.tried {
            request.warnings.push(format!(
                "Whoever asks also called \u{201c}{method}\u{201d} at Doorward. \
                 Nothing can be decided, listed or changed there; it was refused."
            ));
        }
        disk::fill(request).await;
    }

    fn close(&mut self, id: &str) {
        self.open.retain(|open| !frame::same_id(&open.id, id));
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

async fn write_lines(
    mut write: OwnedWriteHalf,
    mut lines: Receiver<Answer>,
    number: u64,
    messages: UnboundedSender<Message>,
) {
    while let Some(Answer { mut line, answers }) = lines.recv().await {
        line.push('\n');
        let written = timeout(Duration::from_secs(5), write.write_all(line.as_bytes())).await;
        if !matches!(written, Ok(Ok(()))) {
            break;
        }
        if let Some(id) = answers {
            let _ = messages.send(Message::Written(number, id));
        }
    }
}
