//! Filling the holes of a node's input and settings.
//!
//! Decides what a hole becomes: alone in its string it keeps the type of its value; within text, strings stand as they
//! are, null stands for nothing and everything else is written as JSON. Before `??` null is as good as missing, as in
//! JavaScript. A value that is not there, without `??`, fails the node and says what was available.

use super::program::{Fill, Look, Piece};
use super::run::fits;
use crate::failure::Failure;
use crate::list::List;
use crate::value::{Path, Value, View, json_text, number_text, plain_text};
use serde_json::Value as Json;

/// What the holes are filled from.
pub(super) trait Scope<V: Value> {
    /// Where new values live.
    fn space(&self) -> &V::Space;
    /// The value at which a reference begins.
    fn root(&self, look: Look) -> Option<&V>;
    /// The way from there.
    fn path(&self, look: Look) -> &Path;
    /// The references that would have found something, for the message.
    fn available(&self) -> String;
}

/// The value with its holes filled.
pub(super) fn fill<V: Value>(fill: &Fill<V>, scope: &impl Scope<V>) -> Result<V, Failure> {
    within(fill, scope, &mut 0.0)
}

/// The same; `made` is how many bytes of text the templates beside it have made.
fn within<V: Value>(fill: &Fill<V>, scope: &impl Scope<V>, made: &mut f64) -> Result<V, Failure> {
    match fill {
        Fill::Constant(value) => Ok(value.clone()),
        Fill::Template(pieces) => match pieces.as_slice() {
            [Piece::Hole { choices, fallback }] => alone(choices, fallback.as_ref(), scope),
            pieces => text(pieces, scope, made),
        },
        Fill::List(items) => {
            let items: Result<_, _> = items.iter().map(|item| within(item, scope, made)).collect();
            Ok(V::list(scope.space(), items?))
        }
        Fill::Map(entries) => {
            let mut filled = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                filled.push((key.clone(), within(value, scope, made)?));
            }
            Ok(V::map(scope.space(), filled))
        }
    }
}

type Choices = [(Look, String)];

/// What the hole takes: the first choice that gives something, or the last, whatever that gives, where nothing stands in.
fn taken<'s, V: Value, S: Scope<V>>(
    choices: &Choices,
    stands_in: bool,
    scope: &'s S,
) -> Option<(&'s V, &'s Path)> {
    choices.iter().enumerate().find_map(|(at, (look, _))| {
        let (root, path) = (scope.root(*look)?, scope.path(*look));
        let is_last = at + 1 == choices.len() && !stands_in;
        (is_last || !matches!(root.view(path), View::Missing | View::Null)).then_some((root, path))
    })
}

fn alone<V: Value>(choices: &Choices, fallback: Option<&Json>, scope: &impl Scope<V>) -> Result<V, Failure> {
    let found =
        taken(choices, fallback.is_some(), scope).and_then(|(root, path)| root.get(scope.space(), path));
    match (found, fallback) {
        (Some(value), _) => Ok(value),
        (None, Some(json)) => Ok(V::from_json(scope.space(), json)),
        (None, None) => Err(missing(choices, scope)),
    }
}

fn text<V: Value>(pieces: &[Piece], scope: &impl Scope<V>, made: &mut f64) -> Result<V, Failure> {
    let mut out = String::new();
    for piece in pieces {
        let before = out.len();
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Hole { choices, fallback } => {
                let found = taken(choices, fallback.is_some(), scope);
                let found = found.and_then(|(root, path)| written(root, path));
                let found = found.or_else(|| fallback.as_ref().map(plain_text));
                out.push_str(&found.ok_or_else(|| missing(choices, scope))?);
                // Before the next piece makes it twice as long.
                #[expect(clippy::cast_precision_loss, reason = "no text is as long as a float can't count")]
                let more = (out.len() - before) as f64;
                *made += more;
                fits(*made)?;
            }
        }
    }
    Ok(V::from_json(scope.space(), &Json::from(out)))
}

/// How what stands at the end of a path is written within text.
fn written<V: Value>(value: &V, path: &Path) -> Option<String> {
    match value.view(path) {
        View::Missing => None,
        View::Null => Some(String::new()),
        View::Bool(truth) => Some(truth.to_string()),
        View::Number(number) => Some(number_text(number)),
        View::Text(_) => value.text(path),
        View::List | View::Map => value.json(path).map(|json| json_text(&json)),
    }
}

fn missing<V: Value>(choices: &Choices, scope: &impl Scope<V>) -> Failure {
    let names: Vec<String> = choices.iter().map(|(_, name)| format!("`{name}`")).list();
    let message = format!("{} is not there; available are {}", names.join(" and "), scope.available());
    Failure::new("template/missing", message)
}
