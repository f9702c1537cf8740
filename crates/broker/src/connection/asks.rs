//! What a connection asks, and what it says later that changes how that is shown.

use super::Connection;
use crate::broker::{Ask, Message};
use crate::disk;
use doorward_core::queue::Why;
use doorward_core::request::{PermissionRequest, Source};
use doorward_protocols::tool_calls::Progress;
use doorward_protocols::{Incoming, Invalid, acp, elicitation};
use doorward_socket::{frame, limits};
use serde_json::Value;

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

/// An ask as it came.
pub(super) struct Open {
    id: String,
    form: bool,
    raw: String,
    pub(super) session: String,
    call: Option<String>,
}

impl Connection {
    pub(super) async fn ask(
        &mut self,
        id: String,
        raw: &str,
        decoded: Result<Option<Incoming>, Invalid>,
    ) {
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
                form: incoming.request.question.is_some(),
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

    /// Nothing here decides, lists or changes anything; who tries is named on its cards.
    pub(super) async fn tried(&mut self, method: &str) {
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

    /// A later update may complete what is shown.
    pub(super) async fn update(&mut self, params: &Value) {
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
    pub(super) async fn again(&mut self, which: impl Fn(&Open) -> bool) {
        for open in self.open.iter().filter(|open| which(open)) {
            let Ok(asked) = serde_json::from_str::<Value>(&open.raw) else {
                continue;
            };
            let (raw, calls, context) = (&open.raw, &self.calls, &self.context);
            let decoded = match open.form {
                true => elicitation::decode(raw, &asked, calls, context),
                false => acp::decode(raw, &asked, calls, context).map(Some),
            };
            let Ok(Some(incoming)) = decoded else {
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
                "Whoever asks also tried \u{201c}{method}\u{201d} at Doorward. \
                 Nothing can be decided, listed or changed there; it was refused."
            ));
        }
        disk::fill(request).await;
    }

    pub(super) fn close(&mut self, id: &str) {
        self.open.retain(|open| !frame::same_id(&open.id, id));
    }
}
