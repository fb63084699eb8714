//! Limits of runs and scopes, and their counters. Every exceeded limit produces an outcome with its code.

use super::super::event::Counts;
use super::super::interpolate::check_template_size;
use super::super::program::CompiledNode;
use super::{Next, Run};
use crate::failure::Failure;
use crate::graph::Limits;
use crate::model::ChatReply;
use crate::value::{Value, number_text};

const MAX_RUN_TEMPLATE_BYTES: f64 = 268_435_456.0;

impl<V: Value> Run<V> {
    /// Fails at the call limit, or if models used too much.
    pub(super) fn count_call(&mut self) -> Result<(), Failure> {
        // Includes replies that failed their node.
        if let Some(failure) = self.model_limit_exceeded() {
            return Err(failure);
        }
        if self.limits.calls.is_some_and(|calls| self.counts.calls >= calls) {
            let (made, raise) =
                (self.counts.calls, raise("calls", self.limits.calls == self.program.limits.calls));
            let message = format!("{made} calls were made, and {made} are allowed: {raise}");
            return Err(Failure::new("run/call-limit", message));
        }
        self.counts.calls += 1;
        Ok(())
    }

    /// The node's or run's limit that forbids a visit.
    #[cold]
    #[inline(never)]
    pub(super) fn visit_or_step_limit(
        &self,
        scope: u32,
        compiled: &CompiledNode<V>,
        visits: Option<u32>,
    ) -> Next {
        match visits {
            Some(limit) => {
                let place = self.visit_limit_place(compiled);
                let message = format!(
                    "node `{}` was visited {limit} times, and {limit} are allowed{place}",
                    compiled.id
                );
                Next::Fail(self.node_failure(scope, Failure::new("run/visit-limit", message)))
            }
            None => {
                let (run, raise) =
                    (self.counts.steps, raise("steps", self.limits.steps == self.program.limits.steps));
                let message = format!("{run} nodes were run, and {run} are allowed: {raise}");
                Next::Stop(self.node_failure(scope, Failure::new("run/step-limit", message)))
            }
        }
    }

    fn visit_limit_place(&self, compiled: &CompiledNode<V>) -> String {
        let default = Limits::default().visits;
        match compiled.visits {
            Some(_) => ": raise `visits` of the node".to_owned(),
            None if self.limits.visits == default && self.program.limits.visits == default => {
                " by default: raise `visits` of the node".to_owned()
            }
            None => format!(": {}", raise("visits", self.limits.visits == self.program.limits.visits)),
        }
    }

    /// A stub without a cost is free.
    #[expect(
        clippy::cast_precision_loss,
        reason = "no run uses as many tokens or dollars as a float can't count"
    )]
    pub(super) fn count_usage(&mut self, reply: &ChatReply, is_stub: bool) {
        match &reply.usage {
            Some(usage) => self.counts.tokens += usage.input.saturating_add(usage.output) as f64,
            None => self.counts.uncounted += u32::from(!is_stub),
        }
        match reply.usage.and_then(|usage| usage.micro_usd) {
            Some(cost) => self.counts.micro_usd += cost as f64,
            None => self.counts.unpriced += u32::from(!is_stub),
        }
    }

    /// Fails if the value or the run's total is too large.
    pub(super) fn count_template_bytes(&mut self, value: &V) -> Result<(), Failure> {
        let bytes = value.weight();
        check_template_size(bytes)?;
        self.work += bytes / 1000.0;
        self.template_bytes += bytes;
        let limit = self.limits.output_bytes.unwrap_or(MAX_RUN_TEMPLATE_BYTES);
        if self.template_bytes > limit {
            let (made, limit) = (number_text(self.template_bytes), number_text(limit));
            let message =
                format!("templates made {made} bytes, and {limit} are allowed{}", self.output_limit_place());
            return Err(Failure::new("run/output-limit", message));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn exceeded_limit(&mut self, value: &V) -> Option<Failure> {
        self.model_limit_exceeded().or_else(|| self.output_limit_exceeded(value.bytes()))
    }

    /// Unknown amounts of tokens or cost exceed limits.
    pub(super) fn model_limit_exceeded(&self) -> Option<Failure> {
        self.token_limit_exceeded().or_else(|| self.usd_limit_exceeded())
    }

    /// An unknown cost exceeds the limit.
    fn usd_limit_exceeded(&self) -> Option<Failure> {
        let limit = self.limits.usd?;
        let Counts { micro_usd, unpriced, unreported_micro_usd, .. } = self.counts;
        let (cost, most) = (micro_usd / 1e6, (micro_usd + unreported_micro_usd) / 1e6);
        if most <= limit && unpriced == 0 {
            return None;
        }
        let allowed = number_text(limit);
        let message = if unpriced > 0 {
            format!("a model replied without a known cost, and {allowed} USD are allowed")
        } else if cost > limit {
            let raise = raise("usd", self.limits.usd == self.program.limits.usd);
            format!("models cost {} USD, and {allowed} are allowed: {raise}", number_text(cost))
        } else if most.is_finite() {
            let most = number_text(most);
            format!(
                "with calls that ended without a report, models may have cost {most} USD, and {allowed} are allowed"
            )
        } else {
            format!(
                "a call of a model ended without a report, at an unknown cost, and {allowed} USD are allowed"
            )
        };
        Some(Failure::new("run/usd-limit", message))
    }

    fn token_limit_exceeded(&self) -> Option<Failure> {
        let Counts { tokens, uncounted, unreported_tokens, .. } = self.counts;
        let most = tokens + unreported_tokens;
        let limit = self.limits.tokens.filter(|limit| most > *limit || uncounted > 0)?;
        let allowed = number_text(limit);
        let message = if uncounted > 0 {
            format!("a model replied without its number of tokens, and {allowed} are allowed")
        } else if tokens > limit {
            let raise = raise("tokens", self.limits.tokens == self.program.limits.tokens);
            format!("{} tokens were used, and {allowed} are allowed: {raise}", number_text(tokens))
        } else if most.is_finite() {
            let most = number_text(most);
            format!(
                "with calls that ended without a report, {most} tokens may have been used, and {allowed} are allowed"
            )
        } else {
            format!(
                "a call of a model without `max_tokens` ended without a report, and {allowed} tokens are allowed"
            )
        };
        Some(Failure::new("run/token-limit", message))
    }

    #[cold]
    #[inline(never)]
    fn output_limit_place(&self) -> String {
        let raise = raise("output_bytes", self.limits.output_bytes == self.program.limits.output_bytes);
        let default = if self.limits.output_bytes.is_none() { " by default" } else { "" };
        format!("{default}: {raise}")
    }

    pub(super) fn output_limit_exceeded(&mut self, bytes: f64) -> Option<Failure> {
        let limit = self.limits.output_bytes?;
        self.counts.output_bytes += bytes;
        (self.counts.output_bytes > limit).then(|| {
            let (given, limit) = (number_text(self.counts.output_bytes), number_text(limit));
            let place = self.output_limit_place();
            let message = format!("calls gave {given} bytes, and {limit} are allowed{place}");
            Failure::new("run/output-limit", message)
        })
    }
}

/// Says where a limit of the run is set. `is_own` is true for a limit of the plan.
#[cold]
#[inline(never)]
pub(super) fn raise(name: &str, is_own: bool) -> String {
    let place = if is_own { "of the plan" } else { "in the options of the run" };
    format!("raise `limits.{name}` {place}")
}
