//! Formats block style by lines.

use crate::language::complete::{indent_width, newline};
use crate::language::syntax_tree::{SyntaxItem, SyntaxTree, ValueForm};
use stepgraph_core::diagnostic::{Span, TextEdit};

#[derive(Debug, Clone, Copy)]
pub(super) struct FormatScope {
    pub(super) indent: bool,
    pub(super) whitespace: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Comment,
    /// The first item that starts here.
    StartOf(usize),
    /// After the line of its key or dash.
    Value(usize),
    Within(usize),
    /// A marker or directive, which stays.
    Other,
}

#[derive(Debug)]
pub(super) struct FormattedLines<'s, 't> {
    tree: &'s SyntaxTree<'t>,
    lines: Vec<(Span, Line)>,
    columns: Vec<usize>,
}

impl<'s, 't> FormattedLines<'s, 't> {
    pub(super) fn new(tree: &'s SyntaxTree<'t>) -> Self {
        let mut lines = Vec::new();
        let mut at = if tree.text.starts_with('\u{feff}') { 3 } else { 0 };
        for line in tree.text.get(at..).unwrap_or_default().split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            let content = content.strip_suffix('\r').unwrap_or(content);
            let kind = match content.trim_start().chars().next() {
                None => Line::Blank,
                Some('#') => Line::Comment,
                Some(_) => Line::Other,
            };
            lines.push((Span::new(at, at + content.len()), kind));
            at += line.len();
        }
        let mut own = Self { tree, lines, columns: item_columns(tree) };
        own.assign();
        own
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|(span, _)| span.start <= at).saturating_sub(1)
    }

    fn assign(&mut self) {
        for (number, item) in self.tree.items.iter().enumerate() {
            let between = number != 0 && self.tree.item(item.parent).flow;
            if between {
                continue;
            }
            let line = self.line_of(item.start);
            if number != 0 {
                self.set(line, Line::StartOf(number), true);
            }
            let closed = item.form == ValueForm::Scalar || item.flow;
            if !closed {
                continue;
            }
            let first = self.line_of(item.value.start);
            if first > line || number == 0 {
                self.set(first, Line::Value(number), true);
            }
            let mut last = self.line_of(item.value.end.max(item.value.start + 1) - 1);
            last = last.max(first);
            for line in first + 1..=last {
                self.set(line, Line::Within(number), false);
            }
            if self.keeps_blanks(item) {
                let mut line = last + 1;
                while self.lines.get(line).is_some_and(|(_, kind)| *kind == Line::Blank) {
                    self.set(line, Line::Within(number), false);
                    line += 1;
                }
            }
        }
    }

    fn set(&mut self, line: usize, kind: Line, first: bool) {
        if let Some((_, known)) = self.lines.get_mut(line)
            && !(first && matches!(known, Line::StartOf(_) | Line::Value(_)))
        {
            *known = kind;
        }
    }

    /// Whether trailing blank lines belong to a block scalar (`|+`).
    fn keeps_blanks(&self, item: &SyntaxItem) -> bool {
        let text = self.tree.slice(item.value);
        text.starts_with(['|', '>'])
            && text
                .lines()
                .next()
                .is_some_and(|header| header.split('#').next().is_some_and(|header| header.contains('+')))
    }

    fn text(&self, span: Span) -> &'t str {
        self.tree.slice(span)
    }

    pub(super) fn comments(&self) -> Vec<&'t str> {
        let mut found = Vec::new();
        for (span, kind) in &self.lines {
            match kind {
                Line::Comment => found.push(self.text(*span).trim()),
                Line::StartOf(_) | Line::Value(_) | Line::Within(_) | Line::Other => {
                    found.extend(self.behind(*span).map(|at| self.text(Span::new(at, span.end)).trim()));
                }
                Line::Blank => {}
            }
        }
        found
    }

    fn behind(&self, line: Span) -> Option<usize> {
        let after = self.tree.items.partition_point(|item| item.start <= line.end);
        let mut end = line.start;
        // Only the last items before, and their ancestors, can end here.
        let mut at = after.checked_sub(1)?;
        loop {
            let item = self.tree.item(at);
            let scalar = item.form == ValueForm::Scalar;
            let closed = if scalar || item.flow && item.value.end <= line.end { item.value.end } else { 0 };
            if scalar && closed > line.end {
                // Block scalars have comments only in their header.
                let header = self.text(item.value).starts_with(['|', '>']) && item.value.start >= line.start;
                return header.then(|| self.sign(item.value.start, line.end)).flatten();
            }
            end = end.max(item.key.map_or(0, |key| key.end)).max(closed);
            if at == 0 {
                break;
            }
            at = item.parent;
        }
        self.sign(end, line.end)
    }

    fn sign(&self, from: usize, to: usize) -> Option<usize> {
        let text = self.text(Span::new(from, to));
        let found = text
            .match_indices('#')
            .find(|(at, _)| *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with([' ', '\t'])))?
            .0;
        Some(from + found)
    }

    pub(super) fn edits(&self, tidy: FormatScope) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let mut empty = true;
        let last = self.lines.iter().rposition(|(_, kind)| *kind != Line::Blank);
        for (number, (span, kind)) in self.lines.iter().enumerate() {
            if *kind == Line::Blank {
                // One blank line stays, but none at the start or end.
                let goes = empty || last.is_none_or(|last| number > last);
                let next = self.lines.get(number + 1).map_or(self.tree.text.len(), |(next, _)| next.start);
                if tidy.whitespace && goes {
                    push_edit(&mut edits, Span::new(span.start, next), "");
                } else {
                    push_edit(&mut edits, *span, "");
                }
                empty = true;
                continue;
            }
            empty = false;
            self.line(number, *span, *kind, tidy, &mut edits);
        }
        let text = self.tree.text;
        if last.is_some_and(|last| last + 1 == self.lines.len()) && !text.ends_with('\n') {
            edits.push(TextEdit { span: Span::at(text.len()), text: newline(text).to_owned() });
        }
        edits
    }

    fn line(&self, number: usize, span: Span, kind: Line, tidy: FormatScope, edits: &mut Vec<TextEdit>) {
        let text = self.text(span);
        let old = text.len() - text.trim_start_matches([' ', '\t']).len();
        if tidy.indent {
            let column = self.column(number, kind, old);
            if column != old {
                push_edit(edits, Span::new(span.start, span.start + old), &" ".repeat(column));
            }
        }
        if let (Line::StartOf(_), true) = (kind, tidy.whitespace) {
            self.blanks(span, edits);
        }
        if matches!(kind, Line::Within(_)) && !self.ends_on(kind, span) || matches!(kind, Line::Other) {
            return;
        }
        let comment = if kind == Line::Comment { None } else { self.behind(span) };
        if let Some(comment) = comment.filter(|_| tidy.whitespace) {
            let before = self.text(Span::new(span.start, comment));
            let end = span.start + before.trim_end_matches([' ', '\t']).len();
            if comment - end != 1 && end > span.start + old {
                push_edit(edits, Span::new(end, comment), " ");
            }
        }
        let end = span.start + text.trim_end_matches([' ', '\t']).len();
        // The content of a block scalar keeps its spaces.
        if end < span.end {
            push_edit(edits, Span::new(end, span.end), "");
        }
    }

    fn ends_on(&self, kind: Line, line: Span) -> bool {
        let Line::Within(item) = kind else { return true };
        let item = self.tree.item(item);
        let block = self.text(item.value).starts_with(['|', '>']);
        item.flow || (!block && item.value.end <= line.end)
    }

    fn column(&self, number: usize, kind: Line, old: usize) -> usize {
        let of = |item: usize| self.columns.get(item).copied().unwrap_or(old);
        match kind {
            Line::StartOf(item) => of(item),
            Line::Value(0) => old,
            Line::Value(item) => of(item) + indent_width(self.tree),
            Line::Within(item) => {
                let value = self.line_of(self.tree.item(item).value.start);
                let begins = self.lines.get(value).map(|(_, kind)| *kind);
                let (from, to) = match begins {
                    Some(kind @ Line::Value(_)) => {
                        let (span, _) =
                            self.lines.get(value).copied().unwrap_or((Span::default(), Line::Other));
                        let text = self.text(span);
                        let from = text.len() - text.trim_start().len();
                        (from, self.column(value, kind, from))
                    }
                    _ => (self.tree.item(item).column, of(item)),
                };
                (old + to).saturating_sub(from)
            }
            Line::Comment => self.comment_column(number, old),
            Line::Blank | Line::Other => old,
        }
    }

    /// A comment follows the line below if equally indented, else an item above with that indentation.
    fn comment_column(&self, number: usize, old: usize) -> usize {
        let begins = |(_, kind): &(Span, Line)| match kind {
            Line::StartOf(item) => Some(*item),
            _ => None,
        };
        let below = self.lines.get(number + 1..).and_then(|lines| lines.iter().find_map(begins));
        let above = self.lines.get(..number).and_then(|lines| lines.iter().rev().find_map(begins));
        let column = |item: usize| self.columns.get(item).copied().unwrap_or(old);
        if let Some(below) = below.filter(|item| self.tree.item(*item).column == old) {
            return column(below);
        }
        // Iterates from the last item above to its ancestors.
        let mut around = above.map(|above| {
            let line =
                self.lines.get(self.line_of(self.tree.item(above).start)).map_or(0, |(span, _)| span.end);
            self.tree.items.partition_point(|item| item.start < line).saturating_sub(1)
        });
        while let Some(item) = around.filter(|item| *item != 0) {
            let found = self.tree.item(item);
            if found.column == old && !self.tree.item(found.parent).flow {
                return column(item);
            }
            around = Some(found.parent);
        }
        match (below, above) {
            (Some(below), _) => column(below),
            // An indented comment follows the last line.
            (None, Some(above)) if old > 0 => column(above),
            _ => 0,
        }
    }

    fn blanks(&self, line: Span, edits: &mut Vec<TextEdit>) {
        let first = self.tree.items.partition_point(|item| item.start < line.start).max(1);
        for item in
            self.tree.items.get(first..).unwrap_or_default().iter().take_while(|item| item.start < line.end)
        {
            let holder = self.tree.item(item.parent);
            if holder.flow && matches!(holder.form, ValueForm::Map | ValueForm::List) {
                continue;
            }
            let sign = match item.key {
                Some(key) if item.colon => {
                    let gap = self.text(Span::new(key.end, line.end));
                    let colon = key.end + gap.len() - gap.trim_start_matches([' ', '\t']).len();
                    if colon > key.end {
                        push_edit(edits, Span::new(key.end, colon), "");
                    }
                    colon
                }
                Some(_) => continue,
                None => item.start,
            };
            let rest = self.text(Span::new(sign + 1, line.end));
            let next = rest.trim_start_matches([' ', '\t']);
            if !next.is_empty() && !next.starts_with('#') && rest.len() - next.len() != 1 {
                push_edit(edits, Span::new(sign + 1, line.end - next.len()), " ");
            }
        }
    }
}

fn push_edit(edits: &mut Vec<TextEdit>, span: Span, text: &str) {
    if span.end > span.start || !text.is_empty() {
        edits.push(TextEdit { span, text: text.to_owned() });
    }
}

fn item_columns(tree: &SyntaxTree<'_>) -> Vec<usize> {
    let step = indent_width(tree);
    let flush = is_flush(tree);
    let mut columns: Vec<usize> = Vec::with_capacity(tree.items.len());
    for (at, item) in tree.items.iter().enumerate() {
        let holder = tree.item(item.parent);
        let outer = columns.get(item.parent).copied().unwrap_or(0);
        let column = match (at, item.parent) {
            (0, _) | (_, 0) => 0,
            // Content starts after the dash.
            _ if holder.key.is_none() => outer + 2,
            _ if holder.flow => outer,
            _ if item.key.is_none() && flush => outer,
            _ => outer + step,
        };
        columns.push(column);
    }
    columns
}

/// The first list decides whether lists have their key's column.
fn is_flush(tree: &SyntaxTree<'_>) -> bool {
    let list = |item: &&SyntaxItem| {
        let holder = tree.item(item.parent);
        item.key.is_none() && holder.form == ValueForm::List && !holder.flow && holder.key.is_some()
    };
    let first = tree.items.iter().skip(1).find(list);
    first.is_some_and(|item| item.column == tree.item(item.parent).column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::Format;

    #[test]
    fn comments_are_found() {
        for (text, expect) in [
            ("# a\nb: 1 # c\n", vec!["# a", "# c"]),
            ("a: \"# no\" # yes\n", vec!["# yes"]),
            ("a: | # head\n  # text\n# after\n", vec!["# head", "# after"]),
            ("a: {b: c} # x\nd: [ # y\n  1 # z\n]\n", vec!["# x", "# y", "# z"]),
            ("a: b#c\n", vec![]),
        ] {
            let tree = SyntaxTree::new(text, Format::Yaml);
            assert_eq!(FormattedLines::new(&tree).comments(), expect, "{text}");
        }
    }
}
