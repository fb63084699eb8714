//! The state of the open plan's storage and consent.

use crate::layout::LayoutDirection;
use crate::share::Consent;
use leptos::prelude::*;

pub(super) type PendingAction = Box<dyn FnOnce()>;

/// Whether the open plan is saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SaveState {
    /// Unchanged.
    #[default]
    None,
    /// Changed, about to be saved.
    Pending,
    /// Saved.
    Saved,
    /// An error code and the detail for its message.
    Failed(String, String),
}

/// The edit lock, as this tab sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockState {
    /// This tab edits the plan.
    #[default]
    Owner,
    /// Another tab had the lock before.
    Guest,
    /// Another tab took the lock.
    Lost,
    /// Another tab wrote a newer version.
    Newer,
}

/// The open dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dialog {
    /// Links and files.
    Export,
    /// The list of plans.
    Plans,
    /// Restore points.
    RestorePoints,
    /// The consent for a plan.
    Consent,
    /// Whether another plan may end the run.
    StopRun,
}

/// The state of the open plan's storage and consent.
pub struct Share {
    /// The plan's name.
    pub name: RwSignal<String>,
    /// The plan's id in storage, empty until it is saved.
    pub id: RwSignal<String>,
    /// Whether it is saved.
    pub save_state: RwSignal<SaveState>,
    /// Whether storage survives the visit.
    pub is_persistent: RwSignal<bool>,
    /// Whether this tab edits the plan.
    pub lock_state: RwSignal<LockState>,
    /// Stubs, as YAML or JSON: saved with the plan, and optional in its link.
    pub stubs: RwSignal<String>,
    /// The cassette of a run, likewise.
    pub cassette: RwSignal<String>,
    /// The direction of the plan's layout, likewise.
    pub direction: RwSignal<LayoutDirection>,
    /// Whether the plan is untrusted and the user has not yet agreed to it.
    pub is_foreign: RwSignal<bool>,
    /// An embedding page can request this.
    pub is_readonly: RwSignal<bool>,
    /// Whether another plan is about to open. The page shows no plan until then.
    pub is_plan_awaited: RwSignal<bool>,
    /// Whether the user drags a file over the page.
    pub is_dropping: RwSignal<bool>,
    /// Whether a new version of the page is ready.
    pub is_outdated: RwSignal<bool>,
    /// Counts changes of the list of plans.
    pub list_version: RwSignal<u32>,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    pub(super) consent: StoredValue<Consent, LocalStorage>,
    pub(super) next: StoredValue<Option<PendingAction>, LocalStorage>,
    pub(super) after_run_stops: StoredValue<Option<PendingAction>, LocalStorage>,
    /// Waits for the awaited plan.
    pub(super) after_plan_opens: StoredValue<Option<PendingAction>, LocalStorage>,
    /// The text version that was last saved or opened.
    pub(super) saved_version: StoredValue<u32>,
    /// The text version that autosave last checked.
    pub(super) checked_version: StoredValue<u32>,
}

impl std::fmt::Debug for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Share")
    }
}

impl Share {
    /// Creates the state of a page.
    pub fn new() -> &'static Self {
        Box::leak(Box::new(Self {
            name: RwSignal::new(String::new()),
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

    /// Marks a new text version as unchanged.
    pub fn text_unchanged(&self, before: u32, now: u32) {
        if self.checked_version.get_value() == before {
            self.saved_version.set_value(now);
        }
    }
}
