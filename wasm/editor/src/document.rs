//! A document under edit, as JavaScript sees it.
//!
//! Decides nothing: places become bytes, the core answers, and places become UTF-16 units again.

use crate::outline::outline;
use crate::patterns::patterns;
use serde_json::Value as Json;
use stepgraph_authoring::language::Document;
use stepgraph_codec::capabilities::HostCapabilities;
use stepgraph_codec::diagnostics::diagnostics_json;
use stepgraph_codec::json;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::source::{Format, LineIndex};
use wasm_bindgen::prelude::wasm_bindgen;

/// A document under edit.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawDocument {
    document: Document,
}

impl RawDocument {
    /// What the core knows of it.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }
}

#[wasm_bindgen]
impl RawDocument {
    /// Opens a text.
    #[wasm_bindgen(constructor)]
    pub fn new(text: String, format: &str) -> Self {
        Self { document: Document::new(text, json::parse_format(format)) }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.document.text().to_owned()
    }

    /// What the text is read as: `yaml` or `json`.
    pub fn format(&self) -> String {
        if self.document.format() == Format::Json { "json" } else { "yaml" }.to_owned()
    }

    /// What the host offers, as JSON.
    pub fn offer(&mut self, host: &str) {
        self.document.set_capabilities(HostCapabilities::from_json(host).into_capabilities(patterns()));
    }

    /// Changes parts of the text: `places` are pairs of beginning and end in the order of the text, which do not overlap.
    pub fn change(&mut self, offsets: &[u32], texts: Vec<String>) {
        let lines = self.document.line_index();
        let (pairs, _) = offsets.as_chunks();
        let edits: Vec<TextEdit> = pairs
            .iter()
            .zip(texts)
            .map(|([start, end], text)| replacement(&lines, *start as usize, *end as usize, text))
            .collect();
        self.document.change(&edits);
    }

    /// Everything that is wrong, as JSON.
    pub fn diagnostics(&self) -> String {
        diagnostics_json(self.document.diagnostics(), self.document.text())
    }

    /// The plan of the present text, or else of the last that could be read, as JSON; `null` when there was none.
    pub fn outline(&self) -> String {
        let current = self.document.plan().is_some();
        self.document.last_valid_plan().map_or(Json::Null, |plan| outline(plan, current)).to_string()
    }
}

/// An edit in bytes. Of a character that would be torn in two, the half that stays is written as what stands for a broken one: so
/// the text keeps as many units as it has on the other side.
fn replacement(lines: &LineIndex<'_>, start: usize, end: usize, mut text: String) -> TextEdit {
    let mut span = Span::new(lines.to_byte(start), lines.to_byte(end));
    if lines.to_utf16(span.start) < start.min(lines.to_utf16(usize::MAX)) {
        text.insert(0, char::REPLACEMENT_CHARACTER);
    }
    if lines.to_utf16(span.end) < end.min(lines.to_utf16(usize::MAX)) {
        span.end = lines.to_byte(end + 1);
        text.push(char::REPLACEMENT_CHARACTER);
    }
    TextEdit { span, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, offsets: &[u32], texts: &[&str]) -> String {
        let mut document = RawDocument::new(text.to_owned(), "yaml");
        document.change(offsets, texts.iter().map(|text| (*text).to_owned()).collect());
        document.text()
    }

    #[test]
    fn offsets_are_utf16_units() {
        assert_eq!(changed("ä😀b", &[1, 3], &["x"]), "äxb");
        assert_eq!(changed("ä😀b", &[0, 0, 3, 4], &["1", "2"]), "1ä😀2");
        assert_eq!(changed("ab", &[2, 2, 2, 9], &["c", "d"]), "abcd");
    }

    #[test]
    fn half_a_surrogate_pair_stays_one_unit() {
        for (offsets, text, expected) in
            [([1, 2], "", "\u{fffd}b"), ([0, 1], "x", "x\u{fffd}b"), ([1, 1], "x", "\u{fffd}x\u{fffd}b")]
        {
            assert_eq!(changed("😀b", &offsets, &[text]), expected);
        }
    }
}
