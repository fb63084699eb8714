//! The user's settings of a client, and inputs that only the host has.
//!
//! Invariant: debug output shows none of the secrets.

use crate::http::display_url;

/// How the client gets a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantType {
    /// The user visits a URL and agrees there.
    #[default]
    Visit,
    /// Client credentials.
    Client,
    /// The host has a signed statement that the authorization server trusts, such as a workload identity.
    Assertion,
    /// The host has an identity token. The enterprise's identity provider exchanges it for such a statement.
    Enterprise,
}

/// The user's settings of the client.
#[derive(Clone, Default)]
pub struct Settings {
    /// The URL of the server that the token is for, normalized by the platform, without query and fragment.
    pub server: String,
    /// The grant type.
    pub grant_type: GrantType,
    /// The URL that the browser comes back to.
    pub redirect_uri: String,
    /// The client name for dynamic registration.
    pub name: String,
    /// A client id that the authorization server already knows.
    pub client_id: Option<String>,
    /// The client's secret.
    pub client_secret: Option<String>,
    /// The host's signing algorithm, which replaces the secret. `None` if the host can't sign.
    pub algorithm: Option<String>,
    /// The only authorization server for these credentials. `None`: the first one found.
    pub issuer: Option<String>,
    /// The URL of the client's metadata document. It is the client id where the authorization server supports
    /// that.
    pub metadata_url: Option<String>,
    /// Scopes to request in any case.
    pub scopes: Vec<String>,
    /// The identity provider of [`GrantType::Enterprise`].
    pub provider: Option<Provider>,
}

/// An enterprise's identity provider, which exchanges identity tokens.
#[derive(Clone, Default)]
pub struct Provider {
    /// Its token endpoint.
    pub url: String,
    /// The client id at the identity provider.
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

/// Inputs that only the host has: the time and random texts.
#[derive(Clone, Default)]
pub struct AuthInputs {
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The PKCE verifier. It proves that the same client began the round.
    pub verifier: String,
    /// The SHA-256 of the verifier, in base64url.
    pub challenge: String,
    /// The `state` parameter. It ties the redirect to the request.
    pub state: String,
    /// The unique id of a signed assertion, used once.
    pub id: String,
}

impl std::fmt::Debug for AuthInputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chance({})", self.now_ms)
    }
}
