//! Parses edges: `-->`, `-. words .->`, `<==>`, `~~~`, and longer forms.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Link<'t> {
    pub(super) name: Option<&'t str>,
    pub(super) length: usize,
    pub(super) has_head: bool,
    pub(super) is_double: bool,
    pub(super) is_invisible: bool,
    pub(super) label: Option<&'t str>,
}

pub(super) fn parse(line: &str) -> Option<Link<'_>> {
    // An edge id: `e1@-->`.
    let named = line.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|at| *at > 0);
    let named = named.filter(|at| line.get(*at..).is_some_and(|rest| rest.starts_with('@')));
    let before = named.map_or(0, |at| at + 1);
    let name = named.and_then(|at| line.get(..at));
    let rest = line.get(before..)?;
    let invisible = count_repeated(rest, '~');
    if invisible >= 3 {
        return Some(Link { length: before + invisible, is_invisible: true, name, ..Link::default() });
    }
    let tail = rest.starts_with(['<', 'x', 'o']);
    let body = rest.get(usize::from(tail)..)?;
    let (length, has_head, words) = match body.get(..2)? {
        "--" => solid(body, '-')?,
        "==" => solid(body, '=')?,
        "-." => dotted(body)?,
        _ => return None,
    };
    let length = before + usize::from(tail) + length;
    Some(Link { name, length, has_head, is_double: tail && has_head, is_invisible: false, label: words })
}

fn count_repeated(text: &str, wanted: char) -> usize {
    text.len() - text.trim_start_matches(wanted).len()
}

type LinkParts<'t> = (usize, bool, Option<&'t str>);

/// `-->`, `---`, `-- words -->`, or equals signs.
fn solid(body: &str, line: char) -> Option<LinkParts<'_>> {
    let dashes = count_repeated(body, line);
    let rest = body.get(dashes..)?;
    if rest.starts_with(['>', 'x', 'o']) {
        return Some((dashes + 1, true, None));
    }
    if dashes > 2 {
        return Some((dashes, false, None));
    }
    let half: String = [line; 2].iter().collect();
    let end = rest.find(&half)?;
    let words = rest.get(..end)?;
    let after = rest.get(end..)?;
    let dashes = count_repeated(after, line);
    let has_head = after.get(dashes..)?.starts_with(['>', 'x', 'o']);
    Some((2 + end + dashes + usize::from(has_head), has_head, Some(words.trim())))
}

/// Parses `-.->`, `-.-`, `-. words .->`.
fn dotted(body: &str) -> Option<LinkParts<'_>> {
    let dots = count_repeated(body.get(1..)?, '.');
    let rest = body.get(1 + dots..)?;
    if let Some(after) = rest.strip_prefix('-') {
        let has_head = after.starts_with(['>', 'x', 'o']);
        return Some((2 + dots + usize::from(has_head), has_head, None));
    }
    let end = rest.find(".-")?;
    let words = rest.get(..end)?.trim_end_matches('.');
    let has_head = rest.get(end + 2..)?.starts_with(['>', 'x', 'o']);
    Some((1 + dots + end + 2 + usize::from(has_head), has_head, Some(words.trim())))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn links() {
        for (line, expect) in [
            ("--> B", "3 head"),
            ("---> B", "4 head"),
            ("--- B", "3"),
            ("---oB", "4 head"),
            ("--x B", "3 head"),
            ("==> B", "3 head"),
            ("=== B", "3"),
            ("-.-> B", "4 head"),
            ("-..-> B", "5 head"),
            ("-.- B", "3"),
            ("<--> B", "4 head double"),
            ("o--o B", "4 head double"),
            ("x==x B", "4 head double"),
            ("<-.-> B", "5 head double"),
            ("~~~ B", "3 invisible"),
            ("-- two words --> B", "16 head «two words»"),
            ("--two words---B", "14 «two words»"),
            ("== yes ==> B", "10 head «yes»"),
            ("-. no .-> B", "9 head «no»"),
            ("e1@--> B", "6 head"),
            ("-> B", "none"),
            ("- B", "none"),
            ("-- never ends", "none"),
        ] {
            let told = parse(line).map_or("none".to_owned(), |link| {
                let mut told = link.length.to_string();
                told.push_str(if link.has_head { " head" } else { "" });
                told.push_str(if link.is_double { " double" } else { "" });
                told.push_str(if link.is_invisible { " invisible" } else { "" });
                if let Some(words) = link.label {
                    told.extend([" «", words, "»"]);
                }
                told
            });
            assert_eq!(told, expect, "{line}");
        }
    }
}
