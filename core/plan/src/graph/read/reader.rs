//! The reader's state.

use super::super::{Named, NestedStep, Node};
use crate::key::did_you_mean;
use std::collections::HashMap;
use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, shorten_name};

pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) problems: &'a mut DiagnosticCollector,
    pub(super) scope: String,
    pub(super) way: Vec<NestedStep>,
}

pub(super) fn no_nodes(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NoNodes, "the plan has no nodes")
        .at(span)
        .help("add a node under `nodes`, as in `nodes: {hello: {type: log, input: hi}}`")
}

pub(super) struct NodeNames<'a> {
    pub(super) nodes: &'a [Node],
    keys: HashMap<&'a str, usize>,
    /// Ids that differ from keys, written by mistake.
    ids: HashMap<&'a str, usize>,
}

impl<'a> NodeNames<'a> {
    pub(super) fn new(nodes: &'a [Node]) -> Self {
        let numbered = || nodes.iter().enumerate();
        let keys = numbered().map(|(i, node)| (node.key.as_str(), i)).collect();
        let renamed = numbered().filter(|(_, node)| node.id != node.key);
        Self { nodes, keys, ids: renamed.map(|(i, node)| (node.id.as_str(), i)).collect() }
    }

    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.keys.get(key).copied()
    }

    pub(super) fn unknown(
        &self,
        code: Code,
        named: &Named,
        diagnostics: &mut DiagnosticCollector,
    ) -> Diagnostic {
        let Named { name, span } = named;
        let diagnostic =
            Diagnostic::new(code, format!("there is no node `{}`", shorten_name(name))).at(*span);
        let by_id = self.ids.get(name.as_str()).and_then(|node| self.nodes.get(*node));
        if let Some(node) = by_id {
            let help = format!("write `{}`, the key of the node whose id this is", shorten_name(&node.key));
            return did_you_mean(diagnostic, &node.key, name).help(help);
        }
        match diagnostics.closest_name(name, self.nodes.iter().map(|node| node.key.as_str())) {
            Some(meant) => did_you_mean(diagnostic, meant, name),
            None => {
                diagnostic.help(format!("add a node `{}`, or name one that is there", shorten_name(name)))
            }
        }
    }
}
