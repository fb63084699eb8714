//! Converts a flowchart's edges: reads labels as conditions, and breaks endless loops.

use super::to_plan::{GraphEdge, GraphElements, PlanBuilder};
use crate::interop::{break_loops, expression_type};
use serde_json::{Map, Value as Json};
use std::collections::{HashMap, HashSet};
use stepgraph_core::diagnostic::{Code, Severity, shorten_name};
use stepgraph_core::expression::ast::Kind;
use stepgraph_core::expression::condition::Expression;
use stepgraph_core::expression::{Condition, Type};

impl PlanBuilder<'_> {
    pub(super) fn edges(
        &mut self,
        graph: &GraphElements,
        start: usize,
        keys: &[String],
        at: &str,
    ) -> Vec<Json> {
        let mut leaving = vec![0_usize; graph.elements.len()];
        for way in &graph.edges {
            leaving.get_mut(way.from).into_iter().for_each(|count| *count += 1);
        }
        let mut written: Vec<break_loops::Edge> = Vec::new();
        let mut comments = HashMap::new();
        for (number, way) in graph.edges.iter().enumerate() {
            let (condition, comment) = self.condition(way, leaving.get(way.from).copied().unwrap_or(0));
            if let Some(comment) = comment {
                comments.insert(number, comment);
            }
            written.push(break_loops::Edge { from: way.from, to: way.to, condition });
        }
        if self.flowchart.own_record.is_none() {
            self.report_unlabelled(graph, &written, keys);
            for closed in break_loops::break_endless_loops(graph.elements.len(), start, &mut written) {
                let span = graph
                    .edges
                    .get(closed)
                    .and_then(|way| self.flowchart.edges.get(way.edge))
                    .map(|flow_edge| flow_edge.span);
                let message =
                    "this loop has no exit, so its back edge is taken only after the output `again`";
                self.report.add(
                    "loop",
                    Code::ImportLoop,
                    span.unwrap_or_default(),
                    message,
                    "write the condition under which the loop continues",
                );
            }
        }
        let mut list = Vec::new();
        let mut once = HashSet::new();
        for (number, edge) in written.iter().enumerate() {
            // Several ends of a subgraph may continue to one node.
            if self.flowchart.own_record.is_none()
                && !once.insert((edge.from, edge.to, edge.condition.clone()))
            {
                continue;
            }
            let (Some(from), Some(to)) = (keys.get(edge.from), keys.get(edge.to)) else { continue };
            let mut map = Map::from_iter([
                ("from".to_owned(), Json::from(from.as_str())),
                ("to".to_owned(), Json::from(to.as_str())),
            ]);
            if let Some(condition) = &edge.condition {
                map.insert("condition".to_owned(), Json::from(condition.as_str()));
            }
            if let Some(comment) = comments.get(&number) {
                self.comments.insert(format!("{at}/edges/{}", list.len()), Json::from(comment.as_str()));
            }
            list.push(Json::Object(map));
        }
        list
    }

    fn condition(&mut self, way: &GraphEdge, leaving: usize) -> (Option<String>, Option<String>) {
        let Some(edge) = self.flowchart.edges.get(way.edge) else { return (None, None) };
        let record = edge.record.as_deref().and_then(stepgraph_core::json::parse);
        let recorded = record.as_ref().and_then(|record| record.get("condition")?.as_str());
        let Some(words) = recorded.or(edge.label.as_deref()) else { return (None, None) };
        let lower = words.trim().to_lowercase();
        if lower == "else" || lower == "otherwise" {
            return (None, None);
        }
        match Condition::parse(words) {
            Ok(Condition::Fallback) => return (Some(words.trim().to_owned()), None),
            Ok(condition @ Condition::Expression(_))
                if self.flowchart.own_record.is_some() || is_meant(&condition) =>
            {
                if self.flowchart.own_record.is_none() {
                    self.report.add_exact(
                        "condition",
                        edge.span,
                        format!("`{}` is a condition", shorten_name(words)),
                    );
                }
                return (Some(words.to_owned()), None);
            }
            Ok(_) | Err(_) => {}
        }
        if leaving < 2 {
            let message = format!(
                "`{}` became a comment: this is the only arrow that leaves its node",
                shorten_name(words)
            );
            self.report.add("text on the only arrow", Code::ImportRemark, edge.span, message, "");
            return (None, Some(words.to_owned()));
        }
        let condition = format!("last == {}", Json::from(words));
        let message = format!(
            "the text `{}` became the condition that the previous output equals it",
            shorten_name(words)
        );
        self.report.add(
            "text on an arrow",
            Code::ImportLabel,
            edge.span,
            message,
            "write the intended condition, such as `last.ok == true`",
        );
        (Some(condition), None)
    }

    fn report_unlabelled(&mut self, graph: &GraphElements, edges: &[break_loops::Edge], keys: &[String]) {
        let mut free = vec![None; graph.elements.len()];
        for (way, edge) in graph.edges.iter().zip(edges) {
            let Some(first) = free.get_mut(edge.from).filter(|_| break_loops::is_unconditional(edge)) else {
                continue;
            };
            match *first {
                None => *first = Some(edge.to),
                Some(known) if known == edge.to => {}
                Some(_) => {
                    let span = self
                        .flowchart
                        .edges
                        .get(way.edge)
                        .map(|flow_edge| flow_edge.span)
                        .unwrap_or_default();
                    let from = keys.get(edge.from).map(String::as_str).unwrap_or_default();
                    let message = format!(
                        "several arrows without text leave `{}`; a run takes only the first",
                        shorten_name(from)
                    );
                    self.report.add(
                        "several arrows",
                        Code::ImportFanOut,
                        span,
                        message,
                        "write conditions, or put what is to be done at once into a `parallel` node",
                    );
                }
            }
        }
    }
}

/// `true`, `error` and `5 > 3` are words.
fn is_meant(condition: &Condition) -> bool {
    let is_bool = |text: &str| expression_type(text).is_ok_and(|kind| kind.overlaps(&Type::Bool));
    // As in `last == low or input.vip`.
    let is_refused = |expression: &Expression| {
        expression.warnings.iter().any(|warning| warning.code.severity() == Severity::Error)
    };
    !matches!(condition, Condition::Expression(expression) if is_refused(expression))
        && condition.references().next().is_some()
        && condition
            .computed()
            .iter()
            .all(|part| !matches!(part.ast.root.kind, Kind::Ident(_)) && is_bool(&part.ast.to_string()))
}
