//! Parses a flowchart. Reports and skips what does not parse, up to the end of the line.
//!
//! Invariants: 1. Linear: no line is searched twice for a character that it does not contain. 2. No
//! recursion.
//!
//! Source: Mermaid's flowchart syntax, version 11.

use super::flowchart::Flowchart;
use super::{OWN_MARKER, RECORD_PREFIX, label_text, link};
use crate::interop::import_report::ImportReport;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, shorten_name};
use stepgraph_core::source;

const STYLE_KEYWORDS: [&str; 6] = ["style", "classDef", "class", "linkStyle", "click", "href"];
#[derive(Clone, Copy)]
pub(super) enum PrecedingLine {
    Nothing,
    Node(usize),
    Arrow(usize),
    Frame(usize),
}

pub(super) fn parse(text: &str, report: &mut ImportReport) -> Result<Flowchart, Diagnostic> {
    let mut reader = Parser {
        text,
        at: 0,
        end_of_line: 0,
        no_quotes_from: usize::MAX,
        flowchart: Flowchart::default(),
        report,
        open_subgraphs: Vec::new(),
        preceding: PrecedingLine::Nothing,
    };
    reader.head()?;
    while reader.at < text.len() {
        let before = reader.at;
        if reader.statement().is_none() {
            reader.report_broken(before);
        }
    }
    while let Some((subgraph, _)) = reader.open_subgraphs.last() {
        let span =
            reader.flowchart.subgraphs.get(*subgraph).map(|subgraph| subgraph.span).unwrap_or_default();
        reader.report.add(
            "subgraph",
            Code::ImportSyntax,
            span,
            "a frame is not closed",
            "add `end` below its contents",
        );
        reader.close();
    }
    Ok(reader.flowchart)
}

pub(super) struct Parser<'t, 'r> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) end_of_line: usize,
    /// No quotes follow this position.
    pub(super) no_quotes_from: usize,
    pub(super) flowchart: Flowchart,
    pub(super) report: &'r mut ImportReport,
    pub(super) open_subgraphs: Vec<(usize, Vec<usize>)>,
    pub(super) preceding: PrecedingLine,
}

impl<'t> Parser<'t, '_> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn line(&mut self) -> &'t str {
        if self.end_of_line < self.at {
            self.end_of_line =
                self.at + self.rest().bytes().position(|b| b == b'\n').unwrap_or(self.rest().len());
        }
        self.text.get(self.at..self.end_of_line).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(super) fn skip(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn skip_whitespace(&mut self) {
        self.skip(|c| matches!(c, ' ' | '\t' | '\r'));
    }

    fn take_line(&mut self) -> &'t str {
        let line = self.line();
        self.at = (self.at + line.len() + 1).min(self.text.len());
        line.trim()
    }

    pub(super) fn span(&self, from: usize) -> Span {
        let text = self.text.get(from..self.at).unwrap_or_default();
        Span::new(from, from + text.trim_end().len())
    }

    fn head(&mut self) -> Result<(), Diagnostic> {
        self.eat("\u{feff}");
        self.skip(char::is_whitespace);
        if self.rest().starts_with("---") {
            self.front_matter();
        }
        loop {
            self.skip(|c| c.is_whitespace() || c == ';');
            if !self.rest().starts_with("%%") {
                break;
            }
            self.comment();
        }
        let start = self.at;
        let word = self.skip(|c| c.is_ascii_alphanumeric() || c == '-');
        if !matches!(word, "graph" | "flowchart" | "flowchart-elk") {
            self.at = start;
            let line = Span::new(start, start + self.line().trim_end().len());
            return Err(Diagnostic::new(Code::ImportUnreadable, "no flowchart begins here")
                .at(line)
                .help("begin with `flowchart TD`; of Mermaid's diagrams only flowcharts can be taken over"));
        }
        self.skip_whitespace();
        if let Some(direction) =
            ["TB", "TD", "BT", "RL", "LR", "<", ">", "^", "v"].iter().find(|it| self.rest().starts_with(**it))
        {
            self.eat(direction);
        }
        Ok(())
    }

    /// YAML between two lines of dashes.
    fn front_matter(&mut self) {
        let from = self.at;
        let rest = self.rest();
        let Some(end) = rest.match_indices("\n---").map(|(at, _)| at).next() else { return };
        let yaml = rest.get(3..end).unwrap_or_default();
        self.at += end + 4;
        self.take_line();
        let root = source::parse(yaml, source::Format::Yaml).root;
        let title = root.as_ref().and_then(|root| root.get("title")?.value.as_text());
        self.flowchart.title = title.map(str::to_owned);
        if root
            .is_some_and(|root| root.as_map().is_some_and(|map| map.iter().any(|entry| entry.key != "title")))
        {
            let span = self.span(from);
            self.report.add(
                "front matter",
                Code::ImportAppearance,
                span,
                "settings of the diagram are left out",
                "",
            );
        }
    }

    fn comment(&mut self) {
        let from = self.at;
        if self.rest().starts_with("%%{") {
            let length = self.rest().find("}%%").map_or(self.rest().len(), |end| end + 3);
            self.at += length;
            let span = self.span(from);
            self.report.add(
                "directive",
                Code::ImportAppearance,
                span,
                "a setting of the diagram is left out",
                "",
            );
            return;
        }
        let line = self.take_line();
        if let Some(about) = line.strip_prefix(OWN_MARKER) {
            if self.flowchart.own_record.is_none() {
                self.flowchart.own_record = Some(about.to_owned());
                let span = self.span(from);
                self.report.add(
                    "drawing",
                    Code::ImportLost,
                    span,
                    "a drawing shows nodes, edges and conditions; inputs, limits, texts and settings are not in it",
                    "copy them from the plan that the diagram shows",
                );
            }
        } else if let Some(record) = line.strip_prefix(RECORD_PREFIX) {
            let place = match self.preceding {
                PrecedingLine::Nothing => None,
                PrecedingLine::Node(at) => self.flowchart.nodes.get_mut(at).map(|it| &mut it.record),
                PrecedingLine::Arrow(at) => self.flowchart.edges.get_mut(at).map(|it| &mut it.record),
                PrecedingLine::Frame(at) => self.flowchart.subgraphs.get_mut(at).map(|it| &mut it.record),
            };
            if let Some(place) = place {
                *place = Some(record.to_owned());
            }
        }
    }

    fn report_broken(&mut self, from: usize) {
        let stopped = self.at.min(self.text.len());
        let line = self.text.get(stopped..).unwrap_or_default().lines().next().unwrap_or_default();
        let word = line.split_whitespace().next().unwrap_or("the end of the line");
        let message = format!("this can't be read from `{}` on", shorten_name(word));
        self.take_line();
        let start =
            from + self.text.get(from..self.at).map_or(0, |text| text.len() - text.trim_start().len());
        let end = start.max(self.at.min(stopped + line.trim_end().len()));
        self.report.add(
            "statement",
            Code::ImportSyntax,
            Span::new(start, end),
            message,
            "put labels with brackets or other signs into quotes",
        );
    }

    fn statement(&mut self) -> Option<()> {
        self.skip(|c| c.is_whitespace() || c == ';');
        let from = self.at;
        if self.at >= self.text.len() {
            return Some(());
        }
        if self.rest().starts_with("%%") {
            self.comment();
            return Some(());
        }
        let word = self.skip(|c| c.is_ascii_alphanumeric());
        if self.rest().starts_with("@{") && self.flowchart.edge_ids.contains(word) {
            self.attributes()?;
            return Some(());
        }
        let ends = self.peek().is_none_or(|c| c.is_whitespace() || c == ';');
        match word {
            "subgraph" if ends => return self.subgraph(from),
            "end" if ends => return self.close(),
            "direction" if ends => {
                self.take_line();
                return Some(());
            }
            "accTitle" | "accDescr" => return self.accessibility_text(word == "accTitle"),
            word if ends && STYLE_KEYWORDS.contains(&word) => {
                self.take_line();
                let span = self.span(from);
                if self.flowchart.own_record.is_some() {
                    return Some(());
                }
                self.report.add(
                    "style",
                    Code::ImportAppearance,
                    span,
                    format!("`{word}` changes only the appearance and is left out"),
                    "",
                );
                return Some(());
            }
            _ => self.at = from,
        }
        self.links()
    }

    fn accessibility_text(&mut self, is_title: bool) -> Option<()> {
        self.skip_whitespace();
        let text = if self.eat("{") {
            let end = self.rest().find('}')?;
            let text = self.rest().get(..end)?;
            self.at += end + 1;
            text.trim()
        } else {
            self.eat(":").then(|| self.take_line())?
        };
        if is_title || self.flowchart.title.is_none() {
            self.flowchart.title = Some(text.to_owned());
        }
        Some(())
    }

    fn subgraph(&mut self, from: usize) -> Option<()> {
        self.skip_whitespace();
        let line_from = self.at;
        let mut line = self.line();
        if let Some(end) = line.find(';').filter(|_| !line.contains('"')) {
            line = line.get(..end)?;
        }
        let length = line.len();
        let line = line.trim();
        let bracket = line.find('[').filter(|_| line.ends_with(']') && !line.starts_with('"'));
        let (id, title) = match bracket {
            Some(at) => (line.get(..at)?.trim(), line.get(at + 1..line.len() - 1)?),
            None => (line, line),
        };
        let title = label_text::lines(title).join(" ");
        let id = if id.is_empty() { format!("subgraph at {from}") } else { id.trim_matches('"').to_owned() };
        self.at = line_from + length;
        let span = self.span(from);
        let parent = self.open_subgraphs.last().map(|(subgraph, _)| *subgraph);
        let subgraph = self.flowchart.add_subgraph(id, title, span, parent);
        self.open_subgraphs.push((subgraph, Vec::new()));
        self.preceding = PrecedingLine::Frame(subgraph);
        Some(())
    }

    /// Nodes belong to the first subgraph that names them.
    fn close(&mut self) -> Option<()> {
        let (subgraph, named) = self.open_subgraphs.pop()?;
        for node in named {
            if let Some(node) = self.flowchart.nodes.get_mut(node) {
                node.subgraph.get_or_insert(subgraph);
            }
        }
        Some(())
    }

    fn links(&mut self) -> Option<()> {
        let mut from = self.nodes()?;
        loop {
            self.skip_whitespace();
            let start = self.at;
            if matches!(self.peek(), None | Some('\n' | ';')) {
                return Some(());
            }
            let link = link::parse(self.line())?;
            self.at += link.length;
            self.flowchart.edge_ids.extend(link.name.map(str::to_owned));
            self.skip_whitespace();
            let label = Some(self.link_label(&link)?).filter(|words| !words.is_empty());
            self.skip(char::is_whitespace);
            let to = self.nodes()?;
            let span = self.span(start);
            self.arrows(&from, &to, &link, label.as_deref(), span);
            from = to;
        }
    }
}
