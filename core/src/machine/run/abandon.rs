//! Abandons calls, timers and nested scopes.

use super::super::event::{CallId, Command};
use super::super::scope_state::{ChildState, Wait};
use super::super::timer::WaitTimer;
use super::super::trace::{ScopeStatus, StepSink};
use super::Run;
use crate::value::Value;

impl<V: Value> Run<V> {
    /// Withdraws what this step issued.
    pub(super) fn cancel_wait(&mut self, given_up: Command<V>, sink: &mut impl StepSink<V>) {
        match given_up {
            Command::Abandon(id) | Command::ClearTimer(id) if id.serial > self.serial_before_step => {
                self.forget_model_call(id);
                self.withdrawn.push(id.serial);
            }
            given_up => {
                if let Command::Abandon(id) = given_up {
                    self.model_call_abandoned(id);
                }
                sink.command(given_up);
            }
        }
    }

    pub(super) fn withdraw(&mut self, sink: &mut impl StepSink<V>) {
        if !self.withdrawn.is_empty() {
            self.withdrawn.sort_unstable();
            sink.withdraw(&self.withdrawn);
            self.withdrawn.clear();
        }
    }

    pub(super) fn abandon(&mut self, scope: u32, at_ms: f64, sink: &mut impl StepSink<V>) {
        self.clear_attempt_timeout(scope, sink);
        match std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing) {
            Wait::Nothing => {}
            Wait::Call(serial) => self.cancel_wait(Command::Abandon(CallId { scope, serial }), sink),
            Wait::Backoff(timer) | Wait::Delay(WaitTimer { timer, .. }) => {
                self.cancel_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
            }
            Wait::Conversation(conversation) => {
                for serial in conversation.open_serials() {
                    self.cancel_wait(Command::Abandon(CallId { scope, serial }), sink);
                }
                self.save_partial_conversation(scope, &conversation);
            }
            Wait::Gather(mut gather_state) => {
                for serial in gather_state.open_serials() {
                    self.cancel_wait(Command::Abandon(CallId { scope, serial }), sink);
                }
                for (_, timer) in gather_state.timers() {
                    self.cancel_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
                }
                self.save_partial_gather(scope, &gather_state);
            }
            Wait::Children(children) => {
                self.save_partial_children(scope, &children.children);
                for child in children.children {
                    let ChildState::Running(child) = child else { continue };
                    if !self.scope_state(child).is_alive {
                        continue;
                    }
                    self.abandon(child, at_ms, sink);
                    self.emit_scope_ended(child, ScopeStatus::Abandoned, at_ms, sink);
                    self.scope_state_mut(child).is_alive = false;
                    self.ended_scopes.push(child);
                }
            }
        }
    }
}
