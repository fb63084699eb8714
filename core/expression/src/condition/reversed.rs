//! Reports reversed comparisons with an equal one as the fix: `20 < last.x`, `== last`, `exists(last.x)`.

use super::{ConditionParser, Cursor, Reference, parse_quoted, syntax_error};
use crate::base::{Code, Span, is_key_char, is_misspelt_root, is_root, shorten_name};
use crate::error::Error;
use crate::literal::Literal;

/// Longer operators come before their prefixes.
const REVERSED_OPERATORS: [(&str, &str); 6] =
    [("==", "=="), ("!=", "!="), ("<=", ">="), (">=", "<="), ("<", ">"), (">", "<")];

const EXISTS_FUNCTIONS: [&str; 3] = ["exists", "exist", "defined"];

impl ConditionParser<'_> {
    pub(super) fn reject_reversed(&self) -> Result<(), Error> {
        let turned =
            self.missing_left_side().or_else(|| self.exists_function()).or_else(|| self.literal_first());
        turned.map_or(Ok(()), Err)
    }

    /// `== last`
    fn missing_left_side(&self) -> Option<Error> {
        let mut cursor = self.cursor.clone();
        let start = cursor.at();
        let (operator, _) = REVERSED_OPERATORS.iter().find(|(operator, _)| cursor.eat(operator))?;
        let span = cursor.span(start);
        let error = syntax_error(span, &format!("there is no value before `{operator}`"));
        cursor.skip_whitespace();
        let from = cursor.at();
        let is_alone = skip_reference(&mut cursor).is_some() && self.ends_at(&mut cursor);
        if !is_alone {
            return Some(error.help(&format!("write a reference before it, as in `last{operator}…`")));
        }
        let read = shorten_name(cursor.between(from, cursor.at()).trim_end());
        Some(error.help(&format!("write what to compare on both sides, as in `{read}{operator}…`")))
    }

    /// `exists(last.x)`
    fn exists_function(&self) -> Option<Error> {
        let mut cursor = self.cursor.clone();
        let start = cursor.at();
        cursor.skip_while(is_key_char);
        let word = cursor.slice(start);
        EXISTS_FUNCTIONS.iter().find(|name| name.eq_ignore_ascii_case(word))?;
        cursor.skip_whitespace();
        cursor.eat("(").then_some(())?;
        cursor.skip_whitespace();
        let from = cursor.at();
        skip_reference(&mut cursor)?;
        let read = cursor.slice(from).to_owned();
        cursor.skip_whitespace();
        cursor.eat(")").then_some(())?;
        let error = syntax_error(cursor.span(start), &format!("`{}` can't be called", shorten_name(word)));
        let help = format!("write `{}.exists`", shorten_name(&read));
        Some(error.help(&help).fix(cursor.span(start), &format!("{read}.exists")))
    }

    /// `20 < last.x`
    fn literal_first(&self) -> Option<Error> {
        let mut cursor = self.cursor.clone();
        let start = cursor.at();
        let is_text = match cursor.peek() {
            Some(quote @ ('"' | '\'')) => {
                parse_quoted(&mut cursor, quote, Code::ConditionSyntax).ok()?;
                true
            }
            _ => {
                cursor.skip_while(|c| is_key_char(c) || c == '.');
                let word = Literal::new(cursor.slice(start), false);
                let text = word.text.as_str();
                // Most conditions begin with a root, so the slow search comes last.
                let is_word =
                    !text.is_empty() && !text.contains('.') && !is_root(text) && !is_misspelt_root(text);
                (word.number.is_some() || is_word).then_some(word.number.is_none())?
            }
        };
        let literal = cursor.slice(start).to_owned();
        cursor.skip_whitespace();
        let (operator, turned) = REVERSED_OPERATORS.iter().find(|(operator, _)| cursor.eat(operator))?;
        cursor.skip_whitespace();
        let from = cursor.at();
        skip_reference(&mut cursor)?;
        let read = cursor.slice(from).to_owned();
        let end = cursor.at();
        // Only numbers have an order.
        let ordered = operator.contains(['<', '>']);
        if !self.ends_at(&mut cursor) || ordered && is_text {
            return None;
        }
        let span = Span::new(start, end);
        let error =
            syntax_error(Span::new(start, start + literal.len()), "a comparison begins with a reference");
        let help = format!("write `{} {turned} {}`", shorten_name(&read), shorten_name(&literal));
        Some(error.help(&help).fix(span, &format!("{read} {turned} {literal}")))
    }

    /// Skips whitespace.
    fn ends_at(&self, cursor: &mut Cursor<'_>) -> bool {
        cursor.skip_whitespace();
        let rest = cursor.rest();
        let grouped = self.groups > 0 && rest.starts_with(')');
        rest.is_empty() || grouped || ["&&", "||"].iter().any(|sign| rest.starts_with(sign))
    }
}

fn skip_reference(cursor: &mut Cursor<'_>) -> Option<Reference> {
    Reference::parse_at(cursor, Code::ConditionSyntax).ok()
}
