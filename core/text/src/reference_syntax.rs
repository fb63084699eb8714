//! The characters of a key and the words that begin a reference.
//!
//! Decides both for the parsers of expressions and of YAML, which suggests quotes around a reference.

use crate::diagnostic::closest_name;

/// The words that begin a reference.
pub const ROOTS: [&str; 9] =
    ["last", "input", "output", "item", "index", "error", "context", "memory", "call"];

/// Whether references may begin with `word`.
pub fn is_root(word: &str) -> bool {
    ROOTS.contains(&word)
}

/// Whether `word` is a misspelt beginning of a reference.
pub fn is_misspelt_root(word: &str) -> bool {
    closest_name(word, ROOTS).is_some()
}

/// Whether a key may contain a character without brackets: all but the separators of expressions.
pub fn is_key_char(c: char) -> bool {
    if c.is_ascii() {
        return ASCII_KEY_CHARS & (1 << u32::from(c)) != 0;
    }
    !c.is_whitespace() && !c.is_control()
}

/// One bit for each ASCII character of keys. A table, because every character of conditions and templates is tested.
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
