//! Parses references: a root such as `last` or `output.node`, and a path.
//!
//! Invariant: `output.input` and `output.memory` equal `input` and `memory`.

use crate::base::{Code, ROOTS, Segment, Span, closest_name, is_key_char, is_root, shorten_name};
use crate::cursor::Cursor;
use crate::error::{Error, UNCLOSED_QUOTE};
use crate::function::{foreign_constant, foreign_reference, foreign_root};
use std::fmt;

/// A reference's root.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Root {
    /// Previous output.
    Last,
    /// Run's input.
    Input,
    /// The host supplies it.
    Memory,
    /// A node's or other named output.
    Output(String),
    /// The current element in `map`.
    Item,
    /// Its position.
    Index,
    /// On an edge that leaves a failed node.
    Error,
    /// The host's trusted values.
    Context,
    /// Earlier results, in parameters of a planned call.
    Call,
}

/// A path to a value.
///
/// # Example
/// ```
/// use stepgraph_expression::Reference;
/// let reference = Reference::parse("output.step-1.items[0]").unwrap();
/// assert_eq!(reference.to_string(), "output.step-1.items[0]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    /// Its root.
    pub root: Root,
    /// Path from the root.
    pub path: Vec<Segment>,
}

impl Reference {
    /// Exactly one reference.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut cursor = Cursor::new(text);
        cursor.skip_whitespace();
        let reference = Self::parse_at(&mut cursor, Code::ConditionSyntax)?;
        cursor.skip_whitespace();
        if cursor.is_done() {
            return Ok(reference);
        }
        let span = Span::new(cursor.at(), text.len());
        Err(Error::new(Code::ConditionSyntax, span, "unexpected text after the reference"))
    }

    /// Stops before the operators `.contains:` and `.exists`.
    pub(crate) fn parse_at(cursor: &mut Cursor<'_>, syntax: Code) -> Result<Self, Error> {
        let start = cursor.at();
        cursor.skip_while(is_key_char);
        let word = cursor.slice(start);
        if word.is_empty() {
            return Err(Error::new(syntax, cursor.span(start), "a reference is missing here")
                .vague_help("begin with `last`, `input`, `output.<node>` or another reference"));
        }
        if !is_root(word) {
            let span = cursor.span(start);
            // A call is an expression, which another parser reads.
            if cursor.peek() == Some('(') {
                return Err(unknown_call(word, span));
            }
            return Err(
                foreign_node_output(word, cursor, span, syntax).unwrap_or_else(|| unknown_root(word, span))
            );
        }
        let mut path = Vec::new();
        while let Some(segment) = parse_segment(cursor, syntax)? {
            path.push(segment);
        }
        from_parts(word, path).ok_or_else(|| {
            Error::new(syntax, cursor.span(start), &format!("`{word}` needs a name"))
                .help(&format!("write `{word}.<name>`"))
        })
    }
}

/// As in `nodes.fetch.title` and `steps.fetch.outputs.title`.
const FOREIGN_NODES: [&str; 6] = ["node", "nodes", "step", "steps", "task", "tasks"];
const FOREIGN_OUTPUTS: [&str; 4] = ["output", "outputs", "result", "results"];

/// The cursor is after one of [`FOREIGN_NODES`].
fn foreign_node_output(word: &str, cursor: &Cursor<'_>, span: Span, syntax: Code) -> Option<Error> {
    FOREIGN_NODES.contains(&word).then_some(())?;
    let mut ahead = cursor.clone();
    let from = ahead.at();
    let Ok(Some(Segment::Key(_))) = parse_segment(&mut ahead, syntax) else { return None };
    let name = ahead.slice(from).to_owned();
    let mut end = ahead.at();
    if let Ok(Some(Segment::Key(key))) = parse_segment(&mut ahead, syntax)
        && FOREIGN_OUTPUTS.contains(&key.as_str())
    {
        end = ahead.at();
    }
    let error = Error::new(Code::UnknownRoot, span, &format!("`{word}` is not the beginning of a reference"));
    let help = format!("write `output{}` for the output of a node", shorten_name(&name));
    Some(error.help(&help).fix(Span::new(span.start, end), &format!("output{name}")))
}

fn not_a_root(word: &str, span: Span) -> Error {
    let message = format!("`{}` is not the beginning of a reference", shorten_name(word));
    Error::new(Code::UnknownRoot, span, &message)
}

#[cold]
#[inline(never)]
fn unknown_call(word: &str, span: Span) -> Error {
    not_a_root(word, span).vague_help("write a function, as in `size(last.items)`")
}

#[cold]
#[inline(never)]
fn unknown_root(word: &str, span: Span) -> Error {
    let short = shorten_name(word);
    let error = not_a_root(word, span);
    if let Some(meant) = foreign_constant(word) {
        return error.help(&format!("write `{meant}`")).fix(span, meant);
    }
    match (closest_name(word, ROOTS), foreign_root(word).or_else(|| foreign_reference(word))) {
        (Some(root), _) => error.help(&format!("did you mean `{root}`?")).fix(span, root),
        (None, Some(help)) => error.help(help),
        (None, None) => error.vague_help(&format!(
            "write `input.{short}` for an input, or `output.{short}` for the output of a node"
        )),
    }
}

/// `None` if a name is missing.
pub fn from_parts(word: &str, mut path: Vec<Segment>) -> Option<Reference> {
    let root = match word {
        "last" => Root::Last,
        "input" => Root::Input,
        "memory" => Root::Memory,
        "item" => Root::Item,
        "index" => Root::Index,
        "error" => Root::Error,
        "call" => Root::Call,
        "context" if path.is_empty() => return None,
        "context" => Root::Context,
        _ if path.is_empty() => return None,
        _ => match path.remove(0) {
            Segment::Index(_) => return None,
            Segment::Key(name) if name == "input" => Root::Input,
            Segment::Key(name) if name == "memory" => Root::Memory,
            Segment::Key(name) => Root::Output(name),
        },
    };
    Some(Reference { root, path })
}

/// `None` before other text, and before an operator that looks like a key.
fn parse_segment(cursor: &mut Cursor<'_>, syntax: Code) -> Result<Option<Segment>, Error> {
    let start = cursor.at();
    match cursor.peek() {
        Some('.') => parse_key(cursor, syntax),
        Some('[') => {
            cursor.bump();
            parse_bracket(cursor, start, syntax).map(Some)
        }
        _ => Ok(None),
    }
}

fn parse_key(cursor: &mut Cursor<'_>, syntax: Code) -> Result<Option<Segment>, Error> {
    let start = cursor.at();
    let mut ahead = cursor.clone();
    ahead.bump();
    let key_start = ahead.at();
    ahead.skip_while(is_key_char);
    let key = ahead.slice(key_start);
    let operator = match key {
        // Templates have no such operators.
        _ if syntax == Code::TemplateSyntax => false,
        "contains" => ahead.peek() == Some(':'),
        // The operator is at the end.
        "exists" => !matches!(ahead.peek(), Some('.' | '[')),
        _ => false,
    };
    if operator {
        return Ok(None);
    }
    if key.is_empty() {
        return Err(Error::new(syntax, cursor.span(start), "a name is missing after the dot")
            .help("write a name, or `[\"…\"]` for one with dots or blanks"));
    }
    let segment = Segment::Key(key.to_owned());
    *cursor = ahead;
    Ok(Some(segment))
}

fn parse_bracket(cursor: &mut Cursor<'_>, start: usize, syntax: Code) -> Result<Segment, Error> {
    cursor.skip_whitespace();
    let segment = match cursor.peek() {
        Some(quote @ ('"' | '\'')) => Segment::Key(parse_quoted(cursor, quote, syntax)?),
        _ => {
            let from = cursor.at();
            cursor.skip_while(is_key_char);
            let word = cursor.slice(from);
            let index = Some(word).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
            let index = index.and_then(|digits| digits.parse().ok());
            Segment::Index(index.ok_or_else(|| bad_bracket(word, cursor, from, syntax))?)
        }
    };
    cursor.skip_whitespace();
    if cursor.eat("]") {
        return Ok(segment);
    }
    Err(Error::new(syntax, cursor.span(start), "a bracket is not closed").help("add `]`"))
}

fn bad_bracket(word: &str, cursor: &Cursor<'_>, from: usize, syntax: Code) -> Error {
    let span = cursor.span(from);
    let error = Error::new(syntax, span, "brackets hold a whole number or a quoted key");
    let compares = cursor.rest().trim_start().starts_with(['<', '>', '=', '!']);
    match word.chars().next() {
        Some(_) if compares => {
            error.help("write `list.filter(x, condition)` for the elements that satisfy one")
        }
        Some('*') => error.vague_help("name one element, as in `[0]`"),
        Some('-') => error.help("count from the beginning, as in `[0]`"),
        Some(c) if c.is_alphabetic() => {
            error.vague_help("write `[0]` or `[\"key\"]`").fix(span, &format!("\"{word}\""))
        }
        _ => error.vague_help("write `[0]` or `[\"key\"]`"),
    }
}

/// The escapes are those of JSON, and `\'`.
pub(crate) fn parse_quoted(cursor: &mut Cursor<'_>, quote: char, syntax: Code) -> Result<String, Error> {
    let start = cursor.at();
    cursor.bump();
    let mut text = String::new();
    while let Some(next) = cursor.bump() {
        match next {
            c if c == quote => return Ok(text),
            '\\' => text.push(parse_escape(cursor, syntax)?),
            c => text.push(c),
        }
    }
    Err(Error::new(syntax, cursor.span(start), UNCLOSED_QUOTE).help(&format!("add `{quote}` at its end")))
}

fn parse_escape(cursor: &mut Cursor<'_>, syntax: Code) -> Result<char, Error> {
    let start = cursor.at();
    let escaped = match cursor.bump() {
        Some('n') => Some('\n'),
        Some('t') => Some('\t'),
        Some('r') => Some('\r'),
        Some('b') => Some('\u{8}'),
        Some('f') => Some('\u{c}'),
        Some('u') => {
            let from = cursor.at();
            for _ in 0..4 {
                cursor.bump();
            }
            u32::from_str_radix(cursor.slice(from), 16).ok().and_then(char::from_u32)
        }
        Some(c @ ('"' | '\'' | '\\' | '/')) => Some(c),
        _ => None,
    };
    escaped.ok_or_else(|| {
        Error::new(syntax, cursor.span(start), "an escape that means nothing")
            .help("write `\\\\` for a backslash")
    })
}

impl Root {
    /// Its first word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Input => "input",
            Self::Memory => "memory",
            Self::Output(_) => "output",
            Self::Item => "item",
            Self::Index => "index",
            Self::Error => "error",
            Self::Context => "context",
            Self::Call => "call",
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.root.word())?;
        if let Root::Output(name) = &self.root {
            write_segment(f, name)?;
        }
        self.path.iter().try_for_each(|segment| match segment {
            Segment::Key(key) => write_segment(f, key),
            Segment::Index(index) => write!(f, "[{index}]"),
        })
    }
}

fn write_segment(f: &mut fmt::Formatter<'_>, key: &str) -> fmt::Result {
    let plain = !key.is_empty() && key.chars().all(is_key_char) && key != "exists" && key != "contains";
    if plain { write!(f, ".{key}") } else { write!(f, "[{}]", serde_json::Value::from(key)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_printing() {
        for (text, printed) in [
            ("last", Ok("last")),
            (" last.a ", Ok("last.a")),
            ("output.input.x", Ok("input.x")),
            ("output.memory", Ok("memory")),
            ("output[\"a.b\"].0[1]", Ok("output[\"a.b\"].0[1]")),
            ("output.paso-á['k\\'']", Ok("output.paso-á[\"k'\"]")),
            ("last[\"exists\"]", Ok("last[\"exists\"]")),
            ("last.exists.x", Ok("last[\"exists\"].x")),
            ("context.user_email", Ok("context.user_email")),
            ("output", Err("condition/syntax")),
            ("output[0]", Err("condition/syntax")),
            ("context", Err("condition/syntax")),
            ("last.", Err("condition/syntax")),
            ("last..a", Err("condition/syntax")),
            ("last[x]", Err("condition/syntax")),
            ("last[0", Err("condition/syntax")),
            ("last[\"a]", Err("condition/syntax")),
            ("last[\"\\q\"]", Err("condition/syntax")),
            ("", Err("condition/syntax")),
            ("lst.a", Err("reference/unknown-root")),
        ] {
            let read = Reference::parse(text).map(|r| r.to_string()).map_err(|e| e.code.slug());
            assert_eq!(read.as_deref(), printed.as_ref().copied(), "{text}");
            if let Ok(printed) = read {
                assert_eq!(Reference::parse(&printed).unwrap().to_string(), printed);
            }
        }
    }
}
