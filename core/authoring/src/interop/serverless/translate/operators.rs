//! Operators and conditions. In jq only `false` and `null` are not true.

use super::Translation;
use super::cel::{Cel, Kind, Presence, Scope, either};
use crate::interop::serverless::jq::{Jq, Unsupported};
use serde_json::Value as Json;

impl Translation<'_> {
    pub(super) fn operator(
        &mut self,
        left: &Jq,
        sign: &'static str,
        right: &Jq,
        scope: Scope<'_>,
    ) -> Result<Cel, Unsupported> {
        if let "and" | "or" = sign {
            let (left, right) = (self.truth(left, scope)?, self.truth(right, scope)?);
            let sign = if sign == "and" { "&&" } else { "||" };
            return Ok(Cel::new(Kind::Bool, format!("({left}) {sign} ({right})")));
        }
        // Conditions expect literals on the right.
        let is_flipped = matches!(left, Jq::Literal(_)) && !matches!(right, Jq::Literal(_));
        let (a, b) = (self.expression(left, scope)?, self.expression(right, scope)?);
        match (flipped(sign), is_flipped) {
            (Some(sign), true) => self.comparison(b, sign, a),
            (Some(_), false) => self.comparison(a, sign, b),
            (None, _) if sign == "//" => Ok(self.alternative(a, &b)),
            (None, _) => self.arithmetic(a, sign, b),
        }
    }

    fn alternative(&mut self, first: Cel, other: &Cel) -> Cel {
        self.warn("jq uses the default also for `false`");
        let Cel { kind, may_be_int, .. } = either(&first, other, String::new());
        Cel { kind, may_be_int, presence: other.presence, ..first.or(&other.choice()) }
    }

    fn arithmetic(&mut self, a: Cel, sign: &str, b: Cel) -> Result<Cel, Unsupported> {
        let may_be_int = a.may_be_int && b.may_be_int;
        let text = |a: &Cel, b: &str| format!("({}) {sign} ({b})", a.text);
        Ok(match sign {
            "+" => return self.sum(a, b),
            // Avoids the division of whole numbers.
            "/" if may_be_int && b.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Cel::new(Kind::Number, text(&a, &format!("{}.0", b.text)))
            }
            "/" if may_be_int => Cel::new(Kind::Number, text(&a, &format!("double({})", b.text))),
            _ => Cel::new(Kind::Number, text(&a, &b.text)).int_if(may_be_int),
        })
    }

    /// In jq `null` adds nothing.
    fn sum(&mut self, a: Cel, b: Cel) -> Result<Cel, Unsupported> {
        let may_be_int = a.may_be_int && b.may_be_int;
        let kind = if a.kind == Kind::Any { b.kind } else { a.kind };
        let nothing = match kind {
            Kind::Number => "0",
            Kind::Text => "\"\"",
            Kind::List => "[]",
            Kind::Map => return Err("`+` merges maps".to_owned()),
            Kind::Any | Kind::Bool => {
                self.warn(
                    "`+` adds numbers, texts and lists; in jq it also merges maps and leaves out `null`",
                );
                let text = format!("({}) + ({})", a.text, b.text);
                return Ok(Cel::new(Kind::Any, text).int_if(may_be_int));
            }
        };
        let [a, b] = [a, b].map(|side| match side.presence {
            Presence::Always => side,
            _ => side.or(nothing),
        });
        Ok(Cel::new(kind, format!("({}) + ({})", a.text, b.text)).int_if(may_be_int))
    }

    fn comparison(&mut self, a: Cel, sign: &str, b: Cel) -> Result<Cel, Unsupported> {
        match sign {
            "==" => Ok(equality(a, false, b)),
            "!=" => Ok(equality(a, true, b)),
            _ => {
                let has_order = |kind| matches!(kind, Kind::Any | Kind::Number | Kind::Text);
                if !has_order(a.kind) || !has_order(b.kind) || a.text == "null" || b.text == "null" {
                    return Err("only numbers and texts have an order here".to_owned());
                }
                let smaller = if sign.starts_with('<') { &a } else { &b };
                if smaller.presence != Presence::Always {
                    self.warn("in jq what is not there is less than any number or text");
                }
                Ok(Cel::new(Kind::Bool, format!("({}) {sign} ({})", a.text, b.text)))
            }
        }
    }

    pub(super) fn truth(&mut self, jq: &Jq, scope: Scope<'_>) -> Result<String, Unsupported> {
        match jq {
            Jq::Literal(value) => Ok((!matches!(value, Json::Null | Json::Bool(false))).to_string()),
            Jq::If(parts) => {
                let [condition, then, other] = &**parts;
                let condition = self.truth(condition, scope)?;
                let (then, other) = (self.truth(then, scope)?, self.truth(other, scope)?);
                // The text after `==` would go on after the `:` of `?:`.
                Ok(format!("({condition}) && ({then}) || !({condition}) && ({other})"))
            }
            Jq::Pipe(left, right) => {
                let dot = self.expression(left, scope)?;
                self.truth(right, scope.at(&dot))
            }
            jq => self.expression(jq, scope)?.truth(),
        }
    }
}

impl Cel {
    /// Only `false` and `null` fail.
    pub(super) fn truth(&self) -> Result<String, Unsupported> {
        let text = &self.text;
        match (self.kind, self.presence) {
            (Kind::Bool, _) => Ok(text.clone()),
            (Kind::Any, Presence::Always) => Ok(format!("({text}) != false")),
            (Kind::Any, _) => Ok(format!("({text}) != false && ({text}) != null")),
            _ => Err("it is always true".to_owned()),
        }
    }
}

/// A missing value is `null` in jq, but here it equals nothing and differs from nothing.
fn equality(a: Cel, negated: bool, b: Cel) -> Cel {
    let both = a.presence != Presence::Always && b.presence != Presence::Always;
    let (a, b) = if both { (a.or_null(), b.or_null()) } else { (a, b) };
    let may_be_missing = a.presence.max(b.presence) == Presence::Missing;
    let text = match (negated, may_be_missing) {
        (false, _) => format!("({}) == ({})", a.text, b.text),
        (true, false) => format!("({}) != ({})", a.text, b.text),
        (true, true) => format!("!(({}) == ({}))", a.text, b.text),
    };
    Cel::new(Kind::Bool, text)
}

fn flipped(sign: &'static str) -> Option<&'static str> {
    Some(match sign {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        "==" | "!=" => sign,
        _ => return None,
    })
}
