//! Escapes untrusted text for Markdown, so that readers see its characters.
//!
//! Source: `CommonMark` 0.31, sections 2.4 and 6.1.

/// Removes control characters, and cuts at 2000 characters.
pub(crate) fn text(text: &str) -> String {
    const LONGEST: usize = 2000;
    let mut out = String::with_capacity(text.len() + 8);
    let mut at_start = true;
    for c in text
        .trim()
        .chars()
        .filter(|c| !stepgraph_core::source::scalar_style::needs_escape(*c) || *c == '\n')
        .take(LONGEST)
    {
        match c {
            '\n' => {
                out.push('\n');
                at_start = true;
                continue;
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '|' | '~' | '!' | '$' | '('
            | ')' => {
                out.push('\\');
            }
            // They matter only at a line's start or in an address.
            '+' | '-' | '=' | '.' if at_start || c == '.' => out.push('\\'),
            ':' | '@' => out.push('\\'),
            _ => {}
        }
        out.push(c);
        // Four spaces would begin a code block.
        if at_start && c == ' ' {
            out.pop();
        } else {
            at_start = at_start && c.is_ascii_digit();
        }
    }
    if text.trim().chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

pub(crate) fn code(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut short: String = text
        .chars()
        .map(|c| if stepgraph_core::source::scalar_style::needs_escape(c) { ' ' } else { c })
        .take(LONGEST)
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    let mut longest = 0;
    let mut run = 0;
    for c in short.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad =
        if short.starts_with('`') || short.ends_with('`') || short.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{short}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_stay_text() {
        for (given, shown) in [
            ("plain words, and more", "plain words, and more"),
            ("[x](http://a.b) ![i](u) <b>", "\\[x\\]\\(http\\://a\\.b\\) \\!\\[i\\]\\(u\\) \\<b\\>"),
            ("- a\n1. b\n    code", "\\- a\n1\\. b\ncode"),
            ("a\u{202e}b\u{1b}", "ab"),
        ] {
            assert_eq!(text(given), shown);
        }
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a b`");
    }
}
