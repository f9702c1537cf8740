//! The domain: permission requests, their options, the queue, and what a person sees.
//!
//! Pure and synchronous: no I/O, no clock, no thread, no log. Times, file content and peers arrive
//! with events. An agent's wire format is not known here (`protocols`), nor any surface.

pub mod diff;
pub mod marks;
pub mod plan;
pub mod question;
pub mod queue;
pub mod request;
pub mod shown;
pub mod simulate;
pub mod view;
pub mod visible;
