//! What anchors name, and how much aliases may repeat of it.
//!
//! Decides the bounds that keep a small text from standing for a huge tree. Knows nothing of the parser.
//!
//! Invariants: only finished values are kept, so an alias inside its own anchor finds nothing and no cycle can arise;
//! the copies that are kept and the copies that are used are both bounded, in values and in bytes of text.
//!
//! Source: YAML 1.2.2 section 7.1.

use super::{MAX_BYTES, Spanned, ValueKind};
use std::collections::HashMap;

/// How many values all aliases together may repeat.
pub(super) const MAX_EXPANDED: usize = 100_000;

/// How many values all anchors together may name, nested ones counted once for each anchor around them.
pub(super) const MAX_NAMED: usize = 1_000_000;

/// How large something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Size {
    /// Values, itself included.
    pub(super) values: usize,
    /// Bytes of keys and texts.
    pub(super) bytes: usize,
    /// Lists and maps inside each other.
    pub(super) depth: usize,
}

/// A bound was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AliasLimitExceeded;

/// The named values of a text, by the parser's number of the anchor.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    named: HashMap<usize, (Spanned, Size)>,
    values: Size,
    used: Size,
}

impl Anchors {
    /// Keeps what the anchor names.
    pub(super) fn define(&mut self, anchor: usize, value: &Spanned) -> Result<(), AliasLimitExceeded> {
        let size = measure(value);
        self.values.grow(size, MAX_NAMED)?;
        self.named.insert(anchor, (value.clone(), size));
        Ok(())
    }

    /// How large the thing is that the anchor names; nothing while the anchor's own value is still open.
    pub(super) fn size(&self, anchor: usize) -> Option<Size> {
        self.named.get(&anchor).map(|(_, size)| *size)
    }

    /// A copy of what the anchor names.
    pub(super) fn expand(&mut self, anchor: usize) -> Result<Spanned, AliasLimitExceeded> {
        let (value, size) = self.named.get(&anchor).ok_or(AliasLimitExceeded)?;
        self.used.grow(*size, MAX_EXPANDED)?;
        Ok(value.clone())
    }
}

impl Size {
    fn grow(&mut self, by: Self, max_values: usize) -> Result<(), AliasLimitExceeded> {
        self.values = self.values.saturating_add(by.values);
        self.bytes = self.bytes.saturating_add(by.bytes);
        if self.values > max_values || self.bytes > MAX_BYTES { Err(AliasLimitExceeded) } else { Ok(()) }
    }

    /// This and a part of it, one level down.
    fn with(self, part: Self) -> Self {
        Self {
            values: self.values + part.values,
            bytes: self.bytes + part.bytes,
            depth: self.depth.max(part.depth + 1),
        }
    }
}

/// The size of a value; recursion is safe because trees are shallow.
fn measure(value: &Spanned) -> Size {
    let one = Size { values: 1, bytes: 0, depth: 0 };
    match &value.kind {
        ValueKind::Null | ValueKind::Bool(_) | ValueKind::Number(_) => one,
        ValueKind::Text(text) => Size { bytes: text.len(), ..one },
        ValueKind::List(items) => {
            items.iter().fold(Size { depth: 1, ..one }, |size, item| size.with(measure(item)))
        }
        ValueKind::Map(entries) => entries.iter().fold(Size { depth: 1, ..one }, |size, entry| {
            let key = Size { bytes: size.bytes + entry.key.len(), ..size };
            key.with(measure(&entry.value))
        }),
    }
}
