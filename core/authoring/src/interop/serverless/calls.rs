//! Converts `call` tasks: protocols, tools, functions.

use super::graph_builder::{EdgeTarget, GraphBuilder, node_of_type};
use super::import::{Import, TaskContext};
use super::tasks::Task;
use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::{Code, shorten_name};
use stepgraph_core::graph::is_url;
use stepgraph_core::source::{Entry, Spanned, ValueKind};

const CALLS: [(&str, &str); 6] = [
    ("http", "call http"),
    ("grpc", "call grpc"),
    ("openapi", "call openapi"),
    ("asyncapi", "call asyncapi"),
    ("a2a", "call a2a"),
    ("mcp", "call mcp"),
];

impl Import<'_> {
    pub(super) fn call(&mut self, task: Task<'_>, graph: &mut GraphBuilder) {
        let Task { main, body, what, context, .. } = task;
        let name = what.value.as_text().unwrap_or_default();
        let with = body.get("with");
        if let Some((_, construct)) = CALLS.iter().find(|(known, _)| *known == name) {
            let mut node = match (name, with) {
                ("mcp", Some(with)) => self.mcp(&with.value, context),
                _ => None,
            }
            .unwrap_or_else(|| self.handler_node(name, with, context));
            if node.get("type").and_then(Json::as_str) == Some(name) {
                let message = format!(
                    "the plan has a node of type `{name}`, which a handler or a tool of that name executes"
                );
                self.report.add(
                    construct,
                    Code::ImportPlaceholder,
                    what.span(),
                    message,
                    "give the run a handler for it, or name a tool of a server",
                );
            } else {
                self.report.add_exact(construct, what.span(), "the plan calls the tool");
            }
            self.timeout(body, &mut node);
            graph.add_node(main, node);
            return;
        }
        let function = self.definitions.and_then(|used| used.get("functions")?.value.get(name));
        if let Some(function) = function.filter(|_| !self.open_functions.iter().any(|inside| inside == name))
        {
            self.report.add_exact(
                "call function",
                what.span(),
                format!("the function `{}` is put in where it is called", shorten_name(name)),
            );
            self.open_functions.push(name.to_owned());
            let merged = merge_arguments(&function.value, with);
            let called = Entry { key: main.to_owned(), key_span: what.key_span, value: merged };
            self.task_node(main, &called, context, graph, &EdgeTarget::Next);
            self.open_functions.pop();
            return;
        }
        let mut node = self.handler_node(name.split('@').next().unwrap_or(name), with, context);
        let message = format!(
            "the workflow does not define `{}`; the plan has a node of that type",
            shorten_name(name)
        );
        self.report.add(
            "call function",
            Code::ImportPlaceholder,
            what.span(),
            message,
            "give the run a handler of that type, or name a tool",
        );
        self.timeout(body, &mut node);
        graph.add_node(main, node);
    }

    fn handler_node(&mut self, name: &str, with: Option<&Entry>, context: &TaskContext) -> Map<String, Json> {
        let kind = if name.trim().is_empty() { "call" } else { name };
        // A function is no built-in type.
        let is_ours = stepgraph_core::kind::BUILT_IN.contains(&stepgraph_core::kind::resolve_alias(kind))
            || stepgraph_core::kind::Stage::of(kind).is_some();
        let mut node = node_of_type(if is_ours { "tool" } else { kind });
        if is_ours {
            node.insert("tool".to_owned(), Json::from(kind));
        }
        if let Some(with) = with {
            self.report_credentials(&with.value);
            let mut input = self.value(&with.value, context, "call with", false);
            if let Some(endpoint) = with.value.get("endpoint") {
                self.set_endpoint(&mut input, endpoint, context);
            }
            if let Json::Object(input) = &mut input {
                input.shift_remove("authentication");
            }
            node.insert("input".to_owned(), input);
        }
        node
    }

    fn set_endpoint(&mut self, input: &mut Json, endpoint: &Entry, context: &TaskContext) {
        let uri = match &endpoint.value.kind {
            ValueKind::Map(_) => endpoint.value.get("uri").map(|uri| &uri.value),
            _ => Some(&endpoint.value),
        };
        let Some(text) = uri.and_then(Spanned::as_text) else { return };
        let known = super::expressions::expression_of(text).is_some();
        if !known && text.contains('{') {
            let span = uri.map(|uri| uri.span).unwrap_or_default();
            let filled = self.fill_address(text, context);
            let message = match &filled {
                Some(_) => "names in braces are replaced by the data, without URL encoding",
                None => "names in braces that are more than names stay as they are",
            };
            self.inexact_count += 1;
            self.report.add("uri template", Code::ImportApproximated, span, message, "");
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

    fn fill_address(&mut self, text: &str, context: &TaskContext) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                return None;
            }
            out.push_str(before);
            out.push_str(&self.name_template(name, context)?);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }

    fn report_credentials(&mut self, with: &Spanned) {
        let inner = with.get("endpoint").and_then(|endpoint| endpoint.value.get("authentication"));
        if let Some(found) = inner.or_else(|| with.get("authentication")) {
            let message = "a plan never contains credentials";
            self.report.add(
                "authentication",
                Code::ImportLost,
                found.key_span,
                message,
                "pass them to the host that executes the call",
            );
        }
    }

    fn mcp(&mut self, with: &Spanned, context: &TaskContext) -> Option<Map<String, Json>> {
        let method = with.get("method").and_then(|method| method.value.as_text());
        let parameters = with.get("parameters").filter(|_| method.is_none_or(|it| it == "tools/call"))?;
        let tool = parameters
            .value
            .get("name")?
            .value
            .as_text()
            .filter(|name| super::expressions::expression_of(name).is_none())?;
        let mut node = node_of_type("tool");
        node.insert("tool".to_owned(), Json::from(tool));
        if let Some(arguments) = parameters.value.get("arguments") {
            let arguments = self.value(&arguments.value, context, "call with", false);
            node.insert("input".to_owned(), arguments);
        }
        let http = with.get("transport").and_then(|transport| transport.value.get("http"));
        let endpoint = http.and_then(|http| http.value.get("endpoint")).map(|endpoint| &endpoint.value);
        let uri = endpoint.and_then(|it| it.get("uri").map_or(Some(it), |uri| Some(&uri.value)));
        let address = uri.and_then(Spanned::as_text).filter(|uri| is_url(uri) && !uri.contains("${"));
        match address {
            Some(address) if !self.servers.iter().any(|(_, known)| known == address) => {
                let name = self.add_server();
                self.servers.push((name, address.to_owned()));
            }
            Some(_) => {}
            None => {
                let span = with.get("transport").map_or(with.span, |transport| transport.key_span);
                self.report.add(
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

    fn add_server(&self) -> String {
        match self.servers.len() {
            0 => "mcp".to_owned(),
            count => format!("mcp-{}", count + 1),
        }
    }
}

fn merge_arguments(function: &Spanned, with: Option<&Entry>) -> Spanned {
    let mut body = function.clone();
    let (ValueKind::Map(entries), Some(with)) = (&mut body.kind, with) else { return body };
    match entries.iter_mut().find(|entry| entry.key == "with") {
        Some(own) => {
            if let (ValueKind::Map(own), ValueKind::Map(given)) = (&mut own.value.kind, &with.value.kind) {
                own.retain(|entry| given.iter().all(|given| given.key != entry.key));
                own.extend(given.iter().cloned());
            }
        }
        None => entries.push(with.clone()),
    }
    body
}
