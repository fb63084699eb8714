//! Focuses and selects in text controls.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

/// Sets the text first, because the field updates later.
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

/// In bytes.
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

/// If the focused element was removed, focuses the first enabled one.
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
