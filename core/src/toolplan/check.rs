//! The parameters of one planned call.
//!
//! Decides what trusted parameters become, which references can be followed, and whether the rest is what the tool takes.

use super::{Judge, Trust};
use crate::diagnostic::{Code, Diagnostic, Severity, brief, near};
use crate::expr::{Reference, Root};
use crate::graph::Texts;
use crate::schema::{PathVerdict, Schema, Violation};
use crate::tool::ToolInfo;
use crate::value::Segment;
use serde_json::{Map, Value as Json};

impl Judge<'_> {
    /// Judges the parameters of a call of a tool that is there; gives them as they are to be sent.
    pub(super) fn parameters(
        &mut self,
        at: usize,
        name: &str,
        mut given: Map<String, Json>,
        all: &[Json],
    ) -> Map<String, Json> {
        let Some(tool) = self.tools.get(name) else { return given };
        self.trusted(at, tool, &mut given);
        let mut broken = Vec::new();
        let value = Json::Object(given);
        let texts = if self.literal {
            Texts::Constant(value.clone())
        } else {
            Texts::of(&value, &mut |text, error| {
                broken.push(format!("`{}` in `call[{at}]`: {}", brief(text), error.message));
            })
        };
        for message in broken {
            let problem = Diagnostic::new(Code::PlanBadReference, message);
            self.report(at, problem.help("write `${call[0].path}`, or `$${` where the text is meant"));
        }
        self.references(at, &texts, all);
        self.held(at, name, &texts);
        if let Json::Object(given) = value { given } else { Map::new() }
    }

    /// Puts the run's own values into trusted parameters.
    fn trusted(&mut self, at: usize, tool: &ToolInfo, given: &mut Map<String, Json>) {
        let trust = self.trust;
        for name in trust.names.iter().filter(|name| takes(tool, name)) {
            let needed = needs(tool, name);
            if needed && !self.needs.contains(name) {
                self.needs.push(name.clone());
            }
            let own = trust.value(name);
            let written = given.shift_remove(name);
            if written.as_ref().is_some_and(|written| Some(written) != own) {
                let message =
                    format!("what `call[{at}]` gives for `{name}` is thrown away: the run gives it");
                let problem = Diagnostic::new(Code::PlanUntrusted, message);
                self.report(at, problem.help(format!("leave out `{name}`")));
            }
            match own {
                Some(own) => drop(given.insert(name.clone(), own.clone())),
                None if needed => {
                    let message = format!("`call[{at}]` needs `{name}`, which this run was not given");
                    let problem = Diagnostic::new(Code::PlanMissingContext, message);
                    self.report(at, problem.help("plan without that tool, or say that the value is needed"));
                }
                None => {}
            }
        }
    }

    fn references(&mut self, at: usize, texts: &Texts, all: &[Json]) {
        match texts {
            Texts::Constant(_) => {}
            Texts::List(items) => items.iter().for_each(|item| self.references(at, item, all)),
            Texts::Map(entries) => entries.iter().for_each(|(_, value)| self.references(at, value, all)),
            Texts::Template(template, _) => {
                for (reference, _) in template.references() {
                    if let Some((what, help)) = self.stray(at, reference, all) {
                        let message = format!("`{}` in `call[{at}]` {what}", brief(&reference.to_string()));
                        self.report(at, Diagnostic::new(Code::PlanBadReference, message).help(help));
                    }
                }
            }
        }
    }

    /// Why a reference can't be followed, and what to do.
    fn stray(&self, at: usize, reference: &Reference, all: &[Json]) -> Option<(String, String)> {
        let only = || "refer to the result of an earlier call: `${call[0].path}`".to_owned();
        let (Root::Call, Some(Segment::Index(number))) = (&reference.root, reference.path.first()) else {
            return Some(("is no result of a call".to_owned(), only()));
        };
        let number = *number;
        if number >= at {
            let what = if number == at {
                "is its own result"
            } else if number < all.len() {
                "is carried out later"
            } else {
                "is not there"
            };
            let help = if at == 0 {
                "write the value, or put another call before this one".to_owned()
            } else {
                only()
            };
            return Some((what.to_owned(), help));
        }
        let tool = all.get(number)?.get("tool_name")?.as_str()?;
        let schema = self.tools.get(tool)?.output_schema.as_ref()?;
        let schema = Schema::compile(schema, &(), self.tools.patterns()).ok()?;
        let path = reference.path.get(1..)?;
        let impossible = schema.path(path, self.tools.patterns()) == PathVerdict::Impossible;
        let names = || schema.names_at(&[]).join("`, `");
        impossible.then(|| {
            (format!("is nothing that `{}` gives", brief(tool)), format!("use what it gives: `{}`", names()))
        })
    }

    /// Holds the parameters against the tool's schema.
    fn held(&mut self, at: usize, name: &str, texts: &Texts) {
        let Some(Ok(schema)) = self.tools.input_schema(name) else { return };
        let report =
            schema.validate_partial(&texts.partial(), self.tools.patterns(), "the map of parameters");
        let trust = self.trust;
        for violation in &report.violations {
            // Trusted ones have been told of.
            let own = violation.name.as_ref().is_some_and(|name| trust.names.contains(name));
            if !own || code(violation) != Code::PlanMissingParameter {
                self.report(at, wrong(at, name, violation));
            }
        }
        self.surplus(at, name, texts, &report.violations);
    }

    /// Parameters that the tool does not speak of, though its schema would let them pass.
    fn surplus(&mut self, at: usize, name: &str, texts: &Texts, told: &[Violation]) {
        let Some(known) = self.tools.get(name).and_then(|tool| plain_properties(&tool.input_schema)) else {
            return;
        };
        let given: Vec<&str> = match texts {
            Texts::Constant(Json::Object(map)) => map.keys().map(String::as_str).collect(),
            Texts::Map(entries) => entries.iter().map(|(key, _)| key.as_str()).collect(),
            _ => Vec::new(),
        };
        for key in given {
            if known.contains_key(key) || told.iter().any(|told| told.name.as_deref() == Some(key)) {
                continue;
            }
            let message =
                format!("`call[{at}]`: `{}` does not speak of a parameter `{}`", brief(name), brief(key));
            let help = match near(key, known.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("leave out `{}`", brief(key)),
            };
            let mut problem = Diagnostic::new(Code::PlanUnknownParameter, message).help(help);
            problem.severity = Severity::Warning;
            self.report(at, problem);
        }
    }
}

impl Trust {
    /// Puts the run's own values into the trusted parameters of a tool, whatever stands there.
    ///
    /// # Errors
    /// The name of one which the tool needs and the run was not given.
    pub(crate) fn fill(&self, tool: &ToolInfo, given: &mut Map<String, Json>) -> Result<(), &str> {
        for name in self.names.iter().filter(|name| takes(tool, name)) {
            given.shift_remove(name);
            match self.value(name) {
                Some(own) => drop(given.insert(name.clone(), own.clone())),
                None if needs(tool, name) => return Err(name),
                None => {}
            }
        }
        Ok(())
    }
}

/// Whether a tool has a parameter of that name.
fn takes(tool: &ToolInfo, name: &str) -> bool {
    tool.input_schema.get("properties").and_then(|properties| properties.get(name)).is_some()
        || needs(tool, name)
}

/// Whether a tool must be given it.
fn needs(tool: &ToolInfo, name: &str) -> bool {
    let required = tool.input_schema.get("required").and_then(Json::as_array);
    required.is_some_and(|required| required.iter().any(|other| other == name))
}

/// The properties of a schema that says nothing of others.
fn plain_properties(schema: &Json) -> Option<&Map<String, Json>> {
    const MORE: [&str; 8] = [
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "$ref",
        "$dynamicRef",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    let says_more = MORE.iter().any(|key| schema.get(key).is_some());
    schema.get("properties").and_then(Json::as_object).filter(|_| !says_more)
}

fn code(violation: &Violation) -> Code {
    match violation.keyword {
        "required" | "dependentRequired" => Code::PlanMissingParameter,
        "type" => Code::PlanInvalidType,
        "additionalProperties" | "unevaluatedProperties" | "propertyNames" | "patternProperties"
            if violation.name.is_some() =>
        {
            Code::PlanUnknownParameter
        }
        _ => Code::PlanInvalidValue,
    }
}

fn wrong(at: usize, tool: &str, violation: &Violation) -> Diagnostic {
    let code = code(violation);
    let problem = Diagnostic::new(code, format!("`call[{at}]` of `{}`: {}", brief(tool), violation.message));
    let help = match (&violation.near, &violation.name, code) {
        (Some(given), Some(name), Code::PlanMissingParameter) => {
            format!("write `{}` instead of `{}`", brief(name), brief(given))
        }
        (Some(meant), _, Code::PlanUnknownParameter) => format!("did you mean `{}`?", brief(meant)),
        (_, Some(name), Code::PlanUnknownParameter) => format!("leave out `{}`", brief(name)),
        (_, Some(name), _) => format!("add `{}`", brief(name)),
        _ => "change it to what the tool takes".to_owned(),
    };
    problem.help(help)
}
