//! What the page's scripts do for it.
//!
//! Source: `playground/js/bridge.ts`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Milliseconds since the page was opened.
    pub fn now() -> f64;

    /// Calls back when somebody is there, and with them the rest of the page.
    #[wasm_bindgen(js_name = whenThere)]
    pub fn on_first_interaction(then: &JsValue);

    /// What scripts may do to the page.
    pub fn rooms(page: js_sys::Object);

    /// Opens the gallery, the connections, or the way from a request to a plan.
    pub fn room(name: &str);

    /// What runs tell goes there, as JSON text.
    pub fn run_listen(tell: &JsValue);

    /// Tells a run something, as JSON text.
    pub fn run_take(line: &str);

    /// Another plan was opened: nothing of a run of the one before is heard any more.
    pub fn run_leave();

    /// Puts text on the clipboard; calls back when the browser does not let it.
    #[wasm_bindgen(js_name = copyText)]
    pub fn copy_text(text: &str, denied: &JsValue);

    /// Hands over the text of the clipboard; nothing when the browser does not let it.
    #[wasm_bindgen(js_name = pasteText)]
    pub fn paste_text(take: &JsValue);
}

/// So many bytes of memory does a large plan take for each of its text, with all that is known of it and its drawing.
const BYTES_PER_TEXT_BYTE: usize = 48;
/// More is asked for bit by bit: what is so large may be no plan at all.
const MAX_RESERVED: usize = 1 << 26;

/// The most that was asked for so far.
static RESERVED: AtomicUsize = AtomicUsize::new(1 << 20);

/// Asks for the memory that a text will take, at once: a browser that is asked for each bit of it takes longer. What is given back stays, so
/// nothing is asked for that was given once. Where there is not so much, the page goes on without.
pub fn reserve_memory(text: &str) {
    let space = text.len().saturating_mul(BYTES_PER_TEXT_BYTE).min(MAX_RESERVED);
    if space > RESERVED.fetch_max(space, Relaxed) {
        let mut reserved = Vec::<u8>::new();
        drop(reserved.try_reserve_exact(space));
        drop(std::hint::black_box(reserved));
    }
}
