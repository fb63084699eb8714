//! What the user says of a client, and what only the host has.
//!
//! Invariant: nothing of it is shown when it is printed for debugging: most of it is secret.

use crate::http::display_url;

/// How a token is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantType {
    /// A person visits an address and agrees there.
    #[default]
    Visit,
    /// The client speaks for itself.
    Client,
    /// The host has a signed statement that the authorization server trusts: a workload's identity.
    Assertion,
    /// The host has an identity token, for which the enterprise's identity provider gives such a statement.
    Enterprise,
}

/// What the user says of the client.
#[derive(Clone, Default)]
pub struct Settings {
    /// The address of the server that a token is wanted for, as the platform writes it, without query and fragment.
    pub server: String,
    /// How a token is asked for.
    pub grant_type: GrantType,
    /// Where a browser comes back to.
    pub redirect_uri: String,
    /// What the client is called where it registers itself.
    pub name: String,
    /// A client that the authorization server knows already.
    pub client_id: Option<String>,
    /// Its password.
    pub client_secret: Option<String>,
    /// With which algorithm the host signs for the client instead; nothing when it can't.
    pub algorithm: Option<String>,
    /// The only authorization server that these credentials are for; the first one met unless given.
    pub issuer: Option<String>,
    /// Where the client describes itself: its name where authorization servers understand such names.
    pub metadata_url: Option<String>,
    /// What to ask for in any case.
    pub scopes: Vec<String>,
    /// The identity provider of [`GrantType::Enterprise`].
    pub provider: Option<Provider>,
}

/// Where an enterprise exchanges identity tokens.
#[derive(Clone, Default)]
pub struct Provider {
    /// Its token endpoint.
    pub url: String,
    /// The client as the identity provider knows it.
    pub client_id: String,
    /// Its password there.
    pub client_secret: Option<String>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Settings({}, {:?})", display_url(&self.server), self.grant_type)
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Provider({})", display_url(&self.url))
    }
}

/// What only the host has: the time, and texts that nobody can guess.
#[derive(Clone, Default)]
pub struct AuthInputs {
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// Proves at the end that the beginning was ours.
    pub verifier: String,
    /// The SHA-256 of the verifier, in base64url.
    pub challenge: String,
    /// Ties the answer to the question.
    pub state: String,
    /// The name of a signed statement, used once.
    pub id: String,
}

impl std::fmt::Debug for AuthInputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chance({})", self.now_ms)
    }
}
