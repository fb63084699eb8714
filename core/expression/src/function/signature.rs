//! The signature of a function in the notation of the table: `string.(string, int?) -> list(string)`.

use std::fmt::{Display, Formatter, Result};

/// One way to call a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature<'a> {
    /// The type of the value before the dot, for a method.
    pub receiver: Option<&'a str>,
    /// The types of the arguments.
    pub parameters: Vec<Parameter<'a>>,
    /// The type of the result.
    pub result: &'a str,
}

/// One argument of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// Its type. `var` is a variable that a macro defines, and a single letter is a type variable.
    pub kind: &'a str,
    /// Whether callers may omit it.
    pub optional: bool,
    /// Whether callers may repeat it.
    pub repeated: bool,
}

impl<'a> Signature<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (call, result) = text.split_once(" -> ")?;
        let (receiver, inner) = match call.split_once(".(") {
            Some((receiver, inner)) => (Some(receiver), inner),
            None => (None, call.strip_prefix('(')?),
        };
        let inner = inner.strip_suffix(')')?;
        let parameters =
            inner.split(", ").filter(|part| !part.is_empty()).map(Parameter::parse).collect::<Vec<_>>();
        Some(Self { receiver, parameters, result })
    }

    /// Whether it accepts this number of arguments.
    pub fn accepts(&self, count: usize) -> bool {
        let needed = self.parameters.iter().filter(|it| !it.optional && !it.repeated).count();
        let open = self.parameters.iter().any(|it| it.repeated);
        count >= needed && (open || count <= self.parameters.len())
    }

    /// Returns the parameter for the argument at a position.
    pub fn parameter(&self, position: usize) -> Option<&Parameter<'a>> {
        self.parameters.get(position).or(self.parameters.last().filter(|last| last.repeated))
    }
}

impl<'a> Parameter<'a> {
    fn parse(text: &'a str) -> Self {
        let (text, optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let (kind, repeated) = text.strip_suffix("...").map_or((text, false), |text| (text, true));
        Self { kind, optional, repeated }
    }
}

impl Display for Signature<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(receiver) = self.receiver {
            write!(f, "{receiver}.")?;
        }
        f.write_str("(")?;
        for (at, parameter) in self.parameters.iter().enumerate() {
            let mark = match (parameter.optional, parameter.repeated) {
                (true, _) => "?",
                (_, true) => "...",
                _ => "",
            };
            write!(f, "{}{}{mark}", if at > 0 { ", " } else { "" }, parameter.kind)?;
        }
        write!(f, ") -> {}", self.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_arguments() {
        let split = Signature::parse("string.(string, int?) -> list(string)").unwrap();
        assert_eq!((split.receiver, split.result), (Some("string"), "list(string)"));
        assert_eq!([0, 1, 2, 3].map(|count| split.accepts(count)), [false, true, true, false]);
        let least = Signature::parse("(number, number...) -> number").unwrap();
        assert_eq!([0, 1, 2, 9].map(|count| least.accepts(count)), [false, true, true, true]);
        assert_eq!(least.parameter(5).map(|it| it.kind), Some("number"));
    }
}
