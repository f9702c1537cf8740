//! The bytes of a connection: whole lines within their bounds in, one line for each answer out.

use super::{Answer, Connection};
use crate::broker::Message;
use doorward_socket::frame::{self, Frame, Kind};
use doorward_socket::limits::{self, Limits};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{Receiver, UnboundedSender};
use tokio::time::{Instant, timeout, timeout_at};

/// A deadline that is noticed this late was slept through: we were stopped, the peer was not slow.
const STOPPED: Duration = Duration::from_secs(1);

#[derive(PartialEq)]
pub(super) enum Reading {
    HalfClosed,
    Dropped,
}

/// Whether the peer closed both directions.
pub(super) fn gone(read: &OwnedReadHalf) -> bool {
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

impl Connection {
    pub(super) async fn read_lines(&mut self, read: &mut OwnedReadHalf) -> Reading {
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
                    Err(_) if Instant::now() > at + STOPPED => {
                        deadline = Some(Instant::now() + limits::FRAME_DEADLINE);
                        continue;
                    }
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
}

pub(super) async fn write_lines(
    mut write: OwnedWriteHalf,
    mut lines: Receiver<Answer>,
    number: u64,
    messages: UnboundedSender<Message>,
) {
    while let Some(Answer { mut line, answers }) = lines.recv().await {
        line.push('\n');
        if !write_line(&mut write, line.as_bytes()).await {
            break;
        }
        if let Some(id) = answers {
            let _ = messages.send(Message::Written(number, id));
        }
    }
}

/// Piece by piece: a long line to a slow reader is no peer that does not read.
async fn write_line(write: &mut OwnedWriteHalf, line: &[u8]) -> bool {
    for piece in line.chunks(64 << 10) {
        let written = timeout(Duration::from_secs(5), write.write_all(piece)).await;
        if !matches!(written, Ok(Ok(()))) {
            return false;
        }
    }
    true
}
