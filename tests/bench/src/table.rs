//! The figures and what was aimed at.

use std::time::Duration;

#[derive(Default)]
pub struct Table(Vec<[String; 4]>);

impl Table {
    /// `holds` says whether the goal is reached.
    pub fn row(&mut self, what: &str, measured: String, goal: &str, holds: bool) {
        let verdict = if holds { "yes" } else { "no" };
        eprintln!("{what}: {measured} (goal {goal}: {verdict})");
        self.0.push([
            what.to_owned(),
            measured,
            goal.to_owned(),
            verdict.to_owned(),
        ]);
    }

    pub fn missing(&mut self, what: &str, why: &str) {
        self.0.push([
            what.to_owned(),
            format!("not measured: {why}"),
            String::new(),
            String::new(),
        ]);
    }

    pub fn print(&self) {
        let head = ["what", "measured", "goal", "reached"].map(str::to_owned);
        let width = |at: usize| {
            self.0
                .iter()
                .chain([&head])
                .map(|row| row[at].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let rule = widths.map(|width| "-".repeat(width));
        println!("load {}", load());
        for row in [&head, &rule].into_iter().chain(&self.0) {
            let cells: Vec<String> = row
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            println!("| {} |", cells.join(" | "));
        }
    }
}

/// Of the last minutes, from the system.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
