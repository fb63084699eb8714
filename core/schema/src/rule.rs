//! Compiled rules of every subschema.
//!
//! Subschemas refer to each other by number, so schemas can be recursive.

use super::decimal::is_whole;
use serde_json::Value as Json;
use std::collections::HashMap;

#[derive(Debug)]
pub(super) struct Subschema {
    pub(super) rules: Vec<Rule>,
    /// For `$dynamicRef`.
    pub(super) resource: usize,
    pub(super) document: usize,
    /// JSON pointer.
    pub(super) pointer: String,
}

/// A document, or a subschema with `$id`.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) uri: String,
    /// Nodes with `$dynamicAnchor`.
    pub(super) dynamic: Vec<(String, usize)>,
    /// Whether the dialect has the validation vocabulary.
    pub(super) asserts: bool,
    /// Whether the dialect is older.
    pub(super) older: bool,
}

/// One or a few keywords.
#[derive(Debug)]
pub(super) enum Rule {
    Never,
    /// Null is valid despite later rules.
    OrNull,
    /// Bits of [`types`].
    Types(u8),
    /// Has no subschemas. The operand has a valid form.
    Assert(Assertion, Json),
    /// Required if the named entry exists.
    DependentRequired(String, Json),
    Reference(usize),
    /// The node applies if the scope lacks the anchor.
    Dynamic(String, usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    One(Vec<usize>),
    Not(usize),
    If {
        condition: usize,
        then: Option<usize>,
        otherwise: Option<usize>,
    },
    /// Applies if the named entry exists.
    DependentSchema(String, usize),
    Properties(Box<Properties>),
    Names(usize),
    Items {
        prefix: Vec<usize>,
        rest: Option<usize>,
    },
    Contains {
        schema: usize,
        min: u64,
        max: Option<u64>,
    },
    /// Children that no rule evaluated.
    Unevaluated {
        map: bool,
        schema: usize,
    },
}

#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) named: HashMap<String, usize>,
    /// Keys of `named` in schema order.
    pub(super) names: Vec<String>,
    pub(super) patterns: Vec<(String, usize)>,
    pub(super) additional: Option<usize>,
}

/// In the order of [`ASSERTIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    Const,
    Enum,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
    MultipleOf,
    Pattern,
    UniqueItems,
    Required,
    /// The lenient `enum`: an option or a list of options, also as text.
    AnyForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Any,
    List,
    Number,
    Positive,
    Count,
    Text,
    Bool,
    Names,
}

/// Keywords and their forms.
pub(super) const ASSERTIONS: [(&str, Assertion, Form); 17] = [
    ("const", Assertion::Const, Form::Any),
    ("enum", Assertion::Enum, Form::List),
    ("minimum", Assertion::Minimum, Form::Number),
    ("maximum", Assertion::Maximum, Form::Number),
    ("exclusiveMinimum", Assertion::ExclusiveMinimum, Form::Number),
    ("exclusiveMaximum", Assertion::ExclusiveMaximum, Form::Number),
    ("minLength", Assertion::MinLength, Form::Count),
    ("maxLength", Assertion::MaxLength, Form::Count),
    ("minItems", Assertion::MinItems, Form::Count),
    ("maxItems", Assertion::MaxItems, Form::Count),
    ("minProperties", Assertion::MinProperties, Form::Count),
    ("maxProperties", Assertion::MaxProperties, Form::Count),
    ("multipleOf", Assertion::MultipleOf, Form::Positive),
    ("pattern", Assertion::Pattern, Form::Text),
    ("uniqueItems", Assertion::UniqueItems, Form::Bool),
    ("required", Assertion::Required, Form::Names),
    ("enum", Assertion::AnyForm, Form::List),
];

impl Assertion {
    pub(super) fn measure(self) -> Option<Measure> {
        match self {
            Self::MinLength | Self::MaxLength => Some(Measure::Text),
            Self::MinItems | Self::MaxItems => Some(Measure::List),
            Self::MinProperties | Self::MaxProperties => Some(Measure::Map),
            _ => None,
        }
    }

    pub(super) fn is_upper_bound(self) -> bool {
        matches!(
            self,
            Self::Maximum | Self::ExclusiveMaximum | Self::MaxLength | Self::MaxItems | Self::MaxProperties
        )
    }
}

impl Form {
    pub(super) fn has(self, value: &Json) -> bool {
        match self {
            Self::Any => true,
            Self::List => value.is_array(),
            Self::Number => value.is_number(),
            Self::Positive => value.as_f64() > Some(0.0),
            Self::Count => matches!(value, Json::Number(n) if is_whole(n) && n.as_f64() >= Some(0.0)),
            Self::Text => value.is_string(),
            Self::Bool => value.is_boolean(),
            Self::Names => value.as_array().is_some_and(|names| names.iter().all(Json::is_string)),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::List => "a list",
            Self::Number => "a number",
            Self::Positive => "a number above 0",
            Self::Count => "a whole number from 0 up",
            Self::Text => "text",
            Self::Bool => "`true` or `false`",
            Self::Names => "a list of names",
        }
    }
}

/// Accepts `2.0`. Large counts saturate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and not below 0; the cast saturates"
)]
pub(super) fn count(value: &Json) -> u64 {
    value.as_u64().unwrap_or_else(|| value.as_f64().map_or(0, |number| number as u64))
}

pub(super) fn names(value: &Json) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Json::as_str)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Text,
    List,
    Map,
}

pub(super) mod types {
    /// Names in `type` and in messages, in bit order.
    pub(in super::super) const NAMES: [(&str, &str); 7] = [
        ("null", "nothing"),
        ("boolean", "true or false"),
        ("integer", "a whole number"),
        ("number", "a number"),
        ("string", "text"),
        ("array", "a list"),
        ("object", "a map"),
    ];
    /// Of one type.
    pub(in super::super) fn name_of(kind: u8) -> Option<&'static str> {
        NAMES.iter().enumerate().find(|(bit, _)| 1 << bit == kind).map(|(_, (name, _))| *name)
    }

    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOL: u8 = 2;
    pub(in super::super) const WHOLE: u8 = 4;
    pub(in super::super) const NUMBER: u8 = 8;
    pub(in super::super) const TEXT: u8 = 16;
    pub(in super::super) const LIST: u8 = 32;
    pub(in super::super) const MAP: u8 = 64;
}
