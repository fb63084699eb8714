//! Refuses too little indentation in brackets and quotes, and tabs before lists and maps.
//!
//! Our parser accepts the closing bracket in the column of its key, but others refuse it.
//!
//! Source: YAML 1.2.2 section 6.1, and rules 69 (`s-flow-line-prefix`) and 80 (`s-separate`).

use super::{Code, Diagnostic, ParseAborted, Span, YamlParser, byte};
use crate::source::lexeme::{line_end, line_start};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enclosing {
    Brackets,
    Quotes,
}

impl YamlParser<'_> {
    pub(super) fn check_tabs(&mut self, start: usize) -> Result<(), ParseAborted> {
        // First, as the line of brackets may be as long as the text.
        if self.levels.iter().any(|level| level.is_flow) {
            return Ok(());
        }
        let line = line_start(self.text, start);
        let before = self.text.get(line..start).unwrap_or_default();
        let Some(tab) = before.find('\t').map(|at| line + at) else { return Ok(()) };
        let diagnostic = Diagnostic::new(Code::SourceSyntax, "a tab can't indent");
        self.stop(diagnostic.at(Span::new(tab, tab + 1)).help("indent with blanks"))
    }

    pub(super) fn check_indent(&mut self, value: Span, inside: Enclosing) -> Result<(), ParseAborted> {
        let outer = self.levels.iter().position(|level| level.is_flow).unwrap_or(self.levels.len());
        let Some(block) = outer.checked_sub(1).and_then(|at| self.levels.get(at)) else { return Ok(()) };
        let inner = self.text.get(value.start..value.end).unwrap_or_default();
        let mut line = line_end(inner, 0) + value.start;
        if line >= value.end {
            return Ok(());
        }
        let least = block.start - line_start(self.text, block.start) + 1;
        while line < value.end {
            let start = line + 1;
            let rest = self.text.get(start..value.end).unwrap_or_default();
            let blanks = rest.bytes().take_while(|b| *b == b' ').count();
            let content = start + rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let empty = match byte(self.text, content) {
                b'\n' | b'\r' => true,
                b'#' => inside == Enclosing::Brackets,
                _ => content >= value.end,
            };
            if blanks < least && !empty {
                let first = self.text.get(content..).and_then(|rest| rest.chars().next());
                let place = Span::new(content, content + first.map_or(0, char::len_utf8));
                return self.stop(too_shallow(place, inside, least));
            }
            line = line_end(self.text, start);
        }
        Ok(())
    }
}

fn too_shallow(place: Span, inside: Enclosing, least: usize) -> Diagnostic {
    let what = match inside {
        Enclosing::Brackets => "brackets",
        Enclosing::Quotes => "quotes",
    };
    let message = format!("a line inside {what} must be indented deeper than its parent");
    let spaces = if least == 1 { "one space".to_owned() } else { format!("{least} spaces") };
    let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(place);
    diagnostic.help(format!("indent this line by at least {spaces}"))
}
