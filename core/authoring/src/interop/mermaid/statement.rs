//! Parses ids, labels and edge labels.

use super::flowchart::{FlowEdge, Shape};
use super::label_text;
use super::link::Link;
use super::parser::{Parser, PrecedingLine};
use stepgraph_core::diagnostic::{Code, Span};
use stepgraph_core::source;

/// Besides letters and digits.
const ID_CHARS: &str = "!\"#$%'*+.`?\\_/:";
/// Longer delimiters come first.
const SHAPES: [(&str, &[&str], Shape); 14] = [
    ("(((", &[")))"], Shape::Any),
    ("([", &["])"], Shape::Any),
    ("((", &["))"], Shape::Any),
    ("(-", &["-)"], Shape::Any),
    ("[[", &["]]"], Shape::Any),
    ("[(", &[")]"], Shape::Any),
    ("[/", &["/]", "\\]"], Shape::Any),
    ("[\\", &["\\]", "/]"], Shape::Any),
    ("[|", &["|]"], Shape::Any),
    ("{{", &["}}"], Shape::Any),
    ("[", &["]"], Shape::Any),
    ("(", &[")"], Shape::Any),
    ("{", &["}"], Shape::Diamond),
    (">", &["]"], Shape::Any),
];
const MAX_ATTRIBUTE_BYTES: usize = 4096;

impl<'t> Parser<'t, '_> {
    /// `None` if it is not closed.
    pub(super) fn link_label(&mut self, link: &Link<'t>) -> Option<String> {
        let mut raw = link.label.unwrap_or_default();
        if self.eat("|") {
            let line = self.line();
            let quoted = line.trim_start().starts_with('"');
            let after_quotes = line.find("\"|").filter(|_| quoted).map(|end| end + 1);
            let end = after_quotes.or_else(|| line.find('|'))?;
            self.at += end + 1;
            raw = line.get(..end)?;
        }
        Some(label_text::lines(raw).join(" "))
    }

    pub(super) fn arrows(
        &mut self,
        from: &[usize],
        to: &[usize],
        link: &Link<'_>,
        label: Option<&str>,
        span: Span,
    ) {
        if link.is_invisible {
            let message = "an invisible line only changes the layout and is left out";
            self.report.add("invisible link", Code::ImportAppearance, span, message, "");
            return;
        }
        if !link.has_head {
            let message = "a line without an arrowhead is imported as an arrow to the right-hand node";
            self.report.add("open link", Code::ImportApproximated, span, message, "");
        }
        let mut both: Vec<(usize, usize)> =
            from.iter().flat_map(|from| to.iter().map(|to| (*from, *to))).collect();
        if link.is_double {
            let message = "an arrow with two heads is imported as two arrows";
            self.report.add("double arrow", Code::ImportApproximated, span, message, "");
            both.extend(to.iter().flat_map(|to| from.iter().map(|from| (*to, *from))));
        }
        for (from, to) in both {
            self.preceding = PrecedingLine::Arrow(self.flowchart.edges.len());
            let label = label.map(str::to_owned);
            self.flowchart.edges.push(FlowEdge { from, to, span, label, record: None });
        }
    }

    pub(super) fn nodes(&mut self) -> Option<Vec<usize>> {
        /// Edges connect all pairs, which takes quadratic space.
        const MAX_NODES: usize = 100;
        let mut nodes = vec![self.node()?];
        loop {
            let before = self.at;
            self.skip(char::is_whitespace);
            if !self.eat("&") {
                self.at = before;
                return Some(nodes);
            }
            self.skip(char::is_whitespace);
            nodes.push(self.node()?);
            if nodes.len() > MAX_NODES {
                return None;
            }
        }
    }

    pub(super) fn node(&mut self) -> Option<usize> {
        let from = self.at;
        let id = self.id();
        if id.is_empty() {
            return None;
        }
        let node = self.flowchart.node(id, Span::new(from, self.at));
        if let Some((_, named)) = self.open_subgraphs.last_mut() {
            named.push(node);
        }
        self.preceding = PrecedingLine::Node(node);
        if self.rest().starts_with("@{") {
            let (label, shape) = self.attributes()?;
            let known = self.flowchart.nodes.get(node).map_or(Shape::Any, |node| node.shape);
            self.set_node(node, label, shape.unwrap_or(known));
        } else if let Some((open, closers, shape)) =
            SHAPES.iter().find(|(open, ..)| self.rest().starts_with(open))
        {
            self.at += open.len();
            let raw = self.label(closers)?;
            self.set_node(node, Some(label_text::lines(raw)), *shape);
        }
        if self.eat(":::") {
            self.skip(|c| c.is_alphanumeric() || c == '_' || c == '-');
        }
        Some(node)
    }

    pub(super) fn set_node(&mut self, node: usize, label: Option<Vec<String>>, shape: Shape) {
        if let Some(node) = self.flowchart.nodes.get_mut(node) {
            node.label = label.or_else(|| node.label.take());
            node.shape = shape;
        }
    }

    /// May contain dashes and equals signs that start no edge.
    pub(super) fn id(&mut self) -> &'t str {
        let rest = self.rest();
        let mut length = 0;
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            let after = chars.peek().copied().unwrap_or(' ');
            let classes = c == ':' && after == ':';
            let belongs = match c {
                '-' => !matches!(after, '-' | '.' | '>'),
                '=' => after != '=',
                '&' => after.is_alphanumeric(),
                c => c.is_alphanumeric() || ID_CHARS.contains(c) || !c.is_ascii() && !c.is_whitespace(),
            };
            if !belongs || classes {
                break;
            }
            length += c.len_utf8();
        }
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Ends at one of `closers`, quoted or on one line.
    pub(super) fn label(&mut self, closers: &[&str]) -> Option<&'t str> {
        let from = self.at;
        self.skip(char::is_whitespace);
        if self.rest().starts_with('"') {
            let end = self.find_quotes(self.at + 1)?;
            let raw = self.text.get(self.at..=end);
            self.at = end + 1;
            self.skip(char::is_whitespace);
            return closers.iter().any(|closer| self.eat(closer)).then_some(raw)?;
        }
        self.at = from;
        let line = self.line();
        let found = closers.iter().filter_map(|closer| Some((line.find(closer)?, closer.len()))).min()?;
        self.at += found.0 + found.1;
        line.get(..found.0)
    }

    pub(super) fn find_quotes(&mut self, from: usize) -> Option<usize> {
        if from >= self.no_quotes_from {
            return None;
        }
        let found = self.text.get(from..)?.find('"');
        if found.is_none() {
            self.no_quotes_from = from;
        }
        found.map(|at| from + at)
    }

    pub(super) fn attributes(&mut self) -> Option<(Option<Vec<String>>, Option<Shape>)> {
        self.at += 1;
        let window = self.rest().get(..self.rest().floor_char_boundary(MAX_ATTRIBUTE_BYTES))?;
        let mut quoted = false;
        let end = window.find(|c| {
            quoted ^= c == '"';
            c == '}' && !quoted
        })?;
        let raw = window.get(..=end)?;
        self.at += end + 1;
        let root = source::parse(raw, source::Format::Yaml).root?;
        let text = |key: &str| root.get(key)?.value.as_text().map(str::to_owned);
        let is_diamond = |shape: &str| matches!(shape, "diam" | "diamond" | "decision" | "question");
        let shape = text("shape").map(|shape| if is_diamond(&shape) { Shape::Diamond } else { Shape::Any });
        Some((text("label").map(|label| label_text::lines(&label)), shape))
    }
}
