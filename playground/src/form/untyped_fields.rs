//! Fields without a schema. The value chooses the control.

use super::build::{FieldTarget, FormBuilder};
use super::format_fields::plain_choice;
use super::labels;
use super::{Addition, Control, Field};
use serde_json::json;
use stepgraph_core::source::{Entry, Spanned, ValueKind};

/// Single-line limit, in bytes.
pub(super) const MAX_LINE_CHARS: usize = 48;

impl<'d> FormBuilder<'d> {
    pub(super) fn untyped_input(&mut self, target: &FieldTarget<'d>) -> String {
        let mut field = self.untyped_field(target, true);
        if let Some(spec) = stepgraph_authoring::language::plan_format::NODE.field("input") {
            let label = labels::label(spec, self.lang);
            (field.label, field.help) = (label.name.to_owned(), label.help);
            field.default_text = labels::default_text(spec, self.lang);
        }
        if target.value_kind().is_none() {
            field.control = Control::Text { is_multiline: true };
            field.addition = Some(Addition::Entry {
                known_names: Vec::new(),
                accepts_any_name: true,
                initial_value: json!(""),
            });
        }
        self.add_field(field)
    }

    pub(super) fn untyped_field(&mut self, target: &FieldTarget<'d>, template: bool) -> Field {
        let label = target.key.clone();
        let control = match target.value_kind() {
            None => Control::Text { is_multiline: false },
            Some(ValueKind::Text(text)) => {
                Control::Text { is_multiline: text.len() > MAX_LINE_CHARS || text.contains('\n') }
            }
            Some(ValueKind::Number(_)) => Control::Number { min: None, max: None, is_integer: false },
            Some(ValueKind::Bool(_)) => Control::Boolean,
            Some(ValueKind::List(items)) if self.can_nest(target) => {
                return self.untyped_list(items, target, template);
            }
            Some(ValueKind::Map(entries)) if self.can_nest(target) => {
                return self.untyped_map(entries, target, template);
            }
            Some(_) => return self.raw_field(target, label),
        };
        let mut field = self.field(target, label, control);
        field.is_template = template;
        field
    }

    fn untyped_list(&mut self, items: &'d [Spanned], target: &FieldTarget<'d>, template: bool) -> Field {
        let mut field = self.field(target, target.key.clone(), Control::Group);
        for (at, item) in items.iter().enumerate() {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let mut child = self.untyped_field(&target.item(at, item), template);
            (child.is_removable, child.item) = (true, Some((at, items.len())));
            let id = self.add_field(child);
            field.children.push(id);
        }
        let initial = items.last().map_or(json!(""), empty_like);
        field.addition = Some(Addition::Item { initial_value: initial });
        field
    }

    fn untyped_map(&mut self, entries: &'d [Entry], target: &FieldTarget<'d>, template: bool) -> Field {
        let mut field = self.field(target, target.key.clone(), Control::Group);
        for entry in entries {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let mut child = self.untyped_field(&target.child(&entry.key), template);
            child.is_removable = true;
            let id = self.add_field(child);
            field.children.push(id);
        }
        field.addition = Some(Addition::Entry {
            known_names: Vec::new(),
            accepts_any_name: true,
            initial_value: json!(""),
        });
        field
    }

    /// Includes an unlisted value.
    pub(super) fn choice_field(mut field: Field, choices: Vec<super::Choice>) -> Field {
        let mut choices = choices;
        if let Some(value) = field.value.as_ref().filter(|value| !value.is_null()) {
            let known = choices.iter().any(|choice| stepgraph_core::value::json_equal(&choice.value, value));
            if !known {
                choices.push(plain_choice(value.clone()));
            }
        }
        field.control = Control::Choice(choices);
        field
    }
}

fn empty_like(value: &Spanned) -> serde_json::Value {
    match value.kind {
        ValueKind::Bool(_) => json!(false),
        ValueKind::Number(_) => json!(0),
        ValueKind::List(_) => json!([]),
        ValueKind::Map(_) => json!({}),
        _ => json!(""),
    }
}
