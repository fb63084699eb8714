//! Converts a workflow's top level.

use super::duration;
use super::graph_builder::log_node;
use super::import::{Import, TaskContext};
use crate::interop::import_report::{ImportReport, ImportResult};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::{Code, Span};
use stepgraph_core::graph::Comments;
use stepgraph_core::source::{Entry, Spanned, ValueKind};

const UNSUPPORTED_USE: [(&str, &str, &str); 6] = [
    ("authentications", "use.authentications", "a plan never contains credentials; pass them to the host"),
    ("catalogs", "use.catalogs", "a plan does not import tasks"),
    ("errors", "use.errors", "failures of a plan have codes, which nodes define"),
    ("extensions", "use.extensions", "a plan has no hooks before or after tasks"),
    ("secrets", "use.secrets", "a plan never contains secrets; `$secrets` reads from the run's `context`"),
    ("plugins", "use.plugins", "a plan does not import plugins"),
];

pub(super) fn import_workflow(root: &Spanned, report: ImportReport) -> ImportResult {
    let mut import =
        Import { report, definitions: root.get("use").map(|used| &used.value), ..Import::default() };
    let mut plan = Map::new();
    let mut comments = Comments::new();
    import.document(root, &mut plan, &mut comments);
    import.inputs(root, &mut plan);
    if let Some(ms) = root.get("timeout").and_then(|timeout| import.timeout_ms(&timeout.value)) {
        import.report.add_exact("workflow timeout", ms.1, "the run has that time");
        plan.insert("limits".to_owned(), json!({"timeout_ms": duration::ms_json(ms.0)}));
    }
    import.report_unsupported(root);
    import.tasks(root, &mut plan, &mut comments);
    if !import.servers.is_empty() {
        let servers = import.servers.iter().map(|(name, url)| (name.clone(), json!({"url": url})));
        plan.insert("servers".to_owned(), Json::Object(servers.collect()));
    }
    import.report.finish(plan, &comments)
}

impl Import<'_> {
    fn document(&mut self, root: &Spanned, plan: &mut Map<String, Json>, comments: &mut Comments) {
        let Some(document) = root.get("document") else { return };
        let text = |key: &str| document.value.get(key).and_then(|entry| entry.value.as_text());
        if let Some(name) = text("name") {
            plan.insert("id".to_owned(), Json::from(name));
        }
        let about: Vec<&str> = ["title", "summary"].iter().filter_map(|key| text(key)).collect();
        if !about.is_empty() {
            let about = about.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n");
            plan.insert("description".to_owned(), Json::from(about));
        }
        let name = |key: &str| text(key).unwrap_or("?");
        let head = format!(
            "{}/{} {}, a workflow of Serverless Workflow {}",
            name("namespace"),
            name("name"),
            name("version"),
            name("dsl")
        );
        comments.insert(String::new(), Json::from(head));
        self.report.add_exact(
            "document",
            document.key_span,
            "its name becomes the plan's name, namespace and version become a comment",
        );
        for key in ["tags", "metadata"] {
            if let Some(entry) = document.value.get(key) {
                self.report.add(
                    "document tags",
                    Code::ImportLost,
                    entry.key_span,
                    "labels of a workflow are left out",
                    "",
                );
            }
        }
    }

    fn inputs(&mut self, root: &Spanned, plan: &mut Map<String, Json>) {
        let Some(schema) = root.get("input").and_then(|input| input.value.get("schema")) else { return };
        let document = schema.value.get("document").map(|document| &document.value);
        let properties = document.and_then(|document| document.get("properties")?.value.as_map());
        let Some(properties) = properties else {
            self.report.add(
                "input.schema",
                Code::ImportLost,
                schema.key_span,
                "a schema without `properties`, or in another file",
                "declare the input of the run under `inputs`",
            );
            return;
        };
        let required =
            document.and_then(|document| document.get("required")?.value.as_list()).unwrap_or_default();
        let is_required = |entry: &&Entry| required.iter().any(|name| name.as_text() == Some(&entry.key));
        let inputs: Map<String, Json> = properties
            .iter()
            .filter(is_required)
            .filter(|entry| matches!(entry.value.kind, ValueKind::Map(_) | ValueKind::Bool(_)))
            .map(|entry| (entry.key.clone(), entry.value.to_json()))
            .collect();
        if inputs.len() < properties.len() {
            let message = "optional properties are left out: `inputs` lists what a run requires";
            self.report.add("input.schema", Code::ImportApproximated, schema.key_span, message, "");
        } else {
            self.report.add_exact("input.schema", schema.key_span, "the properties are the plan's inputs");
        }
        if !inputs.is_empty() {
            plan.insert("inputs".to_owned(), Json::Object(inputs));
        }
    }

    fn report_unsupported(&mut self, root: &Spanned) {
        for (key, construct, why) in UNSUPPORTED_USE {
            if let Some(entry) = self.definitions.and_then(|used| used.get(key)) {
                self.report.add(construct, Code::ImportLost, entry.key_span, why, "");
            }
        }
        if let Some(schedule) = root.get("schedule") {
            self.report.add(
                "schedule",
                Code::ImportLost,
                schedule.key_span,
                "a plan has no schedule",
                "start it by the clock or the events of its host",
            );
        }
        if let Some(schema) = root.get("output").and_then(|output| output.value.get("schema")) {
            self.report.add(
                "output.schema",
                Code::ImportLost,
                schema.key_span,
                "the output of a plan is not validated against a schema",
                "",
            );
        }
        let language = root.get("evaluate").and_then(|evaluate| evaluate.value.get("language"));
        if let Some(language) = language.filter(|language| language.value.as_text() != Some("jq")) {
            self.report.add(
                "evaluate",
                Code::ImportLost,
                language.value.span,
                "expressions are read as jq, which these are not",
                "check every expression",
            );
        }
    }

    fn tasks(&mut self, root: &Spanned, plan: &mut Map<String, Json>, comments: &mut Comments) {
        let context = TaskContext { is_first: true, ..TaskContext::default() };
        let empty = Spanned { kind: ValueKind::List(Vec::new()), span: Span::at(root.span.start) };
        let list = root.get("do").map_or(&empty, |list| &list.value);
        if root.get("do").is_none() {
            self.report.add(
                "do",
                Code::ImportInvalid,
                Span::at(root.span.start),
                "a workflow without tasks",
                "list them under `do`",
            );
        }
        let before = root.get("input").and_then(|input| input.value.get("from")).map(|from| {
            let key = self.keys.make_unique("workflow-input".to_owned());
            (key, log_node(self.value(&from.value, &context, "input.from", true)))
        });
        let after = root.get("output").and_then(|output| output.value.get("as"));
        let after = after.map(|to| {
            let key = self.keys.make_unique("workflow-output".to_owned());
            (key, log_node(self.value(&to.value, &context, "output.as", true)))
        });
        let (mut made, remarks) = self.graph(list, &context, after);
        for (way, comment) in remarks {
            comments.insert(way, Json::from(comment));
        }
        if let Some((key, node)) = before {
            let first = made.insert("start".to_owned(), Json::from(key.as_str()));
            let edge = json!({"from": key, "to": first});
            if let Some(nodes) = made.get_mut("nodes").and_then(Json::as_object_mut) {
                // The start comes first in the text.
                let rest = std::mem::take(nodes);
                nodes.insert(key, Json::Object(node));
                nodes.extend(rest);
            }
            if let Json::Array(edges) = made.entry("edges").or_insert_with(|| Json::Array(Vec::new())) {
                edges.push(edge);
            }
        }
        plan.extend(made);
    }
}
