//! Clients and tokens that the host may store.
//!
//! Invariants: no authorization server receives another one's credentials. [`Credentials::from_json`] reads
//! [`Credentials::to_json`] and ignores parts of another shape.

use serde_json::{Map, Value, json};
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;

/// An authorization server's client.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    /// At the token endpoint.
    pub(super) method: Option<String>,
    pub(super) redirect: Option<String>,
    pub(super) scope: Option<String>,
    /// `None`: never.
    pub(super) expires_ms: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Token {
    pub(super) issuer: String,
    pub(super) access: String,
    pub(super) refresh: Option<String>,
    /// When the client stops sending it.
    pub(super) expires_ms: Option<u64>,
    /// All requested ones.
    pub(super) scopes: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Default)]
pub(super) struct Credentials {
    pub(super) clients: Vec<(String, Client)>,
    pub(super) token: Option<Token>,
    /// The only authorization server that receives the user's own credentials.
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

    /// Ignores an expired client.
    pub(super) fn client(&self, issuer: &str, now_ms: u64) -> Option<&Client> {
        let (_, client) = self.clients.iter().find(|(key, _)| key == issuer)?;
        client.expires_ms.is_none_or(|end| now_ms < end).then_some(client)
    }

    pub(super) fn remove_client(&mut self, issuer: &str) {
        self.clients.retain(|(key, _)| key != issuer);
    }

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
