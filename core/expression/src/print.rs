//! Prints a canonical form that parses to the same tree.

use crate::ast::{Ast, Call, Comprehension, Expr, Kind, Literal};
use crate::base::{is_root, number_text};
use crate::function::{Form, Function};
use crate::parser::{TYPE_NAMES, is_comparison, is_field_part, level};
use std::fmt::{Display, Formatter, Result, Write};

/// Never needs parentheses.
const TIGHTEST: u8 = 9;

impl Display for Ast {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.root.fmt(f)
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            Kind::Literal(literal) => literal.fmt(f),
            Kind::Ident(name) => f.write_str(&name.text),
            Kind::Select(select) => {
                print_operand(&select.operand, 8, f)?;
                print_field(&select.field.text, f)
            }
            Kind::Index(index) => {
                print_operand(&index.operand, 8, f)?;
                write!(f, "[{}]", index.index)
            }
            Kind::Call(call) => call.fmt(f),
            Kind::List(items) => {
                f.write_char('[')?;
                print_list(items, f)?;
                f.write_char(']')
            }
            Kind::Map(entries) => {
                f.write_char('{')?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
            Kind::Comprehension(it) => it.fmt(f),
            Kind::Broken(parts) => print_list(parts, f),
        }
    }
}

fn print_list(items: &[Expr], f: &mut Formatter<'_>) -> Result {
    for (at, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if at > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn print_operand(part: &Expr, least: u8, f: &mut Formatter<'_>) -> Result {
    if level_of(part) >= least { part.fmt(f) } else { write!(f, "({part})") }
}

fn level_of(expr: &Expr) -> u8 {
    match &expr.kind {
        Kind::Call(Call { function: Some(function), .. }) if function.form() == Form::Operator => {
            level(*function)
        }
        // A dot would become a decimal point, and a sign before it part of the number.
        Kind::Literal(Literal::Int(_) | Literal::Double(_)) => 7,
        _ => TIGHTEST,
    }
}

fn print_field(name: &str, f: &mut Formatter<'_>) -> Result {
    let dashed = name.split('-').all(|part| !part.is_empty() && part.chars().all(is_field_part));
    // The parser of conditions takes `.exists` for a test.
    if dashed && name != "exists" { write!(f, ".{name}") } else { write!(f, ".`{name}`") }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.function {
            Some(function) if function.form() == Form::Operator => self.operator(function, f),
            _ => {
                if let Some(target) = &self.target {
                    print_operand(target, 8, f)?;
                    f.write_char('.')?;
                }
                write!(f, "{}(", self.name.text)?;
                print_list(&self.args, f)?;
                f.write_char(')')
            }
        }
    }
}

impl Call {
    fn operator(&self, function: Function, f: &mut Formatter<'_>) -> Result {
        let (name, level) = (function.name(), level(function));
        match (function, self.args.as_slice()) {
            (Function::Conditional, [condition, then, other]) => {
                print_operand(condition, 1, f)?;
                f.write_str(" ? ")?;
                print_operand(then, 1, f)?;
                f.write_str(" : ")?;
                other.fmt(f)
            }
            (Function::Negate, [operand]) if is_plain_number(operand) => write!(f, "-({operand})"),
            (_, [operand]) => {
                f.write_str(name)?;
                print_operand(operand, level, f)
            }
            (_, args) => {
                let joins = matches!(function, Function::And | Function::Or | Function::Coalesce);
                for (at, arg) in args.iter().enumerate() {
                    if at > 0 {
                        write!(f, " {name} ")?;
                    }
                    let is_ambiguous = at == 0 && is_comparison(function) && is_negation(arg);
                    if is_ambiguous || at > 0 && is_like_text(function, args) {
                        write!(f, "({arg})")?;
                    } else {
                        print_operand(arg, level + u8::from(at > 0 || joins), f)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// In a condition, `!x == y` could mean `!(x == y)`.
fn is_negation(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Call(call) if call.function == Some(Function::Not))
}

/// A condition would take the right side for unquoted text.
fn is_like_text(function: Function, args: &[Expr]) -> bool {
    let ([left, right], Function::Equal | Function::NotEqual) = (args, function) else { return false };
    let is_path = matches!(left.kind, Kind::Ident(_) | Kind::Select(_) | Kind::Index(_));
    is_path
        && match &right.kind {
            Kind::Ident(name) => is_root(&name.text) || TYPE_NAMES.contains(&name.text.as_str()),
            // `-"x"` would be text.
            Kind::Call(call) => matches!(call.function, Some(Function::Not | Function::Negate)),
            _ => false,
        }
}

/// A `-` before it would become its sign.
fn is_plain_number(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Literal(Literal::Int(number)) => *number >= 0,
        Kind::Literal(Literal::Double(number)) => number.is_sign_positive(),
        _ => false,
    }
}

impl Display for Comprehension {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        print_operand(&self.range, 8, f)?;
        write!(f, ".{}({}, ", self.name.text, self.variable.text)?;
        if let Some(filter) = &self.filter {
            write!(f, "{filter}, ")?;
        }
        write!(f, "{})", self.body)
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(truth) => truth.fmt(f),
            Self::Int(number) => number.fmt(f),
            Self::Double(number) => print_double(*number, f),
            Self::Text(text) => print_quoted(text, f),
        }
    }
}

/// The decimal point keeps it a double.
fn print_double(number: f64, f: &mut Formatter<'_>) -> Result {
    let text = number_text(number.abs());
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let point = if text.contains('.') { "" } else { ".0" };
    write!(f, "{sign}{text}{point}")
}

fn print_quoted(text: &str, f: &mut Formatter<'_>) -> Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
