//! Resolves references against their schema's URI, without fetching.
//!
//! Source: RFC 3986 section 5.2, without normalization beyond dots in paths; RFC 6901 section 6.

/// Returns the URI and its unescaped fragment.
pub(super) fn resolve(base: &str, reference: &str) -> (String, String) {
    let (reference, fragment) = split_at(reference, '#');
    let (base, _) = split_at(base, '#');
    (join(base, reference), decode(fragment.unwrap_or("")))
}

fn join(base: &str, reference: &str) -> String {
    if scheme(reference) > 0 {
        return reference.to_owned();
    }
    if reference.is_empty() {
        return base.to_owned();
    }
    let (named, _) = split_at(base, '?');
    let scheme = scheme(named);
    let placed = named.get(scheme..).is_some_and(|rest| rest.starts_with("//"));
    let after = scheme + if placed { 2 } else { 0 };
    let slash = named.bytes().skip(after).position(|byte| byte == b'/').map(|at| after + at);
    // Starts of the path and of its last segment.
    let path = slash.unwrap_or(if placed { named.len() } else { after });
    let last =
        named.bytes().rposition(|byte| byte == b'/').filter(|at| *at >= path).map_or(path, |at| at + 1);
    let first = reference.bytes().next();
    let (end, folder) = match first {
        Some(b'?') => return [named, reference].concat(),
        Some(b'/') if reference.starts_with("//") => (scheme, ""),
        Some(b'/') => (path, ""),
        _ if placed && slash.is_none() => (path, "/"),
        _ => (path, named.get(path..last).unwrap_or("")),
    };
    [named.get(..end).unwrap_or(""), &without_dots(&[folder, reference].concat())].concat()
}

/// Length with colon, or 0.
fn scheme(uri: &str) -> usize {
    match uri.find([':', '/', '?']) {
        Some(at) if at > 0 && uri.as_bytes().get(at) == Some(&b':') => at + 1,
        _ => 0,
    }
}

fn split_at(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

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

/// Decodes percent escapes. Keeps the text if the result is no UTF-8.
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
