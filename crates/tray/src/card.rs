//! What the tray and the notifications need to know of a request, and which of its options may be
//! answered outside the window.
//!
//! Both surfaces show little of a request, so only an ordinary one-time answer to a request without
//! anything unusual may be given there.

use doorward_broker::Handle;
use serde::Deserialize;

/// Marks that only inform; every other mark, also one that is not known here, needs the window.
const INFORMING: [&str; 2] = ["network", "secret"];

#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Choice {
    pub id: String,
    pub name: String,
    pub kind: String,
    #[serde(default)]
    pub lasts: bool,
    #[serde(default)]
    pub elevates: bool,
}

impl Choice {
    fn once(&self) -> bool {
        matches!(self.kind.as_str(), "allow_once" | "reject_once") && !self.lasts && !self.elevates
    }
}

#[derive(Deserialize)]
struct Row {
    id: u32,
    revision: u32,
    agent: String,
    heading: String,
    fact: String,
    #[serde(rename = "arrivedMs")]
    arrived_ms: u64,
    #[serde(default)]
    marks: Vec<String>,
    ended: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Rest {
    #[serde(default)]
    options: Vec<Choice>,
    plan: Option<serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: u32,
    pub revision: u32,
    pub agent: String,
    pub heading: String,
    pub fact: String,
    pub marks: Vec<String>,
    pub options: Vec<Choice>,
    pub plan: bool,
}

impl Card {
    pub fn secret(&self) -> bool {
        self.marks.iter().any(|mark| mark == "secret")
    }

    /// Nothing about the request asks for a closer look.
    pub fn plain(&self) -> bool {
        !self.plan
            && self
                .marks
                .iter()
                .all(|mark| INFORMING.contains(&mark.as_str()))
    }

    /// Whether this option may be chosen without the window. Nobody can allow what they cannot read
    /// whole; to reject it is safe.
    pub fn answers(&self, choice: &Choice) -> bool {
        let readable = choice.kind == "reject_once" || fits(&self.fact);
        self.plain() && choice.once() && readable
    }

    /// The one way to say no, if the request has exactly one and no mark at all.
    pub fn only_reject(&self) -> Option<&Choice> {
        if self.plan || !self.marks.is_empty() {
            return None;
        }
        let mut rejects = self
            .options
            .iter()
            .filter(|choice| choice.kind == "reject_once");
        let first = rejects.next()?;
        (rejects.next().is_none() && first.once()).then_some(first)
    }
}

/// The pending requests, oldest first, and how many there are beyond `limit`.
pub async fn pending(handle: &Handle, limit: usize) -> (Vec<Card>, usize) {
    let rows = waiting(handle).await;
    let beyond = rows.len().saturating_sub(limit);
    (cards(handle, rows.into_iter().take(limit)).await, beyond)
}

/// Those of `ids` that still wait, oldest first.
pub async fn among(handle: &Handle, ids: &[u32]) -> Vec<Card> {
    let rows = waiting(handle).await;
    cards(handle, rows.into_iter().filter(|row| ids.contains(&row.id))).await
}

async fn waiting(handle: &Handle) -> Vec<Row> {
    let rows = handle.snapshot().await;
    let mut rows: Vec<Row> = rows.iter().filter_map(read).collect();
    rows.retain(|row| row.ended.is_none());
    rows.sort_by_key(|row| (row.arrived_ms, row.id));
    rows
}

async fn cards(handle: &Handle, rows: impl Iterator<Item = Row>) -> Vec<Card> {
    let mut cards = Vec::new();
    for row in rows {
        // The row was read first: a change in between makes a choice stale, never wrong.
        let Some(detail) = handle.detail(row.id).await else {
            continue;
        };
        let Some(rest) = read::<_, Rest>(&detail) else {
            continue;
        };
        cards.push(Card {
            id: row.id,
            revision: row.revision,
            agent: row.agent,
            heading: row.heading,
            fact: row.fact,
            marks: row.marks,
            options: rest.options,
            plan: rest.plan.is_some_and(|plan| !plan.is_null()),
        });
    }
    cards
}

/// Surfaces read the same JSON that the window reads, so that one description serves all.
fn read<T: serde::Serialize, U: serde::de::DeserializeOwned>(value: &T) -> Option<U> {
    let value = serde_json::to_value(value).ok()?;
    serde_json::from_value(value)
        .inspect_err(|error| tracing::warn!(%error, "a request could not be read"))
        .ok()
}

/// Characters of a request's fact that the menu and a notification show.
pub const FACT: usize = 120;

fn fits(fact: &str) -> bool {
    !fact.trim().is_empty() && fact.chars().count() <= FACT && !fact.contains(char::is_control)
}

/// At most `most` characters, with an ellipsis where something was cut, on one line.
pub fn cut(text: &str, most: usize) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn choice(id: &str, kind: &str) -> Choice {
        Choice {
            id: id.into(),
            name: id.into(),
            kind: kind.into(),
            lasts: false,
            elevates: false,
        }
    }

    pub fn card() -> Card {
        Card {
            id: 7,
            revision: 2,
            agent: "Agent".into(),
            heading: "Run a & b".into(),
            fact: "a & b".into(),
            marks: Vec::new(),
            options: vec![
                choice("yes", "allow_once"),
                choice("always", "allow_always"),
                choice("no", "reject_once"),
            ],
            plan: false,
        }
    }

    #[test]
    fn only_ordinary_one_time_options_answer() {
        let card = card();
        let answers: Vec<bool> = card
            .options
            .iter()
            .map(|choice| card.answers(choice))
            .collect();
        assert_eq!(answers, [true, false, true]);
        let mut lasting = choice("x", "allow_once");
        lasting.lasts = true;
        assert!(!card.answers(&lasting));
    }

    #[test]
    fn what_is_cut_is_not_allowed_unseen() {
        let mut card = card();
        for fact in ["x".repeat(FACT + 1), "a\nb".into(), " ".into()] {
            card.fact = fact;
            let answers: Vec<bool> = card
                .options
                .iter()
                .map(|choice| card.answers(choice))
                .collect();
            assert_eq!(answers, [false, false, true]);
        }
    }

    #[test]
    fn marks_keep_the_fast_paths_off() {
        for (mark, plain, reject) in [
            ("network", true, false),
            ("secret", true, false),
            ("outside", false, false),
            ("a-later-mark", false, false),
        ] {
            let mut card = card();
            card.marks = vec![mark.into()];
            assert_eq!(card.plain(), plain, "{mark}");
            assert_eq!(card.only_reject().is_some(), reject, "{mark}");
        }
        assert!(card().only_reject().is_some());
    }

    #[test]
    fn two_rejects_are_no_button() {
        let mut card = card();
        card.options.push(choice("never", "reject_once"));
        assert!(card.only_reject().is_none());
    }

    #[test]
    fn cut_counts_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(cut("a\nb", 9), "a b");
    }
}
