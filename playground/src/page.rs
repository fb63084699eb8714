//! The page: components over the plan editor. They turn events into calls of the other modules of this crate,
//! whose tests need no page.
//!
//! Invariants:
//! 1. The plan changes only through methods of [`store::Store`].
//! 2. Events write signals. An effect never writes a signal that another effect waits for.

pub mod canvas;
pub mod clipboard;
pub mod dispatch;
pub mod dom;
pub mod icon;
pub mod inspector;
pub mod js_bridge;
pub mod js_dialogs;
pub mod key_events;
pub mod problems;
pub mod run;
pub mod share;
pub mod shell;
pub mod store;
pub mod text;

use leptos::prelude::*;

/// Mounts the page into the document.
pub fn open() {
    mount_to_body(shell::Shell);
}
