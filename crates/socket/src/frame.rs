//! The strict reading of one line from the socket.
//!
//! A tree is never built before the line has passed: 8 MiB of `{},` would grow tenfold, deep nesting would overflow
//! a stack when dropped, and a duplicate key would let two parsers see two commands. One pass over the bytes checks
//! all of it and finds the envelope's members; the params stay the agent's own text. Messages say what is wrong and
//! never repeat content, since they end up in logs.

use std::borrow::Cow;

use crate::limits::{ID_BYTES, Limits};

use self::scan::Envelope;

mod scan;
#[cfg(test)]
mod tests;

/// Not JSON at all.
pub const PARSE_ERROR: i64 = -32700;
/// JSON, but no JSON-RPC 2.0 message.
pub const INVALID_REQUEST: i64 = -32600;
/// A message whose content is refused.
pub const INVALID_PARAMS: i64 = -32602;

/// A line that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The id as written (`1`, `1.0`, `"a"`); none if absent.
    pub id: Option<String>,
    /// What kind of message it is.
    pub kind: Kind<'a>,
}

/// The three kinds of JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Wants an answer.
    Request {
        method: String,
        params: Option<&'a str>,
    },
    /// Wants none and cannot be answered.
    Notification {
        method: String,
        params: Option<&'a str>,
    },
    /// An answer, which nothing here asked for.
    Response,
}

/// Why a line was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FrameError {
    /// JSON-RPC error code.
    pub code: i64,
    /// The id as written, to answer with; none means answer with null.
    pub id: Option<String>,
    /// What is wrong, without content.
    pub message: String,
}

fn fail<T>(code: i64, id: Option<String>, message: &str) -> Result<T, FrameError> {
    let message = message.to_owned();
    Err(FrameError { code, id, message })
}

/// Checks one line (without its newline; a trailing carriage return is fine).
pub fn check<'a>(line: &'a [u8], limits: &Limits) -> Result<Frame<'a>, FrameError> {
    if line.len() > limits.frame {
        return fail(INVALID_REQUEST, None, "frame too large");
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return fail(PARSE_ERROR, None, "not UTF-8");
    };
    let scanned = match scan::scan(text, limits) {
        Ok(scanned) => scanned,
        Err(what) => return fail(PARSE_ERROR, None, what),
    };
    if !scanned.object {
        return fail(INVALID_REQUEST, None, "not an object");
    }
    envelope(&scanned.envelope, scanned.refused)
}

fn envelope<'a>(e: &Envelope<'a>, refused: Option<&'static str>) -> Result<Frame<'a>, FrameError> {
    if e.ids > 1 {
        return fail(INVALID_REQUEST, None, "more than one id");
    }
    let id = match e.id.map(|raw| (raw, raw.as_bytes().first().copied())) {
        None => None,
        Some((raw, Some(b'"'))) => serde_json::from_str::<String>(raw)
            .is_ok()
            .then(|| raw.to_owned()),
        Some((raw, Some(b'-' | b'0'..=b'9'))) => Some(raw.to_owned()),
        Some((_, Some(b'n'))) if e.method.is_none() && e.answer => None,
        Some(_) => {
            return fail(INVALID_REQUEST, None, "id is neither a string nor a number");
        }
    };
    let version = e.jsonrpc.and_then(string);
    if version.as_deref() != Some("2.0") {
        return fail(INVALID_REQUEST, id, "jsonrpc is not \"2.0\"");
    }
    match (e.method, e.answer) {
        (Some(_), true) => {
            return fail(INVALID_REQUEST, id, "both a method and a result");
        }
        (None, false) => return fail(INVALID_REQUEST, id, "no method"),
        (Some(raw), false) if !raw.starts_with('"') => {
            return fail(INVALID_REQUEST, id, "method is not a string");
        }
        _ => {}
    }
    if let Some(what) = refused {
        return fail(INVALID_PARAMS, id, what);
    }
    if id.as_deref().is_some_and(long) {
        return fail(INVALID_PARAMS, id, "id too long");
    }
    let Some(raw) = e.method else {
        let kind = Kind::Response;
        return Ok(Frame { id, kind });
    };
    let Some(method) = string(raw) else {
        return fail(INVALID_PARAMS, id, "method cannot be read");
    };
    let params = e.params;
    let kind = if id.is_some() {
        Kind::Request { method, params }
    } else {
        Kind::Notification { method, params }
    };
    Ok(Frame { id, kind })
}

fn string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// Escapes may make the written id longer than the id is, so the decoded length counts.
fn long(raw: &str) -> bool {
    string(raw).map_or(raw.len(), |id| id.len()) > ID_BYTES
}

/// Whether two ids as written name the same request. `1` and `1.0` do, `0` and `"0"` do not: an agent that reads
/// numbers as floats could not tell the answers apart. Whole numbers keep all their digits.
#[must_use]
pub fn same_id(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match (a.starts_with('"'), b.starts_with('"')) {
        (true, true) => decoded(a) == decoded(b),
        (false, false) => same_number(a, b),
        _ => false,
    }
}

fn decoded(raw: &str) -> Cow<'_, str> {
    string(raw).map_or(Cow::Borrowed(raw), Cow::Owned)
}

fn same_number(a: &str, b: &str) -> bool {
    if let (Ok(a), Ok(b)) = (a.parse::<i128>(), b.parse::<i128>()) {
        return a == b;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) if a.is_finite() && b.is_finite() => a == b,
        _ => false,
    }
}
