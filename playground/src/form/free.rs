//! Fields of values that nobody describes: what is written says how it is asked for.

use super::build::{Maker, Spot};
use super::known::lone;
use super::labels;
use super::{Adds, Control, Field};
use serde_json::json;
use stepgraph_core::source::{Entry, Kind, Spanned};

/// A text that is longer gets several lines.
pub(super) const LINE: usize = 48;

impl<'d> Maker<'d> {
    /// What a node is given, when no schema says more.
    pub(super) fn input(&mut self, spot: &Spot<'d>) -> String {
        let mut field = self.free(spot, true);
        if let Some(known) = stepgraph_authoring::language::plan_format::NODE.field("input") {
            let said = labels::label(known, self.lang);
            (field.label, field.help) = (said.name.to_owned(), said.help);
            field.usual = labels::usual(known, self.lang);
        }
        if spot.kind().is_none() {
            field.control = Control::Text { long: true };
            field.adds = Some(Adds::Entry { known: Vec::new(), any: true, fresh: json!("") });
        }
        self.put(field)
    }

    /// A field by what is written.
    pub(super) fn free(&mut self, spot: &Spot<'d>, template: bool) -> Field {
        let label = spot.key.clone();
        let control = match spot.kind() {
            None => Control::Text { long: false },
            Some(Kind::Text(text)) => Control::Text { long: text.len() > LINE || text.contains('\n') },
            Some(Kind::Number(_)) => Control::Number { least: None, most: None, whole: false },
            Some(Kind::Bool(_)) => Control::Truth,
            Some(Kind::List(items)) if self.may_hold(spot) => return self.free_list(items, spot, template),
            Some(Kind::Map(entries)) if self.may_hold(spot) => return self.free_map(entries, spot, template),
            Some(_) => return self.raw(spot, label),
        };
        let mut field = self.field(spot, label, control);
        field.template = template;
        field
    }

    fn free_list(&mut self, items: &'d [Spanned], spot: &Spot<'d>, template: bool) -> Field {
        let mut field = self.field(spot, spot.key.clone(), Control::Group);
        for (at, item) in items.iter().enumerate() {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let mut part = self.free(&spot.item(at, item), template);
            (part.removable, part.item) = (true, Some((at, items.len())));
            let id = self.put(part);
            field.parts.push(id);
        }
        let fresh = items.last().map_or(json!(""), alike);
        field.adds = Some(Adds::Item { fresh });
        field
    }

    fn free_map(&mut self, entries: &'d [Entry], spot: &Spot<'d>, template: bool) -> Field {
        let mut field = self.field(spot, spot.key.clone(), Control::Group);
        for entry in entries {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let mut part = self.free(&spot.inner(&entry.key), template);
            part.removable = true;
            let id = self.put(part);
            field.parts.push(id);
        }
        field.adds = Some(Adds::Entry { known: Vec::new(), any: true, fresh: json!("") });
        field
    }

    /// A choice of values, and the one that is written where it is none of them.
    pub(super) fn chosen(mut field: Field, choices: Vec<super::Choice>) -> Field {
        let mut choices = choices;
        if let Some(value) = field.value.as_ref().filter(|value| !value.is_null()) {
            let known = choices.iter().any(|choice| stepgraph_core::value::same(&choice.value, value));
            if !known {
                choices.push(lone(value.clone()));
            }
        }
        field.control = Control::Choice(choices);
        field
    }
}

/// An empty value of the same kind.
fn alike(value: &Spanned) -> serde_json::Value {
    match value.kind {
        Kind::Bool(_) => json!(false),
        Kind::Number(_) => json!(0),
        Kind::List(_) => json!([]),
        Kind::Map(_) => json!({}),
        _ => json!(""),
    }
}
