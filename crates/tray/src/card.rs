//! What the tray and the notifications need to know of a request, and which of its options may be
//! answered outside the window.
//!
//! Both surfaces show little of a request, so only an ordinary one-time answer to a request without
//! anything unusual may be given there.

use doorward_broker::Handle;
use serde::Deserialize;

/// Marks that only inform; every other mark, also one that is not known here, needs the window.
const INFORMING: [&str; 2] = ["network", "secret"];

/// How the tables of adapters say that a reject is only that.
const GOES_ON: &str = "The turn goes on.";

#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Choice {
    pub id: String,
    pub name: String,
    pub kind: String,
    /// What is known of it, by adapter.
    #[serde(default)]
    pub effect: Option<String>,
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
    project: Option<String>,
    heading: String,
    fact: String,
    #[serde(rename = "arrivedMs")]
    arrived_ms: u64,
    #[serde(default)]
    question: bool,
    #[serde(default)]
    marks: Vec<String>,
    ended: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Rest {
    #[serde(default)]
    options: Vec<Choice>,
    plan: Option<serde_json::Value>,
    /// The whole fact, where it is a text.
    fact: Option<String>,
    #[serde(default)]
    folds: Vec<serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: u32,
    pub revision: u32,
    pub agent: String,
    pub project: Option<String>,
    pub heading: String,
    pub fact: String,
    /// `fact` is all there is to see.
    pub whole: bool,
    pub marks: Vec<String>,
    pub options: Vec<Choice>,
    pub plan: bool,
    /// A form: it leads to the window, or back.
    pub question: bool,
}

impl Card {
    pub fn secret(&self) -> bool {
        self.marks.iter().any(|mark| mark == "secret")
    }

    /// Nothing about the request asks for a closer look.
    pub fn plain(&self) -> bool {
        !self.plan
            && !self.question
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

    /// The one way to say yes once, if the request has no mark and shows whole on one line.
    pub fn only_allow(&self) -> Option<&Choice> {
        if self.plan || self.question || !self.marks.is_empty() || !self.whole || !fits(&self.fact)
        {
            return None;
        }
        self.lone_allow()
    }

    /// The one-time allow, if there is exactly one.
    pub fn lone_allow(&self) -> Option<&Choice> {
        let kind = |choice: &&Choice| choice.kind == "allow_once";
        only(self.options.iter().filter(kind)).filter(|choice| choice.once())
    }

    /// The one way to say no that lets the turn go on: the one of which that is known, or the only
    /// one there is, of which nothing is known.
    pub fn only_reject(&self) -> Option<&Choice> {
        if self.plan || self.question {
            return None;
        }
        let rejects = || {
            let kinds = ["reject_once", "reject_always"];
            let options = self.options.iter();
            options.filter(move |choice| kinds.contains(&choice.kind.as_str()))
        };
        let known = only(rejects().filter(|choice| choice.effect.as_deref() == Some(GOES_ON)));
        known
            .or_else(|| only(rejects()).filter(|choice| choice.effect.is_none()))
            .filter(|choice| choice.once())
    }
}

fn only<T>(mut of: impl Iterator<Item = T>) -> Option<T> {
    let first = of.next()?;
    of.next().is_none().then_some(first)
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
            project: row.project,
            heading: row.heading,
            whole: rest.folds.is_empty() && rest.fact.as_ref() == Some(&row.fact),
            fact: row.fact,
            marks: row.marks,
            options: rest.options,
            question: row.question,
            plan: rest.plan.is_some_and(|plan| !plan.is_null()),
        });
    }
    cards
}

/// Surfaces read the same JSON that the window reads, so that one description serves all.
fn read<T: serde::Serialize, U: serde::de::DeserializeOwned>(value: &T) -> Option<U> {
    let value = serde_json::to_value(value).ok()?;
    serde_json::from_value(value)
        .inspect_err(
            |error| tracing::warn!(kind = ?error.classify(), "a request could not be read"),
        )
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
            effect: None,
            lasts: false,
            elevates: false,
        }
    }

    pub fn card() -> Card {
        Card {
            id: 7,
            revision: 2,
            agent: "Agent".into(),
            project: Some("a project".into()),
            heading: "Run a & b".into(),
            fact: "a & b".into(),
            whole: true,
            marks: Vec::new(),
            options: vec![
                choice("yes", "allow_once"),
                choice("always", "allow_always"),
                choice("no", "reject_once"),
            ],
            plan: false,
            question: false,
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
        for (mark, plain) in [
            ("network", true),
            ("secret", true),
            ("outside", false),
            ("a-later-mark", false),
        ] {
            let mut card = card();
            card.marks = vec![mark.into()];
            assert_eq!(card.plain(), plain, "{mark}");
        }
    }

    #[test]
    fn only_a_reject_that_lets_the_turn_go_on_is_a_button() {
        let stops = Some("Stops the turn; it waits for you.");
        let (goes_on, unknown) = (Some(GOES_ON), None);
        for (effects, button) in [
            (vec![unknown], Some(0)),
            (vec![goes_on], Some(0)),
            (vec![stops], None),
            (vec![stops, goes_on], Some(1)),
            (vec![unknown, goes_on], Some(1)),
            (vec![goes_on, goes_on], None),
            (vec![unknown, unknown], None),
            (vec![], None),
        ] {
            let mut card = card();
            let reject = |(number, effect): (usize, &Option<&str>)| Choice {
                effect: effect.map(Into::into),
                ..choice(&number.to_string(), "reject_once")
            };
            card.options = effects.iter().enumerate().map(reject).collect();
            let expected = button.map(|number: usize| card.options[number].clone());
            assert_eq!(card.only_reject().cloned(), expected, "{effects:?}");
        }
        let mut lasting = card();
        lasting.options[2].kind = "reject_always".into();
        assert!(lasting.only_reject().is_none());
        let mut plan = card();
        plan.plan = true;
        assert!(plan.only_reject().is_none());
    }

    #[test]
    fn only_what_is_read_whole_is_allowed_in_a_notification() {
        assert_eq!(
            card().only_allow().map(|choice| choice.id.as_str()),
            Some("yes")
        );
        for spoil in [
            |card: &mut Card| card.whole = false,
            |card: &mut Card| card.fact = "x".repeat(FACT + 1),
            |card: &mut Card| card.marks = vec!["network".into()],
            |card: &mut Card| card.options[0].lasts = true,
            |card: &mut Card| card.options[2].kind = "allow_once".into(),
        ] {
            let mut card = card();
            spoil(&mut card);
            assert!(card.only_allow().is_none(), "{card:?}");
        }
    }

    #[test]
    fn a_question_is_answered_nowhere_but_in_the_window() {
        let mut card = card();
        card.question = true;
        assert!(!card.options.iter().any(|choice| card.answers(choice)));
        assert!(card.only_allow().is_none() && card.only_reject().is_none() && !card.plain());
    }

    #[test]
    fn cut_counts_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(cut("a\nb", 9), "a b");
    }
}
