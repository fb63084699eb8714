//! Functions of the page's scripts.
//!
//! Source: `playground/js/bridge.ts`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Returns the milliseconds since the page was opened.
    pub fn now() -> f64;

    /// Calls back at the first interaction, after the deferred part of the module was loaded.
    #[wasm_bindgen(js_name = onFirstInteraction)]
    pub fn on_first_interaction(then: &JsValue);

    /// Hands over the page's API for dialogs.
    #[wasm_bindgen(js_name = setPageApi)]
    pub fn set_page_api(page: js_sys::Object);

    /// Opens a dialog: the gallery, the connections, or the planner.
    #[wasm_bindgen(js_name = openDialog)]
    pub fn open_dialog(name: &str);

    /// Sets the listener for the runner's messages, which are JSON.
    #[wasm_bindgen(js_name = onRunnerMessage)]
    pub fn on_runner_message(listener: &JsValue);

    /// Sends a JSON message to the runner.
    #[wasm_bindgen(js_name = sendToRunner)]
    pub fn send_to_runner(line: &str);

    /// Discards the run of the previous plan, with all its messages.
    #[wasm_bindgen(js_name = discardRun)]
    pub fn discard_run();

    /// Copies text to the clipboard. Calls `denied` if the browser denies it.
    #[wasm_bindgen(js_name = copyText)]
    pub fn copy_text(text: &str, denied: &JsValue);

    /// Calls `take` with the clipboard's text, or with `undefined` if the browser denies it.
    #[wasm_bindgen(js_name = pasteText)]
    pub fn paste_text(take: &JsValue);
}

/// For a large plan: its text, analysis and scene.
const BYTES_PER_TEXT_BYTE: usize = 48;
/// A larger text may not be a plan.
const MAX_RESERVED: usize = 1 << 26;

static RESERVED: AtomicUsize = AtomicUsize::new(1 << 20);

/// Reserves the memory for a text at once, which is faster than many small growths. WebAssembly memory never
/// shrinks, so a smaller text reserves nothing. If it fails, the page continues.
pub fn reserve_memory(text: &str) {
    let space = text.len().saturating_mul(BYTES_PER_TEXT_BYTE).min(MAX_RESERVED);
    if space > RESERVED.fetch_max(space, Relaxed) {
        let mut reserved = Vec::<u8>::new();
        drop(reserved.try_reserve_exact(space));
        drop(std::hint::black_box(reserved));
    }
}
