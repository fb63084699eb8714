//! The list of all keys.

use super::super::dispatch::dispatch;
use super::super::key_events::is_mac;
use super::super::store::{Store, t};
use crate::command::{Command, Row};
use crate::i18n::{Localized, Shell as W, format_message};
use crate::keyboard::Chord;
use crate::menu::key_groups;
use leptos::prelude::*;

/// Keys, and the single-key switch.
#[component]
pub fn KeyboardHelp(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let line = move |row: &'static Row| {
        let chords = move || {
            let lang = store.lang.get();
            let all = row.keys.iter().map(|key| Chord::parse(key).label(is_mac(), lang));
            all.map(|key| view! { <kbd>{key}</kbd> }).collect_view()
        };
        view! { <div class="line"><dt>{move || row.name.text(store.lang.get())}</dt><dd>{chords}</dd></div> }
    };
    let group = move |(name, rows): (W, Vec<&'static Row>)| {
        view! {
            <section>
                <h3 class="heading">{t(store, name)}</h3>
                <dl>{rows.into_iter().map(line).collect_view()}</dl>
            </section>
        }
    };
    let in_text = move || {
        let lang = store.lang.get();
        let key = Command::TabIndents.key().map(|key| key.label(is_mac(), lang)).unwrap_or_default();
        format_message(W::KeysInText.text(lang), &[&key])
    };
    view! {
        <div class="keylist" tabindex="0" autofocus role="group" aria-label=t(store, W::Keys)>
            <p>{t(store, W::KeysHint)} " " {in_text}</p>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || store.layout.with(|layout| layout.has_single_keys)
                    on:change=move |_| dispatch(store, Command::SingleKeys)
                />
                {t(store, W::SingleKeys)}
            </label>
            <div class="columns">{key_groups().into_iter().map(group).collect_view()}</div>
        </div>
    }
}
