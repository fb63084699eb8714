//! Functions, and lists that visit another list.

use super::Translation;
use super::cel::{Cel, Kind, Presence, Scope};
use crate::interop::serverless::jq::{Jq, Unsupported};
use serde_json::Value as Json;
use stepgraph_core::value::Segment;

/// These names are neither roots nor types.
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];

/// RE2 lacks them or reads them differently. Both have `(?:`.
const FOREIGN_PATTERNS: [&str; 12] =
    ["(?=", "(?!", "(?<", "(?>", "(?#", "(?i", "(?m", "(?s", "(?x", "(?-", "[[", "{,"];

/// Levels of lists that `flatten` without a number opens. Values are not deeper in practice.
const DEEPEST: usize = 64;

/// They match more characters in jq.
const UNICODE_PATTERNS: [&str; 9] = ["\\d", "\\w", "\\s", "\\b", "\\D", "\\W", "\\S", "\\B", "$"];

impl Translation<'_> {
    pub(super) fn call(
        &mut self,
        name: &'static str,
        arguments: &[Jq],
        scope: Scope<'_>,
    ) -> Result<Cel, Unsupported> {
        match (name, arguments) {
            ("any" | "all", arguments) => return self.quantifier(name, arguments, scope),
            ("select", _) => return Err("`select` returns a value or nothing".to_owned()),
            ("test", arguments) => return self.test(arguments, scope),
            _ => {}
        }
        let dot = self.expression(&Jq::DOT, scope)?;
        match name {
            "add" | "min" | "max" => {
                self.warn("jq skips `null`, accepts texts, and returns `null` for an empty list; here all elements are numbers");
            }
            "sort" | "sort_by" | "unique" => {
                self.warn("jq sorts values of all types, and here they have one");
            }
            _ => {}
        }
        match (name, arguments) {
            ("not", _) => Ok(Cel::new(Kind::Bool, format!("!({})", dot.truth()?))),
            ("has", [key]) => has(&dot, key),
            ("map", [body]) => self.visit(dot, &body.stages(), scope),
            ("sort_by", [key]) => self.sort_by(&dot, key, scope),
            ("flatten", [depth]) => {
                let depth = self.expression(depth, scope)?;
                Ok(Cel::new(Kind::List, format!("({}).flatten({})", dot.text, depth.text)))
            }
            ("first", _) => Ok(dot.part(&[Segment::Index(0)])),
            ("last", _) => Ok(dot.at_end(1)),
            ("contains" | "startswith" | "endswith" | "split" | "join", [argument]) => {
                let argument = self.expression(argument, scope)?;
                self.method(name, &dot, &argument)
            }
            _ => function(name, dot),
        }
    }

    fn method(&mut self, name: &str, dot: &Cel, argument: &Cel) -> Result<Cel, Unsupported> {
        let (method, kind) = match name {
            "contains" if argument.kind != Kind::Text => {
                return Err("only a text can be looked for".to_owned());
            }
            "contains" => {
                if dot.kind != Kind::Text {
                    self.warn("in a list jq finds parts of its elements, too");
                }
                ("contains", Kind::Bool)
            }
            "startswith" => ("startsWith", Kind::Bool),
            "endswith" => ("endsWith", Kind::Bool),
            "split" => {
                self.warn("jq splits an empty text into no parts, and here it is one part");
                ("split", Kind::List)
            }
            _ => ("join", Kind::Text),
        };
        Ok(Cel::new(kind, format!("({}).{method}({})", dot.text, argument.text)))
    }

    fn sort_by(&mut self, list: &Cel, key: &Jq, scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let variable = variable(scope)?;
        let element = element_of(list, variable);
        let key = self.expression(key, Scope { dot: Some(&element), depth: scope.depth + 1 })?;
        let text = format!("({}).sortBy({variable}, {})", list.text, key.text);
        Ok(Cel::new(Kind::List, text).int_if(list.may_be_int))
    }

    fn test(&mut self, arguments: &[Jq], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let (pattern, prefix) = match arguments {
            [Jq::Literal(Json::String(pattern))] => (pattern, ""),
            [Jq::Literal(Json::String(pattern)), Jq::Literal(Json::String(flags))] if flags == "i" => {
                (pattern, "(?i)")
            }
            _ => return Err("only a literal pattern can be translated".to_owned()),
        };
        if let Some(construct) = FOREIGN_PATTERNS.into_iter().find(|part| pattern.contains(part)) {
            return Err(format!("a pattern with `{construct}` may have another meaning in a plan"));
        }
        if !prefix.is_empty() || UNICODE_PATTERNS.iter().any(|part| pattern.contains(part)) {
            self.warn(
                "patterns of jq support all of Unicode, and their `$` also matches before a last line break",
            );
        }
        let dot = self.expression(&Jq::DOT, scope)?;
        let pattern = Json::from(format!("{prefix}{pattern}"));
        Ok(Cel::new(Kind::Bool, format!("({}).matches({pattern})", dot.text)))
    }

    fn quantifier(&mut self, name: &str, arguments: &[Jq], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let dot = Jq::DOT;
        let (list, condition) = match arguments {
            [several, condition] => {
                if !several.visits() {
                    return Err(format!("`{name}` visits a list"));
                }
                (self.elements(std::slice::from_ref(several), scope)?, condition)
            }
            [condition] => (self.expression(&dot, scope)?, condition),
            _ => (self.expression(&dot, scope)?, &dot),
        };
        let variable = variable(scope)?;
        let element = Cel::new(Kind::Any, variable.to_owned()).of_presence(Presence::Null);
        let condition = self.truth(condition, Scope { dot: Some(&element), depth: scope.depth + 1 })?;
        let method = if name == "any" { "exists" } else { "all" };
        Ok(Cel::new(Kind::Bool, format!("({}).{method}({variable}, {condition})", list.text)))
    }

    /// Such as `[.items[] | select(.n > 1) | .name]`.
    pub(super) fn elements(&mut self, items: &[Jq], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let [item] = items else { return Err("`.[]` returns several values".to_owned()) };
        let stages = item.stages();
        let mut dot = scope.dot.cloned();
        for (at, stage) in stages.iter().enumerate() {
            let here = Scope { dot: dot.as_ref(), ..scope };
            if let Jq::Each(list) = stage {
                let list = self.expression(list, here)?;
                return self.visit(list, stages.get(at + 1..).unwrap_or_default(), scope);
            }
            dot = Some(self.expression(stage, here)?);
        }
        Err("`.[]` returns several values".to_owned())
    }

    fn visit(&mut self, mut list: Cel, stages: &[&Jq], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let variable = variable(scope)?;
        let mut filter: Vec<String> = Vec::new();
        for stage in stages {
            let element = element_of(&list, variable);
            let inside = Scope { dot: Some(&element), depth: scope.depth + 1 };
            if let Jq::Call("select", conditions) = stage {
                for condition in conditions {
                    filter.push(format!("({})", self.truth(condition, inside)?));
                }
                continue;
            }
            let body = self.expression(stage, inside)?.or_null();
            let condition = if filter.is_empty() { String::new() } else { filter.join(" && ") + ", " };
            filter.clear();
            let text = format!("({}).map({variable}, {condition}{})", list.text, body.text);
            list = Cel::new(Kind::List, text).int_if(body.may_be_int);
        }
        let text = if filter.is_empty() {
            list.text
        } else {
            format!("({}).filter({variable}, {})", list.text, filter.join(" && "))
        };
        Ok(Cel::new(Kind::List, text).int_if(list.may_be_int))
    }
}

fn variable(scope: Scope<'_>) -> Result<&'static str, Unsupported> {
    VARIABLES.get(scope.depth).copied().ok_or_else(|| "it is nested too deeply".to_owned())
}

/// What a variable stands for in a visit of `list`.
fn element_of(list: &Cel, variable: &str) -> Cel {
    Cel::new(Kind::Any, variable.to_owned()).of_presence(Presence::Null).int_if(list.may_be_int)
}

fn has(dot: &Cel, key: &Jq) -> Result<Cel, Unsupported> {
    let segment = match key {
        Jq::Literal(Json::String(key)) => Segment::Key(key.clone()),
        Jq::Literal(number) => {
            let at = number.as_u64().and_then(|at| at.try_into().ok());
            Segment::Index(at.ok_or("only a key or a position can be looked for")?)
        }
        _ => return Err("only a literal key can be tested".to_owned()),
    };
    Ok(Cel::new(Kind::Bool, format!("has({})", dot.part(&[segment]).text)))
}

fn function(name: &str, dot: Cel) -> Result<Cel, Unsupported> {
    if name == "length" {
        // `null` has the length 0.
        let dot = if dot.presence == Presence::Always { dot } else { dot.or("[]") };
        return Ok(Cel::new(Kind::Number, format!("size({})", dot.text)).int_if(true));
    }
    let text = &dot.text;
    Ok(match name {
        "ascii_downcase" => Cel::new(Kind::Text, format!("({text}).lowerAscii()")),
        "ascii_upcase" => Cel::new(Kind::Text, format!("({text}).upperAscii()")),
        "tostring" => Cel::new(Kind::Text, format!("string({text})")),
        "tonumber" => Cel::new(Kind::Number, format!("double({text})")),
        "floor" | "ceil" | "round" => {
            Cel::new(Kind::Number, format!("{name}({text})")).int_if(dot.may_be_int)
        }
        "add" => Cel::new(Kind::Number, format!("({text}).sum()")).int_if(dot.may_be_int),
        "min" => Cel::new(Kind::Number, format!("math.least({text})")).int_if(dot.may_be_int),
        "max" => Cel::new(Kind::Number, format!("math.greatest({text})")).int_if(dot.may_be_int),
        "sort" | "reverse" => Cel::new(Kind::List, format!("({text}).{name}()")).int_if(dot.may_be_int),
        "unique" => Cel::new(Kind::List, format!("({text}).sort().distinct()")).int_if(dot.may_be_int),
        "flatten" => Cel::new(Kind::List, format!("({text}).flatten({DEEPEST})")),
        _ => return Err(format!("`{name}` is not supported")),
    })
}
