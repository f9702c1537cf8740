//! The tray program as a process: how it ends, and what it leaves.

use std::process::Stdio;

use doorward_desk::ask::command;
use doorward_desk::eventually;
use doorward_desk::host::Host;
use doorward_desk::world::World;

#[test]
fn sigterm_hands_back_and_leaves_nothing() {
    let world = World::new();
    let host = world.host();
    let mut tray = world.tray();
    let ask = world.ask(&command("ls"));
    let there = |menu: &doorward_desk::menu::Menu| menu.request("ls").is_some();
    host.item().menu_when("the request", there);
    let open = world.doorward().arg("open").status();
    assert!(open.expect("doorward starts").success());
    let window = eventually("the window", || world.window_pids().first().copied());
    assert!(tray.terminate().success());
    assert!(!world.socket().exists(), "the socket file stays");
    ask.handed_back();
    // Neither running nor waiting to be buried: a zombie still has its entry.
    let entry = format!("/proc/{window}");
    assert!(
        !std::path::Path::new(&entry).exists(),
        "the window outlived its parent"
    );
}

#[test]
fn the_reason_is_shutting_down() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let world = World::new();
    let _host = world.host();
    let mut tray = world.tray();
    let mut peer = std::os::unix::net::UnixStream::connect(world.socket()).expect("the socket");
    let params = command("ls");
    let method = "session/request_permission";
    writeln!(
        peer,
        r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#
    )
    .expect("sent");
    eventually("the request", || {
        let status = world
            .doorward()
            .arg("status")
            .stdout(Stdio::piped())
            .output();
        let text = String::from_utf8(status.expect("doorward starts").stdout).expect("text");
        text.contains('1').then_some(())
    });
    assert!(tray.terminate().success());
    let mut line = String::new();
    BufReader::new(peer)
        .read_line(&mut line)
        .expect("an answer");
    assert!(
        line.contains("-32010") && line.contains("shutting_down"),
        "{line}"
    );
}

#[test]
fn a_tray_host_that_does_not_answer_hangs_nothing() {
    let world = World::new();
    let _host = Host::hanging(&world.bus);
    let daemon = world.notifications();
    let mut tray = world.tray();
    let ask = world.ask(&command("ls"));
    daemon.press(&daemon.note("ls"), "reject");
    ask.chose("No");
    // No icon: the window opens as on a desktop without a tray.
    let _ask = world.ask(&command("ls again"));
    eventually("the window", || world.shown().into_iter().next());
    assert!(tray.terminate().success());
}

#[test]
fn one_tray_program_a_user() {
    let world = World::new();
    let _tray = world.tray();
    let second = world
        .command(World::ours("doorward-tray"))
        .arg("--socket")
        .arg(world.socket())
        .stderr(Stdio::null())
        .status();
    assert!(!second.expect("it starts").success());
}
