//! What stands in the header of a plan that is kept, and below it when there is something to say.

use super::super::run::control::show_recorded;
use super::super::store::{Store, t};
use super::consent::origin;
use super::embed::is_embedded;
use super::storage_client::want;
use super::{Dialog, LockState, SaveState, autosave, show};
use crate::i18n::{Localized, Share as W, error_message};
use crate::share::Origin;
use leptos::prelude::*;
use stepgraph_lazy::lazy;

lazy! {
    /// Saves the plan as a file.
    fn download_it(store: Store) = save_as_file;

    /// What is here becomes a plan of its own.
    fn copy(store: Store) = autosave::copy;

    /// Edits the plan here from now on.
    fn take(store: Store) = autosave::take;

    /// Shows the run that was recorded with the plan.
    fn recorded(store: Store) = show_recorded;

    /// Opens an embedded plan in a page of its own.
    fn open_whole(store: Store) = open_elsewhere;

    /// Loads the new version of the page.
    fn update(store: Store) = load_again;
}

fn save_as_file(store: Store) {
    let kept = autosave::kept(store);
    want(store, "save", &["text", &kept.text, &store.share.name.get_untracked()], |_| {});
}

fn open_elsewhere(store: Store) {
    let kept = autosave::kept(store);
    let (text, _) = crate::share::redact_secrets(&kept.text);
    want(store, "whole", &[&text, &store.share.name.get_untracked(), &kept.extras()], |_| {});
}

fn load_again(store: Store) {
    want(store, "update", &[], |_| {});
}

/// The plan's name, whether it is kept, and the ways to share it.
#[component]
pub fn ShareBar(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let share = store.share;
    let state = move || {
        let lang = store.lang.get();
        if !share.is_lasting.get() {
            return W::InMemory.text(lang);
        }
        match share.saving.get() {
            SaveState::None => "",
            SaveState::Pending => W::Saving.text(lang),
            SaveState::Saved => W::Saved.text(lang),
            SaveState::Failed(..) => W::NotSaved.text(lang),
        }
    };
    let failed = move || matches!(share.saving.get(), SaveState::Failed(..)) || !share.is_lasting.get();
    view! {
        <div class="share-bar">
            {is_embedded().then(|| whole(store))}
            <button type="button" class="share-name" aria-haspopup="dialog" title=t(store, W::Plans) on:click=move |_| show(store, Dialog::Plans)>
                <span>{move || share.name.get()}</span>
                <svg viewBox="0 0 20 20" width="14" height="14" aria-hidden="true"><path d="M5 8l5 5 5-5"></path></svg>
            </button>
            <span class="share-state" class:failed=failed>{state}</span>
            <button type="button" class="share-button main" aria-haspopup="dialog" on:click=move |_| show(store, Dialog::Export)>{t(store, W::ShareIt)}</button>
        </div>
    }
}

/// What is to be said about how the plan is kept; nothing when all is well.
#[component]
pub fn ShareBanner(
    /// What is open.
    store: Store,
) -> impl IntoView {
    let share = store.share;
    let line = move || {
        let lang = store.lang.get();
        if let SaveState::Failed(code, detail) = share.saving.get() {
            return Some((error_message(lang, &code, &detail), "failed", download(store).into_any()));
        }
        let word = match share.seat.get() {
            LockState::Owner => None,
            LockState::Guest => Some(W::Guest),
            LockState::Lost => Some(W::LostIt),
            LockState::Newer => Some(W::Newer),
        };
        if let Some(word) = word {
            return Some((word.text(lang).to_owned(), "other", take_or_copy(store).into_any()));
        }
        if !share.is_lasting.get() && !is_embedded() {
            return Some((W::StorageDenied.text(lang).to_owned(), "failed", download(store).into_any()));
        }
        if share.is_outdated.get() {
            return Some((W::NewVersion.text(lang).to_owned(), "other", reload(store).into_any()));
        }
        // Inside another page it is said when somebody wants to run it.
        (share.is_foreign.get() && !is_embedded()).then(|| {
            let word = if origin(store) == Origin::Link { W::ForeignLink } else { W::ForeignOther };
            (word.text(lang).to_owned(), "foreign", look(store).into_any())
        })
    };
    let shown = move || {
        line().map(|(text, class, actions)| view! { <div class=["share-banner ", class].concat()><p>{text}</p>{actions}</div> })
    };
    view! { <div role="status">{shown}</div> }
}

fn download(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button" on:click=move |_| download_it(store)>{t(store, W::Download)}</button> }
}

fn take_or_copy(store: Store) -> impl IntoView {
    view! {
        <button type="button" class="share-button" on:click=move |_| copy(store)>{t(store, W::KeepCopy)}</button>
        <button type="button" class="share-button main" on:click=move |_| take(store)>{t(store, W::EditHere)}</button>
    }
}

fn look(store: Store) -> impl IntoView {
    let is_recorded = move || !store.share.cassette.with(String::is_empty);
    view! {
        <Show when=is_recorded>
            <button type="button" class="share-button" on:click=move |_| recorded(store)>{t(store, W::ShowRecorded)}</button>
        </Show>
        <button type="button" class="share-button" on:click=move |_| show(store, Dialog::Consent)>{t(store, W::LookThrough)}</button>
    }
}

fn reload(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button" on:click=move |_| update(store)>{t(store, W::Reload)}</button> }
}

/// An embedded plan in a page of its own.
fn whole(store: Store) -> impl IntoView {
    view! { <button type="button" class="share-button share-whole" on:click=move |_| open_whole(store)>{t(store, W::OpenWhole)}</button> }
}
