//! The words of a notification.

use crate::card::{Card, FACT, cut};

#[derive(Debug, PartialEq)]
pub struct Note {
    pub summary: String,
    pub body: String,
    /// The option that *Reject* stands for.
    pub reject: Option<String>,
}

impl Note {
    /// `markup`: the daemon reads the body as markup. `watched`: others may see the screen.
    pub fn of(cards: &[Card], markup: bool, watched: bool) -> Self {
        let [card] = cards else {
            let mut agents: Vec<&str> = cards.iter().map(|card| card.agent.as_str()).collect();
            agents.dedup();
            return Self {
                summary: format!("{} requests wait", cards.len()),
                body: escape(&cut(&agents.join(", "), FACT), markup),
                reject: None,
            };
        };
        let agent = cut(&card.agent, 40);
        if watched || card.secret() {
            return Self {
                summary: format!("{agent} asks for a decision"),
                body: String::new(),
                reject: None,
            };
        }
        Self {
            summary: format!("{agent} asks: {}", cut(&card.heading, 80)),
            body: escape(&cut(&card.fact, FACT), markup),
            reject: card.only_reject().map(|choice| choice.id.clone()),
        }
    }
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

    #[test]
    fn one_request_is_named() {
        let note = Note::of(&[card()], true, false);
        assert_eq!(note.summary, "Agent asks: Run a & b");
        assert_eq!(note.body, "a &amp; b");
        assert_eq!(note.reject.as_deref(), Some("no"));
        assert_eq!(Note::of(&[card()], false, false).body, "a & b");
    }

    #[test]
    fn a_secret_is_not_told() {
        let mut card = card();
        card.marks = vec!["secret".into()];
        let note = Note::of(&[card], true, false);
        assert_eq!(note.summary, "Agent asks for a decision");
        assert_eq!((note.body.as_str(), note.reject), ("", None));
    }

    #[test]
    fn a_watched_screen_shows_names_only() {
        let note = Note::of(&[card()], true, true);
        assert_eq!(note.summary, "Agent asks for a decision");
        assert_eq!((note.body.as_str(), note.reject), ("", None));
    }

    #[test]
    fn several_requests_are_one_notification() {
        let note = Note::of(&[card(), card()], true, false);
        assert_eq!(note.summary, "2 requests wait");
        assert_eq!((note.body.as_str(), note.reject), ("Agent", None));
    }
}
