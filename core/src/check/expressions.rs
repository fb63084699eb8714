//! Checks the types of expressions.
//!
//! Undeclared types are only probable, since stubs or handlers may differ, so such errors become warnings.

use super::inference::{Inference, ReferenceSite};
use super::known_value::KnownValue;
use super::null_tests;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::expression::check::{ELEMENTS, limited};
use crate::expression::condition::Part;
use crate::expression::json::Roots;
use crate::expression::types::{Field, Object};
use crate::expression::{
    Computed, Domain, Error, Program, Purpose, ROOTS, Reference, ReferenceUse, Root, Type, Types,
};
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
    narrows: bool,
}

impl Types for RootTypes {
    fn wants_warnings(&self) -> bool {
        !self.errors_only
    }

    /// A run needs no precise types.
    fn narrows(&self) -> bool {
        self.narrows
    }

    fn root(&self, name: &str) -> Option<Type> {
        if name == "output" {
            return Some(Type::Object(Rc::new(Object {
                fields: self.outputs.clone(),
                open: true,
                is_complete: false,
            })));
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

    /// Lazy, because few plans compute the time that a node waits for.
    pub(super) fn is_duration(expression: Checkee<'_>, inference: &mut Inference<'_, '_>) -> bool = infers_duration;
}

pub(super) type Checkee<'c> = (&'c Computed, Purpose, (usize, ReferenceSite<'c>));

fn find_mistakes(
    checkee: Checkee<'_>,
    inference: &mut Inference<'_, '_>,
    lazy_span: &mut LazySpan<'_>,
) -> Vec<Diagnostic> {
    let (computed, purpose, (scope, site)) = checkee;
    // The compiler checks patterns.
    let mut errors = Program::compile(&computed.ast, &mut Roots::new(&ROOTS)).err().unwrap_or_default();
    let types = RootTypes::of(computed, scope, site, inference);
    errors.extend(crate::expression::check(&computed.ast, &types, purpose).errors);
    errors.retain(|error| !is_reported(error, computed) && !is_tested(error, checkee, inference));
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

fn infer_schema(expression: Checkee<'_>, inference: &mut Inference<'_, '_>) -> Json {
    infer_type(expression, inference).to_schema()
}

fn infers_duration(expression: Checkee<'_>, inference: &mut Inference<'_, '_>) -> bool {
    infer_type(expression, inference) == Type::Duration
}

fn infer_type((computed, purpose, (scope, site)): Checkee<'_>, inference: &mut Inference<'_, '_>) -> Type {
    // Only the type counts.
    let types = RootTypes { errors_only: true, ..RootTypes::of(computed, scope, site, inference) };
    crate::expression::check(&computed.ast, &types, purpose).kind
}

/// Whether a condition before the expression excludes `null`.
#[inline(never)]
fn is_tested(
    error: &Error,
    (computed, _, (scope, site)): Checkee<'_>,
    inference: &mut Inference<'_, '_>,
) -> bool {
    if error.code != Code::ExpressionNull {
        return false;
    }
    let part = match site {
        ReferenceSite::Edge(edge) => edge.computed().iter().position(|part| std::ptr::eq(part, computed)),
        ReferenceSite::Node(_) => None,
    };
    let place = (scope, site, part.map(Part::Computed));
    let inside =
        |found: &&ReferenceUse| error.span.start <= found.span.start && found.span.end <= error.span.end;
    let mut references = computed.references.iter().filter(inside);
    references.any(|found| null_tests::is_tested(&found.reference, place, inference))
        // The value of a macro's variable, or a part of it.
        || computed.references.iter().any(|found| null_tests::tests_elements(&found.reference, place, inference))
}

/// The parser has reported unknown functions. The reference check has its own codes for unknown roots and fields.
fn is_reported(error: &Error, computed: &Computed) -> bool {
    let inside = || {
        let mut spans = computed.references.iter().map(|found| found.span);
        spans.any(|span| span.start <= error.span.start && error.span.end <= span.end)
    };
    match error.code {
        Code::UnknownRoot | Code::ExpressionUnknownFunction => true,
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
        let errors_only = inference.errors_only();
        let mut types = Self { is_declared: true, errors_only, narrows: !errors_only, ..Self::default() };
        for found in &computed.references {
            let root = &found.reference.root;
            let known = inference.root(root, scope, site);
            types.is_declared &= known.is_declared(&found.reference.path);
            types.add_values(&found.reference, &known);
            let kind = if *root == Root::Index {
                Type::Number
            } else {
                known.value_type((inference.patterns, !errors_only))
            };
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
