//! The editor's pane as the page's scripts make it.
//!
//! Decides nothing. Places are in UTF-16 units, structures are JSON text.
//!
//! Source: `playground/js/editor/pane.ts`.

use leptos::web_sys::HtmlElement;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./js/bridge.js")]
extern "C" {
    /// An editor.
    #[derive(Debug, Clone)]
    pub type TextEditor;

    /// Makes an editor in an element, and hands it over when it is there; or says why it can't be.
    #[wasm_bindgen(js_name = openText)]
    pub fn open_text(
        parent: &HtmlElement,
        opening: &str,
        listener: &Closure<dyn Fn(String, String)>,
        ready: &Closure<dyn Fn(TextEditor)>,
        failed: &Closure<dyn Fn(String)>,
    );

    /// What was typed and not told yet; empty for nothing.
    #[wasm_bindgen(method)]
    pub fn take(this: &TextEditor) -> String;

    /// Edits that the page made.
    #[wasm_bindgen(method)]
    pub fn apply(this: &TextEditor, edits: &str);

    /// Another text.
    #[wasm_bindgen(method)]
    pub fn open(this: &TextEditor, text: &str);

    /// What is wrong.
    #[wasm_bindgen(method)]
    pub fn problems(this: &TextEditor, problems: &str);

    /// Shows a part of the text: `mark`, `cursor` or `focus`.
    #[wasm_bindgen(method)]
    pub fn reveal(this: &TextEditor, start: usize, end: usize, how: &str);

    /// Shows none any more.
    #[wasm_bindgen(method)]
    pub fn unmark(this: &TextEditor);

    /// Another language, and what the pane is called in it.
    #[wasm_bindgen(method)]
    pub fn speak(this: &TextEditor, lang: &str, label: &str);

    /// Whether nothing can be written.
    #[wasm_bindgen(method)]
    pub fn lock(this: &TextEditor, read_only: bool);

    /// Does something by name: `format`, `find`, `rename`.
    #[wasm_bindgen(method)]
    pub fn serve(this: &TextEditor, service: &str);
}
