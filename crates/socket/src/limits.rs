//! Caps on what one connection may send. An agent that is confused or hostile gets an error at once, so its own
//! prompt takes over and nobody else's waits; without caps one frame could cost a hundred times its size in memory.

use std::time::Duration;

/// Most options one request may offer.
pub const OPTIONS: usize = 32;
/// Longest id (request, session, option) in bytes.
pub const ID_BYTES: usize = 1024;
/// Most connections at a time.
pub const CONNECTIONS: usize = 1024;
/// Most pending requests of one session.
pub const PENDING_SESSION: usize = 64;
/// Most pending requests in all.
pub const PENDING: usize = 512;
/// A frame must be whole this long after its first byte.
pub const FRAME_DEADLINE: Duration = Duration::from_secs(10);
/// More lines that are not JSON than this close the connection.
pub const GARBAGE_LINES: usize = 16;

/// What a single frame may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the line.
    pub frame: usize,
    /// Containers inside each other, the envelope included.
    pub depth: usize,
    /// JSON values in all.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame: 8 * 1024 * 1024,
            depth: 64,
            nodes: 100_000,
        }
    }
}
