//! Parses an edge's condition into comparisons, computed parts and their logic. The machine evaluates the
//! parts.
//!
//! Invariants:
//! 1. Empty text, `default` and `always` are fallbacks.
//! 2. `!` binds tighter than `&&`, and `&&` tighter than `||`.
//! 3. Evaluation goes left to right and stops at the first part that decides, or at a final error.

mod combine;
mod connective;
mod excused;
mod foreign_syntax;
mod logic;
mod null_tests;
mod print;
mod recover;
mod reversed;

pub use connective::is_reported;
pub use logic::{Final, Logic, Part};
pub use null_tests::NotNull;

use crate::ast::Ast;
use crate::base::{Code, ROOTS, Span};
use crate::computed::Computed;
use crate::cursor::Cursor;
use crate::error::Error;
use crate::function::Function;
use crate::literal::Literal;
use crate::parser::is_expression;
use crate::reference::{Reference, Root, parse_quoted};

/// Beyond it the expression parser takes over.
const MAX_DEPTH: usize = 64;

/// An edge's condition.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Condition {
    /// Holds if no other edge's condition does.
    #[default]
    Fallback,
    /// A test.
    Expression(Expression),
    /// Plans with such a condition don't run.
    Unreadable,
}

/// Parts and logic.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Their logic.
    pub root: Logic,
    /// Ordered comparisons.
    pub atoms: Vec<Atom>,
    /// Other parts, in text order.
    pub computed: Vec<Computed>,
    /// Warnings about ambiguous literals.
    pub warnings: Vec<Error>,
}

/// Compares a reference with a literal.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom {
    /// The value.
    pub reference: Reference,
    /// Its test.
    pub predicate: Predicate,
    /// The comparison's position.
    pub span: Span,
    /// The reference's position.
    pub reference_span: Span,
}

/// A test.
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

impl Atom {
    /// The order as written: `>` in `7 > last.n`.
    pub fn order(&self) -> Option<Function> {
        let order = match self.predicate {
            Predicate::Less(_) => Function::Less,
            Predicate::AtMost(_) => Function::LessEqual,
            Predicate::Greater(_) => Function::Greater,
            Predicate::AtLeast(_) => Function::GreaterEqual,
            _ => return None,
        };
        Some(if self.is_reversed() { order.mirrored() } else { order })
    }

    /// Whether the literal stands on the left side.
    pub fn is_reversed(&self) -> bool {
        self.reference_span.start > self.span.start
    }
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// The first error: `condition/syntax`, `reference/unknown-root` or an error of an expression.
    ///
    /// # Example
    /// ```
    /// use stepgraph_expression::Condition;
    /// let condition = Condition::parse("last.score >= 0.5 && !(output.check.kind == 'spam')").unwrap();
    /// assert_eq!(condition.to_string(), r#"last.score >= 0.5 && !(output.check.kind == "spam")"#);
    /// assert_eq!(Condition::parse(" default "), Ok(Condition::Fallback));
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_all(text).map_err(|broken| broken.first())
    }

    /// Returns all errors.
    pub fn parse_all(text: &str) -> Result<Self, Box<BrokenCondition>> {
        if matches!(text.trim(), "" | "default" | "always") {
            return Ok(Self::Fallback);
        }
        let mut reader = ConditionParser::new(text);
        let root = reader.any(0);
        let ConditionParser { atoms, warnings, errors, computes, .. } = reader;
        let expression = Expression { root, atoms, computed: Vec::new(), warnings: Vec::new() };
        if computes || !errors.is_empty() {
            return parse_expressions(text, BrokenCondition { errors, warnings, recovered: expression });
        }
        Ok(Self::Expression(Expression { warnings, ..expression }))
    }

    /// Whether it refers to the current failure.
    pub fn references_error(&self) -> bool {
        self.references().any(|(reference, _)| reference.root == Root::Error)
    }

    /// Whether its evaluation may fail: with an order of other values than numbers, or in a computed part.
    pub fn may_fail(&self) -> bool {
        !self.computed().is_empty() || self.atoms().iter().any(|atom| atom.order().is_some())
    }

    /// References of comparisons, then of computed parts.
    pub fn references(&self) -> impl Iterator<Item = (&Reference, Span)> {
        let atoms = self.atoms().iter().map(|atom| (&atom.reference, atom.reference_span));
        let computed = self.computed().iter().flat_map(|part| &part.references);
        atoms.chain(computed.map(|found| (&found.reference, found.span)))
    }

    /// Parts other than comparisons.
    pub fn computed(&self) -> &[Computed] {
        if let Self::Expression(expression) = self { &expression.computed } else { &[] }
    }

    /// Ordered comparisons.
    pub fn atoms(&self) -> &[Atom] {
        if let Self::Expression(expression) = self { &expression.atoms } else { &[] }
    }
}

/// Errors and valid comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenCondition {
    /// At least one, in text order.
    pub errors: Vec<Error>,
    /// Warnings about ambiguous literals.
    pub warnings: Vec<Error>,
    /// Valid comparisons, and other parts if the errors leave them whole. Its logic has no meaning.
    pub recovered: Expression,
}

impl BrokenCondition {
    /// First error.
    pub fn first(&self) -> Error {
        let unread = || syntax_error(Span::default(), "the condition can't be parsed");
        self.errors.first().cloned().unwrap_or_else(unread)
    }
}

fn syntax_error(span: Span, message: &str) -> Error {
    Error::new(Code::ConditionSyntax, span, message)
}

stepgraph_lazy::lazy! {
    /// Lazy, because most conditions have no errors.
    fn expected_operator(place: (&str, usize, usize)) -> Error = foreign_syntax::expected_operator;

    fn expected_number(literal: &Literal, span: Span) -> Error = foreign_syntax::expected_number;

    /// Lazy, because most plans have no expressions.
    fn parse_expressions(text: &str, plain: BrokenCondition) -> Result<Condition, Box<BrokenCondition>> = combine::parse;

    fn print_expression(ast: &Ast) -> String = Ast::to_string;

    /// Lazy, because most literals are words.
    fn looks_computed(text: &str) -> bool = foreign_syntax::looks_computed;
}

struct ConditionParser<'a> {
    cursor: Cursor<'a>,
    text: &'a str,
    atoms: Vec<Atom>,
    warnings: Vec<Error>,
    errors: Vec<Error>,
    computes: bool,
    /// Open parentheses.
    groups: usize,
}

impl<'a> ConditionParser<'a> {
    fn new(text: &'a str) -> Self {
        let cursor = Cursor::new(text);
        let (atoms, warnings, errors) = (Vec::new(), Vec::new(), Vec::new());
        Self { cursor, text, atoms, warnings, errors, computes: false, groups: 0 }
    }

    fn any(&mut self, depth: usize) -> Logic {
        let mut parts = vec![self.all(depth)];
        while self.eat("||") {
            parts.push(self.all(depth));
        }
        one_or(parts, Logic::Any)
    }

    fn all(&mut self, depth: usize) -> Logic {
        let mut parts = vec![self.part(depth)];
        while self.eat("&&") {
            parts.push(self.part(depth));
        }
        one_or(parts, Logic::All)
    }

    fn unary(&mut self, depth: usize) -> Result<Logic, Error> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        if depth > MAX_DEPTH {
            return Err(syntax_error(self.cursor.span(start), "the condition is nested too deeply")
                .help("write it with fewer parentheses and `!`"));
        }
        if !self.cursor.rest().starts_with("!=") && self.eat("!") {
            self.cursor.skip_whitespace();
            // Printing writes `!` as `!(`, so both count as one level.
            let grouped = self.cursor.rest().starts_with('(');
            let inner = if grouped { self.group(depth) } else { self.unary(depth + 1)? };
            return Ok(Logic::Not(Box::new(inner)));
        }
        if self.cursor.rest().starts_with('(') { Ok(self.group(depth)) } else { self.atom(self.groups > 0) }
    }

    fn group(&mut self, depth: usize) -> Logic {
        let (start, known) = (self.cursor.at(), self.errors.len());
        self.cursor.bump();
        self.groups += 1;
        let inner = self.any(depth + 1);
        self.groups -= 1;
        // A mistake inside, such as an open quote, may have consumed the parenthesis.
        if !self.eat(")") && self.errors.len() == known {
            let error =
                syntax_error(Span::new(start, start + 1), "a parenthesis is not closed").help("add `)`");
            self.errors.push(error);
        }
        inner
    }

    fn eat(&mut self, word: &str) -> bool {
        self.cursor.skip_whitespace();
        self.cursor.eat(word)
    }

    fn atom(&mut self, grouped: bool) -> Result<Logic, Error> {
        let start = self.cursor.at();
        self.reject_reversed()?;
        self.reject_foreign_syntax(start)?;
        let reference = Reference::parse_at(&mut self.cursor, Code::ConditionSyntax)?;
        let reference_span = Span::new(start, self.cursor.at());
        let predicate = self.predicate(grouped, start)?;
        let end = self.cursor.slice(0).trim_end().len();
        self.warnings.extend(foreign_syntax::index_as_text(&reference, &predicate, end));
        self.atoms.push(Atom {
            reference,
            predicate,
            span: Span::new(start, self.cursor.at()),
            reference_span,
        });
        Ok(Logic::Atom(self.atoms.len() - 1))
    }

    fn predicate(&mut self, grouped: bool, start: usize) -> Result<Predicate, Error> {
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
        // `<` is a prefix of `<=`.
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

    fn number(&mut self, grouped: bool) -> Result<f64, Error> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        let known = self.warnings.len();
        let literal = self.literal(grouped)?;
        if literal.number.is_none() {
            // The error replaces the warnings.
            self.warnings.truncate(known);
        }
        literal.number.ok_or_else(|| expected_number(&literal, self.cursor.span(start)))
    }

    fn literal(&mut self, grouped: bool) -> Result<Literal, Error> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at();
        if let Some(quote @ ('"' | '\'')) = self.cursor.peek() {
            let text = parse_quoted(&mut self.cursor, quote, Code::ConditionSyntax)?;
            return Ok(Literal::new(text, true));
        }
        self.skip_bare(grouped);
        let text = self.cursor.slice(start).trim_end();
        let literal = Literal::new(text, false);
        self.computes |= computes(&literal);
        self.warnings.extend(foreign_syntax::ambiguous_literal(text, start));
        Ok(literal)
    }

    /// It ends at `&&`, `||`, the closing parenthesis of its group, or the end of the text.
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

/// Whether the right side is neither text nor a constant.
fn computes(literal: &Literal) -> bool {
    let constant = literal.number.is_some() || literal.structure.is_some() || is_constant_word(&literal.text);
    !constant && is_expression(&literal.text, &ROOTS, &|_| false)
}

fn is_constant_word(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

fn one_or(mut parts: Vec<Logic>, many: fn(Vec<Logic>) -> Logic) -> Logic {
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
            ("last==[a b]", "last == [a b]"),
            ("last==[a, last.b]", "reference/unknown-root «a»"),
            ("last==2 * 3", "last == 2 * 3"),
            ("last==2 apples", "last == 2 apples"),
            ("last==5*3", "last == 5 * 3"),
            ("last==5+1", "last == 5+1"),
            ("last==10%3", "last == 10 % 3"),
            ("last==10/2", "last == 10/2"),
            ("last==+49/170-1", "last == +49/170-1"),
            ("last==2026-11-25T10:00:00+02:00", "last == 2026-11-25T10:00:00+02:00"),
            ("last==1.2.3+4", "last == 1.2.3+4"),
            ("last==0x10", "last == 0x10"),
            ("last < 0x10 && last>.5", "last < 16 && last > 0.5"),
            ("last==.5 && size(last.items)>2", "last == .5 && size(last.items) > 2"),
            (r#"last==r"a\d""#, r#"last == "a\\d""#),
            (r#"last==b"a""#, r#"expression/unsupported «b"a"»"#),
            ("last==r2", "last == r2"),
            ("0x10 == last.n", "last.n == 0x10"),
            ("007 == last.n", "last.n == \"007\""),
            ("(last.n) == (1.50)", "last.n == 1.50"),
            ("(last.n) == .5 || -.5 == last.n", "last.n == .5 || last.n == -.5"),
            ("1e1 != last.n || last.n == (0x10)", "last.n != 1e1 || last.n == 0x10"),
            ("${last.n} == 0x10", "last.n == 0x10"),
            ("last.n == .5 // half", "last.n == .5"),
            ("last.n == .5 apples", "last.n == .5 apples"),
            ("last.n == .5.1", "last.n == .5.1"),
            ("last.n == ./last.txt", "last.n == ./last.txt"),
            ("5 == last.n", "last.n == 5"),
            ("7 > last.n && null != last.n", "last.n < 7 && last.n != null"),
            ("'5' == last.n || size(last.items) > 2", "last.n == \"5\" || size(last.items) > 2"),
            ("3 <= last.n + 1", "3 <= last.n + 1"),
            ("!(last==a || !last==b) && !last==c)", "!(last == a || !(last == b)) && !last == c)"),
            ("(last==f(x) || last==a) && last==b)", "(last == f(x) || last == a) && last == b)"),
            ("!last.exists", "!(last.exists)"),
            ("!!last==a", "!(!(last == a))"),
            ("last.a.exists && last<=-1.5e3", "last.a.exists && last <= -1500"),
            ("last=='it\\'s' || last==\"a && b\"", "last == \"it's\" || last == \"a && b\""),
            ("sometimes", "condition/syntax «sometimes»"),
            ("Default", "condition/syntax «Default»"),
            ("who knows", "condition/syntax «who»"),
            ("last", "last"),
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
            ("last>\"3\"", "last > \"3\""),
            ("last.a == output.b.c", "last.a == output.b.c"),
            ("last.when == 2026-11-25", "last.when == 2026-11-25"),
            ("last.n == 5 && size(last.items) > 2", "last.n == 5 && size(last.items) > 2"),
            ("last==a b && !(has(last.x) ? true : last.y)", "last == a b && !(has(last.x) ? true : last.y)"),
            ("last.k in [1, 2] || last==yes", "last.k in [1, 2] || last == yes"),
            ("last.n * 2 > lst.m", "reference/unknown-root «lst»"),
            ("size(last.items) > ", "condition/syntax «»"),
            ("last.sixe() > 1", "expression/unknown-function «sixe»"),
            ("!last.a == last.b", "condition/syntax «!»"),
            ("(!last.a) == last.b", "(!last.a) == last.b"),
            ("!(last.a == last.b)", "!(last.a == last.b)"),
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
    fn an_ambiguous_negation_has_one_message() {
        for text in [
            "!last.n == r\"ok\"",
            "!last.n == \"a\" + \"b\"",
            "!last.n == ok && true",
            "!last.n == ok && size(last.l) > 1",
            "true && !last.n == ok",
            "!5 == last.n",
            "!(last.n) == true",
            "!has(last.n) == true",
            "!last.n < last.m",
        ] {
            let Err(broken) = Condition::parse_all(text) else { panic!("{text}") };
            let [error] = broken.errors.as_slice() else { panic!("{text}: {broken:?}") };
            assert_eq!(error.help.as_deref(), Some("write `!(a == b)` or `(!a) == b`"), "{text}");
            assert_eq!(error.code, Code::ConditionSyntax, "{text}");
        }
        let unknown = Condition::parse("(!last.n) == ok").unwrap_err();
        assert_eq!(unknown.code, Code::UnknownRoot);
    }

    #[test]
    fn orders_are_as_written() {
        use crate::base::View;
        use crate::evaluate::order_error;
        for (text, message) in [
            ("last.n < 7", "`<` does not accept a list and a number"),
            ("7 > last.n", "`>` does not accept a number and a list"),
            ("(7) <= last.n", "`<=` does not accept a number and a list"),
            ("(last.n) >= 7", "`>=` does not accept a list and a number"),
        ] {
            let condition = Condition::parse(text).unwrap();
            let [atom] = condition.atoms() else { panic!("{text}") };
            let error = order_error(atom.order().unwrap(), View::List, atom.is_reversed());
            assert_eq!(error.message, message, "{text}");
        }
        assert_eq!(Condition::parse("5 == last.n").unwrap().atoms()[0].order(), None);
    }

    #[test]
    fn deep_nesting_is_refused() {
        for text in ["(".repeat(100_000), "!".repeat(100_000), "!(".repeat(50_000)] {
            assert_eq!(Condition::parse(&text).unwrap_err().code, Code::ConditionSyntax);
        }
    }

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
