//! The thread that talks to Doorward.
//!
//! It connects at the start and again when a question wants it, retries only
//! while one is open, and is the only one that writes to the socket, so that a
//! Doorward that does not read stops nothing but this thread.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use doorward_socket::client::{self, Lines};
use doorward_socket::endpoint;

use super::relay::{Relay, lock};

const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(2);

pub fn run(relay: &Arc<Relay>) {
    let mut delay = FIRST;
    loop {
        if let Ok(stream) = endpoint::connect(relay.socket.as_deref()) {
            delay = FIRST;
            // An error is a lost connection, like an end of file.
            let _ = serve(relay, stream);
        }
        relay.lost();
        let retry = Instant::now() + delay;
        delay = (delay * 2).min(LONGEST);
        let mut state = lock(&relay.state);
        loop {
            if state.closing {
                return;
            }
            if std::mem::take(&mut state.wanted) {
                delay = FIRST;
                break;
            }
            let left = retry.saturating_duration_since(Instant::now());
            if !state.asking() {
                state = relay
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            } else if left.is_zero() {
                break;
            } else {
                let waited = relay.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

fn serve(relay: &Arc<Relay>, mut stream: UnixStream) -> std::io::Result<()> {
    let mut lines = Lines::new(stream.try_clone()?);
    let generation = lock(&relay.state).start(stream.try_clone().ok());
    let reader = {
        let relay = Arc::clone(relay);
        std::thread::spawn(move || {
            while let Ok(line) = lines.next_line() {
                relay.take_reply(generation, client::reply(&line));
            }
            lock(&relay.state).connected = false;
            relay.changed.notify_all();
        })
    };
    loop {
        let mut state = lock(&relay.state);
        let frame = loop {
            if !state.connected {
                break None;
            }
            if let Some(frame) = state.pop() {
                break Some(frame);
            }
            if state.closing {
                break None;
            }
            state = relay
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        };
        drop(state);
        let Some(frame) = frame else { break };
        if std::io::Write::write_all(&mut stream, &frame).is_err() {
            break;
        }
    }
    lock(&relay.state).connected = false;
    let _ = stream.shutdown(Shutdown::Both);
    let _ = reader.join();
    Ok(())
}
