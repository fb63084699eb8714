//! The characters of a key, and the words that begin a reference.

use crate::diagnostic::closest_name;

/// Words that begin a reference.
pub const ROOTS: [&str; 9] =
    ["last", "input", "output", "item", "index", "error", "context", "memory", "call"];

/// Whether `word` is one of [`ROOTS`].
pub fn is_root(word: &str) -> bool {
    ROOTS.contains(&word)
}

/// Whether `word` is a misspelt root.
pub fn is_misspelt_root(word: &str) -> bool {
    closest_name(word, ROOTS).is_some()
}

/// Whether a key with this character needs no brackets.
pub fn is_key_char(c: char) -> bool {
    if c.is_ascii() {
        return ASCII_KEY_CHARS & (1 << u32::from(c)) != 0;
    }
    !c.is_whitespace() && !c.is_control()
}

/// A table is fast, and parsers test each character.
const ASCII_KEY_CHARS: u128 = {
    let mut found = 0;
    let mut byte = b'!';
    while byte <= b'~' {
        let separates = matches!(
            byte,
            b'.' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'=' | b'!' | b'<' | b'>' | b'&' | b'|'
        ) || matches!(
            byte,
            b'+' | b'*' | b'/' | b'%' | b':' | b';' | b',' | b'"' | b'\'' | b'`' | b'$' | b'?' | b'\\'
        );
        if !separates {
            found |= 1 << byte;
        }
        byte += 1;
    }
    found
};
