//! A picker of references, which it inserts at the cursor of a text.
//!
//! `crate::form::reference_options` decides the options. The list is a combobox: its input keeps the focus.

use super::FormContext;
use super::field::read_field;
use super::input::FieldInput;
use crate::form::FormTarget;
use crate::form::reference_options::{ReferenceOption, reference_options, search};
use crate::form::template::{PreviewPart, insert, preview};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

const MAX_LISTED: usize = 60;

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

fn option_list(field_input: FieldInput) -> AnyView {
    let ctx = field_input.ctx;
    let all = StoredValue::new(untrack(|| form_options(ctx)));
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let found = Memo::new(move |_| {
        all.with_value(|all| {
            search(all, &typed.get()).into_iter().take(MAX_LISTED).cloned().collect::<Vec<ReferenceOption>>()
        })
    });
    let option_id = move |at: usize| field_input.part_id(&["value", &at.to_string()].concat());
    let take = move |reference_option: Option<ReferenceOption>| {
        if let Some(reference_option) = reference_option {
            insert_reference(field_input, &reference_option.text);
        }
        field_input.is_picker_open.set(false);
    };
    let on_key = move |event: web_sys::KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => at.update(|at| *at = at.saturating_sub(1)),
            "Enter" => take(found.with_untracked(|found| found.get(at.get_untracked()).cloned())),
            "Escape" => {
                field_input.is_picker_open.set(false);
                focus(&field_input.id());
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let options = move || {
        let option = |(index, reference_option): (usize, ReferenceOption)| {
            let selected = move || (at.get() == index).to_string();
            let row = reference_option.clone();
            let about = [
                reference_option.kind.as_str(),
                if reference_option.is_certain { "" } else { ctx.text(W::MayBeMissing) },
            ];
            let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
            // Prevents the default, so that the focus stays.
            let pick = move |event: web_sys::MouseEvent| {
                event.prevent_default();
                take(Some(row.clone()));
            };
            view! {
                <li role="option" id=option_id(index) aria-selected=selected on:mousedown=pick>
                    <code>{reference_option.text}</code> <span class="hint">{about.join(", ")}</span>
                    {reference_option.sample.map(|sample| view! { <span class="sample">{sample}</span> })}
                </li>
            }
        };
        found.get().into_iter().enumerate().map(option).collect_view()
    };
    let nothing =
        move || found.with(Vec::is_empty).then(|| view! { <p class="empty">{ctx.text(W::NoValues)}</p> });
    let field = NodeRef::<leptos::html::Input>::new();
    field.on_load(|input| drop(input.focus()));
    let search_for = move |event| {
        typed.set(event_target_value(&event));
        at.set(0);
    };
    view! {
        <div class="picker" on:focusout=move |event| if !is_focus_in_list(&event) { field_input.is_picker_open.set(false) }>
            <input node_ref=field type="text" role="combobox" aria-expanded="true" aria-controls=field_input.part_id("values") aria-autocomplete="list" autocomplete="off" spellcheck="false"
                aria-activedescendant=move || option_id(at.get()) aria-label=ctx.text(W::FindValue) placeholder=ctx.text(W::FindValue)
                on:input=search_for on:keydown=on_key/>
            <ul role="listbox" id=field_input.part_id("values") aria-label=ctx.text(W::Values)>{options}</ul>
            {nothing}
        </div>
    }
    .into_any()
}

fn is_focus_in_list(event: &web_sys::FocusEvent) -> bool {
    let element = |target: Option<web_sys::EventTarget>| {
        target.and_then(|target| target.dyn_into::<web_sys::Element>().ok())
    };
    let list = element(event.current_target());
    let next = element(event.related_target());
    list.zip(next).is_some_and(|(list, next)| list.contains(Some(&next)))
}

/// Inserts a reference at the cursor.
fn insert_reference(field_input: FieldInput, reference: &str) {
    let text = untrack(|| field_input.shown_text());
    let id = field_input.id();
    let at = cursor(&id, &text).unwrap_or(text.len());
    let (text, end) = insert(&text, at, reference);
    let units = text.get(..end).map_or(0, |before| before.encode_utf16().count());
    field_input.text_typed(&text);
    focus(&id);
    let control = document().get_element_by_id(&id);
    let units = u32::try_from(units).unwrap_or_default();
    match control.map(wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlTextAreaElement>) {
        Some(Ok(area)) => drop(area.set_selection_range(units, units)),
        Some(Err(other)) => {
            if let Ok(input) = other.dyn_into::<web_sys::HtmlInputElement>() {
                drop(input.set_selection_range(units, units));
            }
        }
        None => {}
    }
}

/// Returns a byte offset.
fn cursor(id: &str, text: &str) -> Option<usize> {
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
