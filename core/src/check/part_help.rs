//! Says what to write for a position in a text, a field of a list's elements, and a function without its parentheses.

use super::known_value::KnownValue;
use crate::diagnostic::shorten_name;
use crate::expression::Reference;
use crate::value::Segment;

/// `at` is the segment that does not exist.
#[inline(never)]
pub(super) fn part_help(reference: &Reference, at: usize, known_value: &KnownValue<'_>) -> Option<String> {
    let path = reference.path.get(..at)?;
    let kind = known_value.possible_values(path)?.describe();
    let before = Reference { root: reference.root.clone(), path: path.to_vec() }.to_string();
    let before = shorten_name(&before);
    match (reference.path.get(at)?, kind.as_str()) {
        (Segment::Index(position), "text") => Some(format!("write `{before}.charAt({position})`")),
        (Segment::Key(key), _) if is_method(key) => Some(format!("write `{before}.{key}()`")),
        (Segment::Key(key), "a list") if key == "first" => Some(format!("write `{before}[0]`")),
        (Segment::Key(key), "a list") if key == "last" => {
            Some(format!("write `{before}[size({before}) - 1]`"))
        }
        (Segment::Key(key), "a list") => {
            let key = shorten_name(key);
            Some(format!("write `{before}[0].{key}`, or `{before}.map(x, x.{key})` for each element"))
        }
        _ => None,
    }
}

/// Functions that need no argument.
fn is_method(name: &str) -> bool {
    const METHODS: [&str; 8] =
        ["flatten", "lowerAscii", "reverse", "sort", "sum", "trim", "upperAscii", "distinct"];
    METHODS.contains(&name)
}
