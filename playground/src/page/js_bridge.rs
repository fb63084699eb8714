//! The page's scripts (`playground/js/bridge.ts`).

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Milliseconds since opening.
    pub fn now() -> f64;

    /// Calls after the lazy part is loaded.
    #[wasm_bindgen(js_name = onFirstInteraction)]
    pub fn on_first_interaction(then: &JsValue);

    /// Publishes the dialogs' API.
    #[wasm_bindgen(js_name = setPageApi)]
    pub fn set_page_api(page: js_sys::Object);

    /// Gallery, connections or planner.
    #[wasm_bindgen(js_name = openDialog)]
    pub fn open_dialog(name: &str);

    /// Receives JSON messages.
    #[wasm_bindgen(js_name = onRunnerMessage)]
    pub fn on_runner_message(listener: &JsValue);

    /// False if the plan brings its own.
    #[wasm_bindgen(js_name = offerDemoTools)]
    pub fn offer_demo_tools(on: bool);

    /// Sends JSON.
    #[wasm_bindgen(js_name = sendToRunner)]
    pub fn send_to_runner(line: &str);

    /// Also drops the previous plan's messages.
    #[wasm_bindgen(js_name = discardRun)]
    pub fn discard_run();

    /// Calls `denied` if forbidden.
    #[wasm_bindgen(js_name = copyText)]
    pub fn copy_text(text: &str, denied: &JsValue);

    /// `undefined` if forbidden.
    #[wasm_bindgen(js_name = pasteText)]
    pub fn paste_text(take: &JsValue);

    /// A message or help of the engine in a language.
    #[wasm_bindgen(js_name = engineMessage)]
    pub fn engine_message(lang: &str, code: &str, text: &str) -> String;

    /// The texts, or `undefined`. Failures are shown.
    #[wasm_bindgen(js_name = loadSpanish)]
    pub fn load_spanish(take: &JsValue);
}

/// A large plan's text, analysis and scene.
const BYTES_PER_TEXT_BYTE: usize = 48;
/// Larger texts may be no plans.
const MAX_RESERVED: usize = 1 << 26;

static RESERVED: AtomicUsize = AtomicUsize::new(1 << 20);

/// Reserves at once, which is faster than many small growths. Smaller texts need nothing, since WebAssembly memory
/// never shrinks. Failures are harmless.
pub fn reserve_memory(text: &str) {
    let space = text.len().saturating_mul(BYTES_PER_TEXT_BYTE).min(MAX_RESERVED);
    if space > RESERVED.fetch_max(space, Relaxed) {
        let mut reserved = Vec::<u8>::new();
        drop(reserved.try_reserve_exact(space));
        drop(std::hint::black_box(reserved));
    }
}
