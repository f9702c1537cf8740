//! The file changes of a request: looked at again before a decision, staged for an editor, and saved by it.

use super::*;
use crate::{disk, staging};
use doorward_core::view::Texts;
use std::io;

/// Editors write in several steps.
const SETTLED: Duration = Duration::from_millis(100);

impl Loop {
    /// An allow is about the file that was shown: what stands on disk now is looked at first.
    pub(super) fn decide(&mut self, decision: Decision, surface: Surface) {
        let id = decision.id;
        let allows = |entry: &Entry| {
            let choice = entry.request.options.find(&decision.option);
            choice.is_some_and(|choice| !choice.kind.rejects())
        };
        if self.queue.entry(id).is_some_and(allows)
            && self.look_again(id, Some((decision.clone(), surface)))
        {
            return;
        }
        self.apply(Event::Chosen(decision, surface));
    }

    /// Whether there is something to look at; the decision follows then.
    pub(super) fn look_again(&self, id: RequestId, then: Option<(Decision, Surface)>) -> bool {
        let pending = self.queue.entry(id).filter(|entry| entry.ended.is_none());
        let Some(request) = pending.map(|entry| entry.request.clone()) else {
            return false;
        };
        if request.files.iter().all(|file| file.found.is_none()) {
            return false;
        }
        let messages = self.messages.clone();
        tokio::spawn(async move {
            let request = disk::again(request).await.map(Box::new);
            let _ = messages.send(Message::LookedAgain(id, request, then));
        });
        true
    }

    pub(super) fn looked_again(
        &mut self,
        id: RequestId,
        changed: Option<Box<PermissionRequest>>,
        then: Option<(Decision, Surface)>,
    ) {
        if let Some(request) = changed {
            self.apply(Event::Updated(id, Box::new(Prepared::new(*request))));
        }
        if let Some((decision, surface)) = then {
            self.apply(Event::Chosen(decision, surface));
        }
    }

    pub(super) fn texts(&self, id: RequestId) -> Option<Texts> {
        view::texts(self.queue.entry(id)?)
    }

    /// The person's version, typed in the window.
    pub(super) fn version(&mut self, id: RequestId, text: Option<&str>) {
        let bytes = match text {
            None => None,
            Some(text) => match self.queue.entry(id).and_then(|entry| entry.encoded(text)) {
                None => return,
                bytes => bytes,
            },
        };
        self.apply(Event::Versioned(id, bytes));
    }

    pub(super) fn stage(&mut self, id: RequestId, answer: oneshot::Sender<io::Result<PathBuf>>) {
        if let Some(path) = self.staging.path(id) {
            let _ = answer.send(Ok(path.to_owned()));
            return;
        }
        let pending = self.queue.entry(id).filter(|entry| entry.ended.is_none());
        let Some((name, bytes)) = pending.and_then(Entry::to_edit) else {
            let _ = answer.send(Err(io::Error::other("there is nothing to edit")));
            return;
        };
        let (root, messages) = (self.staging.root(), self.messages.clone());
        tokio::task::spawn_blocking(move || {
            let staged = staging::write(&root, &name, &bytes);
            let _ = messages.send(Message::Staged(id, staged, answer));
        });
    }

    pub(super) fn staged(
        &mut self,
        id: RequestId,
        staged: io::Result<staging::Staged>,
        answer: oneshot::Sender<io::Result<PathBuf>>,
    ) {
        // It may have been settled meanwhile; then the folder goes with `staged`.
        let path = staged.and_then(|staged| match self.pending(id) {
            true => Ok(self.staging.keep(id, staged)),
            false => Err(io::Error::other("the request has ended")),
        });
        let _ = answer.send(path);
    }

    pub(super) fn touched(&mut self, path: &std::path::Path) {
        if let Some(id) = self.staging.touched(path)
            && self.touched.insert(id)
        {
            self.later(SETTLED, Message::Reread(id));
        }
    }

    pub(super) fn reread(&mut self, id: RequestId) {
        self.touched.remove(&id);
        let Some(path) = self.staging.path(id).map(std::path::Path::to_owned) else {
            return;
        };
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            let _ = messages.send(Message::Saved(id, staging::read(&path)));
        });
    }

    /// A save in the person's editor. The text as it was staged is no version of theirs.
    pub(super) fn saved(&mut self, id: RequestId, read: io::Result<Vec<u8>>) {
        match read {
            Ok(bytes) => {
                let entry = self.queue.entry(id);
                let as_staged = entry.is_some_and(|entry| {
                    entry.version.is_none() && entry.to_edit().is_some_and(|(_, now)| now == bytes)
                });
                if !as_staged {
                    self.apply(Event::Versioned(id, Some(bytes)));
                }
            }
            Err(error) => {
                tracing::warn!(id = id.0, kind = ?error.kind(), "a saved proposal was not taken");
            }
        }
    }
}
