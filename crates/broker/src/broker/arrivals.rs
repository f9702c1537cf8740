//! How a request comes into the queue, and who hears of it when.

use super::*;
use crate::connection::{Answer, error_line};
use doorward_socket::{frame, limits};

const TOO_MANY: i64 = -32011;

impl Loop {
    pub(super) fn ask(&mut self, ask: Ask) {
        let Ask {
            connection,
            id,
            nonce,
            incoming: Incoming { request, reply },
            answers,
            relay,
        } = ask;
        let refuse = |code, text: &str| {
            let _ = answers.try_send(Answer {
                line: error_line(&id, code, text, Value::Null),
                answers: None,
            });
        };
        if self
            .find(connection, &id)
            .is_some_and(|id| self.pending(id))
        {
            return refuse(frame::INVALID_REQUEST, "this id is pending");
        }
        let session = &request.session.id;
        let of_session = self
            .queue
            .pending()
            .filter(|(_, entry)| entry.request.session.id == *session)
            .count();
        if of_session >= limits::PENDING_SESSION || self.queue.pending().count() >= limits::PENDING
        {
            return refuse(TOO_MANY, "too many requests wait");
        }
        // A resubmission after a lost connection that we have not noticed yet.
        let twins = self
            .askers
            .iter()
            .filter(|(_, asker)| nonce.is_some() && asker.nonce == nonce);
        let twins = twins.map(|(id, _)| *id).collect();
        self.withdraw_all(twins, Why::ConnectionLost);
        let patience = request.patience;
        let prepared = Box::new(Prepared::new(request));
        let effects = self.queue.apply(Event::Arrived(prepared), self.now());
        if let Some(Effect::Announce(new, _)) = effects.first() {
            self.wait_at_most(*new, patience);
            // An id may be used again once its request was settled.
            self.askers.retain(|_, asker| {
                asker.connection != connection || !frame::same_id(&asker.id, &id)
            });
            let asker = Asker {
                connection,
                id,
                nonce,
                reply,
                answers,
                relay,
            };
            self.askers.insert(*new, asker);
        }
        self.perform(effects);
    }

    fn wait_at_most(&self, id: RequestId, patience: Option<Millis>) {
        let Some(patience) = patience else { return };
        self.later(Duration::from_millis(patience), Message::Deadline(id));
    }

    pub(super) fn later(&self, after: Duration, message: Message) {
        let messages = self.messages.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let _ = messages.send(message);
        });
    }

    pub(super) fn announce(&mut self, id: RequestId, revision: u32) {
        self.push(Push::Arrived { id: id.0, revision });
        if self.paused {
            return self.apply(Event::HandedBack(id, Why::Paused));
        }
        self.unannounced.push(id);
        self.later(Duration::from_millis(80), Message::Alert);
    }

    pub(super) fn alert(&mut self) {
        let arrived = std::mem::take(&mut self.unannounced);
        let now = self.now().steady;
        let young = |id: &RequestId| {
            self.queue
                .entry(*id)
                .is_some_and(|entry| now.saturating_sub(entry.came) < 75)
        };
        let (later, due): (Vec<_>, Vec<_>) = arrived.into_iter().partition(young);
        self.unannounced = later;
        let ids: Vec<u32> = due
            .into_iter()
            .filter(|id| self.pending(*id))
            .map(|id| id.0)
            .collect();
        if !ids.is_empty() {
            self.push(Push::Alert { ids });
        }
    }
}
