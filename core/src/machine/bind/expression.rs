//! Compiles expressions.

use super::{Binder, to_u32};
use crate::expression::literal::Literal;
use crate::expression::reference::from_parts;
use crate::expression::{Computed, Names, Program};
use crate::machine::program::{CompiledAtom, CompiledComputed, CompiledPredicate};
use crate::value::{Segment, Value};
use std::ops::Range;

impl<V: Value> Binder<'_, V> {
    /// Makes references comparisons, for the trace.
    pub(super) fn operands(&mut self, computed: &Computed) -> Range<u32> {
        let start = to_u32(self.atoms.len());
        for found in &computed.references {
            let operand = self.compile_reference(&found.reference);
            let (reference, predicate) = (found.reference.to_string(), CompiledPredicate::Operand);
            self.atoms.push(CompiledAtom { operand, reference, predicate, is_reversed: false });
        }
        start..to_u32(self.atoms.len())
    }

    pub(super) fn add_literal(&mut self, literal: &Literal) -> u32 {
        self.literals.push(literal.clone());
        let number = to_u32(self.literals.len() - 1);
        if !self.texts.contains_key(&literal.text) {
            self.texts.insert(literal.text.clone(), number);
        }
        number
    }

    pub(super) fn compile_computed(&mut self, computed: &Computed, operands: Range<u32>) -> CompiledComputed {
        // The check compiled it, so the fallback never applies.
        let program = Program::compile(&computed.ast, self).unwrap_or_default();
        CompiledComputed { program, text: computed.ast.to_string(), operands }
    }
}

impl<V: Value> Names for Binder<'_, V> {
    fn root(&mut self, name: &str, path: &[Segment]) -> Option<(u32, usize)> {
        let reference = from_parts(name, path.to_vec())?;
        let root = self.compile_root(&reference.root);
        let known = self.expression_roots.iter().position(|known| *known == root);
        let number = known.unwrap_or_else(|| {
            self.expression_roots.push(root);
            self.expression_roots.len() - 1
        });
        Some((to_u32(number), path.len() - reference.path.len()))
    }

    fn path(&mut self, segments: &[Segment]) -> u32 {
        self.paths.intern(segments.to_vec())
    }

    fn text(&mut self, text: &str) -> u32 {
        let known = self.texts.get(text).copied();
        known.unwrap_or_else(|| self.add_literal(&Literal::new(text, true)))
    }
}
