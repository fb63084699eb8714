//! Parses, checks and evaluates the expressions of a plan: references, conditions, templates, and the Common Expression
//! Language (CEL) over JSON values.
//!
//! The parser, the checker and the evaluator know no plans. The caller names the roots, such as `last`, and supplies
//! their values. The modules `reference`, `condition` and `template` know the roots of plans.
//!
//! In reading order:
//! - [`mod@reference`]: a root and a path, such as `last.items[0]`
//! - [`mod@literal`]: the right side of a comparison
//! - [`mod@condition`]: the condition of an edge
//! - [`mod@template`]: text with placeholders, such as `${last.name}`
//! - [`mod@computed`]: an expression of a plan, with its references
//! - [`mod@ast`]: the syntax tree of an expression, which [`parse`] returns
//! - [`mod@function`]: the table of operators, functions and macros
//! - [`mod@types`]: static types
//! - [`mod@check`]: type errors before a run
//! - [`mod@program`]: the compiled form
//! - [`mod@evaluate`]: the value of a program
//! - [`mod@host`]: the values of a host, as the evaluator sees them
//! - [`mod@host_value`]: the values of a host, as the engine sees them
//! - [`mod@json`]: shortcuts for JSON
//! - [`mod@error`]: codes and errors
//!
//! Invariants:
//! 1. Parsing takes linear time and never panics. The limited depth of a tree also limits recursion.
//! 2. Evaluation is pure, reads no clock, and ends within its [`Limits`].
//! 3. The printed form of a tree parses to the same tree.
//!
//! Source: <https://github.com/google/cel-spec>, v0.25.1. `docs/expressions.md` lists each difference.

mod arena;
pub mod ast;
mod base;
pub mod check;
pub mod computed;
pub mod condition;
mod cursor;
pub mod error;
pub mod evaluate;
pub mod function;
pub mod host_value;
pub mod json;
mod lexer;
pub mod literal;
mod parser;
mod pattern;
mod print;
pub mod program;
pub mod reference;
pub mod template;
mod time;
pub mod types;
mod value;
pub mod value_source;

pub use ast::Ast;
pub use base::{Code, ROOTS, Span, TextEdit, is_key_char, is_root};
pub use check::{Checked, Purpose, check};
pub use computed::{Computed, ReferenceUse};
pub use condition::{Atom, Condition, Logic, Predicate};

pub use arena::ExpressionArena;
pub use error::Error;
pub use evaluate::{Limits, Outcome};
pub use function::Function;
pub use host_value::Value;
pub use json::{check_expression, evaluate};
pub use literal::Literal;
pub use parser::{Parsed, Syntax, parse};
pub use program::{Names, Program};
pub use reference::{Reference, Root};
pub use template::{Template, TemplatePart};
pub use time::timestamp_ms;
pub use types::{Type, Types};
pub use value_source::{JsonSource, TextTest, ValueId, ValueSource};
