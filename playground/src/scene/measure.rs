//! Estimates sizes by character class for the widest common fonts, so scenes are the same everywhere.

use crate::geometry::Size;

/// Average, in titles, subtitles and conditions.
const TITLE_LETTER_WIDTH: f64 = 9.0;
const DETAIL_LETTER_WIDTH: f64 = 7.0;
const LABEL_LETTER_WIDTH: f64 = 6.7;
/// Of a note, shown at least if its node can be so wide, and for the note to be shown at all.
const NOTE_LETTERS: f64 = 14.0;
const MIN_NOTE_LETTERS: f64 = 8.0;
/// Before a note.
const NOTE_GAP: f64 = 2.0;
const MARGINS: f64 = 68.0;
const MIN_NODE_WIDTH: f64 = 140.0;
const MAX_NODE_WIDTH: f64 = 300.0;
/// A node has two lines.
const NODE_HEIGHT: f64 = 52.0;
pub(crate) const MAX_LABEL_LETTERS: f64 = 30.0;
const LABEL_MARGINS: f64 = 20.0;
const LABEL_HEIGHT: f64 = 22.0;

/// Of a note, a node has space for the start.
pub(super) fn node_size(title: &str, detail: &str, note: &str) -> Size {
    let width = text_width(title) * TITLE_LETTER_WIDTH;
    let noted = if note.is_empty() { 0.0 } else { text_width(note).min(NOTE_LETTERS) + NOTE_GAP };
    let below = (text_width(detail) + noted) * DETAIL_LETTER_WIDTH;
    Size::new((width.max(below) + MARGINS).clamp(MIN_NODE_WIDTH, MAX_NODE_WIDTH).ceil(), NODE_HEIGHT)
}

/// Whether the start of a note fits behind the detail. A letter or two would say nothing.
pub(super) fn has_space_for_note(width: f64, detail: &str, note: &str) -> bool {
    let free = (width - MARGINS) / DETAIL_LETTER_WIDTH - text_width(detail) - NOTE_GAP;
    free >= text_width(note).min(MIN_NOTE_LETTERS)
}

/// Empty labels are zero.
pub(super) fn label_size(text: &str) -> Size {
    if text.is_empty() {
        return Size::default();
    }
    #[expect(clippy::cast_precision_loss, reason = "no more than a line is counted")]
    let count = text.chars().take(80).map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>() as f64;
    Size::new((count.min(MAX_LABEL_LETTERS) * LABEL_LETTER_WIDTH + LABEL_MARGINS).ceil(), LABEL_HEIGHT)
}

pub(super) fn text_width(text: &str) -> f64 {
    text.chars().take(80).map(letter_width).sum()
}

/// Relative to average. East Asian characters and emoji are double.
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
