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
    pub pace: u32,
}

/// Runs of the plan that is open. A page has one plan open as long as it lives, so a reference is all that is handed around.
#[derive(Clone, Copy)]
pub struct RunStore(&'static RunData);

/// What [`RunStore`] leads to.
pub struct RunData {
    run: StoredValue<Run, LocalStorage>,
    /// Counts pictures: something has happened.
    pub tick: RwSignal<u32>,
    /// Whether a run goes on.
    pub state: RwSignal<RunState>,
    /// How many events are shown, when not all.
    pub at: RwSignal<Option<usize>>,
    /// The visit that was chosen.
    pub visit: RwSignal<Option<usize>>,
    /// The edge that is explained, by scope and position.
    pub edge: RwSignal<Option<(String, usize)>>,
    /// What the next run is given.
    pub given: RwSignal<RunInputs>,
    /// Places before which runs stop.
    pub stops: RwSignal<BTreeSet<String>>,
    /// Places whose output is pinned.
    pub pinned: RwSignal<BTreeSet<String>>,
    /// What is wrong with the stand-ins.
    pub stubs_problem: RwSignal<Option<String>>,
    /// What came of the tests; nothing before they were run.
    pub tested: RwSignal<Option<Result<Vec<TestResult>, String>>>,
    /// Whether tests are being run.
    pub is_testing: RwSignal<bool>,
    /// A value in full, by the event that told it.
    pub whole: RwSignal<Option<(usize, String)>>,
    /// A run begins as soon as the stand-ins are there.
    pub wants_start: RwSignal<bool>,
    /// A picture is due.
    pub is_due: RwSignal<bool>,
    /// How often the text had changed when the run began.
    pub of_text: RwSignal<u32>,
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
        f.write_str("Held")
    }
}

impl std::fmt::Debug for RunStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Runs")
    }
}

impl Default for RunStore {
    fn default() -> Self {
        Self(Box::leak(Box::new(RunData {
            run: StoredValue::new_local(Run::default()),
            tick: RwSignal::new(0),
            state: RwSignal::new(RunState::Idle),
            at: RwSignal::new(None),
            visit: RwSignal::new(None),
            edge: RwSignal::new(None),
            given: RwSignal::new(RunInputs::default()),
            stops: RwSignal::new(BTreeSet::new()),
            pinned: RwSignal::new(BTreeSet::new()),
            stubs_problem: RwSignal::new(None),
            tested: RwSignal::new(None),
            is_testing: RwSignal::new(false),
            whole: RwSignal::new(None),
            wants_start: RwSignal::new(false),
            is_due: RwSignal::new(false),
            of_text: RwSignal::new(0),
            edges: RwSignal::new(EdgeTexts::default()),
        })))
    }
}

impl RunStore {
    /// Looks at the run at the moment that is shown, again when either changes.
    pub fn with<T>(self, look: impl FnOnce(&Run, usize) -> T) -> T {
        self.tick.track();
        let at = self.at.get();
        self.run.with_value(|run| look(run, at.unwrap_or_else(|| run.len())))
    }

    /// Looks at the run; heeds no signal.
    pub fn read<T>(self, look: impl FnOnce(&Run, usize) -> T) -> T {
        let at = self.at.get_untracked();
        self.run.with_value(|run| look(run, at.unwrap_or_else(|| run.len())))
    }

    /// Takes a message of the runner.
    pub fn hear(self, message: &Json) -> Option<crate::run::MessageResult> {
        let mut news = None;
        self.run.update_value(|run| news = run.apply_message(message));
        news
    }

    /// Forgets the last run.
    pub fn clear(self) {
        self.run.set_value(Run::default());
        self.at.set(None);
        self.visit.set(None);
        self.edge.set(None);
        self.whole.set(None);
        self.draw();
    }

    /// Something has changed that is drawn.
    pub fn draw(self) {
        self.tick.update(|tick| *tick = tick.wrapping_add(1));
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
