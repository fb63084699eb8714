//! Determines a position's path, whether a key or a value belongs there, and the typed text. Half-typed lines
//! work, and [`super::plan_format`] decides which keys and values are valid.
//!
//! Invariant: the replaced span starts at or before the position, ends at or after it, and stays on one line
//! unless the existing text has several.

use super::syntax_tree::{PathStep, SyntaxTree, ValueForm};
use stepgraph_core::diagnostic::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsertionKind {
    Key,
    Value,
    ValueOrKey,
    NewItem,
}

#[derive(Debug)]
pub(crate) struct CompletionContext<'t> {
    /// For a key, the path to its map.
    pub(crate) path: Vec<PathStep<'t>>,
    /// Root first. There is one more than steps, unless the last does not exist yet.
    pub(crate) items: Vec<usize>,
    pub(crate) insertion: InsertionKind,
    pub(crate) entry: Option<usize>,
    pub(crate) span: Span,
    /// Text before the position, without an opening quote.
    pub(crate) typed: &'t str,
    pub(crate) flow: bool,
    pub(crate) column: usize,
}

impl<'t> CompletionContext<'t> {
    /// `None` in comments and wherever no text fits.
    pub(crate) fn new(tree: &SyntaxTree<'t>, at: usize) -> Option<Self> {
        let at = tree.text.floor_char_boundary(at.min(tree.text.len()));
        let finder = ContextFinder { tree, at };
        let before = tree.items.partition_point(|item| item.start <= at).saturating_sub(1);
        finder.find(before)
    }

    pub(crate) fn quote(&self, text: &str) -> Option<char> {
        let first = text.get(self.span.start..self.span.end)?.chars().next()?;
        matches!(first, '"' | '\'').then_some(first)
    }

    pub(crate) fn holder(&self) -> usize {
        self.items.last().copied().unwrap_or(0)
    }
}

struct ContextFinder<'s, 't> {
    tree: &'s SyntaxTree<'t>,
    at: usize,
}

impl<'t> ContextFinder<'_, 't> {
    fn find(&self, before: usize) -> Option<CompletionContext<'t>> {
        let mut item = before;
        loop {
            let parent = self.tree.item(item).parent;
            let found = self.tree.item(item);
            if found.flow
                && matches!(found.form, ValueForm::Map | ValueForm::List)
                && self.is_within(found.value)
            {
                return self.in_flow(item);
            }
            let holder = self.tree.item(parent);
            if item == 0 || !(holder.flow && matches!(holder.form, ValueForm::Map | ValueForm::List)) {
                return self.in_block(item);
            }
            item = parent;
        }
    }

    fn is_within(&self, value: Span) -> bool {
        let text = self.tree.slice(value);
        let closed = text.len() > 1 && text.ends_with(['}', ']']);
        value.start < self.at && (self.at < value.end || (self.at == value.end && !closed))
    }

    fn is_comment(&self, from: usize) -> bool {
        let line = self.tree.line_start(self.at).max(from);
        let text = self.tree.text.get(line..self.at).unwrap_or_default();
        text.trim_start().starts_with('#') && line == self.tree.line_start(self.at) || text.contains(" #")
    }

    fn in_flow(&self, holder: usize) -> Option<CompletionContext<'t>> {
        let map = self.tree.item(holder).form == ValueForm::Map;
        let touches = |child: &usize| {
            let extent = self.tree.item(*child).extent;
            extent.start <= self.at && self.at <= extent.end
        };
        let child = self.tree.children(holder).filter(touches).last();
        let Some(child) = child else {
            if self.is_comment(self.tree.item(holder).value.start) {
                return None;
            }
            return Some(self.new_entry(holder, if map { InsertionKind::Key } else { InsertionKind::Value }));
        };
        let item = self.tree.item(child);
        if let Some(key) = item.key {
            if self.at <= key.end {
                // Before an entry, new text would need a comma.
                return (self.at >= key.start).then(|| self.at_key(child));
            }
            if !item.colon {
                return None;
            }
        }
        match item.form {
            ValueForm::Scalar if self.touches(item.value) => Some(self.at_value(child, item.value)),
            ValueForm::Scalar if self.continues_scalar(item.value) => {
                Some(self.at_value(child, Span::new(item.value.start, self.at)))
            }
            ValueForm::Missing if self.at >= item.value.start || self.is_blank(self.at, item.value.start) => {
                Some(self.at_value(child, Span::at(self.at)))
            }
            _ => None,
        }
    }

    fn touches(&self, span: Span) -> bool {
        span.start <= self.at && self.at <= span.end
    }

    fn is_blank(&self, from: usize, to: usize) -> bool {
        self.tree.text.get(from..to).is_some_and(|text| text.trim().is_empty())
    }

    fn continues_scalar(&self, value: Span) -> bool {
        let behind = self.tree.text.get(value.end..self.at).unwrap_or("\n");
        let plain = !self.tree.slice(value).starts_with(['"', '\'', '|', '>']);
        plain && !behind.is_empty() && behind.bytes().all(|b| b == b' ')
    }

    fn in_block(&self, item: usize) -> Option<CompletionContext<'t>> {
        let found = self.tree.item(item);
        if found.key.is_some_and(|key| self.touches(key)) {
            return Some(self.at_key(item));
        }
        if found.form == ValueForm::Scalar && self.touches(found.value) {
            let mut context = self.at_value(item, found.value);
            let own_line = self.is_blank(self.tree.line_start(found.value.start), found.value.start);
            let dash = found.key.is_none() && item != 0;
            let plain = !self.tree.slice(found.value).starts_with(['"', '\'', '|', '>']);
            if (own_line || dash) && plain {
                context.insertion = InsertionKind::ValueOrKey;
                context.column = found.value.start - self.tree.line_start(found.value.start);
            }
            return Some(context);
        }
        if self.is_comment(0) {
            return None;
        }
        let line = self.tree.line_start(self.at);
        let behind = if found.key.is_some() {
            found.colon && self.at > found.start
        } else {
            item != 0 && self.at > found.start
        };
        if item != 0 && found.start >= line {
            // After a key or a dash.
            if found.form == ValueForm::Scalar && self.continues_scalar(found.value) {
                return Some(self.at_value(item, Span::new(found.value.start, self.at)));
            }
            let free = found.form == ValueForm::Missing
                && behind
                && self.at >= found.value.start.min(found.start + 1);
            let after_key = found.key.is_none_or(|key| self.at > key.end);
            if !(free && after_key) {
                return None;
            }
            let mut context = self.at_value(item, Span::at(self.at));
            if found.key.is_none() {
                context.insertion = InsertionKind::ValueOrKey;
                context.column = self.at - line;
            }
            return Some(context);
        }
        if !self.is_blank(line, self.at) || !self.rest_is_blank() {
            return None;
        }
        self.on_own_line(item, self.at - line)
    }

    fn rest_is_blank(&self) -> bool {
        let rest = self.tree.text.get(self.at..).unwrap_or_default();
        rest.split(['\n', '\r']).next().is_none_or(|rest| rest.trim().is_empty())
    }

    /// On a blank line, the column decides the parent.
    fn on_own_line(&self, before: usize, column: usize) -> Option<CompletionContext<'t>> {
        let mut at = before;
        loop {
            let item = self.tree.item(at);
            if at == 0 {
                let list = item.form == ValueForm::List;
                return Some(
                    self.new_entry(0, if list { InsertionKind::NewItem } else { InsertionKind::Key }),
                );
            }
            if column > item.column {
                match item.form {
                    ValueForm::Map if !item.flow => return Some(self.new_entry(at, InsertionKind::Key)),
                    ValueForm::List if !item.flow => return Some(self.new_entry(at, InsertionKind::NewItem)),
                    ValueForm::Missing if item.colon || item.key.is_none() => {
                        let mut context = self.at_value(at, Span::at(self.at));
                        (context.insertion, context.column) = (InsertionKind::ValueOrKey, column);
                        return Some(context);
                    }
                    // Blank lines of a block scalar are text.
                    ValueForm::Scalar if self.tree.slice(item.value).starts_with(['|', '>']) => {
                        return None;
                    }
                    _ => {}
                }
            }
            let parent = self.tree.item(item.parent);
            if column >= item.column {
                match parent.form {
                    ValueForm::Map => return Some(self.new_entry(item.parent, InsertionKind::Key)),
                    ValueForm::List if column == item.column => {
                        return Some(self.new_entry(item.parent, InsertionKind::NewItem));
                    }
                    _ => {}
                }
            }
            at = item.parent;
        }
    }

    fn new_entry(&self, holder: usize, insertion: InsertionKind) -> CompletionContext<'t> {
        let chain = self.tree.chain(holder);
        let mut path: Vec<PathStep<'t>> = chain.iter().skip(1).map(|item| self.tree.step(*item)).collect();
        let item = self.tree.item(holder);
        if matches!(insertion, InsertionKind::Value | InsertionKind::NewItem) {
            let before = |child: &usize| self.tree.item(*child).start < self.at;
            path.push(PathStep::Index(self.tree.children(holder).take_while(before).count()));
        }
        let line = self.tree.line_start(self.at);
        let column = if item.flow { item.column } else { self.at - line };
        let (span, flow) = (Span::at(self.at), item.flow);
        CompletionContext { path, items: chain, insertion, entry: None, span, typed: "", flow, column }
    }

    fn at_key(&self, entry: usize) -> CompletionContext<'t> {
        let item = self.tree.item(entry);
        let mut context = self.new_entry(item.parent, InsertionKind::Key);
        context.entry = Some(entry);
        context.span = item.key.unwrap_or_default();
        context.typed = self.typed(context.span);
        context.column = item.column;
        context
    }

    fn at_value(&self, item: usize, span: Span) -> CompletionContext<'t> {
        let chain = self.tree.chain(item);
        let path = chain.iter().skip(1).map(|item| self.tree.step(*item)).collect();
        let found = self.tree.item(item);
        let flow = self.tree.item(found.parent).flow && item != 0;
        let typed = self.typed(span);
        CompletionContext {
            path,
            items: chain,
            insertion: InsertionKind::Value,
            entry: None,
            span,
            typed,
            flow,
            column: found.column,
        }
    }

    fn typed(&self, span: Span) -> &'t str {
        let text = self.tree.text.get(span.start..self.at.clamp(span.start, span.end)).unwrap_or_default();
        text.strip_prefix(['"', '\'']).unwrap_or(text)
    }
}
