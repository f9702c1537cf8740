//! The queue as a value: `apply(event, now)` returns what to do, and nothing else happens here.
//!
//! No channels, no waiters: those live in the broker, which performs the effects.

mod entry;

pub use entry::{Entry, Version};

use crate::question::Answers;
use crate::request::{Carried, Choice};
use crate::shown::Prepared;
use crate::simulate::Operation;
use serde::Serialize;
use std::collections::BTreeMap;

/// Milliseconds; of which clock, `Now` says.
pub type Millis = u64;

/// Given by the caller. Only steady time decides: the clock on the wall can be set.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Since the epoch, to be shown.
    pub wall: Millis,
    /// Since any moment, and never back.
    pub steady: Millis,
}

impl From<Millis> for Now {
    /// Where both clocks go alike.
    fn from(now: Millis) -> Self {
        Self {
            wall: now,
            steady: now,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RequestId(pub u32);

/// Where a decision was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    Tray,
    Notification,
    Window,
    Harness,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Selected(String),
    Cancelled,
    Abstained,
}

/// Why a request went back without a decision, or was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    Person,
    Deadline,
    Paused,
    ShuttingDown,
    NoSurface,
    Cancelled,
    Elsewhere,
    ConnectionLost,
    TurnEnded,
    Retired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum End {
    Answered,
    Withdrawn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Delivered {
    Pending,
    Yes,
    No,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct Ended {
    pub end: End,
    pub outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Whether the answer reached the agent; nothing where none was sent.
    pub delivered: Option<Delivered>,
    /// Whether the tool then ran, where the source tells.
    pub applied: Option<bool>,
    /// True where the person's version went back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amended: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    NotPending,
    NotOffered,
    NotAmendable,
    Stale,
    TooSoon,
    Locked,
    /// A question cannot go back with these answers: one that is required is missing, or one is wrong.
    Incomplete,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub id: RequestId,
    pub revision: u32,
    pub option: String,
    pub feedback: Option<String>,
    pub amendment: Option<String>,
    pub answers: Option<Answers>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Arrived(Box<Prepared>),
    /// The same ask with more known about it; its params are immutable.
    Updated(RequestId, Box<Prepared>),
    /// The window has drawn this revision; its protection time starts here.
    Painted(RequestId, u32),
    /// The window was moved, resized or raised: what was painted is protected anew.
    Disturbed,
    /// A new window shows nothing yet.
    WindowStarted,
    /// A person opened a fold of this revision.
    Opened(RequestId, u32, String),
    Drafted(RequestId, String),
    /// The person's version of the file after the change; none takes it back.
    Versioned(RequestId, Option<Vec<u8>>),
    Chosen(Decision, Surface),
    HandedBack(RequestId, Why),
    Withdrawn(RequestId, Why),
    Delivered(RequestId, Delivered),
    /// The decision lost the race at the one who holds the sink to the agent.
    LostRace(RequestId),
    Applied(RequestId, bool),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Announce(RequestId, u32),
    Changed(RequestId, u32),
    /// The only effect that answers an asker.
    Settle {
        id: RequestId,
        outcome: Outcome,
        carried: Carried,
        why: Option<Why>,
    },
    Ended(RequestId, Ended),
    Refuse(RequestId, Refusal, Surface),
}

#[derive(Debug, Clone, Default)]
pub struct Queue {
    last: u32,
    entries: BTreeMap<RequestId, Entry>,
}

/// How many settled requests stay visible.
const SETTLED_KEPT: usize = 200;
/// Bytes of a draft that are kept.
const DRAFT: usize = 64 << 10;

impl Queue {
    pub fn apply(&mut self, event: Event, now: impl Into<Now>) -> Vec<Effect> {
        let at = now.into();
        let now = at.steady;
        match event {
            Event::Arrived(request) => self.arrive(*request, at),
            Event::Updated(id, request) => self.update(id, *request, now),
            Event::Painted(id, revision) => self.look(id, revision, |entry| {
                entry.painted = Some(now);
            }),
            Event::Opened(id, revision, fold) => self.look(id, revision, |entry| {
                // What stood below has moved.
                entry.painted = entry.painted.map(|_| now);
                if entry.shown.folds.iter().any(|known| known.key == fold) {
                    entry.opened.insert(fold);
                }
            }),
            Event::Disturbed => self.repaint(|painted| painted.map(|_| now)),
            Event::WindowStarted => self.repaint(|_| None),
            Event::Drafted(id, draft) => self.draft(id, draft),
            Event::Versioned(id, version) => self.version(id, version, now),
            Event::Chosen(decision, surface) => match self.check(&decision, surface, now) {
                Ok(carried) => self.choose(decision, carried),
                Err(refusal) => vec![Effect::Refuse(decision.id, refusal, surface)],
            },
            Event::HandedBack(id, why) => self.hand_back(id, why),
            Event::Withdrawn(id, why) => self.withdraw(id, why),
            Event::Delivered(id, delivered) => self.note(id, |ended| {
                // Nothing was sent for a request that was handed back or withdrawn.
                if ended.delivered.is_some() {
                    ended.delivered = Some(delivered);
                }
            }),
            Event::LostRace(id) => self.note(id, |ended| {
                if ended.delivered.is_some() {
                    ended.delivered = Some(Delivered::No);
                    ended.why = Some(Why::Elsewhere);
                }
            }),
            Event::Applied(id, applied) => self.note(id, |ended| ended.applied = Some(applied)),
        }
    }

    pub fn entry(&self, id: RequestId) -> Option<&Entry> {
        self.entries.get(&id)
    }

    /// All entries, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = (RequestId, &Entry)> {
        self.entries.iter().map(|(id, entry)| (*id, entry))
    }

    pub fn pending(&self) -> impl Iterator<Item = (RequestId, &Entry)> {
        self.entries().filter(|(_, entry)| entry.ended.is_none())
    }

    fn arrive(&mut self, prepared: Prepared, now: Now) -> Vec<Effect> {
        self.last += 1;
        let id = RequestId(self.last);
        let mut entry = Entry::new(prepared, now);
        if entry.request.plan.is_some() {
            entry.previous_plan = self.last_plan(&entry.request.session.id);
        }
        self.entries.insert(id, entry);
        let settled: Vec<_> = self
            .entries()
            .filter(|(_, e)| e.ended.is_some())
            .map(|(id, _)| id)
            .collect();
        for old in settled
            .iter()
            .take(settled.len().saturating_sub(SETTLED_KEPT))
        {
            self.entries.remove(old);
        }
        vec![Effect::Announce(id, 1)]
    }

    fn last_plan(&self, session: &str) -> Option<String> {
        let mut newest_first = self.entries.values().rev();
        newest_first.find_map(|entry| {
            let same = entry.request.session.id == session;
            entry.request.plan.clone().filter(|_| same)
        })
    }

    fn update(&mut self, id: RequestId, prepared: Prepared, now: Millis) -> Vec<Effect> {
        match self.entries.get_mut(&id) {
            Some(entry) if entry.ended.is_none() && entry.request != *prepared.request() => {
                (entry.request, entry.shown) = prepared.into_parts();
                // The person's version stays; what it changes is another thing now.
                let version = entry.version.take().map(Version::into_bytes);
                entry.set_version(version);
                entry.revise(now);
                vec![Effect::Changed(id, entry.revision)]
            }
            _ => vec![],
        }
    }

    /// Notes how a revision is looked at; of another revision it says nothing.
    fn look(&mut self, id: RequestId, revision: u32, note: impl FnOnce(&mut Entry)) -> Vec<Effect> {
        if let Some(entry) = self.entries.get_mut(&id)
            && entry.revision == revision
        {
            note(entry);
        }
        vec![]
    }

    fn repaint(&mut self, painted: impl Fn(Option<Millis>) -> Option<Millis>) -> Vec<Effect> {
        for entry in self.entries.values_mut() {
            entry.painted = painted(entry.painted);
        }
        vec![]
    }

    fn draft(&mut self, id: RequestId, mut draft: String) -> Vec<Effect> {
        if let Some(entry) = self.entries.get_mut(&id) {
            if let Some(question) = &entry.request.question {
                // Half a form is none: what is too long or is no form leaves the one before.
                let kept = question.draft(&draft).filter(|draft| draft.len() <= DRAFT);
                entry.draft = kept.or(entry.draft.take());
                return vec![];
            }
            if draft.len() > DRAFT {
                draft.truncate(draft.floor_char_boundary(DRAFT));
            }
            entry.draft = (!draft.is_empty()).then_some(draft);
        }
        vec![]
    }

    fn version(&mut self, id: RequestId, bytes: Option<Vec<u8>>, now: Millis) -> Vec<Effect> {
        let pending = self.entries.get_mut(&id);
        let Some(entry) = pending.filter(|entry| entry.ended.is_none()) else {
            return vec![];
        };
        if !entry.set_version(bytes) {
            return vec![];
        }
        entry.revise(now);
        vec![Effect::Changed(id, entry.revision)]
    }

    /// What goes back with the option, or why it does not.
    fn check(
        &self,
        decision: &Decision,
        surface: Surface,
        now: Millis,
    ) -> Result<Carried, Refusal> {
        let entry = self
            .entries
            .get(&decision.id)
            .filter(|entry| entry.ended.is_none())
            .ok_or(Refusal::NotPending)?;
        if entry.revision != decision.revision {
            return Err(Refusal::Stale);
        }
        let Some(choice) = entry.request.options.find(&decision.option) else {
            return Err(Refusal::NotOffered);
        };
        let amendment = match &decision.amendment {
            None => None,
            Some(_) if choice.kind.rejects() => return Err(Refusal::NotAmendable),
            Some(text) => Some(entry.amendment(text).ok_or(Refusal::NotAmendable)?),
        };
        let carried = Carried {
            feedback: decision.feedback.clone(),
            amendment,
            answers: answers(entry, choice, decision)?,
        };
        // Tests look at everything at once.
        if surface == Surface::Harness {
            return Ok(carried);
        }
        // The window is the only one that shows a form.
        let unseen = entry.request.question.is_some() && surface != Surface::Window;
        if unseen || (!choice.kind.rejects() && entry.folded()) {
            return Err(Refusal::Locked);
        }
        if surface == Surface::Window && entry.protected(now) {
            return Err(Refusal::TooSoon);
        }
        Ok(carried)
    }

    fn choose(&mut self, decision: Decision, carried: Carried) -> Vec<Effect> {
        if let Some(entry) = self.entries.get_mut(&decision.id) {
            entry.amended = carried.amendment.as_ref().map(Operation::digest);
        }
        let outcome = Outcome::Selected(decision.option);
        let ended = Ended {
            end: End::Answered,
            outcome: Some(outcome.clone()),
            by: Some("person"),
            why: None,
            delivered: Some(Delivered::Pending),
            applied: None,
            amended: carried.amendment.is_some().then_some(true),
        };
        let settle = Effect::Settle {
            id: decision.id,
            outcome,
            carried,
            why: None,
        };
        self.end(decision.id, ended, Some(settle))
    }

    fn hand_back(&mut self, id: RequestId, why: Why) -> Vec<Effect> {
        let ended = Ended {
            end: End::Answered,
            outcome: Some(Outcome::Abstained),
            by: None,
            why: Some(why),
            delivered: None,
            applied: None,
            amended: None,
        };
        let settle = Effect::Settle {
            id,
            outcome: Outcome::Abstained,
            carried: Carried::default(),
            why: Some(why),
        };
        self.end(id, ended, Some(settle))
    }

    fn withdraw(&mut self, id: RequestId, why: Why) -> Vec<Effect> {
        let ended = Ended {
            end: End::Withdrawn,
            outcome: None,
            by: None,
            why: Some(why),
            delivered: None,
            applied: None,
            amended: None,
        };
        // The protocol wants an answer after a cancel; everybody else has left or been answered.
        let settle = (why == Why::Cancelled).then_some(Effect::Settle {
            id,
            outcome: Outcome::Cancelled,
            carried: Carried::default(),
            why: Some(why),
        });
        self.end(id, ended, settle)
    }

    /// Settles once: whatever comes second finds the entry ended.
    fn end(&mut self, id: RequestId, ended: Ended, settle: Option<Effect>) -> Vec<Effect> {
        let Some(entry) = self
            .entries
            .get_mut(&id)
            .filter(|entry| entry.ended.is_none())
        else {
            return vec![];
        };
        entry.ended = Some(ended.clone());
        settle
            .into_iter()
            .chain([Effect::Ended(id, ended)])
            .collect()
    }

    fn note(&mut self, id: RequestId, write: impl FnOnce(&mut Ended)) -> Vec<Effect> {
        let Some(entry) = self.entries.get_mut(&id) else {
            return vec![];
        };
        let Some(ended) = entry.ended.as_mut() else {
            return vec![];
        };
        let before = ended.clone();
        write(ended);
        if *ended == before {
            return vec![];
        }
        entry.revision += 1;
        vec![Effect::Changed(id, entry.revision)]
    }
}

/// What goes back with a question's answer; nothing with anything else.
fn answers(
    entry: &Entry,
    choice: &Choice,
    decision: &Decision,
) -> Result<Option<Answers>, Refusal> {
    let Some(question) = &entry.request.question else {
        return match decision.answers {
            None => Ok(None),
            Some(_) => Err(Refusal::NotAmendable),
        };
    };
    if choice.kind.rejects() {
        return Ok(None);
    }
    let given = decision.answers.as_ref().ok_or(Refusal::Incomplete)?;
    let right = question.validate(given);
    right.map(Some).map_err(|_| Refusal::Incomplete)
}

#[cfg(test)]
mod tests;
