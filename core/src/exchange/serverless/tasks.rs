//! What single tasks become.
//!
//! Decides the type of the node, and its input; tasks that hold tasks are in [`super::many`].

use super::common::{Import, Place, Wanted};
use super::graph::{Goal, Graph, part, says, typed};
use super::time;
use crate::diagnostic::{Code, Span, brief};
use crate::source::{Entry, Kind, Spanned};
use serde_json::{Map, Value as Json};

/// What kinds of calls there are, and what reports call them.
const CALLS: [(&str, &str); 6] = [
    ("http", "call http"),
    ("grpc", "call grpc"),
    ("openapi", "call openapi"),
    ("asyncapi", "call asyncapi"),
    ("a2a", "call a2a"),
    ("mcp", "call mcp"),
];

impl Import<'_> {
    /// Makes the node of a task; the nodes from which the way goes on after it.
    pub(super) fn work(
        &mut self,
        main: &str,
        entry: &Entry,
        place: &Place,
        graph: &mut Graph,
        then: Goal,
    ) -> Vec<String> {
        let body = &entry.value;
        let kind =
            ["call", "set", "switch", "for", "fork", "try", "do", "raise", "run", "listen", "emit", "wait"]
                .into_iter()
                .find_map(|kind| Some((kind, body.get(kind)?)));
        let Some((kind, what)) = kind else {
            let message = format!("`{}` is no task that is known", brief(&entry.key));
            self.report.note(
                "task",
                Code::ImportInvalid,
                entry.key_span,
                message,
                "say what it does, as with `call` or `set`",
            );
            graph.node(main, typed("noop"));
            return vec![main.to_owned()];
        };
        match kind {
            "set" => {
                let value = self.value(&what.value, place, "set", true);
                graph.node(main, says(value));
            }
            "switch" => return self.switch(main, what, place, graph, then),
            "for" => return self.each(main, body, what, place, graph),
            "fork" => return self.fork(main, what, place, graph),
            "try" => return self.attempt(main, body, what, place, graph, then),
            "do" => {
                self.report.exact("do", what.key_span, "a list of tasks is a graph inside a node");
                let mut node = typed("graph");
                self.inside(main, "graph", &what.value, place, &mut node, graph);
                self.timeout(body, &mut node);
                graph.node(main, node);
            }
            "call" => self.call(main, body, what, place, graph),
            kind => {
                let construct = match kind {
                    "raise" => "raise",
                    "run" => "run",
                    "listen" => "listen",
                    "emit" => "emit",
                    _ => "wait",
                };
                self.placeholder(main, construct, body, what, place, graph);
                // What raises an error does not go on.
                return if kind == "raise" { Vec::new() } else { vec![main.to_owned()] };
            }
        }
        vec![main.to_owned()]
    }

    /// A list of tasks inside a node, under `key` of it.
    pub(super) fn inside(
        &mut self,
        main: &str,
        key: &str,
        list: &Spanned,
        place: &Place,
        node: &mut Map<String, Json>,
        graph: &mut Graph,
    ) {
        let inner = Place { is_nested: true, is_first: true, ..place.clone() };
        let (made, remarks) = self.graph(list, &inner, None);
        node.insert(key.to_owned(), Json::Object(made));
        let at = format!("/nodes/{}/{key}", part(main));
        graph.remarks.extend(remarks.into_iter().map(|(way, remark)| (format!("{at}{way}"), remark)));
    }

    fn switch(
        &mut self,
        main: &str,
        what: &Entry,
        place: &Place,
        graph: &mut Graph,
        then: Goal,
    ) -> Vec<String> {
        graph.node(main, typed("decision"));
        let Kind::List(cases) = &what.value.kind else {
            self.report.note(
                "switch",
                Code::ImportInvalid,
                what.value.span,
                "`switch` is a list of cases",
                "",
            );
            return vec![main.to_owned()];
        };
        self.report.exact("switch", what.key_span, "cases are edges, looked at in their order");
        let mut has_default = false;
        for case in cases.iter().filter_map(|case| case.as_map()?.first()) {
            let goal = match self.then(&case.value, place.is_nested) {
                Goal::Next => then.clone(),
                goal => goal,
            };
            match case.value.get("when") {
                Some(when) => {
                    let Wanted { text, remark } =
                        self.condition(&when.value, place, "switch when", &case.key);
                    graph.edge(main, goal, Some(text));
                    if let Some(edge) = graph.edges.last_mut() {
                        edge.remark = remark;
                    }
                }
                None if has_default => {
                    self.report.note(
                        "switch",
                        Code::ImportInvalid,
                        case.key_span,
                        "a second case without `when` is never taken",
                        "",
                    );
                }
                None => {
                    has_default = true;
                    graph.edge(main, goal, None);
                }
            }
        }
        // Where no case holds the next task follows.
        if has_default { Vec::new() } else { vec![main.to_owned()] }
    }

    fn call(&mut self, main: &str, body: &Spanned, what: &Entry, place: &Place, graph: &mut Graph) {
        let name = what.value.as_text().unwrap_or_default();
        let with = body.get("with");
        if let Some((_, construct)) = CALLS.iter().find(|(known, _)| *known == name) {
            let mut node = match (name, with) {
                ("mcp", Some(with)) => self.mcp(&with.value, place),
                _ => None,
            }
            .unwrap_or_else(|| self.called(name, with, place));
            if node.get("type").and_then(Json::as_str) == Some(name) {
                let message = format!(
                    "the plan has a node of type `{name}`, which a handler or a tool of that name carries out"
                );
                self.report.note(
                    construct,
                    Code::ImportPlaceholder,
                    what.span(),
                    message,
                    "give the run a handler for it, or name a tool of a server",
                );
            } else {
                self.report.exact(construct, what.span(), "the plan calls the tool");
            }
            self.timeout(body, &mut node);
            graph.node(main, node);
            return;
        }
        let function = self.used.and_then(|used| used.get("functions")?.value.get(name));
        if let Some(function) = function.filter(|_| !self.inside.iter().any(|inside| inside == name)) {
            self.report.exact(
                "call function",
                what.span(),
                format!("the function `{}` is put in where it is called", brief(name)),
            );
            self.inside.push(name.to_owned());
            let merged = merged(&function.value, with);
            let called = Entry { key: main.to_owned(), key_span: what.key_span, value: merged };
            self.work(main, &called, place, graph, Goal::Next);
            self.inside.pop();
            return;
        }
        let mut node = self.called(name.split('@').next().unwrap_or(name), with, place);
        let message =
            format!("nothing here says what `{}` does; the plan has a node of that type", brief(name));
        self.report.note(
            "call function",
            Code::ImportPlaceholder,
            what.span(),
            message,
            "give the run a handler of that type, or name a tool",
        );
        self.timeout(body, &mut node);
        graph.node(main, node);
    }

    /// A node of a type that somebody handles, with what is told to it.
    fn called(&mut self, name: &str, with: Option<&Entry>, place: &Place) -> Map<String, Json> {
        let kind = if name.trim().is_empty() { "call" } else { name };
        // A function may have the name of a type that is built in, and is not that.
        let is_ours = crate::node::BUILT_IN.contains(&crate::node::meant(kind))
            || crate::node::Stage::of(kind).is_some();
        let mut node = typed(if is_ours { "tool" } else { kind });
        if is_ours {
            node.insert("tool".to_owned(), Json::from(kind));
        }
        if let Some(with) = with {
            self.credentials(&with.value);
            let mut input = self.value(&with.value, place, "call with", false);
            if let Some(endpoint) = with.value.get("endpoint") {
                self.address(&mut input, endpoint, place);
            }
            if let Json::Object(input) = &mut input {
                input.shift_remove("authentication");
            }
            node.insert("input".to_owned(), input);
        }
        node
    }

    /// An address with `{name}` in it takes that from the data.
    fn address(&mut self, input: &mut Json, endpoint: &Entry, place: &Place) {
        let uri = match &endpoint.value.kind {
            Kind::Map(_) => endpoint.value.get("uri").map(|uri| &uri.value),
            _ => Some(&endpoint.value),
        };
        let Some(text) = uri.and_then(Spanned::as_text) else { return };
        let known = super::expressions::inner(text).is_some();
        if !known && text.contains('{') {
            let span = uri.map(|uri| uri.span).unwrap_or_default();
            let filled = self.filled(text, place);
            let message = match &filled {
                Some(_) => {
                    "names in braces are taken from the data, as they are: nothing in them is escaped for an address"
                }
                None => "names in braces that are more than names stay as they are",
            };
            self.troubles += 1;
            self.report.note("uri template", Code::ImportApproximated, span, message, "");
            if let (Some(filled), Json::Object(input)) = (filled, &mut *input) {
                input.insert("endpoint".to_owned(), Json::from(filled));
                return;
            }
        }
        if let Json::Object(input) = input
            && let Some(uri) = input.get("endpoint").and_then(|endpoint| endpoint.get("uri")).cloned()
        {
            input.insert("endpoint".to_owned(), uri);
        }
    }

    fn filled(&mut self, text: &str, place: &Place) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                return None;
            }
            out.push_str(before);
            out.push_str(&self.named(name, place)?);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }

    fn credentials(&mut self, with: &Spanned) {
        let inner = with.get("endpoint").and_then(|endpoint| endpoint.value.get("authentication"));
        if let Some(found) = inner.or_else(|| with.get("authentication")) {
            let message = "credentials never stand in a plan";
            self.report.note(
                "authentication",
                Code::ImportLost,
                found.key_span,
                message,
                "give them to the host that carries out the call",
            );
        }
    }

    /// A call of a tool of an MCP server.
    fn mcp(&mut self, with: &Spanned, place: &Place) -> Option<Map<String, Json>> {
        let method = with.get("method").and_then(|method| method.value.as_text());
        let parameters = with.get("parameters").filter(|_| method.is_none_or(|it| it == "tools/call"))?;
        let tool = parameters
            .value
            .get("name")?
            .value
            .as_text()
            .filter(|name| super::expressions::inner(name).is_none())?;
        let mut node = typed("tool");
        node.insert("tool".to_owned(), Json::from(tool));
        if let Some(arguments) = parameters.value.get("arguments") {
            let arguments = self.value(&arguments.value, place, "call with", false);
            node.insert("input".to_owned(), arguments);
        }
        let http = with.get("transport").and_then(|transport| transport.value.get("http"));
        let endpoint = http.and_then(|http| http.value.get("endpoint")).map(|endpoint| &endpoint.value);
        let uri = endpoint.and_then(|it| it.get("uri").map_or(Some(it), |uri| Some(&uri.value)));
        let address =
            uri.and_then(Spanned::as_text).filter(|uri| uri.starts_with("http") && !uri.contains("${"));
        match address {
            Some(address) if !self.servers.iter().any(|(_, known)| known == address) => {
                let name = self.server();
                self.servers.push((name, address.to_owned()));
            }
            Some(_) => {}
            None => {
                let span = with.get("transport").map_or(with.span, |transport| transport.key_span);
                self.report.note(
                    "mcp transport",
                    Code::ImportLost,
                    span,
                    "a plan names servers by an address of HTTP",
                    "connect the server when the plan is run",
                );
            }
        }
        Some(node)
    }

    fn server(&self) -> String {
        match self.servers.len() {
            0 => "mcp".to_owned(),
            count => format!("mcp-{}", count + 1),
        }
    }

    /// A task that a handler carries out.
    fn placeholder(
        &mut self,
        main: &str,
        construct: &'static str,
        body: &Spanned,
        what: &Entry,
        place: &Place,
        graph: &mut Graph,
    ) {
        let mut node = typed(construct);
        let input = match (construct, time::duration(&what.value)) {
            ("wait", Some(ms)) => Json::Object(Map::from_iter([("ms".to_owned(), time::number(ms))])),
            _ => self.value(&what.value, place, construct, false),
        };
        node.insert("input".to_owned(), input);
        let message = match construct {
            "raise" => "a plan has no node that fails by itself; a handler of type `raise` has to",
            "wait" => "a plan has no node that waits; a handler of type `wait` has to, so many `ms`",
            "run" => {
                "what a container, a script, a shell or another workflow does is left to a handler of type `run`"
            }
            "listen" => "events are left to a handler of type `listen`, whose output is what was heard",
            _ => "events are left to a handler of type `emit`",
        };
        self.report.note(
            construct,
            Code::ImportPlaceholder,
            what.key_span,
            message,
            "give the run a handler of that type",
        );
        if let Some(each) = body.get("foreach") {
            self.report.note(
                "listen foreach",
                Code::ImportLost,
                each.key_span,
                "tasks for each event are left out",
                "use a `map` node on what was heard",
            );
        }
        self.timeout(body, &mut node);
        graph.node(main, node);
    }

    /// How long a task may take.
    pub(super) fn timeout(&mut self, body: &Spanned, node: &mut Map<String, Json>) {
        if let Some((ms, span)) = body.get("timeout").and_then(|timeout| self.after_ms(&timeout.value)) {
            self.report.exact("timeout", span, "the node has that time for each try");
            node.insert("timeout_ms".to_owned(), time::number(ms));
        }
    }

    /// The time of a timeout, which may be one of those that the workflow names.
    pub(super) fn after_ms(&mut self, timeout: &Spanned) -> Option<(f64, Span)> {
        let named = timeout.as_text().and_then(|name| self.used?.get("timeouts")?.value.get(name));
        let after = named.map_or(timeout, |named| &named.value).get("after");
        let found = after.and_then(|after| time::duration(&after.value));
        if found.is_none() {
            self.report.note(
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

/// A function with what its call gives it beside its own.
fn merged(function: &Spanned, with: Option<&Entry>) -> Spanned {
    let mut body = function.clone();
    let (Kind::Map(entries), Some(with)) = (&mut body.kind, with) else { return body };
    match entries.iter_mut().find(|entry| entry.key == "with") {
        Some(own) => {
            if let (Kind::Map(own), Kind::Map(given)) = (&mut own.value.kind, &with.value.kind) {
                own.retain(|entry| given.iter().all(|given| given.key != entry.key));
                own.extend(given.iter().cloned());
            }
        }
        None => entries.push(with.clone()),
    }
    body
}

impl Entry {
    /// The key and the value.
    fn span(&self) -> Span {
        Span::new(self.key_span.start, self.value.span.end)
    }
}
