//! The tray's menu: what it offers, and what a click on it means.
//!
//! A menu id names the request, its revision and the option's place, so a click on an older menu can
//! never answer another request or another state of the same one.

use anyhow::Result;
use tray_icon::menu::{Menu, MenuItem, PredefinedMenuItem, Submenu};

use crate::card::{Card, Choice, FACT, cut};

/// Requests that get a submenu of their own.
pub const MOST: usize = 12;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    pub cards: Vec<Card>,
    pub beyond: usize,
    pub paused: bool,
    /// A person may answer in the menu; otherwise every entry of a request opens the window.
    pub decides: bool,
}

impl Model {
    pub fn answers(&self, card: &Card, choice: &Choice) -> bool {
        self.decides && card.answers(choice)
    }

    pub fn waiting(&self) -> usize {
        self.cards.len() + self.beyond
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clicked {
    Answer {
        id: u32,
        revision: u32,
        option: usize,
    },
    AskThere {
        id: u32,
    },
    Review {
        id: u32,
    },
    Open,
    Pause(bool),
    Quit,
}

impl Clicked {
    fn name(self) -> String {
        match self {
            Self::Answer {
                id,
                revision,
                option,
            } => format!("answer:{id}:{revision}:{option}"),
            Self::AskThere { id } => format!("there:{id}"),
            Self::Review { id } => format!("review:{id}"),
            Self::Open => "open".into(),
            Self::Pause(true) => "pause".into(),
            Self::Pause(false) => "resume".into(),
            Self::Quit => "quit".into(),
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split(':');
        let verb = parts.next()?;
        let mut number = || parts.next()?.parse::<u32>().ok();
        match verb {
            "answer" => Some(Self::Answer {
                id: number()?,
                revision: number()?,
                option: usize::try_from(number()?).ok()?,
            }),
            "there" => Some(Self::AskThere { id: number()? }),
            "review" => Some(Self::Review { id: number()? }),
            "open" => Some(Self::Open),
            "pause" => Some(Self::Pause(true)),
            "resume" => Some(Self::Pause(false)),
            "quit" => Some(Self::Quit),
            _ => None,
        }
    }

    /// A click that ends a request, which a menu that has just changed must not give.
    pub fn decides(self) -> bool {
        matches!(self, Self::Answer { .. } | Self::AskThere { .. })
    }
}

/// The entries of one request, in the agent's order.
fn entries(model: &Model, card: &Card) -> Vec<(String, Clicked)> {
    let id = card.id;
    let mut entries = Vec::new();
    if card.plain() {
        for (option, choice) in card.options.iter().enumerate() {
            let name = cut(&choice.name, 60);
            if model.answers(card, choice) {
                entries.push((
                    name,
                    Clicked::Answer {
                        id,
                        revision: card.revision,
                        option,
                    },
                ));
            } else {
                entries.push((format!("{name}…"), Clicked::Review { id }));
            }
        }
    }
    entries.push(("Review…".into(), Clicked::Review { id }));
    if model.decides {
        entries.push(("Ask me there".into(), Clicked::AskThere { id }));
    }
    entries
}

/// Tells requests apart; many have the same heading.
fn title(card: &Card) -> String {
    let what = if card.fact.trim().is_empty() {
        &card.heading
    } else {
        &card.fact
    };
    format!("{}: {}", cut(&card.agent, 24), cut(what, 60))
}

pub fn build(model: &Model) -> Result<Menu> {
    let menu = Menu::new();
    for card in &model.cards {
        let submenu = Submenu::new(escape(&title(card)), true);
        // The whole fact, not to be clicked: an answer must stand below what it answers.
        submenu.append(&MenuItem::new(escape(&cut(&card.fact, FACT)), false, None))?;
        for (label, clicked) in entries(model, card) {
            submenu.append(&item(&label, clicked))?;
        }
        menu.append(&submenu)?;
    }
    if model.beyond > 0 {
        menu.append(&item(&format!("{} more…", model.beyond), Clicked::Open))?;
    }
    if model.waiting() > 0 {
        menu.append(&PredefinedMenuItem::separator())?;
    }
    menu.append(&item("Open", Clicked::Open))?;
    let pause = if model.paused { "Resume" } else { "Pause" };
    menu.append(&item(pause, Clicked::Pause(!model.paused)))?;
    menu.append(&item("Quit", Clicked::Quit))?;
    Ok(menu)
}

fn item(label: &str, clicked: Clicked) -> MenuItem {
    MenuItem::with_id(clicked.name(), escape(label), true, None)
}

/// `&` marks a mnemonic in a menu label.
fn escape(label: &str) -> String {
    label.replace('&', "&&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::tests::card;

    #[test]
    fn names_come_back() {
        for clicked in [
            Clicked::Answer {
                id: 1,
                revision: 2,
                option: 3,
            },
            Clicked::AskThere { id: 4 },
            Clicked::Review { id: 5 },
            Clicked::Open,
            Clicked::Pause(true),
            Clicked::Pause(false),
            Clicked::Quit,
        ] {
            assert_eq!(Clicked::parse(&clicked.name()), Some(clicked));
        }
        assert_eq!(Clicked::parse("answer:1"), None);
    }

    fn model(decides: bool) -> Model {
        Model {
            decides,
            ..Model::default()
        }
    }

    #[test]
    fn an_ordinary_request_shows_every_option() {
        let labels = |decides| -> Vec<String> {
            let entries = entries(&model(decides), &card());
            entries.into_iter().map(|(label, _)| label).collect()
        };
        let all = ["yes", "always…", "no", "Review…", "Ask me there"];
        assert_eq!(labels(true), all);
        assert_eq!(labels(false), ["yes…", "always…", "no…", "Review…"]);
    }

    #[test]
    fn a_marked_request_only_leads_to_the_window() {
        let mut card = card();
        card.marks = vec!["destructive".into()];
        let entries = entries(&model(true), &card);
        assert_eq!(entries[0], ("Review…".into(), Clicked::Review { id: 7 }));
        assert_eq!(
            entries[1],
            ("Ask me there".into(), Clicked::AskThere { id: 7 })
        );
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn labels_keep_their_ampersand() {
        assert_eq!(escape("a & b"), "a && b");
    }
}
