//! What Doorward costs, as ratios to something in the same run wherever that is possible.
//!
//! Not a test: it fails only when something does not work. Medians of many runs; the load of the machine stands
//! beside them, since figures of a busy one say little.

mod hook;
mod process;
mod relay;
mod sdk;
mod table;
mod tray;
mod window;

use process::World;
use table::Table;

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("sdk-relay") => return sdk::relay(&words[1..]),
        // The tray gives a window its options.
        Some("--surface-fd") => return window::pass(&words),
        _ => {}
    }
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let mut table = Table::default();
    let world = World::new()?;
    if wanted("hook") {
        hook::measure(&world, &mut table)?;
    }
    if wanted("relay") {
        relay::measure(&world, &mut table)?;
    }
    if wanted("tray") {
        tray::measure(&world, &mut table)?;
    }
    if wanted("window") {
        window::measure(&world, &mut table)?;
    }
    table.print();
    Ok(())
}
