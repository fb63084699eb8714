//! The playground: edits a plan as text and on a canvas, and runs it.
//!
//! ## Modules
//!
//! - [`plan_editor`], [`history`]: the edited plan and its undo history
//! - [`text`], [`problems`], [`form`], [`outline`], [`search`]: text offsets, the list of problems, forms,
//!   the outline, fuzzy search
//! - [`scene`], [`layout`], [`geometry`], [`spatial_index`]: the plan as boxes and curves
//! - [`viewport`], [`paint`], [`appearance`], [`svg`], [`thumbnail`]: how the canvas looks
//! - [`gesture`], [`keyboard`], [`command`], [`menu`], [`node_choices`]: what pointers, keys and menus do
//! - [`run`], [`run_overlay`]: a run, and its status on the canvas
//! - [`share`]: redaction and consent
//! - [`page_layout`], [`announce`], [`i18n`]: panes, screen reader texts, languages
//! - `page`: the components, which compile only for browsers

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
pub mod node_choices;
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
