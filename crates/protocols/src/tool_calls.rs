//! The join: what `session/update` told about a tool call before its permission request.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// Tool calls of one connection, by session and id. Bounded: the oldest is dropped first.
#[derive(Debug, Default)]
pub struct ToolCalls {
    calls: HashMap<(String, String), Map<String, Value>>,
    order: Vec<(String, String)>,
}

const KEPT: usize = 256;

/// What an update says about a call that was asked about.
#[derive(Debug, PartialEq, Eq)]
pub struct Progress {
    pub session: String,
    pub tool_call: String,
    /// The tool ran to its end, or failed.
    pub applied: Option<bool>,
}

impl ToolCalls {
    /// Takes the params of `session/update`; tells which call moved on.
    pub fn update(&mut self, params: &Value) -> Option<Progress> {
        let session = params.get("sessionId")?.as_str()?.to_owned();
        let update = params.get("update")?.as_object()?;
        if !matches!(
            update.get("sessionUpdate")?.as_str()?,
            "tool_call" | "tool_call_update"
        ) {
            return None;
        }
        let id = update.get("toolCallId")?.as_str()?.to_owned();
        let applied = match update.get("status").and_then(Value::as_str) {
            Some("completed") => Some(true),
            Some("failed") => Some(false),
            _ => None,
        };
        let key = (session.clone(), id.clone());
        if !self.calls.contains_key(&key) {
            if self.order.len() == KEPT {
                let oldest = self.order.remove(0);
                self.calls.remove(&oldest);
            }
            self.order.push(key.clone());
        }
        merge(self.calls.entry(key).or_default(), update);
        Some(Progress {
            session,
            tool_call: id,
            applied,
        })
    }

    /// The call of a request: what was announced, with the request's own members on top.
    pub fn joined(&self, session: &str, own: &Map<String, Value>) -> Map<String, Value> {
        let id = own
            .get("toolCallId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let mut call = self
            .calls
            .get(&(session.to_owned(), id.to_owned()))
            .cloned()
            .unwrap_or_default();
        merge(&mut call, own);
        call
    }
}

/// ACP: an omitted or null member keeps what was known, arrays replace.
fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        if !value.is_null() {
            into.insert(key.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn request_members_beat_announced_ones() {
        let mut calls = ToolCalls::default();
        calls.update(
            &json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "t",
            "title": "Edit files", "kind": "edit", "content": [1]}}),
        );
        let own = json!({"toolCallId": "t", "title": "Edit", "content": null});
        let call = calls.joined("s", own.as_object().expect("an object"));
        assert_eq!(call["title"], "Edit");
        assert_eq!(call["content"], json!([1]));
        assert!(
            calls
                .joined("other", own.as_object().expect("an object"))
                .get("kind")
                .is_none()
        );
    }
}
