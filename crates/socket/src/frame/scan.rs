//! One pass over the bytes of a line: grammar, depth, number of values, duplicate keys, lone surrogates.
//!
//! It keeps one byte per open container and, within the depth limit, the keys of open objects; it never recurses.
//! A line that breaks a limit is still read to its end, so that its id is known wherever it stands and an error
//! can name it.

use std::borrow::Cow;

use crate::limits::Limits;

mod token;

/// The members of the outermost object that matter, as written.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) ids: usize,
    pub(super) id: Option<&'a str>,
    pub(super) jsonrpc: Option<&'a str>,
    pub(super) method: Option<&'a str>,
    pub(super) params: Option<&'a str>,
    /// There is a result or an error.
    pub(super) answer: bool,
}

/// A line that is JSON.
#[derive(Debug, Default)]
pub(super) struct Scanned<'a> {
    pub(super) object: bool,
    pub(super) envelope: Envelope<'a>,
    /// The first reason to refuse the content.
    pub(super) refused: Option<&'static str>,
}

enum State {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    max: Limits,
    nodes: usize,
    /// `{` or `[` of every open container.
    open: Vec<u8>,
    keys: Vec<Cow<'a, str>>,
    /// Where the keys of each open container within the depth limit begin.
    starts: Vec<usize>,
    member: Cow<'a, str>,
    member_at: usize,
    out: Scanned<'a>,
}

type Step<T> = Result<T, &'static str>;

/// Reads the whole line, or says why it is not JSON.
pub(super) fn scan<'a>(text: &'a str, max: &Limits) -> Step<Scanned<'a>> {
    let mut scan = Scan {
        text,
        at: 0,
        max: *max,
        nodes: 0,
        open: Vec::new(),
        keys: Vec::new(),
        starts: Vec::new(),
        member: Cow::Borrowed(""),
        member_at: 0,
        out: Scanned::default(),
    };
    scan.run()?;
    Ok(scan.out)
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn refuse(&mut self, what: &'static str) {
        self.out.refused.get_or_insert(what);
    }

    fn run(&mut self) -> Step<()> {
        let mut state = State::Value;
        loop {
            self.space();
            let byte = self.peek().ok_or("line ends early")?;
            state = match (state, byte) {
                (State::ValueOrEnd, b']') | (State::KeyOrEnd, b'}') => self.close(byte)?,
                (State::CommaOrEnd, b'}' | b']') => self.close(byte)?,
                (State::CommaOrEnd, b',') => {
                    self.at += 1;
                    if self.open.last() == Some(&b'{') {
                        State::Key
                    } else {
                        State::Value
                    }
                }
                (State::Key | State::KeyOrEnd, b'"') => self.key()?,
                (State::Value | State::ValueOrEnd, _) => self.value(byte)?,
                _ => return Err("not JSON"),
            };
            if self.open.is_empty() {
                self.space();
                return match self.peek() {
                    None => Ok(()),
                    Some(_) => Err("text after the message"),
                };
            }
        }
    }

    fn value(&mut self, byte: u8) -> Step<State> {
        self.nodes += 1;
        if self.nodes > self.max.nodes {
            self.refuse("too many values");
        }
        if self.open.len() == 1 {
            self.member_at = self.at;
        }
        match byte {
            b'{' | b'[' => {
                self.at += 1;
                self.out.object |= self.open.is_empty() && byte == b'{';
                self.open.push(byte);
                if self.open.len() <= self.max.depth {
                    self.starts.push(self.keys.len());
                } else {
                    self.refuse("nested too deeply");
                }
                return Ok(if byte == b'{' {
                    State::KeyOrEnd
                } else {
                    State::ValueOrEnd
                });
            }
            b'"' => {
                self.string()?;
            }
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => return Err("not JSON"),
        }
        self.ended();
        Ok(State::CommaOrEnd)
    }

    fn close(&mut self, byte: u8) -> Step<State> {
        let opener = if byte == b'}' { b'{' } else { b'[' };
        if self.open.pop() != Some(opener) {
            return Err("brackets do not match");
        }
        self.at += 1;
        if self.open.len() < self.starts.len() {
            let start = self.starts.pop().unwrap_or(0);
            self.keys[start..].sort_unstable();
            if self.keys[start..].windows(2).any(|two| two[0] == two[1]) {
                self.refuse("duplicate key");
            }
            self.keys.truncate(start);
        }
        self.ended();
        Ok(State::CommaOrEnd)
    }

    fn key(&mut self) -> Step<State> {
        let start = self.at;
        let escaped = self.string()?;
        let raw = &self.text[start..self.at];
        let plain = raw.get(1..raw.len() - 1).unwrap_or("");
        let envelope = self.out.object && self.open.len() == 1;
        let kept = self.nodes <= self.max.nodes && self.open.len() <= self.max.depth;
        if envelope || kept {
            let key = if escaped {
                // A key with a lone surrogate has been refused already; any text will do.
                serde_json::from_str(raw).map_or(Cow::Borrowed(plain), Cow::Owned)
            } else {
                Cow::Borrowed(plain)
            };
            if envelope {
                self.member = key.clone();
            }
            if kept {
                self.keys.push(key);
            }
        }
        self.space();
        if self.peek() != Some(b':') {
            return Err("not JSON");
        }
        self.at += 1;
        Ok(State::Value)
    }

    /// A value has ended; if it is a member of the envelope, remembers it.
    fn ended(&mut self) {
        if self.open.len() != 1 || !self.out.object {
            return;
        }
        let raw = self.text.get(self.member_at..self.at);
        let envelope = &mut self.out.envelope;
        match self.member.as_ref() {
            "id" => {
                envelope.ids += 1;
                envelope.id = raw;
            }
            "jsonrpc" => envelope.jsonrpc = raw,
            "method" => envelope.method = raw,
            "params" => envelope.params = raw,
            "result" | "error" => envelope.answer = true,
            _ => {}
        }
    }
}
