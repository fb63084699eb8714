//! Parses, checks and evaluates the expressions of a plan: references, conditions, templates, and the Common Expression Language
//! (CEL) over JSON values.
//!
//! Knows no plans, nodes or runs. The caller names the roots, such as `last`, and supplies their values.
//!
//! - [`parse`]: text to a syntax tree
//! - [`ast`]: the tree
//! - [`function`]: the table of operators, functions and macros
//! - [`program`]: the compiled form
//! - [`evaluate`]: the value of a program
//! - [`host_value`]: access to values of the host
//! - [`types`] and [`check`]: types before the run
//! - [`json`]: shortcuts for JSON
//! - [`error`]: codes and errors
//!
//! Invariants:
//! 1. Parsing takes linear time and never panics. The depth of a tree is limited, and therefore recursion too.
//! 2. Evaluation is pure, reads no clock, and ends within its [`Limits`].
//! 3. The printed form of a tree parses to the same tree.
//!
//! Source: <https://github.com/google/cel-spec>, v0.25.1. `docs/expressions.md` lists each difference.

pub mod ast;
mod base;
pub mod check;
pub mod computed;
pub mod condition;
mod cursor;
pub mod error;
pub mod evaluate;
pub mod function;
pub mod host;
pub mod host_value;
pub mod json;
mod lexer;
pub mod literal;
mod memory;
mod parser;
mod pattern;
mod print;
pub mod program;
pub mod reference;
pub mod template;
mod time;
pub mod types;
mod value;

pub use ast::Ast;
pub use base::{Code, ROOTS, Span, TextEdit, is_key_char, is_root};
pub use check::{Checked, Purpose, check};
pub use computed::{Computed, ReferenceUse};
pub use condition::{Atom, Condition, Logic, Predicate};

pub use error::Error;
pub use evaluate::{Limits, Outcome};
pub use function::Function;
pub use host::{Host, JsonHost, Node};
pub use host_value::Value;
pub use json::{check_expression, evaluate};
pub use literal::Literal;
pub use memory::Memory;
pub use parser::{Parsed, Syntax, parse};
pub use program::{Names, Program};
pub use reference::{Reference, Root};
pub use template::{Template, TemplatePart};
pub use time::timestamp_ms;
pub use types::{Type, Types};
