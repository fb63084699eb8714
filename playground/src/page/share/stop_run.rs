//! Asks before another plan ends an active run. Embedded pages never ask: their parent chooses the plan.

use super::super::run::saved_settings::discard_run;
use super::super::store::{Store, t};
use super::{Dialog, show_dialog};
use crate::i18n::Share as W;
use crate::run::RunState;
use leptos::prelude::*;

/// Returns whether a dialog asks the user.
pub(super) fn after_run_stopped(store: Store, open: impl FnOnce() + 'static) -> bool {
    let is_free = store.runs.state.with_untracked(|state| *state == RunState::Idle);
    if is_free {
        open();
    } else {
        store.share.after_run_stops.set_value(Some(Box::new(open)));
        show_dialog(store, Dialog::StopRun);
    }
    !is_free
}

fn stop_and_open(store: Store) {
    store.share.dialog.set(None);
    // At once: the next plan may need a fetch.
    discard_run(store);
    let mut open = None;
    store.share.after_run_stops.update_value(|work| open = work.take());
    if let Some(open) = open {
        open();
    }
}

/// The question.
#[component]
pub fn StopRunDialog(
    /// Page state.
    store: Store,
) -> impl IntoView {
    view! {
        <p class="share-about">{t(store, W::StopRunAbout)}</p>
        <div class="share-row end">
            <button type="button" class="share-button" autofocus on:click=move |_| store.share.dialog.set(None)>{t(store, W::Stay)}</button>
            <button type="button" class="share-button main" on:click=move |_| stop_and_open(store)>{t(store, W::StopAndOpen)}</button>
        </div>
    }
}
