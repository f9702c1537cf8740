//! What a line is, without looking into what it says.
//!
//! Only the members of the JSON-RPC envelope are found; their text is borrowed,
//! so that an id can be replaced in place and everything else stays as it came.
//! A line that is not one plain message (a batch, a member twice, no JSON) is
//! nothing to us and passes.

use serde::Deserialize;
use serde_json::value::RawValue;

/// An id as it is compared: strings decoded, numbers as text; 0 and "0" differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    Text(String),
    Number(String),
}

impl Key {
    #[must_use]
    pub fn read(raw: &str) -> Option<Self> {
        match raw.bytes().next()? {
            b'"' => serde_json::from_str(raw).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(Self::Number(raw.to_owned())),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
pub struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    pub method: Option<String>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    #[must_use]
    pub fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The messages of a batch.
    #[must_use]
    pub fn batch(line: &'a [u8]) -> Option<Vec<Self>> {
        let array = line.trim_ascii_start().starts_with(b"[");
        array.then(|| serde_json::from_slice(line).ok())?
    }

    #[must_use]
    pub fn id(&self) -> Option<(Key, &'a str)> {
        let raw = self.id?.get();
        Some((Key::read(raw)?, raw))
    }

    /// The line with another id; all other bytes stay.
    #[must_use]
    pub fn with_id(&self, line: &[u8], id: &str) -> Vec<u8> {
        let Some(raw) = self.id.map(RawValue::get) else {
            return line.to_vec();
        };
        let start = raw.as_ptr() as usize - line.as_ptr() as usize;
        let mut bytes = line[..start].to_vec();
        bytes.extend_from_slice(id.as_bytes());
        bytes.extend_from_slice(&line[start + raw.len()..]);
        bytes
    }

    #[must_use]
    pub fn session(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            session_id: String,
        }
        let params: Params = serde_json::from_str(self.params?.get()).ok()?;
        Some(params.session_id)
    }

    /// The members of params that say where a session works, as written.
    #[must_use]
    pub fn place(&self) -> Vec<(&'static str, String)> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            #[serde(borrow)]
            cwd: Option<&'a RawValue>,
            #[serde(borrow)]
            additional_directories: Option<&'a RawValue>,
        }
        let params = self.params.map_or("", RawValue::get);
        let Ok(params) = serde_json::from_str::<Params>(params) else {
            return Vec::new();
        };
        let folders = params.additional_directories;
        [("cwd", params.cwd), ("additionalDirectories", folders)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.get().to_owned())))
            .collect()
    }

    /// The session that a result names.
    #[must_use]
    pub fn begun(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Outcome {
            session_id: String,
        }
        let outcome: Outcome = serde_json::from_str(self.result?.get()).ok()?;
        Some(outcome.session_id)
    }

    /// The id that a `$/cancel_request` names.
    #[must_use]
    pub fn cancelled(&self) -> Option<Key> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        let params: Params = serde_json::from_str(self.params?.get()).ok()?;
        Key::read(params.request_id.get())
    }

    /// `agentInfo` of an initialize result, as text.
    #[must_use]
    pub fn agent(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Outcome<'a> {
            #[serde(borrow)]
            agent_info: &'a RawValue,
        }
        let outcome: Outcome = serde_json::from_str(self.result?.get()).ok()?;
        let info = outcome.agent_info.get();
        info.starts_with('{').then(|| info.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_replaced_in_place() {
        let line = b"{ \"id\" : \"\\u0061\",\"method\":\"m\" }\r\n";
        let envelope = Envelope::read(line).unwrap();
        assert_eq!(envelope.id().unwrap().0, Key::Text("a".into()));
        let other = envelope.with_id(line, "7");
        assert_eq!(other, b"{ \"id\" : 7,\"method\":\"m\" }\r\n");
    }

    #[test]
    fn what_is_no_plain_message_is_nothing() {
        for line in [
            "",
            "[{\"id\":1}]",
            "{\"id\":1,\"id\":2}",
            "x",
            "{\"id\":null}",
        ] {
            let id = Envelope::read(line.as_bytes()).and_then(|envelope| envelope.id());
            assert_eq!(id, None, "{line}");
        }
    }
}
