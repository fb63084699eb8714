//! The page: components over a plan that is being edited.
//!
//! Decides what is shown where. What is decided about plans, drawings, keys and runs lies in the rooms beside it, which are tested
//! without any page; components turn events into calls of them and their answers into elements.
//!
//! ## Rooms
//!
//! [`store`] what is open, and the signals that say what of it changed · [`dispatch`] the one dispatcher of commands · [`shell`] the frame ·
//! [`text`] the text pane · [`canvas`] the drawing · [`inspector`] forms · [`problems`] what is wrong · [`run`] runs · [`js_bridge`] what scripts
//! do · [`js_dialogs`] what is loaded when it is opened ·
//! [`key_events`] where keys go · [`clipboard`] what is copied · [`dom`] small ways to the document · [`icon`] icons of buttons · [`share`] plans
//! that are kept and handed on.
//!
//! Invariants: 1. nothing changes the plan but by way of [`store::Store::change`]; 2. a signal is written by events, never by an effect
//! that another effect waits for.

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

/// Opens the page in the document that is there.
pub fn open() {
    mount_to_body(shell::Shell);
}
