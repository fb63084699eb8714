//! Save state and banner.

use super::super::run::control::show_recorded;
use super::super::store::{Store, t};
use super::consent::origin;
use super::embed::is_embedded;
use super::storage_client::request_or_notify;
use super::{Dialog, LockState, SaveState, autosave, show_dialog};
use crate::i18n::{Localized, Share as W, error_message};
use crate::share::Origin;
use leptos::prelude::*;
use stepgraph_lazy::lazy;

lazy! {
    fn download_plan(store: Store) = save_as_file;

    fn keep_copy(store: Store) = autosave::keep_copy;

    fn take_edit_lock(store: Store) = autosave::take_edit_lock;

    fn show_recording(store: Store) = show_recorded;

    fn open_full_page(store: Store) = open_in_new_tab;

    fn reload_page(store: Store) = reload;
}

fn save_as_file(store: Store) {
    let plan = autosave::current_plan(store);
    request_or_notify(store, "save", &["text", &plan.text, &store.share.name.get_untracked()], |_| {});
}

fn open_in_new_tab(store: Store) {
    let plan = autosave::current_plan(store);
    let (text, _) = crate::share::redact_secrets(&plan.text);
    request_or_notify(store, "whole", &[&text, &store.share.name.get_untracked(), &plan.extras()], |_| {});
}

fn reload(store: Store) {
    request_or_notify(store, "update", &[], |_| {});
}

/// Name, state, share button.
#[component]
pub fn ShareBar(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let share = store.share;
    let state = move || {
        let lang = store.lang.get();
        if !share.is_persistent.get() {
            return W::InMemory.text(lang);
        }
        match share.save_state.get() {
            SaveState::None => "",
            SaveState::Pending => W::Saving.text(lang),
            SaveState::Saved => W::Saved.text(lang),
            SaveState::Failed(..) => W::NotSaved.text(lang),
        }
    };
    let failed =
        move || matches!(share.save_state.get(), SaveState::Failed(..)) || !share.is_persistent.get();
    // The header may cut the name.
    let hint = move || [&share.name.get(), "\n", W::Plans.text(store.lang.get())].concat();
    view! {
        <div class="share-bar">
            {is_embedded().then(|| full_page_button(store))}
            <button type="button" class="share-name" aria-haspopup="dialog" title=hint on:click=move |_| show_dialog(store, Dialog::Plans)>
                <span>{move || share.name.get()}</span>
                <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden="true"><path d="M5 8l5 5 5-5"></path></svg>
            </button>
            <span class="share-state" class:failed=failed>{state}</span>
            <button type="button" class="share-button main" aria-haspopup="dialog" on:click=move |_| show_dialog(store, Dialog::Export)>{t(store, W::ShareIt)}</button>
        </div>
    }
}

/// About storage, locks, updates and trust. Empty if all is well.
#[component]
pub fn ShareBanner(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let share = store.share;
    let line = move || {
        let lang = store.lang.get();
        if let SaveState::Failed(code, detail) = share.save_state.get() {
            return Some((error_message(lang, &code, &detail), "failed", download_button(store).into_any()));
        }
        let word = match share.lock_state.get() {
            LockState::Owner => None,
            LockState::Guest => Some(W::Guest),
            LockState::Lost => Some(W::LockLost),
            LockState::Newer => Some(W::NewerVersion),
        };
        if let Some(word) = word {
            return Some((word.text(lang).to_owned(), "other", lock_buttons(store).into_any()));
        }
        if !share.is_persistent.get() && !is_embedded() {
            return Some((
                W::StorageDenied.text(lang).to_owned(),
                "failed",
                download_button(store).into_any(),
            ));
        }
        if share.is_outdated.get() {
            return Some((W::NewVersion.text(lang).to_owned(), "other", reload_button(store).into_any()));
        }
        // Embedded pages ask at the run.
        (share.is_foreign.get() && !is_embedded()).then(|| {
            let word = if origin(store) == Origin::Link { W::ForeignLink } else { W::ForeignOther };
            (word.text(lang).to_owned(), "foreign", review_button(store).into_any())
        })
    };
    let shown = move || {
        line().map(|(text, class, actions)| view! { <div class=["share-banner ", class].concat()><p>{text}</p>{actions}</div> })
    };
    view! { <div role="status">{shown}</div> }
}

fn download_button(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button" on:click=move |_| download_plan(store)>{t(store, W::Download)}</button> }
}

fn lock_buttons(store: Store) -> impl IntoView {
    view! {
        <button type="button" class="share-button" on:click=move |_| keep_copy(store)>{t(store, W::KeepCopy)}</button>
        <button type="button" class="share-button main" on:click=move |_| take_edit_lock(store)>{t(store, W::EditHere)}</button>
    }
}

fn review_button(store: Store) -> impl IntoView {
    let is_recorded = move || !store.share.cassette.with(String::is_empty);
    view! {
        <Show when=is_recorded>
            <button type="button" class="share-button" on:click=move |_| show_recording(store)>{t(store, W::ShowRecorded)}</button>
        </Show>
        <button type="button" class="share-button" on:click=move |_| show_dialog(store, Dialog::Consent)>{t(store, W::ReviewPlan)}</button>
    }
}

fn reload_button(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button" on:click=move |_| reload_page(store)>{t(store, W::Reload)}</button> }
}

fn full_page_button(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button share-whole" on:click=move |_| open_full_page(store)>{t(store, W::OpenWhole)}</button> }
}
