//! A notification daemon that people run, instead of the one that tests play.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use doorward_desk::ask::command;
use doorward_desk::eventually;
use doorward_desk::screen::Screen;
use doorward_desk::world::World;

/// Dunst draws no buttons: it hands its actions to a menu program, one a line. Ours chooses one by name.
struct Dunst(Child);

impl Dunst {
    fn start(world: &World, chooses: &str) -> Self {
        let menu = world.path("menu.sh");
        std::fs::write(&menu, format!("#!/bin/sh\nexec grep -m1 '{chooses}'\n")).expect("the menu");
        std::fs::set_permissions(&menu, std::fs::Permissions::from_mode(0o700)).expect("its mode");
        let folder = world.path("home/.config/dunst");
        std::fs::create_dir_all(&folder).expect("a folder");
        let settings = format!("[global]\n    dmenu = {}\n", menu.display());
        std::fs::write(folder.join("dunstrc"), settings).expect("its settings");
        let dunst = world
            .command("dunst")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("dunst starts");
        eventually("dunst on the bus", || {
            (said(world, &["count"]).is_some()).then_some(())
        });
        Self(dunst)
    }
}

impl Drop for Dunst {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `dunstctl` says; nothing while dunst is not there.
fn said(world: &World, words: &[&str]) -> Option<String> {
    let mut control: Command = world.command("dunstctl");
    let output = control.args(words).output().expect("dunstctl runs");
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn displayed(world: &World, number: &str) {
    eventually("the notifications", || {
        (said(world, &["count", "displayed"])? == number).then_some(())
    });
}

#[test]
fn reject_in_dunst_answers_and_an_answer_elsewhere_takes_the_notification_back() {
    let mut world = World::new();
    let _screen = Screen::start(&mut world);
    // With a tray no window opens by itself.
    let host = world.host();
    let _dunst = Dunst::start(&world, "Reject");
    let _tray = world.tray();
    host.item();
    let ask = world.ask(&command("make all"));
    displayed(&world, "1");
    said(&world, &["context"]).expect("dunst shows its actions");
    ask.chose("No");
    displayed(&world, "0");
    let ask = world.ask(&command("make install"));
    displayed(&world, "1");
    drop(ask);
    displayed(&world, "0");
}
