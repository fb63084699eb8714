//! Reports syntax of other languages in conditions, with a fix if only one meaning is possible. The author
//! has to confirm the meaning.

use super::connective::{CONNECTIVES, foreign_connective};
use super::{
    Condition, ConditionParser, Cursor, Literal, Predicate, Reference, Root, parse_quoted, syntax_error,
};
use crate::base::{Code, ROOTS, Span, closest_name, is_key_char, is_root, shorten_name};
use crate::error::Error;
use crate::parser::{is_expression, refers_to};

/// Longer operators come before their prefixes.
const FOREIGN_OPERATORS: &[(&str, &str)] = &[
    ("=>", ">="),
    ("=<", "<="),
    ("<>", "!="),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("contains", ".contains:"),
    ("includes", ".contains:"),
    ("exists", ".exists"),
    ("is not", "!="),
    ("is", "=="),
    ("equals", "=="),
    ("eq", "=="),
    ("ne", "!="),
    ("in", ""),
];

const ALL_OPERATORS: &str = "write one of `==`, `!=`, `<`, `<=`, `>`, `>=`, `.contains:`, `.exists`";

/// Ignores case. A word that ends with a letter must be complete.
fn leading_word<'a>(rest: &'a str, word: &str) -> Option<&'a str> {
    let (begin, after) = rest.split_at_checked(word.len())?;
    let ends = !word.ends_with(|c: char| c.is_ascii_alphabetic()) || !after.starts_with(is_key_char);
    (ends && begin.eq_ignore_ascii_case(word)).then_some(begin)
}

/// Warns if a bare literal at byte `at` may have another meaning.
pub(super) fn ambiguous_literal(text: &str, at: usize) -> Option<Error> {
    if is_unambiguous(text) { None } else { doubt(text, at) }
}

stepgraph_lazy::lazy! {
    /// Lazy, because most literals are words or numbers.
    fn doubt(text: &str, at: usize) -> Option<Error> = find_doubt;
}

const ROOT_WORDS: [&str; 6] = ["last", "input", "output", "item", "memory", "context"];

/// A word, a number or a constant.
fn is_unambiguous(text: &str) -> bool {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_number || is_word && !ROOT_WORDS.contains(&text) && misspelt_constant(text).is_none()
}

fn misspelt_constant(text: &str) -> Option<&'static str> {
    if matches!(text, "None" | "nil" | "undefined") {
        return Some("null");
    }
    ["true", "false", "null"].into_iter().find(|word| text != *word && text.eq_ignore_ascii_case(word))
}

fn find_doubt(text: &str, at: usize) -> Option<Error> {
    let whole = Span::new(at, at + text.len());
    let warning = |message: String| Error::new(Code::AmbiguousLiteral, whole, &message);
    let foreign = |message: String| Error::new(Code::ForeignOperator, whole, &message);
    // A closure, because most literals need no warning.
    let short = || shorten_name(text);
    if text.starts_with('=') {
        return Some(
            foreign(format!("the literal `{}` begins with a third `=`", short()))
                .help("write `==`, or put the literal in quotes")
                .fix(Span::new(at, at + text.len() - text.trim_start_matches('=').len()), ""),
        );
    }
    if let Some((place, word, symbol)) = foreign_connective(text) {
        let error = foreign(format!("`{word}` and what follows it belong to the literal `{}`", short()));
        let joint = symbol.unwrap_or("&&` or `||");
        let error = error.help(&format!("write `{joint}` to join conditions, or put the literal in quotes"));
        let span = Span::new(at + place, at + place + word.len());
        let negated = text.get(place..).is_some_and(|rest| rest.contains("not "));
        return Some(symbol.filter(|_| !negated).map_or(error.clone(), |symbol| error.fix(span, symbol)));
    }
    if ROOT_WORDS.contains(&text) {
        let error = Error::new(Code::ReferenceAsText, whole, &format!("`{text}` is compared as text"));
        let help = format!("write `${{{text}}}` for the value, or `\"{text}\"` for the text");
        return Some(error.help(&help).fix(whole, &format!("${{{text}}}")));
    }
    if let Some((before, _)) = text.split_once(" // ") {
        let message = format!("the comment belongs to the literal `{}`", short());
        let rest = Span::new(at + before.len(), at + text.len());
        return Some(warning(message).help("put the literal in quotes, or remove the comment").fix(rest, ""));
    }
    if let Some((word, meant)) = misspelt_root(text) {
        let error = Error::new(Code::ReferenceAsText, whole, &format!("`{}` is compared as text", short()));
        let rest = text.get(word.len()..).unwrap_or_default();
        let help = format!(
            "did you mean `{}`? Put the text in quotes if not",
            shorten_name(&format!("{meant}{rest}"))
        );
        return Some(error.help(&help).fix(Span::new(at, at + word.len()), meant));
    }
    if let Some(word) = misspelt_constant(text) {
        let error = warning(format!("`{}` is text here", short()));
        return Some(error.help(&format!("write `{word}`, or put the text in quotes")).fix(whole, word));
    }
    let compares = ["==", "!=", "<"].iter().any(|operator| text.contains(operator));
    let calculates = || [" > ", " >= ", " ?? ", " + ", " ? "].iter().any(|it| text.contains(it));
    if compares || calculates() && refers_to(text, &ROOTS) {
        let short = short();
        return Some(
            warning(format!("`{short}` looks like another comparison"))
                .help(&format!("write `\"{short}\"` if it is meant as text, or join conditions with `&&`")),
        );
    }
    // Most literals are words.
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    if !is_word && super::looks_computed(text) {
        let short = short();
        // `5+1`, since versions and phone numbers have a plus, too.
        if is_expression(&text.replace('+', " + "), &ROOTS, &|_| false) {
            let error = warning(format!("`{short}` has no blanks, so it is text here"));
            return Some(error.help("write blanks around `+` to calculate, or put the text in quotes"));
        }
        let error = warning(format!("`{short}` is no expression, so it is text here"));
        return Some(error.help("correct the expression, or put the text in quotes"));
    }
    let single = text.starts_with(['‘', '’', '‚']) && text.ends_with(['‘', '’']);
    let inner =
        text.strip_prefix(['“', '”', '„']).or_else(|| text.get('‘'.len_utf8()..).filter(|_| single))?;
    let error = warning(format!("the curly quotes belong to the literal `{}`", short()));
    let inner = inner.strip_suffix(['“', '”', '‘', '’']).filter(|inner| !inner.contains(['"', '\\']));
    let error = error.help("write straight quotes");
    Some(match inner {
        Some(inner) => error.fix(whole, &format!("\"{inner}\"")),
        None => error,
    })
}

/// Warns about `item == index`, which ends at `end`. Elsewhere the word is a usual text.
pub(super) fn index_as_text(reference: &Reference, predicate: &Predicate, end: usize) -> Option<Error> {
    let (Predicate::Equals(literal) | Predicate::Differs(literal)) = predicate else { return None };
    let is_word = !literal.quoted && literal.text == "index";
    if !is_word || reference.root != Root::Item || !reference.path.is_empty() {
        return None;
    }
    let span = Span::new(end - literal.text.len(), end);
    let error = Error::new(Code::ReferenceAsText, span, "`index` is compared as text");
    Some(error.help("write `${index}` for the value, or `\"index\"` for the text").fix(span, "${index}"))
}

/// Whether a bare literal looks like a broken expression: `(2 + 3`, `["a" "b"]`, `lenght(x)`, `5 and true`, `1,000`.
pub(super) fn looks_computed(text: &str) -> bool {
    if Literal::new(text, false).structure.is_some() {
        return false;
    }
    let opens = text.starts_with(['(', '[', '{', '"', '\'']);
    let ends = text.ends_with(';') || text.contains("/*");
    let calls = text.find('(').is_some_and(|at| {
        let name = text.get(..at).unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    let joined = [" and ", " or "].iter().any(|joint| {
        let after = text.split_once(joint).map_or("", |(_, after)| after.trim_start_matches("not "));
        matches!(after.trim(), "true" | "false")
    });
    opens || ends || calls || joined || is_broken_number(text)
}

/// A number with an operator behind it, or with commas. A date has dashes or slashes.
fn is_broken_number(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let operator = rest.trim_start().starts_with(['+', '*', '%', '&', '|', '^', '<', '>']) && rest != "%";
    let mut groups = rest.split(',');
    let thousands = groups.next() == Some("") && rest.starts_with(',');
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    rest.len() < text.len() && (operator || thousands && groups.all(is_group))
}

fn misspelt_root(text: &str) -> Option<(&str, &'static str)> {
    let (word, rest) = text.split_once('.')?;
    let is_path =
        !is_root(word) && rest.starts_with(is_key_char) && Reference::parse(&format!("last.{rest}")).is_ok();
    closest_name(word, ROOTS).filter(|_| is_path).map(|meant| (word, meant))
}

impl ConditionParser<'_> {
    /// Rejects a word alone, a template, a negation in words.
    pub(super) fn reject_foreign_syntax(&self, start: usize) -> Result<(), Error> {
        let rest = self.cursor.rest();
        if rest.starts_with("${") || rest.starts_with("{{") {
            return Err(template_in_condition(rest, start));
        }
        if rest.starts_with('$') {
            let dollars = rest.len() - rest.trim_start_matches('$').len();
            let span = Span::new(start, start + dollars);
            return Err(syntax_error(span, "a reference has no `$`").help("leave out the `$`").fix(span, ""));
        }
        let mut ahead = self.cursor.clone();
        ahead.skip_while(is_key_char);
        let (word, span) = (ahead.slice(start), ahead.span(start));
        ahead.skip_whitespace();
        let negation = word.eq_ignore_ascii_case("not") && !ahead.is_done();
        let goes_on = ahead.peek().is_some_and(|c| ".[=!<>".contains(c));
        if negation && !goes_on {
            let error = syntax_error(span, &format!("`{word}` is not an operator")).help("write `!`");
            return Err(error.fix(Span::new(start, ahead.at()), "!"));
        }
        if word.is_empty() || goes_on || is_root(word) {
            return Ok(());
        }
        let short = shorten_name(word);
        let fallback = ["default", "always"].into_iter().find(|name| name.eq_ignore_ascii_case(word));
        let error = syntax_error(span, &format!("`{short}` is not a condition"));
        let alone = word == self.text.trim();
        let meant = match word {
            "else" | "otherwise" => Some("default"),
            _ => closest_name(word, ["default", "always"]),
        };
        Err(match (fallback, meant) {
            (Some(name), _) if alone => {
                error.help(&format!("write `{name}` in lower case, and alone")).fix(span, name)
            }
            (Some(name), _) => error.help(&format!("write `{name}` in lower case, and alone")),
            (None, Some(name)) if alone => error.help(&format!("did you mean `{name}`?")).fix(span, name),
            _ => {
                let before = self.text.get(..start).unwrap_or_default().trim_end();
                let other = match ["&&", "||"].into_iter().find(|joint| before.ends_with(joint)) {
                    Some(joint) => format!("quote the text that `{joint}` is part of"),
                    None => "write `default`".to_owned(),
                };
                error.vague_help(&format!("compare a reference with it, as in `last=={short}`, or {other}"))
            }
        })
    }

    /// The text follows a complete condition.
    pub(super) fn missing_connective(&self) -> Error {
        let (at, rest) = (self.cursor.at(), self.cursor.rest());
        let joint = CONNECTIVES.iter().find_map(|(word, symbol)| leading_word(rest, word).zip(Some(*symbol)));
        if let Some((word, symbol)) = joint {
            let span = Span::new(at, at + word.len());
            let error = syntax_error(span, &format!("`{word}` is not an operator"));
            return error.help(&format!("write `{symbol}`")).fix(span, symbol);
        }
        let span = Span::new(at, self.text.trim_end().len());
        syntax_error(span, "unexpected text after the condition")
            .help("join conditions with `&&` or `||`, or quote the literal")
    }
}

/// The reference before the text at `at` begins at `start`.
pub(super) fn expected_operator((text, start, at): (&str, usize, usize)) -> Error {
    let rest = text.get(at..).unwrap_or_default();
    let read = text.get(start..at).unwrap_or("").trim_end();
    let end = start + read.len();
    let short = shorten_name(read);
    if let Some(error) = foreign_operator(rest, at, end) {
        return error;
    }
    let ends = rest.is_empty() || ["&&", "||", ")"].iter().any(|sign| rest.starts_with(sign));
    let joint = CONNECTIVES.iter().find(|(word, _)| leading_word(rest, word).is_some());
    if ends && let Some(error) = misspelt_exists(read, end) {
        return error;
    }
    if ends || joint.is_some() {
        let help = format!("write `{short}==…` or `{short}.exists`");
        let joined = joint.map(|(word, symbol)| format!("{help}, and `{symbol}` for `{word}`"));
        return syntax_error(Span::new(start, end), &format!("`{short}` is compared with nothing"))
            .help(&joined.unwrap_or(help));
    }
    if read.ends_with(".contains") {
        let word = Span::new(end - "contains".len(), end);
        let error = syntax_error(word, "`.contains` is written with a colon")
            .help("write `.contains:` and the literal");
        return match call_argument(rest) {
            // In CEL the text needs quotes. The expression parser explains other arguments.
            Some((inner, _)) if rest.starts_with('(') && !inner.starts_with(['"', '\'']) => {
                let inside = at + rest.find(inner).unwrap_or(1);
                bare_argument(inner, Span::new(inside, inside + inner.len())).unwrap_or(error)
            }
            Some((inner, length)) => error.fix(Span::new(end, at + length), &format!(":{inner}")),
            None if rest.starts_with('(') => error,
            None => error.fix(Span::new(end, at), ":"),
        };
    }
    match rest.chars().next() {
        Some('=') if !rest.starts_with("=~") => syntax_error(Span::new(at, at + 1), "`=` is not an operator")
            .help("write `==`")
            .fix(Span::new(at, at + 1), "=="),
        Some('(') => syntax_error(Span::new(start, end), &format!("`{short}` can't be called"))
            .vague_help(ALL_OPERATORS),
        _ => syntax_error(Span::new(at, text.trim_end().len()), "an operator is missing here")
            .vague_help(ALL_OPERATORS),
    }
}

#[inline(never)]
fn misspelt_exists(read: &str, end: usize) -> Option<Error> {
    let (_, last) = read.rsplit_once('.')?;
    closest_name(last, ["exists"])?;
    let word = Span::new(end - last.len(), end);
    let error = syntax_error(word, &format!("there is no test `.{}`", shorten_name(last)));
    Some(error.help("did you mean `.exists`?").fix(word, "exists"))
}

fn bare_argument(text: &str, span: Span) -> Option<Error> {
    let is_plain = !text.is_empty() && !is_root(text) && text.chars().all(|c| is_key_char(c) || c == ' ');
    let quoted = format!("\"{text}\"");
    let error = || syntax_error(span, &format!("the text `{}` is not in quotes", shorten_name(text)));
    is_plain.then(|| error().help(&format!("write `{}`", shorten_name(&quoted))).fix(span, &quoted))
}

pub(super) fn expected_number(literal: &Literal, span: Span) -> Error {
    let warning = if foreign_connective(&literal.text).is_some() {
        ambiguous_literal(&literal.text, span.start)
    } else {
        None
    };
    if let Some(warning) = warning.filter(|_| !literal.quoted) {
        return Error { code: Code::ConditionSyntax, ..warning };
    }
    if literal.text.is_empty() && !literal.quoted {
        return syntax_error(span, "a number is missing here").help("write the number to compare with");
    }
    let bare = Literal::new(literal.text.as_str(), false);
    let short = shorten_name(&literal.text);
    if literal.quoted && bare.number.is_some() {
        return syntax_error(span, &format!("`\"{short}\"` is text and no number"))
            .help("write the number without quotes")
            .fix(span, &bare.text);
    }
    syntax_error(span, &format!("`{short}` is not a number"))
        .help("order numbers with `<` and `>`; compare text with `==`")
}

/// The reference before the operator ends at `end`.
fn foreign_operator(rest: &str, at: usize, end: usize) -> Option<Error> {
    let (word, meant) =
        FOREIGN_OPERATORS.iter().find_map(|(word, meant)| leading_word(rest, word).zip(Some(*meant)))?;
    let span = Span::new(at, at + word.len());
    let error = syntax_error(span, &format!("`{word}` is not an operator"));
    Some(match meant {
        "" => error.help("compare with each value, as in `last==a || last==b`"),
        // The fix also removes blanks around an operator that begins with a dot.
        meant if meant.starts_with('.') => {
            let blanks = rest.len() - rest.get(word.len()..)?.trim_start().len() - word.len();
            error.help(&format!("write `{meant}`")).fix(Span::new(end, span.end + blanks), meant)
        }
        meant => error.help(&format!("write `{meant}`")).fix(span, meant),
    })
}

fn call_argument(rest: &str) -> Option<(&str, usize)> {
    let mut cursor = Cursor::new(rest);
    cursor.eat("(").then_some(())?;
    cursor.skip_whitespace();
    let from = cursor.at();
    match cursor.peek() {
        Some(quote @ ('"' | '\'')) => drop(parse_quoted(&mut cursor, quote, Code::ConditionSyntax).ok()?),
        _ => cursor.skip_while(|c| !"()\"'&|".contains(c)),
    }
    let inner = cursor.slice(from).trim_end();
    cursor.skip_whitespace();
    cursor.eat(")").then_some((inner, cursor.at()))
}

fn template_in_condition(rest: &str, start: usize) -> Error {
    let close = if rest.starts_with("{{") { "}}" } else { "}" };
    let whole = rest.find(close).map(|at| (at, at + close.len()));
    let span = Span::new(start, start + whole.map_or(2, |(_, end)| end));
    let error =
        syntax_error(span, "a condition has no templates").help("write it without braces, as in `last==…`");
    let inner = whole.and_then(|(at, _)| rest.get(2..at)).map(str::trim);
    // Braces in braces are not read again: there may be thousands.
    let is_read = |inner: &&str| {
        Reference::parse(inner).is_ok() || !inner.contains(['{', '$']) && Condition::parse(inner).is_ok()
    };
    match inner.filter(is_read) {
        Some(inner) => error.fix(span, inner),
        None => error,
    }
}
