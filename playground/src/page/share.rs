//! Plans that are kept and handed on: what the page shows of them.
//!
//! Decides what is told of saving, of other tabs and of plans that came from elsewhere. What is decided about them lies in
//! `crate::share` and in the page's scripts.
//!
//! Files: `storage_client` what scripts are asked · `autosave` the plan that is open, and its saving · `consent` whether it may run · `save_status` what stands in
//! the header and below it · `stop_run` another plan instead of one that runs · `export` links and files · `plans` the list · `restore_points` restore points · `dialog` what they stand in · `embed` the
//! page inside another.
//!
//! Invariants: 1. whatever fails leaves what is open as it is; 2. a plan from elsewhere runs only by way of [`when_allowed`]; 3. a person opens
//! another plan only by way of [`stop_run::after_run_stopped`], so no run is ended without asking.

pub mod autosave;
pub mod consent;
pub mod dialog;
pub mod embed;
pub mod export;
pub mod plans;
pub mod restore_points;
pub mod save_status;
pub mod stop_run;
pub mod storage_client;

pub use autosave::{begin, open_new};
pub use consent::{may_run, when_allowed};
pub use embed::{initial_settings, is_embedded};
pub use save_status::{ShareBanner, ShareBar};

use super::store::{Store, t};
use crate::i18n::Share as W;
use crate::share::Consent;
use leptos::prelude::*;

/// What is to be done once the person has agreed.
type PendingAction = Box<dyn FnOnce()>;

/// Whether what is open is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SaveState {
    /// Nothing was changed.
    #[default]
    None,
    /// It will be in a moment.
    Pending,
    /// It is.
    Saved,
    /// It could not be: a code and what belongs into its sentence.
    Failed(String, String),
}

/// Whether this tab is the one that edits the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockState {
    /// It is.
    #[default]
    Owner,
    /// Another one is, since before this one opened it.
    Guest,
    /// Another one took it.
    Lost,
    /// Another one wrote a newer version.
    Newer,
}

/// What is open above the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Links and files.
    Export,
    /// The list of plans.
    Plans,
    /// Restore points.
    RestorePoints,
    /// What a plan asks for.
    Consent,
    /// Whether another plan may end the run.
    StopRun,
}

/// How the plan is kept, and whether it may run. There is one, for as long as the page is there.
pub struct Share {
    /// What the person calls the plan.
    pub name: RwSignal<String>,
    /// How it is kept; empty as long as it is not.
    pub id: RwSignal<String>,
    /// Whether it is kept.
    pub save_state: RwSignal<SaveState>,
    /// Whether what is kept is there the next time.
    pub is_persistent: RwSignal<bool>,
    /// Whether this tab edits it.
    pub lock_state: RwSignal<LockState>,
    /// Stand-ins, as YAML or JSON text: kept with the plan, and in its link when the person wants it.
    pub stubs: RwSignal<String>,
    /// The recorded log of a run, likewise.
    pub cassette: RwSignal<String>,
    /// Whether the plan came from elsewhere and nobody has agreed to it yet.
    pub is_foreign: RwSignal<bool>,
    /// Whether nothing may be changed: the page stands inside another that says so.
    pub is_readonly: RwSignal<bool>,
    /// Whether another plan than the one that is there will be opened in a moment: nothing is shown until then.
    pub is_plan_awaited: RwSignal<bool>,
    /// Whether a file hangs above the page.
    pub is_dropping: RwSignal<bool>,
    /// Whether a new version of the page waits.
    pub is_outdated: RwSignal<bool>,
    /// Counts changes of the list of plans.
    pub list_version: RwSignal<u32>,
    /// What is open above the page.
    pub dialog: RwSignal<Option<Dialog>>,
    consent: StoredValue<Consent, LocalStorage>,
    next: StoredValue<Option<PendingAction>, LocalStorage>,
    /// How the plan is opened for which the run has to end.
    after_run_stops: StoredValue<Option<PendingAction>, LocalStorage>,
    /// What waits for the plan that is awaited.
    after_plan_opens: StoredValue<Option<PendingAction>, LocalStorage>,
    /// The count of the text when it was last what is kept.
    saved_version: StoredValue<u32>,
    /// The text that was looked at last for what has changed.
    checked_version: StoredValue<u32>,
}

impl std::fmt::Debug for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Share")
    }
}

impl Share {
    /// The one of a page.
    pub fn new() -> &'static Self {
        Box::leak(Box::new(Self {
            name: RwSignal::new(String::new()),
            id: RwSignal::new(String::new()),
            save_state: RwSignal::new(SaveState::None),
            is_persistent: RwSignal::new(true),
            lock_state: RwSignal::new(LockState::Owner),
            stubs: RwSignal::new(String::new()),
            cassette: RwSignal::new(String::new()),
            is_foreign: RwSignal::new(false),
            is_readonly: RwSignal::new(false),
            is_plan_awaited: RwSignal::new(false),
            is_dropping: RwSignal::new(false),
            is_outdated: RwSignal::new(false),
            list_version: RwSignal::new(0),
            dialog: RwSignal::new(None),
            consent: StoredValue::new_local(Consent::default()),
            next: StoredValue::new_local(None),
            after_run_stops: StoredValue::new_local(None),
            after_plan_opens: StoredValue::new_local(None),
            saved_version: StoredValue::new(0),
            checked_version: StoredValue::new(0),
        }))
    }

    /// The text was looked at anew, and is what it was: nobody has changed the plan, unless somebody had just before.
    pub fn text_unchanged(&self, before: u32, now: u32) {
        if self.checked_version.get_value() == before {
            self.saved_version.set_value(now);
        }
    }
}

/// Opens a dialog.
pub fn show_dialog(store: Store, dialog: Dialog) {
    store.share.dialog.set(Some(dialog));
}

/// Keeps the plan at once, and says so.
pub fn save(store: Store) {
    autosave::save_now(store);
}

/// All dialogs of this room.
#[component]
pub fn ShareDialogs(
    /// What is open.
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
        <dialog::ShareDialog store open=open(Dialog::StopRun) title=W::LeaveTitle content=stop_run_view/>
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
