//! Finds another condition in a bare literal, as in `last.kind == low or last.urgent`.

use super::{Cursor, Reference};
use crate::base::{Code, ROOTS};
use crate::literal::Literal;
use crate::parser::last_path;

pub(super) const CONNECTIVES: &[(&str, &str)] = &[("and", "&&"), ("or", "||")];

const COMPARISONS: &[&str] = &["==", "!=", "<", ">", ".contains:", ".exists"];

const OTHER_WORDS: [&str; 6] = ["but", "if", "not", "unless", "when", "xor"];

/// Finds the first `and`, `or`, comma or other separator before a path or a comparison: position, separator, operator.
pub(super) fn foreign_connective(text: &str) -> Option<(usize, &str, Option<&'static str>)> {
    let blank = text.find([' ', ',', ';', '|', '&'])?;
    let path = last_path(text, &ROOTS).unwrap_or(0);
    let signs = text.char_indices().skip_while(|(at, _)| *at < blank);
    let mut separators = signs.filter_map(|(at, sign)| separator(text, at, sign));
    separators.find(|(at, separator, _)| {
        *at < path || text.get(at + separator.len()..).is_some_and(begins_comparison)
    })
}

/// As in `last == ok`.
fn begins_comparison(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '(', '!']);
    let mut cursor = Cursor::new(text.strip_prefix("not ").unwrap_or(text));
    if Reference::parse_at(&mut cursor, Code::ConditionSyntax).is_err() {
        return false;
    }
    cursor.skip_whitespace();
    COMPARISONS.iter().any(|sign| cursor.rest().starts_with(sign))
}

/// Whether the parser of conditions has reported such a literal, or `= 5` behind `==`.
pub fn is_reported(literal: &Literal) -> bool {
    !literal.quoted && (literal.text.starts_with('=') || foreign_connective(&literal.text).is_some())
}

fn separator(text: &str, at: usize, sign: char) -> Option<(usize, &str, Option<&'static str>)> {
    match sign {
        '|' => Some((at, "|", Some("||"))),
        '&' => Some((at, "&", Some("&&"))),
        ',' | ';' => Some((at, text.get(at..=at)?, None)),
        ' ' => {
            let rest = text.get(at + 1..)?;
            let word = rest.get(..rest.find([' ', '('])?)?;
            let is_word = |known: &str| word.eq_ignore_ascii_case(known);
            let joint = CONNECTIVES.iter().find(|(joint, _)| is_word(joint)).map(|(_, symbol)| *symbol);
            (joint.is_some() || OTHER_WORDS.into_iter().any(is_word)).then_some((at + 1, word, joint))
        }
        _ => None,
    }
}
