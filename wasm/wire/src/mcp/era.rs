//! The era of a server, and the phase of a connection to it.

use super::MODERN;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ConnectionPhase {
    Closed,
    Opening,
    Open(ProtocolEra),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    Modern,
    Legacy { version: &'static str, session: Option<String> },
}

impl ProtocolEra {
    pub(super) fn version(&self) -> &'static str {
        match self {
            Self::Modern => MODERN,
            Self::Legacy { version, .. } => version,
        }
    }

    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::Modern => None,
            Self::Legacy { session, .. } => session.as_deref(),
        }
    }
}
