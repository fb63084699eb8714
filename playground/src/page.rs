//! Components over the plan editor. They turn events into calls of this crate's other modules, which tests without a
//! page cover.
//!
//! Invariants: 1. only methods of [`store::Store`] change the plan. 2. events write signals. No effect writes a signal
//! that another effect awaits.

pub mod canvas;
pub mod clipboard;
pub mod dispatch;
pub mod dom;
pub mod icon;
pub mod inspector;
pub mod js_bridge;
pub mod js_dialogs;
pub mod key_events;
pub mod language;
pub mod problems;
pub mod proposals;
pub mod recent;
pub mod run;
pub mod share;
pub mod shell;
pub mod store;
pub mod text;

use leptos::prelude::*;

/// Mounts the page, in its language.
pub fn open() {
    let settings = shell::Settings::read();
    language::with_texts(settings.lang(), move |lang| {
        mount_to_body(move || view! { <shell::Shell settings lang/> });
    });
}
