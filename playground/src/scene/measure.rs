//! How large a node is, without asking a screen.
//!
//! Decides by the number of letters, so that a drawing is the same on every screen, in every export and in tests. Letters are as wide as
//! those of the page's font on average; what doesn't fit is cut by who draws it.

use crate::geometry::Size;

/// How wide a letter of a title is, on average.
const LETTER: f64 = 7.4;
/// How wide a letter of the line below is.
const SMALL: f64 = 6.4;
/// Room for the icon and the margins.
const MARGINS: f64 = 58.0;
const NARROWEST: f64 = 132.0;
const WIDEST: f64 = 280.0;
/// The height of a node with two lines.
const HEIGHT: f64 = 52.0;

/// How large a node with that title and that line below is.
pub(super) fn node(title: &str, detail: &str) -> Size {
    let width = letters(title) * LETTER;
    let below = letters(detail) * SMALL;
    Size::new((width.max(below) + MARGINS).clamp(NARROWEST, WIDEST).ceil(), HEIGHT)
}

/// How many letters wide a text is: what East Asian scripts and pictures write is two wide.
pub(super) fn letters(text: &str) -> f64 {
    text.chars().take(80).map(width_of).sum()
}

/// How many letters of ours a letter is wide.
pub(crate) fn width_of(letter: char) -> f64 {
    let wide = matches!(u32::from(letter), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff);
    if wide { 2.0 } else { 1.0 }
}
