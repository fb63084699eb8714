//! The binding of the JavaScript editor.
//!
//! Offsets are in UTF-16 code units, structures are JSON.
//!
//! Source: `playground/js/editor/pane.ts`.

use leptos::web_sys::HtmlElement;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// An editor.
    #[derive(Debug, Clone)]
    pub type TextEditor;

    /// Creates an editor. Calls `ready` with it, or `failed` with the reason.
    #[wasm_bindgen(js_name = openText)]
    pub fn open_text(
        parent: &HtmlElement,
        opening: &str,
        listener: &Closure<dyn Fn(String, String)>,
        ready: &Closure<dyn Fn(TextEditor)>,
        failed: &Closure<dyn Fn(String)>,
    );

    /// Returns the pending typing, or an empty text.
    #[wasm_bindgen(method)]
    pub fn take(this: &TextEditor) -> String;

    /// Applies edits made by the page.
    #[wasm_bindgen(method)]
    pub fn apply(this: &TextEditor, edits: &str);

    /// Replaces the text.
    #[wasm_bindgen(method)]
    pub fn open(this: &TextEditor, text: &str);

    /// Sets the diagnostics.
    #[wasm_bindgen(method)]
    pub fn problems(this: &TextEditor, problems: &str);

    /// Reveals a range: `mark`, `cursor` or `focus`.
    #[wasm_bindgen(method)]
    pub fn reveal(this: &TextEditor, start: usize, end: usize, how: &str);

    /// Removes the highlight.
    #[wasm_bindgen(method)]
    pub fn unmark(this: &TextEditor);

    /// Sets the language, and the pane's label in it.
    #[wasm_bindgen(method)]
    pub fn speak(this: &TextEditor, lang: &str, label: &str);

    /// Sets whether the text is read-only.
    #[wasm_bindgen(method)]
    pub fn lock(this: &TextEditor, read_only: bool);

    /// Sets whether long lines wrap.
    #[wasm_bindgen(method)]
    pub fn wrap(this: &TextEditor, wraps: bool);

    /// Runs a service: `format`, `find`, `rename`.
    #[wasm_bindgen(method)]
    pub fn serve(this: &TextEditor, service: &str);
}
