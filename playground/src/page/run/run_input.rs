//! The next run's input and speed: a field per declared input, or one for text or JSON.

use super::super::store::{Store, t};
use super::control::send;
use super::schema_field::SchemaField;
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::question_fields::{Field, FieldKind, field, parse_run_input};
use leptos::prelude::*;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::value::json_text;

const DELAYS_MS: [(u32, W); 3] = [(0, W::NoDelay), (500, W::ShortDelay), (2000, W::LongDelay)];

/// Input fields.
#[component]
pub fn RunInputFields(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let fields = Memo::new(move |_| {
        store.with_text(|editor| {
            let inputs = editor.plan().map(|plan| plan.inputs.as_slice()).unwrap_or_default();
            inputs.iter().map(|(name, schema)| input_field(store, &name.name, schema)).collect::<Vec<_>>()
        })
    });
    let inputs = move || {
        let fields = fields.get();
        if fields.is_empty() {
            view! { <PlainInput store/> }.into_any()
        } else {
            fields
                .into_iter()
                .map(|field| view! { <SchemaInputField store field/> })
                .collect_view()
                .into_any()
        }
    };
    let pace = move || store.runs.inputs.with(|run_inputs| run_inputs.delay_ms).to_string();
    let choose = move |event: leptos::ev::Event| {
        let pace = event_target_value(&event).parse().unwrap_or_default();
        store.runs.inputs.update(|run_inputs| run_inputs.delay_ms = pace);
        if store.runs.is_active() {
            send(&json!({"type": "pace", "ms": pace}));
        }
    };
    let option = move |(ms, word): (u32, W)| view! { <option value=ms.to_string()>{t(store, word)}</option> };
    view! {
        <div class="given" role="group" aria-label=t(store, W::RunInput)>
            {inputs}
            <label class="speed">
                <span>{t(store, W::Speed)}</span>
                <select prop:value=pace on:change=choose>{DELAYS_MS.map(option).into_iter().collect_view()}</select>
            </label>
        </div>
    }
}

/// Defaults make inputs optional, and the field shows them.
fn input_field(store: Store, name: &str, schema: &Json) -> Field {
    let default = schema.get("default");
    let mut field = field(name, schema, default.is_none());
    if default.is_some() && field.kind != FieldKind::Boolean {
        let about = format_message(W::DefaultIs.text(store.lang.get()), &[&field.initial_text]);
        let parts = [field.description.as_str(), about.as_str()];
        field.description = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    }
    field
}

#[component]
fn PlainInput(store: Store) -> impl IntoView {
    let typed = move |event| store.runs.inputs.update(|inputs| inputs.input = event_target_value(&event));
    view! {
        <label class="plain">
            <span>{t(store, W::Input)}</span>
            <input
                type="text"
                placeholder=move || W::InputHint.text(store.lang.get())
                prop:value=move || store.runs.inputs.with(|inputs| inputs.input.clone())
                on:input=typed
            />
        </label>
    }
}

/// One declared input.
#[component]
fn SchemaInputField(store: Store, field: Field) -> impl IntoView {
    let name = field.name.clone();
    let (is_switch, initial_text) = (field.kind == FieldKind::Boolean, field.initial_text.clone());
    let now = move || {
        let input = store.runs.inputs.with(|all| parse_run_input(&all.input));
        match input.get(&name) {
            None if is_switch => initial_text.clone(),
            None => String::new(),
            Some(Json::String(text)) => text.clone(),
            Some(value) => json_text(value),
        }
    };
    let (kept, name) = (field.clone(), field.name.clone());
    let typed = move |text: String| {
        store.runs.inputs.update(|all| {
            let mut map = match parse_run_input(&all.input) {
                Json::Object(map) => map,
                _ => Map::new(),
            };
            match kept.parse(&text) {
                Ok(Some(value)) => drop(map.insert(name.clone(), value)),
                Ok(None) => drop(map.remove(&name)),
                // Invalid text stays verbatim.
                Err(_) if text.is_empty() => drop(map.remove(&name)),
                Err(_) => drop(map.insert(name.clone(), Json::String(text))),
            }
            all.input = json_text(&Json::Object(map));
        });
    };
    let is_wrong = {
        let field = field.clone();
        let now = now.clone();
        move || field.kind != FieldKind::Text && field.parse(&now()).is_err() && !now().is_empty()
    };
    view! { <SchemaField store field value=Signal::derive(now) is_wrong=Signal::derive(is_wrong) typed=Callback::new(typed)/> }
}
