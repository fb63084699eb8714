//! A signature in table notation: `string.(string, int?) -> list(string)`.

use std::fmt::{Display, Formatter, Result};

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature<'a> {
    /// Before a method's dot.
    pub receiver: Option<&'a str>,
    /// Argument types.
    pub parameters: Vec<Parameter<'a>>,
    /// Result type.
    pub result: &'a str,
}

/// One argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// `var` is a macro's variable, a single letter a type variable.
    pub kind: &'a str,
    /// May be omitted.
    pub optional: bool,
    /// May be repeated.
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

    /// Whether the count fits.
    pub fn accepts(&self, count: usize) -> bool {
        let needed = self.parameters.iter().filter(|it| !it.optional && !it.repeated).count();
        let open = self.parameters.iter().any(|it| it.repeated);
        count >= needed && (open || count <= self.parameters.len())
    }

    /// The argument's parameter.
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
