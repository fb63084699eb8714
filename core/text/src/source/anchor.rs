//! Anchors, and limits that prevent a small text from expanding to a huge tree.
//!
//! Only complete values are stored, so there are no cycles. Stored and expanded copies are both limited, in
//! values and bytes.
//!
//! Source: YAML 1.2.2 section 7.1.

use super::{MAX_BYTES, Spanned, ValueKind};
use std::collections::HashMap;

/// For all aliases together.
pub(super) const MAX_EXPANDED: usize = 100_000;

/// A nested value counts for each anchor around it.
pub(super) const MAX_NAMED: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Size {
    /// Including itself.
    pub(super) values: usize,
    /// Size of keys and strings.
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AliasLimitExceeded;

#[derive(Debug, Default)]
pub(super) struct Anchors {
    named: HashMap<usize, (Spanned, Size)>,
    values: Size,
    used: Size,
}

impl Anchors {
    pub(super) fn define(&mut self, anchor: usize, value: &Spanned) -> Result<(), AliasLimitExceeded> {
        let size = measure(value);
        self.values.grow(size, MAX_NAMED)?;
        self.named.insert(anchor, (value.clone(), size));
        Ok(())
    }

    /// `None` while the value is incomplete.
    pub(super) fn size(&self, anchor: usize) -> Option<Size> {
        self.named.get(&anchor).map(|(_, size)| *size)
    }

    /// Returns a copy.
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

    fn with(self, part: Self) -> Self {
        Self {
            values: self.values + part.values,
            bytes: self.bytes + part.bytes,
            depth: self.depth.max(part.depth + 1),
        }
    }
}

/// The depth limit makes recursion safe.
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
