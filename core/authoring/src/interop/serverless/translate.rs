//! Translates expressions to templates and conditions.
//!
//! A missing value is `null` in jq, but here it fails a node or a comparison. Translations therefore handle
//! missing values explicitly.
//!
//! Invariant: a translation that might change the meaning has a warning.

use super::jq::{Base, Jq, Unsupported};
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;
use stepgraph_core::expression::{Reference, Root};
use stepgraph_core::value::Segment;

pub(super) trait NameResolver {
    /// Returns the reference for a path, with an optional warning.
    fn reference(
        &mut self,
        base: &Base,
        path: &[Segment],
    ) -> Result<(Reference, Option<&'static str>), Unsupported>;
}

#[derive(Debug, Default)]
pub(super) struct Translation {
    pub(super) warnings: Vec<&'static str>,
}

impl Translation {
    pub(super) fn value(&mut self, jq: &Jq, names: &mut dyn NameResolver) -> Result<Json, Unsupported> {
        match jq {
            Jq::Literal(Json::String(text)) => Ok(Json::from(escape_template(text))),
            Jq::Literal(value) => Ok(value.clone()),
            Jq::Path(base, path) => {
                let reference = self.reference(base, path, names)?;
                // A missing value is `null` in jq, but fails a node here.
                let fallback = if path.is_empty() { "" } else { " ?? null" };
                Ok(Json::from(format!("${{{reference}{fallback}}}")))
            }
            Jq::Alternative(first, other) => match (first.as_ref(), other.as_ref()) {
                (Jq::Path(base, path), Jq::Literal(value)) if !value.is_array() && !value.is_object() => {
                    self.warnings.push("jq takes what stands in also for `false`");
                    let reference = self.reference(base, path, names)?;
                    Ok(Json::from(format!("${{{reference} ?? {value}}}")))
                }
                (Jq::Path(base, path), Jq::Path(other, more)) => {
                    self.warnings.push("jq takes what stands in also for `false`");
                    let reference = self.reference(base, path, names)?;
                    let other = self.reference(other, more, names)?;
                    Ok(Json::from(format!("${{{reference} ?? {other} ?? null}}")))
                }
                _ => Err("`//` has no equal here".to_owned()),
            },
            Jq::Interpolation(parts) => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        Jq::Literal(Json::String(part)) => text.push_str(&escape_template(part)),
                        Jq::Path(base, path) => {
                            let reference = self.reference(base, path, names)?;
                            let _ = write!(text, "${{{reference}}}");
                        }
                        _ => return Err("a text is put together from what is computed".to_owned()),
                    }
                }
                Ok(Json::from(text))
            }
            Jq::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    map.insert(key.clone(), self.value(value, names)?);
                }
                Ok(Json::Object(map))
            }
            Jq::List(items) => {
                let mut list = Vec::new();
                for item in items {
                    list.push(self.value(item, names)?);
                }
                Ok(Json::Array(list))
            }
            _ => Err("a comparison is no value here".to_owned()),
        }
    }

    pub(super) fn condition(&mut self, jq: &Jq, names: &mut dyn NameResolver) -> Result<String, Unsupported> {
        Ok(match jq {
            Jq::And(left, right) => {
                format!("{} && {}", self.part(left, names)?, self.part(right, names)?)
            }
            Jq::Or(left, right) => {
                format!("{} || {}", self.part(left, names)?, self.part(right, names)?)
            }
            Jq::Not(inner) => format!("!({})", self.condition(inner, names)?),
            Jq::Compare(left, sign, right) => match (left.as_ref(), right.as_ref()) {
                (Jq::Path(base, path), Jq::Literal(value)) => self.compare(base, path, sign, value, names)?,
                (Jq::Literal(value), Jq::Path(base, path)) => {
                    let sign = match *sign {
                        "<" => ">",
                        ">" => "<",
                        "<=" => ">=",
                        ">=" => "<=",
                        sign => sign,
                    };
                    self.compare(base, path, sign, value, names)?
                }
                _ => return Err("only a value and a literal can be compared".to_owned()),
            },
            Jq::Contains(inner, value) => {
                self.warnings.push("in a list jq finds parts of its elements, too");
                let reference = self.inner(inner, names)?;
                format!("{reference}.contains:{value}")
            }
            Jq::Has(inner, key) => {
                let mut reference = self.inner(inner, names)?;
                reference.path.push(Segment::Key(key.clone()));
                format!("{reference}.exists")
            }
            Jq::Path(..) => {
                let reference = self.inner(jq, names)?;
                format!("{reference} != false && {reference} != null")
            }
            _ => return Err("it is no condition".to_owned()),
        })
    }

    fn part(&mut self, jq: &Jq, names: &mut dyn NameResolver) -> Result<String, Unsupported> {
        let text = self.condition(jq, names)?;
        let single = matches!(jq, Jq::Not(_) | Jq::Contains(..) | Jq::Has(..));
        Ok(if single { text } else { format!("({text})") })
    }

    fn inner(&mut self, jq: &Jq, names: &mut dyn NameResolver) -> Result<Reference, Unsupported> {
        match jq {
            Jq::Path(base, path) => self.reference(base, path, names),
            _ => Err("only a value can be asked that".to_owned()),
        }
    }

    fn reference(
        &mut self,
        base: &Base,
        path: &[Segment],
        names: &mut dyn NameResolver,
    ) -> Result<Reference, Unsupported> {
        let (reference, doubt) = names.reference(base, path)?;
        self.warnings.extend(doubt);
        Ok(reference)
    }

    fn compare(
        &mut self,
        base: &Base,
        path: &[Segment],
        sign: &str,
        value: &Json,
        names: &mut dyn NameResolver,
    ) -> Result<String, Unsupported> {
        let reference = self.reference(base, path, names)?;
        if value.is_array() || value.is_object() {
            return Err("only plain values can be compared".to_owned());
        }
        let equal = match value {
            // A missing value is `null` in jq, but fails every comparison here.
            Json::Null => format!("!{reference}.exists || {reference} == null"),
            value => format!("{reference} == {value}"),
        };
        match (sign, value) {
            ("==", _) => Ok(equal),
            ("!=", _) => Ok(format!("!({equal})")),
            (_, Json::Number(_)) => {
                if sign.starts_with('<') {
                    self.warnings.push("in jq what is not there is less than any number");
                }
                Ok(format!("{reference} {sign} {value}"))
            }
            _ => Err("only numbers have an order here".to_owned()),
        }
    }
}

pub(super) fn escape_template(text: &str) -> String {
    text.replace("${", "$${")
}

pub(super) fn last(path: &[Segment]) -> Reference {
    Reference { root: Root::Last, path: path.to_vec() }
}
