//! Parses, checks and evaluates expressions.
//!
#![doc = include_str!("../README.md")]

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
pub use check::{Checked, Domain, Purpose, check};
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
pub use time::{duration_ms, timestamp_ms};
pub use types::{Type, Types};
pub use value_source::{JsonSource, TextTest, ValueId, ValueSource};
