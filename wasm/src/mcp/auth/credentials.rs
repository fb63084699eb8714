//! What is kept between two requests for a token, and may be kept for the next process: clients and the token.
//!
//! Decides what belongs to whom: a client to the authorization server that knows it, a token to the server and the
//! authorization server it came from. Nothing of one authorization server is ever offered to another.
//!
//! Invariant: what [`Credentials::to_json`] gives, [`Credentials::from_json`] reads; what is not of that shape is as if absent.

use serde_json::{Map, Value, json};
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;

/// A client as an authorization server knows it.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    /// How it says who it is at the token endpoint.
    pub(super) method: Option<String>,
    /// Where it said that a browser would come back to.
    pub(super) redirect: Option<String>,
    /// What it said it would ask for when it registered itself.
    pub(super) scope: Option<String>,
    /// When the authorization server forgets it; never, when absent.
    pub(super) expires_ms: Option<u64>,
}

/// A token, and what it takes to get the next one.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Token {
    pub(super) issuer: String,
    pub(super) access: String,
    pub(super) refresh: Option<String>,
    /// From when on it is not sent any more.
    pub(super) expires_ms: Option<u64>,
    /// All that was asked for.
    pub(super) scopes: Vec<String>,
}

/// Clients by authorization server, and the token of one server.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Credentials {
    pub(super) clients: Vec<(String, Client)>,
    pub(super) token: Option<Token>,
    /// The authorization server that the user's own credentials were first shown to. No other one gets to see them.
    pub(super) bound_issuer: Option<String>,
}

impl Credentials {
    pub(super) fn from_json(json: &Value) -> Self {
        let clients = json.get("clients").and_then(Value::as_object);
        let client = |json: &Value| {
            Some(Client {
                id: json::text_at(json, "id")?,
                secret: json::text_at(json, "secret"),
                method: json::text_at(json, "method"),
                redirect: json::text_at(json, "redirect"),
                scope: json::text_at(json, "scope"),
                expires_ms: json.get("expires_ms").and_then(Value::as_u64),
            })
        };
        let token = |json: &Value| {
            Some(Token {
                issuer: json::text_at(json, "issuer")?,
                access: json::text_at(json, "access")?,
                refresh: json::text_at(json, "refresh"),
                expires_ms: json.get("expires_ms").and_then(Value::as_u64),
                scopes: json::texts_at(json, "scopes").unwrap_or_default(),
            })
        };
        Self {
            clients: clients
                .into_iter()
                .flatten()
                .filter_map(|(key, json)| Some((key.clone(), client(json)?)))
                .collect_vec(),
            token: json.get("token").and_then(token),
            bound_issuer: json::text_at(json, "bound"),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let client = |client: &Client| {
            json!({
                "id": client.id, "secret": client.secret, "method": client.method, "redirect": client.redirect,
                "scope": client.scope,
                "expires_ms": client.expires_ms,
            })
        };
        let clients: Map<String, Value> =
            self.clients.iter().map(|(issuer, known)| (issuer.clone(), client(known))).collect();
        let token = self.token.as_ref().map(|token| {
            json!({
                "issuer": token.issuer, "access": token.access, "refresh": token.refresh,
                "expires_ms": token.expires_ms, "scopes": token.scopes,
            })
        });
        json!({"clients": clients, "token": token, "bound": self.bound_issuer})
    }

    /// The client that an authorization server knows, unless it has forgotten it by now.
    pub(super) fn client(&self, issuer: &str, now_ms: u64) -> Option<&Client> {
        let (_, client) = self.clients.iter().find(|(key, _)| key == issuer)?;
        client.expires_ms.is_none_or(|end| now_ms < end).then_some(client)
    }

    pub(super) fn remove_client(&mut self, issuer: &str) {
        self.clients.retain(|(key, _)| key != issuer);
    }

    /// Everything in it that no message may show.
    pub(super) fn secrets(&self) -> impl Iterator<Item = String> {
        let tokens = self.token.iter().flat_map(|token| [Some(&token.access), token.refresh.as_ref()]);
        self.clients.iter().map(|(_, client)| client.secret.as_ref()).chain(tokens).flatten().cloned()
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} clients)", self.clients.len())
    }
}
