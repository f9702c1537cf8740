//! An asker: `doorward ask` as a process, and the requests it sends.

use std::io::Read as _;
use std::process::Child;

use serde_json::{Value, json};

use crate::eventually;

pub struct Ask {
    child: Child,
}

/// How `doorward ask` ended.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// The option chosen, byte for byte.
    pub option: Option<String>,
    pub code: Option<i32>,
}

impl Ask {
    pub(crate) fn new(child: Child) -> Self {
        Self { child }
    }

    pub fn waits(&mut self) -> bool {
        self.child.try_wait().expect("our child").is_none()
    }

    pub fn answer(mut self) -> Answer {
        let status = eventually("an answer", || self.child.try_wait().expect("our child"));
        let mut text = String::new();
        let mut output = self.child.stdout.take().expect("its output");
        output.read_to_string(&mut text).expect("text");
        let value: Option<Value> = serde_json::from_str(&text).ok();
        let option = value.and_then(|v| Some(v["outcome"]["optionId"].as_str()?.to_owned()));
        Answer {
            option,
            code: status.code(),
        }
    }

    /// The answer is this option.
    #[track_caller]
    pub fn chose(self, option: &str) {
        let answer = self.answer();
        let expected = Answer {
            option: Some(option.to_owned()),
            code: Some(0),
        };
        assert_eq!(answer, expected);
    }

    /// Handed back to the asker's own prompt.
    #[track_caller]
    pub fn handed_back(self) {
        let answer = self.answer();
        assert_eq!((answer.option, answer.code), (None, Some(4)));
    }
}

impl Drop for Ask {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command with one option of each usual kind. The ids are awkward on purpose.
pub fn command(command: &str) -> Value {
    json!({
        "sessionId": "session",
        "toolCall": {
            "toolCallId": format!("call {command}"),
            "title": command,
            "kind": "execute",
            "rawInput": {"command": command},
        },
        "options": [
            {"optionId": "once ", "name": "Yes, run it", "kind": "allow_once"},
            {"optionId": "always", "name": "Yes, and don't ask again", "kind": "allow_always"},
            {"optionId": "No", "name": "No", "kind": "reject_once"},
        ],
    })
}
