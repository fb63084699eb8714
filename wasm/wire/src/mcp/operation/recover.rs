//! Continues an operation after a broken stream or a lost session.

use super::{LISTS, Operation};
use crate::mcp::operation_goal::OperationKind;
use crate::mcp::recovery::{RecoveryAction, SentRequest};
use crate::mcp::reply::Reply;
use crate::mcp::server_message::list_changed;
use crate::mcp::stream::StreamRecovery;
use stepgraph_core::tool::ToolErrorKind;

impl Operation {
    /// Recovers by resuming the stream, or by repeating the request.
    pub(super) fn can_recover(&mut self, sent: &SentRequest, reply: &Reply) -> bool {
        let lost = sent.is_resumed && reply.is_lost();
        let refused = sent.is_resumed && !reply.head.is_ok() && reply.head.status != 0;
        if !(reply.is_cut() || lost || refused) {
            return false;
        }
        let connection = self.connection.borrow();
        let watches = self.goal.kind == OperationKind::Watch;
        let longest = connection.options.limits.pause_ms;
        match self.stream.interrupted(sent, reply, refused, longest, watches) {
            StreamRecovery::Resumed => true,
            StreamRecovery::Restarted => {
                self.messages.extend(LISTS.map(list_changed));
                true
            }
            StreamRecovery::Ended => {
                !watches
                    && self.goal.is_repeatable(&connection)
                    && self.attempted.is_first_attempt(RecoveryAction::Repeat)
            }
        }
    }

    pub(super) fn renew_session(&mut self, generation: u64) {
        let mut connection = self.connection.borrow_mut();
        connection.drop_session(generation);
        if !self.attempted.is_first_attempt(RecoveryAction::Renew) {
            let message = "dropped the session, and also the session that replaced it";
            self.done = Some(Err(connection.error(ToolErrorKind::SessionLost, message)));
        }
        self.goal.restart();
        if self.goal.kind == OperationKind::Watch {
            self.messages.extend(LISTS.map(list_changed));
        }
    }
}
