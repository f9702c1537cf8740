//! A harness with a bystander: a request that waits all the time, and a connection that measures how long others wait.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::rig::{Peer, Rig};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub struct Watch {
    pub rig: Rig,
    bystander: Peer,
    id: u64,
    /// Rows that arrived and were not asked for yet.
    rows: VecDeque<Value>,
    /// The newest revision of each row.
    revisions: HashMap<u64, u64>,
    /// What the test's hand chose, by request.
    chosen: Vec<(u64, String)>,
    stop: Arc<AtomicBool>,
    pinger: Option<JoinHandle<Vec<Duration>>>,
}

impl Watch {
    pub fn start() -> Self {
        let mut rig = Rig::start();
        let mut bystander = rig.connect();
        bystander.ask("7", "bystander");
        let id = rig.line()["arrived"]["id"].as_u64().expect("an id");
        let stop = Arc::new(AtomicBool::new(false));
        let pinger = ping(rig.connect(), stop.clone());
        Self {
            rig,
            bystander,
            id,
            rows: VecDeque::new(),
            revisions: HashMap::new(),
            chosen: vec![],
            stop,
            pinger: Some(pinger),
        }
    }

    /// The next row; anything that settles meanwhile must be the hand's.
    pub fn arrived(&mut self) -> Value {
        loop {
            if let Some(row) = self.rows.pop_front() {
                return row;
            }
            let line = self.rig.line();
            self.take(&line);
        }
    }

    /// Presses an option of a row and sees it settle so; of a row that changes meanwhile, the newest is what counts.
    pub fn choose(&mut self, row: &Value, option: &str) {
        let id = row["id"].as_u64().expect("an id");
        self.chosen.push((id, option.to_owned()));
        let mut pressed = 0;
        loop {
            let shown = self.revisions[&id];
            if shown > pressed {
                pressed = shown;
                self.rig.decide(id, shown, option);
            }
            let line = self.rig.line();
            let refused = &line["refused"];
            assert!(refused.is_null() || refused["why"] == "stale", "{line}");
            self.take(&line);
            if line["settled"]["id"] == id {
                return;
            }
        }
    }

    /// Takes everything that is said within some time.
    pub fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Some(line) = self
            .rig
            .line_within(until.saturating_duration_since(Instant::now()))
        {
            self.take(&line);
        }
    }

    /// Whether rows arrived that nobody asked for.
    pub fn more(&self) -> bool {
        !self.rows.is_empty()
    }

    fn take(&mut self, line: &Value) {
        for body in [&line["arrived"], &line["changed"]] {
            if let (Some(id), Some(revision)) = (body["id"].as_u64(), body["revision"].as_u64()) {
                self.revisions.insert(id, revision);
            }
        }
        if let Some(row) = line.get("arrived") {
            self.rows.push_back(row.clone());
        }
        let settled = &line["settled"];
        if let Some(option) = settled["outcome"].get("selected") {
            let by_hand = self
                .chosen
                .iter()
                .any(|(id, chosen)| settled["id"] == *id && option == chosen);
            assert!(by_hand, "nobody chose this: {settled}");
        }
        assert_ne!(
            settled["id"], self.id,
            "the bystander was settled: {settled}"
        );
    }

    /// Ends the measuring: the times that others waited for an answer, shortest first.
    pub fn waits(&mut self) -> Vec<Duration> {
        self.stop.store(true, Ordering::Relaxed);
        let mut waits = self
            .pinger
            .take()
            .expect("once")
            .join()
            .expect("every answer came");
        waits.sort_unstable();
        waits
    }

    /// The bystander still waits, and is answered by the hand.
    pub fn end(mut self) -> Vec<Duration> {
        let waits = if self.pinger.is_some() {
            self.waits()
        } else {
            vec![]
        };
        self.rig.decide(self.id, 1, "r");
        loop {
            let line = self.rig.line();
            if line["settled"]["id"] == self.id {
                assert_eq!(line["settled"]["outcome"]["selected"], "r");
                break;
            }
            self.take(&line);
        }
        assert!(!self.more(), "rows that nobody expected: {:?}", self.rows);
        assert_eq!(self.bystander.json()["result"]["outcome"]["optionId"], "r");
        let late = waits.get(waits.len() * 99 / 100);
        assert!(
            late.is_none_or(|late| *late < Duration::from_secs(1)),
            "others waited {late:?}"
        );
        waits
    }
}

fn ping(mut peer: Peer, stop: Arc<AtomicBool>) -> JoinHandle<Vec<Duration>> {
    std::thread::spawn(move || {
        let mut waits = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let asked = Instant::now();
            peer.send(r#"{"jsonrpc":"2.0","id":1,"method":"doorward/status","params":{}}"#);
            assert!(peer.json()["result"]["waiting"].is_u64());
            waits.push(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        waits
    })
}

/// Every text of a detail that a person is shown: all but ids, the raw input and the raw params.
pub fn texts(detail: &Value) -> Vec<&str> {
    match detail {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "id" | "parent" | "raw" | "rawInput"))
            .flat_map(|(_, value)| texts(value))
            .collect(),
        _ => vec![],
    }
}

/// No control, format or bidi character, no blank that is none, no long row of marks on a letter.
pub fn nothing_hidden(name: &str, detail: &Value) {
    for text in texts(detail) {
        let odd = text.chars().find(|c| is_hidden(*c));
        assert_eq!(
            odd,
            None,
            "{name}: {:?}",
            text.chars().take(80).collect::<String>()
        );
    }
}

/// Written down here, so that a gap in the product's own list is seen.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}'
        | '\u{6dd}' | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}
