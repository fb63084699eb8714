//! Writes strings and numbers as YAML. A single line contains no character that any YAML parser reads as a
//! line break.
//!
//! Source: YAML 1.2.2 chapters 5 and 7. YAML 1.1 for texts that its parsers read as another type.

use super::json::begins_comment;
use serde_json::Number;

/// Some parsers read another type.
const AMBIGUOUS_WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// The header of a block scalar. `None` if none can contain the text.
pub fn block_header(text: &str) -> Option<&'static str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let fits = |line: &str| {
        let blank = line.bytes().all(|b| b == b' ' || b == b'\t');
        line.is_empty()
            || !blank && !line.starts_with('\t') && !line.chars().any(|c| c != '\t' && needs_escape(c))
    };
    let whole = |end: Option<u8>| !matches!(end, None | Some(b' ' | b'\n'));
    // It may end with spaces, but not begin with them.
    let sound = whole(body.bytes().next()) && !body.ends_with('\n') && body.split('\n').all(fits);
    sound.then_some(if body.len() == text.len() { "|-" } else { "|" })
}

/// Writes a number. YAML 1.1 needs a point and a sign with exponents.
pub fn number(out: &mut String, number: &Number) {
    let text = number.to_string();
    let Some((digits, exponent)) = text.split_once('e') else { return out.push_str(&text) };
    out.push_str(digits);
    out.push_str(if digits.contains('.') { "e" } else { ".0e" });
    out.push_str(if exponent.starts_with('-') { "" } else { "+" });
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    out.push_str(exponent);
}

/// Writes a string. `inside` brackets more strings need quotes.
pub fn scalar(out: &mut String, text: &str, inside: bool) {
    if is_plain(text, inside) {
        out.push_str(text);
    } else {
        quote(out, text);
    }
}

/// Whether every parser reads this string without quotes. `inside` means in brackets.
pub fn is_plain(text: &str, inside: bool) -> bool {
    let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '/' | '('));
    // In brackets our parser would report a JavaScript comment.
    let comment = inside && begins_comment(text);
    if !begins || comment || AMBIGUOUS_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return false;
    }
    let mut before = ' ';
    for c in text.chars() {
        let ends = before == ':' && c == ' ' || before == ' ' && c == '#';
        // Some parsers read a dash after a space in brackets as a list item.
        let dash = before == ' ' && c == '-';
        let closes = inside && (dash || matches!(c, ',' | '[' | ']' | '{' | '}' | ':' | '?'));
        if ends || closes || needs_escape(c) {
            return false;
        }
        before = c;
    }
    before != ' ' && before != ':'
}

/// Uses the quotes with fewer escapes.
pub fn quote(out: &mut String, text: &str) {
    let escapes = text.chars().any(needs_escape);
    let mark = if !escapes && text.bytes().any(|b| b == b'"' || b == b'\\') { '\'' } else { '"' };
    out.push(mark);
    for c in text.chars() {
        match c {
            '\'' if mark == c => out.push('\''),
            '"' | '\\' if mark == '"' => out.push('\\'),
            _ => {}
        }
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => {
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    out.push(char::from_digit(u32::from(c) >> shift & 15, 16).unwrap_or('0'));
                }
            }
            c => out.push(c),
        }
    }
    out.push(mark);
}

/// Whether a parser, terminal or editor may interpret the character. All have at most four hexadecimal
/// digits.
pub fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
