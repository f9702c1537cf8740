//! The client's half of the protocol: lines out, replies in.
//!
//! Parameters are given as JSON text and are put into the frame byte for byte,
//! because the broker must see what the agent said, not what a parser made of
//! it. What to do when the connection is lost is the caller's to decide.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use serde_json::value::RawValue;

/// A reply is an answer for one agent; nothing sane comes near this.
const LONGEST_REPLY: usize = 32 << 20;

/// What the broker sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    /// The result, as text.
    Answer { id: u64, result: String },
    /// Handed back, or not accepted: the other side asks alone.
    Refused { id: u64 },
    /// Nothing we know; ignored.
    Other,
}

/// A request frame with its newline.
#[must_use]
pub fn request(id: u64, method: &str, params: &str) -> Vec<u8> {
    frame(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
    ))
}

/// A notification frame with its newline.
#[must_use]
pub fn notification(method: &str, params: &str) -> Vec<u8> {
    frame(&format!(
        r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
    ))
}

/// Reads one line of the broker.
#[must_use]
pub fn reply(line: &[u8]) -> Reply {
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(line) else {
        return Reply::Other;
    };
    let id = members.get("id").and_then(|id| id.get().parse().ok());
    match (id, members.get("result"), members.contains_key("error")) {
        _ if members.contains_key("method") => Reply::Other,
        (Some(id), Some(result), false) => Reply::Answer {
            id,
            result: result.get().to_owned(),
        },
        (Some(id), None, true) => Reply::Refused { id },
        _ => Reply::Other,
    }
}

/// Lines of a connection, as they become complete.
#[derive(Debug)]
pub struct Lines {
    stream: UnixStream,
    buffer: Vec<u8>,
    /// What holds no line end, so that a long line is not searched again for every piece of it.
    searched: usize,
}

impl Lines {
    #[must_use]
    pub fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            searched: 0,
        }
    }

    #[must_use]
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stream.write_all(frame)
    }

    /// A line that is already here, without reading.
    pub fn ready(&mut self) -> Option<Vec<u8>> {
        let mut new = self.buffer[self.searched..].iter();
        let Some(end) = new.position(|byte| *byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        self.searched = 0;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.pop();
        Some(line)
    }

    /// Reads once; an end of file is an error, since the broker owes a reply.
    pub fn fill(&mut self) -> io::Result<()> {
        let mut chunk = [0; 64 << 10];
        let count = self.stream.read(&mut chunk)?;
        if count == 0 || self.buffer.len() > LONGEST_REPLY {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(())
    }

    /// The next line, waiting for it.
    pub fn next_line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(line) = self.ready() {
                return Ok(line);
            }
            self.fill()?;
        }
    }
}

/// Line breaks of valid JSON are white space outside strings: a space says the
/// same and keeps the frame on one line.
fn frame(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_keeps_the_bytes_of_its_result() {
        let answer = reply(br#"{"jsonrpc":"2.0","id":7,"result":{"a": 1.00}}"#);
        let result = r#"{"a": 1.00}"#.to_owned();
        assert_eq!(answer, Reply::Answer { id: 7, result });
        let refused = reply(br#"{"id":7,"error":{"code":-32010}}"#);
        assert_eq!(refused, Reply::Refused { id: 7 });
        for odd in [
            "",
            "[]",
            r#"{"id":"7","result":1}"#,
            r#"{"id":1,"method":"x"}"#,
        ] {
            assert_eq!(reply(odd.as_bytes()), Reply::Other, "{odd}");
        }
    }

    #[test]
    fn a_frame_is_one_line() {
        let bytes = notification("m", "{\r\n\"a\":1}");
        assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
