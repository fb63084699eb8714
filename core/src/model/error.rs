//! Errors of model calls.
//!
//! Knows no provider: adapters map statuses and bodies to these kinds.

use std::fmt;

/// The kind of a model error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The connection failed, or broke before the answer was complete.
    Unreachable,
    /// The answer did not arrive in time.
    Timeout,
    /// The provider rejects the key, or the key lacks the permission.
    Unauthorized,
    /// The provider or the model declines the request, or the client can't send it. A retry has the same result.
    Refused,
    /// The address or the model does not exist.
    NotFound,
    /// The conversation, or the requested answer, is too long for the model.
    ContextLength,
    /// Too many requests or tokens at the moment.
    RateLimited,
    /// The paid quota is used up. Waiting does not help.
    Quota,
    /// The provider is overloaded.
    Overloaded,
    /// The provider failed.
    Failed,
    /// The answer is not in the wire format.
    BadReply,
    /// The answer exceeds the client's size limit.
    TooLarge,
}

impl ModelErrorKind {
    /// Returns the stable code, such as `model/timeout`.
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

/// An error of a model call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// The kind.
    pub kind: ModelErrorKind,
    /// The message for users: lower-case, without a period, without credentials.
    pub message: String,
}

impl ModelError {
    /// Creates an error of this kind.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the stable code, such as `model/timeout`.
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
