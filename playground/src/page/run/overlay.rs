//! The run on the canvas, and whether the open plan is still the one that ran.

use super::super::store::Store;
use super::control::overlay;
use crate::i18n::{Localized, Run as W};
use crate::plan_editor::PlanEditor;
use crate::run::{EdgeTexts, RanPlan, RunState};
use crate::run_overlay::{NodeStatus, RunOverlay};
use leptos::prelude::*;
use std::collections::BTreeSet;
use stepgraph_core::graph::PlanGraph;

/// At a run's start.
pub fn remember_plan(store: Store) {
    store.runs.set_plan(store.read(|editor| RanPlan::new(editor.text(), valid_plan(editor))));
}

/// The last valid plan is not the text's.
fn valid_plan(editor: &PlanEditor) -> Option<&PlanGraph> {
    editor.plan().filter(|_| editor.is_current())
}

/// Whether the open plan means something else than the one that ran.
fn has_plan_changed(store: Store) -> bool {
    store.with_text(|editor| {
        store.runs.read(|run, _| run.plan.differs_from(editor.text(), valid_plan(editor)))
    })
}

/// Tracks the run and the plan's text.
pub fn draw_overlay(store: Store) {
    let runs = store.runs;
    let is_plain = runs.with(|run, _| run.is_empty())
        && runs.breakpoints.with(BTreeSet::is_empty)
        && runs.pinned.with(BTreeSet::is_empty)
        && runs.state.with(|state| *state == RunState::Idle);
    let run_overlay = if is_plain { RunOverlay::default() } else { overlay(store) };
    if store.overlay.with_untracked(|old| *old != run_overlay) {
        store.overlay.set(run_overlay);
    }
}

/// The run at its shown position.
pub fn build_overlay(store: Store) -> RunOverlay {
    let runs = store.runs;
    let mut overlay = runs.with(crate::run::Run::overlay);
    let has_run = runs.is_active() || runs.with(|run, _| !run.is_empty());
    overlay.is_outdated = has_run && has_plan_changed(store);
    let was_outdated = store.overlay.with_untracked(|old| old.is_outdated);
    if overlay.is_outdated && !was_outdated && runs.is_active_untracked() {
        store.announce(W::GoesOnEarlier.text(store.lang.get_untracked()));
    }
    if overlay.is_outdated && !overlay.edges.is_empty() {
        let now = store.read(|editor| editor.plan().map(EdgeTexts::from_plan)).unwrap_or_default();
        overlay.edges = runs.read(|run, _| {
            let moved = overlay.edges.into_iter();
            moved
                .filter_map(|((scope, at), taken)| {
                    Some(((scope.clone(), now.index_of_ran(&run.plan.edges, &scope, at)?), taken))
                })
                .collect()
        });
    }
    let held = runs.state.with(|state| match state {
        RunState::Paused { node_path: place, .. } => place.clone(),
        RunState::Running | RunState::Idle => None,
    });
    if let Some(node_path) = held.filter(|_| runs.shown_events.get().is_none()) {
        overlay.nodes.entry(node_path).or_default().status = NodeStatus::Stopped;
    }
    for node_path in runs.breakpoints.get() {
        overlay.nodes.entry(node_path).or_default().has_breakpoint = true;
    }
    for node_path in runs.pinned.get() {
        overlay.nodes.entry(node_path).or_default().is_pinned = true;
    }
    overlay
}
