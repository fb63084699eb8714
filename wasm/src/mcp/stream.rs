//! How an answer is got whose stream broke: from where it broke, or from the beginning.
//!
//! Decides whether a stream is taken up again, when, and after which event. Knows nothing of what it carries.
//!
//! Invariants:
//! 1. a stream is taken up again at most [`MAX_RETRIES`] times in which nothing new arrives;
//! 2. what is to be taken up stays known until its request is sent, and is known again when that one is refused for want of a token.
//!
//! Source: specification 2025-11-25 (basic/transports); WHATWG HTML, section "Server-sent events".

use super::recovery::SentRequest;
use super::reply::Reply;
use super::session::ProtocolEra;

/// How often a stream is taken up again though nothing new arrives.
pub(super) const MAX_RETRIES: u8 = 5;
/// How long a stream is left alone before it is taken up again, unless the server says.
const PAUSE_MS: u64 = 1000;
/// However short the server wants it.
const MIN_PAUSE_MS: u64 = 100;

/// A request whose answer is not whole yet.
#[derive(Debug, Clone)]
pub(super) struct PendingReply {
    pub(super) id: u64,
    pub(super) generation: u64,
    pub(super) era: ProtocolEra,
}

/// What becomes of a broken stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamRecovery {
    /// It is taken up where it broke.
    Resumed,
    /// It is begun anew.
    Restarted,
    /// It is over.
    Ended,
}

/// How far a stream has come.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Whose answer is to be taken up again.
    pub(super) pending: Option<PendingReply>,
    /// After which event.
    pub(super) last_event_id: Option<String>,
    /// How long that is to be waited for.
    pub(super) pause: Option<u64>,
    /// How often it broke since something arrived.
    break_count: u8,
    /// What the server last said of how long it wants to be left alone: it holds until it says something else.
    retry_ms: Option<u64>,
}

impl Stream {
    /// Something has arrived.
    pub(super) fn received(&mut self) {
        self.break_count = 0;
    }

    /// The same request is to be sent once more.
    pub(super) fn retry(&mut self, sent: &SentRequest) {
        self.pending = Some(PendingReply { id: sent.id, generation: sent.generation, era: sent.era.clone() });
    }

    /// The stream broke. `endless` is one that carries no answer, so that nothing is lost by a new one.
    pub(super) fn interrupted(
        &mut self,
        sent: &SentRequest,
        reply: &Reply,
        refused: bool,
        longest_ms: u64,
        endless: bool,
    ) -> StreamRecovery {
        if reply.last_event_id.is_some() && reply.last_event_id != self.last_event_id {
            self.last_event_id.clone_from(&reply.last_event_id);
            self.break_count = 0;
        }
        self.break_count += 1;
        self.retry_ms = reply.retry_ms.or(self.retry_ms);
        let pause = self.retry_ms.unwrap_or(PAUSE_MS).max(MIN_PAUSE_MS);
        if self.break_count > MAX_RETRIES || pause > longest_ms || refused {
            return StreamRecovery::Ended;
        }
        let after = if sent.era != ProtocolEra::Modern && self.last_event_id.is_some() {
            self.retry(sent);
            StreamRecovery::Resumed
        } else if endless {
            StreamRecovery::Restarted
        } else {
            return StreamRecovery::Ended;
        };
        self.pause = Some(pause);
        after
    }
}
