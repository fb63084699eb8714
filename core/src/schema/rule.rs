//! A schema in its compiled form: for every subschema the rules that its keywords mean.
//!
//! Decides nothing. Subschemas know each other by number, so that schemas may refer to themselves.

use serde_json::{Number, Value as Json};
use std::cmp::Ordering;
use std::collections::HashMap;

/// One subschema.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) rules: Vec<Rule>,
    /// The resource it belongs to, which is what `$dynamicRef` goes by.
    pub(super) resource: usize,
    /// The document it stands in.
    pub(super) document: usize,
    /// Where it stands there, as a JSON pointer.
    pub(super) pointer: String,
}

/// What has a name of its own: a document, or a subschema with `$id`.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) uri: String,
    /// The nodes with `$dynamicAnchor`.
    pub(super) dynamic: Vec<(String, usize)>,
    /// Whether its dialect asserts what values are like.
    pub(super) asserts: bool,
    /// Whether it was written for an older draft.
    pub(super) older: bool,
}

/// What one or a few keywords ask.
#[derive(Debug)]
pub(super) enum Rule {
    /// Nothing fits.
    Never,
    /// Kinds, as bits of [`kind`].
    Kinds(u8),
    /// `enum` and `const`.
    Values(&'static str, Vec<Json>),
    /// Of the orders that a number may have to the limit.
    Limit(&'static str, [Ordering; 2], Number),
    Size {
        keyword: &'static str,
        measure: Measure,
        most: bool,
        limit: u64,
    },
    MultipleOf(Number),
    Pattern(String),
    Unique,
    Required(Vec<String>),
    /// Where there is an entry of the first name.
    DependentRequired(String, Vec<String>),
    Reference(usize),
    /// By name among the resources that led here; else this one.
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
    /// Where there is an entry of that name.
    DependentSchema(String, usize),
    Properties(Box<Properties>),
    Names(usize),
    Items {
        prefix: Vec<usize>,
        rest: Option<usize>,
    },
    Contains {
        schema: usize,
        least: u64,
        most: Option<u64>,
    },
    /// Of maps, or of lists.
    Unevaluated {
        map: bool,
        schema: usize,
    },
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) named: HashMap<String, usize>,
    /// Those names in the order of the schema.
    pub(super) names: Vec<String>,
    pub(super) patterns: Vec<(String, usize)>,
    pub(super) rest: Option<usize>,
}

/// What has a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Text,
    List,
    Map,
}

/// The kinds of values, as bits.
pub(super) mod kind {
    /// `type` names them so, and messages so, in the order of the bits.
    pub(in super::super) const NAMES: [(&str, &str); 7] = [
        ("null", "nothing"),
        ("boolean", "true or false"),
        ("integer", "a whole number"),
        ("number", "a number"),
        ("string", "text"),
        ("array", "a list"),
        ("object", "a map"),
    ];
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOL: u8 = 2;
    pub(in super::super) const WHOLE: u8 = 4;
    pub(in super::super) const NUMBER: u8 = 8;
    pub(in super::super) const TEXT: u8 = 16;
    pub(in super::super) const LIST: u8 = 32;
    pub(in super::super) const MAP: u8 = 64;
}
