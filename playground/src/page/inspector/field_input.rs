//! A field's typed text. Valid values are written at once, invalid text stays with its error. Changes elsewhere replace
//! it.

use super::form_context::FormContext;
use crate::form::parse_input::{control_text as text_of, parse_field};
use crate::form::{Field, change};
use crate::i18n::Inspector as W;
use leptos::prelude::*;
use serde_json::Value as Json;

#[derive(Clone, Copy)]
pub(super) struct FieldInput {
    pub(super) ctx: FormContext,
    pub(super) field: Memo<Option<Field>>,
    /// Until the focus leaves.
    typed: RwSignal<Option<String>>,
    pub(super) error: RwSignal<Option<String>>,
    pub(super) is_help_open: RwSignal<bool>,
    pub(super) is_picker_open: RwSignal<bool>,
    last_write: StoredValue<LastWrite>,
    id: StoredValue<String>,
}

/// Distinguishes own writes from others'.
#[derive(Debug, Clone, PartialEq)]
enum LastWrite {
    Nothing,
    /// `None` removed the key.
    Value(Option<Json>),
}

impl FieldInput {
    pub(super) fn new(ctx: FormContext, field: Memo<Option<Field>>, id: String) -> Self {
        let input = Self {
            ctx,
            field,
            typed: RwSignal::new(None),
            error: RwSignal::new(None),
            is_help_open: RwSignal::new(false),
            is_picker_open: RwSignal::new(false),
            last_write: StoredValue::new(LastWrite::Nothing),
            id: StoredValue::new(id),
        };
        let value = Memo::new(move |_| read_field(field, |field| field.value.clone()));
        Effect::new(move |before: Option<()>| {
            let value = value.get();
            let own = input
                .last_write
                .with_value(|written| matches!(written, LastWrite::Value(own) if *own == value));
            if before.is_some() && !own {
                input.clear_typed();
            }
        });
        input
    }

    pub(super) fn id(self) -> String {
        self.id.get_value()
    }

    pub(super) fn part_id(self, what: &str) -> String {
        [&self.id.get_value(), ":", what].concat()
    }

    pub(super) fn described_by(self) -> String {
        [self.part_id("help"), self.part_id("wrong")].join(" ")
    }

    pub(super) fn shown_text(self) -> String {
        self.typed.get().unwrap_or_else(|| read_field(self.field, text_of))
    }

    pub(super) fn clear_typed(self) {
        self.typed.set(None);
        self.error.set(None);
        self.last_write.set_value(LastWrite::Nothing);
    }

    pub(super) fn text_typed(self, text: &str) {
        let Some(field) = self.field.try_get_untracked().flatten() else { return };
        let lang = self.ctx.store.lang.get_untracked();
        self.typed.set(Some(text.to_owned()));
        match parse_field(&field, text) {
            Ok(value) => self.write_value(&field, value.as_ref()),
            Err(error) => self.error.set(Some(error.message(lang))),
        }
    }

    pub(super) fn write_value(self, field: &Field, value: Option<&Json>) {
        self.last_write.set_value(LastWrite::Value(value.cloned()));
        let done = self.ctx.write_field(field, |form, field| change::set(form, field, value));
        self.error.set(done.err().filter(|why| !why.is_empty()));
    }

    /// Valid values show as stored, invalid text stays.
    pub(super) fn focus_left(self) {
        // Removing an element blurs it, too.
        let Some(error) = self.error.try_get_untracked() else { return };
        if error.is_none() {
            self.clear_typed();
        }
        self.ctx.store.end_typing_step();
    }

    pub(super) fn placeholder(self) -> String {
        read_field(self.field, |field| {
            let (default_text, mixed) = (field.default_text.as_str(), field.is_mixed);
            match default_text {
                _ if mixed => self.ctx.text(W::Mixed).to_owned(),
                "" => String::new(),
                default_text => default_text.to_owned(),
            }
        })
    }

    pub(super) fn aria_invalid(self) -> &'static str {
        let troubled = read_field(self.field, |field| {
            field
                .problems
                .iter()
                .any(|problem| problem.severity == stepgraph_core::diagnostic::Severity::Error)
        });
        if troubled || self.error.get().is_some() { "true" } else { "false" }
    }
}

pub(super) fn read_field<T: Default>(field: Memo<Option<Field>>, what: impl FnOnce(&Field) -> T) -> T {
    field.with(|field| field.as_ref().map(what)).unwrap_or_default()
}
