//! Access tokens for servers: the requests to each party, their order, and which responses to trust.
//!
//! The driver loops over [`Authorization::step`], executes each step and reports the result.
//!
//! Invariants:
//! 1. A credential goes only to the authorization server that issued it, and only to safe URLs.
//! 2. Data from any other party is refused. Names are compared character by character.
//! 3. A round ends after a bounded number of requests, and visits the browser at most once.
//! 4. No message contains a credential.
//!
//! Source: MCP 2026-07-28 and 2025-11-25 (basic/authorization), 2025-03-26 for servers without metadata;
//! OAuth 2.1 draft 13, RFC 7523, 7591, 8414, 8693, 8707, 9207, 9728; the extensions for client credentials
//! and for enterprise-managed authorization.

mod challenge;
mod client;
mod credentials;
mod discovery;
mod grant;
mod settings;
mod url;

pub use settings::{AuthInputs, GrantType, Provider, Settings};

use crate::http::{HttpFailure, HttpHead, HttpRequest, MAX_EXCERPT_CHARS, Secrets, display_url, excerpt};
use challenge::Challenge;
use credentials::{Credentials, Token};
use serde_json::Value;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::json::parse;
use stepgraph_core::tool::{ToolError, ToolErrorKind};
use url::split_url;

const LIMIT_BYTES: usize = 256 * 1024;

/// The driver's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this request.
    Send(HttpRequest),
    /// Let the user visit this URL, then provide the URL that the browser came back to.
    Visit(String),
    /// Provide this kind of token.
    Ask {
        /// `id_token`, or `assertion` for a signed statement.
        what: &'static str,
        /// The authorization server.
        audience: String,
        /// The server that it is for.
        resource: Option<String>,
    },
    /// Sign this text and provide the signature in base64url.
    Sign(String),
    /// Ends the round. `true` if there is a token to retry with.
    Done(Result<bool, ToolError>),
}

#[derive(Debug, Clone, PartialEq)]
enum Stage {
    /// Metadata URLs to try, last one first.
    Resource(Vec<String>),
    /// Metadata URLs to try, last one first.
    Server(Vec<String>),
    Register,
    Visit,
    Ask(&'static str),
    /// The identity token to exchange.
    Provider(String),
    Token(Grant, Option<String>),
    Done(Result<bool, ToolError>),
}

#[derive(Debug, Clone, PartialEq)]
enum Grant {
    Code(String),
    Refresh(String),
    Client,
    Assertion(String),
}

/// A server's access token, and how to get the next one.
#[derive(Debug)]
pub struct Authorization {
    settings: Settings,
    credentials: Credentials,
    /// When this process received the token, and whether it is new rather than refreshed.
    token_issued: Option<(u64, bool)>,
    /// Null before it was read.
    metadata: Value,
    issuer: String,
    is_issuer_guessed: bool,
    /// The server's own name for itself, for token requests.
    resource: Option<String>,
    supported_scopes: Vec<String>,
    wanted: Vec<String>,
    status: u16,
    challenge: Challenge,
    inputs: AuthInputs,
    stage: Stage,
    round_secrets: Vec<String>,
    head: HttpHead,
    body: Vec<u8>,
}

/// Null if it is not JSON.
struct AuthResponse {
    status: u16,
    json: Value,
    failure: Option<HttpFailure>,
}

impl Authorization {
    /// Restores [`Authorization::to_json`]. Null starts without a token.
    pub fn new(settings: Settings, stored: &Value) -> Self {
        let mut credentials = Credentials::from_json(stored);
        credentials.bound_issuer = settings.issuer.clone().or(credentials.bound_issuer);
        Self {
            settings,
            credentials,
            token_issued: None,
            metadata: Value::Null,
            issuer: String::new(),
            is_issuer_guessed: false,
            resource: None,
            supported_scopes: Vec::new(),
            wanted: Vec::new(),
            status: 0,
            challenge: Challenge::default(),
            inputs: AuthInputs::default(),
            stage: Stage::Done(Ok(false)),
            round_secrets: Vec::new(),
            head: HttpHead::default(),
            body: Vec::new(),
        }
    }

    /// Returns the state to store. It contains credentials.
    pub fn to_json(&self) -> Value {
        self.credentials.to_json()
    }

    /// Returns the current token, unless it expired.
    pub fn token(&self, now_ms: u64) -> Option<&str> {
        self.credentials
            .token
            .as_ref()
            .filter(|token| is_valid(token, now_ms))
            .map(|token| token.access.as_str())
    }

    /// Starts a round after the server refused a request with the token `refused`. Discards an unfinished
    /// round.
    pub fn begin(&mut self, status: u16, header: &str, refused: Option<&str>, inputs: AuthInputs) {
        self.round_secrets = vec![inputs.verifier.clone(), inputs.state.clone()];
        self.round_secrets.extend(refused.map(str::to_owned));
        self.inputs = inputs;
        self.status = status;
        self.challenge = Challenge::parse(header);
        let current = self.token(self.inputs.now_ms);
        let outdated = current.is_some() && current != refused;
        let scoped = self.challenge.error.as_deref() == Some("insufficient_scope");
        self.stage = if outdated {
            // The request was sent before this token arrived.
            Stage::Done(Ok(true))
        } else if status == 401 || status == 403 && scoped {
            Stage::Resource(self.resource_candidates())
        } else {
            Stage::Done(Ok(false))
        };
    }

    /// Returns the next step.
    pub fn step(&mut self) -> Step {
        self.head = HttpHead::default();
        self.body.clear();
        match &self.stage {
            Stage::Resource(candidates) | Stage::Server(candidates) => match candidates.last() {
                Some(url) => Step::Send(get(url)),
                None => self.fail(ToolErrorKind::AuthUnsupported, "names no authorization server"),
            },
            Stage::Register => self.or_fail(self.registration_request()),
            Stage::Visit => self.or_fail(self.authorization_url().map(Step::Visit)),
            Stage::Ask(what) => {
                Step::Ask { what, audience: self.issuer.clone(), resource: self.resource.clone() }
            }
            Stage::Provider(token) => self.or_fail(self.provider_request(token)),
            Stage::Token(grant, signature) => {
                let step = self.token_step(grant, signature.as_deref());
                self.or_fail(step)
            }
            Stage::Done(outcome) => Step::Done(outcome.clone()),
        }
    }

    /// Receives status and headers.
    pub fn head(&mut self, head: HttpHead) {
        self.head = head;
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
    pub fn chunk(&mut self, chunk: &[u8]) -> bool {
        let fits = self.body.len() + chunk.len() <= LIMIT_BYTES;
        if fits {
            self.body.extend_from_slice(chunk);
        }
        !fits
    }

    /// Ends the response.
    pub fn end(&mut self) {
        let json = std::str::from_utf8(&self.body).ok().and_then(parse).unwrap_or_default();
        self.handle_response(&AuthResponse { status: self.head.status, json, failure: None });
    }

    /// Reports a missing or incomplete response.
    pub fn failed(&mut self, failure: HttpFailure) {
        self.handle_response(&AuthResponse { status: 0, json: Value::Null, failure: Some(failure) });
    }

    /// Receives the result of [`Step::Visit`], [`Step::Ask`] or [`Step::Sign`].
    pub fn provide(&mut self, text: &str) {
        let next = match self.stage.clone() {
            Stage::Visit => self.code_from_redirect(text).map(|code| Stage::Token(Grant::Code(code), None)),
            Stage::Ask("id_token") => Ok(Stage::Provider(text.to_owned())),
            Stage::Ask(_) => Ok(Stage::Token(Grant::Assertion(text.to_owned()), None)),
            Stage::Token(grant, _) => Ok(Stage::Token(grant, Some(text.to_owned()))),
            other => Ok(other),
        };
        self.advance(next);
    }

    fn handle_response(&mut self, response: &AuthResponse) {
        let next = match self.stage.clone() {
            Stage::Resource(rest) => self.take_resource(rest, response),
            Stage::Server(rest) => self.take_server(rest, response),
            Stage::Register => self.take_client(response),
            Stage::Provider(_) => self.take_assertion(response),
            Stage::Token(grant, _) => self.take_token(&grant, response),
            other => Ok(other),
        };
        self.advance(next);
    }

    fn advance(&mut self, next: Result<Stage, ToolError>) {
        if let Ok(Stage::Token(Grant::Code(text) | Grant::Assertion(text), _) | Stage::Provider(text)) = &next
        {
            self.round_secrets.push(text.clone());
        }
        self.stage = next.unwrap_or_else(|error| Stage::Done(Err(error)));
        if matches!(self.stage, Stage::Done(Err(_))) {
            // The cached metadata may have caused the error.
            self.metadata = Value::Null;
        }
    }

    fn or_fail(&mut self, step: Result<Step, ToolError>) -> Step {
        step.unwrap_or_else(|error| {
            self.advance(Err(error.clone()));
            Step::Done(Err(error))
        })
    }

    fn fail(&mut self, kind: ToolErrorKind, message: &str) -> Step {
        self.or_fail(Err(self.error(kind, &self.settings.server, message)))
    }

    fn error(&self, kind: ToolErrorKind, who: &str, message: &str) -> ToolError {
        ToolError::new(kind, self.secrets().redact(&format!("`{}` {message}", display_url(who))))
    }

    /// Redacts before it cuts: half a secret reveals too much.
    fn redacted_excerpt(&self, message: &str) -> String {
        excerpt(self.secrets().redact(message).as_bytes(), MAX_EXCERPT_CHARS)
    }

    fn secrets(&self) -> Secrets {
        let Settings { client_secret, provider, .. } = &self.settings;
        let own =
            [client_secret.clone(), provider.as_ref().and_then(|provider| provider.client_secret.clone())];
        let passing = self.round_secrets.iter().cloned();
        Secrets::new(own.into_iter().flatten().chain(passing).chain(self.credentials.secrets()))
    }

    fn request_error(&self, who: &str, what: &str, response: &AuthResponse) -> ToolError {
        match &response.failure {
            Some(failure) if failure.is_timeout => {
                self.error(ToolErrorKind::Timeout, who, "did not answer in time")
            }
            Some(failure) => self.error(
                ToolErrorKind::Unreachable,
                who,
                &format!("could not be reached: {}", failure.message),
            ),
            None => {
                let said = ["error", "error_description"].map(|key| text_at(&response.json, key));
                let text = said.into_iter().flatten().collect_vec().join(": ");
                let text = self.redacted_excerpt(&text);
                let message = format!("{what} (status {}) {text}", response.status);
                self.error(ToolErrorKind::AuthRefused, who, message.trim_end())
            }
        }
    }

    fn origin(&self) -> &str {
        split_url(&self.settings.server).map_or("", |address| address.origin)
    }
}

impl AuthResponse {
    fn is_ok(&self) -> bool {
        (200..300).contains(&self.status) && self.json.is_object()
    }
}

fn is_valid(token: &Token, now_ms: u64) -> bool {
    token.expires_ms.is_none_or(|end| now_ms < end)
}

fn text_at<'a>(json: &'a Value, key: &str) -> Option<&'a str> {
    json.get(key)?.as_str()
}

fn texts_at<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    json.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn get(url: &str) -> HttpRequest {
    let headers = vec![("accept".to_owned(), "application/json".to_owned())];
    HttpRequest { method: "GET", url: url.to_owned(), headers, body: None }
}

fn post(url: String, kind: &str, body: String) -> HttpRequest {
    let headers = [("content-type", kind), ("accept", "application/json")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    HttpRequest { method: "POST", url, headers, body: Some(body) }
}

#[cfg(test)]
mod tests;
