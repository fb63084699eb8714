//! The state of the last run, and the user's choices about it.

use crate::run::{CostEstimate, EdgeTexts, Run, RunHistory, RunState, TestResult};
use crate::viewport::Viewport;
use leptos::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The inputs of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunInputs {
    /// The input as typed: JSON or text.
    pub input: String,
    /// The text of the stubs file.
    pub stubs: String,
    /// How long each node is shown.
    ///
    /// # Units
    /// Milliseconds.
    pub delay_ms: u32,
}

/// A handle to the open plan's runs.
#[derive(Clone, Copy)]
pub struct RunStore(&'static RunData);

/// The data of [`RunStore`].
pub struct RunData {
    run: StoredValue<Run, LocalStorage>,
    /// Counts changes of the run.
    pub version: RwSignal<u32>,
    /// Whether a run is active or paused.
    pub state: RwSignal<RunState>,
    /// The number of shown events, `None` for all.
    pub shown_events: RwSignal<Option<usize>>,
    /// The visit that the user selected.
    pub selected_visit: RwSignal<Option<usize>>,
    /// The explained edge: scope and index.
    pub explained_edge: RwSignal<Option<(String, usize)>>,
    /// Inputs of the next run.
    pub inputs: RwSignal<RunInputs>,
    /// Paths of nodes with a breakpoint.
    pub breakpoints: RwSignal<BTreeSet<String>>,
    /// Paths of nodes with a pinned output.
    pub pinned: RwSignal<BTreeSet<String>>,
    /// The error of the stubs.
    pub stubs_problem: RwSignal<Option<String>>,
    /// The test results, `None` before the first test run.
    pub test_results: RwSignal<Option<Result<Vec<TestResult>, String>>>,
    /// Whether tests are running.
    pub is_testing: RwSignal<bool>,
    /// A value in full, with the number of its event.
    pub full_value: RwSignal<Option<(usize, String)>>,
    /// Whether a run starts as soon as the stubs arrive.
    pub starts_when_ready: RwSignal<bool>,
    /// Whether a draw is scheduled.
    pub is_draw_scheduled: RwSignal<bool>,
    /// What a run of the plan may cost.
    pub cost: RwSignal<CostEstimate>,
    /// The text version at the start of the run.
    pub text_version: RwSignal<u32>,
    /// The edges of the plan that ran.
    pub edges: RwSignal<EdgeTexts>,
    /// The ended runs of the plan.
    pub history: RwSignal<RunHistory>,
    /// The number of the shown run in the history.
    pub shown_run: RwSignal<Option<usize>>,
    /// Whether the browser refused to store the history.
    pub is_history_unsaved: RwSignal<bool>,
    /// The parent of the run that the history gets at its end, `None` for a replay.
    pub recorded_parent: StoredValue<Option<Option<usize>>>,
    /// The recording of the run that has just ended.
    pub recording: StoredValue<String>,
    /// The view that follows the run. Any other view is the user's.
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
            text_version: RwSignal::new(0),
            edges: RwSignal::new(EdgeTexts::default()),
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
    /// Reads the run at the shown position, and tracks both.
    pub fn with<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        self.version.track();
        let at = self.shown_events.get();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Reads the run without tracking.
    pub fn read<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        let at = self.shown_events.get_untracked();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Applies a message of the runner.
    pub fn apply_message(self, message: &Json) -> Option<crate::run::MessageResult> {
        let mut news = None;
        self.run.update_value(|run| news = run.apply_message(message));
        news
    }

    /// Discards the last run.
    pub fn clear(self) {
        self.run.set_value(Run::default());
        self.shown_events.set(None);
        self.selected_visit.set(None);
        self.explained_edge.set(None);
        self.full_value.set(None);
        self.mark_changed();
    }

    /// Requests a redraw.
    pub fn mark_changed(self) {
        self.version.update(|tick| *tick = tick.wrapping_add(1));
    }

    /// Whether a run is active, paused or not.
    pub fn is_active(self) -> bool {
        self.state.with(|state| *state != RunState::Idle)
    }

    /// Whether a run is active, without tracking.
    pub fn is_active_untracked(self) -> bool {
        self.state.with_untracked(|state| *state != RunState::Idle)
    }

    /// Whether a run is paused.
    pub fn is_paused(self) -> bool {
        self.state.with(|state| matches!(state, RunState::Paused { .. }))
    }
}
