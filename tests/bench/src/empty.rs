//! What it costs to start and end a process.

fn main() {}
