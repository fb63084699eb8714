//! Hover texts, with untrusted text shown verbatim.

mod description;

use self::description::{describe_tool, describe_type, describe_value};
use super::Document;
use super::complete::{ROOTS, describe, is_argument};
use super::completion_context::{CompletionContext, InsertionKind};
use super::expression_lexer::{self, Atom, Lexed, inner};
use super::inference::{Inference, MAX_HOPS, segments};
use super::macro_variable::expression_at;
use super::markdown::{code, text};
use super::navigation::unquoted;
use super::partial_graph::{PartialGraph, RunOrder, documentation, edges, summary, visible_outputs};
use super::plan_format::{BEHAVIOUR, KeyNames, PlanLocation, ValueSpec, built_in};
use super::syntax_tree::{PathStep, SyntaxTree};
use super::typed_expression::TypedExpression;
use super::value_type::ValueType;
use std::fmt::Write as _;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Diagnostic, Span};
use stepgraph_core::expression::{Function, Type};

/// Hover text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// In bytes.
    pub span: Span,
    /// In Markdown.
    pub markdown: String,
}

/// The hover text at a position.
pub fn hover(document: &Document, at: usize) -> Option<Hover> {
    let tree = SyntaxTree::new(document.text(), document.format());
    let problem = diagnostic(document, at);
    let about = CompletionContext::new(&tree, at).and_then(|context| {
        let location = PlanLocation::new(&tree, &context.path, &context.items);
        let inference = Inference { tree: &tree, capabilities: document.capabilities() };
        HoverBuilder { inference, context: &context, location, at }.build()
    });
    match (about, problem) {
        (Some(mut about), Some((_, said))) => {
            about.markdown = format!("{said}\n\n---\n\n{}", about.markdown);
            Some(about)
        }
        (Some(about), None) => Some(about),
        (None, problem) => problem.map(|(span, markdown)| Hover { span, markdown }),
    }
}

/// Editors show the message themselves.
fn diagnostic(document: &Document, at: usize) -> Option<(Span, String)> {
    let here = |diagnostic: &&Diagnostic| {
        diagnostic.span.is_some_and(|span| span.start <= at && at <= span.end && span.end - span.start < 2000)
    };
    let width = |diagnostic: &&Diagnostic| diagnostic.span.map_or(0, |span| span.end - span.start);
    let found = document.diagnostics().iter().filter(here).min_by_key(width)?;
    let info = found.code.info();
    Some((
        found.span?,
        format!("**{}** {}\n\n{}", code(info.slug), text(&found.message), text(info.explanation)),
    ))
}

struct HoverBuilder<'s, 't> {
    inference: Inference<'s, 't>,
    context: &'s CompletionContext<'t>,
    location: PlanLocation,
    at: usize,
}

impl HoverBuilder<'_, '_> {
    fn build(&self) -> Option<Hover> {
        let empty = self.context.span.start == self.context.span.end;
        let markdown = match self.context.insertion {
            _ if empty => return None,
            InsertionKind::Key => {
                return self.key().map(|markdown| Hover { span: self.context.span, markdown });
            }
            InsertionKind::Value | InsertionKind::ValueOrKey => match self.location.spec {
                ValueSpec::Condition => return self.expression(true),
                ValueSpec::Input
                | ValueSpec::Template
                | ValueSpec::NumberTemplate
                | ValueSpec::Schema
                | ValueSpec::Any
                    if self
                        .lexed(false)
                        .placeholders
                        .iter()
                        .any(|placeholder| self.contains(*placeholder)) =>
                {
                    return self.expression(false);
                }
                _ => self.value()?,
            },
            InsertionKind::NewItem => return None,
        };
        Some(Hover { span: self.context.span, markdown })
    }

    fn contains(&self, span: Span) -> bool {
        span.start <= self.at && self.at <= span.end
    }

    fn word(&self) -> std::borrow::Cow<'_, str> {
        let tree = self.inference.tree;
        let entry = self.context.entry.and_then(|entry| tree.key(entry));
        entry.or_else(|| tree.scalar(self.context.holder())).unwrap_or_default()
    }

    fn key(&self) -> Option<String> {
        let tree = self.inference.tree;
        let name = self.word();
        let field = match self.location.spec {
            ValueSpec::Map(map_spec) => map_spec.field(&name),
            ValueSpec::Behaviour => BEHAVIOUR.field(&name),
            ValueSpec::Settings => {
                let kind = self.location.node_type(tree)?;
                built_in(&kind)?.settings.iter().find(|field| field.key == name)
            }
            ValueSpec::Named(KeyNames::DeclaredNodes, _) => {
                return self.context.entry.map(|entry| self.node(entry));
            }
            ValueSpec::Named(KeyNames::NodeKeys | KeyNames::NodeIds, _) => return self.node_of(&name),
            ValueSpec::Named(KeyNames::Tools, _) => return self.tool(&name),
            ValueSpec::Input if is_argument(&self.inference, &self.location) => {
                let inner = self.context.path.len().saturating_sub(self.location.free_depth);
                let mut path = segments(self.context.path.get(inner..).unwrap_or_default());
                path.push(stepgraph_core::value::Segment::Key(name.to_string()));
                return argument_type(&self.inference, &self.location, &path)
                    .map(|value_type| describe_value(&code(&name), &value_type));
            }
            ValueSpec::Named(_, ValueSpec::Schema) => {
                let value_type =
                    self.inference.run_input().step(&stepgraph_core::value::Segment::Key(name.to_string()));
                return Some(describe_value(&format!("input {}", code(&name)), &value_type));
            }
            _ => None,
        }?;
        let needed = if field.required { ", required" } else { "" };
        Some(format!("{}: {}{needed}\n\n{}", code(field.key), field.value.describe(), field.doc))
    }

    fn value(&self) -> Option<String> {
        let name = self.word();
        match self.location.spec {
            ValueSpec::NodeType => match built_in(&name)
                .filter(|_| !self.inference.capabilities.handles_type(&name))
            {
                Some(spec) => {
                    let settings = spec.settings.iter().map(|field| code(field.key)).collect_vec().join(", ");
                    Some(format!("node type {}\n\n{}\n\nSettings: {settings}.", code(spec.name), spec.doc))
                }
                None => self.tool(&name).or_else(|| {
                    let host = if self.inference.capabilities.handles_type(&name) {
                        "The host handles this type."
                    } else {
                        "A type that the host has to handle."
                    };
                    Some(format!("node type {}\n\n{host}", code(&name)))
                }),
            },
            ValueSpec::Tool => self.tool(&name),
            ValueSpec::NodeKey | ValueSpec::NodeId => self.node_of(&name),
            ValueSpec::Enum(words) => {
                let (word, doc) = words.iter().find(|(word, _)| *word == name)?;
                Some(format!("{}\n\n{doc}", code(word)))
            }
            ValueSpec::Input if is_argument(&self.inference, &self.location) => {
                let inner = self.context.path.len().saturating_sub(self.location.free_depth);
                let path = segments(self.context.path.get(inner..).unwrap_or_default());
                let Some(PathStep::Key(key)) = self.context.path.last() else { return None };
                argument_type(&self.inference, &self.location, &path)
                    .map(|value_type| describe_value(&code(key), &value_type))
            }
            _ => None,
        }
    }

    fn node_of(&self, name: &str) -> Option<String> {
        let graph = PartialGraph::new(
            self.inference.tree,
            if matches!(self.location.spec, ValueSpec::NodeId) { 0 } else { self.location.graph },
        );
        let node = graph.nodes.iter().find(|node| node.key == name || node.id == name)?;
        Some(self.node(node.item))
    }

    fn node(&self, node: usize) -> String {
        let tree = self.inference.tree;
        let name = tree.key(node).unwrap_or_default();
        let mut lines = vec![format!("node {}: {}", code(&name), text(&summary(tree, node)))];
        lines.extend(documentation(tree, node).map(|doc| {
            if tree.text_of(node, "description").is_some() { text(&doc) } else { doc.into_owned() }
        }));
        let location = PlanLocation::of(tree, node);
        let ends = edges(tree, location.graph);
        let list = |names: Vec<String>| match names.len() {
            0..=8 => names.join(", "),
            more => format!("{} and {} more", names.get(..8).unwrap_or_default().join(", "), more - 8),
        };
        let shown = |edge: usize, other: &str| match tree.text_of(edge, "condition") {
            Some(condition) => format!("{} when {}", code(other), code(&condition)),
            None => code(other),
        };
        let from =
            ends.iter().filter(|edge| edge.to == name).map(|edge| shown(edge.item, &edge.from)).collect_vec();
        let to =
            ends.iter().filter(|edge| edge.from == name).map(|edge| shown(edge.item, &edge.to)).collect_vec();
        let start = tree.text_of(location.graph, "start").is_some_and(|start| start == name);
        lines.push(match (from.is_empty(), start) {
            (_, true) if from.is_empty() => "A run begins here.".to_owned(),
            (true, _) => "No edge leads here.".to_owned(),
            (false, true) => format!("A run begins here. Comes from {}.", list(from)),
            (false, false) => format!("Comes from {}.", list(from)),
        });
        lines.push(if to.is_empty() {
            "The run ends after it.".to_owned()
        } else {
            format!("Leads to {}.", list(to))
        });
        let graph = PartialGraph::new(tree, location.graph);
        if let Some(always) =
            graph.position(&name).map(|at| graph.is_on_every_path(at)).filter(|_| !graph.nodes.is_empty())
        {
            lines.push(if always {
                "Every path passes it.".to_owned()
            } else {
                "Not every path passes it.".to_owned()
            });
        }
        let value_type = self.inference.node(node, 8);
        if value_type.is_known() {
            lines.push(format!("Returns {}", describe_type(&value_type)));
        }
        lines.join("\n\n")
    }

    fn tool(&self, name: &str) -> Option<String> {
        let (shown, tool) = self.inference.capabilities.tools.as_ref()?.entry(name)?;
        Some(describe_tool(shown, tool))
    }

    fn lexed(&self, condition: bool) -> Lexed<'_> {
        expression_lexer::scalar(self.inference.tree.text, self.context.span, condition)
    }

    fn expression(&self, condition: bool) -> Option<Hover> {
        if let Some(hover) = self.function() {
            return Some(hover);
        }
        let lexed = self.lexed(condition);
        let found = lexed.atoms.iter().find_map(|atom| {
            let at = atom.segments.iter().position(|segment| self.contains(segment.span))?;
            Some((atom, at))
        });
        let root = found.and_then(|(atom, _)| atom.segments.first());
        if root.is_none_or(|root| !ROOTS.iter().any(|(known, _)| *known == root.text))
            && let Some(hover) = self.typed_name(condition)
        {
            return Some(hover);
        }
        if let Some((atom, at)) = found {
            let span = atom.segments.get(at).map(|segment| unquoted(self.inference.tree, segment.span))?;
            return self.reference(atom, at).map(|markdown| Hover { span, markdown });
        }
        let (span, _) = inner(self.inference.tree.text, self.context.span);
        let markdown = if condition {
            condition_prose(self.inference.tree, self.context, &self.location)
        } else {
            return None;
        };
        Some(Hover { span, markdown })
    }

    /// A variable of a macro, or a value that the expression computes.
    fn typed_name(&self, condition: bool) -> Option<Hover> {
        let text = self.inference.tree.text;
        let (span, syntax) = expression_at(text, self.context.span, self.at, condition)?;
        let expression = TypedExpression::new(self.inference, &self.location, span, syntax, MAX_HOPS);
        let (span, kind) = expression.name_at(self.at)?;
        let name = code(text.get(span.start..span.end)?);
        let markdown = match kind {
            Type::Dyn => return None,
            Type::Timestamp | Type::Duration => format!("{name}: {}", describe(kind)),
            kind => describe_value(&name, &ValueType::from_schema(kind.to_schema())),
        };
        Some(Hover { span, markdown })
    }

    fn function(&self) -> Option<Hover> {
        let written = self.inference.tree.text;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = written.get(..self.at)?.trim_end_matches(is_part);
        let rest = written.get(before.len()..)?;
        let name = rest.get(..rest.find(|c| !is_part(c)).unwrap_or(rest.len()))?;
        if !rest.get(name.len()..)?.starts_with('(') {
            return None;
        }
        let function = Function::named(name)
            .or_else(|| Function::named(&format!("math.{name}")).filter(|_| before.ends_with("math.")))?;
        let docs = function.docs();
        let form = |form: &str| match form.split_once(".(") {
            Some((receiver, rest)) => code(&format!("{receiver}.{name}({rest}")),
            None => code(&format!("{name}{form}")),
        };
        let forms = function.signature_text().split("; ").map(form).collect_vec();
        let markdown = format!(
            "{}\n\n{}\n\n{} → {}",
            forms.join("\n"),
            docs.summary,
            code(docs.example),
            code(docs.result)
        );
        Some(Hover { span: Span::new(before.len(), before.len() + name.len()), markdown })
    }

    fn reference(&self, atom: &Atom<'_>, at: usize) -> Option<String> {
        let tree = self.inference.tree;
        let names = atom.segments.get(..=at)?;
        let written = tree.text.get(names.first()?.span.start..names.last()?.span.end).unwrap_or_default();
        let root = names.first()?.text.as_ref();
        let value_type = self.inference.reference(&self.location, atom, at + 1);
        if at == 0 {
            let (_, doc) = ROOTS.iter().find(|(known, _)| *known == root)?;
            let rest = if value_type.is_known() {
                format!("\n\n{}", describe_type(&value_type))
            } else {
                String::new()
            };
            return Some(format!("{}\n\n{doc}{rest}", code(root)));
        }
        let mut out = describe_value(&code(written), &value_type);
        if at == 1 && root == "output" {
            let name = names.last()?.text.as_ref();
            match visible_outputs(tree, &self.location).into_iter().find(|output| output.name == name) {
                Some(found) => {
                    let when = match found.run_order {
                        RunOrder::Before => "It has run on every path to here, as far as the edges show.",
                        RunOrder::Maybe => "It has run on some path to here, perhaps not on all.",
                        RunOrder::Never => "It has run on no path to here.",
                    };
                    let by = tree.key(found.node).unwrap_or_default();
                    let _ = write!(
                        out,
                        "\n\nThe output of node {}, {}. {when}",
                        code(&by),
                        text(&summary(tree, found.node))
                    );
                }
                None if name != "input" && name != "memory" => out.push_str("\n\nNo node is called so."),
                None => {}
            }
        }
        Some(out)
    }
}

fn argument_type(
    inference: &Inference<'_, '_>,
    location: &PlanLocation,
    path: &[stepgraph_core::value::Segment],
) -> Option<ValueType> {
    Some(super::complete::arguments_of(inference, location).at(path)).filter(ValueType::is_known)
}

fn condition_prose(
    tree: &SyntaxTree<'_>,
    context: &CompletionContext<'_>,
    location: &PlanLocation,
) -> String {
    let written = tree.scalar(context.holder()).unwrap_or_default();
    let edge = location.edge.map(|edge| {
        (tree.text_of(edge, "from").unwrap_or_default(), tree.text_of(edge, "to").unwrap_or_default())
    });
    let (from, to) = edge.unwrap_or_default();
    let whole = match stepgraph_core::expression::Condition::parse(&written) {
        Ok(stepgraph_core::expression::Condition::Fallback) => {
            "when no condition of its other edges holds".to_owned()
        }
        Ok(condition) => format!("when {}", super::condition_text::describe_condition(&condition)),
        Err(problem) => return format!("This condition can't be read: {}.", text(&problem.message)),
    };
    format!("From {} to {} {whole}.", code(&from), code(&to))
}
