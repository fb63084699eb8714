//! A page that edits a plan as text and as a drawing, and runs it.
//!
//! ## Rooms
//!
//! [`geometry`] points and boxes · [`gesture`] what pointers mean · [`layout`] where nodes stand · [`viewport`] what is seen · [`history`] what can be
//! undone · [`spatial_index`] which boxes lie where · [`scene`] a plan as boxes and lines · [`paint`] what of a drawing is painted ·
//! [`appearance`] colours and icons · [`plan_editor`] a plan that is being edited · [`svg`] a
//! drawing as a file · [`thumbnail`] a plan as a small picture · [`command`] what the page can be told to do · [`keyboard`] what keys do on the drawing · [`page_layout`] the parts of the
//! page · [`menu`] which commands stand together · [`outline`] the plan as lines · [`announce`] what is heard · [`search`] finding by a few
//! letters · [`i18n`] what it says · [`share`] plans that are kept and handed on · [`run_overlay`] what a run has left on the drawing · [`run`] a
//! run as it is followed · [`text`] the text as the editor has it · [`problems`] what is wrong, as a
//! list · [`form`] what is selected, as a form · `page` the page itself, which only browsers compile.

pub mod announce;
pub mod appearance;
pub mod command;
pub mod form;
pub mod geometry;
pub mod gesture;
pub mod history;
pub mod i18n;
pub mod keyboard;
pub mod layout;
pub mod menu;
pub mod outline;
#[cfg(target_arch = "wasm32")]
pub mod page;
pub mod page_layout;
pub mod paint;
pub mod plan_editor;
pub mod problems;
pub mod run;
pub mod run_overlay;
pub mod scene;
pub mod search;
pub mod share;
pub mod spatial_index;
pub mod svg;
pub mod text;
pub mod thumbnail;
pub mod viewport;
