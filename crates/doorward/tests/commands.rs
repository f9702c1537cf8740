//! The commands that ask once: what they print, and how they end.

mod rig;

use rig::{
    Harness, PARAMS, Server, directory, doorward, end, finish, selected, signal, socket, start,
};

#[test]
fn ask_says_in_its_exit_code_what_happened() {
    let directory = directory();
    let ask = |timeout: bool| {
        let mut ask = doorward(&socket(&directory));
        ask.arg("ask").args(timeout.then_some("--timeout=1"));
        ask
    };
    assert_eq!(finish(ask(false), PARAMS), (String::new(), Some(4)));
    assert_eq!(finish(ask(false), "{}"), (String::new(), Some(2)));
    let mut server = Server::start(&socket(&directory));
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#.to_owned();
    for (answer, printed, code) in [
        (Some(selected("yes")), format!("{}\n", selected("yes")), 0),
        (Some(cancelled.clone()), format!("{cancelled}\n"), 3),
        (None, String::new(), 4),
    ] {
        let command = ask(false);
        let finished = std::thread::spawn(move || finish(command, PARAMS));
        server.accept();
        let (id, _) = server.question();
        match answer {
            Some(result) => server.send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
            )),
            None => server.hand_back(id),
        }
        assert_eq!(finished.join().unwrap(), (printed, Some(code)));
    }
    assert_eq!(finish(ask(true), PARAMS), (String::new(), Some(4)));
    server.accept();
    server.question();
    server.expect("$/cancel_request");
}

#[test]
fn ask_says_how_long_it_waits_and_keeps_asking_over_a_lost_connection() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let mut ask = doorward(&socket(&directory));
    ask.args(["ask", "--timeout=100"]);
    let finished = std::thread::spawn(move || finish(ask, PARAMS));
    let detail = harness.expect("arrived")["detail"].clone();
    let (arrived, deadline) = (&detail["arrivedMs"], &detail["deadlineMs"]);
    let left = deadline.as_u64().unwrap() - arrived.as_u64().unwrap();
    assert!((90_000..=100_000).contains(&left), "{left}");
    harness.dies();
    let mut harness = Harness::start(&socket(&directory));
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "yes");
    let printed = format!("{}\n", selected("yes"));
    assert_eq!(finished.join().unwrap(), (printed, Some(0)));
    harness.changed(|detail| detail["ended"]["delivered"] == "yes");
}

#[test]
fn an_answer_that_could_not_be_printed_is_not_delivered() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    let mut ask = doorward(&socket(&directory));
    let full = std::fs::File::options().write(true).open("/dev/full");
    ask.arg("ask").stdout(full.unwrap());
    let finished = std::thread::spawn(move || finish(ask, PARAMS));
    let arrived = harness.expect("arrived");
    harness.decide(&arrived, "yes");
    assert_eq!(finished.join().unwrap(), (String::new(), Some(4)));
    harness.changed(|detail| detail["ended"]["delivered"] == "no");
}

#[test]
fn status_says_whether_it_runs_and_how_many_wait() {
    let directory = directory();
    let status = || {
        let mut status = doorward(&socket(&directory));
        status.arg("status");
        finish(status, "")
    };
    assert_eq!(status(), ("Doorward is not running.\n".to_owned(), Some(1)));
    let harness = Harness::start(&socket(&directory));
    let running = |count: &str| {
        let version = env!("CARGO_PKG_VERSION");
        (
            format!("Doorward {version} is running; {count}.\n"),
            Some(0),
        )
    };
    assert_eq!(status(), running("0 requests wait"));
    let mut asks = Vec::new();
    for count in ["1 request waits", "2 requests wait"] {
        let mut ask = doorward(&socket(&directory));
        ask.arg("ask");
        let ask = start(ask, PARAMS);
        harness.expect("arrived");
        asks.push(ask);
        assert_eq!(status(), running(count));
    }
    for ask in asks {
        signal(&ask, rustix::process::Signal::TERM);
        assert_eq!(end(ask).1, Some(4));
    }
}

#[test]
fn open_raises_at_most_once_in_two_seconds() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    let open = || {
        let mut open = doorward(&socket(&directory));
        open.arg("open");
        finish(open, "")
    };
    let done = (String::new(), Some(0));
    let started = std::time::Instant::now();
    assert_eq!(open(), done);
    harness.expect("show");
    let mut others = 0;
    while harness.try_next().is_none() {
        assert!(started.elapsed() < rig::PATIENCE);
        assert_eq!(open(), done);
        others += 1;
    }
    assert!(started.elapsed() >= std::time::Duration::from_secs(2));
    assert!(others > 1);
    // The two were all there was: what comes next is a request.
    let mut ask = doorward(&socket(&directory));
    ask.arg("ask");
    let ask = start(ask, PARAMS);
    harness.expect("arrived");
    signal(&ask, rustix::process::Signal::TERM);
    assert_eq!(end(ask).1, Some(4));
}

#[test]
fn open_and_status_give_a_stopped_doorward_up() {
    let directory = directory();
    let harness = Harness::start(&socket(&directory));
    signal(&harness.process, rustix::process::Signal::STOP);
    std::thread::scope(|scope| {
        for name in ["open", "status"] {
            let mut command = doorward(&socket(&directory));
            command.arg(name).stderr(std::process::Stdio::null());
            scope.spawn(|| assert_eq!(finish(command, ""), (String::new(), Some(1))));
        }
    });
}

/// Beside it a window that only says that it was started.
#[test]
fn open_starts_the_tray_process_and_that_the_window() {
    let directory = directory();
    let place = |name: &str| directory.path().join(name);
    for (name, from) in [
        (
            "doorward",
            std::path::PathBuf::from(env!("CARGO_BIN_EXE_doorward")),
        ),
        ("doorward-tray", rig::program("doorward-tray")),
    ] {
        std::fs::copy(from, place(name)).unwrap();
    }
    let window =
        "#!/bin/sh\necho \"$$ $PPID\" >\"$0.new\" && mv \"$0.new\" \"$0.started\"\nexec sleep 60\n";
    std::fs::write(place("doorward-window"), window).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(place("doorward-window"), executable).unwrap();

    let mut open = std::process::Command::new(place("doorward"));
    open.arg("--socket").arg(place("run/d.sock")).arg("open");
    // No desktop at all.
    open.env_clear().env("HOME", directory.path());
    open.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    assert!(open.status().unwrap().success());
    rig::until("the window was started", || {
        place("doorward-window.started").is_file()
    });
    let started = std::fs::read_to_string(place("doorward-window.started")).unwrap();
    let tray = started
        .split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let tray = rustix::process::Pid::from_raw(tray).unwrap();
    let mut status = std::process::Command::new(place("doorward"));
    status
        .arg("--socket")
        .arg(place("run/d.sock"))
        .arg("status");
    assert!(status.output().unwrap().status.success());
    // It ends cleanly, and its window with it.
    rustix::process::kill_process(tray, rustix::process::Signal::TERM).unwrap();
    rig::until("the socket is gone", || !place("run/d.sock").exists());
    assert_eq!(status.output().unwrap().status.code(), Some(1));
    assert!(open_fails_without_a_tray(
        &place("doorward"),
        directory.path()
    ));
}

fn open_fails_without_a_tray(doorward: &std::path::Path, place: &std::path::Path) -> bool {
    std::fs::remove_file(place.join("doorward-tray")).unwrap();
    let mut open = std::process::Command::new(doorward);
    open.arg("--socket")
        .arg(place.join("run/d.sock"))
        .arg("open");
    open.env_clear().env("PATH", "/nonexistent");
    let output = open.output().unwrap();
    output.status.code() == Some(1) && !output.stderr.is_empty()
}

#[test]
fn the_demo_asks_five_times_and_ends_with_the_answers() {
    let directory = directory();
    let mut harness = Harness::start(&socket(&directory));
    rig::program("doorward-demo");
    let mut demo = doorward(&socket(&directory));
    let demo = demo
        .arg("demo")
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut kinds = Vec::new();
    for _ in 0..5 {
        let arrived = harness.find("arrived", |_| true);
        let detail = &arrived["detail"];
        kinds.push(detail["toolCall"]["kind"].as_str().unwrap().to_owned());
        assert!(detail["session"]["cwd"].as_str().unwrap().starts_with('/'));
        let options = detail["options"].as_array().unwrap().iter();
        let mut once = options.filter(|option| option["kind"] == "allow_once");
        let option = once.next().unwrap()["id"].as_str().unwrap().to_owned();
        harness.decide(&arrived, &option);
        harness.changed(|detail| detail["ended"]["delivered"] == "yes");
    }
    assert_eq!(kinds, ["execute", "edit", "edit", "edit", "switch_mode"]);
    assert_eq!(end(demo).1, Some(0));
}
