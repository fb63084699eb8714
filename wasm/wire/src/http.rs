//! HTTP requests and responses as data, and how URLs and credentials may appear in messages.
//!
//! Invariant: no text from [`Secrets::redact`] or [`display_url`] contains a credential.

mod decode;

use serde_json::{Value, json};
use stepgraph_core::collect::CollectVec;

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `POST`, `GET` or `DELETE`.
    pub method: &'static str,
    /// The URL.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// JSON or form text.
    pub body: Option<String>,
}

impl HttpRequest {
    /// Returns `{method, url, headers: [[name, value]], body}`. `body` may be `null`.
    pub fn to_json(&self) -> Value {
        let headers: Vec<Value> = self.headers.iter().map(|(name, value)| json!([name, value])).collect_vec();
        json!({"method": self.method, "url": self.url, "headers": headers, "body": self.body})
    }
}

impl HttpRequest {
    /// Returns a header's value. `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }
}

/// A response's status and headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpHead {
    /// 0 if there was no response.
    pub status: u16,
    /// The headers that the host may read.
    pub headers: Vec<(String, String)>,
}

impl HttpHead {
    /// Creates a head without headers.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns a header's value. Case does not matter.
    pub fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    /// Whether the status is 2xx.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the body has this media type, whatever its parameters.
    pub fn is_of_type(&self, mime: &str) -> bool {
        let essence = self.header("content-type").and_then(|value| value.split(';').next());
        essence.is_some_and(|found| found.trim().eq_ignore_ascii_case(mime))
    }
}

fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Why there is no complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpFailure {
    /// Whether time ran out. Otherwise the connection failed.
    pub is_timeout: bool,
    /// The host's message.
    pub message: String,
}

impl HttpFailure {
    /// A connection that could not open or broke.
    pub fn network(message: impl Into<String>) -> Self {
        Self { is_timeout: false, message: message.into() }
    }

    /// A request that ran out of time.
    pub fn timeout(message: impl Into<String>) -> Self {
        Self { is_timeout: true, message: message.into() }
    }
}

/// A connection's credentials. No message may show them.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Skips texts too short to be a secret: hiding them would garble messages.
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let mut found = Self::default();
        texts.into_iter().for_each(|text| found.add(&text));
        found
    }

    /// Adds a secret.
    pub fn add(&mut self, text: &str) {
        if text.len() < 6 || self.0.iter().any(|other| other == text) {
            return;
        }
        // Longest first: replacing a shorter secret could leave the rest of a longer one visible.
        let at = self.0.iter().position(|other| other.len() < text.len()).unwrap_or(self.0.len());
        self.0.insert(at, text.to_owned());
    }

    /// Collects the key, the header values with and without a scheme such as `Bearer`, and the URL's
    /// credentials, each also decoded.
    pub fn of_connection(url: &str, key: Option<&str>, headers: &[(String, String)]) -> Self {
        let mut found = Self::default();
        for (_, value) in headers {
            found.add_decoded(value);
            let Some((scheme, rest)) = value.trim().split_once(' ') else { continue };
            found.add_decoded(rest);
            let Some(pair) =
                decode::basic_credentials(rest.trim()).filter(|_| scheme.eq_ignore_ascii_case("basic"))
            else {
                continue;
            };
            // Some services take their key as the user name, with an empty password.
            let (user, password) = pair.split_once(':').unwrap_or_default();
            for text in [&pair, user, password] {
                found.add(text);
            }
        }
        url_secrets(url).chain(key).for_each(|text| found.add_decoded(text));
        found
    }

    fn add_decoded(&mut self, text: &str) {
        self.add(text);
        self.add(&decode::percent_decode(text));
        // Forms encode a space as `+`.
        self.add(&decode::percent_decode(&text.replace('+', " ")));
    }

    /// Redacts all texts and keys of a value.
    pub fn redact_value(&self, value: Value) -> Value {
        match value {
            _ if self.0.is_empty() => value,
            Value::String(text) => Value::String(self.redact_owned(text)),
            Value::Array(items) => items.into_iter().map(|item| self.redact_value(item)).collect(),
            Value::Object(map) => map
                .into_iter()
                .map(|(key, value)| (self.redact_owned(key), self.redact_value(value)))
                .collect(),
            other => other,
        }
    }

    fn redact_owned(&self, text: String) -> String {
        if self.0.iter().any(|secret| text.contains(secret.as_str())) { self.redact(&text) } else { text }
    }

    /// Replaces the secrets with `[secret]`.
    pub fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[secret]"))
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

/// Returns host, port and path. Other parts can contain credentials.
pub fn display_url(url: &str) -> &str {
    let (_, path, _) = split_url(url);
    path
}

/// Returns user and password, host and path, and query with fragment.
fn split_url(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (rest, query) = rest.find(['?', '#']).and_then(|at| rest.split_at_checked(at)).unwrap_or((rest, ""));
    let host_end = rest.find('/').unwrap_or(rest.len());
    let user_end = rest.get(..host_end).and_then(|host| host.rfind('@'));
    let (user, path) = user_end.and_then(|at| rest.split_at_checked(at)).unwrap_or(("", rest));
    (user, path.trim_start_matches('@'), query)
}

fn url_secrets(url: &str) -> impl Iterator<Item = &str> {
    let (user, _, query) = split_url(url);
    let values =
        query.split(['?', '&', '#']).map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
    user.split(':').chain(values)
}

/// For a body that is not a valid reply.
pub const MAX_EXCERPT_CHARS: usize = 200;
/// For a server's error message.
pub const MAX_LONG_EXCERPT_CHARS: usize = 2000;

/// Quotes a body's beginning in one line, without control characters, which a terminal might obey. Redact
/// secrets first.
pub fn excerpt(body: &[u8], max: usize) -> String {
    let text = String::from_utf8_lossy(body.get(..max * 10).unwrap_or(body));
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words = text.split(blank).filter(|word| !word.is_empty()).collect_vec().join(" ");
    let mut short: String = words.chars().take(max).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_urls() {
        for (url, expect) in [
            ("http://127.0.0.1:1/mcp", "127.0.0.1:1/mcp"),
            ("https://me:secret@host/mcp?key=secret#x", "host/mcp"),
            ("https://host?key=secret", "host"),
            ("https://host/a@b", "host/a@b"),
            ("nonsense", "nonsense"),
            ("", ""),
        ] {
            assert_eq!(display_url(url), expect, "{url}");
        }
    }

    #[test]
    fn redacts_the_whole_secret() {
        let headers =
            [("authorization".to_owned(), "Bearer abcdef".to_owned()), ("x-tiny".to_owned(), "a".to_owned())];
        let secrets = Secrets::of_connection(
            "http://me:password@host?q=hidden-1&r#hidden-2",
            Some("abcdefgh"),
            &headers,
        );
        for (text, expect) in [
            ("key abcdefgh!", "key [secret]!"),
            ("key abcdef!", "key [secret]!"),
            ("sent Bearer abcdef", "sent [secret]"),
            ("a plain text", "a plain text"),
            (
                "at http://me:password@host/?q=hidden-1#hidden-2",
                "at http://me:[secret]@host/?q=[secret]#[secret]",
            ),
        ] {
            assert_eq!(secrets.redact(text), expect);
        }
        assert_eq!(format!("{secrets:?}"), "Secrets(6)");
    }

    #[test]
    fn redacts_decoded_secrets() {
        let header = |value: &str| {
            Secrets::of_connection("http://host", None, &[("x-own".to_owned(), value.to_owned())])
        };
        let url = |url: &str| Secrets::of_connection(url, None, &[]);
        for (secrets, text, expect) in [
            (url("http://host?token=s3cr3t%2B%2Fkey%3D%3D&b=%61"), "no s3cr3t+/key== a", "no [secret] a"),
            (url("http://host?token=s3cr3t%2B%2Fkey%3D%3D"), "no s3cr3t%2B%2Fkey%3D%3D", "no [secret]"),
            (url("http://host?token=two+words"), "two words, two+words", "[secret], [secret]"),
            (
                url("http://me%40x.y:p%40ssword@host#f%20ragment"),
                "me@x.y p@ssword f ragment",
                "[secret] [secret] [secret]",
            ),
            (header("Basic bWU6aHVudGVyMi12ZXJ5"), "me:hunter2-very hunter2-very", "[secret] [secret]"),
            (header("basic  bWU6aHVudGVyMi12ZXJ5"), "me, hunter2-very", "me, [secret]"),
            (header("Basic c2stbGl2ZS1rZXk6"), "sk-live-key", "[secret]"),
            (header("Basic YTpi"), "a:b b", "a:b b"),
            (header("Token bWU6aHVudGVyMi12ZXJ5"), "hunter2-very", "hunter2-very"),
            (header("abc%2Bdef"), "abc+def", "[secret]"),
        ] {
            assert_eq!(secrets.redact(text), expect);
        }
    }

    #[test]
    fn heads() {
        let head = HttpHead::new(200).with_header("Content-Type", "Text/Event-Stream; charset=utf-8");
        assert!(head.is_ok() && head.is_of_type("text/event-stream") && !head.is_of_type("text/event"));
        assert_eq!(head.header("content-TYPE"), Some("Text/Event-Stream; charset=utf-8"));
        assert!(!HttpHead::new(199).is_ok() && !HttpHead::new(300).is_ok() && !HttpHead::default().is_ok());
    }

    #[test]
    fn excerpts() {
        assert_eq!(excerpt(b" a\n\t b ", MAX_EXCERPT_CHARS), "a b");
        assert_eq!(excerpt(b"\xff", MAX_EXCERPT_CHARS), "\u{fffd}");
        assert_eq!(excerpt("\u{1b}[31mred\u{9b}0m\u{7f}".as_bytes(), MAX_EXCERPT_CHARS), "[31mred 0m");
        let long = excerpt("ä".repeat(5000).as_bytes(), MAX_EXCERPT_CHARS);
        assert_eq!(long.chars().count(), 201);
    }
}
