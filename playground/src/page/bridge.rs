//! What the page's scripts do for it.
//!
//! Source: `playground/js/bridge.ts`.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Milliseconds since the page was opened.
    pub fn now() -> f64;
}
