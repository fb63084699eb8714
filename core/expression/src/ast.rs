//! The syntax tree of an expression. Operators are calls: `a + b` calls [`Function::Add`].
//!
//! Invariants:
//! 1. Every part knows its position. Equality ignores positions.
//! 2. Text that cannot be parsed becomes a [`Kind::Broken`] part.

use crate::base::Span;
use crate::function::Function;

/// Parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Ast {
    /// The root.
    pub root: Expr,
}

/// A part.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Its position.
    pub span: Span,
    /// Its kind.
    pub kind: Kind,
    /// The tree's depth, itself included.
    height: u16,
}

/// A part's kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A constant.
    Literal(Literal),
    /// A root or a macro's variable.
    Ident(Name),
    /// `operand.field`
    Select(Select),
    /// `operand[index]`
    Index(Index),
    /// A function, method or operator.
    Call(Call),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{key: value}`
    Map(Vec<(Expr, Expr)>),
    /// A macro over a list, such as `range.all(variable, body)`.
    Comprehension(Comprehension),
    /// No expression, or a gap where one is missing, with the parts that could be parsed.
    Broken(Vec<Expr>),
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Whole number.
    Int(i64),
    /// Has point or exponent.
    Double(f64),
    /// Text.
    Text(String),
}

/// A name.
#[derive(Debug, Clone)]
pub struct Name {
    /// Empty if missing.
    pub text: String,
    /// Its position.
    pub span: Span,
}

/// `operand.field`
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// The value with the field.
    pub operand: Box<Expr>,
    /// Empty if missing.
    pub field: Name,
}

/// `operand[index]`
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// List or map.
    pub operand: Box<Expr>,
    /// Position or key.
    pub index: Box<Expr>,
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// `None` if unknown.
    pub function: Option<Function>,
    /// As written. An operator's span is its own.
    pub name: Name,
    /// Before a method's dot.
    pub target: Option<Box<Expr>>,
    /// Arguments or operands.
    pub args: Vec<Expr>,
}

/// A macro over a list or a map's keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Comprehension {
    /// The macro.
    pub function: Function,
    /// Macro's name.
    pub name: Name,
    /// List or map.
    pub range: Box<Expr>,
    /// Holds an element.
    pub variable: Name,
    /// The middle of `map(x, condition, body)`.
    pub filter: Option<Box<Expr>>,
    /// Evaluated for each element.
    pub body: Box<Expr>,
}

impl Expr {
    /// Creates a part.
    pub fn new(span: Span, kind: Kind) -> Self {
        let mut below = 0;
        kind.each(&mut |child| below = below.max(child.height));
        Self { span, kind, height: below.saturating_add(1) }
    }

    /// Adds an operand at the end of a chain such as `a && b`. A new call would visit all operands again.
    pub(crate) fn extended(mut self, operand: Self, end: usize) -> Self {
        self.span.end = end;
        self.height = self.height.max(operand.height.saturating_add(1));
        if let Kind::Call(call) = &mut self.kind {
            call.args.push(operand);
        }
        self
    }

    /// The tree's depth, itself included.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// Visits direct parts in text order.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.kind.each(visit);
    }

    /// The innermost part around a byte. A part's end belongs to it.
    pub fn at(&self, offset: usize) -> &Expr {
        let mut found = self;
        loop {
            let mut inner = None;
            found.each(&mut |child| {
                if child.span.start <= offset && offset <= child.span.end {
                    inner = Some(child);
                }
            });
            match inner {
                Some(child) => found = child,
                None => return found,
            }
        }
    }

    /// Whether it's broken.
    pub fn is_broken(&self) -> bool {
        matches!(self.kind, Kind::Broken(_))
    }
}

impl Ast {
    /// Renames the outputs of `output.<name>` and `output["<name>"]`.
    #[must_use]
    pub fn with_outputs(&self, rename: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut ast = self.clone();
        rename_outputs(&mut ast.root, rename);
        ast
    }
}

fn rename_outputs(expr: &mut Expr, rename: &dyn Fn(&str) -> Option<String>) {
    let is_output = |operand: &Expr| matches!(&operand.kind, Kind::Ident(name) if name.text == "output");
    match &mut expr.kind {
        Kind::Select(select) if is_output(&select.operand) => {
            if let Some(name) = rename(&select.field.text) {
                select.field.text = name;
            }
        }
        Kind::Index(index) if is_output(&index.operand) => {
            if let Kind::Literal(Literal::Text(key)) = &mut index.index.kind
                && let Some(name) = rename(key)
            {
                *key = name;
            }
        }
        _ => {}
    }
    expr.kind.each_mut(&mut |part| rename_outputs(part, rename));
}

impl Kind {
    pub(crate) fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Self::Literal(_) | Self::Ident(_) => {}
            Self::Select(select) => visit(&mut select.operand),
            Self::Index(index) => {
                visit(&mut index.operand);
                visit(&mut index.index);
            }
            Self::Call(call) => {
                call.target.iter_mut().map(|it| &mut **it).chain(&mut call.args).for_each(visit);
            }
            Self::List(items) | Self::Broken(items) => items.iter_mut().for_each(visit),
            Self::Map(entries) => {
                for (key, value) in entries {
                    visit(key);
                    visit(value);
                }
            }
            Self::Comprehension(it) => {
                visit(&mut it.range);
                it.filter.iter_mut().for_each(|filter| visit(filter));
                visit(&mut it.body);
            }
        }
    }

    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Literal(_) | Self::Ident(_) => {}
            Self::Select(select) => visit(&select.operand),
            Self::Index(index) => {
                visit(&index.operand);
                visit(&index.index);
            }
            Self::Call(call) => call.target.iter().map(|it| &**it).chain(&call.args).for_each(visit),
            Self::List(items) | Self::Broken(items) => items.iter().for_each(visit),
            Self::Map(entries) => {
                for (key, value) in entries {
                    visit(key);
                    visit(value);
                }
            }
            Self::Comprehension(it) => {
                visit(&it.range);
                it.filter.iter().for_each(|filter| visit(filter));
                visit(&it.body);
            }
        }
    }
}

impl Name {
    /// Creates a name.
    pub fn new(text: impl Into<String>, span: Span) -> Self {
        Self { text: text.into(), span }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}
