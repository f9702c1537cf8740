//! Pictures of the real window for a person to look at, in `target/screenshots`. What a test can say
//! of them it does say: the page is there, and it does not scroll sideways.

mod desktop;

use desktop::{Desktop, open, pictures};
use doorward_desk::ask::Ask;
use doorward_desk::samples;
use doorward_desk::world::World;
use serde_json::{Value, json};

/// No part of the page is wider than the window.
const SIDEWAYS: &str = "const page = document.scrollingElement;
    return page.scrollWidth <= page.clientWidth ? true : [page.scrollWidth, page.clientWidth];";

fn picture(desktop: &Desktop, name: &str) {
    assert_eq!(
        desktop.page.run(SIDEWAYS, &[]),
        Ok(json!(true)),
        "{name} scrolls sideways"
    );
    desktop
        .page
        .picture(&pictures().join(format!("{name}.png")));
}

/// Asks, opens the card by its row, and waits for `words` on it.
fn show(desktop: &Desktop, request: &Value, row: &str, words: &str) -> Ask {
    let ask = desktop.world.ask(request);
    desktop.click(&desktop.page.button(row));
    desktop.page.reads(words);
    desktop.page.when("the end of the protection", READY, &[]);
    ask
}

const READY: &str = "return document.querySelector('.options') && !document.querySelector('.options-waiting') ? true : null;";

#[test]
fn light() {
    let (desktop, _host) = Desktop::open(World::host, open);
    let folder = desktop.world.path("home/acme").display().to_string();
    let mut asks = vec![show(
        &desktop,
        &samples::run("npm test -- --coverage"),
        "npm test",
        "npm test",
    )];
    asks.push(
        desktop
            .world
            .ask(&samples::run("rm -rf build/ ~/old-cache")),
    );
    asks.push(desktop.world.ask(&samples::small_edit(&folder)));
    asks.push(desktop.world.ask(&samples::plan()));
    desktop.page.reads("Move search");
    picture(&desktop, "overview-light");
    desktop.click(&desktop.page.button("rm -rf"));
    desktop.page.reads("rm -rf build/ ~/old-cache");
    picture(&desktop, "marked-light");
    desktop.click(&desktop.page.button("Move search"));
    desktop.page.reads("auto-accept");
    picture(&desktop, "plan-light");
    desktop.click(&desktop.page.button("users.ts"));
    desktop.page.reads("encodeURIComponent");
    picture(&desktop, "edit-light");
    asks.push(show(
        &desktop,
        &samples::long_command(),
        "step 1",
        "step 60",
    ));
    picture(&desktop, "long-command-light");
    asks.push(show(
        &desktop,
        &samples::long_edit(&folder, 5000),
        "generated.rs",
        "value_10 ",
    ));
    picture(&desktop, "long-edit-light");
    let window = desktop.screen.window(desktop::TITLE);
    desktop.screen.resize(&window, 380, 720);
    desktop.page.when(
        "the narrow page",
        "return innerWidth <= 400 ? true : null;",
        &[],
    );
    desktop.page.reads("value_10 ");
    picture(&desktop, "narrow-light");
}

#[test]
fn dark() {
    let dark = |world: &World| {
        world.gtk("[Settings]\ngtk-application-prefer-dark-theme=true\n");
        world.host()
    };
    let (desktop, _host) = Desktop::open(dark, open);
    let folder = desktop.world.path("home/acme").display().to_string();
    let _edit = show(
        &desktop,
        &samples::small_edit(&folder),
        "users.ts",
        "encodeURIComponent",
    );
    picture(&desktop, "edit-dark");
    let _command = show(&desktop, &samples::long_command(), "step 1", "step 60");
    picture(&desktop, "long-command-dark");
    let _many: Vec<Ask> = (1..=48)
        .map(|n| {
            desktop
                .world
                .ask(&samples::run(&format!("make target-{n}")))
        })
        .collect();
    desktop.page.reads("make target-48");
    picture(&desktop, "many-dark");
    desktop.click(&desktop.page.button("make target-20"));
    desktop.page.when("the end of the protection", READY, &[]);
    picture(&desktop, "many-one-dark");
}
