//! JavaScript bindings for access tokens.

use super::{failed_json, parse_head};
use crate::http::HttpFailure;
use crate::mcp::auth::{AuthInputs, Authorization, GrantType, Provider, Settings, Step};
use serde_json::{Value, json};
use stepgraph_codec::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The access token for one MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpAuthorization(Authorization);

#[wasm_bindgen]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds since 1970 fit")]
impl McpAuthorization {
    /// Takes JSON settings `{server, way, redirect_uri, name, client_id, client_secret, algorithm, issuer,
    /// metadata_url, scopes, provider}` and the JSON of `kept()`. A `way` other than `client`, `assertion` or
    /// `enterprise` signs in with the browser.
    #[wasm_bindgen(constructor)]
    pub fn new(settings: &str, kept: &str) -> Self {
        Self(Authorization::new(parse_settings(&json::parse(settings)), &json::parse(kept)))
    }

    /// Returns the state to store, with credentials, as JSON.
    pub fn kept(&self) -> String {
        self.0.to_json().to_string()
    }

    /// Returns the token, or `undefined` if it is absent or expired at `now_ms` (since the epoch).
    pub fn token(&self, now_ms: f64) -> Option<String> {
        self.0.token(now_ms as u64).map(str::to_owned)
    }

    /// Starts a round after a refusal. `header` is `WWW-Authenticate`. `chance` is JSON
    /// `[verifier, challenge, state, id, token]`. `token` is the refused one, if any.
    pub fn begin(&mut self, status: u16, header: &str, now_ms: f64, chance: &str) {
        let chance = json::parse(chance);
        let list = chance.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut texts = list.iter().filter_map(Value::as_str).map(str::to_owned);
        let mut next = || texts.next().unwrap_or_default();
        let inputs = AuthInputs {
            now_ms: now_ms as u64,
            verifier: next(),
            challenge: next(),
            state: next(),
            id: next(),
        };
        self.0.begin(status, header, texts.next().as_deref(), inputs);
    }

    /// Returns the next step as JSON: `{type: "send", request}`, `{type: "visit", url}`,
    /// `{type: "ask", what, audience, resource}`, `{type: "sign", text}`, `{type: "done", value}` or
    /// `{type: "failed", code, message}`. `value` says whether there is a token to retry with.
    pub fn step(&mut self) -> String {
        let step = match self.0.step() {
            Step::Send(request) => json!({"type": "send", "request": request.to_json()}),
            Step::Visit(url) => json!({"type": "visit", "url": url}),
            Step::Ask { what, audience, resource } => {
                json!({"type": "ask", "what": what, "audience": audience, "resource": resource})
            }
            Step::Sign(text) => json!({"type": "sign", "text": text}),
            Step::Done(Ok(value)) => json!({"type": "done", "value": value}),
            Step::Done(Err(error)) => failed_json(error.code(), &error.message),
        };
        step.to_string()
    }

    /// Receives status and headers (JSON `[[name, value]]`).
    pub fn head(&mut self, status: u16, headers: &str) {
        self.0.head(parse_head(status, headers));
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.0.chunk(bytes)
    }

    /// Ends the response.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Reports a missing or incomplete response.
    pub fn failed(&mut self, timeout: bool, message: &str) {
        self.0.failed(HttpFailure { is_timeout: timeout, message: message.to_owned() });
    }

    /// Receives the result of `visit`, `ask` or `sign`.
    pub fn provide(&mut self, text: &str) {
        self.0.provide(text);
    }
}

fn parse_settings(settings: &Value) -> Settings {
    let text = |key: &str| json::text_at(settings, key);
    let provider = settings.get("provider").filter(|provider| provider.is_object());
    Settings {
        server: text("server").unwrap_or_default(),
        grant_type: match text("way").as_deref() {
            Some("client") => GrantType::Client,
            Some("assertion") => GrantType::Assertion,
            Some("enterprise") => GrantType::Enterprise,
            _ => GrantType::Visit,
        },
        redirect_uri: text("redirect_uri").unwrap_or_default(),
        name: text("name").unwrap_or_default(),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        algorithm: text("algorithm"),
        issuer: text("issuer"),
        metadata_url: text("metadata_url"),
        scopes: json::texts_at(settings, "scopes").unwrap_or_default(),
        provider: provider.map(|provider| Provider {
            url: json::text_at(provider, "url").unwrap_or_default(),
            client_id: json::text_at(provider, "client_id").unwrap_or_default(),
            client_secret: json::text_at(provider, "client_secret"),
        }),
    }
}
