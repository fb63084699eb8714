//! JavaScript bindings of an open document.

use crate::outline::outline;
use crate::patterns::patterns;
use serde_json::{Value as Json, json};
use stepgraph_authoring::language::Document;
use stepgraph_codec::capabilities::HostCapabilities;
use stepgraph_codec::diagnostics::{diagnostics_json, span_json};
use stepgraph_codec::files::plan_files;
use stepgraph_codec::json;
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::graph::file_links;
use stepgraph_core::source::{Format, LineIndex};
use wasm_bindgen::prelude::wasm_bindgen;

/// An open document.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawDocument {
    document: Document,
}

impl RawDocument {
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

    /// Returns the text.
    pub fn text(&self) -> String {
        self.document.text().to_owned()
    }

    /// Returns the format of the text: `yaml` or `json`.
    pub fn format(&self) -> String {
        if self.document.format() == Format::Json { "json" } else { "yaml" }.to_owned()
    }

    /// Sets the host's capabilities, from JSON.
    pub fn set_host(&mut self, host: &str) {
        self.document.set_capabilities(HostCapabilities::from_json(host).into_capabilities(patterns()));
    }

    /// Sets the files that the plan may run, from JSON.
    pub fn set_files(&mut self, files: &str) {
        self.document.set_files(plan_files(files));
    }

    /// Lists the files that the plan runs and that are not set.
    pub fn missing_files(&self) -> String {
        Json::from(self.document.missing_files()).to_string()
    }

    /// Returns the paths to files as JSON `[{path, span}]`.
    pub fn file_links(&self) -> String {
        let lines = self.document.line_index();
        let links = self.document.tree().map(file_links).unwrap_or_default();
        let json = |(span, path)| json!({"path": path, "span": span_json(span, &lines)});
        Json::Array(links.into_iter().map(json).collect()).to_string()
    }

    /// Replaces parts of the text. `offsets` are pairs of start and end, ordered and without overlap.
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

    /// Returns all diagnostics as JSON.
    pub fn diagnostics(&self) -> String {
        diagnostics_json(self.document.diagnostics(), self.document.text())
    }

    /// Returns the current plan, or the last valid one, as JSON or `null`.
    pub fn diagram(&self) -> String {
        let current = self.document.plan().is_some();
        self.document.last_valid_plan().map_or(Json::Null, |plan| outline(plan, current)).to_string()
    }
}

/// If an edit splits a surrogate pair, the remaining half becomes U+FFFD, so that the text stays as long as
/// in JavaScript.
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
