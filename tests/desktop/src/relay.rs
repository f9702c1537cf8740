//! An agent behind `doorward acp`, with the test as its editor.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::eventually;
use crate::world::World;

/// Asks once, notes what it hears, and goes on once it was answered.
const AGENT: &str = r#"cat "$1"
while IFS= read -r line; do
    printf '%s\n' "$line" >>"$2"
    case $line in *'"result"'*) printf '%s\n' "$3";; esac
done"#;
const ON: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"and on"}}}}"#;

pub struct Relay {
    child: Child,
    heard: PathBuf,
    editor: Arc<Mutex<Vec<Value>>>,
    /// The editor's end: closing it would end the agent.
    _input: ChildStdin,
}

impl Relay {
    /// Starts an agent that asks for this permission, under the id 7.
    pub fn start(world: &World, request: &Value) -> Self {
        let asked = world.path("relay.request");
        let heard = world.path("relay.heard");
        let _ = std::fs::remove_file(&heard);
        let question = json!({
            "jsonrpc": "2.0",
            "id": 7,
            "method": "session/request_permission",
            "params": request,
        });
        std::fs::write(&asked, format!("{question}\n")).expect("the request");
        let mut child = world
            .doorward()
            .args(["acp", "--", "sh", "-c", AGENT, "agent"])
            .args([&asked, &heard])
            .arg(ON)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("doorward starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let editor = Arc::<Mutex<Vec<Value>>>::default();
        let lines = Arc::clone(&editor);
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                lines
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(line);
            }
        });
        Self {
            child,
            heard,
            editor,
            _input: input,
        }
    }

    pub fn heard(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.heard).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// What the editor was told.
    pub fn editor(&self) -> Vec<Value> {
        self.editor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn waits(&self) -> bool {
        self.heard().is_empty()
    }

    /// The agent was answered with this option, once, and went on; the editor's question is over.
    #[track_caller]
    pub fn chose(self, option: &str) {
        let on: Value = serde_json::from_str(ON).expect("valid");
        eventually("the agent going on", || {
            self.editor().contains(&on).then_some(())
        });
        let answer = json!({
            "jsonrpc": "2.0",
            "id": 7,
            "result": {"outcome": {"outcome": "selected", "optionId": option}},
        });
        let heard: Vec<Value> = self
            .heard()
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        assert_eq!(heard, [answer]);
        eventually("the editor's question taken back", || {
            let editor = self.editor();
            editor
                .iter()
                .any(|line| line["method"] == "$/cancel_request")
                .then_some(())
        });
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
