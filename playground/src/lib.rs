//! A page that edits a plan as text and as a drawing, and runs it.
//!
//! ## Rooms
//!
//! [`geometry`] points and boxes · [`gesture`] what pointers mean · [`layout`] where nodes stand · [`viewport`] what is seen · [`history`] what can be
//! undone · [`index`] which boxes lie where · [`scene`] a plan as boxes and lines ·
//! [`look`] colours and icons · [`session`] a plan that is being edited · [`svg`] a
//! drawing as a file · [`sketch`] a plan as a small picture · [`command`] what the page can be told to do · [`keyboard`] what keys do on the drawing · [`search`] finding by a
//! few letters · [`words`] what it says · [`marks`] what a run has left on the drawing ·
//! `page` the page itself, which only browsers compile.

pub mod command;
pub mod geometry;
pub mod gesture;
pub mod history;
pub mod index;
pub mod keyboard;
pub mod layout;
pub mod look;
pub mod marks;
#[cfg(target_arch = "wasm32")]
pub mod page;
pub mod scene;
pub mod search;
pub mod session;
pub mod sketch;
pub mod svg;
pub mod viewport;
pub mod words;
