//! The tray's loop: requests come and go, a person clicks, and the menu follows.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Result;
use doorward_broker::{Decide, Handle, Push};
use doorward_core::queue::Surface;
use tokio::signal::unix::Signal;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use tray_icon::menu::MenuEvent;
use tray_icon::{MouseButton, TrayIconEvent};

use crate::card;
use crate::icon::Tray;
use crate::menu::{Clicked, MOST, Model};
use crate::window::Opener;

/// Several arrivals in a row are one rebuild.
const SETTLE: Duration = Duration::from_millis(50);
/// A menu that has just changed under the pointer answers nothing.
const PROTECT: Duration = Duration::from_millis(500);
/// At the start the icon needs a moment; no window opens in its place before.
const START: Duration = Duration::from_secs(1);

pub struct App {
    handle: Handle,
    window: Opener,
    model: Model,
    tray: Tray,
    standing: UnboundedReceiver<bool>,
    /// Whether the icon stands in a tray.
    stands: bool,
    drawn: Option<Model>,
    started: Instant,
    /// When the window opens in place of an icon.
    instead: Option<Instant>,
    /// Requests that were answered in the menu and not yet settled.
    answered: HashSet<u32>,
}

enum Event {
    Push(Push),
    Menu(String, Instant),
    Activated,
    Rebuild,
    Standing(bool),
    Instead,
    Stop,
}

impl App {
    /// `decides`: an ordinary option answers in the menu.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(handle: Handle, window: Opener, decides: bool) -> Result<Self> {
        let (sender, standing) = unbounded_channel();
        Ok(Self {
            handle,
            window,
            model: Model {
                decides,
                ..Model::default()
            },
            tray: Tray::start(sender)?,
            standing,
            stands: false,
            drawn: None,
            started: Instant::now(),
            instead: None,
            answered: HashSet::new(),
        })
    }

    /// Runs until somebody quits.
    pub async fn run(mut self, mut pushes: UnboundedReceiver<Push>, mut stops: [Signal; 2]) {
        let (mut menu, mut activated) = desktop_events();
        let mut rebuild = Some(Instant::now());
        let [terminate, interrupt] = &mut stops;
        loop {
            let event = tokio::select! {
                push = pushes.recv() => push.map_or(Event::Stop, Event::Push),
                Some((id, at)) = menu.recv() => Event::Menu(id, at),
                Some(()) = activated.recv() => Event::Activated,
                () = at(rebuild) => Event::Rebuild,
                Some(stands) = self.standing.recv() => Event::Standing(stands),
                () = at(self.instead) => Event::Instead,
                _ = terminate.recv() => Event::Stop,
                _ = interrupt.recv() => Event::Stop,
            };
            match event {
                Event::Push(push) => {
                    if self.pushed(push) && rebuild.is_none() {
                        rebuild = Some(Instant::now() + SETTLE);
                    }
                }
                Event::Menu(id, at) => match Clicked::parse(&id) {
                    Some(Clicked::Quit) => return,
                    Some(Clicked::Pause(paused)) => {
                        self.handle.set_paused(paused);
                        self.model.paused = paused;
                        self.draw();
                    }
                    Some(clicked) => self.clicked(clicked, at),
                    None => {}
                },
                Event::Activated => self.window.open(self.oldest(), true),
                Event::Rebuild => {
                    rebuild = None;
                    self.rebuild().await;
                }
                Event::Standing(stands) => self.stands = stands,
                Event::Instead => self.open_instead().await,
                Event::Stop => return,
            }
        }
    }

    /// Whether the menu may have to follow.
    fn pushed(&mut self, push: Push) -> bool {
        match push {
            Push::Arrived { .. } | Push::Changed { .. } => true,
            Push::Settled { id, .. } => {
                self.answered.remove(&id);
                true
            }
            Push::Refused { id, .. } => {
                if self.answered.remove(&id) {
                    self.window.open(Some(id), true);
                }
                false
            }
            Push::Show { id } => {
                self.window.open(id.or_else(|| self.oldest()), false);
                false
            }
            Push::Alert { .. } => {
                self.instead = Some(Instant::now().max(self.started + START));
                false
            }
        }
    }

    /// On a desktop without a tray a request opens the window.
    async fn open_instead(&mut self) {
        self.instead = None;
        if !self.stands && !card::pending(&self.handle, 1).await.0.is_empty() {
            // At no request in particular: one that is being read must stay.
            self.window.open(None, false);
        }
    }

    async fn rebuild(&mut self) {
        let (cards, beyond) = card::pending(&self.handle, MOST).await;
        self.model.cards = cards;
        self.model.beyond = beyond;
        self.draw();
    }

    fn draw(&mut self) {
        if self.drawn.as_ref() != Some(&self.model) {
            self.drawn = Some(self.model.clone());
            self.tray.show(self.model.clone());
        }
    }

    fn oldest(&self) -> Option<u32> {
        self.model.cards.first().map(|card| card.id)
    }

    /// `at`: when the person clicked, however late the loop hears of it.
    fn clicked(&mut self, clicked: Clicked, at: Instant) {
        if clicked.decides() && at.saturating_duration_since(self.tray.changed()) < PROTECT {
            return;
        }
        match clicked {
            Clicked::Answer {
                id,
                revision,
                option,
            } => {
                let card = self
                    .model
                    .cards
                    .iter()
                    .find(|card| (card.id, card.revision) == (id, revision));
                let choice = card.and_then(|card| {
                    let choice = card.options.get(option)?;
                    self.model.answers(card, choice).then(|| choice.id.clone())
                });
                match choice {
                    Some(option) => {
                        self.answered.insert(id);
                        let decide = Decide {
                            id,
                            revision,
                            option,
                            feedback: None,
                            amendment: None,
                            answers: None,
                        };
                        self.handle.decide(decide, Surface::Tray);
                    }
                    None => self.window.open(Some(id), true),
                }
            }
            Clicked::AskThere { id } => self.handle.abstain(id),
            Clicked::Review { id } => self.window.open(Some(id), true),
            Clicked::Open => self.window.open(self.oldest(), true),
            Clicked::Pause(_) | Clicked::Quit => {}
        }
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// The tray's own threads call back; the loop hears of it here.
fn desktop_events() -> (UnboundedReceiver<(String, Instant)>, UnboundedReceiver<()>) {
    let (menu_sender, menu) = unbounded_channel();
    MenuEvent::set_event_handler(Some(move |event: MenuEvent| {
        let _ = menu_sender.send((event.id.0, Instant::now()));
    }));
    let (sender, activated) = unbounded_channel();
    TrayIconEvent::set_event_handler(Some(move |event| {
        if let TrayIconEvent::Click {
            button: MouseButton::Left,
            ..
        } = event
        {
            let _ = sender.send(());
        }
    }));
    (menu, activated)
}
