//! Decides which client id to use (the user's, a metadata document's URL, a dynamic registration's) and how
//! the client authenticates at the token endpoint.
//!
//! Source: RFC 7591; OAuth Client ID Metadata Documents; RFC 6749 section 2.3, RFC 7523 section 2.2;
//! specification 2026-07-28 (basic/authorization, client registration).

use super::credentials::Client;
use super::url::{percent_encode, split_url};
use super::{
    AuthInputs, AuthResponse, Authorization, GrantType, Settings, Stage, Step, post, text_at, texts_at,
};
use crate::mcp::param_headers::base64;
use serde_json::json;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";
const NONE: &str = "none";
pub(super) const PRIVATE_KEY_JWT: &str = "private_key_jwt";
const ASSERTION_LIFETIME_S: u64 = 300;

impl Authorization {
    pub(super) fn choose_client(&mut self) -> Stage {
        if self.settings.client_id.is_some() {
            self.credentials.bound_issuer.get_or_insert_with(|| self.issuer.clone());
        } else if !self.has_client_metadata()
            && !self.registered_client().is_some_and(|client| self.allows_redirect(client))
            && self.settings.grant_type != GrantType::Assertion
        {
            return Stage::Register;
        }
        match self.settings.grant_type {
            GrantType::Visit => Stage::Visit,
            GrantType::Client => Stage::Token(super::Grant::Client, None),
            GrantType::Assertion => Stage::Ask("assertion"),
            GrantType::Enterprise => Stage::Ask("id_token"),
        }
    }

    fn has_client_metadata(&self) -> bool {
        let understood = self.metadata.get("client_id_metadata_document_supported");
        self.settings.metadata_url.is_some() && understood.is_some_and(|value| *value == true)
    }

    /// Ignores a client whose scopes don't cover the current ones.
    fn registered_client(&self) -> Option<&Client> {
        let client = self.credentials.client(&self.issuer, self.inputs.now_ms)?;
        let registered = |scope: &String| {
            let words = client.scope.as_deref().map(|words| words.split(' '));
            words.is_none_or(|mut words| words.any(|word| word == scope))
        };
        self.wanted.iter().all(registered).then_some(client)
    }

    /// Only browser sign-in needs a redirect URI.
    fn allows_redirect(&self, client: &Client) -> bool {
        let redirect = client.redirect.as_ref().filter(|_| self.settings.grant_type == GrantType::Visit);
        redirect.is_none_or(|redirect| *redirect == self.settings.redirect_uri)
    }

    pub(super) fn current_client(&self) -> Client {
        let Settings { client_id, client_secret, metadata_url, .. } = &self.settings;
        match (client_id, self.registered_client()) {
            (Some(id), _) => Client { id: id.clone(), secret: client_secret.clone(), ..Client::default() },
            _ if self.has_client_metadata() => {
                Client { id: metadata_url.clone().unwrap_or_default(), ..Client::default() }
            }
            (None, Some(client)) => client.clone(),
            (None, None) => Client::default(),
        }
    }

    pub(super) fn registration_request(&self) -> Result<Step, ToolError> {
        if self.metadata.get("registration_endpoint").is_none() {
            let message =
                "does not support dynamic registration: register a client there, and pass its `clientId`";
            return Err(self.error(ToolErrorKind::AuthUnsupported, &self.issuer, message));
        }
        let url = self.endpoint("registration_endpoint")?;
        let redirect = &self.settings.redirect_uri;
        // A redirect to this machine or to an app is not a website.
        let web = split_url(redirect).is_some_and(|address| address.origin.starts_with("https:"));
        let mut body = json!({
            "client_name": self.settings.name,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": self.choose_auth_method(true, true),
            "application_type": if web { "web" } else { "native" },
        });
        if let Some(body) = body.as_object_mut().filter(|_| !self.wanted.is_empty()) {
            body.insert("scope".to_owned(), self.wanted.join(" ").into());
        }
        Ok(Step::Send(post(url, "application/json", body.to_string())))
    }

    pub(super) fn take_client(&mut self, response: &AuthResponse) -> Result<Stage, ToolError> {
        let json = &response.json;
        let Some(id) = text_at(json, "client_id").filter(|_| response.is_ok()) else {
            if self.is_issuer_guessed && self.metadata.get("issuer").is_none() && response.failure.is_none() {
                let message = "requires a key, and names no authorization server";
                return Err(self.error(ToolErrorKind::Unauthorized, &self.settings.server, message));
            }
            return Err(self.request_error(&self.issuer, "does not register this client", response));
        };
        let end_s =
            json.get("client_secret_expires_at").and_then(serde_json::Value::as_u64).filter(|end| *end > 0);
        let client = Client {
            id: id.to_owned(),
            secret: text_at(json, "client_secret").map(str::to_owned),
            method: text_at(json, "token_endpoint_auth_method").map(str::to_owned),
            redirect: Some(self.settings.redirect_uri.clone()),
            scope: (!self.wanted.is_empty()).then(|| self.wanted.join(" ")),
            expires_ms: end_s.map(|end| end.saturating_mul(1000)).filter(|end| *end > self.inputs.now_ms),
        };
        let issuer = self.issuer.clone();
        self.credentials.remove_client(&issuer);
        self.credentials.clients.push((issuer, client));
        Ok(self.choose_client())
    }

    fn choose_auth_method(&self, secret: bool, new: bool) -> &'static str {
        // In order of preference. A new client without a secret has nothing to lose.
        let open: &[&str] = match (secret, new) {
            (_, true) => &[NONE, BASIC, POST],
            (true, _) => &[BASIC, POST, NONE],
            (false, _) => &[NONE],
        };
        let known = |method: &&&'static str| {
            texts_at(&self.metadata, "token_endpoint_auth_methods_supported").any(|other| other == **method)
        };
        open.iter().find(known).copied().unwrap_or(if secret { BASIC } else { NONE })
    }

    pub(super) fn auth_method(&self, client: &Client) -> &'static str {
        if self.settings.client_id.is_some() && self.settings.algorithm.is_some() {
            return PRIVATE_KEY_JWT;
        }
        let agreed = [BASIC, POST, NONE].into_iter().find(|method| client.method.as_deref() == Some(method));
        agreed.unwrap_or_else(|| self.choose_auth_method(client.secret.is_some(), false))
    }

    pub(super) fn assertion_input(&self, client: &Client) -> String {
        let AuthInputs { now_ms, id, .. } = &self.inputs;
        let now_s = now_ms / 1000;
        let header = json!({"alg": self.settings.algorithm, "typ": "JWT"});
        let claims = json!({
            "iss": client.id, "sub": client.id, "aud": self.issuer, "jti": id, "iat": now_s, "exp": now_s + ASSERTION_LIFETIME_S,
        });
        format!("{}.{}", base64url(&header.to_string()), base64url(&claims.to_string()))
    }

    /// Extends a token request's form, or returns a header.
    pub(super) fn authenticate<'a>(
        &self,
        client: &'a Client,
        form: &mut Vec<(&'a str, &'a str)>,
    ) -> Option<(String, String)> {
        let secret = client.secret.as_deref().unwrap_or_default();
        // Some servers require the client id in the form, and none may object.
        form.extend(Some(("client_id", client.id.as_str())).filter(|(_, id)| !id.is_empty()));
        match self.auth_method(client) {
            BASIC => {
                let mut pair = String::new();
                percent_encode(&client.id, &mut pair);
                pair.push(':');
                percent_encode(secret, &mut pair);
                return Some(("authorization".to_owned(), format!("Basic {}", base64(pair.as_bytes()))));
            }
            POST => form.push(("client_secret", secret)),
            _ => {}
        }
        None
    }
}

fn base64url(text: &str) -> String {
    base64(text.as_bytes()).trim_end_matches('=').replace('+', "-").replace('/', "_")
}
