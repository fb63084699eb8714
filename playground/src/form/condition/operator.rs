//! Operators of rows, and the values that they suit.

/// A row's operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `==`
    Equals,
    /// `!=`
    NotEquals,
    /// `.contains:`
    Contains,
    /// `!(… .contains:)`
    NotContains,
    /// `.exists`
    Exists,
    /// `!(….exists)`
    Missing,
    /// A true or false value.
    IsTrue,
    /// `!`
    IsFalse,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `in`
    In,
    /// `.startsWith(…)`
    StartsWith,
    /// `.endsWith(…)`
    EndsWith,
    /// `.matches(…)`
    Matches,
    /// `size(…) ==`
    SizeEquals,
    /// `size(…) <`
    SizeLess,
    /// `size(…) <=`
    SizeAtMost,
    /// `size(…) >`
    SizeGreater,
    /// `size(…) >=`
    SizeAtLeast,
    /// Any other text.
    Expression,
}

/// Possible value kinds. An unknown value has none.
#[expect(clippy::struct_excessive_bools, reason = "a value may be any of them, and several at once")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Text.
    pub is_text: bool,
    /// A number.
    pub is_number: bool,
    /// A boolean.
    pub is_boolean: bool,
    /// List or map.
    pub is_collection: bool,
}

impl Shape {
    /// Converts JSON Schema types.
    pub fn of_types<'t>(types: impl IntoIterator<Item = &'t str>) -> Self {
        let mut shape = Self::default();
        for name in types {
            match name {
                "string" => shape.is_text = true,
                "number" | "integer" => shape.is_number = true,
                "boolean" => shape.is_boolean = true,
                "array" | "object" => shape.is_collection = true,
                _ => {}
            }
        }
        shape
    }

    fn is_unknown(self) -> bool {
        self == Self::default()
    }
}

impl Operator {
    /// In list order.
    pub const ALL: [Self; 22] = [
        Self::Equals,
        Self::NotEquals,
        Self::Less,
        Self::AtMost,
        Self::Greater,
        Self::AtLeast,
        Self::Contains,
        Self::NotContains,
        Self::In,
        Self::StartsWith,
        Self::EndsWith,
        Self::Matches,
        Self::Exists,
        Self::Missing,
        Self::IsTrue,
        Self::IsFalse,
        Self::SizeEquals,
        Self::SizeLess,
        Self::SizeAtMost,
        Self::SizeGreater,
        Self::SizeAtLeast,
        Self::Expression,
    ];

    /// Has a right operand.
    pub fn has_operand(self) -> bool {
        !matches!(self, Self::Exists | Self::Missing | Self::IsTrue | Self::IsFalse | Self::Expression)
    }

    /// Compares with numbers only.
    pub fn needs_number(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::Greater | Self::AtLeast) || self.is_size()
    }

    /// Compares sizes.
    pub fn is_size(self) -> bool {
        matches!(
            self,
            Self::SizeEquals | Self::SizeLess | Self::SizeAtMost | Self::SizeGreater | Self::SizeAtLeast
        )
    }

    /// Unknown values suit all operators.
    pub fn suits(self, shape: Shape) -> bool {
        match self {
            _ if shape.is_unknown() => true,
            Self::Less | Self::AtMost | Self::Greater | Self::AtLeast => shape.is_number || shape.is_text,
            Self::Contains | Self::NotContains => shape.is_text || shape.is_collection,
            Self::StartsWith | Self::EndsWith | Self::Matches => shape.is_text,
            Self::IsTrue | Self::IsFalse => shape.is_boolean,
            _ if self.is_size() => shape.is_text || shape.is_collection,
            Self::In => shape.is_text || shape.is_number,
            _ => true,
        }
    }

    /// Name in lists. Comparisons use their sign.
    pub fn id(self) -> &'static str {
        match self {
            Self::Equals => "==",
            Self::NotEquals => "!=",
            Self::Contains => "contains",
            Self::NotContains => "lacks",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Exists => "exists",
            Self::Missing => "missing",
            Self::IsTrue => "true",
            Self::IsFalse => "false",
            Self::In => "in",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Matches => "matches",
            Self::SizeEquals => "size ==",
            Self::SizeLess => "size <",
            Self::SizeAtMost => "size <=",
            Self::SizeGreater => "size >",
            Self::SizeAtLeast => "size >=",
            Self::Expression => "expression",
        }
    }

    /// Parses an id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.id() == id)
    }
}
