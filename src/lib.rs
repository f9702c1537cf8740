//! The cross-crate tests live in `tests/`.
