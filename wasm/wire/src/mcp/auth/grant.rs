//! The authorization URL, its redirect, and token requests: which parameters to send, and whether a response
//! fits.
//!
//! Source: OAuth 2.1 draft 13 sections 4 and 7.5, RFC 9207, RFC 8707, RFC 8693, RFC 7523; `OpenID` Connect
//! Core section 11.

use super::client::PRIVATE_KEY_JWT;
use super::credentials::Token;
use super::url::{form_encode, query_param};
use super::{AuthResponse, Authorization, Grant, GrantType, Stage, Step, post, text_at, texts_at};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

const FORM: &str = "application/x-www-form-urlencoded";
const BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const SIGNED_CLIENT: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// A token could expire on the way.
const MARGIN_MS: u64 = 30_000;

impl Authorization {
    pub(super) fn authorization_url(&self) -> Result<String, ToolError> {
        let endpoint = self.endpoint("authorization_endpoint")?;
        self.endpoint("token_endpoint")?;
        let methods = self.metadata.get("code_challenge_methods_supported");
        let proven =
            texts_at(&self.metadata, "code_challenge_methods_supported").any(|method| method == "S256");
        if !(proven || methods.is_none() && self.is_issuer_guessed) {
            let message = "does not support PKCE with S256, without which a code can be stolen";
            return Err(self.error(ToolErrorKind::AuthUnsupported, &self.issuer, message));
        }
        let client = self.current_client();
        let scope = self.wanted.join(" ");
        let mut pairs = vec![
            ("response_type", "code"),
            ("client_id", client.id.as_str()),
            ("redirect_uri", self.settings.redirect_uri.as_str()),
            ("state", self.inputs.state.as_str()),
            ("code_challenge", self.inputs.challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        self.scope_and_resource(&scope, &mut pairs);
        if self.wanted.iter().any(|scope| scope == "offline_access") {
            pairs.push(("prompt", "consent"));
        }
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{joint}{}", form_encode(&pairs)))
    }

    fn scope_and_resource<'a>(&'a self, scope: &'a str, pairs: &mut Vec<(&'a str, &'a str)>) {
        if !scope.is_empty() {
            pairs.push(("scope", scope));
        }
        pairs.extend(self.resource.as_deref().map(|resource| ("resource", resource)));
    }

    /// Fails unless the redirect comes from the expected authorization server.
    pub(super) fn code_from_redirect(&self, address: &str) -> Result<String, ToolError> {
        let doubt = |message: &str| Err(self.error(ToolErrorKind::AuthUntrusted, &self.issuer, message));
        let announced = self.metadata.get("authorization_response_iss_parameter_supported");
        match query_param(address, "iss") {
            Some(iss) if Some(iss.as_str()) != text_at(&self.metadata, "issuer").or(Some(&self.issuer)) => {
                return doubt(&format!("was asked, but the answer came from `{iss}`"));
            }
            None if announced.is_some_and(|value| *value == true) => {
                return doubt("announces an issuer in its answers, but the answer has none");
            }
            _ => {}
        }
        if query_param(address, "state").as_deref() != Some(&self.inputs.state) {
            return doubt("sent an answer to another request: its `state` differs");
        }
        if let Some(code) = query_param(address, "code") {
            return Ok(code);
        }
        let said = ["error", "error_description"].map(|name| query_param(address, name));
        let text = said.into_iter().flatten().collect_vec().join(": ");
        let message = format!("denied access: {}", self.redacted_excerpt(&text));
        Err(self.error(ToolErrorKind::AuthRefused, &self.issuer, &message))
    }

    /// A signed client first returns the text to sign.
    pub(super) fn token_step(&self, grant: &Grant, signature: Option<&str>) -> Result<Step, ToolError> {
        let endpoint = self.endpoint("token_endpoint")?;
        let client = self.current_client();
        let unsigned = self.assertion_input(&client);
        let scope = self.wanted.join(" ");
        let signed;
        let mut pairs = match grant {
            Grant::Code(code) => vec![
                ("grant_type", "authorization_code"),
                ("code", code.as_str()),
                ("redirect_uri", self.settings.redirect_uri.as_str()),
                ("code_verifier", self.inputs.verifier.as_str()),
            ],
            Grant::Refresh(token) => vec![("grant_type", "refresh_token"), ("refresh_token", token.as_str())],
            Grant::Client => vec![("grant_type", "client_credentials")],
            Grant::Assertion(text) => vec![("grant_type", BEARER), ("assertion", text.as_str())],
        };
        // The user has already agreed to these scopes.
        let settled = matches!(grant, Grant::Code(_) | Grant::Refresh(_));
        self.scope_and_resource(if settled { "" } else { &scope }, &mut pairs);
        let mut header = None;
        if self.auth_method(&client) == PRIVATE_KEY_JWT {
            let Some(signature) = signature else { return Ok(Step::Sign(unsigned)) };
            signed = format!("{unsigned}.{signature}");
            pairs.extend([
                ("client_assertion_type", SIGNED_CLIENT),
                ("client_assertion", &signed),
                ("client_id", &client.id),
            ]);
        } else {
            header = self.authenticate(&client, &mut pairs);
        }
        let mut request = post(endpoint, FORM, form_encode(&pairs));
        request.headers.extend(header);
        Ok(Step::Send(request))
    }

    pub(super) fn take_token(&mut self, grant: &Grant, response: &AuthResponse) -> Result<Stage, ToolError> {
        let json = &response.json;
        let bearer = text_at(json, "token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
        let Some(access) =
            text_at(json, "access_token").filter(|token| response.is_ok() && is_sendable(token))
        else {
            return self.token_refused(grant, response);
        };
        if !bearer {
            let message = "issues tokens of an unsupported type (only `Bearer` is supported)";
            return Err(self.error(ToolErrorKind::AuthUnsupported, &self.issuer, message));
        }
        let lasts_s =
            json.get("expires_in").and_then(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
        let lasts_ms = lasts_s.map(|seconds: u64| seconds.saturating_mul(1000));
        let before = if let Grant::Refresh(token) = grant { Some(token.clone()) } else { None };
        self.credentials.token = Some(Token {
            issuer: self.issuer.clone(),
            access: access.to_owned(),
            refresh: text_at(json, "refresh_token").map(str::to_owned).or(before),
            expires_ms: lasts_ms.map(|ms| self.inputs.now_ms.saturating_add(ms - MARGIN_MS.min(ms / 10))),
            scopes: self.wanted.clone(),
        });
        self.token_issued = Some((self.inputs.now_ms, !matches!(grant, Grant::Refresh(_))));
        Ok(Stage::Done(Ok(true)))
    }

    /// A refused refresh token restarts the grant. Other refusals end the round.
    fn token_refused(&mut self, grant: &Grant, response: &AuthResponse) -> Result<Stage, ToolError> {
        let error = text_at(&response.json, "error").unwrap_or_default();
        let client_unknown = matches!(error, "invalid_client" | "unauthorized_client");
        if client_unknown && self.settings.client_id.is_none() {
            let issuer = self.issuer.clone();
            self.credentials.remove_client(&issuer);
        }
        if matches!(grant, Grant::Refresh(_)) && matches!(response.status, 400..=403) {
            if let Some(token) = &mut self.credentials.token {
                token.refresh = None;
            }
            return Ok(self.choose_client());
        }
        Err(self.request_error(&self.issuer, "issued no token", response))
    }

    pub(super) fn provider_request(&self, id_token: &str) -> Result<Step, ToolError> {
        let Some(provider) =
            self.settings.provider.as_ref().filter(|_| self.settings.grant_type == GrantType::Enterprise)
        else {
            return Err(self.error(
                ToolErrorKind::AuthUnsupported,
                &self.issuer,
                "requires an identity provider, and none is set",
            ));
        };
        let scope = self.wanted.join(" ");
        let mut pairs = vec![
            ("grant_type", EXCHANGE),
            ("requested_token_type", ID_JAG),
            ("subject_token", id_token),
            ("subject_token_type", ID_TOKEN),
            ("audience", self.issuer.as_str()),
            ("client_id", provider.client_id.as_str()),
        ];
        pairs.extend(provider.client_secret.as_deref().map(|secret| ("client_secret", secret)));
        self.scope_and_resource(&scope, &mut pairs);
        Ok(Step::Send(post(provider.url.clone(), FORM, form_encode(&pairs))))
    }

    pub(super) fn take_assertion(&mut self, response: &AuthResponse) -> Result<Stage, ToolError> {
        let kind = text_at(&response.json, "issued_token_type");
        match text_at(&response.json, "access_token").filter(|_| response.is_ok() && kind == Some(ID_JAG)) {
            Some(statement) => Ok(Stage::Token(Grant::Assertion(statement.to_owned()), None)),
            None => {
                let who =
                    self.settings.provider.as_ref().map(|provider| provider.url.as_str()).unwrap_or_default();
                Err(self.request_error(who, "returned no assertion for the authorization server", response))
            }
        }
    }
}

fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}
