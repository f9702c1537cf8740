//! One request in the queue, and how it has been looked at.

use super::{Ended, Millis, Now};
use crate::request::{FileChange, PermissionRequest};
use crate::shown::{FileView, Prepared, Shown};
use crate::simulate::{Operation, Text};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub request: PermissionRequest,
    pub shown: Shown,
    pub revision: u32,
    /// On the wall.
    pub arrived: Millis,
    /// In steady time, as all that follows.
    pub came: Millis,
    pub changed: Millis,
    /// Since when the window shows this revision undisturbed.
    pub(super) painted: Option<Millis>,
    pub opened: BTreeSet<String>,
    pub draft: Option<String>,
    pub version: Option<Version>,
    /// The plan that the same session asked about before.
    pub previous_plan: Option<String>,
    /// The digest of the operation that went back instead of the one asked for.
    pub amended: Option<u64>,
    pub ended: Option<Ended>,
}

impl Entry {
    pub fn new(prepared: Prepared, now: impl Into<Now>) -> Self {
        let now = now.into();
        let (request, shown) = prepared.into_parts();
        Self {
            request,
            shown,
            revision: 1,
            arrived: now.wall,
            came: now.steady,
            changed: now.steady,
            painted: None,
            opened: BTreeSet::new(),
            draft: None,
            version: None,
            previous_plan: None,
            amended: None,
            ended: None,
        }
    }

    /// When nobody waits for an answer any more.
    pub fn deadline(&self) -> Option<Millis> {
        self.request
            .patience
            .map(|patience| self.arrived.saturating_add(patience))
    }

    /// Whatever a person looked at before is not what stands there now.
    pub(super) fn revise(&mut self, now: Millis) {
        self.revision += 1;
        self.changed = now;
        self.opened.clear();
        self.painted = None;
    }

    /// The one file whose text may go back changed.
    pub fn amendable(&self) -> Option<&FileChange> {
        match self.request.files.as_slice() {
            [file] if self.request.affordances.amend => Some(file),
            _ => None,
        }
    }

    /// Whether that changed anything.
    pub(super) fn set_version(&mut self, bytes: Option<Vec<u8>>) -> bool {
        let before = self.version.take();
        self.version = bytes.and_then(|bytes| Some(Version::new(self.amendable()?, bytes)));
        self.version != before
    }

    /// `text` in the encoding that the file has after the change.
    pub fn encoded(&self, text: &str) -> Option<Vec<u8>> {
        let after = self.amendable()?.outcome()?.ok()?;
        Some(Text::read(&after).ok()?.with(text.to_owned()).bytes())
    }

    /// The file's name and what an editor starts from: the person's version, or the agent's.
    pub fn to_edit(&self) -> Option<(String, Vec<u8>)> {
        let file = self.amendable()?;
        let bytes = match &self.version {
            Some(version) => version.bytes().to_vec(),
            None => file.outcome()?.ok()?,
        };
        Some((file.path.clone(), bytes))
    }

    /// The input that leaves `text` on disk.
    pub(super) fn amendment(&self, text: &str) -> Option<Operation> {
        self.amendable()?.amended(&self.encoded(text)?)?.ok()
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

/// The person's version of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    bytes: Vec<u8>,
    /// From the file on disk to this version.
    pub file: FileView,
    /// Why it cannot go back; none where it can.
    pub cannot_send: Option<String>,
}

impl Version {
    fn new(file: &FileChange, bytes: Vec<u8>) -> Self {
        let cannot_send = match file.amended(&bytes) {
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(why.to_string()),
            None => Some("The file on disk is not known here.".to_owned()),
        };
        Self {
            file: FileView::of_version(file, &bytes),
            cannot_send,
            bytes,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
