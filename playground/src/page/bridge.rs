//! What the page's scripts do for it.
//!
//! Source: `playground/js/bridge.ts`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Milliseconds since the page was opened.
    pub fn now() -> f64;

    /// What scripts may do to the page.
    pub fn rooms(page: js_sys::Object);

    /// Opens the gallery, the connections, or the way from a request to a plan.
    pub fn room(name: &str);
}
