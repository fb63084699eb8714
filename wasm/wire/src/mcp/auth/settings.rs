//! The user's settings of a client, and inputs that only the host has.
//!
//! Invariant: debug output shows no secret.

use crate::http::display_url;

/// How the client gets a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantType {
    /// The user agrees in the browser.
    #[default]
    Visit,
    /// Client credentials.
    Client,
    /// The host has a signed statement that the authorization server trusts, such as a workload identity.
    Assertion,
    /// The enterprise's identity provider exchanges the host's identity token for a statement.
    Enterprise,
}

/// A client's settings.
#[derive(Clone, Default)]
pub struct Settings {
    /// The server that the token is for, normalized, without query and fragment.
    pub server: String,
    /// The grant type.
    pub grant_type: GrantType,
    /// The address to which the browser returns.
    pub redirect_uri: String,
    /// For dynamic registration.
    pub name: String,
    /// Known to the authorization server.
    pub client_id: Option<String>,
    /// The client's secret.
    pub client_secret: Option<String>,
    /// The host's signing algorithm, which replaces the secret.
    pub algorithm: Option<String>,
    /// The only authorization server for these credentials. `None`: the first one found.
    pub issuer: Option<String>,
    /// The client's metadata document. Its URL is the client id where supported.
    pub metadata_url: Option<String>,
    /// Scopes to request always.
    pub scopes: Vec<String>,
    /// For [`GrantType::Enterprise`].
    pub provider: Option<Provider>,
}

/// An enterprise's identity provider.
#[derive(Clone, Default)]
pub struct Provider {
    /// Its token endpoint.
    pub url: String,
    /// The client id there.
    pub client_id: String,
    /// The client's secret there.
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

/// The time and random texts from the host.
#[derive(Clone, Default)]
pub struct AuthInputs {
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The PKCE verifier: proves who began the round.
    pub verifier: String,
    /// The verifier's SHA-256 in base64url.
    pub challenge: String,
    /// Ties the redirect to the request.
    pub state: String,
    /// The id of one signed assertion.
    pub id: String,
}

impl std::fmt::Debug for AuthInputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chance({})", self.now_ms)
    }
}
