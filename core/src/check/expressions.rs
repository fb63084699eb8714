//! Checks the types of expressions.
//!
//! Undeclared types are only probable, since stubs or handlers may differ, so such errors become warnings.

use super::inference::{Inference, ReferenceSite};
use super::known_value::KnownValue;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::expression::check::{ELEMENTS, limited};
use crate::expression::json::Roots;
use crate::expression::types::{Field, Object};
use crate::expression::{Computed, Domain, Error, Program, Purpose, ROOTS, Reference, Root, Type, Types};
use crate::graph::LazySpan;
use crate::value::Segment;
use serde_json::Value as Json;
use std::rc::Rc;

#[derive(Debug, Default)]
struct RootTypes {
    roots: Vec<(&'static str, Type)>,
    outputs: Vec<Field>,
    /// By root and path.
    values: Vec<(&'static str, Vec<Segment>, Domain)>,
    is_declared: bool,
    errors_only: bool,
}

impl Types for RootTypes {
    fn wants_warnings(&self) -> bool {
        !self.errors_only
    }

    fn root(&self, name: &str) -> Option<Type> {
        if name == "output" {
            return Some(Type::Object(Rc::new(Object { fields: self.outputs.clone(), open: true })));
        }
        let found = self.roots.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone());
        found.or_else(|| ROOTS.contains(&name).then_some(Type::Dyn))
    }

    fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    fn values(&self, root: &str, path: &[Segment]) -> Option<Domain> {
        let mut values = self.values.iter();
        values.find(|(known, at, _)| *known == root && at == path).map(|(.., domain)| domain.clone())
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, since most plans have no expressions.
    pub(super) fn check(expression: Checkee<'_>, inference: &mut Inference<'_, '_>, lazy_span: &mut LazySpan<'_>) -> Vec<Diagnostic> = find_mistakes;

    pub(super) fn infer(expression: Checkee<'_>, inference: &mut Inference<'_, '_>) -> Json = infer_schema;
}

pub(super) type Checkee<'c> = (&'c Computed, Purpose, (usize, ReferenceSite<'c>));

fn find_mistakes(
    (computed, purpose, (scope, site)): Checkee<'_>,
    inference: &mut Inference<'_, '_>,
    lazy_span: &mut LazySpan<'_>,
) -> Vec<Diagnostic> {
    // The compiler checks patterns.
    let mut errors = Program::compile(&computed.ast, &mut Roots::new(&ROOTS)).err().unwrap_or_default();
    let types = RootTypes::of(computed, scope, site, inference);
    errors.extend(crate::expression::check(&computed.ast, &types, purpose).errors);
    errors.retain(|error| !is_reference_error(error, computed) && !is_tested(error, computed, inference));
    let mut diagnostics = Vec::new();
    for error in limited(errors) {
        let mut diagnostic = to_diagnostic(error, lazy_span);
        if diagnostic.code == Code::ExpressionType && !types.is_declared {
            diagnostic.severity = Severity::Warning;
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn infer_schema((computed, purpose, (scope, site)): Checkee<'_>, inference: &mut Inference<'_, '_>) -> Json {
    // Only the type counts.
    let types = RootTypes { errors_only: true, ..RootTypes::of(computed, scope, site, inference) };
    crate::expression::check(&computed.ast, &types, purpose).kind.to_schema()
}

/// Whether a condition before the expression may test for `null`.
fn is_tested(error: &Error, computed: &Computed, inference: &Inference<'_, '_>) -> bool {
    let mut here = computed.references.iter().filter(|found| found.span == error.span);
    error.code == Code::ExpressionNull && here.any(|found| inference.tests_null(&found.reference.path))
}

/// The reference check has its own codes for unknown roots and fields.
fn is_reference_error(error: &Error, computed: &Computed) -> bool {
    let inside = || {
        let mut spans = computed.references.iter().map(|found| found.span);
        spans.any(|span| span.start <= error.span.start && error.span.end <= span.end)
    };
    match error.code {
        Code::UnknownRoot => true,
        Code::ExpressionUnknownField => inside(),
        _ => false,
    }
}

pub(super) fn to_diagnostic(error: Error, lazy_span: &mut LazySpan<'_>) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(error.code, error.message).at(lazy_span.locate(error.span));
    diagnostic.help = error.help;
    let edit = error.fix.and_then(|edit: TextEdit| lazy_span.to_file_edit(&edit));
    diagnostic.fix = edit.into_iter().collect();
    diagnostic
}

impl RootTypes {
    fn of(
        computed: &Computed,
        scope: usize,
        site: ReferenceSite<'_>,
        inference: &mut Inference<'_, '_>,
    ) -> Self {
        let mut types = Self { is_declared: true, errors_only: inference.errors_only(), ..Self::default() };
        for found in &computed.references {
            let root = &found.reference.root;
            let known = inference.root(root, scope, site);
            types.is_declared &= known.is_declared(&found.reference.path);
            types.add_values(&found.reference, &known);
            let kind = if *root == Root::Index { Type::Number } else { known.value_type(inference.patterns) };
            match root {
                Root::Output(name) if types.outputs.iter().all(|field| field.name != *name) => {
                    types.outputs.push(Field { name: name.clone(), kind, required: false });
                }
                Root::Output(_) => {}
                root => types.roots.push((root.word(), kind)),
            }
        }
        types
    }

    /// Of the referenced value, and of its elements.
    fn add_values(&mut self, reference: &Reference, known: &KnownValue<'_>) {
        let elements = ELEMENTS.map(|at| Some(Segment::Index(at)));
        for element in std::iter::once(None).chain(elements) {
            let path = reference.path.iter().cloned().chain(element).collect_vec();
            if let Some(domain) = known.possible_values(&path).and_then(|possible| possible.domain()) {
                let name = match &reference.root {
                    Root::Output(name) => Some(Segment::Key(name.clone())),
                    _ => None,
                };
                self.values.push((reference.root.word(), name.into_iter().chain(path).collect(), domain));
            }
        }
    }
}

impl KnownValue<'_> {
    fn is_declared(&self, path: &[Segment]) -> bool {
        match self {
            Self::Anything | Self::Constant(_) => true,
            _ => self
                .possible_values(path)
                .is_none_or(|possible| possible.is_declared || possible.is_unknown()),
        }
    }
}
