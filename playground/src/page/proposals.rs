//! Text fields that propose parts of expressions.

use crate::plan_editor::Proposal;
use leptos::web_sys::HtmlInputElement;
use stepgraph_core::source::LineIndex;

/// The text, and the cursor in bytes.
pub fn typed_text(field: &HtmlInputElement) -> (String, usize) {
    let text = field.value();
    let cursor = field.selection_start().ok().flatten().and_then(|at| usize::try_from(at).ok());
    let cursor = LineIndex::new(&text).to_byte(cursor.unwrap_or(usize::MAX));
    (text, cursor)
}

/// Puts the cursor after the proposal.
pub fn insert_proposal(field: &HtmlInputElement, proposal: &Proposal) {
    let text = field.value();
    let part = |range: Option<&str>| range.unwrap_or_default().to_owned();
    let (before, behind) = (part(text.get(..proposal.span.start)), part(text.get(proposal.span.end..)));
    let written = [before.as_str(), &proposal.text].concat();
    let cursor = u32::try_from(written.encode_utf16().count()).unwrap_or_default();
    field.set_value(&[written.as_str(), &behind].concat());
    drop(field.set_selection_range(cursor, cursor));
}
