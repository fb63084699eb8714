//! The last run, and choices about it.

use crate::run::{CostEstimate, RanPlan, Run, RunHistory, RunState, TestResult};
use crate::viewport::Viewport;
use leptos::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Run inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunInputs {
    /// JSON or text.
    pub input: String,
    /// Stubs file.
    pub stubs: String,
    /// Milliseconds per node.
    pub delay_ms: u32,
}

/// The plan's runs.
#[derive(Clone, Copy)]
pub struct RunStore(&'static RunData);

/// [`RunStore`]'s data.
pub struct RunData {
    run: StoredValue<Run, LocalStorage>,
    /// Counts changes.
    pub version: RwSignal<u32>,
    /// Active or paused.
    pub state: RwSignal<RunState>,
    /// `None`: all.
    pub shown_events: RwSignal<Option<usize>>,
    /// Chosen visit.
    pub selected_visit: RwSignal<Option<usize>>,
    /// Scope and index.
    pub explained_edge: RwSignal<Option<(String, usize)>>,
    /// For the next run.
    pub inputs: RwSignal<RunInputs>,
    /// Node paths.
    pub breakpoints: RwSignal<BTreeSet<String>>,
    /// Node paths.
    pub pinned: RwSignal<BTreeSet<String>>,
    /// Stubs error.
    pub stubs_problem: RwSignal<Option<String>>,
    /// `None` before any.
    pub test_results: RwSignal<Option<Result<Vec<TestResult>, String>>>,
    /// Tests are running.
    pub is_testing: RwSignal<bool>,
    /// Event and value.
    pub full_value: RwSignal<Option<(usize, String)>>,
    /// Waits for stubs.
    pub starts_when_ready: RwSignal<bool>,
    /// Draw scheduled.
    pub is_draw_scheduled: RwSignal<bool>,
    /// Estimated cost.
    pub cost: RwSignal<CostEstimate>,
    /// At the start of the last run that made calls.
    pub text_version: StoredValue<u32>,
    /// Ended runs.
    pub history: RwSignal<RunHistory>,
    /// In the history.
    pub shown_run: RwSignal<Option<usize>>,
    /// Refused by the browser.
    pub is_history_unsaved: RwSignal<bool>,
    /// The recorded run's parent. `None` for a replay.
    pub recorded_parent: StoredValue<Option<Option<usize>>>,
    /// Recording of the ended run.
    pub recording: StoredValue<String>,
    /// Any other view is the user's.
    pub followed_view: StoredValue<Option<Viewport>>,
}

impl std::ops::Deref for RunStore {
    type Target = RunData;

    fn deref(&self) -> &RunData {
        self.0
    }
}

impl std::fmt::Debug for RunData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RunData")
    }
}

impl std::fmt::Debug for RunStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RunStore")
    }
}

impl Default for RunStore {
    fn default() -> Self {
        Self(Box::leak(Box::new(RunData {
            run: StoredValue::new_local(Run::default()),
            version: RwSignal::new(0),
            state: RwSignal::new(RunState::Idle),
            shown_events: RwSignal::new(None),
            selected_visit: RwSignal::new(None),
            explained_edge: RwSignal::new(None),
            inputs: RwSignal::new(RunInputs::default()),
            breakpoints: RwSignal::new(BTreeSet::new()),
            pinned: RwSignal::new(BTreeSet::new()),
            stubs_problem: RwSignal::new(None),
            test_results: RwSignal::new(None),
            is_testing: RwSignal::new(false),
            full_value: RwSignal::new(None),
            starts_when_ready: RwSignal::new(false),
            is_draw_scheduled: RwSignal::new(false),
            cost: RwSignal::new(CostEstimate::default()),
            text_version: StoredValue::new(0),
            history: RwSignal::new(RunHistory::default()),
            shown_run: RwSignal::new(None),
            is_history_unsaved: RwSignal::new(false),
            recorded_parent: StoredValue::new(None),
            recording: StoredValue::new(String::new()),
            followed_view: StoredValue::new(None),
        })))
    }
}

impl RunStore {
    /// Tracks run and position.
    pub fn with<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        self.version.track();
        let at = self.shown_events.get();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Untracked read.
    pub fn read<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        let at = self.shown_events.get_untracked();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Applies the runner's message.
    pub fn apply_message(self, message: &Json) -> Option<crate::run::MessageResult> {
        let mut news = None;
        self.run.update_value(|run| news = run.apply_message(message));
        news
    }

    /// Discards the run, but not its plan, which the next one gets before its first event.
    pub fn clear(self) {
        self.run.update_value(|run| {
            let plan = std::mem::take(&mut run.plan);
            *run = Run::default();
            run.plan = plan;
        });
        self.shown_events.set(None);
        self.selected_visit.set(None);
        self.explained_edge.set(None);
        self.full_value.set(None);
        self.mark_changed();
    }

    /// The plan of the run that begins.
    pub fn set_plan(self, plan: RanPlan) {
        self.run.update_value(|run| run.plan = plan);
    }

    /// Requests drawing.
    pub fn mark_changed(self) {
        self.version.update(|tick| *tick = tick.wrapping_add(1));
    }

    /// Includes paused.
    pub fn is_active(self) -> bool {
        self.state.with(|state| *state != RunState::Idle)
    }

    /// Untracked.
    pub fn is_active_untracked(self) -> bool {
        self.state.with_untracked(|state| *state != RunState::Idle)
    }

    /// Paused run.
    pub fn is_paused(self) -> bool {
        self.state.with(|state| matches!(state, RunState::Paused { .. }))
    }
}
