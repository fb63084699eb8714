//! Converts single tasks.

use super::duration;
use super::graph_builder::{EdgeTarget, GraphBuilder, log_node, node_of_type, path_part};
use super::import::{Import, TaskContext, TranslatedCondition};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::{Code, Span, shorten_name};
use stepgraph_core::source::{Entry, Spanned, ValueKind};

/// Has a construct, such as `call`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task<'t> {
    pub(super) main: &'t str,
    pub(super) body: &'t Spanned,
    pub(super) what: &'t Entry,
    pub(super) context: &'t TaskContext,
    pub(super) then: &'t EdgeTarget,
}

impl Import<'_> {
    pub(super) fn task_node(
        &mut self,
        main: &str,
        entry: &Entry,
        context: &TaskContext,
        graph: &mut GraphBuilder,
        then: &EdgeTarget,
    ) -> Vec<String> {
        let body = &entry.value;
        let kind =
            ["call", "set", "switch", "for", "fork", "try", "do", "raise", "run", "listen", "emit", "wait"]
                .into_iter()
                .find_map(|kind| Some((kind, body.get(kind)?)));
        let Some((kind, what)) = kind else {
            let message = format!("`{}` is no task that is known", shorten_name(&entry.key));
            self.report.add(
                "task",
                Code::ImportInvalid,
                entry.key_span,
                message,
                "add a task such as `call` or `set`",
            );
            graph.add_node(main, node_of_type("noop"));
            return vec![main.to_owned()];
        };
        let task = Task { main, body, what, context, then };
        match kind {
            "set" => {
                let value = self.value(&what.value, context, "set", true);
                graph.add_node(main, log_node(value));
            }
            "switch" => return self.switch(task, graph),
            "for" => return self.for_task(task, graph),
            "fork" => return self.fork_task(task, graph),
            "try" => return self.try_task(task, graph),
            "do" => {
                self.report.add_exact("do", what.key_span, "a list of tasks is a graph inside a node");
                let mut node = node_of_type("graph");
                node.insert(
                    "graph".to_owned(),
                    self.nested_tasks(main, "graph", &what.value, context, graph),
                );
                self.timeout(body, &mut node);
                graph.add_node(main, node);
            }
            "call" => self.call(task, graph),
            "wait" => self.wait(main, body, what, graph),
            kind => {
                let construct = match kind {
                    "raise" => "raise",
                    "run" => "run",
                    "listen" => "listen",
                    _ => "emit",
                };
                self.handler_task(construct, task, graph);
                // A task that raises does not continue.
                return if kind == "raise" { Vec::new() } else { vec![main.to_owned()] };
            }
        }
        vec![main.to_owned()]
    }

    pub(super) fn nested_tasks(
        &mut self,
        main: &str,
        key: &str,
        list: &Spanned,
        context: &TaskContext,
        graph: &mut GraphBuilder,
    ) -> Json {
        let inner = TaskContext { is_nested: true, is_first: true, ..context.clone() };
        let (made, comments) = self.graph(list, &inner, None);
        let at = format!("/nodes/{}/{key}", path_part(main));
        graph.comments.extend(comments.into_iter().map(|(way, comment)| (format!("{at}{way}"), comment)));
        Json::Object(made)
    }

    fn switch(&mut self, task: Task<'_>, graph: &mut GraphBuilder) -> Vec<String> {
        let Task { main, what, context, then, .. } = task;
        graph.add_node(main, node_of_type("decision"));
        let ValueKind::List(cases) = &what.value.kind else {
            self.report.add(
                "switch",
                Code::ImportInvalid,
                what.value.span,
                "`switch` is a list of cases",
                "",
            );
            return vec![main.to_owned()];
        };
        self.report.add_exact("switch", what.key_span, "cases are edges, looked at in their order");
        let mut has_default = false;
        for case in cases.iter().filter_map(|case| case.as_map()?.first()) {
            let target = match self.then_target(&case.value, context.is_nested) {
                EdgeTarget::Next => then.clone(),
                target => target,
            };
            match case.value.get("when") {
                Some(when) => {
                    let TranslatedCondition { text, comment } =
                        self.condition(&when.value, context, "switch when", &case.key);
                    graph.add_edge(main, target, Some(text));
                    if let Some(edge) = graph.edges.last_mut() {
                        edge.comment = comment;
                    }
                }
                None if has_default => {
                    self.report.add(
                        "switch",
                        Code::ImportInvalid,
                        case.key_span,
                        "a second case without `when` is never taken",
                        "",
                    );
                }
                None => {
                    has_default = true;
                    graph.add_edge(main, target, None);
                }
            }
        }
        // Otherwise the next task follows.
        if has_default { Vec::new() } else { vec![main.to_owned()] }
    }

    fn wait(&mut self, main: &str, body: &Spanned, what: &Entry, graph: &mut GraphBuilder) {
        let ms = duration::parse_duration(&what.value);
        match ms {
            Some(_) => self.report.add_exact("wait", what.key_span, "the node waits so many `ms`"),
            None => self.report.add(
                "wait",
                Code::ImportLost,
                what.value.span,
                "a time without a fixed length",
                "write the milliseconds into `with.ms`",
            ),
        }
        let mut node = node_of_type("wait");
        node.insert("with".to_owned(), json!({"ms": duration::ms_json(ms.unwrap_or(0.0))}));
        self.timeout(body, &mut node);
        graph.add_node(main, node);
    }

    fn handler_task(&mut self, construct: &'static str, task: Task<'_>, graph: &mut GraphBuilder) {
        let Task { main, body, what, context, .. } = task;
        let mut node = node_of_type(construct);
        let input = self.value(&what.value, context, construct, false);
        node.insert("input".to_owned(), input);
        let message = match construct {
            "raise" => "a plan has no node that fails by itself; a handler of type `raise` has to",
            "run" => "a container, a script, a shell or another workflow needs a handler of type `run`",
            "listen" => "events need a handler of type `listen`, whose output is the received events",
            _ => "events need a handler of type `emit`",
        };
        self.report.add(
            construct,
            Code::ImportPlaceholder,
            what.key_span,
            message,
            "give the run a handler of that type",
        );
        if let Some(each) = body.get("foreach") {
            self.report.add(
                "listen foreach",
                Code::ImportLost,
                each.key_span,
                "tasks for each event are left out",
                "use a `map` node on what was heard",
            );
        }
        self.timeout(body, &mut node);
        graph.add_node(main, node);
    }

    pub(super) fn timeout(&mut self, body: &Spanned, node: &mut Map<String, Json>) {
        if let Some((ms, span)) = body.get("timeout").and_then(|timeout| self.timeout_ms(&timeout.value)) {
            self.report.add_exact("timeout", span, "the node has that time for each try");
            node.insert("timeout_ms".to_owned(), duration::ms_json(ms));
        }
    }

    pub(super) fn timeout_ms(&mut self, timeout: &Spanned) -> Option<(f64, Span)> {
        let named = timeout.as_text().and_then(|name| self.definitions?.get("timeouts")?.value.get(name));
        let after = named.map_or(timeout, |named| &named.value).get("after");
        let found = after.and_then(|after| duration::parse_duration(&after.value));
        if found.is_none() {
            self.report.add(
                "timeout",
                Code::ImportLost,
                timeout.span,
                "a time that is computed, or no time",
                "write the milliseconds into `timeout_ms`",
            );
        }
        Some((found?, timeout.span))
    }
}
