//! Whether a person touched this window just now.
//!
//! The page cannot tell: a click made by a script, by WebDriver, by the accessibility bus or by XTEST is
//! trusted there. Here it can be told: the first three make no event of the toolkit at all, and an XTEST
//! event names its device. So a decision needs an event of a real device shortly before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gtk::gdk::{Event, EventType};
use gtk::prelude::*;
use tauri::WebviewWindow;

/// How long an input event vouches for a decision.
const FRESH: Duration = Duration::from_secs(1);

pub struct Native {
    started: Instant,
    /// Milliseconds after `started`, plus one; zero is never.
    last: AtomicU64,
    required: bool,
}

impl Native {
    /// `required` is off for assistive technology, which makes no such events. Debug builds are driven by tests.
    pub fn new(required: bool) -> Self {
        Self {
            started: Instant::now(),
            last: AtomicU64::new(0),
            required: required && !cfg!(debug_assertions),
        }
    }

    pub fn fresh(&self) -> bool {
        if !self.required {
            return true;
        }
        let last = self.last.load(Ordering::Relaxed);
        last != 0 && self.now().saturating_sub(last) <= FRESH.as_millis() as u64
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64 + 1
    }

    fn seen(&self, event: &Event) {
        if counts(event.event_type())
            && !event.is_send_event()
            && event
                .source_device()
                .is_some_and(|device| !synthetic(&device))
        {
            self.last.store(self.now(), Ordering::Relaxed);
        }
    }
}

fn counts(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::ButtonPress
            | EventType::ButtonRelease
            | EventType::KeyPress
            | EventType::KeyRelease
            | EventType::TouchBegin
            | EventType::TouchEnd
    )
}

fn synthetic(device: &gtk::gdk::Device) -> bool {
    device.name().is_none_or(|name| name.contains("XTEST"))
}

/// Looks at every input event on its way to the page; it stops none.
pub fn watch(window: &WebviewWindow, native: Arc<Native>) -> tauri::Result<()> {
    window.with_webview(move |webview| {
        let page = webview.inner();
        // Not the desktop's focus, which stays where it is: once this window gets that, keys reach the
        // page without a click.
        page.grab_focus();
        page.connect_event(move |_, event| {
            native.seen(event);
            gtk::glib::Propagation::Proceed
        });
    })
}
