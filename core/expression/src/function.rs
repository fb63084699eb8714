//! Operators, functions and macros as one table for parser, checker, evaluator, completion and docs.

mod foreign;
mod signature;
mod table;

pub use foreign::{
    foreign_constant, foreign_macro, foreign_name, foreign_reference, foreign_root, missing_function,
};
pub use signature::{Parameter, Signature};
pub use table::Function;

use crate::base::closest_name;

/// A row's notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An operator: between, before or around its operands.
    Operator,
    /// `name(arguments)` or `target.name(arguments)`.
    Function,
    /// At least one argument is not evaluated as a value.
    Macro,
}

/// A row's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Docs {
    /// Its effect.
    pub summary: &'static str,
    /// Uses [`EXAMPLE_SCOPE`].
    pub example: &'static str,
    /// As JSON, or `missing`.
    pub result: &'static str,
}

/// JSON for examples.
pub const EXAMPLE_SCOPE: &str = r#"{"last": {"title": "Green tea", "count": 3, "tags": ["hot", "green"],
 "items": [{"name": "tea", "price": 4}, {"name": "cup", "price": 12}], "note": null}}"#;

impl Function {
    /// Its signatures.
    pub fn signatures(self) -> impl Iterator<Item = Signature<'static>> {
        self.signature_text().split("; ").filter_map(Signature::parse)
    }

    /// Looks up a name.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("math.").filter(|name| MATH.contains(name)).unwrap_or(name);
        Self::functions().find(|function| function.name() == name)
    }

    /// Excludes operators.
    pub fn functions() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|function| function.form() != Form::Operator)
    }

    /// Whether it visits a list with a variable.
    pub fn is_comprehension(self) -> bool {
        self.form() == Form::Macro && self != Self::Has
    }

    /// Types before the dot.
    pub fn receivers(self) -> impl Iterator<Item = &'static str> {
        self.signatures().filter_map(|signature| signature.receiver)
    }

    /// The operator with its sides exchanged: `>` for `<`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            other => other,
        }
    }

    /// Whether it has a method (`true`) or plain signature.
    pub fn has_form(self, method: bool) -> bool {
        self.signatures().any(|signature| signature.receiver.is_some() == method)
    }
}

/// CEL names them `math.abs` and so on. Both names work.
const MATH: [&str; 4] = ["abs", "ceil", "floor", "round"];

/// The closest existing name.
pub fn suggest(wrong: &str) -> Option<&'static str> {
    closest_name(wrong, Function::functions().map(Function::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_can_be_read() {
        for function in Function::ALL {
            let (name, docs) = (function.name(), function.docs());
            assert_eq!(
                function.signatures().count(),
                function.signature_text().split("; ").count(),
                "{name}"
            );
            assert!(docs.summary.ends_with('.') && !docs.example.is_empty(), "{name}");
        }
    }

    #[test]
    fn names_are_found() {
        assert_eq!(Function::named("size"), Some(Function::Size));
        assert_eq!(Function::named("math.abs"), Some(Function::Abs));
        assert_eq!(Function::named("math.size"), None);
        assert_eq!(Function::named("=="), None);
        assert_eq!(suggest("startswith"), Some("startsWith"));
    }
}
