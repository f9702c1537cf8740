//! The icon in the tray, its tooltip and its menu.
//!
//! A desktop without a tray is ordinary: building the icon then fails at once, and is tried again. A
//! tray host that does not answer is not ordinary, and every call to it waits for it: so the icon has
//! a thread of its own, and nothing else ever waits for that.

use std::io::Cursor;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tray_icon::{Icon, TrayIcon, TrayIconBuilder};

use crate::menu::{self, Model};

const IDLE: &[u8] = include_bytes!("../icons/idle.png");
const PAUSED: &[u8] = include_bytes!("../icons/paused.png");
const WAITING: [&[u8]; 10] = [
    include_bytes!("../icons/waiting-1.png"),
    include_bytes!("../icons/waiting-2.png"),
    include_bytes!("../icons/waiting-3.png"),
    include_bytes!("../icons/waiting-4.png"),
    include_bytes!("../icons/waiting-5.png"),
    include_bytes!("../icons/waiting-6.png"),
    include_bytes!("../icons/waiting-7.png"),
    include_bytes!("../icons/waiting-8.png"),
    include_bytes!("../icons/waiting-9.png"),
    include_bytes!("../icons/waiting-9plus.png"),
];

/// How often a desktop without a tray is asked again.
const RETRY: Duration = Duration::from_secs(2);

/// The way to the icon's thread.
pub struct Tray {
    models: Sender<Model>,
    changed: Arc<Mutex<Instant>>,
}

impl Tray {
    /// Starts the thread. It says after each attempt whether the icon stands in a tray.
    pub fn start(standing: UnboundedSender<bool>) -> Result<Self> {
        let (models, wishes) = channel();
        let changed = Arc::new(Mutex::new(Instant::now()));
        let drawing = Arc::clone(&changed);
        std::thread::Builder::new()
            .name("tray".into())
            .spawn(move || {
                let drawing = Drawing {
                    icon: None,
                    changed: drawing,
                    told: false,
                };
                drawing.run(&wishes, &standing);
            })
            .context("starting the tray's thread")?;
        Ok(Self { models, changed })
    }

    pub fn show(&self, model: Model) {
        if self.models.send(model).is_err() {
            tracing::warn!("the tray's thread has ended");
        }
    }

    /// When the menu last changed, or began to.
    pub fn changed(&self) -> Instant {
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Drawing {
    icon: Option<TrayIcon>,
    changed: Arc<Mutex<Instant>>,
    /// That there is no tray was said once; it is tried for as long as it takes.
    told: bool,
}

impl Drawing {
    fn run(mut self, wishes: &Receiver<Model>, standing: &UnboundedSender<bool>) {
        let Ok(mut model) = wishes.recv() else { return };
        loop {
            // Only the newest counts.
            model = wishes.try_iter().last().unwrap_or(model);
            self.touch();
            if let Err(error) = self.draw(&model)
                && !std::mem::replace(&mut self.told, true)
            {
                tracing::info!(error = format!("{error:#}"), "no tray");
            }
            self.touch();
            if standing.send(self.icon.is_some()).is_err() {
                return;
            }
            let next = match self.icon {
                Some(_) => wishes.recv().map_err(RecvTimeoutError::from),
                None => wishes.recv_timeout(RETRY),
            };
            match next {
                Ok(next) => model = next,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn touch(&self) {
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn draw(&mut self, model: &Model) -> Result<()> {
        let Some(icon) = &self.icon else {
            let icon = TrayIconBuilder::new()
                .with_id("doorward")
                .with_title("Doorward")
                .with_tooltip(tooltip(model))
                .with_icon(picture(model)?)
                .with_menu(Box::new(menu::build(model)?))
                .build()?;
            self.icon = Some(icon);
            return Ok(());
        };
        icon.set_menu(Some(Box::new(menu::build(model)?)));
        icon.set_icon(Some(picture(model)?))?;
        icon.set_tooltip(Some(tooltip(model)))?;
        Ok(())
    }
}

fn tooltip(model: &Model) -> String {
    match (model.paused, model.waiting()) {
        (true, _) => "Paused: agents ask in their own place".into(),
        (false, 0) => "Nothing waits".into(),
        (false, 1) => "1 request waits".into(),
        (false, count) => format!("{count} requests wait"),
    }
}

fn picture(model: &Model) -> Result<Icon> {
    let bytes = match (model.paused, model.waiting()) {
        (true, _) => PAUSED,
        (false, 0) => IDLE,
        (false, count) => WAITING[count.min(WAITING.len()) - 1],
    };
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info()?;
    let size = reader
        .output_buffer_size()
        .context("an icon is too large")?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels)?;
    pixels.truncate(frame.buffer_size());
    Ok(Icon::from_rgba(pixels, frame.width, frame.height)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_rgba() {
        for waiting in 0..12 {
            for paused in [false, true] {
                let model = Model {
                    beyond: waiting,
                    paused,
                    ..Model::default()
                };
                assert!(picture(&model).is_ok(), "{waiting} {paused}");
            }
        }
    }

    #[test]
    fn the_tooltip_counts() {
        let model = |beyond| Model {
            beyond,
            ..Model::default()
        };
        assert_eq!(tooltip(&model(0)), "Nothing waits");
        assert_eq!(tooltip(&model(1)), "1 request waits");
        assert_eq!(tooltip(&model(3)), "3 requests wait");
    }
}
