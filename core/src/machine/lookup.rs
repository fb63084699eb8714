//! Resolves references within a scope, read-only.

use super::interpolate::ReferenceSource;
use super::program::{CompiledComputed, CompiledReference, Program, ReferenceRoot};
use super::run::Run;
use super::scope_state::ScopeState;
use crate::expression::evaluate::Limits;
use crate::failure::Failure;
use crate::value::{Path, Value};
use std::cell::Cell;

#[derive(Debug)]
pub(super) struct ScopeView<'a, V: Value> {
    pub(super) run: &'a Run<V>,
    pub(super) program: &'a Program<V>,
    pub(super) scope_state: &'a ScopeState<V>,
    /// What all expressions together may still use.
    pub(super) limits: Cell<Limits>,
}

/// Nothing interrupts the expressions of one node, so they share a limit.
const SHARED: Limits = Limits { steps: 10_000_000, bytes: 40_000_000 };

impl<'a, V: Value> ScopeView<'a, V> {
    pub(super) fn new(run: &'a Run<V>, program: &'a Program<V>, scope_state: &'a ScopeState<V>) -> Self {
        Self { run, program, scope_state, limits: Cell::new(SHARED) }
    }

    pub(super) fn scopes_outward(&self) -> impl Iterator<Item = &'a ScopeState<V>> {
        let run = self.run;
        std::iter::successors(Some(self.scope_state), move |scope_state| {
            Some(run.scope(scope_state.parent?.0))
        })
    }

    pub(super) fn find(&self, source: ReferenceRoot) -> Option<&'a V> {
        match source {
            ReferenceRoot::Last => Some(&self.scope_state.last),
            ReferenceRoot::Input => Some(&self.scope_state.input),
            ReferenceRoot::Output(name) => self.scope_state.outputs.get(name as usize)?.as_ref(),
            rare => self.find_uncommon(rare),
        }
    }

    /// Uncommon roots, outside the hot path.
    #[inline(never)]
    fn find_uncommon(&self, source: ReferenceRoot) -> Option<&'a V> {
        match source {
            ReferenceRoot::Last
            | ReferenceRoot::Input
            | ReferenceRoot::Output(_)
            | ReferenceRoot::Nowhere => None,
            ReferenceRoot::Memory => self.run.memory(),
            ReferenceRoot::Context => self.run.context(),
            ReferenceRoot::Error => self.scopes_outward().find_map(|scope_state| scope_state.error.as_ref()),
            ReferenceRoot::Outer(lookup) => {
                let places = self.program.outer.get(lookup as usize)?;
                places.iter().find_map(|(depth, name)| {
                    self.scopes_outward().nth(*depth as usize)?.outputs.get(*name as usize)?.as_ref()
                })
            }
            ReferenceRoot::Item(depth) => self.scopes_outward().nth(depth as usize)?.item.as_ref(),
            ReferenceRoot::Index(depth) => self.scopes_outward().nth(depth as usize)?.index.as_ref(),
        }
    }
}

pub(super) fn reference_path<V: Value>(program: &Program<V>, reference: CompiledReference) -> &Path {
    static WHOLE: Path = Path { number: 0, segments: Vec::new() };
    program.paths.get(reference.path as usize).unwrap_or(&WHOLE)
}

impl<V: Value> ReferenceSource<V> for ScopeView<'_, V> {
    fn space(&self) -> &V::Arena {
        self.run.space()
    }

    fn root(&self, reference: CompiledReference) -> Option<&V> {
        self.find(reference.root)
    }

    fn path(&self, reference: CompiledReference) -> &Path {
        reference_path(self.program, reference)
    }

    fn evaluate_to_value(&self, computed: &CompiledComputed) -> Result<Option<V>, Failure> {
        self.computed_value(computed)
    }

    fn evaluate_to_text(&self, computed: &CompiledComputed) -> Result<Option<String>, Failure> {
        self.computed_text(computed)
    }

    fn missing_path(&self, computed: &CompiledComputed) -> Option<String> {
        self.computed_missing_path(computed)
    }

    fn available_references(&self) -> String {
        let mut names: Vec<String> = vec!["`last`".to_owned(), "`input`".to_owned()];
        for scope_state in self.scopes_outward() {
            names.extend(
                scope_state.named_outputs(self.program).map(|(name, _)| format!("`output.{name}`")).take(8),
            );
        }
        if self.scopes_outward().any(|scope_state| scope_state.item.is_some()) {
            names.push("`item`".to_owned());
        }
        names.truncate(10);
        match names.as_slice() {
            [first, second] => format!("{first} and {second}"),
            names => names.join(", "),
        }
    }
}
