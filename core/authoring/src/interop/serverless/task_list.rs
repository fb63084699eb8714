//! Converts task lists to graphs, in order unless `then` says otherwise. `if`, `input.from` and `output.as`
//! add nodes.

use super::graph_builder::{EdgeTarget, GraphBuilder, log_node, node_of_type};
use super::import::{Import, TaskContext, TaskNodes, TranslatedCondition};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use stepgraph_core::diagnostic::{Code, shorten_name};
use stepgraph_core::source::{Entry, Spanned, ValueKind};

pub(super) type BuiltGraph = (Map<String, Json>, Vec<(String, String)>);

impl Import<'_> {
    /// All its ends lead to `last`.
    pub(super) fn graph(
        &mut self,
        list: &Spanned,
        context: &TaskContext,
        last: Option<(String, Map<String, Json>)>,
    ) -> BuiltGraph {
        let mut graph = GraphBuilder::default();
        let mut blocks: Vec<(String, TaskNodes)> = Vec::new();
        let mut context = context.clone();
        for entry in self.tasks_of(list) {
            let block = self.task(entry, &context, &mut graph);
            blocks.push((entry.key.clone(), block));
            context.is_first = false;
        }
        if blocks.is_empty() {
            let key = self.keys.make_unique("nothing".to_owned());
            graph.add_node(&key, node_of_type("noop"));
            blocks.push((key.clone(), TaskNodes { entry: key.clone() }));
            graph.add_edge(&key, EdgeTarget::Next, None);
        }
        self.resolve_targets(&mut graph, &blocks, last.as_ref().map(|(key, _)| key.as_str()));
        if let Some((key, node)) = last {
            graph.add_node(&key, node);
        }
        let start = blocks.first().map(|(_, block)| block.entry.clone()).unwrap_or_default();
        if graph.break_endless_loops(&start) {
            let message =
                "a loop of these tasks has no exit, so its back edge is taken only after the output `again`";
            self.report.add(
                "then",
                Code::ImportLoop,
                list.span,
                message,
                "write the condition under which the loop continues",
            );
        }
        graph.finish(&start, &mut self.keys)
    }

    fn tasks_of<'s>(&mut self, list: &'s Spanned) -> Vec<&'s Entry> {
        let ValueKind::List(items) = &list.kind else {
            self.report.add(
                "do",
                Code::ImportInvalid,
                list.span,
                "a list of tasks is expected here",
                "write `- name: {…}` for each task",
            );
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items {
            match item.as_map() {
                Some([entry]) => found.push(entry),
                _ => self.report.add(
                    "do",
                    Code::ImportInvalid,
                    item.span,
                    "a task is a map of its name alone",
                    "write `- name: {…}`",
                ),
            }
        }
        found
    }

    fn resolve_targets(
        &mut self,
        graph: &mut GraphBuilder,
        blocks: &[(String, TaskNodes)],
        last: Option<&str>,
    ) {
        let names: HashMap<&str, &str> =
            blocks.iter().rev().map(|(name, block)| (name.as_str(), block.entry.as_str())).collect();
        let mut next: HashMap<&str, Option<&str>> = HashMap::new();
        for (at, (_, block)) in blocks.iter().enumerate() {
            let after = blocks.get(at + 1).map(|(_, block)| block.entry.as_str());
            for key in self.nodes_of_task.get(&block.entry).into_iter().flatten() {
                next.insert(key, after);
            }
        }
        let end = last.map_or(EdgeTarget::End, |key| EdgeTarget::Node(key.to_owned()));
        for edge in &mut graph.edges {
            let target = match &edge.target {
                EdgeTarget::Next => match next.get(edge.from.as_str()).copied().flatten() {
                    Some(entry) => EdgeTarget::Node(entry.to_owned()),
                    None => end.clone(),
                },
                EdgeTarget::End => end.clone(),
                EdgeTarget::Task(name, span) => match names.get(name.as_str()) {
                    Some(entry) => EdgeTarget::Node((*entry).to_owned()),
                    None => {
                        let message = format!(
                            "there is no task `{}` in this list; the list ends there",
                            shorten_name(name)
                        );
                        self.report.add(
                            "then",
                            Code::ImportInvalid,
                            *span,
                            message,
                            "name a task of the same list",
                        );
                        end.clone()
                    }
                },
                target @ EdgeTarget::Node(_) => target.clone(),
            };
            edge.target = target;
        }
    }

    fn task(&mut self, entry: &Entry, context: &TaskContext, graph: &mut GraphBuilder) -> TaskNodes {
        let name = entry.key.as_str();
        let before = graph.nodes.len();
        let body = &entry.value;
        if body.as_map().is_none() {
            self.report.add("do", Code::ImportInvalid, body.span, "a task is a map", "write what it does");
        }
        let mut context = context.clone();
        let main = self.keys.make_unique(name.to_owned());
        let mut begin = main.clone();
        let ask = body.get("if").map(|condition| self.condition_node(condition, &main, &context, graph));
        if let Some(value) = body.get("input").and_then(|input| input.value.get("from")) {
            begin = self.keys.make_unique(format!("{main}-input"));
            let input = self.value(&value.value, &context, "task input.from", true);
            graph.add_node(&begin, log_node(input));
            graph.add_edge(&begin, EdgeTarget::Node(main.clone()), None);
            context.is_first = false;
        }
        if let Some((asked, condition)) = ask {
            graph.add_edge(&asked, EdgeTarget::Node(begin), Some(condition));
            graph.add_edge(&asked, EdgeTarget::Next, None);
            begin = asked;
        }
        let then = self.then_target(body, context.is_nested);
        self.report_ignored(body);
        let ways = self.task_node(&main, entry, &context, graph, &then);
        for way in self.after_task(&main, body, &context, graph, ways) {
            graph.add_edge(&way, then.clone(), None);
        }
        let keys = graph.nodes.keys().skip(before).cloned().collect();
        if let Some(before) = self.entry_nodes.remove(&main).filter(|_| begin == main) {
            begin = before;
        }
        self.nodes_of_task.insert(begin.clone(), keys);
        TaskNodes { entry: begin }
    }

    /// Returns the decision's key and condition.
    fn condition_node(
        &mut self,
        condition: &Entry,
        main: &str,
        context: &TaskContext,
        graph: &mut GraphBuilder,
    ) -> (String, String) {
        let key = self.keys.make_unique(format!("{main}-if"));
        graph.add_node(&key, node_of_type("decision"));
        let TranslatedCondition { text, comment } = self.condition(&condition.value, context, "if", main);
        if let Some(comment) = comment {
            graph.comments.push((format!("/nodes/{}", super::graph_builder::path_part(&key)), comment));
        }
        (key, text)
    }

    /// Returns the nodes that continue.
    fn after_task(
        &mut self,
        main: &str,
        body: &Spanned,
        context: &TaskContext,
        graph: &mut GraphBuilder,
        ways: Vec<String>,
    ) -> Vec<String> {
        let Some(value) = body.get("output").and_then(|output| output.value.get("as")) else { return ways };
        let key = self.keys.make_unique(format!("{main}-output"));
        let after = TaskContext { is_first: false, ..context.clone() };
        let output = self.value(&value.value, &after, "task output.as", true);
        graph.add_node(&key, log_node(output));
        for way in ways {
            graph.add_edge(&way, EdgeTarget::Node(key.clone()), None);
        }
        vec![key]
    }

    pub(super) fn then_target(&mut self, body: &Spanned, is_nested: bool) -> EdgeTarget {
        let Some(then) = body.get("then") else { return EdgeTarget::Next };
        match then.value.as_text() {
            Some("continue") => EdgeTarget::Next,
            Some("exit") => EdgeTarget::End,
            Some("end") => {
                if is_nested {
                    let message = "`end` ends the whole workflow; in the plan it ends only its own graph";
                    self.report.add(
                        "then",
                        Code::ImportApproximated,
                        then.value.span,
                        message,
                        "return a value from the graph, and test it after the node that runs the graph",
                    );
                }
                EdgeTarget::End
            }
            Some(name) => EdgeTarget::Task(name.to_owned(), then.value.span),
            None => {
                self.report.add("then", Code::ImportInvalid, then.value.span, "`then` is a name", "");
                EdgeTarget::Next
            }
        }
    }

    fn report_ignored(&mut self, body: &Spanned) {
        for (part, key, construct) in
            [("input", "schema", "task input.schema"), ("output", "schema", "task output.schema")]
        {
            if let Some(schema) = body.get(part).and_then(|part| part.value.get(key)) {
                let message = "values between tasks are not held against a schema";
                self.report.add(construct, Code::ImportLost, schema.key_span, message, "");
            }
        }
        if let Some(export) = body.get("export") {
            let message =
                "a plan has no context that tasks write; refer to the output of the node by its name";
            self.report.add(
                "export.as",
                Code::ImportLost,
                export.key_span,
                message,
                "write `${output.name}` where `$context` is read",
            );
        }
    }
}
