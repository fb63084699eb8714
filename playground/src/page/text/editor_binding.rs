//! Binds `playground/js/editor/pane.ts`. Offsets are UTF-16, structures JSON.

use leptos::web_sys::HtmlElement;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// Text editor.
    #[derive(Debug, Clone)]
    pub type TextEditor;

    /// Calls `ready`, or `failed` with the reason.
    #[wasm_bindgen(js_name = openText)]
    pub fn open_text(
        parent: &HtmlElement,
        opening: &str,
        listener: &Closure<dyn Fn(String, String)>,
        ready: &Closure<dyn Fn(TextEditor)>,
        failed: &Closure<dyn Fn(String)>,
    );

    /// Pending typing, or empty.
    #[wasm_bindgen(method)]
    pub fn take(this: &TextEditor) -> String;

    /// The page's edits.
    #[wasm_bindgen(method)]
    pub fn apply(this: &TextEditor, edits: &str);

    /// Replaces the text.
    #[wasm_bindgen(method)]
    pub fn open(this: &TextEditor, text: &str);

    /// Sets diagnostics.
    #[wasm_bindgen(method)]
    pub fn problems(this: &TextEditor, problems: &str);

    /// `mark`, `cursor` or `focus`.
    #[wasm_bindgen(method)]
    pub fn reveal(this: &TextEditor, start: usize, end: usize, how: &str);

    /// Removes the highlight.
    #[wasm_bindgen(method)]
    pub fn unmark(this: &TextEditor);

    /// Takes the pane's label.
    #[wasm_bindgen(method)]
    pub fn speak(this: &TextEditor, lang: &str, label: &str);

    /// Read-only.
    #[wasm_bindgen(method)]
    pub fn lock(this: &TextEditor, read_only: bool);

    /// Wraps lines.
    #[wasm_bindgen(method)]
    pub fn wrap(this: &TextEditor, wraps: bool);

    /// Whether Tab indents, and a hint about it.
    #[wasm_bindgen(method)]
    pub fn tab(this: &TextEditor, indents: bool, hint: &str);

    /// `format`, `find`, `rename`.
    #[wasm_bindgen(method)]
    pub fn serve(this: &TextEditor, service: &str);
}
