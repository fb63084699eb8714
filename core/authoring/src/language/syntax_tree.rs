//! A text as a tree of places, however broken it is.
//!
//! Decides which keys and values a person means while they type: by indentation, dashes, colons and brackets, line by line. What can't be
//! understood is left out, and what follows is understood again. What values mean is decided elsewhere.
//!
//! Invariants: 1. never fails; 2. every span lies inside the text and on character boundaries; 3. items stand in the order of the text,
//! each before what is in it; 4. time and memory are linear in the text, and nothing recurses.
//!
//! Source: YAML 1.2.2, chapters 6 to 8, as far as plans use it.

mod block_style;
mod flow_style;
mod parser;

pub(crate) use parser::unquote;
use std::borrow::Cow;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::Format;

/// What stands as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ValueForm {
    /// Nothing yet.
    #[default]
    Missing,
    /// A word, quoted text or a block of text.
    Scalar,
    /// Entries.
    Map,
    /// Items of a list.
    List,
}

/// An entry of a map, an item of a list, or the whole text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SyntaxItem {
    /// Its holder; the whole text holds itself.
    pub(crate) parent: usize,
    /// The number after the last item in it.
    pub(crate) next: usize,
    /// What its value is.
    pub(crate) form: ValueForm,
    /// Whether its value stands between brackets.
    pub(crate) flow: bool,
    /// Its key, quotes included.
    pub(crate) key: Option<Span>,
    /// Whether a colon follows the key.
    pub(crate) colon: bool,
    /// Where it begins: the key, the dash, or the value.
    pub(crate) start: usize,
    /// Where its value stands; empty where it would stand.
    pub(crate) value: Span,
    /// In which column it stands, and for what is between brackets the line's first word.
    pub(crate) column: usize,
    /// Between brackets: from the separator before it to the one behind it.
    pub(crate) extent: Span,
}

/// The items of a text.
#[derive(Debug)]
pub(crate) struct SyntaxTree<'t> {
    /// The text.
    pub(crate) text: &'t str,
    /// The items, the whole first.
    pub(crate) items: Vec<SyntaxItem>,
    /// Whether it is JSON.
    pub(crate) json: bool,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep<'t> {
    /// To the value of a key.
    Key(Cow<'t, str>),
    /// To an item of a list.
    Index(usize),
}

impl<'t> SyntaxTree<'t> {
    /// Of a text.
    pub(crate) fn new(text: &'t str, format: Format) -> Self {
        // What was meant as JSON is read as YAML as long as it is broken.
        let json = format == Format::Json || looks_like_json(text);
        let mut maker = parser::SyntaxParser::new(text);
        maker.parse();
        let mut items = maker.items;
        close(&mut items);
        Self { text, items, json }
    }

    /// An item; the default for a number that none has.
    pub(crate) fn item(&self, at: usize) -> SyntaxItem {
        self.items.get(at).copied().unwrap_or_default()
    }

    /// What stands in an item.
    pub(crate) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.item(at).next;
        let first = (at + 1 < end).then_some(at + 1);
        let next =
            move |child: &usize| Some(self.item(*child).next).filter(|next| *next < end && next > child);
        std::iter::successors(first, next)
    }

    /// The entry of a key.
    pub(crate) fn get(&self, at: usize, key: &str) -> Option<usize> {
        if self.item(at).form != ValueForm::Map {
            return None;
        }
        self.children(at).find(|child| self.key(*child).as_deref() == Some(key))
    }

    /// Where a way of keys leads.
    pub(crate) fn find(&self, at: usize, keys: &[&str]) -> Option<usize> {
        keys.iter().try_fold(at, |at, key| self.get(at, key))
    }

    /// A part of the text.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The key of an entry, without quotes.
    pub(crate) fn key(&self, at: usize) -> Option<Cow<'t, str>> {
        self.item(at).key.map(|span| parser::unquote(self.slice(span)))
    }

    /// The text of a scalar: what it means when it stands on one line.
    pub(crate) fn scalar(&self, at: usize) -> Option<Cow<'t, str>> {
        let item = self.item(at);
        (item.form == ValueForm::Scalar).then(|| parser::unquote(self.slice(item.value)))
    }

    /// The text of the scalar of a key.
    pub(crate) fn text_of(&self, at: usize, key: &str) -> Option<Cow<'t, str>> {
        self.scalar(self.get(at, key)?).filter(|text| !text.is_empty())
    }

    /// The holders of an item from the whole text inward, itself last.
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

    /// The step that leads from the holder of an item to it.
    pub(crate) fn step(&self, at: usize) -> PathStep<'t> {
        match self.key(at) {
            Some(key) => PathStep::Key(key),
            None => {
                let parent = self.item(at).parent;
                PathStep::Index(self.children(parent).take_while(|child| *child < at).count())
            }
        }
    }

    /// Where the line begins that a place stands on.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        line_start(self.text, at)
    }
}

/// Where the line begins that a place stands on; a byte order mark belongs to no line.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    if start == 0 && at >= 3 && text.starts_with('\u{feff}') { 3 } else { start }
}

/// Whether a text begins as JSON does: braces in which keys are quoted.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.strip_prefix('{').or_else(|| text.strip_prefix('[')) {
        Some(rest) => rest.trim_start().starts_with(['"', '{', '[', '}', ']']) || rest.trim().is_empty(),
        None => false,
    }
}

/// Says of each item where it ends, and of maps and lists without brackets where they stand.
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
