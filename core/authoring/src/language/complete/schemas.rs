//! JSON Schema keywords for inputs and answer schemas.

use crate::language::plan_format::{EnumValue, KeyNames, ValueSpec};
use crate::language::syntax_tree::PathStep;

const SCHEMAS: ValueSpec = ValueSpec::Named(KeyNames::Declared, &ValueSpec::Schema);

pub(super) const KEYWORDS: &[(&str, ValueSpec, &str)] = &[
    ("type", ValueSpec::Enum(TYPES), "What kind of value it is."),
    ("description", ValueSpec::Prose, "What it is, for people and models."),
    ("properties", SCHEMAS, "The entries of a map, each with a schema."),
    ("required", ValueSpec::List(&ValueSpec::Text), "The entries that must be there."),
    ("items", ValueSpec::Schema, "What the elements of a list are."),
    ("enum", ValueSpec::List(&ValueSpec::Any), "The allowed values."),
    ("default", ValueSpec::Any, "The value that is used if none is present."),
    ("const", ValueSpec::Any, "The only allowed value."),
    ("minimum", ValueSpec::Number { min: 0, max: None, integer: false }, "The least number."),
    ("maximum", ValueSpec::Number { min: 0, max: None, integer: false }, "The largest number."),
    ("minLength", ValueSpec::Number { min: 0, max: None, integer: true }, "The fewest characters of a text."),
    ("maxLength", ValueSpec::Number { min: 0, max: None, integer: true }, "The most characters of a text."),
    ("minItems", ValueSpec::Number { min: 0, max: None, integer: true }, "The fewest elements of a list."),
    ("maxItems", ValueSpec::Number { min: 0, max: None, integer: true }, "The most elements of a list."),
    ("pattern", ValueSpec::Text, "A regular expression that some part of a text must match."),
    ("format", ValueSpec::Enum(FORMATS), "The format of a text. An annotation: it is not validated."),
    ("additionalProperties", ValueSpec::Any, "What other entries of a map must be; `false` for none."),
    ("title", ValueSpec::Prose, "A short name."),
    ("examples", ValueSpec::List(&ValueSpec::Any), "Examples of values."),
    ("anyOf", ValueSpec::List(&ValueSpec::Schema), "Schemas of which one at least must fit."),
    ("oneOf", ValueSpec::List(&ValueSpec::Schema), "Schemas of which exactly one must fit."),
    ("allOf", ValueSpec::List(&ValueSpec::Schema), "Schemas that all must fit."),
];

pub(super) const TYPES: &[EnumValue] = &[
    ("string", "Text."),
    ("number", "A number."),
    ("integer", "A whole number."),
    ("boolean", "`true` or `false`."),
    ("object", "A map."),
    ("array", "A list."),
    ("null", "Nothing."),
];

pub(super) const FORMATS: &[EnumValue] = &[
    ("date-time", "A moment, as in `2026-01-31T12:00:00Z`."),
    ("date", "A day, as in `2026-01-31`."),
    ("time", "A time of the day."),
    ("duration", "How long, as in `P1DT2H`."),
    ("email", "An address of mail."),
    ("hostname", "The name of a machine."),
    ("ipv4", "An address of the internet."),
    ("ipv6", "An address of the internet."),
    ("uri", "An address with a scheme."),
    ("uuid", "A UUID."),
    ("regex", "A regular expression."),
];

/// The map's keys are free names. The last `inside` steps of the path are in the schema.
pub(super) fn names_are_free(path: &[PathStep<'_>], inside: usize) -> bool {
    let rest = path.get(path.len().saturating_sub(inside)..).unwrap_or_default();
    let holds = |key: &str| matches!(key, "properties" | "$defs" | "patternProperties" | "dependentSchemas");
    // Inside `properties`, an entry named `properties` is a schema again.
    rest.iter().fold(false, |free, step| !free && matches!(step, PathStep::Key(key) if holds(key)))
}

pub(super) fn value(path: &[PathStep<'_>], inside: usize) -> Option<ValueSpec> {
    let before = path.get(..path.len().checked_sub(1)?)?;
    if inside == 0 || names_are_free(before, inside - 1) {
        return None;
    }
    let Some(PathStep::Key(key)) = path.last() else { return None };
    KEYWORDS.iter().find(|(keyword, ..)| keyword == key).map(|(_, spec, _)| *spec)
}
