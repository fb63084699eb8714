//! Components to save, open and share. `crate::share` and scripts decide.
//!
//! Invariants: 1. failures keep the plan. 2. untrusted plans run only through [`when_allowed`]. 3. the user opens plans
//! through [`stop_run::after_run_stopped`], which asks before a run ends.

pub mod autosave;
pub mod consent;
pub mod dialog;
pub mod embed;
pub mod export;
pub mod plans;
pub mod restore_points;
pub mod save_status;
pub mod state;
pub mod stop_run;
pub mod storage_client;

pub use autosave::{open_initial_plan, open_new};
pub use consent::{may_run, when_allowed};
pub use embed::{initial_theme, is_embedded};
pub use save_status::{ShareBanner, ShareBar};
pub use state::{Dialog, LockState, SaveState, Share};

use super::store::{Store, t};
use crate::i18n::Share as W;
use leptos::prelude::*;

/// Opens a dialog.
pub fn show_dialog(store: Store, dialog: Dialog) {
    store.share.dialog.set(Some(dialog));
}

/// Saves and announces.
pub fn save(store: Store) {
    autosave::save_now(store);
}

/// Contains one node.
pub fn new_plan(store: Store) {
    plans::open_fresh(store);
}

/// All dialogs.
#[component]
pub fn ShareDialogs(
    /// Page state.
    store: Store,
) -> impl IntoView {
    let open =
        move |dialog: Dialog| Signal::derive(move || store.share.dialog.get().as_ref() == Some(&dialog));
    view! {
        <Show when=move || store.share.is_dropping.get()><div class="share-drop">{t(store, W::DropHere)}</div></Show>
        <dialog::ShareDialog store open=open(Dialog::Export) title=W::ShareAndExport content=export_view/>
        <dialog::ShareDialog store open=open(Dialog::Plans) title=W::Plans content=plans_view/>
        <dialog::ShareDialog store open=open(Dialog::RestorePoints) title=W::Versions content=points_view/>
        <dialog::ShareDialog store open=open(Dialog::Consent) title=W::ConsentTitle content=consent_view/>
        <dialog::ShareDialog store open=open(Dialog::StopRun) title=W::StopRunTitle content=stop_run_view/>
    }
}

fn export_view(store: Store) -> AnyView {
    view! { <export::ExportDialog store/> }.into_any()
}

fn plans_view(store: Store) -> AnyView {
    view! { <plans::PlansDialog store/> }.into_any()
}

fn points_view(store: Store) -> AnyView {
    view! { <restore_points::RestorePointsDialog store/> }.into_any()
}

fn stop_run_view(store: Store) -> AnyView {
    view! { <stop_run::StopRunDialog store/> }.into_any()
}

fn consent_view(store: Store) -> AnyView {
    view! { <consent::Agreement store/> }.into_any()
}
