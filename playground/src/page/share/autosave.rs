//! Opens and saves the plan. Invariant: opening is no change, only user actions are.
//!
//! Source: `playground/js/share/storage-service.ts`.

use super::super::dom::{load_setting, save_setting};
use super::super::store::Store;
use super::embed::{is_embedded, is_framed};
use super::stop_run::after_run_stopped;
use super::storage_client::{self, notify_error, request, request_or_notify};
use super::{LockState, SaveState, Share, consent};
use crate::i18n::{Localized, Share as W, error_message};
use crate::layout::LayoutDirection;
use crate::plan_editor::PlanEditor;
use crate::share::{
    OpenPlanEvent, OpenedPlan, Origin, PlanRow, StoredPlan, parse_event, parse_opened_plan, parse_plan_list,
    parse_start_state,
};
use leptos::prelude::*;
use serde_json::{Value as Json, json};
use std::time::Duration;
use stepgraph_core::value::json_text;
use stepgraph_lazy::lazy;

/// Marks a saved plan.
const STORAGE_KEY: &str = "stepgraph.kept";
/// Then no plan counts as saved.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

lazy! {
    fn on_event(store: Store, json: &str) = apply_event;

    fn opened_first(store: Store, opened: OpenedPlan) = adopt_or_show;

    fn on_link(store: Store) = open_link;

    fn follow_id(store: Store) = name_after_id;
}

/// It may be on the page already.
fn adopt_or_show(store: Store, opened: OpenedPlan) {
    if is_shown(store, &opened.plan) { adopt(store, opened) } else { show_opened(store, opened) }
}

/// Opens the plan of the link, this tab or the last visit.
pub fn open_initial_plan(store: Store) {
    consent::restore_agreed(store);
    if is_awaited() {
        store.share.is_plan_awaited.set(true);
        set_timeout(move || awaited_plan_opened(store), OPEN_TIMEOUT);
    } else {
        set_name(store, first_name(store), Origin::Own);
    }
    if is_embedded() {
        super::embed::begin(store);
        return;
    }
    Effect::new(move |before: Option<()>| {
        follow_text(store, before.is_some());
        if before.is_some() {
            follow_id(store);
        }
    });
    let read = move || untrack(|| json_text(&plan_json(store)));
    let hear = move |json: String| on_event(store, &json);
    let first_text = store.read(|editor| editor.text().to_owned());
    storage_client::begin(read, hear, true, move |answer| match answer {
        Ok(value) => {
            let first = parse_start_state(&value);
            store.share.is_persistent.set(first.is_lasting);
            match first.opened {
                // Its code may still be loading, so the wait ends when it shows.
                Some(opened) => opened_first(store, opened),
                None => {
                    // Typed before storage answered.
                    if store.read(|editor| editor.text() != first_text) {
                        storage_client::changed();
                    }
                    awaited_plan_opened(store);
                }
            }
            if first.recovered > 0.0 {
                store.notify(W::Recovered.text(store.lang.get_untracked()), false);
            }
            if let Some(error) = first.error {
                notify_error(store, &error);
            }
        }
        Err(error) => {
            awaited_plan_opened(store);
            notify_error(store, &error);
        }
    });
    window_event_listener(leptos::ev::hashchange, move |_| on_link(store));
}

fn is_awaited() -> bool {
    let is_linked = window().location().hash().is_ok_and(|hash| hash.starts_with("#plan="));
    is_linked || if is_embedded() { is_framed() } else { load_setting(STORAGE_KEY).is_some() }
}

/// The plan has opened, or never will.
fn awaited_plan_opened(store: Store) {
    if store.share.is_plan_awaited.get_untracked() {
        store.share.is_plan_awaited.set(false);
        if store.share.name.with_untracked(String::is_empty) {
            set_name(store, first_name(store), Origin::Own);
        }
        consent::run_waiting(store);
    }
}

/// Embedded pages save no plans.
fn remember_saved() {
    if !is_embedded() && load_setting(STORAGE_KEY).is_none() {
        save_setting(STORAGE_KEY, "1");
    }
}

fn plan_json(store: Store) -> Json {
    let plan = current_plan(store);
    json!({ "name": store.share.name.get_untracked(), "text": plan.text, "extras": plan.extras() })
}

pub(super) fn current_plan(store: Store) -> StoredPlan {
    // Flushes typed text.
    store.commit_typing();
    store.read(|editor| StoredPlan {
        text: editor.text().to_owned(),
        expanded: editor.expanded_nodes().map(str::to_owned).collect(),
        direction: editor.direction(),
        stubs: store.share.stubs.get_untracked(),
        cassette: store.share.cassette.get_untracked(),
    })
}

fn follow_text(store: Store, is_change: bool) {
    let share = store.share;
    let count = store.text_version.get();
    share.checked_version.set_value(count);
    share.stubs.track();
    share.cassette.track();
    share.direction.track();
    if is_change && count != share.saved_version.get_value() {
        if share.lock_state.get_untracked() == LockState::Owner {
            share.save_state.set(SaveState::Pending);
        }
        storage_client::changed();
    }
    // The saved version counts once.
    share.saved_version.set_value(u32::MAX);
}

/// Decided when the name was set: an `id` in the middle of typing may equal a chosen name by chance.
fn name_after_id(store: Store) {
    let share = store.share;
    if !share.follows_id.get_value() || !store.read(PlanEditor::is_current) {
        return;
    }
    let now = first_name(store);
    if share.id_name.get_value() != now {
        share.id_name.set_value(now.clone());
        share.name.set(now);
    }
}

/// The name of the plan that opens, or the user's choice. The user did not choose the title of a gallery plan.
pub(super) fn set_name(store: Store, name: String, from: Origin) {
    let (share, id_name) = (store.share, first_name(store));
    share.follows_id.set_value(from == Origin::Gallery || name == id_name);
    share.id_name.set_value(id_name);
    share.name.set(name);
}

/// Storage gets a name that has followed the `id`, once the plan is saved.
fn save_name(store: Store) {
    let share = store.share;
    let (id, name) = (share.id.get_untracked(), share.name.get_untracked());
    if id.is_empty() || share.saved_name.get_value() == name {
        return;
    }
    share.saved_name.set_value(name.clone());
    request("rename", &[&id, &name], move |_| share.list_version.update(|count| *count += 1));
}

fn is_shown(store: Store, plan: &StoredPlan) -> bool {
    let is_same = store.share.stubs.with_untracked(|stubs| *stubs == plan.stubs);
    let is_plain = plan.expanded.is_empty() && plan.direction == LayoutDirection::default();
    is_same && is_plain && store.read(|editor| editor.text() == plan.text)
}

/// Work continues in the shown plan.
fn adopt(store: Store, OpenedPlan { row, plan, is_owned }: OpenedPlan) {
    let Share { saved_version: clean, cassette, .. } = store.share;
    cassette.set(plan.cassette);
    clean.set_value(store.text_version.get_untracked());
    set_open_plan(store, row, is_owned);
}

pub(super) fn show_opened(store: Store, OpenedPlan { row, plan, is_owned }: OpenedPlan) {
    show_text(store, plan);
    set_open_plan(store, row, is_owned);
}

fn set_open_plan(store: Store, row: PlanRow, is_owned: bool) {
    let share = store.share;
    // An embedding page may show a plan without a name.
    share.saved_name.set_value(row.name.clone());
    set_name(store, if row.name.is_empty() { first_name(store) } else { row.name }, row.from);
    remember_saved();
    share.id.set(row.id);
    share.save_state.set(SaveState::None);
    share.lock_state.set(if is_owned { LockState::Owner } else { LockState::Guest });
    consent::plan_opened(store, row.from);
    awaited_plan_opened(store);
}

fn show_text(store: Store, plan: StoredPlan) {
    let Share { saved_version: clean, stubs, cassette, .. } = store.share;
    stubs.set(plan.stubs);
    cassette.set(plan.cassette);
    store.open(&plan.text, plan.expanded, plan.direction);
    clean.set_value(store.text_version.get_untracked());
}

fn apply_event(store: Store, json: &str) {
    let share = store.share;
    let Some(event) = parse_event(json) else { return };
    match event {
        OpenPlanEvent::Saved => {
            remember_saved();
            share.save_state.set(SaveState::Saved);
            learn_id(store);
            save_name(store);
            share.list_version.update(|count| *count += 1);
        }
        OpenPlanEvent::Failed(code, detail) => {
            if code == "storage/denied" {
                share.is_persistent.set(false);
            } else if !code.starts_with("storage/") {
                notify_error(store, &(code, detail));
            } else {
                store.announce(error_message(store.lang.get_untracked(), &code, &detail));
                share.save_state.set(SaveState::Failed(code, detail));
            }
        }
        OpenPlanEvent::LockLost => share.lock_state.set(LockState::Lost),
        OpenPlanEvent::LockGained(plan) => {
            show_text(store, plan);
            share.save_state.set(SaveState::None);
            share.lock_state.set(LockState::Owner);
            store.announce(W::LockGained.text(store.lang.get_untracked()));
        }
        OpenPlanEvent::NewerVersion => {
            share.save_state.set(SaveState::None);
            share.lock_state.set(LockState::Newer);
        }
        OpenPlanEvent::Updated(plan) => show_text(store, plan),
        OpenPlanEvent::PlansChanged => share.list_version.update(|count| *count += 1),
        OpenPlanEvent::FileDragged(hangs) => share.is_dropping.set(hangs),
        OpenPlanEvent::FileDropped(name, text) => super::plans::import(store, name, &text, Origin::File),
        OpenPlanEvent::UpdateReady => share.is_outdated.set(true),
    }
}

/// The first save gives the id.
fn learn_id(store: Store) {
    if store.share.id.with_untracked(String::is_empty) {
        request("plans", &[], move |answer| {
            let open = answer.map(|value| parse_plan_list(&value).0).unwrap_or_default();
            if !open.is_empty() && store.share.id.with_untracked(String::is_empty) {
                store.share.id.set(open);
            }
        });
    }
}

fn open_link(store: Store) {
    let hash = window().location().hash().unwrap_or_default();
    if hash.starts_with("#plan=") && open_with(store, "openLink", &[&hash]) {
        forget_link();
    }
}

/// Otherwise re-entering it fires no `hashchange`.
fn forget_link() {
    let (Ok(history), place) = (window().history(), window().location()) else { return };
    let address = [place.pathname(), place.search()].map(Result::unwrap_or_default).concat();
    drop(history.replace_state_with_url(&history.state().unwrap_or_default(), "", Some(&address)));
}

/// Opens a storage command's plan. Returns whether a dialog asks first.
pub(super) fn open_with(store: Store, verb: &'static str, args: &[&str]) -> bool {
    open_with_then(store, verb, args, || ())
}

/// All opening ends here.
fn open_with_then(store: Store, verb: &'static str, args: &[&str], then: impl FnOnce() + 'static) -> bool {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    after_run_stopped(store, move || {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        request_or_notify(store, verb, &args, move |value| {
            if let Some(opened) = parse_opened_plan(&value) {
                store.share.dialog.set(None);
                show_opened(store, opened);
                then();
            }
        });
    })
}

/// Saves text as a plan, with any cassette.
pub fn open_new(store: Store, name: &str, plan: StoredPlan, from: Origin, then: impl FnOnce() + 'static) {
    let lang = store.lang.get_untracked();
    let name = if name.trim().is_empty() { W::Untitled.text(lang) } else { name };
    let (text, extras) = (plan.text.clone(), plan.extras());
    open_with_then(store, "new", &[name, &text, &extras, from.as_str()], move || {
        then();
        // A saved copy keeps its own cassette.
        let cassette = store.share.cassette;
        if cassette.with_untracked(String::is_empty) {
            cassette.set(plan.cassette);
        }
    });
}

pub(super) fn take_edit_lock(store: Store) {
    open_with(store, "take", &[]);
}

pub(super) fn keep_copy(store: Store) {
    let plan = current_plan(store);
    let origin = consent::origin(store);
    let name = [store.share.name.get_untracked().as_str(), " 2"].concat();
    open_with(store, "new", &[&name, &plan.text, &plan.extras(), origin.as_str()]);
}

pub(super) fn save_now(store: Store) {
    request("saveNow", &[], move |answer| {
        if answer == Ok(Json::Bool(true)) {
            store.announce(W::SavedAnnouncement.text(store.lang.get_untracked()));
        }
    });
}

/// Its id is its first name.
fn first_name(store: Store) -> String {
    let own = store.read(|editor| editor.plan().and_then(|plan| plan.id.clone()));
    own.filter(|id| !id.trim().is_empty())
        .unwrap_or_else(|| W::Untitled.text(store.lang.get_untracked()).to_owned())
}
