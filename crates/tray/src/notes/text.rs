//! The words of a notification.

use crate::card::{Card, Choice, FACT, cut};

/// What a notification may tell.
#[derive(Clone, Copy)]
pub struct Manner {
    /// The daemon reads the body as markup.
    pub markup: bool,
    /// Agent and project, and nothing of the request.
    pub names_only: bool,
    /// A one-time allow may be a button.
    pub allows: bool,
}

#[derive(Debug, PartialEq)]
pub struct Note {
    pub summary: String,
    pub body: String,
    /// The options that *Reject* and *Allow once* stand for.
    pub reject: Option<String>,
    pub allow: Option<String>,
}

impl Note {
    pub fn of(cards: &[Card], manner: Manner) -> Self {
        let [card] = cards else {
            return Self {
                summary: format!("{} requests wait", cards.len()),
                body: escape(&cut(&names(cards), FACT), manner.markup),
                reject: None,
                allow: None,
            };
        };
        let agent = cut(&card.agent, 40);
        if manner.names_only || card.secret() {
            let project = card.project.as_deref().unwrap_or_default();
            return Self {
                summary: format!("{agent} asks for a decision"),
                body: escape(&cut(project, FACT), manner.markup),
                reject: None,
                allow: None,
            };
        }
        let id = |choice: &Choice| choice.id.clone();
        let mut body = cut(&card.fact, FACT);
        if !card.marks.is_empty() {
            body = format!("Marked: {}\n{body}", card.marks.join(", "));
        }
        Self {
            summary: format!("{agent} asks: {}", cut(&card.heading, 80)),
            body: escape(&body, manner.markup),
            reject: card.only_reject().map(id),
            allow: card.only_allow().filter(|_| manner.allows).map(id),
        }
    }
}

/// Who waits, each name once with its count.
fn names(cards: &[Card]) -> String {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for card in cards {
        let name = card.project.as_deref().unwrap_or(&card.agent);
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => names.push((name, 1)),
        }
    }
    let named = |(name, count): (&str, usize)| format!("{name} {count}");
    names.into_iter().map(named).collect::<Vec<_>>().join(", ")
}

/// Daemons that read markup show a broken text raw, so nothing in it may look like markup.
fn escape(text: &str, markup: bool) -> String {
    if !markup {
        return text.to_owned();
    }
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::tests::card;

    const MANNER: Manner = Manner {
        markup: true,
        names_only: false,
        allows: false,
    };

    #[test]
    fn one_request_is_named() {
        let note = Note::of(&[card()], MANNER);
        assert_eq!(note.summary, "Agent asks: Run a & b");
        assert_eq!(note.body, "a &amp; b");
        assert_eq!(note.reject.as_deref(), Some("no"));
        let plain = Manner {
            markup: false,
            ..MANNER
        };
        assert_eq!(Note::of(&[card()], plain).body, "a & b");
    }

    #[test]
    fn marks_come_first() {
        let mut card = card();
        card.marks = vec!["destructive".into(), "outside".into()];
        let note = Note::of(&[card], MANNER);
        assert_eq!(note.body, "Marked: destructive, outside\na &amp; b");
        assert_eq!(note.reject.as_deref(), Some("no"));
    }

    #[test]
    fn a_secret_or_a_setting_leaves_names_only() {
        let mut secret = card();
        secret.marks = vec!["secret".into()];
        let watched = Manner {
            names_only: true,
            allows: true,
            ..MANNER
        };
        for note in [Note::of(&[secret], MANNER), Note::of(&[card()], watched)] {
            assert_eq!(note.summary, "Agent asks for a decision");
            assert_eq!(note.body, "a project");
            assert_eq!((note.reject, note.allow), (None, None));
        }
    }

    #[test]
    fn allow_is_a_button_only_where_it_was_set() {
        assert_eq!(Note::of(&[card()], MANNER).allow, None);
        let allows = Manner {
            allows: true,
            ..MANNER
        };
        assert_eq!(Note::of(&[card()], allows).allow.as_deref(), Some("yes"));
    }

    #[test]
    fn several_requests_are_one_notification() {
        let mut other = card();
        other.project = None;
        let note = Note::of(&[card(), other, card()], MANNER);
        assert_eq!(note.summary, "3 requests wait");
        assert_eq!(
            (note.body.as_str(), note.reject),
            ("a project 2, Agent 1", None)
        );
    }
}
