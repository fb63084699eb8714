//! Messages for YAML syntax errors that name the missing part and the fix. Users never see a message of the
//! parser.
//!
//! Source: the messages of `saphyr-parser` 0.3.

use super::lexeme::{byte, property_end};
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Underline {
    Here,
    /// The last non-empty line before, if the parser looked too far ahead.
    LineBefore,
    Word,
    /// Tabs in this indentation, or soon after.
    Tab,
}

/// A part of the parser's message, then ours.
struct MessageRow(&'static str, Code, Underline, &'static str, &'static str);

use Code::{SourceSyntax as Syntax, SourceTag, SourceTooDeep};
use Underline::{Here, LineBefore, Tab, Word};

const TABLE: &[MessageRow] = &[
    MessageRow(
        "recursion limit",
        SourceTooDeep,
        Here,
        "lists and maps are nested too deeply",
        "flatten what is nested here",
    ),
    MessageRow("handle wasn't declared", SourceTag, Word, "a tag that was not declared", "remove the tag"),
    MessageRow(
        "comments must be separated",
        Syntax,
        Here,
        "a comment must have a space before its `#`",
        "put a space before the `#`, or the text in quotes",
    ),
    MessageRow(
        "comment intercepting",
        Syntax,
        Here,
        "a comment is in the middle of a text of several lines",
        "move the comment, or write the text as a block with `|`",
    ),
    MessageRow(
        "unprintable",
        Syntax,
        Here,
        "a control character is not allowed here",
        "remove it, or write it as an escape in double quotes",
    ),
    MessageRow(
        "byte order mark",
        Syntax,
        Here,
        "a byte order mark is allowed at the beginning only",
        "remove it",
    ),
    MessageRow("tab", Syntax, Tab, "a tab can't indent", "indent with blanks"),
    MessageRow(
        "found unexpected end of stream",
        Syntax,
        Here,
        "the closing quote of this text is missing",
        "close the quote",
    ),
    MessageRow(
        "quoted scalar, found unexpected document indicator",
        Syntax,
        Here,
        "the closing quote of this text is missing",
        "close the quote",
    ),
    MessageRow(
        "invalid indentation in quoted",
        Syntax,
        Here,
        "a quoted text continues with too little indentation, or its closing quote is missing",
        "close the quote, or indent the lines that continue it",
    ),
    MessageRow(
        "unknown escape",
        Syntax,
        Here,
        "this text has an unknown escape",
        "write a backslash as `\\\\`, or use single quotes",
    ),
    MessageRow(
        "hexadecimal number",
        Syntax,
        Here,
        "an escape in this text lacks hexadecimal digits",
        "write `\\x` with two digits, `\\u` with four or `\\U` with eight",
    ),
    MessageRow(
        "invalid Unicode character escape",
        Syntax,
        Here,
        "an escape in this text names no character",
        "write the character itself, or `\\U` with eight hexadecimal digits",
    ),
    MessageRow(
        "invalid trailing content after",
        Syntax,
        Here,
        "something follows the closing quote",
        QUOTES_INSIDE,
    ),
    MessageRow(
        "expected ',' or ']'",
        Syntax,
        Here,
        "a `,` or a `]` is missing here",
        "separate values by commas and close every bracket",
    ),
    MessageRow(
        "expected ',' or '}'",
        Syntax,
        Here,
        "a `,` or a `}` is missing here",
        "separate entries by commas and close every brace",
    ),
    MessageRow(
        "misplaced bracket",
        Syntax,
        Here,
        "a closing bracket without an opening one",
        "remove it, or put the text in quotes",
    ),
    MessageRow(
        "may not precede any of",
        Syntax,
        Here,
        "a space is missing after the `:`",
        "put a space after the `:`",
    ),
    MessageRow(
        "flow construct",
        Syntax,
        Here,
        "a list or map in brackets continues with too little indentation, or is not closed",
        "close the bracket, or indent its contents",
    ),
    MessageRow(
        "illegal placement of ':'",
        Syntax,
        Here,
        "there is no key before this `:`",
        "write the key and its `:` on one line",
    ),
    MessageRow(
        "mapping values are not allowed",
        Syntax,
        Here,
        "a `:` is not allowed here",
        "put the text in quotes if the `:` is part of it; else check the indentation of the line",
    ),
    MessageRow(
        "mapping keys are not allowed",
        Syntax,
        Here,
        "a key is not allowed here",
        "check the indentation of the line, or put the text in quotes",
    ),
    MessageRow(
        "block sequence entries are not allowed",
        Syntax,
        Here,
        "a list item can't begin here",
        "begin the list on a line of its own",
    ),
    MessageRow(
        "\"-\" is only valid",
        Syntax,
        Here,
        "a `-` can't begin an item inside brackets",
        "separate the items by commas, without `-`",
    ),
    MessageRow(
        "':' must be followed",
        Syntax,
        Here,
        "a tab is not allowed between a `:` and its value",
        "put a space after the `:` instead",
    ),
    MessageRow("'-' must be followed", Syntax, Tab, "a tab can't indent", "indent with blanks"),
    MessageRow(
        "cannot start with '-'",
        Syntax,
        Here,
        "a lone `-` is not allowed inside brackets",
        "put it in quotes",
    ),
    MessageRow(
        "simple key",
        Syntax,
        LineBefore,
        "a `:` is missing after the key",
        "write `key: value`, with a space after the `:`",
    ),
    MessageRow(
        "did not find expected key",
        Syntax,
        Here,
        "a key was expected here",
        "check the indentation: all keys of a map begin in the same column",
    ),
    MessageRow(
        "expected '-' indicator",
        Syntax,
        Here,
        "a list item was expected here",
        "check the indentation: all items of a list begin with `-` in the same column",
    ),
    MessageRow(
        "did not find expected node content",
        Syntax,
        Here,
        "a value is missing here",
        "write a value, or put the text in quotes",
    ),
    MessageRow(
        "unexpected end of plain scalar",
        Syntax,
        Here,
        "a value is missing here",
        "write a value, or put the text in quotes",
    ),
    MessageRow(
        "unexpected character",
        Syntax,
        Here,
        "a text can't begin with this character",
        "put the text in quotes",
    ),
    MessageRow(
        "indentation indicator",
        Syntax,
        Here,
        "the indentation of a block of text can't be 0",
        "remove the 0",
    ),
    MessageRow(
        BLOCK,
        Syntax,
        Here,
        "nothing may follow the `|` or `>` of a block of text on its line",
        "begin the text on the next line",
    ),
    MessageRow(
        "wrongly indented line in block scalar",
        Syntax,
        Here,
        "the first lines of a block of text are indented further than the text",
        "indent empty lines no further than the text",
    ),
    MessageRow(
        "invalid indentation",
        Syntax,
        Here,
        "the indentation of this line matches no line above it",
        "indent it like the other lines of its list or map",
    ),
    MessageRow(
        "anchor or alias",
        Syntax,
        Here,
        "a name is missing after `&` or `*`",
        "write a name, or put the text in quotes",
    ),
    MessageRow(
        "document end marker",
        Syntax,
        Here,
        "nothing may follow the end of the document",
        "remove what follows `...`",
    ),
    MessageRow(
        "directive",
        Syntax,
        Here,
        "this `%` line is not a directive of YAML",
        "remove the line, or put the text in quotes",
    ),
    MessageRow("TAG", Syntax, Here, "this `%TAG` line can't be read", "remove the line"),
    MessageRow(
        "<document start>",
        Syntax,
        Here,
        "nothing may follow the document",
        "check the indentation of this line",
    ),
    MessageRow(
        " tag",
        SourceTag,
        Word,
        "a tag that can't be read",
        "remove the tag, or put the text in quotes",
    ),
];

const BLOCK: &str = "scanning a block scalar";

const QUOTES_INSIDE: &str = "put the whole value in quotes, and quotes inside it as `\\\"`";
const SINGLE_QUOTES_INSIDE: &str =
    "put the whole value in single quotes, and write `''` for each `'` inside it";

const GENERAL: MessageRow = MessageRow(
    "",
    Syntax,
    Here,
    "this can't be read as YAML",
    "check the indentation, or put the text in quotes",
);

pub(super) fn explain(text: &str, at: usize, info: &str) -> Diagnostic {
    let found = TABLE.iter().find(|row| info.contains(row.0)).unwrap_or(&GENERAL);
    if let Some(tag) = tag_before(text, at).filter(|_| found.0 == BLOCK) {
        return negation_as_tag(text.get(tag.start..tag.end).unwrap_or_default()).at(tag);
    }
    // They are the cause, whatever the parser reports.
    let tab = tab_indent(text, at).or_else(|| if found.2 == Tab { tab_indent_after(text, at) } else { None });
    let row = if tab.is_some() { TABLE.iter().find(|row| row.2 == Tab).unwrap_or(found) } else { found };
    let MessageRow(_, code, underline, message, help) = row;
    let span = match underline {
        Tab => tab.unwrap_or_else(|| span_at(text, at)),
        Here => span_at(text, at),
        LineBefore => line_before(text, at),
        Word => Span::new(at, property_end(text, at)),
    };
    let is_single =
        *help == QUOTES_INSIDE && text.get(..at).is_some_and(|text| text.trim_end().ends_with('\''));
    let help = if is_single { SINGLE_QUOTES_INSIDE } else { help };
    Diagnostic::new(*code, *message).at(span).help(help)
}

/// A condition that begins with `!`.
pub(super) fn negation_as_tag(text: &str) -> Diagnostic {
    let message = format!("`{}` begins with `!`, which makes it a tag of YAML", shorten_name(text));
    Diagnostic::new(SourceTag, message).help("put the text in quotes")
}

/// `!input.n` before the `>` of a comparison at `at`.
fn tag_before(text: &str, at: usize) -> Option<Span> {
    let end = text.get(..at)?.trim_end().len();
    let line = text.get(..end)?.rsplit('\n').next()?;
    let start = end - line.split_once(": ").map_or(line, |(_, value)| value).len();
    let tag = text.get(start..end)?;
    (tag.starts_with('!') && !tag.contains(' ')).then_some(Span::new(start, end))
}

fn tab_indent(text: &str, at: usize) -> Option<Span> {
    let before = text.get(..at)?;
    let start = before.rfind(['\n', '\r']).map_or(0, |line| line + 1);
    let tabs = tab_span(text, start)?;
    // A continued quoted scalar may have tabs.
    let quoted = text.get(tabs.end..at).is_some_and(|words| words.contains(['"', '\'']));
    if quoted { None } else { Some(tabs) }
}

fn tab_indent_after(text: &str, at: usize) -> Option<Span> {
    let rest = text.get(at..)?;
    rest.match_indices('\n').find_map(|(line, _)| tab_span(text, at + line + 1))
}

/// Includes the whitespace after the first tab.
fn tab_span(text: &str, start: usize) -> Option<Span> {
    let line = text.get(start..)?;
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    let first = line.get(..blanks)?.find('\t')?;
    Some(Span::new(start + first, start + blanks))
}

fn span_at(text: &str, at: usize) -> Span {
    let rest = text.get(at..).unwrap_or_default();
    match rest.chars().next() {
        None | Some('\n' | '\r') => Span::at(text.get(..at).unwrap_or_default().trim_end().len()),
        Some(c) => Span::new(at, at + c.len_utf8()),
    }
}

/// Skips lines with only a comment.
fn line_before(text: &str, at: usize) -> Span {
    let mut end = at;
    loop {
        let before = text.get(..end).unwrap_or_default().trim_end();
        let start = before.rfind(['\n', '\r']).map_or(0, |line| line + 1);
        let line = before.get(start..).unwrap_or_default();
        let blanks = line.len() - line.trim_start().len();
        if byte(text, start + blanks) != b'#' || start == 0 {
            let line = line.split(" #").next().unwrap_or_default().trim_end();
            return Span::new(start + blanks, start + line.len());
        }
        end = start;
    }
}
