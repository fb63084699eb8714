//! A page that edits a plan as text and as a drawing, and runs it.
//!
//! ## Rooms
//!
//! [`geometry`] points and boxes · [`gesture`] what pointers mean · [`layout`] where nodes stand · [`viewport`] what is seen · [`history`] what can be
//! undone · [`index`] which boxes lie where · [`scene`] a plan as boxes and lines · [`paint`] what of a drawing is painted ·
//! [`look`] colours and icons · [`session`] a plan that is being edited · [`svg`] a
//! drawing as a file · [`sketch`] a plan as a small picture · [`command`] what the page can be told to do · [`keyboard`] what keys do on the drawing · [`frame`] the parts of the
//! page · [`menu`] which commands stand together · [`outline`] the plan as lines · [`announce`] what is heard · [`search`] finding by a few
//! letters · [`words`] what it says · [`share`] plans that are kept and handed on · [`marks`] what a run has left on the drawing · [`run`] a
//! run as it is followed · [`text`] the text as the editor has it · [`problems`] what is wrong, as a
//! list · [`form`] what is selected, as a form · `page` the page itself, which only browsers compile.

pub mod announce;
pub mod command;
pub mod form;
pub mod frame;
pub mod geometry;
pub mod gesture;
pub mod history;
pub mod index;
pub mod keyboard;
pub mod layout;
pub mod look;
pub mod marks;
pub mod menu;
pub mod outline;
#[cfg(target_arch = "wasm32")]
pub mod page;
pub mod paint;
pub mod problems;
pub mod run;
pub mod scene;
pub mod search;
pub mod session;
pub mod share;
pub mod sketch;
pub mod svg;
pub mod text;
pub mod viewport;
pub mod words;
