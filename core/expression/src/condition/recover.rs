//! Continues after an error at the next `&&`, `||` or closing parenthesis, to find all errors.
//!
//! Invariant: the parser checks each part once, and reports no errors in text that an earlier error may hide.

use super::{ConditionParser, Cursor, Logic};
use crate::base::{MAX_PROBLEMS, Span};
use crate::error::Error;

impl ConditionParser<'_> {
    /// Reports and skips a broken operand.
    pub(super) fn part(&mut self, depth: usize) -> Logic {
        let begin = self.cursor.clone();
        match self.unary(depth) {
            Ok(part) => {
                self.end_part();
                part
            }
            Err(error) => {
                let (from, reached) = (begin.at(), self.cursor.at());
                self.cursor = begin;
                self.skip_part(reached);
                self.report(error, from);
                Logic::All(Vec::new())
            }
        }
    }

    /// Reports text that follows without an operator.
    fn end_part(&mut self) {
        self.cursor.skip_whitespace();
        if !is_at_end(&self.cursor, self.groups > 0) {
            let from = self.cursor.at();
            let error = self.missing_connective();
            self.skip_part(from);
            self.report(error, from);
        }
    }

    fn report(&mut self, error: Error, from: usize) {
        let end = from + self.cursor.slice(from).trim_end().len();
        let span = Span::new(error.span.start, error.span.end.min(end));
        self.errors.push(Error { span, ..error });
        // Enough errors end parsing, so the time stays linear.
        if self.errors.len() >= MAX_PROBLEMS {
            self.cursor.skip_while(|_| true);
        }
    }

    fn skip_part(&mut self, reached: usize) {
        let grouped = self.groups > 0;
        let (mut open, mut quotes) = (0_usize, true);
        while let Some(next) = self.cursor.peek() {
            if open == 0 && self.cursor.at() >= reached && is_at_end(&self.cursor, grouped) {
                return;
            }
            match next {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                // One unclosed quote ends the search, which otherwise takes quadratic time.
                '"' | '\'' if quotes => {
                    quotes = skip_quoted(&mut self.cursor, next);
                    if quotes {
                        continue;
                    }
                }
                _ => {}
            }
            self.cursor.bump();
        }
    }
}

fn is_at_end(cursor: &Cursor<'_>, grouped: bool) -> bool {
    let rest = cursor.rest();
    rest.is_empty() || rest.starts_with("&&") || rest.starts_with("||") || grouped && rest.starts_with(')')
}

/// Does not move if the quote is not closed.
fn skip_quoted(cursor: &mut Cursor<'_>, quote: char) -> bool {
    let mut ahead = cursor.clone();
    ahead.bump();
    while let Some(next) = ahead.bump() {
        if next == quote {
            *cursor = ahead;
            return true;
        }
        if next == '\\' {
            ahead.bump();
        }
    }
    false
}
