//! The syntax tree of an expression.
//!
//! Defines the parts of an expression. Operators are calls: `a + b` calls [`Function::Add`].
//!
//! Invariants:
//! 1. Every part knows its position in the text. Equality ignores positions.
//! 2. Text that cannot be parsed becomes a [`Kind::Broken`] part, so the rest stays usable.

use crate::base::Span;
use crate::function::Function;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Ast {
    /// The whole expression.
    pub root: Expr,
}

/// A part of an expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Its position in the text.
    pub span: Span,
    /// Its kind, with its parts.
    pub kind: Kind,
    /// The depth of the tree below this part, itself included.
    height: u16,
}

/// The kind of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A constant.
    Literal(Literal),
    /// A root or a variable of a macro.
    Ident(Name),
    /// `operand.field`
    Select(Select),
    /// `operand[index]`
    Index(Index),
    /// A function, a method or an operator with its operands.
    Call(Call),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{key: value}`
    Map(Vec<(Expr, Expr)>),
    /// A macro that visits a list, such as `range.all(variable, body)`.
    Comprehension(Comprehension),
    /// Text that is no expression, or a gap where one is missing. Holds the parts that could be parsed.
    Broken(Vec<Expr>),
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number without a point.
    Int(i64),
    /// A number with a point or an exponent.
    Double(f64),
    /// Text.
    Text(String),
}

/// A name and its position.
#[derive(Debug, Clone)]
pub struct Name {
    /// The name, empty if it is missing.
    pub text: String,
    /// Its position in the text.
    pub span: Span,
}

/// `operand.field`
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// The value that has the field.
    pub operand: Box<Expr>,
    /// The field, empty if it is missing.
    pub field: Name,
}

/// `operand[index]`
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// The list or map.
    pub operand: Box<Expr>,
    /// The position or the key.
    pub index: Box<Expr>,
}

/// A call of a function or an operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function, or `None` if no function has this name.
    pub function: Option<Function>,
    /// The name as written. For an operator, the span is that of the operator.
    pub name: Name,
    /// The value before the dot, for a method.
    pub target: Option<Box<Expr>>,
    /// The arguments, or the operands.
    pub args: Vec<Expr>,
}

/// A macro that visits the elements of a list or the keys of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Comprehension {
    /// The macro itself.
    pub function: Function,
    /// The macro's name and its position.
    pub name: Name,
    /// The list or map.
    pub range: Box<Expr>,
    /// The variable that holds the element.
    pub variable: Name,
    /// The condition in the middle of `map(x, condition, body)`.
    pub filter: Option<Box<Expr>>,
    /// The expression to evaluate for each element.
    pub body: Box<Expr>,
}

impl Expr {
    /// Creates a part with its position.
    pub fn new(span: Span, kind: Kind) -> Self {
        let mut below = 0;
        kind.each(&mut |child| below = below.max(child.height));
        Self { span, kind, height: below.saturating_add(1) }
    }

    /// Returns the depth of the tree below this part, itself included.
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// Calls `visit` with each direct part, in the order of the text.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.kind.each(visit);
    }

    /// Returns the innermost part around a byte of the text. The position at the end of a part belongs to the part.
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

    /// Whether this part could not be parsed.
    pub fn is_broken(&self) -> bool {
        matches!(self.kind, Kind::Broken(_))
    }
}

impl Ast {
    /// Renames outputs: the field of `output.<name>`, or the key of `output["<name>"]`.
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
    /// Calls `visit` with each direct part, to change it.
    fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
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
    /// Creates a name with its position.
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
