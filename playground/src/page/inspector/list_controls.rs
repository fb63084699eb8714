//! Adds entries and moves items.

use super::field_input::{FieldInput, read_field};
use super::text_selection::focus;
use crate::form::{Addition, Choice, change};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use leptos::web_sys::SubmitEvent;

pub(super) fn add_controls(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    let label = move || read_field(field, |field| field.label.clone());
    let adds = Memo::new(move |_| read_field(field, |field| field.addition.clone()));
    let name = RwSignal::new(String::new());
    let put = move |event: SubmitEvent| {
        event.prevent_default();
        let (Some(adds), Some(field)) = (adds.get_untracked(), field.get_untracked()) else { return };
        ctx.store.end_typing_step();
        let written = match &adds {
            Addition::Item { initial_value: initial } => {
                ctx.write_field(&field, |form, field| change::add_item(form, field, initial))
            }
            Addition::Entry { known_names: choices, initial_value: initial, accepts_any_name: any } => {
                let typed = name.get_untracked().trim().to_owned();
                let found = choices.iter().find(|choice| choice.label == typed);
                let initial = found.map_or(initial, |choice| &choice.value);
                if typed.is_empty() || (found.is_none() && !any) {
                    return;
                }
                ctx.write_field(&field, |form, field| change::add_entry(form, field, &typed, initial))
            }
        };
        ctx.store.end_typing_step();
        if written.is_ok() {
            let added = match &adds {
                Addition::Item { .. } => {
                    let count = field.value.as_ref().and_then(|value| value.as_array()).map_or(0, Vec::len);
                    [&field.id, "[", &count.to_string(), "]"].concat()
                }
                Addition::Entry { .. } => [&field.id, ".", name.get_untracked().trim()].concat(),
            };
            name.set(String::new());
            // The user fills it in next.
            request_animation_frame(move || focus(&added));
        }
        input.error.set(written.err());
    };
    let list = input.part_id("names");
    let inner = move || {
        match adds.get() {
        None => ().into_any(),
        Some(Addition::Item { .. }) => {
            view! { <button type="submit" class="small" id=input.part_id("add")>{move || ctx.format(W::AddTo, &[&label()])}</button> }
                .into_any()
        }
        Some(Addition::Entry { known_names: choices, .. }) => {
            let option = |choice: Choice| view! { <option value=choice.label>{choice.help}</option> };
            let options = choices.into_iter().map(option).collect_view();
            let named = move || ctx.format(W::NewName, &[&label()]);
            view! {
                <input type="text" autocomplete="off" spellcheck="false" list=list.clone() aria-label=named placeholder=move || ctx.text(W::Name)
                    prop:value=move || name.get() on:input=move |event| name.set(event_target_value(&event))/>
                <datalist id=list.clone()>{options}</datalist>
                <button type="submit" class="small" id=input.part_id("add") aria-label=move || ctx.format(W::AddTo, &[&label()])>{move || ctx.text(W::Add)}</button>
            }
            .into_any()
        }
    }
    };
    let shown = move || adds.with(Option::is_some);
    view! { <form class="add" hidden=move || !shown() on:submit=put>{inner}</form> }.into_any()
}

pub(super) fn move_buttons(input: FieldInput) -> impl IntoView {
    let FieldInput { ctx, field, .. } = input;
    let label = move || read_field(field, |field| field.label.clone());
    let step = move |by: isize| {
        let (Some(own), Some(form)) = (field.get_untracked(), ctx.form.get_untracked()) else { return };
        let Some((at, _)) = own.item else { return };
        let Some((_, parent)) = own.path.split_last() else { return };
        let beside = at.checked_add_signed(by);
        let is_beside = |other: &&crate::form::Field| {
            other.item.map(|(at, _)| at) == beside
                && other.path.split_last().is_some_and(|(_, way)| way == parent)
        };
        let Some(other) = form.fields.values().find(is_beside) else { return };
        let name = ctx.format(W::Filled, &[&own.label]);
        ctx.apply_or_notify(&change::swap(&form, &own, other), &name);
    };
    let place = Memo::new(move |_| read_field(field, |field| field.item));
    move || {
        let (at, count) = place.get()?;
        let button = |word: W, sign: &'static str, by: isize, off: bool| {
            let name = move || ctx.format(word, &[&label()]);
            view! { <button type="button" class="icon" disabled=off title=name aria-label=name on:click=move |_| step(by)>{sign}</button> }
        };
        Some((button(W::MoveUp, "↑", -1, at == 0), button(W::MoveDown, "↓", 1, at + 1 == count)))
    }
}
