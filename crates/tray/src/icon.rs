//! The icon in the tray, its tooltip and its menu.
//!
//! A desktop without a tray is ordinary: building the icon then fails at once, and the caller tries
//! again later.

use std::io::Cursor;

use anyhow::{Context as _, Result};
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

pub struct Tray(TrayIcon);

impl Tray {
    pub fn new(model: &Model) -> Result<Self> {
        let icon = TrayIconBuilder::new()
            .with_id("doorward")
            .with_title("Doorward")
            .with_tooltip(tooltip(model))
            .with_icon(picture(model)?)
            .with_menu(Box::new(menu::build(model)?))
            .build()?;
        Ok(Self(icon))
    }

    pub fn show(&self, model: &Model) -> Result<()> {
        self.0.set_menu(Some(Box::new(menu::build(model)?)));
        self.0.set_icon(Some(picture(model)?))?;
        self.0.set_tooltip(Some(tooltip(model)))?;
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
