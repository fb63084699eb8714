//! Finds another condition in a bare literal, as in `last.kind == low or last.urgent`.

use super::{Cursor, Reference, Root};
use crate::base::{Code, ROOTS};
use crate::function::Function;
use crate::parser::refers_to;

pub(super) const CONNECTIVES: &[(&str, &str)] = &[("and", "&&"), ("or", "||")];

const COMPARISONS: &[&str] = &["==", "!=", "<", ">", ".contains:", ".exists"];

/// Finds the first `and`, `or`, comma or other separator before another condition: position, separator, operator.
pub(super) fn foreign_connective(text: &str) -> Option<(usize, &str, Option<&'static str>)> {
    let mut separators = text.char_indices().filter(|(_, c)| matches!(c, ' ' | ',' | ';' | '|' | '&'));
    separators.find_map(|(at, sign)| {
        let from = if sign == ' ' { at + 1 } else { at };
        let rest = text.get(from..)?;
        let (separator, symbol) = if sign == ' ' {
            let word = rest.get(..rest.find(' ')?)?;
            let known = CONNECTIVES.iter().find(|(joint, _)| word.eq_ignore_ascii_case(joint))?;
            (word, Some(known.1))
        } else {
            let known = [('|', "||"), ('&', "&&")].into_iter().find(|(joint, _)| *joint == sign);
            (rest.get(..1)?, known.map(|(_, symbol)| symbol))
        };
        let next = rest.get(separator.len()..)?.trim_start_matches([' ', '(', '!']);
        let next = next.strip_prefix("not ").unwrap_or(next);
        begins_condition(next).then_some((from, separator, symbol))
    })
}

/// A function of a value of the run, a comparison, or a path to the end.
fn begins_condition(text: &str) -> bool {
    let calls = text.find('(').is_some_and(|open| Function::named(text.get(..open).unwrap_or("")).is_some());
    if calls && refers_to(text, &ROOTS) {
        return true;
    }
    let mut cursor = Cursor::new(text);
    let Ok(reference) = Reference::parse_at(&mut cursor, Code::ConditionSyntax) else { return false };
    cursor.skip_whitespace();
    let is_path = !reference.path.is_empty() || matches!(reference.root, Root::Output(_));
    cursor.is_done() && is_path || COMPARISONS.iter().any(|sign| cursor.rest().starts_with(sign))
}
