//! The rows of the relay's table: what each side sees in each order of events.

mod rig;

use std::io::Write;
use std::os::unix::process::ExitStatusExt;

use rig::{Rig, Server, cancel, directory, question, response, socket};

/// A relay with a Doorward, and one open question under the agent's id.
fn asked(id: &str) -> (Rig, Server, u64) {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    let number = ask(&mut rig, &server, id);
    (rig, server, number)
}

fn connected(end: &str, options: &[&str]) -> (Rig, Server) {
    let directory = directory();
    let server = Server::start(&socket(&directory));
    (Rig::start(directory, options, end), server)
}

fn ask(rig: &mut Rig, server: &Server, id: &str) -> u64 {
    rig.agent_says(&question(id));
    assert_eq!(rig.editor_hears(), question(id));
    server.question().0
}

#[test]
fn row_1_the_editors_answer_is_first() {
    let (mut rig, server, number) = asked("\"a\\u0062\"");
    let answer = r#"{ "id":"ab", "jsonrpc":"2.0","result":{"outcome":{"outcome":"selected","optionId":"no"}} }"#;
    rig.editor_says(answer);
    assert_eq!(rig.agent_hears(), answer);
    let told = server.expect("doorward/elsewhere");
    assert_eq!(told["params"]["requestId"], number);
    assert_eq!(told["params"]["result"]["outcome"]["optionId"], "no");
    server.select(number, "yes");
    ask(&mut rig, &server, "2");
    rig.agent_heard_no_more();
}

#[test]
fn row_2_doorwards_answer_is_first() {
    let (mut rig, server, number) = asked("1.0");
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1.0", "yes"));
    assert_eq!(rig.editor_hears(), cancel("1.0"));
    assert_eq!(
        server.expect("doorward/delivered")["params"]["requestId"],
        number
    );
    rig.editor_says(&response("1.0", "no"));
    rig.agent_heard_no_more();
    // One response is swallowed, not two.
    rig.editor_says(&response("1.0", "no"));
    assert_eq!(rig.agent_hears(), response("1.0", "no"));
}

#[test]
fn row_4_an_error_of_the_editor_waits_for_doorward() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let (mut rig, server, number) = asked("1");
    rig.editor_says(error);
    rig.agent_heard_no_more();
    server.hand_back(number);
    assert_eq!(rig.agent_hears(), error);

    let number = ask(&mut rig, &server, "1");
    rig.editor_says(error);
    rig.agent_heard_no_more();
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    rig.editor_heard_no_more();
}

#[test]
fn row_5_a_cancel_of_the_agent_withdraws() {
    let (mut rig, server, number) = asked("1");
    rig.agent_says(&cancel("1"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    let told = server.expect("$/cancel_request");
    assert_eq!(told["params"]["requestId"], number);
    server.select(number, "yes");
    rig.editor_says(&response("1", "no"));
    assert_eq!(rig.agent_hears(), response("1", "no"));
    ask(&mut rig, &server, "2");
    rig.agent_heard_no_more();
}

#[test]
fn row_6_a_cancel_after_the_answer_passes_and_withdraws_nothing() {
    let (mut rig, server, number) = asked("1");
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    server.expect("doorward/delivered");
    rig.agent_says(&cancel("1"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    rig.editor_says(&response("1", "late"));
    // What Doorward hears next is the next question.
    ask(&mut rig, &server, "2");
    rig.agent_heard_no_more();
}

#[test]
fn row_7_no_allow_follows_a_cancelled_session() {
    let (mut rig, server, number) = asked("1");
    let stop = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    rig.editor_says(stop);
    assert_eq!(rig.agent_hears(), stop);
    assert_eq!(server.expect("session/cancel")["params"]["sessionId"], "s");
    server.select(number, "yes");
    rig.editor_says(&response("1", "stopped"));
    assert_eq!(rig.agent_hears(), response("1", "stopped"));
    ask(&mut rig, &server, "2");
    rig.agent_heard_no_more();
}

#[test]
fn row_7_a_parents_cancel_withdraws_what_its_children_ask() {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    for (parent, child) in [("p", "c"), ("c", "s")] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{parent}","update":{{"sessionUpdate":"subagent_update","sessionId":"{child}","state":{{"state":"running"}}}}}}}}"#
        );
        rig.agent_says(&line);
        assert_eq!(rig.editor_hears(), line);
        server.expect("session/update");
    }
    let number = ask(&mut rig, &server, "1");
    let stop = |session: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/cancel","params":{{"sessionId":"{session}"}}}}"#
        )
    };
    rig.editor_says(&stop("stranger"));
    rig.editor_says(&stop("p"));
    assert_eq!(rig.agent_hears(), stop("stranger"));
    assert_eq!(rig.agent_hears(), stop("p"));
    assert_eq!(server.expect("session/cancel")["params"]["sessionId"], "s");
    server.select(number, "yes");
    ask(&mut rig, &server, "2");
    rig.agent_heard_no_more();
}

#[test]
fn row_9_the_end_of_a_turn_is_told() {
    let (mut rig, server) = connected("exit 0", &[]);
    let mut server = server;
    server.accept();
    let prompt = r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s"}}"#;
    rig.editor_says(prompt);
    assert_eq!(rig.agent_hears(), prompt);
    ask(&mut rig, &server, "1");
    let end = r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}"#;
    rig.agent_says(end);
    assert_eq!(rig.editor_hears(), end);
    let told = server.expect("doorward/turn_ended");
    assert_eq!(told["params"]["sessionId"], "s");
}

#[test]
fn row_10_nothing_is_written_to_the_agent_of_a_closed_editor() {
    let (mut rig, server, number) = asked("1");
    rig.editor_ends();
    let told = server.expect("$/cancel_request");
    assert_eq!(told["params"]["requestId"], number);
    server.select(number, "yes");
    rig.editor_heard_no_more();
    assert!(rig.agent_ends().success());
}

#[test]
fn row_11_the_relay_ends_as_the_agent_ended() {
    for (end, code, signal) in [
        ("exit 7", Some(7), None),
        ("kill -TERM $$", None, Some(15)),
        ("kill -KILL $$", None, Some(9)),
    ] {
        let (mut rig, mut server) = connected(end, &[]);
        server.accept();
        ask(&mut rig, &server, "1");
        let status = rig.agent_ends();
        assert_eq!((status.code(), status.signal()), (code, signal), "{end}");
        assert!(server.ended());
    }
}

#[test]
fn row_12_a_lost_question_is_submitted_again_with_its_nonce() {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    rig.agent_says(&question("1"));
    rig.editor_hears();
    let (_, nonce) = server.question();
    server.hang_up();
    server.accept();
    let (number, again) = server.question();
    assert_eq!(again, nonce);
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    assert_eq!(rig.editor_hears(), cancel("1"));
}

#[test]
fn row_12_only_what_is_open_is_submitted_again() {
    let (mut rig, mut server, number) = asked("1");
    server.select(number, "yes");
    rig.agent_hears();
    rig.editor_hears();
    server.expect("doorward/delivered");
    ask(&mut rig, &server, "2");
    rig.agent_says(&question("3"));
    rig.editor_hears();
    let (_, nonce) = server.question();
    rig.editor_says(&response("2", "no"));
    rig.agent_hears();
    server.expect("doorward/elsewhere");
    server.hang_up();
    server.accept();
    assert_eq!(server.question().1, nonce);
    rig.editor_says(&response("3", "no"));
    rig.agent_hears();
    server.expect("doorward/elsewhere");
}

#[test]
fn row_13_half_an_answer_is_none() {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    rig.agent_says(&question("1"));
    rig.editor_hears();
    let (number, nonce) = server.question();
    let answer = response(&number.to_string(), "yes");
    for cut in [1, answer.len() / 2, answer.len()] {
        server
            .stream()
            .write_all(&answer.as_bytes()[..cut])
            .unwrap();
        server.hang_up();
        server.accept();
        assert_eq!(server.question().1, nonce);
        rig.agent_heard_no_more();
    }
    rig.editor_heard_no_more();
}

#[test]
fn row_14_alone_the_editor_is_asked_when_doorward_cannot() {
    let (mut rig, mut server) = connected("exit 0", &["--only-doorward"]);
    server.accept();
    rig.agent_says(&question("1"));
    let (number, _) = server.question();
    rig.editor_heard_no_more();
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    server.expect("doorward/delivered");

    rig.agent_says(&question("2"));
    let (number, _) = server.question();
    server.hand_back(number);
    assert_eq!(rig.editor_hears(), question("2"));

    rig.agent_says(&question("3"));
    server.question();
    let stop = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    rig.editor_says(stop);
    assert_eq!(rig.agent_hears(), stop);
    assert!(
        rig.agent_hears()
            .contains(r#""id":3,"result":{"outcome":{"outcome":"cancelled"}}"#)
    );
    server.expect("session/cancel");

    rig.agent_says(&question("4"));
    server.question();
    server.hang_up();
    assert_eq!(rig.editor_hears(), question("4"));
}

#[test]
fn row_14_alone_and_absent_the_editor_is_asked_at_once() {
    let mut rig = Rig::start(directory(), &["--only-doorward"], "exit 0");
    rig.agent_says(&question("1"));
    assert_eq!(rig.editor_hears(), question("1"));
    rig.editor_says(&response("1", "no"));
    assert_eq!(rig.agent_hears(), response("1", "no"));
}

#[test]
fn row_15_an_id_whose_answer_is_owed_is_renumbered() {
    let (mut rig, server, number) = asked("1");
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    assert_eq!(rig.editor_hears(), cancel("1"));
    server.expect("doorward/delivered");
    rig.agent_says(&question("1"));
    let message: serde_json::Value = serde_json::from_str(&rig.editor_hears()).unwrap();
    let id = message["id"].to_string();
    assert_ne!(id, "1");
    rig.editor_says(&response("1", "late"));
    rig.editor_says(&response(&id, "no"));
    assert_eq!(rig.agent_hears(), response("1", "no"));
    rig.agent_heard_no_more();
}

#[test]
fn row_16_the_editors_ids_are_not_the_agents() {
    let (mut rig, server, number) = asked("1");
    let prompt = r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x"}}"#;
    rig.editor_says(prompt);
    assert_eq!(rig.agent_hears(), prompt);
    rig.editor_says(&cancel("1"));
    assert_eq!(rig.agent_hears(), cancel("1"));
    let ended = r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}"#;
    rig.agent_says(ended);
    assert_eq!(rig.editor_hears(), ended);
    // The agent's question of that number is still open.
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("1", "yes"));
    server.expect("doorward/delivered");
}

#[test]
fn row_17_a_batch_passes_and_is_not_offered() {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    let batch = format!(" [ {}, {} ]", question("1"), cancel("7"));
    rig.agent_says(&batch);
    assert_eq!(rig.editor_hears(), batch);
    let number = ask(&mut rig, &server, "2");
    // An answer in a batch is an answer: nothing may follow it.
    let answers = format!("[{}, {}]", response("1", "no"), response("2", "no"));
    rig.editor_says(&answers);
    assert_eq!(rig.agent_hears(), answers);
    server.expect("$/cancel_request");
    server.select(number, "yes");
    let number = ask(&mut rig, &server, "3");
    let batch = format!("[{}]", cancel("3"));
    rig.agent_says(&batch);
    assert_eq!(rig.editor_hears(), batch);
    let told = server.expect("$/cancel_request");
    assert_eq!(told["params"]["requestId"], number);
    rig.agent_heard_no_more();
}

#[test]
fn row_18_an_error_of_doorward_leaves_the_editor_alone() {
    for code in [-32602, -32600, -32011, -32010] {
        let (mut rig, server, number) = asked("1");
        server.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{number},"error":{{"code":{code},"message":"no"}}}}"#
        ));
        // It has been read when what was sent after it has.
        let second = ask(&mut rig, &server, "2");
        server.select(second, "yes");
        assert_eq!(rig.agent_hears(), response("2", "yes"));
        assert_eq!(rig.editor_hears(), cancel("2"));
        server.expect("doorward/delivered");
        rig.editor_heard_no_more();
        rig.editor_says(&response("1", "no"));
        assert_eq!(rig.agent_hears(), response("1", "no"));
        server.select(number, "yes");
        ask(&mut rig, &server, "3");
        rig.agent_heard_no_more();
    }
}

#[test]
fn row_19_a_click_in_a_dialog_that_stays_open_is_swallowed() {
    let (mut rig, server, number) = asked("\"a\"");
    server.select(number, "yes");
    assert_eq!(rig.agent_hears(), response("\"a\"", "yes"));
    assert_eq!(rig.editor_hears(), cancel("\"a\""));
    server.expect("doorward/delivered");
    // The dialog stays, and the turn goes on.
    ask(&mut rig, &server, "2");
    rig.editor_says(&response("2", "no"));
    assert_eq!(rig.agent_hears(), response("2", "no"));
    server.expect("doorward/elsewhere");
    rig.editor_says(&response("\"a\"", "no"));
    ask(&mut rig, &server, "3");
    rig.agent_heard_no_more();
}

#[test]
fn row_3_a_thousand_races_give_one_answer_each() {
    let (mut rig, mut server) = connected("exit 0", &[]);
    server.accept();
    let mut seed = 0x9e37_79b9_u64;
    let (mut ours, mut theirs) = (0, 0);
    for round in 0..1000 {
        let id = round.to_string();
        let number = ask(&mut rig, &server, &id);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (late, spins) = (seed >> 63 == 0, (seed >> 33) % 20_000);
        let spin =
            |wait: bool| (0..if wait { spins } else { 0 }).for_each(|_| std::hint::spin_loop());
        std::thread::scope(|scope| {
            let mut stream = server.stream();
            let line = format!("{}\n", response(&number.to_string(), "doorward"));
            scope.spawn(move || {
                spin(late);
                stream.write_all(line.as_bytes()).unwrap();
            });
            spin(!late);
            rig.editor_says(&response(&id, "editor"));
        });
        // A second answer would be here in place of the next round's.
        let answer = rig.agent_hears();
        if answer == response(&id, "doorward") {
            ours += 1;
            assert_eq!(rig.editor_hears(), cancel(&id));
            server.expect("doorward/delivered");
        } else {
            theirs += 1;
            assert_eq!(answer, response(&id, "editor"));
            server.expect("doorward/elsewhere");
        }
    }
    rig.agent_heard_no_more();
    assert!(ours > 0 && theirs > 0, "{ours} to {theirs} is no race");
}
