//! What is known of the last run, and what a person has chosen about it.
//!
//! Decides which moment is shown: the latest, or the one that was chosen. The run lies in one place and is lent.

use crate::run::{EdgeTexts, Run, RunState, TestResult};
use leptos::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// What runs are given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunInputs {
    /// The input as it was typed: JSON or text.
    pub input: String,
    /// Stand-ins, as the text of a stubs file.
    pub stubs: String,
    /// How long each node is shown.
    ///
    /// # Units
    /// Milliseconds.
    pub delay_ms: u32,
}

/// Runs of the plan that is open. A page has one plan open as long as it lives, so a reference is all that is handed around.
#[derive(Clone, Copy)]
pub struct RunStore(&'static RunData);

/// What [`RunStore`] leads to.
pub struct RunData {
    run: StoredValue<Run, LocalStorage>,
    /// Counts pictures: something has happened.
    pub version: RwSignal<u32>,
    /// Whether a run goes on.
    pub state: RwSignal<RunState>,
    /// How many events are shown, when not all.
    pub shown_events: RwSignal<Option<usize>>,
    /// The visit that was chosen.
    pub selected_visit: RwSignal<Option<usize>>,
    /// The edge that is explained, by scope and position.
    pub explained_edge: RwSignal<Option<(String, usize)>>,
    /// What the next run is given.
    pub inputs: RwSignal<RunInputs>,
    /// Places before which runs stop.
    pub breakpoints: RwSignal<BTreeSet<String>>,
    /// Places whose output is pinned.
    pub pinned: RwSignal<BTreeSet<String>>,
    /// What is wrong with the stand-ins.
    pub stubs_problem: RwSignal<Option<String>>,
    /// What came of the tests; nothing before they were run.
    pub test_results: RwSignal<Option<Result<Vec<TestResult>, String>>>,
    /// Whether tests are being run.
    pub is_testing: RwSignal<bool>,
    /// A value in full, by the event that told it.
    pub full_value: RwSignal<Option<(usize, String)>>,
    /// A run begins as soon as the stand-ins are there.
    pub starts_when_ready: RwSignal<bool>,
    /// A picture is due.
    pub is_draw_scheduled: RwSignal<bool>,
    /// How often the text had changed when the run began.
    pub text_version: RwSignal<u32>,
    /// The edges of the plan that ran.
    pub edges: RwSignal<EdgeTexts>,
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
            text_version: RwSignal::new(0),
            edges: RwSignal::new(EdgeTexts::default()),
        })))
    }
}

impl RunStore {
    /// Looks at the run at the moment that is shown, again when either changes.
    pub fn with<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        self.version.track();
        let at = self.shown_events.get();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Looks at the run; heeds no signal.
    pub fn read<T>(self, read: impl FnOnce(&Run, usize) -> T) -> T {
        let at = self.shown_events.get_untracked();
        self.run.with_value(|run| read(run, at.unwrap_or_else(|| run.len())))
    }

    /// Takes a message of the runner.
    pub fn apply_message(self, message: &Json) -> Option<crate::run::MessageResult> {
        let mut news = None;
        self.run.update_value(|run| news = run.apply_message(message));
        news
    }

    /// Forgets the last run.
    pub fn clear(self) {
        self.run.set_value(Run::default());
        self.shown_events.set(None);
        self.selected_visit.set(None);
        self.explained_edge.set(None);
        self.full_value.set(None);
        self.mark_changed();
    }

    /// Something has changed that is drawn.
    pub fn mark_changed(self) {
        self.version.update(|tick| *tick = tick.wrapping_add(1));
    }

    /// Whether a run goes on, held or not.
    pub fn is_active(self) -> bool {
        self.state.with(|state| *state != RunState::Idle)
    }

    /// Whether a run is held.
    pub fn is_paused(self) -> bool {
        self.state.with(|state| matches!(state, RunState::Paused { .. }))
    }
}
