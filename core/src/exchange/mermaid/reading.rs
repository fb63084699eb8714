//! From the text of a flowchart to its nodes, arrows and frames.
//!
//! Decides how statements are read; what can't be read is reported and left out with the rest of its line.
//!
//! Invariants: 1. linear in the text, whatever it is: no line is looked through twice for what it does not hold; 2. no recursion.
//!
//! Source: Mermaid's flowchart syntax, version 11.

use super::chart::{Chart, Shape};
use super::link::Link;
use super::{OURS, RECORD, link, text};
use crate::diagnostic::{Code, Diagnostic, Span, brief};
use crate::exchange::report::Report;
use crate::source;

/// Characters of an id beside letters and digits.
const ID: &str = "!\"#$%'*+.`?\\_/:";
/// What opens a label, what closes it, and whether it is where a path parts; longer ones first.
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
/// What only concerns looks.
const LOOKS: [&str; 6] = ["style", "classDef", "class", "linkStyle", "click", "href"];
/// How many bytes may stand between the braces of `@{…}`.
const LONGEST: usize = 4096;

/// What stands on the line above a record.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Node(usize),
    Arrow(usize),
    Frame(usize),
}

/// Reads a flowchart; the problem is that there is none.
pub(super) fn read(text: &str, report: &mut Report) -> Result<Chart, Diagnostic> {
    let mut reader = Reader {
        text,
        at: 0,
        end_of_line: 0,
        no_quotes_from: usize::MAX,
        chart: Chart::default(),
        report,
        open: Vec::new(),
        last: Last::Nothing,
    };
    reader.head()?;
    while reader.at < text.len() {
        let before = reader.at;
        if reader.statement().is_none() {
            reader.broken(before);
        }
    }
    while let Some((frame, _)) = reader.open.last() {
        let span = reader.chart.frames.get(*frame).map(|frame| frame.span).unwrap_or_default();
        reader.report.note(
            "subgraph",
            Code::ImportSyntax,
            span,
            "a frame is not closed",
            "add `end` below what stands in it",
        );
        reader.close();
    }
    Ok(reader.chart)
}

struct Reader<'t, 'r> {
    text: &'t str,
    at: usize,
    /// The end of the line at hand.
    end_of_line: usize,
    /// From here on there are no more quotes.
    no_quotes_from: usize,
    chart: Chart,
    report: &'r mut Report,
    /// The frames that are open, and the nodes that were named in each.
    open: Vec<(usize, Vec<usize>)>,
    last: Last,
}

impl<'t> Reader<'t, '_> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The rest of the line.
    fn line(&mut self) -> &'t str {
        if self.end_of_line < self.at {
            self.end_of_line =
                self.at + self.rest().bytes().position(|b| b == b'\n').unwrap_or(self.rest().len());
        }
        self.text.get(self.at..self.end_of_line).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.skip(|c| matches!(c, ' ' | '\t' | '\r'));
    }

    /// Steps over the rest of the line, and gives it.
    fn whole_line(&mut self) -> &'t str {
        let line = self.line();
        self.at = (self.at + line.len() + 1).min(self.text.len());
        line.trim()
    }

    fn span(&self, from: usize) -> Span {
        let text = self.text.get(from..self.at).unwrap_or_default();
        Span::new(from, from + text.trim_end().len())
    }

    /// Front matter, comments, and the word that says what it is.
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
        self.blanks();
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
        self.whole_line();
        let root = source::read(yaml, source::Format::Yaml).root;
        let title = root.as_ref().and_then(|root| root.get("title")?.value.as_text());
        self.chart.title = title.map(str::to_owned);
        if root
            .is_some_and(|root| root.as_map().is_some_and(|map| map.iter().any(|entry| entry.key != "title")))
        {
            let span = self.span(from);
            self.report.note(
                "front matter",
                Code::ImportAppearance,
                span,
                "settings of the drawing are left out",
                "",
            );
        }
    }

    /// A comment, which may be a setting, or a record of ours.
    fn comment(&mut self) {
        let from = self.at;
        if self.rest().starts_with("%%{") {
            let length = self.rest().find("}%%").map_or(self.rest().len(), |end| end + 3);
            self.at += length;
            let span = self.span(from);
            self.report.note(
                "directive",
                Code::ImportAppearance,
                span,
                "a setting of the drawing is left out",
                "",
            );
            return;
        }
        let line = self.whole_line();
        if let Some(about) = line.strip_prefix(OURS) {
            self.chart.ours.get_or_insert_with(|| about.to_owned());
        } else if let Some(record) = line.strip_prefix(RECORD) {
            let place = match self.last {
                Last::Nothing => None,
                Last::Node(at) => self.chart.nodes.get_mut(at).map(|it| &mut it.record),
                Last::Arrow(at) => self.chart.arrows.get_mut(at).map(|it| &mut it.record),
                Last::Frame(at) => self.chart.frames.get_mut(at).map(|it| &mut it.record),
            };
            if let Some(place) = place {
                *place = Some(record.to_owned());
            }
        }
    }

    /// Reports what can't be read, and goes on after its line.
    fn broken(&mut self, from: usize) {
        let stopped = self.at.min(self.text.len());
        let line = self.text.get(stopped..).unwrap_or_default().lines().next().unwrap_or_default();
        let word = line.split_whitespace().next().unwrap_or("the end of the line");
        let message = format!("this can't be read from `{}` on", brief(word));
        self.whole_line();
        let start =
            from + self.text.get(from..self.at).map_or(0, |text| text.len() - text.trim_start().len());
        let end = start.max(self.at.min(stopped + line.trim_end().len()));
        self.report.note(
            "statement",
            Code::ImportSyntax,
            Span::new(start, end),
            message,
            "put labels with brackets or other signs into quotes",
        );
    }

    /// One statement; nothing when it can't be read.
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
        if self.rest().starts_with("@{") && self.chart.names.contains(word) {
            self.data()?;
            return Some(());
        }
        let ends = self.peek().is_none_or(|c| c.is_whitespace() || c == ';');
        match word {
            "subgraph" if ends => return self.subgraph(from),
            "end" if ends => return self.close(),
            "direction" if ends => {
                self.whole_line();
                return Some(());
            }
            "accTitle" | "accDescr" => return self.accessible(word == "accTitle"),
            word if ends && LOOKS.contains(&word) => {
                self.whole_line();
                let span = self.span(from);
                if self.chart.ours.is_some() {
                    return Some(());
                }
                self.report.note(
                    "style",
                    Code::ImportAppearance,
                    span,
                    format!("`{word}` changes looks and is left out"),
                    "",
                );
                return Some(());
            }
            _ => self.at = from,
        }
        self.path()
    }

    /// What is read aloud instead of the drawing.
    fn accessible(&mut self, is_title: bool) -> Option<()> {
        self.blanks();
        let text = if self.eat("{") {
            let end = self.rest().find('}')?;
            let text = self.rest().get(..end)?;
            self.at += end + 1;
            text.trim()
        } else {
            self.eat(":").then(|| self.whole_line())?
        };
        if is_title || self.chart.title.is_none() {
            self.chart.title = Some(text.to_owned());
        }
        Some(())
    }

    fn subgraph(&mut self, from: usize) -> Option<()> {
        self.blanks();
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
        let title = text::lines(title).join(" ");
        let id = if id.is_empty() { format!("subgraph at {from}") } else { id.trim_matches('"').to_owned() };
        self.at = line_from + length;
        let span = self.span(from);
        let parent = self.open.last().map(|(frame, _)| *frame);
        let frame = self.chart.open(id, title, span, parent);
        self.open.push((frame, Vec::new()));
        self.last = Last::Frame(frame);
        Some(())
    }

    /// The end of a frame: what was named in it first stands in it.
    fn close(&mut self) -> Option<()> {
        let (frame, named) = self.open.pop()?;
        for node in named {
            if let Some(node) = self.chart.nodes.get_mut(node) {
                node.frame.get_or_insert(frame);
            }
        }
        Some(())
    }

    /// Nodes, and arrows between them.
    fn path(&mut self) -> Option<()> {
        let mut from = self.nodes()?;
        loop {
            self.blanks();
            let start = self.at;
            if matches!(self.peek(), None | Some('\n' | ';')) {
                return Some(());
            }
            let link = link::read(self.line())?;
            self.at += link.length;
            self.chart.names.extend(link.name.map(str::to_owned));
            self.blanks();
            let label = self.words(&link)?;
            self.skip(|c| c.is_whitespace());
            let to = self.nodes()?;
            let span = self.span(start);
            self.arrows(&from, &to, &link, label.as_deref(), span);
            from = to;
        }
    }

    /// The words on an arrow, within it or after it.
    fn words(&mut self, link: &Link<'t>) -> Option<Option<String>> {
        let raw = if self.eat("|") {
            let line = self.line();
            let quoted = line.trim_start().starts_with('"');
            let end = if quoted {
                line.find("\"|").map(|end| end + 1).or_else(|| line.find('|'))?
            } else {
                line.find('|')?
            };
            self.at += end + 1;
            line.get(..end)
        } else {
            link.words
        };
        let label = raw.map(|raw| text::lines(raw).join(" "));
        Some(label.filter(|label| !label.is_empty()))
    }

    fn arrows(&mut self, from: &[usize], to: &[usize], link: &Link<'_>, label: Option<&str>, span: Span) {
        if link.is_invisible {
            let message = "a line that is not drawn only moves nodes and is left out";
            self.report.note("invisible link", Code::ImportAppearance, span, message, "");
            return;
        }
        if !link.has_head {
            let message = "a line without a head is taken for an arrow to the right-hand node";
            self.report.note("open link", Code::ImportApproximated, span, message, "");
        }
        let mut both: Vec<(usize, usize)> =
            from.iter().flat_map(|from| to.iter().map(|to| (*from, *to))).collect();
        if link.is_double {
            let message = "an arrow with two heads is taken for one each way";
            self.report.note("double arrow", Code::ImportApproximated, span, message, "");
            both.extend(to.iter().flat_map(|to| from.iter().map(|from| (*to, *from))));
        }
        for (from, to) in both {
            self.last = Last::Arrow(self.chart.arrows.len());
            let label = label.map(str::to_owned);
            self.chart.arrows.push(super::chart::Arrow { from, to, span, label, record: None });
        }
    }

    /// `A & B & C`.
    fn nodes(&mut self) -> Option<Vec<usize>> {
        /// More of them in one statement would make a text stand for its square.
        const MOST: usize = 100;
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
            if nodes.len() > MOST {
                return None;
            }
        }
    }

    fn node(&mut self) -> Option<usize> {
        let from = self.at;
        let id = self.id();
        if id.is_empty() {
            return None;
        }
        let node = self.chart.node(id, Span::new(from, self.at));
        if let Some((_, named)) = self.open.last_mut() {
            named.push(node);
        }
        self.last = Last::Node(node);
        if self.rest().starts_with("@{") {
            let (label, shape) = self.data()?;
            let known = self.chart.nodes.get(node).map_or(Shape::Any, |node| node.shape);
            self.tell(node, label, shape.unwrap_or(known));
        } else if let Some((open, closers, shape)) =
            SHAPES.iter().find(|(open, ..)| self.rest().starts_with(open))
        {
            self.at += open.len();
            let raw = self.label(closers)?;
            self.tell(node, Some(text::lines(raw)), *shape);
        }
        if self.eat(":::") {
            self.skip(|c| c.is_alphanumeric() || c == '_' || c == '-');
        }
        Some(node)
    }

    fn tell(&mut self, node: usize, label: Option<Vec<String>>, shape: Shape) {
        if let Some(node) = self.chart.nodes.get_mut(node) {
            node.label = label.or_else(|| node.label.take());
            node.shape = shape;
        }
    }

    /// An id; a dash or an equals sign belongs to it unless an arrow begins there.
    fn id(&mut self) -> &'t str {
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
                c => c.is_alphanumeric() || ID.contains(c) || !c.is_ascii() && !c.is_whitespace(),
            };
            if !belongs || classes {
                break;
            }
            length += c.len_utf8();
        }
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// A label up to the first of what may close it, quoted or on one line.
    fn label(&mut self, closers: &[&str]) -> Option<&'t str> {
        let from = self.at;
        self.skip(char::is_whitespace);
        if self.rest().starts_with('"') {
            let end = self.quotes(self.at + 1)?;
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

    /// Where the next quotes are.
    fn quotes(&mut self, from: usize) -> Option<usize> {
        if from >= self.no_quotes_from {
            return None;
        }
        let found = self.text.get(from..)?.find('"');
        if found.is_none() {
            self.no_quotes_from = from;
        }
        found.map(|at| from + at)
    }

    /// `@{ shape: diamond, label: "…" }`: the label and the shape, where they are given.
    fn data(&mut self) -> Option<(Option<Vec<String>>, Option<Shape>)> {
        self.at += 1;
        let window = self.rest().get(..self.rest().floor_char_boundary(LONGEST))?;
        let mut quoted = false;
        let end = window.find(|c| {
            quoted ^= c == '"';
            c == '}' && !quoted
        })?;
        let raw = window.get(..=end)?;
        self.at += end + 1;
        let root = source::read(raw, source::Format::Yaml).root?;
        let text = |key: &str| root.get(key)?.value.as_text().map(str::to_owned);
        let is_diamond = |shape: &str| matches!(shape, "diam" | "diamond" | "decision" | "question");
        let shape = text("shape").map(|shape| if is_diamond(&shape) { Shape::Diamond } else { Shape::Any });
        Some((text("label").map(|label| text::lines(&label)), shape))
    }
}
