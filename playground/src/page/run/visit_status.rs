//! The shown visit, and how a status looks.

use super::super::store::Store;
use crate::i18n::Run as W;
use crate::run::VisitStatus;
use leptos::prelude::*;

/// Shown visit.
pub fn shown_visit(store: Store) -> Option<usize> {
    let selected = store.runs.selected_visit.get();
    let node = store.with_selection(|editor| editor.selection().only_node().map(str::to_owned));
    store.runs.with(|run, at| {
        let fits = |id: &usize| {
            run.visit(*id).is_some_and(|visit| {
                visit.start_event < at && node.as_deref().is_none_or(|node| node == &*visit.node_path)
            })
        };
        selected.filter(fits).or_else(|| run.last_visit(node.as_deref()?, at).map(|(visit, _)| visit))
    })
}

/// Selects the node, too.
pub fn show_visit(store: Store, node_path: &str, visit: usize) {
    store.update_selection(|editor| editor.select_node(node_path, false));
    store.runs.explained_edge.set(None);
    store.runs.full_value.set(None);
    store.runs.selected_visit.set(Some(visit));
}

/// Style name.
pub fn status_id(status: VisitStatus) -> &'static str {
    match status {
        VisitStatus::Running => "running",
        VisitStatus::Waiting => "waiting",
        VisitStatus::Done => "done",
        VisitStatus::Rejected => "rejected",
        VisitStatus::Failed => "failed",
        VisitStatus::Abandoned => "abandoned",
    }
}

/// Repeats the name or colour.
pub fn status_icon(status: VisitStatus) -> &'static str {
    match status {
        VisitStatus::Running => "▸",
        VisitStatus::Waiting => "◷",
        VisitStatus::Done => "✓",
        VisitStatus::Failed | VisitStatus::Rejected => "✕",
        VisitStatus::Abandoned => "–",
    }
}

/// Status name.
pub fn status_text(status: VisitStatus) -> W {
    match status {
        VisitStatus::Running => W::Running,
        VisitStatus::Waiting => W::Waiting,
        VisitStatus::Done => W::Done,
        VisitStatus::Rejected => W::VisitRejected,
        VisitStatus::Failed => W::Failed,
        VisitStatus::Abandoned => W::Abandoned,
    }
}
