//! Chooses an edge: the first whose condition holds, else the first fallback. If there is neither, the graph ends.

use super::super::comparison;
use super::super::computed::unordered;
use super::super::event::TransitionReason;
use super::super::interpolate::{ReferenceSource, condition_path};
use super::super::lookup::ScopeView;
use super::super::program::{CompiledNode, Program};
use super::super::trace::{ComparedValue, StepSink, TraceEvent};
use super::{Next, Run};
use crate::expression::condition::Part;
use crate::failure::Failure;
use crate::value::Value;

impl<V: Value> Run<V> {
    /// `None` after a failure that no edge handles. Errors only if the node did not fail.
    pub(super) fn choose_transition(
        &mut self,
        program: &Program<V>,
        scope: u32,
        failed: bool,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Result<Option<Next>, Failure> {
        let node = self.scope_state(scope).node;
        let Some(compiled) = program.nodes.get(node as usize) else { return Ok(None) };
        if let (false, false, Some(target)) = (self.observe, failed, compiled.unconditional_target) {
            // Most nodes have one unconditional edge.
            return Ok(Some(Next::Node(target)));
        }
        let (edge, reason) = match self.choose_edge(program, scope, compiled, failed, sink) {
            // The first failure counts. The decision still has the verdicts, or the trace would not say why.
            Err(_) if failed => (None, TransitionReason::NoMatch),
            chosen => chosen?,
        };
        if self.observe {
            let scope = self.scope_state(scope).scope.clone();
            sink.emit(TraceEvent::EdgeDecided { at_ms, scope, node, edge, reason, verdicts: Vec::new() });
        }
        Ok(match edge.and_then(|edge| program.edges.get(edge as usize)) {
            Some(edge) => Some(Next::Node(edge.target)),
            None if failed => None,
            None => Some(Next::End(reason)),
        })
    }

    /// Takes a matching failure edge if conditions can't be evaluated.
    #[cold]
    pub(super) fn condition_failed(
        &mut self,
        program: &Program<V>,
        scope: u32,
        failure: Failure,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let node_failure = self.node_failure(scope, failure);
        let error = self.error_value(program, &node_failure, None);
        self.scope_state_mut(scope).error = Some(error);
        match self.choose_transition(program, scope, true, at_ms, sink) {
            Ok(Some(next)) => next,
            _ => Next::Fail(node_failure),
        }
    }

    fn choose_edge(
        &self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        failed: bool,
        sink: &mut impl StepSink<V>,
    ) -> Result<(Option<u32>, TransitionReason), Failure> {
        let Some(first) = compiled.edges.first() else { return Ok((None, TransitionReason::Terminal)) };
        if !compiled.has_conditions {
            return Ok(if failed {
                (None, TransitionReason::NoMatch)
            } else {
                (Some(*first), TransitionReason::Fallback)
            });
        }
        let view = ScopeView::new(self, program, self.scope_state(scope));
        let mut fallback = None;
        for position in &compiled.edges {
            let Some(edge) = program.edges.get(*position as usize) else { continue };
            match &edge.expr {
                None => fallback = fallback.or(Some(*position)),
                Some(_) if failed && !edge.reads_error => {}
                Some(test) => {
                    let holds = test.eval(&mut |part| self.evaluate_part(&view, part, sink));
                    if self.observe {
                        sink.condition_evaluated(*position, holds.as_ref().ok().copied());
                    }
                    if holds.map_err(|failure| in_condition(*failure, edge.index))? {
                        return Ok((Some(*position), TransitionReason::Condition));
                    }
                }
            }
        }
        Ok(match fallback {
            Some(edge) if !failed => (Some(edge), TransitionReason::Fallback),
            _ => (None, TransitionReason::NoMatch),
        })
    }

    fn evaluate_part(
        &self,
        view: &ScopeView<'_, V>,
        part: Part,
        sink: &mut impl StepSink<V>,
    ) -> Result<bool, Box<Failure>> {
        match part {
            Part::Atom(atom) => self.evaluate_atom(view, atom, sink),
            Part::Computed(index) => {
                let Some(computed) = view.program.computed.get(index) else { return Ok(false) };
                if self.observe {
                    for operand in computed.operands.clone() {
                        // An operand alone compares nothing, so it can't fail.
                        let _ = self.evaluate_atom(view, operand as usize, sink);
                    }
                }
                view.holds(computed).map_err(Box::new)
            }
        }
    }

    fn evaluate_atom(
        &self,
        view: &ScopeView<'_, V>,
        atom: usize,
        sink: &mut impl StepSink<V>,
    ) -> Result<bool, Box<Failure>> {
        let Some(compiled) = view.program.atoms.get(atom) else { return Ok(false) };
        let value = view.find(compiled.operand.root);
        if self.observe {
            sink.value_compared(ComparedValue {
                atom: u32::try_from(atom).unwrap_or(u32::MAX),
                value: value.cloned(),
            });
        }
        let Some(value) = value else { return Ok(false) };
        let path = view.path(compiled.operand);
        comparison::evaluate_comparison(value, path, compiled.predicate, &view.program.literals)
            .map_err(|operator| unordered(operator, compiled, value.view(path)))
    }
}

/// Names the condition in the message, as templates name their key.
#[cold]
fn in_condition(mut failure: Failure, index: u32) -> Failure {
    failure.message = format!("in `{}`: {}", condition_path(index), failure.message);
    failure
}
