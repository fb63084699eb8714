//! A picker of references and of expressions with them, which it inserts at the cursor of a text.
//!
//! `crate::form::reference_options` and `crate::form::value_actions` decide the options. The list of `picker_list` is a
//! combobox: its input keeps the focus.

use super::FormContext;
use super::field::read_field;
use super::input::FieldInput;
use super::picker_list::option_list;
use crate::form::FormTarget;
use crate::form::reference_options::{ReferenceOption, reference_options};
use crate::form::template::{PreviewPart, insert, place_in_inserted, preview};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use leptos::web_sys;
use stepgraph_core::diagnostic::Span;
use wasm_bindgen::JsCast;

pub(super) fn form_options(ctx: FormContext) -> Vec<ReferenceOption> {
    let owner = ctx.form.with(|form| form.as_ref().and_then(|form| form.owners.first().cloned()));
    let (samples, lang) = (ctx.samples.get(), ctx.store.lang.get());
    let Some(owner) = owner else { return Vec::new() };
    ctx.store.read(|editor| {
        FormTarget::new(editor.document(), &owner)
            .map(|target| reference_options(&target, &owner, &samples, lang))
            .unwrap_or_default()
    })
}

pub(super) fn reference_picker(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    let name = move || ctx.format(W::Insert, &[&read_field(field, |field| field.label.clone())]);
    let list = move || input.is_picker_open.get().then(|| option_list(input));
    let label = move || {
        let pieces = preview(&input.shown_text(), &ctx.samples.get())
            .filter(|_| !ctx.samples.with(|samples| samples.is_empty()))?;
        let piece = |piece: PreviewPart| match piece {
            PreviewPart::Text(text) => view! { <span>{text}</span> }.into_any(),
            PreviewPart::Filled(text) => view! { <mark>{text}</mark> }.into_any(),
            PreviewPart::Unfilled(text) => view! { <em>{text}</em> }.into_any(),
        };
        let pieces = pieces.into_iter().map(piece).collect_view();
        Some(view! { <p class="preview" aria-label=ctx.text(W::Preview) role="note">{pieces}</p> })
    };
    view! {
        <button type="button" class="small pick" aria-haspopup="listbox" aria-expanded=move || input.is_picker_open.get().to_string() aria-label=name title=name
            on:click=move |_| input.is_picker_open.update(|open| *open = !*open)>"${ }"</button>
        {list}{label}
    }
    .into_any()
}

/// Inserts an expression at the cursor, and selects a part of it.
pub(super) fn insert_expression(field_input: FieldInput, expression: &str, place: Span) {
    let text = untrack(|| field_input.shown_text());
    let id = field_input.id();
    let at = cursor(&id, &text).unwrap_or(text.len());
    let (text, end) = insert(&text, at, expression);
    let place = place_in_inserted(end, expression, place);
    field_input.text_typed(&text);
    focus(&id);
    select(&id, &text, place.start, place.end);
}

/// Selects bytes of the text in a field. Sets the text, because the field shows a new one only later.
pub(super) fn select(id: &str, text: &str, start: usize, end: usize) {
    let units = |at: usize| {
        let before = text.get(..at).map_or(0, |before| before.encode_utf16().count());
        u32::try_from(before).unwrap_or_default()
    };
    let (start, end) = (units(start), units(end));
    let control = document().get_element_by_id(id);
    match control.map(wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlTextAreaElement>) {
        Some(Ok(area)) => {
            area.set_value(text);
            drop(area.set_selection_range(start, end));
        }
        Some(Err(other)) => {
            if let Ok(input) = other.dyn_into::<web_sys::HtmlInputElement>() {
                input.set_value(text);
                drop(input.set_selection_range(start, end));
            }
        }
        None => {}
    }
}

/// Returns a byte offset.
pub(super) fn cursor(id: &str, text: &str) -> Option<usize> {
    let control = document().get_element_by_id(id)?;
    let units = match control.dyn_into::<web_sys::HtmlTextAreaElement>() {
        Ok(area) => area.selection_end().ok()??,
        Err(other) => other.dyn_into::<web_sys::HtmlInputElement>().ok()?.selection_end().ok()??,
    };
    let mut left = usize::try_from(units).ok()?;
    for (at, c) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        left = left.saturating_sub(c.len_utf16());
    }
    Some(text.len())
}

/// Focuses the first enabled element of `ids`, if the focused element was removed.
pub(super) fn keep_focus(ids: Vec<String>) {
    request_animation_frame(move || {
        let page = document();
        let is_lost = page.active_element().is_none_or(|at| at.tag_name() == "BODY");
        let exists =
            |id: &&String| page.get_element_by_id(id).is_some_and(|found| !found.has_attribute("disabled"));
        if let Some(id) = ids.iter().find(exists).filter(|_| is_lost) {
            focus(id);
        }
    });
}

pub(super) fn focus(id: &str) {
    let control =
        document().get_element_by_id(id).and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(control) = control {
        drop(control.focus());
    }
}

pub(super) fn values_of(options: &[ReferenceOption], reference: &str) -> Vec<String> {
    options
        .iter()
        .find(|option| option.text == reference)
        .map(|option| option.values.clone())
        .unwrap_or_default()
}
