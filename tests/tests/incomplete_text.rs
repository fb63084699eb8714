//! Typing never breaks the document, and the last good plan stays available.
//!
//! All examples and cases are typed from the first character on, then each line is removed and typed again. At every
//! step diagnostics have a code and a valid span, and every editor request works.

use stepgraph_authoring::language::{self, Document};
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::source::Format;
use stepgraph_tests::files::{files, folder, texts as texts_of};

fn texts() -> Vec<String> {
    let folders = ["examples", "tests/suite/diagnostics", "tests/suite", "core/flows"];
    let files = folders.iter().flat_map(|name| files(&folder(name), &["yaml"]));
    texts_of(files).into_iter().map(|(_, text)| text).collect()
}

struct TypedDocument {
    document: Document,
    had_plan: bool,
    steps: usize,
    asked: usize,
}

impl TypedDocument {
    fn new(text: &str) -> Self {
        let document = Document::new(text.to_owned(), Format::Yaml);
        Self { had_plan: document.plan().is_some(), document, steps: 0, asked: 0 }
    }

    fn replace(&mut self, start: usize, end: usize, text: &str) {
        self.document.change(&[TextEdit { span: Span::new(start, end), text: text.to_owned() }]);
        self.steps += 1;
        self.had_plan |= self.document.plan().is_some();
        self.check();
        if self.steps.is_multiple_of(41) {
            self.ask(start + text.len());
        }
    }

    fn check(&self) {
        let text = self.document.text();
        let within = |span: Span| text.get(span.start..span.end).is_some();
        for problem in self.document.diagnostics() {
            assert!(problem.span.is_none_or(within), "{problem} stands outside of\n{text}");
            assert!(
                problem.labels.iter().all(|label| within(label.span)),
                "{problem} points outside of\n{text}"
            );
            assert!(problem.fix.iter().all(|edit| within(edit.span)), "{problem} mends outside of\n{text}");
            assert!(problem.code.slug().contains('/') && !problem.message.is_empty(), "{problem}");
        }
        let sound = self.document.diagnostics().iter().all(|problem| !problem.is_error());
        assert!(!sound || self.document.plan().is_some(), "no plan, and nothing wrong with\n{text}");
        assert_eq!(
            self.had_plan,
            self.document.last_valid_plan().is_some(),
            "the last good plan is gone\n{text}"
        );
    }

    fn ask(&mut self, at: usize) {
        self.asked += 1;
        let (document, text) = (&self.document, self.document.text());
        let within = |span: Span| assert!(text.get(span.start..span.end).is_some(), "{span:?} of\n{text}");
        for place in [at, at.saturating_sub(1)] {
            let place = text.floor_char_boundary(place);
            for completion in language::complete(document, place) {
                within(completion.edit.span);
            }
            if let Some(hover) = language::hover(document, place) {
                within(hover.span);
            }
            language::definition(document, place).into_iter().for_each(within);
            language::references(document, place).into_iter().for_each(within);
            language::prepare_rename(document, place).into_iter().for_each(within);
            for edit in language::rename(document, place, "renamed").unwrap_or_default() {
                within(edit.span);
            }
            for action in language::code_actions(document, Span::at(place)) {
                for edit in &action.edits {
                    within(edit.span);
                }
            }
        }
        for token in language::semantic_tokens(document) {
            within(token.span);
        }
        for (open, close) in language::matching_brackets(document) {
            within(open);
            within(close);
        }
        language::symbols(document);
        language::folding_ranges(document);
        for edit in language::format(text, document.format()).unwrap_or_default() {
            within(edit.span);
        }
    }
}

/// Splits into characters, or more for a long text.
fn pieces(text: &str) -> Vec<&str> {
    let size = 1 + text.len() / 400;
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        pieces.push(piece);
        rest = others;
    }
    pieces
}

#[test]
fn every_beginning_of_a_plan_is_understood_as_far_as_it_goes() {
    let (mut steps, mut asked, mut plans) = (0, 0, 0);
    for text in texts() {
        let mut typist = TypedDocument::new("");
        for piece in pieces(&text) {
            let at = typist.document.text().len();
            typist.replace(at, at, piece);
        }
        assert_eq!(typist.document.text(), text);
        steps += typist.steps;
        asked += typist.asked;
        plans += usize::from(typist.had_plan);
    }
    println!("{steps} beginnings, {asked} of them asked about, {plans} plans");
    assert!(steps > 10_000 && plans > 10, "{steps} beginnings, {plans} plans");
}

#[test]
fn every_line_can_be_typed_anew() {
    let mut steps = 0;
    for text in texts() {
        let mut typist = TypedDocument::new(&text);
        let expected = typist.document.diagnostics().to_vec();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let every = 1 + lines.len() / 12;
        let mut start = 0;
        for (number, line) in lines.iter().enumerate() {
            if number % every == 0 {
                typist.replace(start, start + line.len(), "");
                let mut at = start;
                for piece in pieces(line) {
                    typist.replace(at, at, piece);
                    at += piece.len();
                }
                assert_eq!(typist.document.diagnostics(), expected, "{line}");
            }
            start += line.len();
        }
        assert_eq!(typist.document.text(), text);
        steps += typist.steps;
    }
    println!("{steps} steps");
}
