//! Model calls without a usage report: abandoned, timed out, or failed.
//!
//! Decides which may be billed, and their maximum usage, which counts in full so that limits stay upper bounds.

use super::super::event::{Answer, CallId, Request};
use super::Run;
use crate::failure::Failure;
use crate::model::ChatRequest;
use crate::value::Value;

/// The provider did not start to answer, or the host has no model.
const NOT_BILLED: [&str; 7] = [
    "model/context-length",
    "model/not-found",
    "model/overloaded",
    "model/quota",
    "model/rate-limited",
    "model/unauthorized",
    "model/unknown",
];

/// Providers add marks between messages, and instructions for tools and schemas.
const ADDED_TOKENS: f64 = 1000.0;

/// Its maximum tokens, infinite if unknown.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenModelCall {
    id: CallId,
    input: f64,
    output: f64,
}

impl<V: Value> Run<V> {
    pub(super) fn model_called(&mut self, id: CallId, request: &Request<V>) {
        if matches!(request, Request::Model(_)) {
            let opened = self.open_model_call(id, request);
            self.open_model_calls.extend(opened);
        }
    }

    /// `None` unless a model is called.
    #[inline(never)]
    pub(super) fn open_model_call(&self, id: CallId, request: &Request<V>) -> Option<OpenModelCall> {
        let Request::Model(request) = request else { return None };
        let max_output = request.max_tokens.map(f64::from).or(self.limits.max_output);
        let is_counted = self.limits.tokens.is_some() || self.limits.input_price.is_some();
        // Runs without limits and prices need no size.
        let input = if is_counted { most_input_tokens(request) } else { f64::INFINITY };
        Some(OpenModelCall { id, input, output: max_output.unwrap_or(f64::INFINITY) })
    }

    pub(super) fn model_call_ended(&mut self, id: CallId, result: &Result<Answer<V>, Failure>) {
        if self.open_model_calls.is_empty() {
            return;
        }
        let Some(call) = self.forget_model_call(id) else { return };
        let is_unreported = match result {
            Ok(Answer::Value(..) | Answer::Reply(_)) => false,
            Ok(Answer::Decided(_)) => true,
            Err(failure) => !NOT_BILLED.contains(&&*failure.code),
        };
        if is_unreported {
            self.count_unreported(call);
        }
    }

    /// The provider may answer nevertheless.
    pub(super) fn model_call_abandoned(&mut self, id: CallId) {
        if let Some(call) = self.forget_model_call(id) {
            self.count_unreported(call);
        }
    }

    #[inline(never)]
    pub(super) fn forget_model_call(&mut self, id: CallId) -> Option<OpenModelCall> {
        let place = self.open_model_calls.iter().position(|call| call.id == id)?;
        Some(self.open_model_calls.swap_remove(place))
    }

    #[inline(never)]
    fn count_unreported(&mut self, OpenModelCall { input, output, .. }: OpenModelCall) {
        self.counts.unreported += 1;
        self.counts.unreported_tokens += input + output;
        let price = |price: Option<f64>| price.unwrap_or(f64::INFINITY);
        let cost = most_cost(input, price(self.limits.input_price))
            + most_cost(output, price(self.limits.output_price));
        self.counts.unreported_micro_usd += cost.ceil();
    }
}

/// Free tokens cost nothing, even if uncounted.
fn most_cost(tokens: f64, price: f64) -> f64 {
    if price > 0.0 { tokens * price } else { 0.0 }
}

/// A token has at least one byte.
#[expect(clippy::cast_precision_loss, reason = "no request has as many bytes as a float can't count")]
fn most_input_tokens(request: &ChatRequest) -> f64 {
    request.to_json().to_string().len() as f64 + ADDED_TOKENS
}
