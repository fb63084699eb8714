//! Parses `WWW-Authenticate`. Only parameters of the scheme `Bearer` count.
//!
//! Source: RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1.

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Challenge {
    /// Such as `insufficient_scope`.
    pub(super) error: Option<String>,
    /// Separated by spaces.
    pub(super) scope: Option<String>,
    /// The URL of the protected resource metadata.
    pub(super) metadata: Option<String>,
}

impl Challenge {
    /// Skips unreadable parts.
    pub(super) fn parse(header: &str) -> Self {
        let mut found = Self::default();
        let mut bearer = false;
        let mut rest = header;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",=\"".contains(c));
            if rest.is_empty() {
                return found;
            }
            let word = take_until(&mut rest, |c| c == '=' || c == ',' || c.is_whitespace());
            let Some(after) = rest.trim_start().strip_prefix('=') else {
                bearer = word.eq_ignore_ascii_case("bearer");
                continue;
            };
            rest = after.trim_start();
            let value = match rest.strip_prefix('"') {
                Some(quoted) => {
                    rest = quoted;
                    unquote(&mut rest)
                }
                None => take_until(&mut rest, |c| c == ',' || c.is_whitespace()).to_owned(),
            };
            let place = match word.to_ascii_lowercase().as_str() {
                "error" => &mut found.error,
                "scope" => &mut found.scope,
                "resource_metadata" => &mut found.metadata,
                _ => continue,
            };
            if bearer && place.is_none() {
                *place = Some(value);
            }
        }
    }
}

/// The end character stays in `rest`.
fn take_until<'a>(rest: &mut &'a str, end: fn(char) -> bool) -> &'a str {
    let (word, after) = rest.split_at_checked(rest.find(end).unwrap_or(rest.len())).unwrap_or((rest, ""));
    *rest = after;
    word
}

/// Takes the closing quote too.
fn unquote(rest: &mut &str) -> String {
    let mut text = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next().filter(|c| *c != '"') {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    *rest = chars.as_str();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges() {
        for (header, error, scope, metadata) in [
            ("", None, None, None),
            ("Bearer", None, None, None),
            ("Bearer realm=\"x\"", None, None, None),
            (
                r#"Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h/x,y=z""#,
                Some("insufficient_scope"),
                Some("a b"),
                Some("https://h/x,y=z"),
            ),
            (r#"bearer SCOPE = "a\"b" ,error=invalid_token"#, Some("invalid_token"), Some("a\"b"), None),
            (r#"Basic realm="r", scope="no", Bearer scope=yes"#, None, Some("yes"), None),
            (r#"Bearer scope="yes", Negotiate abc==, DPoP scope="no", error="no""#, None, Some("yes"), None),
            (r#"Bearer scope="first", scope="second""#, None, Some("first"), None),
            (r#"Bearer scope="never closed"#, None, Some("never closed"), None),
            ("Bearer ,,, = \" \\", None, None, None),
            ("\u{a0}\nBearer\u{a0}scope=a\n", None, Some("a"), None),
        ] {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let expect = Challenge { error: owned(error), scope: owned(scope), metadata: owned(metadata) };
            assert_eq!(Challenge::parse(header), expect, "{header}");
        }
    }
}
