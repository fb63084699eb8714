//! Reports comparisons that no value satisfies, and orders that fail.
//!
//! The literal has a kind that the value never has, or is not in its `enum` or `const`. Ignores unknown values.

use super::decision_words::{decision_field, suggested_decision};
use super::expressions::to_diagnostic;
use super::inference::{Inference, ReferenceSite};
use super::null_tests;
use super::value_list::value_list;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, TextEdit, closest_name, is_typo, shorten_name};
use crate::expression::check::WITHIN_LIMITS;
use crate::expression::condition::{Part, is_reported};
use crate::expression::evaluate::help as operator_help;
use crate::expression::{Atom, Domain, Function, Literal, Predicate, Reference, Root};
use crate::failure::failure_codes;
use crate::graph::control_flow::never_holds;
use crate::graph::{Edge, LazySpan};
use crate::node::{APPROVED, REJECTED};
use crate::schema::PossibleValues;
use crate::value::Segment;

pub(super) fn check(
    atom: &Atom,
    (scope, edge): (usize, &Edge),
    inference: &mut Inference<'_, '_>,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let part = LocatedAtom { atom, text: &edge.condition_text };
    let found = check_value(&part, (scope, edge), inference, lazy_span);
    let is_unfinished = found.is_none() && !inference.errors_only() && part.compares_with_nothing();
    if is_unfinished { Some(part.unfinished(lazy_span)) } else { found }
}

fn check_value(
    part: &LocatedAtom<'_>,
    (scope, edge): (usize, &Edge),
    inference: &mut Inference<'_, '_>,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let atom = part.atom;
    let root = inference.root(&atom.reference.root, scope, ReferenceSite::Edge(edge));
    if atom.reference.root == Root::Error
        && let Some(diagnostic) = part.check_failure_code(lazy_span)
    {
        return Some(diagnostic);
    }
    let may_be_decision = atom.reference.path.is_empty() || decision_field(&atom.reference).is_some();
    if may_be_decision && inference.is_decision(&atom.reference.root, scope, edge) {
        return match decision_field(&atom.reference) {
            Some(field) => Some(part.field_of_decision(field, lazy_span)),
            None => part.check_decision(lazy_span),
        };
    }
    let path = &*atom.reference.path;
    let Some(possible) = root.possible_values(path).filter(|possible| !possible.is_unknown()) else {
        // The run fails here. A warning, because another part of the condition may decide first.
        let constants = root.possible_constants(path).filter(|possible| !possible.may_be_number())?;
        let diagnostic = part.unordered(&constants, lazy_span)?;
        return Some(Diagnostic { severity: Severity::Warning, ..diagnostic });
    };
    let Some(mut diagnostic) = part.check_possible(&possible, lazy_span) else {
        let operator = atom.order()?;
        let is_fine =
            inference.errors_only() || !possible.may_be_null() || is_tested(atom, (scope, edge), inference);
        return (!is_fine).then(|| part.may_be_null(operator, lazy_span));
    };
    if !possible.is_declared {
        // It may be intended: the run takes another edge.
        diagnostic.severity = Severity::Warning;
    }
    Some(diagnostic)
}

#[inline(never)]
fn is_tested(atom: &Atom, (scope, edge): (usize, &Edge), inference: &mut Inference<'_, '_>) -> bool {
    let at = edge.atoms().iter().position(|other| std::ptr::eq(other, atom)).map(Part::Atom);
    null_tests::is_tested(&atom.reference, (scope, ReferenceSite::Edge(edge), at), inference)
}

stepgraph_lazy::lazy! {
    /// Lazy, because most numbers are not limited.
    fn decided(part: &LocatedAtom<'_>, name: &str, domain: &Domain, lazy_span: &mut LazySpan<'_>) -> Option<Diagnostic> = decided_order;

    /// Lazy, because most conditions have one comparison.
    pub(super) fn contradictions(edge: &Edge, lazy_span: &mut LazySpan<'_>) -> Vec<Diagnostic> = find_contradictions;

    fn never_in_range(part: &LocatedAtom<'_>, name: &str, domain: &Domain, rest: (&str, &mut LazySpan<'_>)) -> Diagnostic = outside_range;
}

fn find_contradictions(edge: &Edge, lazy_span: &mut LazySpan<'_>) -> Vec<Diagnostic> {
    if never_holds(&edge.condition) {
        return Vec::new();
    }
    let errors = edge.condition.contradictions(&edge.condition_text);
    errors.into_iter().map(|error| to_diagnostic(error, lazy_span)).collect_vec()
}

/// An order that has the same result for all numbers.
fn decided_order(
    part: &LocatedAtom<'_>,
    name: &str,
    domain: &Domain,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let (function, number) = match part.atom.predicate {
        Predicate::Less(number) => (Function::Less, number),
        Predicate::AtMost(number) => (Function::LessEqual, number),
        Predicate::Greater(number) => (Function::Greater, number),
        Predicate::AtLeast(number) => (Function::GreaterEqual, number),
        _ => return None,
    };
    let holds = domain.compare(function, &Domain::Range(number, number))?;
    let (always, code) = if holds {
        ("holds for each value", Code::ExpressionConstant)
    } else {
        ("never holds", Code::NeverTrue)
    };
    let message = format!("the comparison {always}: `{name}` is {}", domain.describe());
    let diagnostic = part.diagnostic(message, lazy_span).help(WITHIN_LIMITS);
    // A test may be there for a schema that changes.
    Some(Diagnostic { code, severity: Severity::Warning, ..diagnostic })
}

fn outside_range(
    part: &LocatedAtom<'_>,
    name: &str,
    domain: &Domain,
    (literal, lazy_span): (&str, &mut LazySpan<'_>),
) -> Diagnostic {
    let message = format!("`{name}` is {}, and never `{literal}`", domain.describe());
    part.diagnostic(message, lazy_span).help(WITHIN_LIMITS)
}

/// `last ==`.
fn is_unfinished(literal: &Literal) -> bool {
    !literal.quoted && literal.text.is_empty()
}

struct LocatedAtom<'a> {
    atom: &'a Atom,
    text: &'a str,
}

impl LocatedAtom<'_> {
    fn compares_with_nothing(&self) -> bool {
        use Predicate::{Contains, Differs, Equals};
        matches!(&self.atom.predicate, Equals(it) | Differs(it) | Contains(it) if is_unfinished(it))
    }

    /// Warns about `last ==`, which compares with empty text.
    #[inline(never)]
    fn unfinished(&self, lazy_span: &mut LazySpan<'_>) -> Diagnostic {
        let diagnostic = self.diagnostic("nothing follows the operator".to_owned(), lazy_span);
        let diagnostic = diagnostic.help("write a value, or `\"\"` to compare with empty text");
        Diagnostic { code: Code::AmbiguousLiteral, severity: Severity::Warning, ..diagnostic }
    }

    fn check_possible(
        &self,
        possible: &PossibleValues<'_>,
        lazy_span: &mut LazySpan<'_>,
    ) -> Option<Diagnostic> {
        let name = shorten_name(&self.atom.reference.to_string());
        match &self.atom.predicate {
            Predicate::Equals(literal) | Predicate::Differs(literal) if !possible.may_equal(literal) => {
                if is_reported(literal) {
                    return None;
                }
                let mut diagnostic = self.never_equal(&name, literal, possible, lazy_span);
                // A typo makes the condition hold always.
                if matches!(self.atom.predicate, Predicate::Differs(_)) && !is_misspelt(literal, possible) {
                    diagnostic.severity = Severity::Warning;
                }
                Some(diagnostic)
            }
            // A missing value satisfies no comparison, and is not null.
            Predicate::Equals(literal) | Predicate::Differs(literal)
                if literal.is_null() && !possible.may_be_null() =>
            {
                let mut diagnostic = self.never_null(&name, possible, lazy_span);
                diagnostic.severity = Severity::Warning;
                Some(diagnostic)
            }
            Predicate::Contains(_) if !possible.may_contain() => {
                let message = format!("`{name}` is {}, which contains nothing", possible.describe());
                Some(self.diagnostic(message, lazy_span).help("compare it with `==`"))
            }
            _ if !possible.may_be_number() => self.unordered(possible, lazy_span),
            _ => decided(self, &name, &possible.domain()?, lazy_span),
        }
    }

    /// A run fails here if it is.
    #[inline(never)]
    fn may_be_null(&self, operator: Function, lazy_span: &mut LazySpan<'_>) -> Diagnostic {
        let name = shorten_name(&self.atom.reference.to_string());
        let message = format!("`{name}` may be null, which `{}` does not accept", operator.name());
        let diagnostic = self.diagnostic(message, lazy_span);
        let help = format!("test it first, as in `{name} != null && …`");
        Diagnostic { code: Code::ExpressionNull, severity: Severity::Hint, ..diagnostic.help(help) }
    }

    /// A run fails here: conditions convert no value to a number.
    fn unordered(&self, possible: &PossibleValues<'_>, lazy_span: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let operator = self.atom.order()?;
        let (kind, number) = (possible.describe(), "a number".to_owned());
        let (left, right) = if self.atom.is_reversed() { (number, kind) } else { (kind, number) };
        let message = format!("`{}` does not accept {left} and {right}", operator.name());
        let diagnostic = self.diagnostic(message, lazy_span).help(operator_help(operator));
        Some(Diagnostic { code: Code::ExpressionType, ..diagnostic })
    }

    fn never_equal(
        &self,
        name: &str,
        literal: &Literal,
        possible: &PossibleValues<'_>,
        lazy_span: &mut LazySpan<'_>,
    ) -> Diagnostic {
        let short = shorten_name(&literal.text);
        if literal.is_null() {
            return self.never_null(name, possible, lazy_span);
        }
        let Some(options) = &possible.options else {
            if is_unfinished(literal) {
                let message = format!("`{name}` is {}, and never empty text", possible.describe());
                return self.diagnostic(message, lazy_span).help("write a value to compare with");
            }
            if let Some(domain) = possible.domain() {
                return never_in_range(self, name, &domain, (&short, lazy_span));
            }
            let kind = possible.describe();
            let diagnostic = self.diagnostic(format!("`{name}` is {kind}, and never `{short}`"), lazy_span);
            return diagnostic.help(format!("compare it with {kind}"));
        };
        let diagnostic = self.diagnostic(format!("`{name}` is never `{short}`"), lazy_span);
        let words = options.iter().filter_map(|option| option.as_str());
        let other_case = |word: &&str| word.eq_ignore_ascii_case(&literal.text);
        if let Some(meant) =
            closest_name(&literal.text, words.clone()).or_else(|| words.clone().find(other_case))
        {
            return self.with_suggestion(diagnostic, literal, meant, lazy_span);
        }
        diagnostic.help(format!("write one of {}", value_list(options, ", ")))
    }

    /// A comparison with `null` probably asks whether the value is there.
    #[inline(never)]
    fn never_null(
        &self,
        name: &str,
        possible: &PossibleValues<'_>,
        lazy_span: &mut LazySpan<'_>,
    ) -> Diagnostic {
        let message = match &possible.options {
            Some(_) => format!("`{name}` is never `null`"),
            None if possible.may_be_text() => {
                format!("`{name}` is {}, and only the text `null` equals `null`", possible.describe())
            }
            None => format!("`{name}` is {}, and never `null`", possible.describe()),
        };
        let sign = if matches!(self.atom.predicate, Predicate::Differs(_)) { "" } else { "!" };
        let help = format!("write `{sign}{name}.exists` to test whether it is there");
        self.diagnostic(message, lazy_span).help(help)
    }

    /// Reports typos of decisions. Approvers may replace values, so other words stay.
    fn check_decision(&self, lazy_span: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let (Predicate::Equals(literal) | Predicate::Differs(literal)) = &self.atom.predicate else {
            return None;
        };
        let is_word = [APPROVED, REJECTED].contains(&literal.text.as_str());
        if is_word { None } else { self.misspelt_decision(literal, lazy_span) }
    }

    #[inline(never)]
    fn field_of_decision(&self, field: &str, lazy_span: &mut LazySpan<'_>) -> Diagnostic {
        let root = &self.atom.reference.root;
        let meant = suggested_decision(field).unwrap_or(if field == REJECTED { REJECTED } else { APPROVED });
        let message = format!("a decision is `{APPROVED}` or `{REJECTED}`, and has no `{field}`");
        let mut diagnostic = self.diagnostic(message, lazy_span);
        // A person may answer with another value.
        diagnostic.severity = Severity::Warning;
        let path = Reference { root: root.clone(), path: Vec::new() };
        diagnostic.help(format!("write `{path} == \"{meant}\"`"))
    }

    #[inline(never)]
    fn misspelt_decision(&self, literal: &Literal, lazy_span: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let words = [APPROVED, REJECTED];
        let same = |word: &&str| word.eq_ignore_ascii_case(&literal.text) && *word != literal.text;
        let typo = closest_name(&literal.text, words).or_else(|| words.into_iter().find(same));
        let meant = typo.or_else(|| suggested_decision(&literal.text))?;
        let message = format!(
            "a decision is `{APPROVED}` or `{REJECTED}`, and `{}` only if a person writes that",
            shorten_name(&literal.text)
        );
        let mut diagnostic = self.diagnostic(message, lazy_span);
        // `last != rejectd` holds for a rejection. A person may have to answer `yes`.
        if !typo.is_some_and(|meant| is_typo(&literal.text, meant)) {
            diagnostic.severity = Severity::Warning;
        }
        Some(self.with_suggestion(diagnostic, literal, meant, lazy_span))
    }

    /// Handlers and stubs have codes of their own.
    fn check_failure_code(&self, lazy_span: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let (Predicate::Equals(literal) | Predicate::Differs(literal)) = &self.atom.predicate else {
            return None;
        };
        let is_code = matches!(&*self.atom.reference.path, [Segment::Key(key)] if key == "code");
        if !is_code || failure_codes().any(|code| code == literal.text) {
            return None;
        }
        if literal.number.is_some() {
            let message = format!("`error.code` is text, and never `{}`", shorten_name(&literal.text));
            let diagnostic = self.diagnostic(message, lazy_span);
            let help = "compare it with a code such as `tool/failed`";
            return Some(Diagnostic { severity: Severity::Warning, ..diagnostic.help(help) });
        }
        let meant = closest_name(&literal.text, failure_codes())?;
        let message = format!("no failure is known whose code is `{}`", shorten_name(&literal.text));
        let mut diagnostic = self.diagnostic(message, lazy_span);
        diagnostic.severity = Severity::Warning;
        Some(self.with_suggestion(diagnostic, literal, meant, lazy_span))
    }

    fn diagnostic(&self, message: String, lazy_span: &mut LazySpan<'_>) -> Diagnostic {
        let written = self.text.get(self.atom.span.start..self.atom.span.end).unwrap_or_default();
        let span = Span::new(self.atom.span.start, self.atom.span.start + written.trim_end().len());
        Diagnostic::new(Code::NeverTrue, message).at(lazy_span.locate(span))
    }

    fn with_suggestion(
        &self,
        diagnostic: Diagnostic,
        literal: &Literal,
        meant: &str,
        lazy_span: &mut LazySpan<'_>,
    ) -> Diagnostic {
        let mut diagnostic = diagnostic.help(format!("did you mean `{}`?", shorten_name(meant)));
        let plain = meant.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        let edit = self.literal_span(literal).map(|span| TextEdit { span, text: meant.to_owned() });
        diagnostic.fix =
            edit.filter(|_| plain).and_then(|edit| lazy_span.to_file_edit(&edit)).into_iter().collect_vec();
        diagnostic
    }

    fn literal_span(&self, literal: &Literal) -> Option<Span> {
        let written = self.text.get(self.atom.span.start..self.atom.span.end)?.trim_end();
        let inner = if literal.quoted { written.get(..written.len() - 1)? } else { written };
        let start = inner.strip_suffix(literal.text.as_str())?.len();
        let at = self.atom.span.start + start;
        Some(Span::new(at, at + literal.text.len()))
    }
}

/// Whether it is surely one of the options.
#[inline(never)]
fn is_misspelt(literal: &Literal, possible: &PossibleValues<'_>) -> bool {
    let mut options = possible.options.iter().flatten().filter_map(|option| option.as_str());
    options.any(|option| is_typo(&literal.text, option))
}
