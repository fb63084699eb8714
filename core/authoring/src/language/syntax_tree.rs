//! An error-tolerant syntax tree of YAML and JSON. It skips unknown parts.
//!
//! Invariants:
//! 1. Parsing never fails.
//! 2. Every span is inside the text and on character boundaries.
//! 3. Items are in text order, parents before children.
//! 4. Time and memory are linear, without recursion.
//!
//! Source: YAML 1.2.2, chapters 6 to 8, as far as plans use it.

mod block_style;
mod flow_style;
mod parser;

pub(crate) use parser::unquote;
use std::borrow::Cow;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::Format;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ValueForm {
    #[default]
    Missing,
    /// Plain, quoted or block.
    Scalar,
    Map,
    List,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SyntaxItem {
    /// The root is its own parent.
    pub(crate) parent: usize,
    pub(crate) next: usize,
    pub(crate) form: ValueForm,
    pub(crate) flow: bool,
    pub(crate) key: Option<Span>,
    pub(crate) colon: bool,
    /// Key, dash or value.
    pub(crate) start: usize,
    pub(crate) value: Span,
    /// In brackets, that of the line's first word.
    pub(crate) column: usize,
    /// In brackets: between the separators.
    pub(crate) extent: Span,
}

#[derive(Debug)]
pub(crate) struct SyntaxTree<'t> {
    pub(crate) text: &'t str,
    pub(crate) items: Vec<SyntaxItem>,
    pub(crate) json: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep<'t> {
    Key(Cow<'t, str>),
    Index(usize),
}

impl<'t> SyntaxTree<'t> {
    pub(crate) fn new(text: &'t str, format: Format) -> Self {
        // Broken JSON is parsed as YAML.
        let json = format == Format::Json || looks_like_json(text);
        let mut maker = parser::SyntaxParser::new(text);
        maker.parse();
        let mut items = maker.items;
        close(&mut items);
        Self { text, items, json }
    }

    /// A default if out of range.
    pub(crate) fn item(&self, at: usize) -> SyntaxItem {
        self.items.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.item(at).next;
        let first = (at + 1 < end).then_some(at + 1);
        let next =
            move |child: &usize| Some(self.item(*child).next).filter(|next| *next < end && next > child);
        std::iter::successors(first, next)
    }

    pub(crate) fn get(&self, at: usize, key: &str) -> Option<usize> {
        if self.item(at).form != ValueForm::Map {
            return None;
        }
        self.children(at).find(|child| self.key(*child).as_deref() == Some(key))
    }

    pub(crate) fn find(&self, at: usize, keys: &[&str]) -> Option<usize> {
        keys.iter().try_fold(at, |at, key| self.get(at, key))
    }

    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn key(&self, at: usize) -> Option<Cow<'t, str>> {
        self.item(at).key.map(|span| parser::unquote(self.slice(span)))
    }

    pub(crate) fn scalar(&self, at: usize) -> Option<Cow<'t, str>> {
        let item = self.item(at);
        (item.form == ValueForm::Scalar).then(|| parser::unquote(self.slice(item.value)))
    }

    pub(crate) fn text_of(&self, at: usize, key: &str) -> Option<Cow<'t, str>> {
        self.scalar(self.get(at, key)?).filter(|text| !text.is_empty())
    }

    pub(crate) fn chain(&self, at: usize) -> Vec<usize> {
        let mut chain = vec![at];
        let mut item = at;
        while item != 0 {
            item = self.item(item).parent;
            chain.push(item);
        }
        chain.reverse();
        chain
    }

    pub(crate) fn step(&self, at: usize) -> PathStep<'t> {
        match self.key(at) {
            Some(key) => PathStep::Key(key),
            None => {
                let parent = self.item(at).parent;
                PathStep::Index(self.children(parent).take_while(|child| *child < at).count())
            }
        }
    }

    pub(crate) fn line_start(&self, at: usize) -> usize {
        line_start(self.text, at)
    }
}

/// After a byte order mark.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    if start == 0 && at >= 3 && text.starts_with('\u{feff}') { 3 } else { start }
}

fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.strip_prefix('{').or_else(|| text.strip_prefix('[')) {
        Some(rest) => rest.trim_start().starts_with(['"', '{', '[', '}', ']']) || rest.trim().is_empty(),
        None => false,
    }
}

fn close(items: &mut [SyntaxItem]) {
    for at in (0..items.len()).rev() {
        let Some(item) = items.get_mut(at) else { continue };
        item.next = item.next.max(at + 1);
        let open = matches!(item.form, ValueForm::Map | ValueForm::List) && !item.flow;
        if open {
            item.value.end = item.value.end.max(item.value.start);
        }
        let (next, parent) = (item.next, item.parent);
        let end = item.value.end.max(item.key.map_or(item.start, |key| key.end));
        let start = item.start;
        if at == 0 {
            continue;
        }
        let Some(holder) = items.get_mut(parent) else { continue };
        holder.next = holder.next.max(next);
        if matches!(holder.form, ValueForm::Map | ValueForm::List) && !holder.flow {
            holder.value = Span::new(start, holder.value.end.max(end));
        }
    }
}

#[cfg(test)]
mod tests;
