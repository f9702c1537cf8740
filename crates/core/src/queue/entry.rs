//! One request in the queue, and how it has been looked at.

use super::{Ended, Millis};
use crate::request::PermissionRequest;
use crate::shown::{Prepared, Shown};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub request: PermissionRequest,
    pub shown: Shown,
    pub revision: u32,
    pub arrived: Millis,
    pub changed: Millis,
    /// Since when the window shows this revision undisturbed.
    pub(super) painted: Option<Millis>,
    pub opened: BTreeSet<String>,
    pub draft: Option<String>,
    pub ended: Option<Ended>,
}

impl Entry {
    pub fn new(prepared: Prepared, now: Millis) -> Self {
        let (request, shown) = prepared.into_parts();
        Self {
            request,
            shown,
            revision: 1,
            arrived: now,
            changed: now,
            painted: None,
            opened: BTreeSet::new(),
            draft: None,
            ended: None,
        }
    }

    /// When nobody waits for an answer any more.
    pub fn deadline(&self) -> Option<Millis> {
        self.request
            .patience
            .map(|patience| self.arrived.saturating_add(patience))
    }

    pub(super) fn folded(&self) -> bool {
        let mut folds = self.shown.folds.iter();
        folds.any(|fold| !self.opened.contains(&fold.key))
    }

    /// Whether input at the window may still have been meant for what stood there before.
    pub(super) fn protected(&self, now: Millis) -> bool {
        self.painted.is_none_or(|painted| {
            now.saturating_sub(painted.max(self.changed)) < crate::view::protection(&self.shown)
        })
    }
}
