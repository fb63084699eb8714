//! Discovery of the authorization server: which metadata URLs to try, and which metadata to refuse.
//!
//! A server without metadata follows 2025-03-26 and is its own authorization server.
//!
//! Source: RFC 9728 sections 3 and 5, RFC 8414 section 3; specification 2026-07-28 and 2025-03-26
//! (basic/authorization).

use super::url::{covers, is_safe, split_url};
use super::{AuthResponse, Authorization, Grant, GrantType, Stage, text_at, texts_at};
use crate::http::display_url;
use serde_json::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";
/// Renews the access token without the user.
const OFFLINE_ACCESS: &str = "offline_access";
/// A token refused this soon after it was issued is wrong rather than expired.
const SOON_MS: u64 = 10_000;

impl Authorization {
    /// Last one first: from the challenge, at the server's path, at its root.
    pub(super) fn resource_candidates(&self) -> Vec<String> {
        let server = &self.settings.server;
        let Some(address) = split_url(server) else { return Vec::new() };
        let root = format!("{}{RESOURCE}", address.origin);
        let mut found = vec![root.clone()];
        let named = self.challenge.metadata.clone().filter(|url| is_safe(url, server));
        for url in [Some(format!("{root}{}", address.path)), named].into_iter().flatten() {
            if found.last() != Some(&url) {
                found.push(url);
            }
        }
        found
    }

    pub(super) fn take_resource(
        &mut self,
        mut rest: Vec<String>,
        response: &AuthResponse,
    ) -> Result<Stage, ToolError> {
        rest.pop();
        let json = &response.json;
        if !response.is_ok() {
            return if rest.is_empty() { self.assume_own_server() } else { Ok(Stage::Resource(rest)) };
        }
        let server = &self.settings.server;
        let resource = text_at(json, "resource").unwrap_or_default();
        if !covers(resource, server) {
            let message = format!("describes itself as `{}`, which is another server", display_url(resource));
            return Err(self.error(ToolErrorKind::AuthUntrusted, server, &message));
        }
        let resource = resource.to_owned();
        self.supported_scopes = texts_at(json, "scopes_supported").map(str::to_owned).collect_vec();
        let mut issuers = texts_at(json, "authorization_servers");
        let issuer = match &self.settings.issuer {
            Some(own) => issuers.find(|issuer| issuer == own),
            None => issuers.next(),
        };
        let issuer = issuer.map(str::to_owned);
        self.resource = Some(resource);
        match issuer {
            Some(issuer) => self.discover_issuer(issuer, false),
            None if json.get("authorization_servers").is_none() => self.assume_own_server(),
            None => {
                let message =
                    "accepts no tokens of the authorization server that this client is registered with";
                Err(self.error(ToolErrorKind::AuthUnsupported, server, message))
            }
        }
    }

    fn assume_own_server(&mut self) -> Result<Stage, ToolError> {
        let issuer = self.origin().to_owned();
        self.discover_issuer(issuer, true)
    }

    fn discover_issuer(&mut self, issuer: String, guessed: bool) -> Result<Stage, ToolError> {
        if !is_safe(&issuer, &self.settings.server) {
            let message = "issues tokens over a connection that is not encrypted";
            return Err(self.error(ToolErrorKind::AuthUntrusted, &issuer, message));
        }
        if let Some(bound) = self
            .credentials
            .bound_issuer
            .as_ref()
            .filter(|bound| self.settings.client_id.is_some() && **bound != issuer)
        {
            let message = format!(
                "now requires a key from `{}`, while the client is registered with `{}`",
                display_url(&issuer),
                display_url(bound)
            );
            return Err(self.error(ToolErrorKind::AuthUntrusted, &self.settings.server, &message));
        }
        if self.credentials.token.as_ref().is_some_and(|token| token.issuer != issuer) {
            self.credentials.token = None;
        }
        let known = self.issuer == issuer && self.metadata.is_object();
        self.issuer = issuer;
        self.is_issuer_guessed = guessed;
        if known {
            return self.choose_grant();
        }
        let Some(address) = split_url(&self.issuer) else { return Ok(Stage::Server(Vec::new())) };
        let (origin, path) = (address.origin, address.path.trim_end_matches('/'));
        let mut candidates = vec![format!("{origin}{OPENID}{path}"), format!("{origin}{SERVER}{path}")];
        if !path.is_empty() {
            candidates.insert(0, format!("{origin}{path}{OPENID}"));
        }
        Ok(Stage::Server(candidates))
    }

    pub(super) fn take_server(
        &mut self,
        mut rest: Vec<String>,
        response: &AuthResponse,
    ) -> Result<Stage, ToolError> {
        rest.pop();
        if !response.is_ok() {
            return match (rest.is_empty(), self.is_issuer_guessed) {
                (false, _) => Ok(Stage::Server(rest)),
                (true, true) => {
                    self.assume_endpoints();
                    self.choose_grant()
                }
                (true, false) => Err(match &response.failure {
                    Some(_) => self.request_error(&self.issuer, "", response),
                    None => self.error(
                        ToolErrorKind::AuthUnsupported,
                        &self.issuer,
                        "is named as the authorization server, but does not describe itself as one",
                    ),
                }),
            };
        }
        let named = text_at(&response.json, "issuer").unwrap_or_default();
        // A guessed issuer's name is unconfirmed, but must cover this server.
        let same =
            if self.is_issuer_guessed { covers(named, &self.settings.server) } else { named == self.issuer };
        if !same {
            let message =
                format!("describes itself as `{named}`, which differs from the requested `{}`", self.issuer);
            return Err(self.error(ToolErrorKind::AuthUntrusted, &self.issuer, &message));
        }
        self.metadata = response.json.clone();
        self.choose_grant()
    }

    fn assume_endpoints(&mut self) {
        let origin = self.origin();
        self.metadata = json!({
            "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"),
            "registration_endpoint": format!("{origin}/register"),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
        });
    }

    fn choose_grant(&mut self) -> Result<Stage, ToolError> {
        let requested = self.credentials.token.as_ref().map(|token| token.scopes.clone()).unwrap_or_default();
        self.wanted.clone_from(&requested);
        let challenged = self.challenge.scope.as_deref();
        let offered = self.supported_scopes.iter().map(String::as_str).filter(|_| challenged.is_none());
        let own = self.settings.scopes.iter().map(String::as_str);
        for scope in challenged.into_iter().chain(offered).chain(own).flat_map(|scopes| scopes.split(' ')) {
            if !scope.is_empty() && !self.wanted.iter().any(|known| known == scope) {
                self.wanted.push(scope.to_owned());
            }
        }
        if self.status == 403 && self.wanted.len() == requested.len() {
            let message = format!(
                "requires a key for `{}`, and refuses the one that was issued for it",
                requested.join(" ")
            );
            return Err(self.error(ToolErrorKind::Unauthorized, &self.settings.server, &message));
        }
        let renewable = texts_at(&self.metadata, "scopes_supported").any(|scope| scope == OFFLINE_ACCESS);
        let known = self.wanted.is_empty() || self.wanted.iter().any(|scope| scope == OFFLINE_ACCESS);
        if self.settings.grant_type == GrantType::Visit && renewable && !known {
            self.wanted.push(OFFLINE_ACCESS.to_owned());
        }
        let now_ms = self.inputs.now_ms;
        let new = self
            .token_issued
            .filter(|(at_ms, _)| self.credentials.token.is_some() && now_ms.saturating_sub(*at_ms) < SOON_MS);
        if self.status == 401 && new.is_some_and(|(_, anew)| anew) {
            let message = "refuses the key that was just issued for it";
            return Err(self.error(ToolErrorKind::Unauthorized, &self.settings.server, message));
        }
        let refresh = self.credentials.token.as_ref().and_then(|token| token.refresh.clone());
        match refresh.filter(|_| self.status == 401 && new.is_none()) {
            Some(refresh) => Ok(Stage::Token(Grant::Refresh(refresh), None)),
            None => Ok(self.choose_client()),
        }
    }

    /// Fails if the endpoint is not safe.
    pub(super) fn endpoint(&self, name: &str) -> Result<String, ToolError> {
        let url = text_at(&self.metadata, name).unwrap_or_default();
        if is_safe(url, &self.settings.server) {
            return Ok(url.to_owned());
        }
        let message = format!("has no `{name}` that can be trusted with a key");
        Err(self.error(ToolErrorKind::AuthUntrusted, &self.issuer, &message))
    }
}
