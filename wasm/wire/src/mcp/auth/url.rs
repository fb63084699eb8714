//! URLs as text: their parts, and whether one may receive a credential. RFC 8414 and RFC 9207 require
//! comparing them as text.
//!
//! Invariant: a URL that is not `https:` or `http:`, or that contains a user, has no parts.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UrlParts<'a> {
    /// `https://host:1`.
    pub(super) origin: &'a str,
    /// Excludes query and fragment. Empty if it is only a slash.
    pub(super) path: &'a str,
    host: &'a str,
    is_secure: bool,
}

pub(super) fn split_url(url: &str) -> Option<UrlParts<'_>> {
    let secure = url.starts_with("https://");
    let scheme = if secure { "https://" } else { "http://" };
    let rest = url.strip_prefix(scheme)?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end)?;
    let port = authority.rfind(':').filter(|at| *at > authority.rfind(']').unwrap_or(0));
    let host = authority.get(..port.unwrap_or(authority.len()))?;
    let path = rest.get(..rest.find(['?', '#']).unwrap_or(rest.len()))?;
    let sound =
        !host.is_empty() && !authority.contains('@') && authority.bytes().all(|b| b.is_ascii_graphic());
    sound.then_some(UrlParts {
        origin: url.get(..scheme.len() + end)?,
        path: if path == "/" { "" } else { path },
        host,
        is_secure: secure,
    })
}

/// A URL must be encrypted, or on the same host as a server that is not. Only a server of this machine needs
/// a URL of this machine.
pub(super) fn is_safe(url: &str, server: &str) -> bool {
    let (Some(address), Some(server)) = (split_url(url), split_url(server)) else { return false };
    match (is_loopback(address.host), is_loopback(server.host)) {
        (true, here) => here,
        (false, _) if address.is_secure => true,
        (false, _) => !server.is_secure && server.host.eq_ignore_ascii_case(address.host),
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    matches!(host, "localhost" | "[::1]" | "[::]")
        || host.ends_with(".localhost")
        || host.starts_with("[::ffff:")
        || is_numeric_label(host.rsplit('.').next().unwrap_or(host)) && !is_other_ipv4(host)
}

/// WHATWG's URL standard reads such a last label as an IPv4 address.
fn is_numeric_label(label: &str) -> bool {
    let hex = label.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit())
}

/// Dotted decimal notation only.
fn is_other_ipv4(host: &str) -> bool {
    let mut parts = host.split('.');
    let plain = |part: &str| part == "0" || !part.starts_with('0') && part.parse::<u8>().is_ok();
    host.split('.').count() == 4 && host.split('.').all(plain) && !matches!(parts.next(), Some("0" | "127"))
}

/// A token is valid for the same origin, and the same path or a parent.
pub(super) fn covers(resource: &str, server: &str) -> bool {
    let (Some(above), Some(below)) = (split_url(resource), split_url(server)) else { return false };
    let rest = below.path.strip_prefix(above.path.trim_end_matches('/'));
    above.origin.eq_ignore_ascii_case(below.origin)
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn form_encode(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        text.push_str(name);
        text.push('=');
        percent_encode(value, &mut text);
    }
    text
}

/// The result is safe in forms, queries and Basic credentials.
pub(super) fn percent_encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            for digit in [byte >> 4, byte & 15] {
                into.extend(char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()));
            }
        }
    }
}

pub(super) fn query_param(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let query = query.split('#').next()?;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    let mut bytes = Vec::new();
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? << 4 | digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_addresses() {
        for (url, expect) in [
            ("https://host/mcp?a#b", Some(("https://host", "/mcp"))),
            ("http://127.0.0.1:1", Some(("http://127.0.0.1:1", ""))),
            ("http://[::1]:1/", Some(("http://[::1]:1", ""))),
            ("https://host/a/", Some(("https://host", "/a/"))),
            ("https://me@host/a", None),
            ("https://host\\@evil/a", Some(("https://host", "\\@evil/a"))),
            ("javascript:alert(1)", None),
            ("https:///a", None),
            ("", None),
        ] {
            assert_eq!(split_url(url).map(|a| (a.origin, a.path)), expect, "{url}");
        }
    }

    #[test]
    fn safe_addresses() {
        for (url, server, expect) in [
            ("https://as.example", "https://host/mcp", true),
            ("http://as.example", "https://host/mcp", false),
            ("http://127.0.0.1:3", "https://host/mcp", false),
            ("https://127.0.0.1:3", "https://host/mcp", false),
            ("http://127.0.0.1:3", "http://localhost:1/mcp", true),
            ("https://127.0.0.1:3", "http://10.0.0.9/mcp", false),
            ("https://127.1", "https://host/mcp", false),
            ("https://2130706433", "https://host/mcp", false),
            ("https://0x7f.0.0.1", "https://host/mcp", false),
            ("https://0177.0.0.1", "https://host/mcp", false),
            ("https://0.0.0.0:1", "https://host/mcp", false),
            ("https://LOCALHOST.", "https://host/mcp", false),
            ("https://[::ffff:127.0.0.1]", "https://host/mcp", false),
            ("https://10.0.0.9", "https://host/mcp", true),
            ("https://127.example.org", "https://host/mcp", true),
            ("https://as.example", "http://localhost/mcp", true),
            ("http://127.evil.example", "https://host/mcp", false),
            ("http://localhost", "https://host/mcp", false),
            ("http://as.localhost:1/", "https://host/mcp", false),
            ("http://as.localhost:1/", "http://localhost:9/mcp", true),
            ("http://[::1]:9/x", "https://host/mcp", false),
            ("http://[::1]:9/x", "http://127.0.0.1/mcp", true),
            ("http://10.0.0.9:7/a", "http://10.0.0.9:1/mcp", true),
            ("http://host/a", "https://host/mcp", false),
            ("javascript:alert(1)", "http://localhost", false),
            ("file:///etc/passwd", "http://localhost", false),
        ] {
            assert_eq!(is_safe(url, server), expect, "{url} from {server}");
        }
    }

    #[test]
    fn resources() {
        for (resource, server, expect) in [
            ("https://host/mcp", "https://host/mcp", true),
            ("https://host", "https://host/mcp", true),
            ("https://host/", "https://host/mcp", true),
            ("https://HOST/mcp/", "https://host/mcp", true),
            ("https://host/mc", "https://host/mcp", false),
            ("https://host/mcp/x", "https://host/mcp", false),
            ("https://host:1/mcp", "https://host/mcp", false),
            ("http://host/mcp", "https://host/mcp", false),
            ("https://host.evil/mcp", "https://host/mcp", false),
            ("urn:x", "https://host/mcp", false),
        ] {
            assert_eq!(covers(resource, server), expect, "{resource} for {server}");
        }
    }

    #[test]
    fn parameters() {
        let values = [("a", "b c&d=ä/%"), ("x", "")];
        let text = form_encode(&values);
        assert_eq!(text, "a=b%20c%26d%3D%C3%A4%2F%25&x=");
        for (name, value) in values {
            assert_eq!(query_param(&format!("http://h/?z=1&{text}#a=2"), name).as_deref(), Some(value));
        }
        for (url, expect) in [
            ("http://h/?a=1+2&a=3", Some("1 2")),
            ("http://h/?ab=1", None),
            ("http://h/?a=%4", None),
            ("http://h/?a=%zz", None),
            ("http://h/?a=%ff", None),
            ("http://h/#a=1", None),
        ] {
            assert_eq!(query_param(url, "a").as_deref(), expect, "{url}");
        }
    }
}
