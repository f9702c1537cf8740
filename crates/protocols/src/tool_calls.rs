//! The join: what `session/update` told about a tool call before its permission request.

use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};

/// Open tool calls of one connection, by session and id. Bounded: the oldest is dropped first.
#[derive(Debug, Default)]
pub struct ToolCalls {
    calls: HashMap<(String, String), Call>,
    order: VecDeque<(String, String)>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Call {
    members: Map<String, Value>,
    bytes: usize,
}

const KEPT: usize = 256;
/// Of all calls together: their texts, and some for each value.
const BYTES: usize = 32 << 20;
const VALUE: usize = 64;

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
        let announced = match update.get("sessionUpdate")?.as_str()? {
            "tool_call" => true,
            "tool_call_update" => false,
            _ => return None,
        };
        let id = update.get("toolCallId")?.as_str()?.to_owned();
        let applied = match update.get("status").and_then(Value::as_str) {
            Some("completed") => Some(true),
            Some("failed") => Some(false),
            _ => None,
        };
        let key = (session.clone(), id.clone());
        // An id may be used again: what an earlier call said is not about this one.
        if announced || applied.is_some() {
            self.forget(&key);
        }
        if applied.is_none() {
            self.keep(key, update);
        }
        Some(Progress {
            session,
            tool_call: id,
            applied,
        })
    }

    fn keep(&mut self, key: (String, String), update: &Map<String, Value>) {
        if !self.calls.contains_key(&key) {
            self.order.push_back(key.clone());
        }
        let call = self.calls.entry(key).or_default();
        merge(&mut call.members, update);
        self.bytes -= std::mem::replace(&mut call.bytes, weight(&call.members));
        self.bytes += call.bytes;
        while self.order.len() > KEPT || (self.bytes > BYTES && self.order.len() > 1) {
            let oldest = self.order[0].clone();
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, key: &(String, String)) {
        if let Some(call) = self.calls.remove(key) {
            self.bytes -= call.bytes;
            self.order.retain(|other| other != key);
        }
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
            .map(|call| call.members.clone())
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

fn weight(members: &Map<String, Value>) -> usize {
    let member = |(key, value): (&String, &Value)| key.len() + of_value(value);
    members.iter().map(member).sum()
}

fn of_value(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(members) => weight(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    VALUE + inside
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

    #[test]
    fn an_id_that_is_used_again_says_nothing_of_the_call_before() {
        let mut calls = ToolCalls::default();
        let mut update = |body: &str| {
            let params =
                format!(r#"{{"sessionId": "s", "update": {{"toolCallId": "t", {body}}}}}"#);
            calls.update(&serde_json::from_str(&params).expect("JSON"));
            let own = json!({"toolCallId": "t"});
            calls.joined("s", own.as_object().expect("an object"))
        };
        let first = update(r#""sessionUpdate": "tool_call", "title": "a", "kind": "edit""#);
        assert_eq!(first["title"], "a");
        let again = update(r#""sessionUpdate": "tool_call", "title": "b""#);
        assert_eq!((&again["title"], again.get("kind")), (&json!("b"), None));
        let ended = update(r#""sessionUpdate": "tool_call_update", "status": "completed""#);
        assert!(ended.get("title").is_none());
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let mut calls = ToolCalls::default();
        let long = "x".repeat(1 << 20);
        for number in 0..100 {
            let params = json!({"sessionId": "s", "update": {"sessionUpdate": "tool_call",
                "toolCallId": number.to_string(), "title": long}});
            calls.update(&params);
        }
        assert!(calls.bytes <= BYTES && calls.bytes > BYTES - (2 << 20));
        assert_eq!((calls.calls.len(), calls.order.len()), (31, 31));
    }
}
