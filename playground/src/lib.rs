//! The playground: edits a plan as text and on a canvas, and runs it.
//!
//! - [`plan_editor`], [`history`]: editing and undo
//! - [`text`], [`problems`], [`form`], [`outline`], [`search`]: views of the text
//! - [`scene`], [`layout`], [`geometry`], [`spatial_index`]: boxes and curves
//! - [`viewport`], [`free_space`], [`paint`], [`appearance`], [`svg`], [`thumbnail`]: drawing
//! - [`gesture`], [`keyboard`], [`command`], [`menu`], [`node_choices`]: input
//! - [`run`], [`run_overlay`]: runs
//! - [`share`]: redaction and consent
//! - [`page_layout`], [`announce`], [`i18n`]: panes, announcements, languages
//! - `page`: components, for browsers only

pub mod alignment;
pub mod announce;
pub mod appearance;
pub mod auto_fit;
pub mod command;
pub mod form;
pub mod free_space;
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
