//! A value during evaluation. Lists and maps of the host stay there.

use crate::arena::ExpressionArena;
use crate::base::{Path, TextView, View};
use crate::error::Error;
use crate::program::Program;
use crate::time::Timestamp;
use crate::value_source::{ValueId, ValueSource};
use std::borrow::Cow;

/// Borrows from the data, program or arena.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Val<'a> {
    Missing,
    Null,
    Bool(bool),
    Int(i64),
    /// Always finite.
    Double(f64),
    Text(Text<'a>),
    RemoteList(ValueId),
    RemoteMap(ValueId),
    /// Created by the expression.
    List(&'a [Val<'a>]),
    /// Created by the expression: alternating keys and values.
    Map(&'a [Val<'a>]),
    Timestamp(Timestamp),
    /// In nanoseconds.
    Duration(i64),
    Type(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Text<'a> {
    Inline(&'a str),
    /// A literal and its number.
    Literal(&'a str, u32),
    /// Also holds the number of the equal literal, or [`NO_LITERAL`].
    Remote(ValueId, &'a Path, u32),
}

/// Equals no literal.
pub(crate) const NO_LITERAL: u32 = u32::MAX;

/// Boxed, as errors are rare and large.
pub(crate) type Fallible<T> = Result<T, Box<Error>>;

impl<'a> Text<'a> {
    /// Returns the text, read from the host only if it equals no literal.
    pub(crate) fn read(
        self,
        program: &'a Program,
        host: &'a dyn ValueSource,
        arena: &'a ExpressionArena<'a>,
    ) -> &'a str {
        match self {
            Self::Inline(text) | Self::Literal(text, _) => text,
            Self::Remote(id, path, literal) => {
                match program.literal(literal).filter(|_| literal != NO_LITERAL) {
                    Some(text) => text,
                    None => match host.text(id, path) {
                        Some(Cow::Borrowed(text)) => text,
                        Some(Cow::Owned(text)) => arena.text(text),
                        None => "",
                    },
                }
            }
        }
    }
}

impl<'a> Val<'a> {
    pub(crate) fn count(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    pub(crate) fn of(host: &'a dyn ValueSource, id: ValueId, path: &'a Path) -> Self {
        match host.view(id, path) {
            View::Missing => Self::Missing,
            View::Null => Self::Null,
            View::Bool(truth) => Self::Bool(truth),
            View::Number(number) => Self::Double(number),
            View::Text(TextView::Inline(text)) => Self::Text(Text::Inline(text)),
            View::Text(TextView::Literal(number)) => Self::Text(Text::Remote(id, path, number)),
            View::Text(TextView::Remote) => Self::Text(Text::Remote(id, path, NO_LITERAL)),
            View::List => host.child(id, path).map_or(Self::Missing, Self::RemoteList),
            View::Map => host.child(id, path).map_or(Self::Missing, Self::RemoteMap),
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    pub(crate) fn is_time(&self) -> bool {
        matches!(self, Self::Timestamp(_) | Self::Duration(_))
    }

    /// For messages.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Missing => "a missing value",
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Double(_) => "a number",
            Self::Text(_) => "text",
            Self::RemoteList(_) | Self::List(_) => "a list",
            Self::RemoteMap(_) | Self::Map(_) => "a map",
            Self::Timestamp(_) => "a timestamp",
            Self::Duration(_) => "a duration",
            Self::Type(_) => "a type",
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::RemoteList(_) | Self::List(_) => "list",
            Self::RemoteMap(_) | Self::Map(_) => "map",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fallible, Text, Val};

    #[test]
    fn values_are_small() {
        assert_eq!(size_of::<Text<'_>>(), 24);
        assert_eq!(size_of::<Val<'_>>(), 24);
        assert_eq!(size_of::<Fallible<Val<'_>>>(), 24);
    }
}
