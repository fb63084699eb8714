//! How large a node is, and what is written on an edge, without asking a screen.
//!
//! Decides by the kinds of letters, so that a drawing is the same on every screen, in every export and in tests. Letters are as wide as
//! those of the widest fonts that pages are shown in; what doesn't fit all the same is cut by who draws it.

use crate::geometry::Size;

/// How wide a letter of a title is on average; how wide one of the line below; how wide one of a condition.
const TITLE_LETTER_WIDTH: f64 = 7.6;
const DETAIL_LETTER_WIDTH: f64 = 6.3;
const LABEL_LETTER_WIDTH: f64 = 6.7;
/// Room for the icon and the margins.
const MARGINS: f64 = 64.0;
const MIN_NODE_WIDTH: f64 = 140.0;
const MAX_NODE_WIDTH: f64 = 300.0;
/// The height of a node with two lines.
const NODE_HEIGHT: f64 = 52.0;
/// The longest label, in letters, and how much more room it has at both sides together.
pub(crate) const MAX_LABEL_LETTERS: f64 = 30.0;
const LABEL_MARGINS: f64 = 18.0;
const LABEL_HEIGHT: f64 = 22.0;

/// How large a node with that title and that line below is.
pub(super) fn node_size(title: &str, detail: &str) -> Size {
    let width = text_width(title) * TITLE_LETTER_WIDTH;
    let below = text_width(detail) * DETAIL_LETTER_WIDTH;
    Size::new((width.max(below) + MARGINS).clamp(MIN_NODE_WIDTH, MAX_NODE_WIDTH).ceil(), NODE_HEIGHT)
}

/// How large what is written on an edge is; nothing for nothing.
pub(super) fn label_size(text: &str) -> Size {
    if text.is_empty() {
        return Size::default();
    }
    #[expect(clippy::cast_precision_loss, reason = "no more than a line is counted")]
    let count = text.chars().take(80).map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>() as f64;
    Size::new((count.min(MAX_LABEL_LETTERS) * LABEL_LETTER_WIDTH + LABEL_MARGINS).ceil(), LABEL_HEIGHT)
}

/// How many letters wide a text is.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().take(80).map(letter_width).sum()
}

/// How many letters of the average a letter is wide; what East Asian scripts and pictures write is two wide.
pub(crate) fn letter_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.55,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.7,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.45,
        'A'..='Z' => 1.22,
        c if is_wide(c) => 2.0,
        _ => 1.0,
    }
}

fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff)
}
