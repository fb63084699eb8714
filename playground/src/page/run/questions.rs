//! Approvals and server forms. A question stays until answered or until its call ends.

use super::super::dom::reveal_soon;
use super::super::store::{Store, t};
use super::control::send;
use super::schema_field::SchemaField;
use crate::i18n::{Localized, Run as W, format_message};
use crate::run::question_fields::{fields, parse_answer};
use crate::run::{Question, pretty};
use leptos::html::{Dialog, Textarea};
use leptos::prelude::*;
use serde_json::{Value as Json, json};
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;

/// Open questions.
#[component]
pub fn Questions(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let questions = Memo::new(move |_| store.runs.with(|run, _| run.questions().to_vec()));
    let one = move |question: Question| match question.schema.clone() {
        Some(schema) => view! { <Form store question schema/> }.into_any(),
        None => view! { <Approval store question/> }.into_any(),
    };
    // Many elements of a `map` may ask at the same time.
    view! {
        <div class="asks">
            <For each=move || questions.get() key=|question| question.call.clone() children=one/>
        </div>
    }
}

/// Scrolls the panel to a new question, because the user may have scrolled past it.
pub(super) fn reveal_new_questions(store: Store) {
    let calls = Memo::new(move |_| {
        let call = |question: &Question| question.call.clone();
        store.runs.with(|run, _| run.questions().iter().map(call).collect::<Vec<_>>())
    });
    Effect::new(move |before: Option<Vec<String>>| {
        let calls = calls.get();
        let is_new = |call: &String| before.as_ref().is_none_or(|before| !before.contains(call));
        if let Some(at) = calls.iter().position(is_new) {
            reveal_soon([".panel .asks > :nth-child(", &(at + 1).to_string(), ")"].concat());
        }
        calls
    });
}

/// Above a modal dialog, because a server may ask during planning.
#[component]
pub fn QuestionsOverlay(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let node = NodeRef::<Dialog>::new();
    let is_requested = Memo::new(move |_| store.runs.with(|run, _| !run.questions().is_empty()));
    Effect::new(move || {
        let Some(dialog) = node.get() else { return };
        let is_covered = document().query_selector("dialog:modal").ok().flatten().is_some();
        match (is_requested.get(), dialog.open()) {
            (true, false) if is_covered => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    view! {
        <dialog node_ref=node class="share-dialog" aria-label=t(store, W::AsksPerson)>
            <header><h2>{t(store, W::AsksPerson)}</h2></header>
            <div class="share-body run">{move || is_requested.get().then(|| view! { <Questions store/> })}</div>
        </dialog>
    }
}

#[component]
fn Approval(store: Store, mut question: Question) -> impl IntoView {
    let call = StoredValue::new(question.call.clone());
    let decide = move |decision: Json| {
        send(&json!({"type": "decide", "call": call.get_value(), "decision": decision}));
    };
    let value = RwSignal::new(pretty(&json_text(question.input.get("arguments").unwrap_or(&question.input))));
    let shown = value.get_untracked();
    let is_other = RwSignal::new(false);
    let field = NodeRef::<Textarea>::new();
    // It may be below what is in sight.
    field.on_load(|field| drop(field.focus()));
    let parsed = move || value.with(|text| parse(text));
    let send = move |_| {
        if let Some(value) = parsed() {
            decide(json!({"value": value}));
        }
    };
    let guarded = question.guarded_call.take().map(|(tool, arguments)| {
        let text = pretty(&json_text(&arguments));
        view! {
            <p>{move || format_message(W::CallsNext.text(store.lang.get()), &[&tool])}</p>
            <pre class="value" tabindex="0">{text}</pre>
        }
    });
    let heading = move || {
        let lang = store.lang.get();
        match (&question.title, &question.tool) {
            (Some(title), None) => title.clone(),
            (title, Some(tool)) => {
                let asks = format_message(W::AsksToolApproval.text(lang), &[&question.node_path, tool]);
                title.iter().fold(asks, |asks, title| [&asks, ": ", title].concat())
            }
            (None, None) => format_message(W::AsksApproval.text(lang), &[&question.node_path]),
        }
    };
    let other = move || {
        is_other.get().then(|| {
            view! {
                <label class="field">
                    <span class="name">{t(store, W::InsteadLabel)}</span>
                    <textarea class="code" rows="5" spellcheck="false" node_ref=field prop:value=move || value.get() aria-invalid=move || parsed().is_none().to_string()
                        on:input=move |event| value.set(event_target_value(&event))></textarea>
                </label>
                <button type="button" class="main" disabled=move || parsed().is_none() on:click=send>{t(store, W::Send)}</button>
            }
        })
    };
    view! {
        <section class="question" aria-label=t(store, W::AsksPerson)>
            <h3>{heading}</h3>
            <pre class="value" tabindex="0">{shown}</pre>
            {guarded}
            <div class="row">
                <button type="button" class="main" on:click=move |_| decide("approved".into())>{t(store, W::Approve)}</button>
                <button type="button" on:click=move |_| decide("rejected".into())>{t(store, W::Reject)}</button>
                <button type="button" aria-expanded=move || is_other.get().to_string() on:click=move |_| is_other.update(|is| *is = !*is)>
                    {t(store, W::Instead)}
                </button>
            </div>
            {other}
        </section>
    }
}

/// A form, or a URL to visit.
#[component]
fn Form(store: Store, question: Question, schema: Json) -> impl IntoView {
    let fields = StoredValue::new(fields(&schema));
    let typed = RwSignal::new(
        fields.with_value(|fields| fields.iter().map(|field| field.initial_text.clone()).collect::<Vec<_>>()),
    );
    let invalid = RwSignal::new(Vec::<usize>::new());
    let call = StoredValue::new(question.call.clone());
    let reply = move |action: &str, content: Option<Json>| {
        send(
            &json!({"type": "answer", "call": call.get_value(), "action": action, "content": content.unwrap_or_else(|| json!({}))}),
        );
    };
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match fields.with_value(|fields| typed.with_untracked(|typed| parse_answer(fields, typed))) {
            Ok(content) => reply("accept", Some(content)),
            Err(positions) => invalid.set(positions),
        }
    };
    let all = fields.get_value().into_iter().enumerate().map(|(at, field)| {
        let value = Signal::derive(move || typed.with(|typed| typed.get(at).cloned().unwrap_or_default()));
        let is_wrong = Signal::derive(move || invalid.with(|invalid| invalid.contains(&at)));
        let set_text = Callback::new(move |text: String| {
            typed.update(|typed| {
                if let Some(slot) = typed.get_mut(at) {
                    *slot = text;
                }
            });
            invalid.update(|invalid| invalid.retain(|other| *other != at));
        });
        view! { <SchemaField store field value is_wrong typed=set_text/> }
    });
    let address = question.input.get("url").and_then(Json::as_str).map(|url| {
        view! { <p>{t(store, W::Visiting)} " " <code>{url.to_owned()}</code></p> }
    });
    let server = question.server.clone().map(|name| {
        view! { <p class="about">{move || format_message(W::AskedByServer.text(store.lang.get()), &[&name])}</p> }
    });
    view! {
        <form class="question" aria-label=t(store, W::AsksPerson) on:submit=send>
            <h3>{question.title.clone().unwrap_or_default()}</h3>
            {server}
            {address}
            {all.collect_view()}
            <div class="row">
                <button type="submit" class="main">{t(store, W::Send)}</button>
                <button type="button" on:click=move |_| reply("decline", None)>{t(store, W::Decline)}</button>
                <button type="button" on:click=move |_| reply("cancel", None)>{t(store, W::Cancel)}</button>
            </div>
        </form>
    }
}
