//! State that a form's fields share.

use super::super::store::Store;
use crate::form::change::Edits;
use crate::form::evaluate::Samples;
use crate::form::reference_options::{ReferenceOption, reference_options};
use crate::form::{Field, Form, FormTarget};
use crate::i18n::{Inspector as W, Localized, format_message};
use crate::problems::message_with_help;
use leptos::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(super) struct FormContext {
    pub(super) store: Store,
    pub(super) form: Memo<Option<Arc<Form>>>,
    /// Values of the shown run, for references.
    pub(super) samples: Memo<Arc<Samples>>,
}

impl FormContext {
    pub(super) fn text(self, word: W) -> &'static str {
        word.text(self.store.lang.get())
    }

    pub(super) fn format(self, word: W, with: &[&str]) -> String {
        format_message(self.text(word), with)
    }

    pub(super) fn field(self, id: String) -> Memo<Option<Field>> {
        Memo::new(move |_| self.form.with(|form| form.as_ref()?.fields.get(&id).cloned()))
    }

    /// Returns a failure's reason.
    pub(super) fn write_field(
        self,
        field: &Field,
        edits: impl FnOnce(&Form, &Field) -> Edits,
    ) -> Result<(), String> {
        let Some(form) = self.form.get_untracked() else { return Ok(()) };
        let edits = edits(&form, field);
        let name = format_message(W::Filled.text(self.store.lang.get_untracked()), &[&field.label]);
        self.apply(&edits, &name)
    }

    /// Returns a failure's reason.
    pub(super) fn apply(self, edits: &Edits, name: &str) -> Result<(), String> {
        if edits.is_empty() {
            return Ok(());
        }
        let done = self.store.attempt(|editor, now| editor.apply_field_edits(edits, name, now));
        done.map_err(|problem| problem.map(|problem| message_with_help(&problem)).unwrap_or_default())
    }

    pub(super) fn apply_or_notify(self, edits: &Edits, name: &str) {
        self.store.end_typing_step();
        if let Err(why) = self.apply(edits, name) {
            self.store.notify(why, true);
        }
        self.store.end_typing_step();
    }
}

pub(super) fn form_options(ctx: FormContext) -> Vec<ReferenceOption> {
    let owner = ctx.form.with(|form| form.as_ref().and_then(|form| form.owners.first().cloned()));
    let (samples, lang) = (ctx.samples.get(), ctx.store.lang.get());
    let Some(owner) = owner else { return Vec::new() };
    ctx.store.read(|editor| {
        FormTarget::new(editor.document(), &owner)
            .map(|target| reference_options(&target, &owner, &samples, lang))
            .unwrap_or_default()
    })
}
