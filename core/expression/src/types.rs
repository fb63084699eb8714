//! Static types of expressions. A value that may be missing has the type of the present value.

mod schema;

use crate::base::Segment;
use crate::check::Domain;
use std::fmt::{Display, Formatter};
use std::rc::Rc;

/// Larger unions become [`Type::Dyn`].
const MAX_UNION: usize = 4;

/// Larger types become [`Type::Dyn`].
const MAX_PARTS: usize = 1_000;

/// A value's type.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Type {
    /// Any value.
    #[default]
    Dyn,
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// Whole number of the expression.
    Int,
    /// Has a point.
    Double,
    /// A number of the data, a double in arithmetic.
    Number,
    /// Text.
    String,
    /// A list.
    List(Rc<Type>),
    /// A map.
    Map(Rc<Type>),
    /// Has known fields.
    Object(Rc<Object>),
    /// A point in time.
    Timestamp,
    /// A time span.
    Duration,
    /// The type of a value.
    Type,
    /// Several types.
    Union(Rc<[Type]>),
}

/// Known fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// In order.
    pub fields: Vec<Field>,
    /// Allows other fields.
    pub open: bool,
    /// Declares no other fields, even if it allows them, so that other names are mistakes.
    pub is_complete: bool,
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Always present.
    pub required: bool,
}

/// Root types.
pub trait Types {
    /// `None` if unknown.
    fn root(&self, name: &str) -> Option<Type>;

    /// Whether the check looks for contradictions and unguarded values, which are no errors.
    fn wants_warnings(&self) -> bool {
        true
    }

    /// Whether a test of `null` removes it from types.
    fn narrows(&self) -> bool {
        true
    }

    /// Whether some values are limited. If not, comparisons need no look at them.
    fn has_values(&self) -> bool {
        false
    }

    /// The values along a path, `None` if they are not limited.
    fn values(&self, _root: &str, _path: &[Segment]) -> Option<Domain> {
        None
    }
}

impl Types for [(&str, Type)] {
    fn root(&self, name: &str) -> Option<Type> {
        self.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone())
    }
}

impl Type {
    /// A list type.
    pub fn list(element: Type) -> Self {
        Self::List(Rc::new(element))
    }

    /// Exactly these fields.
    pub fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Type)>) -> Self {
        let field = |(name, kind): (&str, Type)| Field { name: name.to_owned(), kind, required: true };
        let fields = fields.into_iter().map(field).collect();
        Self::Object(Rc::new(Object { fields, ..Object::default() }))
    }

    /// The union of two types.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let mut members: Vec<Self> = Vec::new();
        for member in self.members().iter().chain(other.members()) {
            if *member == Self::Dyn {
                return Self::Dyn;
            }
            if members.contains(member) {
                continue;
            }
            match members.iter_mut().find(|known| known.is_number() && member.is_number()) {
                Some(known) => *known = Self::Number,
                None => members.push(member.clone()),
            }
        }
        match members.len() {
            0 => Self::Dyn,
            1 => members.swap_remove(0),
            2..=MAX_UNION => Self::Union(members.into()),
            _ => Self::Dyn,
        }
    }

    /// A value has one of them.
    pub fn one_of(types: impl IntoIterator<Item = Self>) -> Self {
        types.into_iter().reduce(|all, next| all.or(&next)).unwrap_or_default()
    }

    pub(crate) fn join(self, found: Option<Self>) -> Self {
        match found {
            Some(found) => found.or(&self),
            None => self,
        }
    }

    /// A union's members, or itself.
    pub fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether a value may be `null`, among others.
    pub(crate) fn may_be_null(&self) -> bool {
        matches!(self, Self::Union(members) if members.contains(&Self::Null))
    }

    /// Removes `null`.
    #[must_use]
    pub fn without_null(&self) -> Self {
        let mut rest = self.members().iter().filter(|member| **member != Self::Null).cloned();
        match rest.next() {
            Some(first) => rest.fold(first, |all, member| all.or(&member)),
            None => Self::Dyn,
        }
    }

    /// Becomes [`Type::Dyn`] if too large: a repeated part can make the size grow exponentially.
    #[must_use]
    pub(crate) fn limited(self) -> Self {
        let mut left = MAX_PARTS;
        if self.fits(&mut left) { self } else { Self::Dyn }
    }

    fn fits(&self, left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        match self {
            Self::List(inner) | Self::Map(inner) => inner.fits(left),
            Self::Object(object) => object.fields.iter().all(|field| field.kind.fits(left)),
            Self::Union(members) => members.iter().all(|member| member.fits(left)),
            _ => true,
        }
    }

    /// Any number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::Double | Self::Number)
    }

    /// Whether `sort` may compare values of this type.
    pub fn is_sortable(&self) -> bool {
        let sortable = [Self::Number, Self::String, Self::Bool, Self::Timestamp, Self::Duration];
        sortable.iter().any(|kind| kind.overlaps(self))
    }

    /// In words.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Dyn => "any value",
            Self::Null => "null",
            Self::Bool => "a truth value",
            Self::Int | Self::Double | Self::Number => "a number",
            Self::String => "text",
            Self::List(_) => "a list",
            Self::Map(_) | Self::Object(_) => "a map",
            Self::Timestamp => "a timestamp",
            Self::Duration => "a duration",
            Self::Type => "a type",
            Self::Union(members) => {
                members.iter().find(|member| **member != Self::Null).map_or("any value", Self::describe)
            }
        }
    }

    /// Whether some value could have both types.
    pub fn overlaps(&self, other: &Self) -> bool {
        let pair = |a: &Self, b: &Self| *a == Self::Dyn || *b == Self::Dyn || a.describe() == b.describe();
        self.members().iter().any(|a| other.members().iter().any(|b| pair(a, b)))
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Double => f.write_str("double"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(value) => write!(f, "map({value})"),
            Self::Object(object) => object.fmt(f),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::Type => f.write_str("type"),
            Self::Union(members) => {
                for (at, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", if at > 0 { " or " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Object {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for (at, field) in self.fields.iter().enumerate() {
            let (comma, mark) = (if at > 0 { ", " } else { "" }, if field.required { "" } else { "?" });
            write!(f, "{comma}{}{mark}: {}", field.name, field.kind)?;
        }
        if self.open {
            f.write_str(if self.fields.is_empty() { "…" } else { ", …" })?;
        }
        f.write_str("}")
    }
}
