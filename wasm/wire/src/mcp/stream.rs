//! Decides whether a broken event stream resumes, when, and after which event.
//!
//! Invariants:
//! 1. A stream resumes at most [`MAX_RETRIES`] times in a row without new data.
//! 2. The pending reply stays known until its request is sent. A refusal for a missing token restores it.

use super::era::ProtocolEra;
use super::recovery::SentRequest;
use super::reply::Reply;

pub(super) const MAX_RETRIES: u8 = 5;
const PAUSE_MS: u64 = 1000;
/// Applies even if the server requests less.
const MIN_PAUSE_MS: u64 = 100;

#[derive(Debug, Clone)]
pub(super) struct PendingReply {
    pub(super) id: u64,
    pub(super) generation: u64,
    pub(super) era: ProtocolEra,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamRecovery {
    Resumed,
    Restarted,
    Ended,
}

#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) pending: Option<PendingReply>,
    pub(super) last_event_id: Option<String>,
    pub(super) pause: Option<u64>,
    /// Since the last data.
    break_count: u8,
    retry_ms: Option<u64>,
}

impl Stream {
    pub(super) fn received(&mut self) {
        self.break_count = 0;
    }

    pub(super) fn retry(&mut self, sent: &SentRequest) {
        self.pending = Some(PendingReply { id: sent.id, generation: sent.generation, era: sent.era.clone() });
    }

    /// `endless` marks a stream without an answer: a new stream loses no result.
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
