//! A field for a JSON Schema.

use super::super::store::Store;
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::question_fields::{Field, FieldKind};
use leptos::prelude::*;

/// Label, description, error.
#[component]
pub fn SchemaField(
    /// Page state.
    store: Store,
    /// Its schema.
    field: Field,
    /// Typed text.
    value: Signal<String>,
    /// Invalid text.
    is_wrong: Signal<bool>,
    /// Receives text.
    typed: Callback<String>,
) -> impl IntoView {
    let title = field.title.clone();
    let wrong = move || {
        is_wrong.get().then(|| {
            let message = format_message(W::Needed.text(store.lang.get()), &[&title]);
            view! { <span class="wrong" role="alert">{message}</span> }
        })
    };
    let about = (!field.description.is_empty())
        .then(|| view! { <span class="about">{field.description.clone()}</span> });
    let star = field.is_required.then_some(" *");
    view! {
        <label class="field">
            <span class="name">{field.title.clone()}{star}</span>
            <SchemaInput field value is_wrong typed/>
            {about}
            {wrong}
        </label>
    }
}

#[component]
fn SchemaInput(
    field: Field,
    value: Signal<String>,
    is_wrong: Signal<bool>,
    typed: Callback<String>,
) -> impl IntoView {
    let required = field.is_required.to_string();
    let invalid = move || is_wrong.get().to_string();
    let on_input = move |event: leptos::ev::Event| typed.run(event_target_value(&event));
    match field.kind {
        FieldKind::Boolean => {
            let turned = move |event: leptos::ev::Event| typed.run(event_target_checked(&event).to_string());
            view! { <input type="checkbox" prop:checked=move || value.get() == "true" on:change=turned/> }.into_any()
        }
        FieldKind::Choice(all) => {
            let options = all.into_iter().map(|(value, name)| view! { <option value=value>{name}</option> }).collect_view();
            view! {
                <select prop:value=move || value.get() aria-required=required aria-invalid=invalid on:change=on_input>
                    <option value=""></option>
                    {options}
                </select>
            }
            .into_any()
        }
        FieldKind::Json => {
            view! { <textarea class="code" rows="3" spellcheck="false" prop:value=move || value.get() aria-required=required aria-invalid=invalid on:input=on_input></textarea> }
                .into_any()
        }
        FieldKind::Text | FieldKind::Number(_) => {
            let mode = if field.kind == FieldKind::Text { "text" } else { "decimal" };
            view! { <input type="text" inputmode=mode placeholder=field.initial_text prop:value=move || value.get() aria-required=required aria-invalid=invalid on:input=on_input/> }
                .into_any()
        }
    }
}
