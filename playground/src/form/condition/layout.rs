//! Positions of a condition's parts. Between comparisons stand one `&&` or `||`, parentheses, negations and comments.

use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Logic;
use stepgraph_core::expression::condition::Expression;

pub(super) struct Layout<'t> {
    text: &'t str,
    /// Comparisons and expressions in text order.
    leaves: Vec<Span>,
    /// Tokens before each leaf, and after the last.
    gaps: Vec<Vec<Token>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    start: usize,
    kind: TokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Open,
    Close,
    Not,
    Join,
}

impl<'t> Layout<'t> {
    pub(super) fn new(expression: &Expression, text: &'t str) -> Option<Self> {
        let mut leaves = Vec::new();
        collect(&expression.root, expression, &mut leaves);
        for leaf in &mut leaves {
            leaf.end = leaf.start + text.get(leaf.start..leaf.end)?.trim_end().len();
        }
        let mut gaps = Vec::new();
        let mut from = 0;
        for leaf in leaves.iter().copied().chain([Span::at(text.len())]) {
            gaps.push(tokens(text, Span::new(from, leaf.start))?);
            from = leaf.end;
        }
        let inner = gaps.get(1..leaves.len())?;
        let is_join = |token: &&Token| token.kind == TokenKind::Join;
        inner.iter().all(|gap| gap.iter().filter(is_join).count() == 1).then_some(Self { text, leaves, gaps })
    }

    pub(super) fn count(part: &Logic) -> usize {
        match part {
            Logic::Atom(_) | Logic::Computed(_) => 1,
            Logic::Not(inner) => Self::count(inner),
            Logic::All(parts) | Logic::Any(parts) => parts.iter().map(Self::count).sum(),
        }
    }

    /// `first` is a leaf, `count` their number.
    pub(super) fn part(&self, first: usize, count: usize) -> Option<Span> {
        let last = (first + count).checked_sub(1)?;
        let (begin, end) = (self.leaves.get(first)?, self.leaves.get(last)?);
        let is_join = |token: &Token| token.kind == TokenKind::Join;
        let mut inside: Vec<Token> = Vec::new();
        for at in first..=last + 1 {
            let gap = self.gaps.get(at)?;
            let join = gap.iter().position(is_join);
            let range = match join {
                Some(join) if at == first => gap.get(join + 1..)?,
                Some(join) if at == last + 1 => gap.get(..join)?,
                _ => gap,
            };
            inside.extend(range.iter().filter(|token| !is_join(token)));
        }
        let mut span = Span::new(begin.start, end.end);
        let (mut open, mut outer_end) = (Vec::new(), usize::MAX);
        for token in &inside {
            match token.kind {
                TokenKind::Open => open.push(token.start),
                TokenKind::Close if open.pop().is_none() => outer_end = outer_end.min(token.start),
                _ => {}
            }
        }
        // Unmatched parentheses belong to an outer part.
        let outer_start = open.last().map_or(0, |start| start + 1);
        for token in inside.iter().filter(|token| (outer_start..outer_end).contains(&token.start)) {
            span.start = span.start.min(token.start);
            if token.kind == TokenKind::Close {
                span.end = span.end.max(token.start + 1);
            }
        }
        Some(span)
    }

    pub(super) fn joins(&self) -> impl Iterator<Item = Span> {
        let of_gap = |gap: &Vec<Token>| gap.iter().find(|token| token.kind == TokenKind::Join).copied();
        self.gaps.iter().filter_map(of_gap).map(|token| Span::new(token.start, token.start + 2))
    }

    pub(super) fn text(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }
}

fn collect(part: &Logic, expression: &Expression, leaves: &mut Vec<Span>) {
    match part {
        Logic::Atom(at) => leaves.extend(expression.atoms.get(*at).map(|atom| atom.span)),
        Logic::Computed(at) => leaves.extend(expression.computed.get(*at).map(|computed| computed.span)),
        Logic::Not(inner) => collect(inner, expression, leaves),
        Logic::All(parts) | Logic::Any(parts) => {
            for part in parts {
                collect(part, expression, leaves);
            }
        }
    }
}

/// `None` for anything else.
fn tokens(text: &str, gap: Span) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut at = gap.start;
    while at < gap.end {
        let rest = text.get(at..gap.end)?;
        let next = rest.chars().next()?;
        let kind = match next {
            '(' => Some(TokenKind::Open),
            ')' => Some(TokenKind::Close),
            '!' => Some(TokenKind::Not),
            '&' | '|' if rest.starts_with("&&") || rest.starts_with("||") => Some(TokenKind::Join),
            '/' if rest.starts_with("//") => {
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                continue;
            }
            c if c.is_whitespace() => None,
            _ => return None,
        };
        found.extend(kind.map(|kind| Token { start: at, kind }));
        at += if kind == Some(TokenKind::Join) { 2 } else { next.len_utf8() };
    }
    Some(found)
}
