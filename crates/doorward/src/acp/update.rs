//! What a `session/update` is about: as much as has to be known to keep it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Updates in which nothing stands that a card shows; most of the traffic.
const CHATTER: &[&str] = &[
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "available_commands_update",
    "usage_update",
];

#[derive(Debug, PartialEq, Eq)]
pub enum About {
    /// A tool call was announced or moved on.
    ToolCall { id: String, over: bool },
    /// The session has a title.
    Title,
    /// The session has a child.
    Child(String),
    /// Nothing for a card.
    Chatter,
    /// A kind we do not know; Doorward may.
    Other,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Update {
    pub session: String,
    pub about: About,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    update: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(borrow)]
    session_update: Cow<'a, str>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
}

impl Update {
    /// None: no update that anyone could understand.
    #[must_use]
    pub fn read(params: &str) -> Option<Self> {
        let params: Params = serde_json::from_str(params).ok()?;
        let body: Body = serde_json::from_str(params.update.get()).ok()?;
        let text =
            |raw: Option<&RawValue>| -> Option<String> { serde_json::from_str(raw?.get()).ok() };
        let about = match body.session_update.as_ref() {
            "tool_call" | "tool_call_update" => match text(body.tool_call_id) {
                Some(id) => {
                    let status = text(body.status);
                    let over = matches!(status.as_deref(), Some("completed" | "failed"));
                    About::ToolCall { id, over }
                }
                None => About::Other,
            },
            "session_info_update" if text(body.title).is_some() => About::Title,
            "subagent_update" => text(body.session_id).map_or(About::Other, About::Child),
            kind if CHATTER.contains(&kind) => About::Chatter,
            _ => About::Other,
        };
        Some(Self {
            session: params.session_id.into_owned(),
            about,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_known_by_its_members() {
        let call = |id: &str, over| About::ToolCall {
            id: id.into(),
            over,
        };
        for (update, about) in [
            (r#""tool_call","toolCallId":"\u0061""#, call("a", false)),
            (
                r#""tool_call_update","toolCallId":"a","status":"failed""#,
                call("a", true),
            ),
            (
                r#""tool_call_update","toolCallId":"a","status":{"odd":1}"#,
                call("a", false),
            ),
            (r#""tool_call","toolCallId":7"#, About::Other),
            (r#""session_info_update","title":"t""#, About::Title),
            (r#""session_info_update","title":null"#, About::Other),
            (
                r#""subagent_update","sessionId":"c""#,
                About::Child("c".into()),
            ),
            (r#""agent_message_chunk""#, About::Chatter),
            (r#""new_kind","x":[]"#, About::Other),
        ] {
            let params = format!(r#"{{"sessionId":"s","update":{{"sessionUpdate":{update}}}}}"#);
            let read = Update::read(&params).unwrap();
            assert_eq!(
                (read.session.as_str(), read.about),
                ("s", about),
                "{update}"
            );
        }
        assert_eq!(Update::read(r#"{"sessionId":"s"}"#), None);
    }
}
