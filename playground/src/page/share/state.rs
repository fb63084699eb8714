//! Storage and consent of the plan.

use crate::layout::LayoutDirection;
use crate::share::Consent;
use leptos::prelude::*;

pub(super) type PendingAction = Box<dyn FnOnce()>;

/// Saved or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SaveState {
    /// Unchanged.
    #[default]
    None,
    /// Save pending.
    Pending,
    /// Saved.
    Saved,
    /// Code and detail.
    Failed(String, String),
}

/// This tab's edit lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockState {
    /// Editing here.
    #[default]
    Owner,
    /// Another tab's earlier lock.
    Guest,
    /// Taken away.
    Lost,
    /// Written elsewhere.
    Newer,
}

/// Open dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Links, files.
    Export,
    /// Plan list.
    Plans,
    /// Restore points.
    RestorePoints,
    /// Plan consent.
    Consent,
    /// May the run end?
    StopRun,
}

/// Storage and consent.
pub struct Share {
    /// Plan name.
    pub name: RwSignal<String>,
    /// The name that the plan's `id` gives.
    pub(super) id_name: StoredValue<String>,
    /// The user did not choose the name, so it changes with the `id`.
    pub(super) follows_id: StoredValue<bool>,
    /// In storage.
    pub(super) saved_name: StoredValue<String>,
    /// Empty until saved.
    pub id: RwSignal<String>,
    /// Save state.
    pub save_state: RwSignal<SaveState>,
    /// Survives the visit.
    pub is_persistent: RwSignal<bool>,
    /// Edit lock.
    pub lock_state: RwSignal<LockState>,
    /// YAML or JSON, saved with the plan, optional in links.
    pub stubs: RwSignal<String>,
    /// Likewise.
    pub cassette: RwSignal<String>,
    /// Likewise.
    pub direction: RwSignal<LayoutDirection>,
    /// Untrusted without consent.
    pub is_foreign: RwSignal<bool>,
    /// For embedding pages.
    pub is_readonly: RwSignal<bool>,
    /// The page is empty until it opens.
    pub is_plan_awaited: RwSignal<bool>,
    /// A file hovers.
    pub is_dropping: RwSignal<bool>,
    /// Update ready.
    pub is_outdated: RwSignal<bool>,
    /// Counts list changes.
    pub list_version: RwSignal<u32>,
    /// If any.
    pub dialog: RwSignal<Option<Dialog>>,
    pub(super) consent: StoredValue<Consent, LocalStorage>,
    pub(super) next: StoredValue<Option<PendingAction>, LocalStorage>,
    pub(super) after_run_stops: StoredValue<Option<PendingAction>, LocalStorage>,
    /// Waits for the plan.
    pub(super) after_plan_opens: StoredValue<Option<PendingAction>, LocalStorage>,
    /// Last saved or opened.
    pub(super) saved_version: StoredValue<u32>,
    /// Last checked.
    pub(super) checked_version: StoredValue<u32>,
}

impl std::fmt::Debug for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Share")
    }
}

impl Share {
    /// Initial state.
    pub fn new() -> &'static Self {
        Box::leak(Box::new(Self {
            name: RwSignal::new(String::new()),
            id_name: StoredValue::new(String::new()),
            follows_id: StoredValue::new(false),
            saved_name: StoredValue::new(String::new()),
            id: RwSignal::new(String::new()),
            save_state: RwSignal::new(SaveState::None),
            is_persistent: RwSignal::new(true),
            lock_state: RwSignal::new(LockState::Owner),
            stubs: RwSignal::new(String::new()),
            cassette: RwSignal::new(String::new()),
            direction: RwSignal::new(LayoutDirection::default()),
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

    /// Ignores a version.
    pub fn text_unchanged(&self, before: u32, now: u32) {
        if self.checked_version.get_value() == before {
            self.saved_version.set_value(now);
        }
    }
}
