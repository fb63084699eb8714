//! Names of schemas: references resolved against the name of the schema they stand in.
//!
//! Decides what a relative reference means. Fetches nothing and knows nothing of schemas.
//!
//! Source: RFC 3986 section 5.2, without normalization beyond dots in paths; RFC 6901 section 6.

/// A reference in parts; the delimiters are left out.
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

/// What `reference` means where `base` is the name: without fragment, and the fragment with its escapes resolved.
pub(super) fn resolve(base: &str, reference: &str) -> (String, String) {
    let (reference, fragment) = cut(reference, '#');
    let (base, _) = cut(base, '#');
    let name = if reference.is_empty() { base.to_owned() } else { join(&split(base), &split(reference)) };
    (name, decode(fragment.unwrap_or("")))
}

fn join(base: &Parts<'_>, reference: &Parts<'_>) -> String {
    let absolute = reference.scheme.is_some();
    let placed = absolute || reference.authority.is_some();
    let path = if placed || reference.path.starts_with('/') {
        without_dots(reference.path)
    } else if reference.path.is_empty() {
        base.path.to_owned()
    } else {
        let folder = base.path.rfind('/').and_then(|at| base.path.get(..=at));
        let root = if base.authority.is_some() { "/" } else { "" };
        without_dots(&[folder.unwrap_or(root), reference.path].concat())
    };
    let query =
        if reference.query.is_none() && reference.path.is_empty() { base.query } else { reference.query };
    let mut whole = String::new();
    if let Some(scheme) = if absolute { reference.scheme } else { base.scheme } {
        whole.push_str(scheme);
        whole.push(':');
    }
    if let Some(authority) = if placed { reference.authority } else { base.authority } {
        whole.push_str("//");
        whole.push_str(authority);
    }
    whole.push_str(&path);
    if let Some(query) = query {
        whole.push('?');
        whole.push_str(query);
    }
    whole
}

fn split(uri: &str) -> Parts<'_> {
    let (rest, query) = cut(uri, '?');
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains('/') => (Some(scheme), rest),
        _ => (None, rest),
    };
    let Some(placed) = rest.strip_prefix("//") else {
        return Parts { scheme, authority: None, path: rest, query };
    };
    let (authority, path) = placed.split_at(placed.find('/').unwrap_or(placed.len()));
    Parts { scheme, authority: Some(authority), path, query }
}

/// What stands before and after the first `mark`.
fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// A path without `.` and `..`.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let last = path.split('/').count() - 1;
    for (at, step) in path.split('/').enumerate() {
        if step == ".." && kept.len() > 1 {
            kept.pop();
        }
        match step {
            "." | ".." if at == last => kept.push(""),
            "." | ".." => {}
            step => kept.push(step),
        }
    }
    kept.join("/")
}

/// A text with `%41` read as `A`; as it is where that gives no text.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn references() {
        for (base, reference, name, fragment) in [
            ("", "#/a", "", "/a"),
            ("http://x/a/b", "c", "http://x/a/c", ""),
            ("http://x/a/b", "../c?q#f", "http://x/c?q", "f"),
            ("http://x/a/b", "./", "http://x/a/", ""),
            ("http://x/a/b", "/c/./d/../e", "http://x/c/e", ""),
            ("http://x", "c", "http://x/c", ""),
            ("http://x/a?q", "#f", "http://x/a?q", "f"),
            ("http://x/a?q", "?r", "http://x/a?r", ""),
            ("http://x/a", "//y/b", "http://y/b", ""),
            ("http://x/a", "urn:uuid:1", "urn:uuid:1", ""),
            ("urn:uuid:1#z", "#/%25%7Bx%ff", "urn:uuid:1", "/%25%7Bx%ff"),
            ("", "#/%25%7e", "", "/%~"),
            ("", "a/b", "a/b", ""),
        ] {
            assert_eq!(
                resolve(base, reference),
                (name.to_owned(), fragment.to_owned()),
                "{reference} in {base}"
            );
        }
    }
}
