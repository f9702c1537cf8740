//! The local socket between the programs that agents start and the broker.
//!
//! Both sides need the same answers to three questions: where the socket is,
//! whether its place can be trusted, and what a frame looks like. They are here
//! so that there is one answer to each. No threads and no runtime live here.

pub mod client;
pub mod endpoint;
pub mod frame;
pub mod limits;
