//! A desktop for tests: real programs on a private bus, with their own home and socket.
//!
//! The tray host and the notification daemon are played here, because a test has to press what a
//! person would. Everything panics with what it waited for; nothing waits without an end.

pub mod ask;
pub mod bus;
pub mod driver;
pub mod host;
pub mod menu;
pub mod notes;
pub mod relay;
pub mod samples;
pub mod screen;
pub mod world;

use std::time::{Duration, Instant};

/// Long, because a loaded machine is no failure; a passing test never waits for it.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// Asks until there is an answer.
pub fn eventually<T>(what: &str, mut asked: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = asked() {
            return answer;
        }
        assert!(Instant::now() < end, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
