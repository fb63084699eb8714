//! Decodes a label as displayed, in linear time.

const ENTITY_NAMES: [(&str, char); 18] = [
    ("quot", '"'),
    ("apos", '\''),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("nbsp", ' '),
    ("num", '#'),
    ("semi", ';'),
    ("colon", ':'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lbrack", '['),
    ("rbrack", ']'),
    ("lbrace", '{'),
    ("rbrace", '}'),
    ("vert", '|'),
    ("percnt", '%'),
    ("copy", '©'),
];
const MAX_ENTITY_BYTES: usize = 10;

pub(super) fn lines(raw: &str) -> Vec<String> {
    let raw = raw.trim();
    let raw = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
    let markdown = raw.strip_prefix('`').and_then(|raw| raw.strip_suffix('`'));
    let text = decode(markdown.unwrap_or(raw));
    let text = if markdown.is_some() { strip_markdown(&text) } else { text };
    let lines = text.split('\n').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect()
}

fn decode(raw: &str) -> String {
    let mut out = String::new();
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        let step = match c {
            '#' | '&' => escape(rest, c),
            '<' => tag(rest),
            '\\' if rest.starts_with("\\n") => Some(("\n".to_owned(), 2)),
            _ => None,
        };
        let (text, length) = step.unwrap_or_else(|| (c.to_string(), c.len_utf8()));
        out.push_str(&text);
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

fn escape(text: &str, mark: char) -> Option<(String, usize)> {
    let window = text.bytes().take(MAX_ENTITY_BYTES + 1).position(|byte| byte == b';')?;
    let name = text.get(1..window)?;
    let name = if mark == '&' { name.strip_prefix('#').or(Some(name))? } else { name };
    let hex = name.strip_prefix(['x', 'X']);
    let number = match hex {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => name.parse().ok(),
    };
    let named = || ENTITY_NAMES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
    let c = number.and_then(char::from_u32).or_else(named)?;
    Some((c.to_string(), window + 1))
}

fn tag(text: &str) -> Option<(String, usize)> {
    const MAX_TAG_BYTES: usize = 200;
    let end = text.bytes().take(MAX_TAG_BYTES).position(|byte| byte == b'>')?;
    let inner = text.get(1..end)?.trim_start_matches('/').trim();
    let begins = inner.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let name: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    let becomes =
        if matches!(name.to_ascii_lowercase().as_str(), "br" | "p" | "div" | "hr") { "\n" } else { "" };
    begins.then(|| (becomes.to_owned(), end + 1))
}

fn strip_markdown(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let inside = before.is_alphanumeric() && after.is_alphanumeric();
        let is_mark =
            matches!(c, '*' | '`') || c == '_' && !inside || c == '~' && (after == '~' || before == '~');
        if !is_mark {
            out.push(c);
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn labels() {
        for (raw, expect) in [
            ("Fetch data", "Fetch data"),
            ("\"a #quot;b#quot; #35;1\"", "a \"b\" #1"),
            ("\"one<br/>two<BR>three\\nfour\"", "one|two|three|four"),
            ("\"`**bold** and _it_ snake_case`\"", "bold and it snake_case"),
            ("a &amp; b &#65; &#x42;", "a & b A B"),
            ("1 < 2 and <b>3</b> > 2", "1 < 2 and 3 > 2"),
            ("#nothing; #", "#nothing; #"),
            ("#9829;", "♥"),
            ("\"\"", ""),
            ("fa:fa-car  Car", "fa:fa-car Car"),
        ] {
            assert_eq!(lines(raw).join("|"), expect, "{raw}");
        }
    }
}
