//! A run's values for conditions and templates.

use super::run_model::{Outcome, Run, Value};
use crate::form::evaluate::Samples;
use serde_json::Value as Json;
use stepgraph_core::json::parse;

impl Run {
    /// For a node's outgoing edges after `at` events. If `node_path` is `None`, `last` is the latest output.
    pub fn samples(&self, node_path: Option<&str>, at: usize) -> Samples {
        let done = |id: usize| {
            let visit = self.visits.get(id)?;
            let is_over = visit.ended.is_some_and(|(event, _)| event < at);
            match &visit.end {
                Outcome::Done(value) if is_over => Some((visit, whole(value)?)),
                _ => None,
            }
        };
        let mut found = Samples { input: self.input.as_ref().and_then(whole), ..Samples::default() };
        let mut latest = None;
        for node_path in self.changes.keys() {
            let visits = self.visits_of(node_path, at);
            if let Some((visit, output)) = visits.into_iter().rev().find_map(done) {
                latest = latest.max(visit.ended.map(|(event, _)| (event, node_path)));
                let name = node_path.rsplit('/').next().unwrap_or(node_path);
                found.outputs.insert(name.to_owned(), output);
            }
        }
        let of = node_path.or_else(|| latest.map(|(_, node_path)| &**node_path));
        found.last = of
            .and_then(|node_path| self.visits_of(node_path, at).into_iter().rev().find_map(done))
            .map(|(_, output)| output);
        found
    }
}

fn whole(value: &Value) -> Option<Json> {
    if value.is_cut { None } else { parse(&value.text) }
}
