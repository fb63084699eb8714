//! Model errors, to which adapters map statuses and bodies.

use std::fmt;

/// Error kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The connection failed or broke early.
    Unreachable,
    /// Late answer.
    Timeout,
    /// Rejected key, or missing permission.
    Unauthorized,
    /// Declined by provider or model, or not sendable. Retries don't help.
    Refused,
    /// Unknown address or model.
    NotFound,
    /// Conversation or answer is too long.
    ContextLength,
    /// Too many requests or tokens now.
    RateLimited,
    /// Paid quota is used up. Waiting doesn't help.
    Quota,
    /// Overloaded provider.
    Overloaded,
    /// Provider failure.
    Failed,
    /// Wrong wire format.
    BadReply,
    /// Beyond the client's size limit.
    TooLarge,
}

impl ModelErrorKind {
    /// Such as `model/timeout`.
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

/// Model error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// The kind.
    pub kind: ModelErrorKind,
    /// For users: lower-case, without a period, without credentials.
    pub message: String,
}

impl ModelError {
    /// Creates an error.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Such as `model/timeout`.
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
