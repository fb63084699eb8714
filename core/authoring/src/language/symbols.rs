//! Document symbols and folding ranges of a plan, also in broken text.
//!
//! Invariant: the span of a symbol contains its children.
//!
//! Source: the Language Server Protocol, document symbols and folding ranges.

use super::Document;
use super::navigation::unquoted;
use super::partial_graph::summary;
use super::syntax_tree::{SyntaxTree, ValueForm};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;

/// A symbol's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// A node.
    Node,
    /// A graph's edges.
    Edges,
    /// An edge.
    Edge,
    /// Nested graph.
    Graph,
    /// Inputs or servers.
    Group,
    /// An input.
    Input,
    /// A server.
    Server,
    /// A test.
    Test,
}

impl SymbolKind {
    /// JSON name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Edges => "edges",
            Self::Edge => "edge",
            Self::Graph => "graph",
            Self::Group => "group",
            Self::Input => "input",
            Self::Server => "server",
            Self::Test => "test",
        }
    }
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// A node's type or an edge's condition.
    pub detail: String,
    /// The kind.
    pub kind: SymbolKind,
    /// Full span.
    pub span: Span,
    /// Name's span.
    pub name_span: Span,
    /// The children.
    pub children: Vec<Symbol>,
}

/// The plan reader rejects deeper graphs.
const MAX_DEPTH: usize = 64;

/// In text order.
pub fn symbols(document: &Document) -> Vec<Symbol> {
    let tree = SyntaxTree::new(document.text(), document.format());
    let mut found = graph(&tree, 0, 0);
    for (key, kind) in [("inputs", SymbolKind::Input), ("servers", SymbolKind::Server)] {
        let Some(holder) = tree.get(0, key) else { continue };
        let one = |item: usize| {
            let detail = tree
                .text_of(item, if kind == SymbolKind::Input { "type" } else { "url" })
                .unwrap_or_default();
            Some(symbol(&tree, item, tree.key(item)?.into_owned(), detail.into_owned(), kind))
        };
        let children = tree.children(holder).filter_map(one).collect_vec();
        found.extend(group(&tree, holder, key, children));
    }
    if let Some(holder) = tree.get(0, "tests") {
        let test = |item: usize| {
            let name =
                tree.text_of(item, "name").map_or_else(|| "test".to_owned(), std::borrow::Cow::into_owned);
            symbol(&tree, item, name, String::new(), SymbolKind::Test)
        };
        let children = tree.children(holder).map(test).collect_vec();
        found.extend(group(&tree, holder, "tests", children));
    }
    found.sort_by_key(|symbol| symbol.span.start);
    found
}

fn group(tree: &SyntaxTree<'_>, item: usize, name: &str, children: Vec<Symbol>) -> Option<Symbol> {
    let whole = symbol(tree, item, name.to_owned(), String::new(), SymbolKind::Group);
    (!children.is_empty()).then_some(Symbol { children, ..whole })
}

fn span(tree: &SyntaxTree<'_>, at: usize) -> Span {
    let item = tree.item(at);
    let end = item.value.end.max(item.key.map_or(item.start, |key| key.end));
    Span::new(item.start.min(end), end)
}

fn symbol(tree: &SyntaxTree<'_>, at: usize, name: String, detail: String, kind: SymbolKind) -> Symbol {
    let item = tree.item(at);
    let name_span = match item.key {
        Some(key) => unquoted(tree, key),
        None => Span::new(item.start, item.value.start.max(item.start)),
    };
    // Editors hide empty names.
    let name = if name.trim().is_empty() { "…".to_owned() } else { name };
    let span = span(tree, at);
    let name_span =
        Span::new(name_span.start.clamp(span.start, span.end), name_span.end.clamp(span.start, span.end));
    Symbol { name, detail, kind, span, name_span, children: Vec::new() }
}

fn graph(tree: &SyntaxTree<'_>, at: usize, depth: usize) -> Vec<Symbol> {
    let mut found = Vec::new();
    if let Some(holder) = tree.get(at, "nodes") {
        found.extend(tree.children(holder).filter_map(|item| {
            let symbol =
                symbol(tree, item, tree.key(item)?.into_owned(), summary(tree, item), SymbolKind::Node);
            Some(Symbol {
                children: if depth < MAX_DEPTH { nested_graphs(tree, item, depth + 1) } else { Vec::new() },
                ..symbol
            })
        }));
    }
    if let Some(holder) = tree.get(at, "edges") {
        let edge = |item: usize| {
            let end = |key: &str| tree.text_of(item, key).unwrap_or_default();
            let name = format!("{} → {}", end("from"), end("to"));
            symbol(tree, item, name, end("condition").into_owned(), SymbolKind::Edge)
        };
        let children = tree.children(holder).map(edge).collect_vec();
        let whole = symbol(tree, holder, "edges".to_owned(), String::new(), SymbolKind::Edges);
        found.extend((!children.is_empty()).then_some(Symbol { children, ..whole }));
    }
    found
}

fn nested_graphs(tree: &SyntaxTree<'_>, node: usize, depth: usize) -> Vec<Symbol> {
    let mut found = Vec::new();
    for key in ["graph", "do"] {
        if let Some(item) = tree.get(node, key) {
            let whole = symbol(tree, item, key.to_owned(), String::new(), SymbolKind::Graph);
            found.push(Symbol { children: graph(tree, item, depth), ..whole });
        }
    }
    for item in tree.get(node, "branches").into_iter().flat_map(|holder| tree.children(holder)) {
        let name = tree.key(item).unwrap_or_default().into_owned();
        let whole = symbol(tree, item, name, "branch".to_owned(), SymbolKind::Graph);
        found.push(Symbol { children: graph(tree, item, depth), ..whole });
    }
    found
}

/// Lines to fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldingRange {
    /// Whole lines, in bytes.
    pub span: Span,
    /// Comment lines.
    pub comment: bool,
}

/// In text order.
pub fn folding_ranges(document: &Document) -> Vec<FoldingRange> {
    let text = document.text();
    let tree = SyntaxTree::new(text, document.format());
    let mut found = Vec::new();
    let mut last = usize::MAX;
    for (at, item) in tree.items.iter().enumerate() {
        let whole = if at == 0 && !item.flow { continue } else { span(&tree, at) };
        let folds = matches!(item.form, ValueForm::Map | ValueForm::List) || item.form == ValueForm::Scalar;
        let start = tree.line_start(whole.start);
        let lines = text.get(whole.start..whole.end).is_some_and(|text| text.trim_end().contains('\n'));
        // Editors use a line's first range.
        if folds && lines && start != last {
            last = start;
            found.push(FoldingRange { span: Span::new(start, whole.end), comment: false });
        }
    }
    comments(text, &tree, &mut found);
    found.sort_by_key(|fold| (fold.span.start, usize::MAX - fold.span.end));
    found
}

fn comments(text: &str, tree: &SyntaxTree<'_>, found: &mut Vec<FoldingRange>) {
    let blocks: Vec<Span> =
        tree.items.iter().filter(|item| item.form == ValueForm::Scalar).map(|item| item.value).collect_vec();
    let mut run: Option<(Span, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        // Block scalars contain no comments.
        let next = blocks.partition_point(|block| block.start <= at);
        let inside =
            next.checked_sub(1).and_then(|before| blocks.get(before)).is_some_and(|block| at < block.end);
        if content.starts_with('#') && !inside {
            let end = at + line.trim_end().len();
            run =
                Some(run.map_or((Span::new(at, end), 1), |(span, count)| {
                    (Span::new(span.start, end), count + 1)
                }));
        } else if let Some((span, count)) = run.take() {
            found.extend((count > 1).then_some(FoldingRange { span, comment: true }));
        }
        at += line.len();
    }
    if let Some((span, count)) = run {
        found.extend((count > 1).then_some(FoldingRange { span, comment: true }));
    }
}
