//! Hostile inputs with several connections, a slow sender, or a broker that dies.

mod rig;
mod watch;

use rig::{PATIENCE, Peer, question};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use watch::Watch;

/// A frame must be whole this long after its first byte.
const FRAME: Duration = Duration::from_secs(10);

#[test]
fn scenario_28_what_is_no_frame_is_refused_and_half_a_frame_never_acts() {
    let mut watch = Watch::start();
    let bytes = fixture("28-framing-garbage.jsonl");
    assert_ne!(
        bytes.last(),
        Some(&b'\n'),
        "the last line stays without its end"
    );
    let mut peer = watch.rig.connect();
    let began = Instant::now();
    peer.bytes(&bytes);
    // Two lines are whole: the one after an LSP header and the one that ends in CRLF.
    for command in ["lsp-framed", "crlf"] {
        let row = watch.arrived();
        assert_eq!(row["detail"]["toolCall"]["command"], command);
        watch.choose(&row, "reject");
    }
    let mut refused = 0;
    let mut answered = 0;
    while let Some(line) = peer.next_line() {
        let line: Value = serde_json::from_str(&line).expect("JSON");
        match &line["error"]["code"] {
            Value::Null => answered += 1,
            code => {
                assert_eq!(
                    (code, &line["id"]),
                    (&json!(-32700), &Value::Null),
                    "{line}"
                );
                refused += 1;
            }
        }
    }
    let took = began.elapsed();
    assert!(
        took > FRAME - Duration::from_secs(1) && took < FRAME * 2,
        "closed after {took:?}"
    );
    // The UTF-16 line holds a line feed of its own.
    assert!(refused == 10 || refused == 11, "{refused} refused");
    assert_eq!(answered, 2);
    watch.listen(Duration::from_millis(300));
    watch.end();
}

#[test]
fn more_garbage_than_sixteen_lines_closes_the_connection() {
    let watch = Watch::start();
    let mut peer = watch.rig.connect();
    for _ in 0..16 {
        peer.send("garbage");
        assert_eq!(peer.json()["error"]["code"], -32700);
    }
    peer.send("garbage");
    peer.json();
    assert_eq!(peer.next_line(), None);
    watch.end();
}

#[test]
fn scenario_31_slow_senders_are_dropped_and_idle_ones_are_not() {
    let mut watch = Watch::start();
    let mut idle: Vec<Peer> = (0..3).map(|_| watch.rig.connect()).collect();
    let text = question("1", "slow").into_bytes();
    let mut slow: Vec<Slow> = (0..200)
        .map(|_| Slow::new(watch.rig.connect(), &text))
        .collect();
    let mut good = watch.rig.connect();
    let asked = Instant::now();
    good.ask("9", "ls");
    let row = watch.arrived();
    let served = asked.elapsed();
    assert_eq!(row["detail"]["toolCall"]["command"], "ls");
    assert!(served < Duration::from_secs(1), "served after {served:?}");
    watch.choose(&row, "r");
    assert!(good.line().contains(r#""optionId":"r""#));
    let until = Instant::now() + FRAME * 2;
    while slow.iter().any(|it| it.dropped.is_none()) && Instant::now() < until {
        slow.iter_mut().for_each(|it| it.drip(&text));
        watch.listen(Duration::from_secs(1));
    }
    for it in &slow {
        let lived = it.dropped.expect("dropped");
        assert!(
            lived > FRAME - Duration::from_secs(1) && lived < FRAME + Duration::from_secs(5),
            "dropped after {lived:?}"
        );
    }
    // Who only waits is never dropped.
    for peer in &mut idle {
        peer.ask("1", "ls");
        let row = watch.arrived();
        watch.choose(&row, "r");
        assert!(peer.line().contains(r#""optionId":"r""#));
    }
    let waits = watch.end();
    eprintln!(
        "31: served after {served:?}; others waited {:?} at most",
        waits.last()
    );
}

/// A connection that sends one byte at a time.
struct Slow {
    peer: Peer,
    sent: usize,
    began: Instant,
    /// How long after its first byte the broker closed it.
    dropped: Option<Duration>,
}

impl Slow {
    fn new(peer: Peer, text: &[u8]) -> Self {
        peer.stream.set_nonblocking(true).expect("non-blocking");
        let mut slow = Self {
            peer,
            sent: 0,
            began: Instant::now(),
            dropped: None,
        };
        slow.drip(text);
        slow
    }

    fn drip(&mut self, text: &[u8]) {
        if self.dropped.is_some() {
            return;
        }
        let closed = match self.peer.stream.write_all(&text[self.sent..=self.sent]) {
            Ok(()) => match self.peer.stream.read(&mut [0; 64]) {
                Ok(0) => true,
                Ok(_) => panic!("a slow sender got an answer"),
                Err(error) => error.kind() != ErrorKind::WouldBlock,
            },
            Err(_) => true,
        };
        self.sent += 1;
        if closed {
            self.dropped = Some(self.began.elapsed());
        }
    }
}

#[test]
fn scenario_41_a_pending_request_is_never_replaced() {
    let mut watch = Watch::start();
    let mut peer = watch.rig.connect();
    peer.ask("1", "ls");
    let row = watch.arrived();
    for id in ["1", "1.0"] {
        peer.ask(id, "rm -rf ~");
        let answer = peer.line();
        assert!(
            answer.contains("-32600") && answer.contains(&format!(r#""id":{id},"#)),
            "{answer}"
        );
    }
    watch.choose(&row, "a ");
    let answer = peer.json();
    assert_eq!(
        (&answer["id"], &answer["result"]["outcome"]["optionId"]),
        (&json!(1), &json!("a "))
    );
    // What was chosen was the first, and the row never said anything else.
    peer.ask("2", "last");
    assert_eq!(watch.arrived()["detail"]["toolCall"]["command"], "last");
    peer.stream
        .shutdown(std::net::Shutdown::Write)
        .expect("closed");
    watch.end();
}

#[test]
fn connections_beyond_the_cap_are_closed_and_the_others_stay() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, raised)
        .expect("more descriptors");
    let mut watch = Watch::start();
    let mut peers: Vec<Peer> = (0..1100).map(|_| watch.rig.connect()).collect();
    let until = Instant::now() + PATIENCE;
    let mut closed = 0;
    for peer in peers.iter_mut().skip(1024) {
        peer.stream
            .set_read_timeout(Some(until - Instant::now()))
            .expect("a timeout");
        closed += u32::from(peer.next_line().is_none());
    }
    assert_eq!(closed, 76);
    for peer in peers.iter_mut().step_by(100).take(10) {
        peer.ask("1", "ls");
        let row = watch.arrived();
        watch.choose(&row, "r");
        assert!(peer.line().contains(r#""optionId":"r""#));
    }
    watch.end();
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/hostile");
    std::fs::read(folder.join(name)).expect("a fixture")
}
