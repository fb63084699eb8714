//! Links have the plan and expanded nodes, optionally stubs and run. Secrets are removed here by structure, in scripts
//! by format.

use super::super::store::{Store, t};
use super::autosave;
use super::storage_client::{notify_error, request, request_or_notify};
use crate::i18n::{Localized, Share as W, format_message};
use crate::share::{StoredPlan, redact_secrets};
use crate::svg::svg;
use leptos::prelude::*;
use serde_json::Value as Json;

#[derive(Debug, Clone, Default)]
struct Link {
    url: String,
    about: Vec<String>,
    is_usable: bool,
}

/// Links and files.
#[component]
pub fn ExportDialog(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let share = store.share;
    let (stubs, run) = (RwSignal::new(true), RwSignal::new(false));
    let link = RwSignal::new(Link::default());
    let by_hand = RwSignal::new(None::<String>);
    let latest = StoredValue::new(0_u32);
    Effect::new(move |nth: Option<u32>| {
        store.text_version.track();
        let nth = nth.unwrap_or_default().wrapping_add(1);
        latest.set_value(nth);
        // Large links are slower, so answers may be out of order.
        make_link(store, stubs.get(), run.get(), move |made| {
            if latest.try_get_value() == Some(nth) {
                link.set(made);
            }
        });
        nth
    });
    let field = NodeRef::<leptos::html::Input>::new();
    let copy_link = move |_| {
        if let Some(input) = field.get_untracked() {
            input.select();
        }
        copy(store, link.get_untracked().url, by_hand);
    };
    let choice = move |word: W, on: RwSignal<bool>, there: Signal<bool>| {
        let toggle = move |_| on.update(|on| *on = !*on);
        view! {
            <Show when=move || there.get()>
                <label class="share-choice"><input type="checkbox" prop:checked=on on:change=toggle/>{t(store, word)}</label>
            </Show>
        }
    };
    let has = |text: RwSignal<String>| Signal::derive(move || !text.get().is_empty());
    view! {
        <div class="share-linked">
            <p class="share-about">{t(store, W::LinkAbout)}</p>
            <div class="share-row">
                <input node_ref=field type="text" class="share-field code" readonly aria-label=t(store, W::LinkField) prop:value=move || link.get().url/>
                <button type="button" class="share-button main" disabled=move || !link.get().is_usable on:click=copy_link>{t(store, W::CopyLink)}</button>
            </div>
            <div class="share-row">
                {choice(W::WithStubs, stubs, has(share.stubs))}
                {choice(W::WithRun, run, has(share.cassette))}
            </div>
            <div role="status"><ul class="share-notes">{move || link.get().about.into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul></div>
        </div>
        <h3>{t(store, W::Export)}</h3>
        <ul class="share-kinds">
            {[(W::AsText, "yaml"), (W::AsJson, "json"), (W::AsMermaid, "mermaid"), (W::AsSvg, "svg"), (W::AsPng, "png")]
                .map(|(word, kind)| export(store, word, kind, by_hand))}
        </ul>
        <div class="share-linked">
            <h3>{t(store, W::EmbedField)}</h3>
            <textarea class="share-field code" readonly rows="2" aria-label=t(store, W::EmbedField) prop:value=snippet></textarea>
        </div>
        {move || by_hand.get().map(|text| manual_copy_field(store, text))}
    }
}

fn manual_copy_field(store: Store, text: String) -> impl IntoView {
    let select = move |event: leptos::ev::FocusEvent| {
        event_target::<leptos::web_sys::HtmlTextAreaElement>(&event).select();
    };
    view! {
        <p class="share-note">{t(store, W::ClipboardDenied)}</p>
        <textarea class="share-field code" readonly rows="4" autofocus aria-label=t(store, W::CopyByHand) prop:value=text on:focus=select></textarea>
    }
}

fn export(store: Store, word: W, kind: &'static str, by_hand: RwSignal<Option<String>>) -> impl IntoView {
    let content = move || match kind {
        "svg" | "png" => drawing(store),
        _ => autosave::current_plan(store).text,
    };
    let save = move |_| {
        request_or_notify(store, "save", &[kind, &content(), &store.share.name.get_untracked()], |_| {});
    };
    let put = move |_| {
        request_or_notify(store, "put", &[kind, &content()], move |value| {
            if value.get("copied").and_then(Json::as_bool) == Some(true) {
                store.announce(W::Copied.text(store.lang.get_untracked()));
                by_hand.set(None);
            } else {
                by_hand.set(value.get("text").and_then(Json::as_str).map(str::to_owned));
            }
        });
    };
    let named = move |verb: W| [verb.text(store.lang.get()), " ", word.text(store.lang.get())].concat();
    view! {
        <li>
            <span>{t(store, word)}</span>
            <button type="button" class="share-button" aria-label=move || named(W::Download) on:click=save>{t(store, W::Download)}</button>
            <button type="button" class="share-button" aria-label=move || named(W::Copy) on:click=put>{t(store, W::Copy)}</button>
        </li>
    }
}

fn drawing(store: Store) -> String {
    let (theme, name) = (store.theme.get_untracked(), store.share.name.get_untracked());
    store.read(|editor| svg(editor.scene(), theme, &name))
}

fn copy(store: Store, text: String, by_hand: RwSignal<Option<String>>) {
    request("copy", &[&text.clone()], move |answer| match answer {
        Ok(_) => store.announce(W::Copied.text(store.lang.get_untracked())),
        Err(_) => by_hand.set(Some(text)),
    });
}

fn make_link(store: Store, stubs: bool, run: bool, done: impl FnOnce(Link) + 'static) {
    let mut plan = autosave::current_plan(store);
    let (text, count) = redact_secrets(&plan.text);
    let (plan_stubs, more) = redact_secrets(&plan.stubs);
    plan = StoredPlan {
        text,
        stubs: if stubs { plan_stubs } else { String::new() },
        cassette: if run { plan.cassette } else { String::new() },
        ..plan
    };
    let count = count + if stubs { more } else { 0 };
    let name = store.share.name.get_untracked();
    request("link", &[&plan.text, &name, &plan.extras()], move |answer| match answer {
        Ok(value) => done(link_of(store, &value, count)),
        Err(error) => notify_error(store, &error),
    });
}

fn link_of(store: Store, value: &Json, redacted: usize) -> Link {
    let lang = store.lang.get_untracked();
    let text = |key| value.get(key).and_then(Json::as_str).unwrap_or_default();
    let whole = |key| {
        value
            .get(key)
            .and_then(Json::as_u64)
            .and_then(|number| usize::try_from(number).ok())
            .unwrap_or_default()
    };
    let mut about = vec![format_message(W::LinkLetters.text(lang), &[&whole("length").to_string()])];
    let kept = whole("kept") + redacted;
    if kept > 0 {
        about.push(format_message(W::KeysLeftOut.text(lang), &[&kept.to_string()]));
    }
    let size = text("size");
    match size {
        "long" => about.push(W::LinkLong.text(lang).to_owned()),
        "too-long" => about.push(W::LinkTooLong.text(lang).to_owned()),
        _ => {}
    }
    Link { url: text("url").to_owned(), about, is_usable: size != "too-long" }
}

fn snippet() -> String {
    let base = window().location().href().unwrap_or_default();
    let base = base.split(['?', '#']).next().unwrap_or_default();
    let base = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    [
        "<script type=\"module\" src=\"",
        base,
        "/js/embed.js\"></script>\n<stepgraph-plan src=\"plan.yaml\" run></stepgraph-plan>",
    ]
    .concat()
}
