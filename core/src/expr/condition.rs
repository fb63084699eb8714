//! The condition of an edge.
//!
//! Decides how conditions are written, and how the truth of their comparisons makes the truth of the whole. What a
//! comparison sees is the machine's affair.
//!
//! Invariants:
//! 1. empty, `default` and `always` are fallbacks, everything else a test;
//! 2. `!` binds tighter than `&&`, that tighter than `||`; evaluation goes left to right and stops when it knows.
//!
//! Source: seed 002, "Condiciones soportadas"; design section 5.

mod print;

use super::cursor::Cursor;
use super::literal::Literal;
use super::reference::{Reference, is_key_char, read_quoted};
use super::{ExprError, Root};
use crate::diagnostic::{Code, Span, brief};

/// How deep parentheses and negations may be nested.
const MAX_DEPTH: usize = 64;

/// When an edge may be taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Condition {
    /// When no condition of the node's other edges holds.
    #[default]
    Fallback,
    /// When the expression holds.
    Test(Expression),
}

/// An expression and the comparisons it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// How the comparisons are combined.
    pub root: Expr,
    /// The comparisons, in the order of the text.
    pub atoms: Vec<Atom>,
    /// Literals that look like a second comparison, as a warning each.
    pub ambiguous: Vec<Span>,
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
    pub test: Test,
    /// Where it stands in the condition.
    pub span: Span,
    /// Where its reference stands in the condition.
    pub reference_span: Span,
}

/// What is asked of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
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
    /// use stepgraph_core::expr::Condition;
    /// let condition = Condition::parse("last.score >= 0.5 && !(output.check.kind == 'spam')").unwrap();
    /// assert_eq!(condition.to_string(), r#"last.score >= 0.5 && !(output.check.kind == "spam")"#);
    /// assert_eq!(Condition::parse(" default "), Ok(Condition::Fallback));
    /// ```
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        if matches!(text.trim(), "" | "default" | "always") {
            return Ok(Self::Fallback);
        }
        let mut reader =
            Reader { cursor: Cursor::new(text), text, atoms: Vec::new(), ambiguous: Vec::new(), groups: 0 };
        let root = reader.any(0)?;
        reader.cursor.skip_blanks();
        if !reader.cursor.is_done() {
            let span = Span::new(reader.cursor.at(), text.trim_end().len());
            return Err(syntax(span, "unexpected text after the condition")
                .help("join conditions with `&&` or `||`, or quote the literal"));
        }
        Ok(Self::Test(Expression { root, atoms: reader.atoms, ambiguous: reader.ambiguous }))
    }

    /// Whether it speaks of the failure at hand.
    pub fn mentions_error(&self) -> bool {
        self.atoms().iter().any(|atom| atom.reference.root == Root::Error)
    }

    /// Its comparisons, in the order of the text.
    pub fn atoms(&self) -> &[Atom] {
        match self {
            Self::Fallback => &[],
            Self::Test(expression) => &expression.atoms,
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

fn syntax(span: Span, message: impl Into<String>) -> ExprError {
    ExprError::new(Code::ConditionSyntax, span, message)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    text: &'a str,
    atoms: Vec<Atom>,
    ambiguous: Vec<Span>,
    /// Parentheses that are open.
    groups: usize,
}

impl Reader<'_> {
    fn any(&mut self, depth: usize) -> Result<Expr, ExprError> {
        let mut parts = vec![self.all(depth)?];
        while self.eat("||") {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Expr::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Expr, ExprError> {
        let mut parts = vec![self.unary(depth)?];
        while self.eat("&&") {
            parts.push(self.unary(depth)?);
        }
        Ok(one_or(parts, Expr::All))
    }

    fn unary(&mut self, depth: usize) -> Result<Expr, ExprError> {
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        if depth > MAX_DEPTH {
            return Err(syntax(self.cursor.span(start), "the condition is nested too deeply")
                .help("write it with fewer parentheses and `!`"));
        }
        if self.eat("!") {
            return Ok(Expr::Not(Box::new(self.unary(depth + 1)?)));
        }
        if !self.eat("(") {
            return self.atom(self.groups > 0);
        }
        self.groups += 1;
        let inner = self.any(depth + 1)?;
        self.groups -= 1;
        if self.eat(")") {
            return Ok(inner);
        }
        Err(syntax(Span::new(start, start + 1), "a parenthesis is not closed").help("add `)`"))
    }

    /// Steps over `word` and blanks before it.
    fn eat(&mut self, word: &str) -> bool {
        self.cursor.skip_blanks();
        self.cursor.eat(word)
    }

    fn atom(&mut self, grouped: bool) -> Result<Expr, ExprError> {
        let start = self.cursor.at();
        self.refuse_plain_words(start)?;
        let reference = Reference::read(&mut self.cursor, Code::ConditionSyntax)?;
        let reference_span = Span::new(start, self.cursor.at());
        let test = self.test(grouped, start)?;
        self.atoms.push(Atom { reference, test, span: Span::new(start, self.cursor.at()), reference_span });
        Ok(Expr::Atom(self.atoms.len() - 1))
    }

    /// A word that nothing follows is no misspelt reference but something else altogether.
    fn refuse_plain_words(&self, start: usize) -> Result<(), ExprError> {
        let mut ahead = self.cursor.clone();
        ahead.skip_while(is_key_char);
        let word = ahead.slice(start).to_owned();
        let span = ahead.span(start);
        ahead.skip_blanks();
        let goes_on = ahead.peek().is_some_and(|c| ".[=!<>".contains(c));
        if word.is_empty()
            || goes_on
            || Reference::parse(&word).is_ok()
            || matches!(word.as_str(), "output" | "context")
        {
            return Ok(());
        }
        let word = brief(&word);
        let help = match word.to_ascii_lowercase().as_str() {
            "default" | "always" => format!("write `{}` in lower case, and alone", word.to_ascii_lowercase()),
            _ => format!("compare a reference with it, as in `last=={word}`, or write `default`"),
        };
        Err(syntax(span, format!("`{word}` is not a condition")).help(help))
    }

    fn test(&mut self, grouped: bool, start: usize) -> Result<Test, ExprError> {
        self.cursor.skip_blanks();
        let cursor = &mut self.cursor;
        if cursor.eat(".contains:") {
            return Ok(Test::Contains(self.literal(grouped)?));
        }
        if cursor.eat(".exists") {
            return Ok(Test::Exists);
        }
        if cursor.eat("==") {
            return Ok(Test::Equals(self.literal(grouped)?));
        }
        if cursor.eat("!=") {
            return Ok(Test::Differs(self.literal(grouped)?));
        }
        // The longer operators go first: `<` begins `<=`.
        if cursor.eat("<=") {
            return self.number(grouped).map(Test::AtMost);
        }
        if cursor.eat(">=") {
            return self.number(grouped).map(Test::AtLeast);
        }
        if cursor.eat("<") {
            return self.number(grouped).map(Test::Less);
        }
        if cursor.eat(">") {
            return self.number(grouped).map(Test::Greater);
        }
        Err(self.no_operator(start))
    }

    fn no_operator(&self, start: usize) -> ExprError {
        let at = self.cursor.at();
        let read = brief(self.text.get(start..at).unwrap_or("").trim_end());
        match self.cursor.peek() {
            Some('=') => syntax(self.cursor.span(at), "`=` is not an operator").help("write `==`"),
            Some(_) => syntax(Span::new(at, self.text.trim_end().len()), "an operator is missing here")
                .help("write one of `==`, `!=`, `<`, `<=`, `>`, `>=`, `.contains:`, `.exists`"),
            None => syntax(Span::new(start, at), format!("`{read}` is compared with nothing"))
                .help(format!("write `{read}==…` or `{read}.exists`")),
        }
    }

    fn number(&mut self, grouped: bool) -> Result<f64, ExprError> {
        let start = self.cursor.at();
        let literal = self.literal(grouped)?;
        let span = Span::new(start, self.cursor.at());
        literal.number.ok_or_else(|| {
            syntax(span, format!("`{}` is not a number", brief(&literal.text)))
                .help("order numbers with `<` and `>`; compare text with `==`")
        })
    }

    fn literal(&mut self, grouped: bool) -> Result<Literal, ExprError> {
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        if let Some(quote @ ('"' | '\'')) = self.cursor.peek() {
            let text = read_quoted(&mut self.cursor, quote, Code::ConditionSyntax)?;
            return Ok(Literal::new(text, true));
        }
        self.skip_bare(grouped);
        let text = self.cursor.slice(start).trim_end();
        if ["==", "!=", "<"].iter().any(|operator| text.contains(operator)) || text.starts_with('=') {
            self.ambiguous.push(Span::new(start, start + text.len()));
        }
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
            ("!last==a)", "!(last == \"a)\")"),
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

    #[test]
    fn ambiguous_literals_are_noted() {
        for (text, noted) in
            [("last==a==b", 1), ("last==\"a==b\"", 0), ("last==a<b", 1), ("last===a", 1), ("last==a", 0)]
        {
            let Ok(Condition::Test(expression)) = Condition::parse(text) else { panic!("{text}") };
            assert_eq!(expression.ambiguous.len(), noted, "{text}");
        }
    }
}
