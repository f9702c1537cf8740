//! The tray's loop: requests come and go, a person clicks, and the menu follows.

use std::collections::HashSet;
use std::time::Duration;

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
/// How often a desktop without a tray is asked again.
const RETRY: Duration = Duration::from_secs(2);

pub struct App {
    handle: Handle,
    window: Opener,
    model: Model,
    tray: Option<Tray>,
    rebuilt: Instant,
    /// That there is no tray was said once; it is tried for as long as it takes.
    told: bool,
    /// Requests that were answered in the menu and not yet settled.
    answered: HashSet<u32>,
}

enum Event {
    Push(Push),
    Menu(String),
    Activated,
    Rebuild,
    Retry,
    Stop,
}

impl App {
    pub fn new(handle: Handle, window: Opener) -> Self {
        Self {
            handle,
            window,
            model: Model::default(),
            tray: None,
            rebuilt: Instant::now(),
            told: false,
            answered: HashSet::new(),
        }
    }

    /// Runs until somebody quits.
    pub async fn run(mut self, mut stops: [Signal; 2]) {
        let mut pushes = self.handle.subscribe(Surface::Tray);
        let (mut menu, mut activated) = desktop_events();
        let mut rebuild = Some(Instant::now());
        let mut retry = None;
        let [terminate, interrupt] = &mut stops;
        loop {
            let event = tokio::select! {
                push = pushes.recv() => push.map_or(Event::Stop, Event::Push),
                Some(id) = menu.recv() => Event::Menu(id),
                Some(()) = activated.recv() => Event::Activated,
                () = at(rebuild) => Event::Rebuild,
                () = at(retry) => Event::Retry,
                _ = terminate.recv() => Event::Stop,
                _ = interrupt.recv() => Event::Stop,
            };
            match event {
                Event::Push(push) => {
                    if self.pushed(push) && rebuild.is_none() {
                        rebuild = Some(Instant::now() + SETTLE);
                    }
                }
                Event::Menu(id) => match Clicked::parse(&id) {
                    Some(Clicked::Quit) => return,
                    Some(Clicked::Pause(paused)) => {
                        self.handle.set_paused(paused);
                        self.model.paused = paused;
                        self.draw();
                    }
                    Some(clicked) => self.clicked(clicked),
                    None => {}
                },
                Event::Activated => self.window.open(self.oldest(), true),
                Event::Rebuild => {
                    rebuild = None;
                    self.rebuild().await;
                }
                Event::Retry => {
                    retry = None;
                    self.draw();
                }
                Event::Stop => return,
            }
            if self.tray.is_none() && retry.is_none() {
                retry = Some(Instant::now() + RETRY);
            }
        }
    }

    /// Whether the menu may have to follow.
    fn pushed(&mut self, push: Push) -> bool {
        match push {
            Push::Arrived { .. } => {
                if self.tray.is_none() {
                    // At no request in particular: one that is being read must stay.
                    self.window.open(None, false);
                }
                true
            }
            Push::Changed { .. } => true,
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
            Push::Alert { .. } => false,
        }
    }

    async fn rebuild(&mut self) {
        let (cards, beyond) = card::pending(&self.handle, MOST).await;
        let model = Model {
            cards,
            beyond,
            paused: self.model.paused,
        };
        if model != self.model || self.tray.is_none() {
            self.model = model;
            self.draw();
        }
    }

    fn draw(&mut self) {
        let drawn = match &self.tray {
            Some(tray) => tray.show(&self.model),
            None => Tray::new(&self.model).map(|tray| self.tray = Some(tray)),
        };
        self.rebuilt = Instant::now();
        if let Err(error) = drawn
            && !std::mem::replace(&mut self.told, true)
        {
            tracing::info!(error = format!("{error:#}"), "no tray");
        }
    }

    fn oldest(&self) -> Option<u32> {
        self.model.cards.first().map(|card| card.id)
    }

    fn clicked(&mut self, clicked: Clicked) {
        if clicked.decides() && self.rebuilt.elapsed() < PROTECT {
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
                    card.answers(choice).then(|| choice.id.clone())
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
fn desktop_events() -> (UnboundedReceiver<String>, UnboundedReceiver<()>) {
    let (menu_sender, menu) = unbounded_channel();
    MenuEvent::set_event_handler(Some(move |event: MenuEvent| {
        let _ = menu_sender.send(event.id.0);
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
