//! The limits of a run and of its scopes, and the counters for them.
//!
//! Decides when a limit is exceeded. Every exceeded limit produces an outcome with its code.

use super::super::program::CompiledNode;
use super::{Next, Run};
use crate::failure::Failure;
use crate::model::ChatReply;
use crate::value::{Value, number_text};

/// The byte limit for one template. Also the default limit for all templates of a run.
pub(in super::super) const MAX_TEMPLATE_BYTES: f64 = 8_388_608.0;
const MAX_RUN_TEMPLATE_BYTES: f64 = 268_435_456.0;

/// Checks the size of a template's result.
pub(in super::super) fn check_template_size(bytes: f64) -> Result<(), Failure> {
    if bytes <= MAX_TEMPLATE_BYTES {
        return Ok(());
    }
    let (made, most) = (number_text(bytes), number_text(MAX_TEMPLATE_BYTES));
    let message = format!("a template made {made} bytes or more, and {most} are allowed");
    Err(Failure::new("template/too-large", message))
}

impl<V: Value> Run<V> {
    /// Counts a call, unless the run has reached its limit.
    pub(super) fn count_call(&mut self) -> Result<(), Failure> {
        if self.limits.calls.is_some_and(|calls| self.counts.calls >= calls) {
            let message = format!("{} calls were made", self.counts.calls);
            return Err(Failure::new("run/call-limit", message));
        }
        self.counts.calls += 1;
        Ok(())
    }

    /// Returns the limit that forbids another visit: that of the node or of the run.
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
                let message = format!("node `{}` was visited {limit} times", compiled.id);
                Next::Fail(self.node_failure(scope, Failure::new("run/visit-limit", message)))
            }
            None => {
                let message = format!("{} nodes were run", self.counts.steps);
                Next::Stop(self.node_failure(scope, Failure::new("run/step-limit", message)))
            }
        }
    }

    pub(super) fn count_tokens(&mut self, reply: &ChatReply) {
        if let Some(usage) = &reply.usage {
            #[expect(
                clippy::cast_precision_loss,
                reason = "no run uses as many tokens as a float can't count"
            )]
            let used = (usage.input + usage.output) as f64;
            self.counts.tokens += used;
        }
    }

    /// Counts the bytes from a template. Fails if the value or the total of the run is too large.
    pub(super) fn count_template_bytes(&mut self, value: &V) -> Result<(), Failure> {
        let bytes = value.weight();
        check_template_size(bytes)?;
        self.work += bytes / 1000.0;
        self.template_bytes += bytes;
        let most = self.limits.output_bytes.unwrap_or(MAX_RUN_TEMPLATE_BYTES);
        if self.template_bytes > most {
            let (made, most) = (number_text(self.template_bytes), number_text(most));
            let message = format!("templates made {made} bytes, and {most} are allowed");
            return Err(Failure::new("run/output-limit", message));
        }
        Ok(())
    }

    /// Returns the limit of the run that an answer exceeds.
    #[cold]
    #[inline(never)]
    pub(super) fn exceeded_limit(&mut self, value: &V) -> Option<Failure> {
        self.token_limit_exceeded().or_else(|| self.output_limit_exceeded(value.bytes()))
    }

    /// Returns the failure if models used more tokens than allowed.
    pub(super) fn token_limit_exceeded(&self) -> Option<Failure> {
        let most = self.limits.tokens.filter(|most| self.counts.tokens > *most)?;
        let (used, most) = (number_text(self.counts.tokens), number_text(most));
        let message = format!("{used} tokens were used, and {most} are allowed");
        Some(Failure::new("run/token-limit", message))
    }

    /// Counts these bytes, and returns the failure if calls returned more than allowed.
    pub(super) fn output_limit_exceeded(&mut self, bytes: f64) -> Option<Failure> {
        let most = self.limits.output_bytes?;
        self.counts.output_bytes += bytes;
        (self.counts.output_bytes > most).then(|| {
            let (given, most) = (number_text(self.counts.output_bytes), number_text(most));
            let message = format!("calls gave {given} bytes, and {most} are allowed");
            Failure::new("run/output-limit", message)
        })
    }
}
