//! The condition of an edge.
//!
//! Decides how conditions are written, and how the truth of their comparisons makes the truth of the whole. What a
//! comparison sees is the machine's affair.
//!
//! Invariants:
//! 1. empty, `default` and `always` are fallbacks, everything else a test;
//! 2. `!` binds tighter than `&&`, that tighter than `||`; evaluation goes left to right and stops when it knows.

mod foreign_syntax;
mod print;
mod recover;
mod reversed;

use super::cursor::Cursor;
use super::literal::Literal;
use super::reference::{Reference, parse_quoted};
use super::{ExprError, Root};
use crate::diagnostic::{Code, Span};

/// How deep parentheses and negations may be nested.
const MAX_DEPTH: usize = 64;

/// When an edge may be taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Condition {
    /// When no condition of the node's other edges holds.
    #[default]
    Fallback,
    /// When the expression holds.
    Expression(Expression),
    /// It can't be read, so nobody knows when it holds. Plans with such a condition don't run.
    Unreadable,
}

/// An expression and the comparisons it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// How the comparisons are combined.
    pub root: Expr,
    /// The comparisons, in the order of the text.
    pub atoms: Vec<Atom>,
    /// Literals that may not be meant as they stand, as a warning each.
    pub warnings: Vec<ExprError>,
}

/// How comparisons are combined.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// The comparison of that position.
    Atom(usize),
    /// What does not hold.
    Not(Box<Expr>),
    /// All hold.
    All(Vec<Expr>),
    /// One of them holds.
    Any(Vec<Expr>),
}

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom {
    /// What is looked at.
    pub reference: Reference,
    /// What is asked of it.
    pub predicate: Predicate,
    /// Where it stands in the condition.
    pub span: Span,
    /// Where its reference stands in the condition.
    pub reference_span: Span,
}

/// What is asked of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// `==`
    Equals(Literal),
    /// `!=`
    Differs(Literal),
    /// `.contains:`
    Contains(Literal),
    /// `<`
    Less(f64),
    /// `<=`
    AtMost(f64),
    /// `>`
    Greater(f64),
    /// `>=`
    AtLeast(f64),
    /// `.exists`
    Exists,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// `condition/syntax` with the place; `reference/unknown-root` where something compared is no reference.
    ///
    /// # Example
    /// ```
    /// use stepgraph_text::expr::Condition;
    /// let condition = Condition::parse("last.score >= 0.5 && !(output.check.kind == 'spam')").unwrap();
    /// assert_eq!(condition.to_string(), r#"last.score >= 0.5 && !(output.check.kind == "spam")"#);
    /// assert_eq!(Condition::parse(" default "), Ok(Condition::Fallback));
    /// ```
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        Self::parse_all(text).map_err(|broken| broken.first)
    }

    /// Reads a condition, or tells every mistake in it.
    pub fn parse_all(text: &str) -> Result<Self, Box<BrokenCondition>> {
        if matches!(text.trim(), "" | "default" | "always") {
            return Ok(Self::Fallback);
        }
        let mut reader = ConditionParser::new(text);
        let root = reader.any(0);
        let ConditionParser { atoms, warnings, errors, .. } = reader;
        let mut errors = errors.into_iter();
        match errors.next() {
            Some(first) => {
                Err(Box::new(BrokenCondition { first, others: errors.chain(warnings).collect(), atoms }))
            }
            None => Ok(Self::Expression(Expression { root, atoms, warnings })),
        }
    }

    /// Whether it speaks of the failure at hand.
    pub fn references_error(&self) -> bool {
        self.atoms().iter().any(|atom| atom.reference.root == Root::Error)
    }

    /// Its comparisons, in the order of the text.
    pub fn atoms(&self) -> &[Atom] {
        match self {
            Self::Fallback | Self::Unreadable => &[],
            Self::Expression(expression) => &expression.atoms,
        }
    }
}

impl Expr {
    /// The truth of the whole, asking `holds` only for the comparisons that matter.
    pub fn eval(&self, holds: &mut impl FnMut(usize) -> bool) -> bool {
        match self {
            Self::Atom(index) => holds(*index),
            Self::Not(inner) => !inner.eval(holds),
            Self::All(parts) => parts.iter().all(|part| part.eval(holds)),
            Self::Any(parts) => parts.iter().any(|part| part.eval(holds)),
        }
    }
}

/// What is wrong with a condition, and what can be read of it all the same.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenCondition {
    /// The first error.
    pub first: ExprError,
    /// Further errors and doubts.
    pub others: Vec<ExprError>,
    /// The comparisons without a mistake.
    pub atoms: Vec<Atom>,
}

fn syntax(span: Span, message: impl Into<String>) -> ExprError {
    ExprError::new(Code::ConditionSyntax, span, message)
}

stepgraph_lazy::lazy! {
    /// Says what is wrong where an operator should stand. Most conditions can be read.
    fn expected_operator(place: (&str, usize, usize)) -> ExprError = foreign_syntax::expected_operator;

    /// Says what is wrong where a number should stand.
    fn expected_number(literal: &Literal, span: Span) -> ExprError = foreign_syntax::expected_number;
}

struct ConditionParser<'a> {
    cursor: Cursor<'a>,
    text: &'a str,
    atoms: Vec<Atom>,
    warnings: Vec<ExprError>,
    errors: Vec<ExprError>,
    /// Parentheses that are open.
    groups: usize,
}

impl<'a> ConditionParser<'a> {
    fn new(text: &'a str) -> Self {
        let cursor = Cursor::new(text);
        Self { cursor, text, atoms: Vec::new(), warnings: Vec::new(), errors: Vec::new(), groups: 0 }
    }

    fn any(&mut self, depth: usize) -> Expr {
        let mut parts = vec![self.all(depth)];
        while self.eat("||") {
            parts.push(self.all(depth));
        }
        one_or(parts, Expr::Any)
    }

    fn all(&mut self, depth: usize) -> Expr {
        let mut parts = vec![self.part(depth)];
        while self.eat("&&") {
            parts.push(self.part(depth));
        }
        one_or(parts, Expr::All)
    }

    fn unary(&mut self, depth: usize) -> Result<Expr, ExprError> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        if depth > MAX_DEPTH {
            return Err(syntax(self.cursor.span(start), "the condition is nested too deeply")
                .help("write it with fewer parentheses and `!`"));
        }
        if !self.cursor.rest().starts_with("!=") && self.eat("!") {
            self.cursor.skip_whitespace();
            // `!(` is one level, for so every `!` is printed.
            let grouped = self.cursor.rest().starts_with('(');
            let inner = if grouped { self.group(depth) } else { self.unary(depth + 1)? };
            return Ok(Expr::Not(Box::new(inner)));
        }
        if self.cursor.rest().starts_with('(') { Ok(self.group(depth)) } else { self.atom(self.groups > 0) }
    }

    fn group(&mut self, depth: usize) -> Expr {
        let (start, known) = (self.cursor.at(), self.errors.len());
        self.cursor.bump();
        self.groups += 1;
        let inner = self.any(depth + 1);
        self.groups -= 1;
        // A mistake inside, such as an open quote, may have taken the parenthesis along.
        if !self.eat(")") && self.errors.len() == known {
            let error = syntax(Span::new(start, start + 1), "a parenthesis is not closed").help("add `)`");
            self.errors.push(error);
        }
        inner
    }

    /// Steps over `word` and blanks before it.
    fn eat(&mut self, word: &str) -> bool {
        self.cursor.skip_whitespace();
        self.cursor.eat(word)
    }

    fn atom(&mut self, grouped: bool) -> Result<Expr, ExprError> {
        let start = self.cursor.at();
        self.reject_reversed()?;
        self.reject_foreign_syntax(start)?;
        let reference = Reference::parse_at(&mut self.cursor, Code::ConditionSyntax)?;
        let reference_span = Span::new(start, self.cursor.at());
        let predicate = self.predicate(grouped, start)?;
        self.atoms.push(Atom {
            reference,
            predicate,
            span: Span::new(start, self.cursor.at()),
            reference_span,
        });
        Ok(Expr::Atom(self.atoms.len() - 1))
    }

    fn predicate(&mut self, grouped: bool, start: usize) -> Result<Predicate, ExprError> {
        self.cursor.skip_whitespace();
        let cursor = &mut self.cursor;
        if cursor.eat(".contains:") {
            return Ok(Predicate::Contains(self.literal(grouped)?));
        }
        if cursor.eat(".exists") {
            return Ok(Predicate::Exists);
        }
        if cursor.eat("==") {
            return Ok(Predicate::Equals(self.literal(grouped)?));
        }
        if cursor.eat("!=") {
            return Ok(Predicate::Differs(self.literal(grouped)?));
        }
        // The longer operators go first: `<` begins `<=`.
        if cursor.eat("<=") {
            return self.number(grouped).map(Predicate::AtMost);
        }
        if cursor.eat(">=") {
            return self.number(grouped).map(Predicate::AtLeast);
        }
        if !cursor.rest().starts_with("<>") && cursor.eat("<") {
            return self.number(grouped).map(Predicate::Less);
        }
        if cursor.eat(">") {
            return self.number(grouped).map(Predicate::Greater);
        }
        Err(expected_operator((self.text, start, self.cursor.at())))
    }

    fn number(&mut self, grouped: bool) -> Result<f64, ExprError> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        let known = self.warnings.len();
        let literal = self.literal(grouped)?;
        if literal.number.is_none() {
            // The error says it all.
            self.warnings.truncate(known);
        }
        literal.number.ok_or_else(|| expected_number(&literal, self.cursor.span(start)))
    }

    fn literal(&mut self, grouped: bool) -> Result<Literal, ExprError> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        if let Some(quote @ ('"' | '\'')) = self.cursor.peek() {
            let text = parse_quoted(&mut self.cursor, quote, Code::ConditionSyntax)?;
            return Ok(Literal::new(text, true));
        }
        self.skip_bare(grouped);
        let text = self.cursor.slice(start).trim_end();
        self.warnings.extend(foreign_syntax::ambiguous_literal(text, start));
        Ok(Literal::new(text, false))
    }

    /// Steps to the end of a bare literal: `&&`, `||`, the closing parenthesis of its group, or the end.
    fn skip_bare(&mut self, grouped: bool) {
        let mut open = 0_usize;
        while let Some(next) = self.cursor.peek() {
            let rest = self.cursor.rest();
            let ends =
                rest.starts_with("&&") || rest.starts_with("||") || (next == ')' && open == 0 && grouped);
            if ends {
                return;
            }
            match next {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            self.cursor.bump();
        }
    }
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, and what it is read as; for an error its code and what is underlined.
    #[test]
    fn reading_and_printing() {
        for (text, expect) in [
            ("", "default"),
            ("  always ", "default"),
            ("last==ok", "last == ok"),
            ("last == ok and more  ", "last == ok and more"),
            ("last==", "last == "),
            ("last.contains:", "last.contains:"),
            ("last.contains: a:b ", "last.contains:a:b"),
            ("last==a||last==b&&last!=c", "last == a || last == b && last != c"),
            ("(last==a||last==b)&&last!=c", "(last == a || last == b) && last != c"),
            ("(last==f(x))", "last == f(x)"),
            ("last==f(x)", "last == f(x)"),
            ("last==a)", "last == a)"),
            ("!last==a)", "!last == a)"),
            ("!!last==(", "!!last == ("),
            ("!(last==a || !last==b) && !last==c)", "!(last == a || !(last == b)) && !last == c)"),
            ("(last==f(x) || last==a) && last==b)", "(last == f(x) || last == a) && last == b)"),
            ("!last.exists", "!(last.exists)"),
            ("!!last==a", "!(!(last == a))"),
            ("last.a.exists && last<=-1.5e3", "last.a.exists && last <= -1500"),
            ("last=='it\\'s' || last==\"a && b\"", "last == \"it's\" || last == \"a && b\""),
            ("sometimes", "condition/syntax «sometimes»"),
            ("Default", "condition/syntax «Default»"),
            ("who knows", "condition/syntax «who»"),
            ("last", "condition/syntax «last»"),
            ("last=ok", "condition/syntax «=»"),
            ("last ok", "condition/syntax «ok»"),
            ("output.==x", "condition/syntax «.»"),
            ("lst==ok", "reference/unknown-root «lst»"),
            ("foo.bar==ok", "reference/unknown-root «foo»"),
            ("last==a && ", "condition/syntax «»"),
            ("last==a && b", "condition/syntax «b»"),
            ("(last==a", "condition/syntax «(»"),
            ("last==\"a", "condition/syntax «\"a»"),
            ("last==\"a\" b", "condition/syntax «b»"),
            ("last<abc", "condition/syntax «abc»"),
            ("last>\"3\"", "condition/syntax «\"3\"»"),
        ] {
            let read = match Condition::parse(text) {
                Ok(condition) => condition.to_string(),
                Err(e) => {
                    format!("{} «{}»", e.code.slug(), text.get(e.span.start..e.span.end).unwrap_or("off"))
                }
            };
            assert_eq!(read, expect, "{text:?}");
            if !read.contains('«') {
                assert_eq!(
                    Condition::parse(&read).unwrap().to_string(),
                    read,
                    "{text:?} printed and read again"
                );
            }
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        for text in ["(".repeat(100_000), "!".repeat(100_000), "!(".repeat(50_000)] {
            assert_eq!(Condition::parse(&text).unwrap_err().code, Code::ConditionSyntax);
        }
    }

    /// What reads, reads once more when it is printed, however deep.
    #[test]
    fn the_deepest_can_be_printed() {
        for (open, close) in [("!", ""), ("(", ")"), ("!(", ")"), ("(!", ")")] {
            let nested = |depth: usize| format!("{}last==a{}", open.repeat(depth), close.repeat(depth));
            let deepest = (1..100).rev().find_map(|depth| Condition::parse(&nested(depth)).ok()).unwrap();
            let printed = deepest.to_string();
            assert_eq!(Condition::parse(&printed).unwrap().to_string(), printed);
        }
    }
}
