//! Checks types before a run. Reports only certain errors, and accepts everything unknown.

mod branches;
mod call;
mod constant;
mod contradiction;
mod domain;
pub(crate) mod facts;
mod field;
mod literals;
mod narrow;
mod operands;

pub use constant::RUN_TIME_CODES;
pub(crate) use constant::constant_comparison;
pub use domain::{Domain, ELEMENTS, WITHIN_LIMITS};

use crate::ast::{Ast, Comprehension, Expr, Index, Kind, Literal, Name};
use crate::base::{Segment, Span};
use crate::error::{Error, INVALID_VALUE, OUT_OF_RANGE, TYPE, in_order, unknown_root};
use crate::function::Function;
use crate::parser::TYPE_NAMES;
use crate::types::{Field, Object, Type, Types};
use facts::Fact;
use narrow::kept_element;
use std::rc::Rc;
use stepgraph_text::diagnostic::Severity;

/// An expression's use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Any value.
    Value,
    /// Must be true or false.
    Condition,
}

/// Check result.
#[derive(Debug, Clone)]
pub struct Checked {
    /// In text order.
    pub errors: Vec<Error>,
    /// Whole type.
    pub kind: Type,
    /// Parts' types, inner ones first.
    pub types: Vec<(Span, Type)>,
}

impl Checked {
    /// The innermost part's type at a byte.
    pub fn type_at(&self, offset: usize) -> Option<(Span, &Type)> {
        let around = |(span, _): &&(Span, Type)| span.start <= offset && offset <= span.end;
        self.types.iter().find(around).map(|(span, kind)| (*span, kind))
    }
}

/// Checks an expression.
///
/// # Example
/// ```
/// use stepgraph_expression::{Purpose, Syntax, Type, check, parse};
/// let types = [("last", Type::object([("n", Type::Number), ("items", Type::list(Type::String))]))];
/// let ast = parse("last.n < '7' || size(last.itmes) > 1", Syntax::default()).ast;
/// let codes: Vec<_> = check(&ast, &types[..], Purpose::Condition).errors.iter().map(|error| error.code.slug()).collect();
/// assert_eq!(codes, ["expression/type", "expression/unknown-field"]);
/// ```
pub fn check<T: Types + ?Sized>(ast: &Ast, types: &T, purpose: Purpose) -> Checked {
    let root = |name: &str| types.root(name);
    let values = |root: &str, path: &[Segment]| types.values(root, path);
    let mut checker = Checker {
        root: &root,
        values: &values,
        has_values: types.has_values(),
        variables: Vec::new(),
        outermost: usize::MAX,
        budget: constant::BUDGET,
        wants_warnings: types.wants_warnings(),
        narrows: types.narrows(),
        facts: Vec::new(),
        optional: 0,
        errors: Vec::new(),
        types: Vec::new(),
    };
    let kind = match purpose {
        Purpose::Value => checker.infer(&ast.root),
        Purpose::Condition => {
            let kind = checker.condition(&ast.root);
            checker.report_constant(&ast.root);
            kind
        }
    };
    Checked { errors: in_order(checker.errors), kind, types: checker.types }
}

const MAX_ERRORS: usize = 20;

/// Keeps the first errors of one expression. The last one says how many more there are.
pub fn limited(mut errors: Vec<Error>) -> Vec<Error> {
    let more = errors.len().saturating_sub(MAX_ERRORS - 1);
    if more > 1 {
        let hidden = errors.split_off(MAX_ERRORS - 1);
        // A warning must not hide an error.
        let worst = hidden.iter().find(|error| error.code.severity() == Severity::Error);
        if let Some(worst) = worst.or(hidden.first()) {
            let message = format!("the expression has {more} more mistakes, such as here");
            let last = Error::new(worst.code, worst.span, &message);
            errors.push(last.help("correct the other mistakes, and check again"));
        }
    }
    errors
}

struct Checker<'a> {
    root: &'a dyn Fn(&str) -> Option<Type>,
    values: &'a dyn Fn(&str, &[Segment]) -> Option<Domain>,
    has_values: bool,
    variables: Vec<Variable>,
    /// The outermost variable that the current part refers to: 0 for data, 1 for that of the outermost macro.
    outermost: usize,
    /// For evaluations of constant parts.
    budget: usize,
    wants_warnings: bool,
    /// Whether tests of `null` count.
    narrows: bool,
    /// Paths that are not `null` in the current part.
    facts: Vec<Fact>,
    /// How many `has` and `??` around the current part deal with a missing value.
    optional: usize,
    errors: Vec<Error>,
    types: Vec<(Span, Type)>,
}

/// Of a macro.
struct Variable {
    name: String,
    kind: Type,
    /// `None` if its values are not limited.
    domain: Option<Domain>,
}

impl Checker<'_> {
    fn infer(&mut self, expr: &Expr) -> Type {
        let (around, errors) = (std::mem::replace(&mut self.outermost, usize::MAX), self.errors.len());
        let kind = match &expr.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => self.name(name),
            Kind::Select(select) => {
                let operand = self.infer(&select.operand);
                self.field(&operand, &select.field, expr)
            }
            Kind::Index(index) => self.index(index, expr),
            Kind::Call(call) => self.call(call, expr).limited(),
            Kind::List(items) => {
                Type::list(Type::one_of(items.iter().map(|item| self.infer(item)))).limited()
            }
            Kind::Map(entries) => self.map(entries).limited(),
            Kind::Comprehension(it) => self.comprehension(it).limited(),
            Kind::Broken(parts) => {
                for part in parts {
                    self.infer(part);
                }
                self.outermost = 0;
                Type::Dyn
            }
        };
        let kind = self.narrowed(expr, kind);
        if self.outermost > self.variables.len() {
            self.report_failing(expr, errors);
        }
        self.outermost = self.outermost.min(around);
        self.types.push((expr.span, kind.clone()));
        kind
    }

    fn condition(&mut self, expr: &Expr) -> Type {
        let kind = self.infer(expr);
        if !kind.overlaps(&Type::Bool) {
            let message = format!("a condition is true or false, not {}", kind.describe());
            let is_failure = matches!(&expr.kind, Kind::Ident(name) if name.text == "error" && self.variable("error").is_none());
            let help = if is_failure { "write `error.exists`" } else { condition_help(&kind) };
            self.errors.push(Error::new(TYPE, expr.span, &message).help(help));
        } else if self.wants_warnings && kind.may_be_null() {
            self.hint_null(None, expr, &kind);
        }
        kind
    }

    /// The position of a macro's variable. An inner one hides an outer one.
    fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().rposition(|variable| variable.name == name)
    }

    fn name(&mut self, name: &Name) -> Type {
        if let Some(at) = self.variable(&name.text) {
            self.outermost = at + 1;
            return self.variables.get(at).map(|variable| variable.kind.clone()).unwrap_or_default();
        }
        if let Some(kind) = (self.root)(&name.text) {
            self.outermost = 0;
            return kind;
        }
        if TYPE_NAMES.contains(&name.text.as_str()) {
            return Type::Type;
        }
        if name.text == "google" {
            // The compiler knows the types of this package.
            return Type::Dyn;
        }
        self.errors.push(unknown_root(&name.text, name.span));
        Type::Dyn
    }

    fn index(&mut self, index: &Index, expr: &Expr) -> Type {
        let operand = self.infer(&index.operand);
        let by = self.infer(&index.index);
        match &index.index.kind {
            Kind::Literal(Literal::Text(key)) => {
                let field = Name::new(key.clone(), index.index.span);
                return self.field(&operand, &field, expr);
            }
            Kind::Literal(Literal::Int(at)) if *at < 0 && matches!(operand, Type::List(_) | Type::Dyn) => {
                let error =
                    Error::new(OUT_OF_RANGE, index.index.span, "a position in a list is not negative");
                let list = &index.operand;
                let last =
                    format!("write `{list}[size({list}) - {}]` to count from the end", at.unsigned_abs());
                self.errors.push(error.help(&last));
            }
            _ => {}
        }
        let mut found = None;
        for member in operand.members() {
            let element = match member {
                Type::Dyn | Type::Object(_) => Type::Dyn,
                Type::Map(element) | Type::List(element) => Type::clone(element),
                _ => continue,
            };
            found = Some(element.join(found));
        }
        let is_list = operand.members().iter().all(|member| matches!(member, Type::List(_)));
        if found.is_none() {
            let error = Error::new(TYPE, expr.span, &format!("{} has no elements", operand.describe()));
            let help =
                if operand == Type::String { "write `text.charAt(0)`" } else { "index a list or a map" };
            self.errors.push(error.help(help));
        } else if is_list && is_fraction(&index.index) {
            let error =
                Error::new(TYPE, index.index.span, "a position in a list is a whole number, not a fraction");
            self.errors.push(error.help("write a number, as in `list[0]`, or `int(x)`"));
        } else if is_list
            && !by.members().iter().any(|kind| kind.is_number() || matches!(kind, Type::Dyn | Type::String))
        {
            let message = format!("a position in a list is a whole number, not {}", by.describe());
            self.errors
                .push(Error::new(TYPE, index.index.span, &message).help("write a number, as in `list[0]`"));
        }
        found.unwrap_or_default()
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) -> Type {
        let (mut fields, mut open, mut texts) = (Vec::new(), false, true);
        for (at, (key, value)) in entries.iter().enumerate() {
            let (kind, value) = (self.infer(key), self.infer(value));
            let fits = [Type::String, Type::Int, Type::Bool].iter().any(|fitting| kind.overlaps(fitting));
            if !fits || is_fraction(key) {
                let found = if fits { "a fraction" } else { kind.describe() };
                let message = format!("a key is text, a whole number or a truth value, not {found}");
                self.errors.push(Error::new(TYPE, key.span, &message).help("write a text in quotes"));
            }
            let same =
                |(other, _): &(Expr, Expr)| matches!(key.kind, Kind::Literal(_)) && other.kind == key.kind;
            if entries.iter().take(at.min(MAX_COMPARED)).any(same) {
                let error = Error::new(INVALID_VALUE, key.span, "a map has the same key twice");
                self.errors.push(error.help("remove one of the entries"));
            }
            texts &= kind == Type::String;
            match &key.kind {
                Kind::Literal(Literal::Text(name)) => {
                    fields.push(Field { name: name.clone(), kind: value, required: true });
                }
                _ => open = true,
            }
        }
        if !texts {
            // Other keys have no type of their own.
            Type::Dyn
        } else if open && fields.is_empty() {
            Type::Map(Rc::new(Type::Dyn))
        } else {
            Type::Object(Rc::new(Object { fields, open, is_complete: false }))
        }
    }

    fn comprehension(&mut self, it: &Comprehension) -> Type {
        let range = self.infer(&it.range);
        if self.wants_warnings && range.may_be_null() {
            self.hint_null(Some((it.function, 0)), &it.range, &range);
        }
        let mut element = None;
        for member in range.members() {
            let next = match member {
                Type::Dyn => Type::Dyn,
                Type::List(element) => Type::clone(element),
                Type::Map(_) | Type::Object(_) => Type::String,
                _ => continue,
            };
            element = Some(next.join(element));
        }
        if element.is_none() {
            let message = format!("`{}` does not accept {}", it.name.text, range.describe());
            self.errors
                .push(Error::new(TYPE, it.name.span, &message).help("visit a list, or the keys of a map"));
        }
        let element = element.unwrap_or_default();
        let domain = if self.has_values { self.elements(&it.range) } else { None };
        let name = it.variable.text.clone();
        self.variables.push(Variable { name, kind: element.clone(), domain });
        self.types.push((it.variable.span, element.clone()));
        let hidden = (!self.facts.is_empty()).then(|| self.hide_facts(&it.variable.text));
        let kind = self.visited(it, element);
        if let Some(facts) = hidden {
            self.facts = facts;
        }
        self.variables.pop();
        kind
    }

    fn visited(&mut self, it: &Comprehension, element: Type) -> Type {
        if let Some(filter) = &it.filter {
            self.condition(filter);
        }
        if it.function == Function::SortBy {
            let key = self.infer(&it.body);
            if self.wants_warnings && key.may_be_null() {
                self.hint_null(Some((it.function, 1)), &it.body, &key);
            }
            self.check_sort_key(it.function, it.body.span, &key);
            return Type::list(element);
        }
        if it.function == Function::Map {
            let body = match &it.filter {
                Some(filter) => self.guarded(filter, true, &it.body),
                None => self.infer(&it.body),
            };
            return Type::list(body);
        }
        self.condition(&it.body);
        self.report_constant(&it.body);
        match it.function {
            Function::Filter if self.narrows => Type::list(kept_element(it, element)),
            Function::Filter => Type::list(element),
            _ => Type::Bool,
        }
    }
}

impl Checker<'_> {
    /// Reports values that have no order.
    fn check_sort_key(&mut self, function: Function, span: Span, key: &Type) {
        if !key.is_sortable() {
            let message = format!("`{}` does not compare {}", function.name(), key.describe());
            let help =
                "write a number, text, truth value or time to sort by, as in `list.sortBy(x, x.price)`";
            self.errors.push(Error::new(TYPE, span, &message).help(help));
        }
    }
}

/// A search for the same key looks at no more entries, so it takes linear time.
const MAX_COMPARED: usize = 100;

/// How to test a value that is no truth value.
fn condition_help(kind: &Type) -> &'static str {
    let any = |test: fn(&Type) -> bool| kind.members().iter().any(test);
    if any(|kind| *kind == Type::Null) {
        "compare the value, as in `x != null`"
    } else if any(|kind| matches!(kind, Type::List(_) | Type::Map(_) | Type::Object(_))) {
        "compare the value, as in `size(x) > 0`"
    } else if any(|kind| *kind == Type::String) {
        "compare the value, as in `x != \"\"`, and repeat it in each comparison: `x == \"a\" || x == \"b\"`"
    } else {
        "compare the value, as in `x != 0`"
    }
}

fn is_fraction(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Literal(Literal::Double(number)) if number.fract() != 0.0)
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Double(_) => Type::Double,
        Literal::Text(_) => Type::String,
    }
}
