//! A Doorward that the test plays itself, line by line.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use doorward_socket::endpoint;
use serde_json::Value;

use super::{PATIENCE, lines, selected};

/// The server's side of the socket.
pub struct Server {
    connections: Receiver<(UnixStream, Receiver<String>)>,
    stream: Option<UnixStream>,
    lines: Option<Receiver<String>>,
}

impl Server {
    pub fn start(socket: &Path) -> Self {
        let listening = endpoint::listen(Some(socket)).unwrap();
        let (tx, connections) = channel();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listening.listener.accept() {
                let reader = stream.try_clone().unwrap();
                if tx.send((stream, lines(reader))).is_err() {
                    break;
                }
            }
        });
        Self {
            connections,
            stream: None,
            lines: None,
        }
    }

    /// Waits for a connection and its hello.
    pub fn accept(&mut self) -> Value {
        let (stream, lines) = self.connections.recv_timeout(PATIENCE).unwrap();
        self.stream = Some(stream);
        self.lines = Some(lines);
        self.expect("doorward/hello")
    }

    /// The next line, but that it reads it says at once.
    pub fn next(&self) -> Value {
        loop {
            let line = self.lines.as_ref().unwrap().recv_timeout(PATIENCE);
            let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if message["method"] != "doorward/status" {
                return message;
            }
            let answer = format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#,
                message["id"]
            );
            // Who asked may have left by now.
            let _ = writeln!(self.stream(), "{answer}");
        }
    }

    pub fn expect(&self, method: &str) -> Value {
        let message = self.next();
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// A question with its nonce before it; gives our id and the nonce.
    pub fn question(&self) -> (u64, String) {
        let nonce = self.expect("doorward/nonce");
        let request = self.next();
        assert_eq!(nonce["params"]["requestId"], request["id"]);
        let word = nonce["params"]["nonce"].as_str().unwrap().to_owned();
        (request["id"].as_u64().unwrap(), word)
    }

    pub fn stream(&self) -> UnixStream {
        self.stream.as_ref().unwrap().try_clone().unwrap()
    }

    pub fn send(&self, line: &str) {
        let mut stream = self.stream.as_ref().unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub fn select(&self, id: u64, option: &str) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#,
            selected(option)
        ));
    }

    pub fn hand_back(&self, id: u64) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32010,"message":"handed back"}}}}"#
        ));
    }

    pub fn hang_up(&mut self) {
        let stream = self.stream.take().unwrap();
        stream.shutdown(std::net::Shutdown::Both).unwrap();
    }

    pub fn ended(&self) -> bool {
        let lines = self.lines.as_ref().unwrap();
        lines.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    }
}
