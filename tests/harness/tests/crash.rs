//! Scenario 48: a broker that is killed at any moment, and askers that leave. Nothing is lost, nothing is doubled, and
//! no allow comes without a press made for it.

mod rig;

use rig::{PATIENCE, Rig, question};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Moments at which the broker is killed; `DOORWARD_KILLS` sets another number.
fn kills() -> u32 {
    let wanted = std::env::var("DOORWARD_KILLS").ok();
    wanted.map_or(120, |it| it.parse().expect("a number"))
}

#[test]
fn scenario_48_an_asker_that_leaves_takes_its_row_with_it() {
    let mut rig = Rig::start();
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    let row = rig.next("arrived");
    let left = Instant::now();
    drop(peer);
    let settled = rig.next("settled");
    let took = left.elapsed();
    assert_eq!(
        (&settled["why"], &settled["outcome"]),
        (&"connection_lost".into(), &Value::Null)
    );
    assert!(took < Duration::from_secs(1), "{took:?}");
    // A press that comes too late is refused; the same id on a new connection is a new row.
    rig.decide(row["id"].as_u64().expect("an id"), 1, "a ");
    assert_eq!(rig.next("refused")["why"], "not_pending");
    let mut peer = rig.connect();
    peer.ask("1", "ls");
    assert_ne!(rig.next("arrived")["id"], row["id"]);
}

#[test]
fn scenario_48_a_broker_killed_at_any_moment_replays_no_decision() {
    let mut replayable = 0;
    for kill in 0..kills() {
        replayable += u32::from(killed_once(kill));
    }
    assert!(
        replayable > 0,
        "some kills fall after the press and before its delivery"
    );
}

/// Whether an allow was pressed that the asker never got.
fn killed_once(kill: u32) -> bool {
    let mut rig = Rig::start();
    let answers = forward(rig.socket.clone(), format!("nonce-{kill}"));
    let pressed = !kill.is_multiple_of(4);
    let row = rig.next("arrived");
    if pressed {
        rig.decide(row["id"].as_u64().expect("an id"), 1, "a ");
    }
    if kill % 4 == 2 {
        rig.next("settled");
    }
    // A little later each time, in steps that are shorter than the way of a decision.
    let until = Instant::now() + Duration::from_micros(u64::from(kill / 4) * 20);
    while Instant::now() < until {}
    rig.harness.kill().expect("killed");
    rig.harness.wait().expect("gone");
    let folder = std::mem::replace(&mut rig.dir, tempfile::tempdir().expect("a folder"));
    let mut rig = Rig::start_in(folder);
    let answer = match answered_or_asked_again(&mut rig, &answers) {
        Some(answer) => answer,
        None => {
            // The same ask again, as one row that waits for a press of its own.
            assert_eq!(
                rig.line_within(Duration::from_millis(20)),
                None,
                "kill {kill}"
            );
            assert!(
                answers.try_recv().is_err(),
                "kill {kill}: answered without a press"
            );
            rig.decide(1, 1, "r");
            answers.recv_timeout(PATIENCE).expect("an answer")
        }
    };
    let allowed = answer.contains(r#""optionId":"a ""#);
    assert!(
        allowed || answer.contains(r#""optionId":"r""#),
        "kill {kill}: {answer}"
    );
    assert!(!allowed || pressed, "kill {kill}: allowed without a press");
    assert!(
        answers.recv_timeout(Duration::from_millis(1)).is_err(),
        "kill {kill}: answered twice"
    );
    pressed && !allowed
}

/// What comes first after the restart: the answer that was on its way, or the row again.
fn answered_or_asked_again(rig: &mut Rig, answers: &Receiver<String>) -> Option<String> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Ok(answer) = answers.try_recv() {
            return Some(answer);
        }
        if let Some(line) = rig.line_within(Duration::from_millis(1)) {
            assert_eq!(line["arrived"]["detail"]["toolCall"]["command"], "ls");
            return None;
        }
    }
    panic!("neither an answer nor a row: {}", rig.socket);
}

/// A forwarder: asks with its nonce, and asks again with the same one after a lost connection.
fn forward(socket: String, nonce: String) -> Receiver<String> {
    let (said, answers) = channel();
    std::thread::spawn(move || {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok(answer) = asked(&socket, &nonce) {
                let _ = said.send(answer);
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    answers
}

/// An error is a lost connection, or one that was never made.
fn asked(socket: &str, nonce: &str) -> std::io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    let named = format!(
        r#"{{"jsonrpc":"2.0","method":"doorward/nonce","params":{{"requestId":1,"nonce":"{nonce}"}}}}"#
    );
    stream.write_all(format!("{named}\n{}\n", question("1", "ls")).as_bytes())?;
    let mut answer = String::new();
    match BufReader::new(stream).read_line(&mut answer)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(answer),
    }
}
