//! The canvas follows the running node. Invariant: a view that the user chose stays until the next run.

use super::super::store::Store;
use crate::geometry::Rect;
use crate::run::RunState;
use leptos::prelude::*;

const MARGIN: f64 = 40.0;

/// Follows a new run.
pub fn begin(store: Store) {
    store.runs.followed_view.set_value(Some(store.view.get_untracked()));
}

/// The node that runs or is next.
pub fn current_node(store: Store) -> Option<String> {
    match store.runs.state.get() {
        RunState::Idle => None,
        RunState::Paused { node_path: Some(node_path), .. } => Some(node_path),
        RunState::Paused { .. } | RunState::Running => {
            store.runs.with(|run, _| run.running_node().map(str::to_owned))
        }
    }
}

/// The node that ended the run.
fn failed_node(store: Store) -> Option<String> {
    store.runs.with(|run, _| run.outcome().and_then(|ended| ended.node_path.clone()))
}

/// Shows the node, also after the run's panel took space.
pub fn follow(store: Store) {
    store.screen.track();
    let Some(node_path) = current_node(store).or_else(|| failed_node(store)) else {
        if store.runs.with(|run, _| run.outcome().is_some()) {
            store.fit_followed_run();
        }
        return;
    };
    let view = store.view.get_untracked();
    let is_followed = store.runs.followed_view.with_value(|followed| *followed == Some(view));
    let area = if is_followed { drawn_area(store, &node_path) } else { None };
    let Some(area) = area else { return };
    // A panel that closes gives the space back to the whole drawing.
    let shown = store.revealed(view, area, MARGIN);
    if shown != view {
        store.runs.followed_view.set_value(Some(shown));
        store.view.set(shown);
    }
}

/// Of the node that runs, is next or ended the run.
pub fn run_area(store: Store) -> Option<Rect> {
    let node_path = untrack(|| current_node(store).or_else(|| failed_node(store)))?;
    drawn_area(store, &node_path)
}

fn drawn_area(store: Store, node_path: &str) -> Option<Rect> {
    store.read(|editor| {
        let mut path = node_path;
        loop {
            if let Some(node) = editor.scene().nodes.iter().find(|node| node.node_path() == path) {
                return Some(node.area);
            }
            path = path.rsplit_once('/')?.0;
        }
    })
}
