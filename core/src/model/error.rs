//! The ways in which a model can fail to answer.
//!
//! Decides their codes. Knows no provider: what a status or a body of one means is decided at the edge.

use std::fmt;

/// In which way a model failed to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// No connection, or it broke before the answer was whole.
    Unreachable,
    /// No answer within the time it was given.
    Timeout,
    /// The provider does not know the key, or the key may not do this.
    Unauthorized,
    /// The provider, or the model itself, declines this request, or it can't be sent at all; asking again gives the same.
    Refused,
    /// There is nothing at this address, or no model of this name.
    NotFound,
    /// The conversation, or the answer asked for, is longer than the model takes.
    ContextLength,
    /// Too many requests or tokens for now.
    RateLimited,
    /// What was paid for is used up; waiting does not help.
    Quota,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed.
    Failed,
    /// The answer is not in the wire format.
    BadReply,
    /// The answer is larger than the client takes.
    TooLarge,
}

impl ModelErrorKind {
    /// `model/what`, stable for ever.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "model/unreachable",
            Self::Timeout => "model/timeout",
            Self::Unauthorized => "model/unauthorized",
            Self::Refused => "model/refused",
            Self::NotFound => "model/not-found",
            Self::ContextLength => "model/context-length",
            Self::RateLimited => "model/rate-limited",
            Self::Quota => "model/quota",
            Self::Overloaded => "model/overloaded",
            Self::Failed => "model/failed",
            Self::BadReply => "model/bad-reply",
            Self::TooLarge => "model/too-large",
        }
    }
}

/// A model that could not answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// In which way.
    pub kind: ModelErrorKind,
    /// What happened, for a person: lower-case, without a period, without credentials.
    pub message: String,
}

impl ModelError {
    /// A failure of this kind.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// `model/what`, stable for ever.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.message)
    }
}

impl std::error::Error for ModelError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_code() {
        let error = ModelError::new(ModelErrorKind::RateLimited, "slow down");
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("model/rate-limited", "model/rate-limited: slow down")
        );
    }
}
