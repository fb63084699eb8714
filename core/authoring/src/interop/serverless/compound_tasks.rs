//! Converts `for`, `fork` and `try`.

use super::duration;
use super::graph_builder::{EdgeTarget, GraphBuilder, log_node, node_of_type, path_part};
use super::import::{Import, TaskContext, Variable};
use super::tasks::Task;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::{Code, shorten_name};
use stepgraph_core::expression::{Reference, Root};
use stepgraph_core::source::{Entry, Spanned, ValueKind};
use stepgraph_core::value::Segment;

const MAX_ATTEMPTS: u64 = 100;

impl Import<'_> {
    pub(super) fn for_task(&mut self, task: Task<'_>, graph: &mut GraphBuilder) -> Vec<String> {
        let Task { main, body, what, context, .. } = task;
        let message = "iterations run one after the other; the output is the list of all results, not only the last one";
        self.report.add(
            "for",
            Code::ImportApproximated,
            what.key_span,
            message,
            "select what you need from the list in the next node",
        );
        let mut node = node_of_type("map");
        if let Some(list) = what.value.get("in") {
            let list = self.loop_list(&list.value, context);
            node.insert("input".to_owned(), list);
        }
        node.insert("with".to_owned(), json!({"concurrency": 1}));
        if let Some(condition) = body.get("while") {
            let message = "the rounds are not ended by a condition";
            self.report.add(
                "for while",
                Code::ImportLost,
                condition.key_span,
                message,
                "make a loop of edges, with a condition on one",
            );
        }
        let named = |key: &str, or: &str| {
            what.value.get(key).and_then(|name| name.value.as_text()).unwrap_or(or).to_owned()
        };
        let data = self.keys.make_unique(format!("{main}-data"));
        let mut inner = TaskContext {
            data: Some(Reference { root: Root::Output(data.clone()), path: Vec::new() }),
            ..context.clone()
        };
        for (name, root) in [(named("each", "item"), Root::Item), (named("at", "index"), Root::Index)] {
            inner.variables.push((name, Variable::Reference(Reference { root, path: Vec::new() })));
        }
        let asked = std::mem::take(&mut self.needs_loop_data);
        match body.get("do") {
            Some(list) => {
                let graph = self.nested_tasks(main, "do", &list.value, &inner, graph);
                node.insert("do".to_owned(), graph);
            }
            None => {
                self.report.add("for", Code::ImportInvalid, what.key_span, "a loop without `do`", "");
                node.insert("do".to_owned(), json!({"nodes": {format!("{main}-nothing"): {"type": "noop"}}}));
            }
        }
        let asks = std::mem::replace(&mut self.needs_loop_data, asked);
        self.timeout(body, &mut node);
        if asks {
            // The first task of an iteration reads the data before the loop.
            graph.add_node(&data, log_node(Json::from("${last}")));
            self.insert_before(main, &data, graph);
        }
        graph.add_node(main, node);
        vec![main.to_owned()]
    }

    fn insert_before(&mut self, main: &str, before: &str, graph: &mut GraphBuilder) {
        for edge in &mut graph.edges {
            if edge.target == EdgeTarget::Node(main.to_owned()) {
                edge.target = EdgeTarget::Node(before.to_owned());
            }
        }
        graph.add_edge(before, EdgeTarget::Node(main.to_owned()), None);
        self.entry_nodes.insert(main.to_owned(), before.to_owned());
    }

    fn loop_list(&mut self, list: &Spanned, context: &TaskContext) -> Json {
        // Expressions may omit their braces here.
        let bare = list.as_text().filter(|text| super::expressions::expression_of(text).is_none());
        match bare {
            Some(text) => {
                let kind = ValueKind::Text(format!("${{ {text} }}"));
                self.value(&Spanned { kind, span: list.span }, context, "for in", false)
            }
            None => self.value(list, context, "for in", false),
        }
    }

    pub(super) fn fork_task(&mut self, task: Task<'_>, graph: &mut GraphBuilder) -> Vec<String> {
        let Task { main, what, context, .. } = task;
        let competes =
            matches!(what.value.get("compete").map(|it| &it.value.kind), Some(ValueKind::Bool(true)));
        let mut node = node_of_type("parallel");
        if competes {
            node.insert("with".to_owned(), json!({"join": "any"}));
        }
        let mut branches = Map::new();
        let list =
            what.value.get("branches").and_then(|branches| branches.value.as_list()).unwrap_or_default();
        for item in list {
            let Some([branch]) = item.as_map() else { continue };
            let one = Spanned { kind: ValueKind::List(vec![item.clone()]), span: item.span };
            let inner = TaskContext { is_nested: true, is_first: true, ..context.clone() };
            let (made, comments) = self.graph(&one, &inner, None);
            let at = format!("/nodes/{}/branches/{}", path_part(main), path_part(&branch.key));
            graph.comments.extend(comments.into_iter().map(|(way, comment)| (format!("{at}{way}"), comment)));
            branches.insert(branch.key.clone(), Json::Object(made));
        }
        if branches.is_empty() {
            self.report.add("fork", Code::ImportInvalid, what.key_span, "a fork without branches", "");
            graph.add_node(main, node_of_type("noop"));
            return vec![main.to_owned()];
        }
        let construct = if competes { "fork compete" } else { "fork" };
        self.report.add_exact(construct, what.key_span, "branches run at the same time");
        let outputs = branches.keys().map(|name| {
            let path = vec![Segment::Key(name.clone())];
            Json::from(format!("${{{}}}", Reference { root: Root::Last, path }))
        });
        let outputs: Json = outputs.collect();
        node.insert("branches".to_owned(), Json::Object(branches));
        graph.add_node(main, node);
        if competes {
            return vec![main.to_owned()];
        }
        let key = self.keys.make_unique(format!("{main}-outputs"));
        graph.add_node(&key, log_node(outputs));
        graph.add_edge(main, EdgeTarget::Node(key.clone()), None);
        vec![key]
    }

    pub(super) fn try_task(&mut self, task: Task<'_>, graph: &mut GraphBuilder) -> Vec<String> {
        let Task { main, body, what, context, then } = task;
        self.report.add_exact("try", what.key_span, "a list of tasks is a graph inside a node");
        let mut node = node_of_type("graph");
        node.insert("graph".to_owned(), self.nested_tasks(main, "graph", &what.value, context, graph));
        self.timeout(body, &mut node);
        let Some(caught) = body.get("catch") else {
            graph.add_node(main, node);
            return vec![main.to_owned()];
        };
        if let Some(retry) = caught.value.get("retry").and_then(|retry| self.retry(retry, &mut node)) {
            node.insert("retry".to_owned(), Json::Object(retry));
        }
        graph.add_node(main, node);
        let name = caught.value.get("as").and_then(|name| name.value.as_text()).unwrap_or("error");
        let mut inner = context.clone();
        inner.variables.push((name.to_owned(), Variable::Failure));
        let condition = self.catch_condition(caught, &inner);
        let Some(list) = caught.value.get("do") else {
            self.report.add_exact("catch", caught.key_span, "a failure leads to the next task");
            // The path after a failure is the same as without one.
            graph.add_edge(main, then.clone(), Some(condition));
            return vec![main.to_owned()];
        };
        self.report.add_exact("catch", caught.key_span, "a failure leads to a graph of its own");
        let key = self.keys.make_unique(format!("{main}-catch"));
        let mut catch = node_of_type("graph");
        catch.insert("graph".to_owned(), self.nested_tasks(&key, "graph", &list.value, &inner, graph));
        graph.add_node(&key, catch);
        graph.add_edge(main, EdgeTarget::Node(key.clone()), Some(condition));
        vec![main.to_owned(), key]
    }

    fn catch_condition(&mut self, caught: &Entry, context: &TaskContext) -> String {
        let filter = caught.value.get("errors").and_then(|errors| errors.value.get("with"));
        let kind = filter.and_then(|with| with.value.get("type")?.value.as_text());
        let mut condition = String::from("error.exists");
        match (filter, kind) {
            (None, _) => {}
            (Some(with), Some(kind))
                if kind.ends_with("/timeout") && with.value.as_map().is_some_and(|map| map.len() == 1) =>
            {
                self.report.add_exact(
                    "catch errors",
                    with.key_span,
                    "a task that exceeds its timeout fails with `node/timeout`",
                );
                condition = String::from("error.code == \"node/timeout\"");
            }
            (Some(with), _) => {
                let message = "every failure is caught: those of a plan have codes, not the types and statuses of errors";
                self.report.add(
                    "catch errors",
                    Code::ImportApproximated,
                    with.key_span,
                    message,
                    "compare `error.code`, as in `error.code == \"tool/failed\"`",
                );
            }
        }
        for (key, negated) in [("when", false), ("exceptWhen", true)] {
            if let Some(when) = caught.value.get(key) {
                let wanted = self.condition(&when.value, context, "catch when", "catch");
                // A finding reports an unsupported condition.
                if wanted.comment.is_none() {
                    let sign = if negated { "!" } else { "" };
                    condition = format!("{condition} && {sign}({})", wanted.text);
                }
            }
        }
        condition
    }

    fn retry(&mut self, retry: &Entry, node: &mut Map<String, Json>) -> Option<Map<String, Json>> {
        let named = retry.value.as_text().and_then(|name| self.definitions?.get("retries")?.value.get(name));
        let policy = named.map_or(&retry.value, |named| &named.value);
        if policy.as_map().is_none() {
            let message =
                format!("there is no policy `{}`", shorten_name(retry.value.as_text().unwrap_or_default()));
            self.report.add("retry", Code::ImportInvalid, retry.value.span, message, "");
            return None;
        }
        let mut map = Map::new();
        let limit = policy.get("limit");
        let attempt = limit.and_then(|limit| limit.value.get("attempt"));
        let count = attempt.and_then(|attempt| attempt.value.get("count"));
        let count = count.and_then(|count| match &count.value.kind {
            ValueKind::Number(number) => number.as_u64(),
            _ => None,
        });
        // A plan also counts the first attempt.
        map.insert(
            "attempts".to_owned(),
            Json::from(count.map_or(MAX_ATTEMPTS, |count| count.saturating_add(1).min(1_000_000))),
        );
        if let Some(ms) = policy.get("delay").and_then(|delay| duration::parse_duration(&delay.value)) {
            map.insert("backoff_ms".to_owned(), duration::ms_json(ms));
        }
        let backoff = policy.get("backoff").map(|backoff| &backoff.value);
        let factor = if backoff.is_some_and(|backoff| backoff.get("exponential").is_some()) { 2 } else { 1 };
        map.insert("factor".to_owned(), Json::from(factor));
        if let Some(ms) =
            attempt.and_then(|it| it.value.get("duration")).and_then(|it| duration::parse_duration(&it.value))
        {
            node.entry("timeout_ms").or_insert_with(|| duration::ms_json(ms));
        }
        let others = [
            ("jitter", policy.get("jitter")),
            ("when", policy.get("when")),
            ("exceptWhen", policy.get("exceptWhen")),
        ];
        let others = others.into_iter().filter_map(|(name, found)| found.map(|_| name));
        let linear =
            backoff.is_some_and(|backoff| backoff.get("linear").is_some()).then_some("backoff.linear");
        let total = limit.and_then(|limit| limit.value.get("duration")).map(|_| "limit.duration");
        let lost: Vec<&str> = others.chain(linear).chain(total).collect();
        let unlimited = if count.is_none() {
            format!("; without a limit it is tried {MAX_ATTEMPTS} times")
        } else {
            String::new()
        };
        let left = if lost.is_empty() {
            String::new()
        } else {
            format!(
                "; left out: {}",
                lost.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )
        };
        let message = format!(
            "the whole graph is retried after any failure, and `attempts` includes the first attempt{unlimited}{left}"
        );
        self.report.add(
            "retry",
            Code::ImportApproximated,
            retry.key_span,
            message,
            "list the failures to retry in `retry.on`",
        );
        Some(map)
    }
}
