//! Another plan instead of the one that is open, while that one runs.
//!
//! Decides that a person is asked first. A run belongs to the plan in which it began: whoever opens another plan ends it. A run that is
//! over goes without a question, and so does one of a page inside another, whose plan the page around it chooses.

use super::super::run::saved_settings::discard_run;
use super::super::store::{Store, t};
use super::{Dialog, show_dialog};
use crate::i18n::Share as W;
use crate::run::RunState;
use leptos::prelude::*;

/// Opens another plan: at once, or when the person has agreed that the run ends. Gives whether they are asked.
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
    // It ends now and not when the other plan is there: that one may have to be fetched first.
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
    /// What is open.
    store: Store,
) -> impl IntoView {
    view! {
        <p class="share-about">{t(store, W::LeaveAbout)}</p>
        <div class="share-row end">
            <button type="button" class="share-button" autofocus on:click=move |_| store.share.dialog.set(None)>{t(store, W::Stay)}</button>
            <button type="button" class="share-button main" on:click=move |_| stop_and_open(store)>{t(store, W::StopAndOpen)}</button>
        </div>
    }
}
