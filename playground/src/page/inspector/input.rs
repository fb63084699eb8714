//! Controls to type and choose.

use super::field_input::{FieldInput, read_field};
use super::reference_picker::reference_picker;
use super::template_suggestions::{TemplateSuggestions, suggestion_list};
use crate::form::{Choice, Control};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use serde_json::Value as Json;
use stepgraph_core::value::json_equal;

pub(super) fn text_control(input: FieldInput, long: bool) -> AnyView {
    let suggestions = TemplateSuggestions::new(input);
    let typed = move |event| {
        let text = event_target_value(&event);
        input.text_typed(&text);
        suggestions.look(&text);
    };
    let is_template = Memo::new(move |_| read_field(input.field, |field| field.is_template));
    let extras =
        move || is_template.get().then(|| view! { {suggestion_list(suggestions)}{reference_picker(input)} });
    let completes = move || is_template.get().then_some("list");
    let list = move || is_template.get().then(|| suggestions.list_id());
    let rows = move || input.shown_text().split('\n').count().clamp(2, 12).to_string();
    let leave = move |_| {
        suggestions.close();
        input.focus_left();
    };
    if long {
        return view! {
            <textarea id=input.id() rows=rows spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder() aria-invalid=move || input.aria_invalid()
                aria-autocomplete=completes aria-controls=list aria-activedescendant=move || suggestions.active()
                aria-describedby=input.described_by() on:input=typed on:keydown=move |event| suggestions.on_key(&event) on:blur=leave></textarea>
            {extras}
        }
        .into_any();
    }
    view! {
        <input id=input.id() type="text" autocomplete="off" spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-autocomplete=completes aria-controls=list aria-activedescendant=move || suggestions.active()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:keydown=move |event| suggestions.on_key(&event) on:blur=leave/>
        {extras}
    }
    .into_any()
}

pub(super) fn number_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let picks = move || read_field(input.field, |field| field.is_template).then(|| reference_picker(input));
    view! {
        <input id=input.id() class="number" type="text" inputmode="decimal" autocomplete="off" prop:value=move || input.shown_text()
            placeholder=move || input.placeholder() aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by()
            on:input=typed on:blur=move |_| input.focus_left()/>
        {picks}
    }
    .into_any()
}

pub(super) fn raw_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let rows = move || input.shown_text().split('\n').count().clamp(2, 16).to_string();
    view! {
        <textarea id=input.id() class="code" rows=rows spellcheck="false" prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:blur=move |_| input.focus_left()></textarea>
    }
    .into_any()
}

fn choices(input: FieldInput) -> Vec<Choice> {
    match read_field(input.field, |field| Some(field.control.clone())) {
        Some(Control::Choice(choices) | Control::Combobox(choices)) => choices,
        Some(Control::Boolean) => {
            let truth = |(value, word): (bool, W)| Choice {
                value: Json::Bool(value),
                label: input.ctx.text(word).to_owned(),
                help: String::new(),
            };
            [(true, W::Yes), (false, W::No)].into_iter().map(truth).collect()
        }
        _ => Vec::new(),
    }
}

/// Longer lists wait for interaction: a plan may offer ten thousand nodes.
const MAX_CHOICES: usize = 200;

pub(super) fn choice_control(input: FieldInput) -> AnyView {
    let FieldInput { ctx, field, .. } = input;
    // Each character rebuilds the form.
    let all = Memo::new(move |_| choices(input));
    let is_seen = RwSignal::new(false);
    let at = Memo::new(move |_| {
        let value = read_field(field, |field| field.value.clone());
        let is = |choice: &Choice| value.as_ref().is_some_and(|value| json_equal(&choice.value, value));
        all.with(|all| all.iter().position(is))
    });
    let selected = move || at.get().map(|at| at.to_string()).unwrap_or_default();
    let nothing = move || {
        let (default_text, mixed, required) = read_field(field, |field| {
            (field.default_text.clone(), field.is_mixed, field.is_required && field.value.is_some())
        });
        let default_text = match default_text.as_str() {
            "true" => ctx.text(W::Yes).to_owned(),
            "false" => ctx.text(W::No).to_owned(),
            _ => default_text,
        };
        let text = match default_text.as_str() {
            _ if mixed => ctx.text(W::Mixed).to_owned(),
            "" => ctx.text(W::Unset).to_owned(),
            default_text => ctx.format(W::Default, &[default_text]),
        };
        (!required).then(|| view! { <option value="" selected=move || at.get().is_none()>{text}</option> })
    };
    let list = move || {
        let is_whole = is_seen.get() || all.with(Vec::len) <= MAX_CHOICES;
        let here = if is_whole { at.get_untracked() } else { at.get() };
        let option = |(vertex, choice): (usize, &Choice)| {
            view! { <option value=vertex.to_string() selected=here == Some(vertex) title=choice.help.clone()>{choice.label.clone()}</option> }
        };
        let exists = |(vertex, _): &(usize, &Choice)| is_whole || here == Some(*vertex);
        all.with(|all| all.iter().enumerate().filter(exists).map(option).collect_view())
    };
    let choose = move |event| {
        let at: Option<usize> = event_target_value(&event).parse().ok();
        let value =
            at.and_then(|at| all.with_untracked(|all| all.get(at).map(|choice| choice.value.clone())));
        ctx.store.end_typing_step();
        if let Some(field) = field.get_untracked() {
            input.write_value(&field, value.as_ref());
        }
    };
    view! {
        <select id=input.id() aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() prop:value=selected on:change=choose
            on:focus=move |_| is_seen.set(true) on:pointerdown=move |_| is_seen.set(true)>
            {nothing}{list}
        </select>
    }
    .into_any()
}

pub(super) fn combobox_control(input: FieldInput) -> AnyView {
    let typed = move |event| input.text_typed(&event_target_value(&event));
    let list = input.part_id("list");
    let all = Memo::new(move |_| choices(input));
    let is_seen = RwSignal::new(false);
    let options = move || {
        let option = |choice: Choice| view! { <option value=choice.label>{choice.help}</option> };
        let is_whole = is_seen.get() || all.with(Vec::len) <= MAX_CHOICES;
        is_whole.then(|| all.get().into_iter().map(option).collect_view())
    };
    view! {
        <input id=input.id() type="text" on:focus=move |_| is_seen.set(true) autocomplete="off" spellcheck="false" list=list.clone() prop:value=move || input.shown_text() placeholder=move || input.placeholder()
            aria-invalid=move || input.aria_invalid() aria-describedby=input.described_by() on:input=typed on:blur=move |_| input.focus_left()/>
        <datalist id=list>{options}</datalist>
    }
    .into_any()
}
