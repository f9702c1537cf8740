//! Which request a connection means by its id, and what its reports and its end do to them.

use super::{Asker, HANDED_BACK, Loop};
use crate::connection::{Answer, error_line};
use doorward_core::queue::{Delivered, Event, Outcome, RequestId, Why};
use doorward_socket::frame;
use serde_json::json;

impl Loop {
    pub(super) fn find(&self, connection: u64, id: &str) -> Option<RequestId> {
        let same = |asker: &Asker| asker.connection == connection && frame::same_id(&asker.id, id);
        self.askers
            .iter()
            .find(|(_, asker)| same(asker))
            .map(|(id, _)| *id)
    }

    pub(super) fn pending(&self, id: RequestId) -> bool {
        self.queue
            .entry(id)
            .is_some_and(|entry| entry.ended.is_none())
    }

    pub(super) fn asked_by(&self, connection: u64) -> Vec<RequestId> {
        let mut ids: Vec<_> = self
            .askers
            .iter()
            .filter(|(_, asker)| asker.connection == connection)
            .map(|(id, _)| *id)
            .collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn withdraw(&mut self, connection: u64, id: &str, why: Why) {
        let Some(id) = self.find(connection, id) else {
            return;
        };
        if !self.pending(id) && why == Why::Elsewhere {
            return self.apply(Event::LostRace(id));
        }
        self.apply(Event::Withdrawn(id, why));
    }

    pub(super) fn withdraw_all(&mut self, ids: Vec<RequestId>, why: Why) {
        for id in ids {
            self.apply(Event::Withdrawn(id, why));
        }
    }

    pub(super) fn delivered(&mut self, connection: u64, id: &str) {
        if let Some(id) = self.find(connection, id) {
            self.apply(Event::Delivered(id, Delivered::Yes));
        }
    }

    pub(super) fn applied(&mut self, connection: u64, session: &str, call: &str, applied: bool) {
        for id in self.asked_by(connection) {
            let Some(entry) = self.queue.entry(id) else {
                continue;
            };
            let chosen = match entry
                .ended
                .as_ref()
                .and_then(|ended| ended.outcome.as_ref())
            {
                Some(Outcome::Selected(option)) => entry.request.options.find(option),
                _ => None,
            };
            let same = entry.request.session.id == session
                && entry.request.tool_call.id.as_deref() == Some(call);
            if same && chosen.is_some_and(|choice| !choice.kind.rejects()) {
                self.apply(Event::Applied(id, applied));
            }
        }
    }

    pub(super) fn lost(&mut self, connection: u64) {
        self.half_closed.remove(&connection);
        for id in self.asked_by(connection) {
            let undelivered = self
                .queue
                .entry(id)
                .and_then(|e| e.ended.as_ref())
                .map(|ended| ended.delivered);
            match undelivered {
                None => self.apply(Event::Withdrawn(id, Why::ConnectionLost)),
                Some(Some(Delivered::Pending)) => self.apply(Event::Delivered(id, Delivered::No)),
                Some(_) => {}
            }
            self.askers.remove(&id);
        }
    }

    /// A hook whose card is retired is let go: a "yes" in the terminal ends it by no signal.
    pub(super) fn hook_event(&mut self, event: Event) {
        let retired = match event {
            Event::Withdrawn(id, why) if self.pending(id) => Some((id, why)),
            _ => None,
        };
        self.apply(event);
        let Some((asker, why)) = retired.and_then(|(id, why)| Some((self.askers.get(&id)?, why)))
        else {
            return;
        };
        let reason = json!({ "reason": why });
        let line = error_line(&asker.id, HANDED_BACK, "handed back", reason);
        let answers = None;
        let _ = asker.answers.try_send(Answer { line, answers });
    }

    /// A half-closed connection ends with its last answer: no sender left, the writer stops.
    pub(super) fn release(&mut self, connection: u64) {
        let asked = self.asked_by(connection);
        if !self.half_closed.contains(&connection) || asked.iter().any(|id| self.pending(*id)) {
            return;
        }
        let undelivered = asked.iter().filter(|id| self.undelivered(**id));
        let undelivered: Vec<RequestId> = undelivered.copied().collect();
        // Who tells of deliveries cannot any more; of the others the writer tells.
        if undelivered.iter().any(|id| !self.askers[id].relay) {
            return;
        }
        for id in undelivered {
            self.apply(Event::Delivered(id, Delivered::No));
        }
        for id in asked {
            self.askers.remove(&id);
        }
    }

    fn undelivered(&self, id: RequestId) -> bool {
        let ended = self.queue.entry(id).and_then(|entry| entry.ended.as_ref());
        ended.is_some_and(|ended| ended.delivered == Some(Delivered::Pending))
    }
}
