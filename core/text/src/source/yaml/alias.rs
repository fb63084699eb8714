//! What aliases stand for.
//!
//! Decides what stands where something is repeated, and what when that can't be. The bounds are those of `anchor`.
//!
//! Source: YAML 1.2.2 section 7.1.

use super::{
    Code, Diagnostic, Kind, MAX_DEPTH, MAX_REPEATED, Reader, Span, Spanned, Stop, brief, property_end,
    too_deep,
};

impl Reader<'_> {
    /// Adds what an anchor names.
    pub(super) fn alias(&mut self, anchor: usize) -> Result<(), Stop> {
        self.named = true;
        let start = self.head(false, false).start;
        let span = Span::new(start, property_end(self.text, start));
        self.cursor = span.end;
        let Some(size) = self.anchors.size(anchor) else {
            let name = brief(self.text.get(span.start..span.end).unwrap_or_default());
            let problem =
                Diagnostic::new(Code::SourceUnknownAlias, format!("`{name}` stands inside what it repeats"));
            self.builder.report(problem.at(span).help("write out what is meant"));
            return self.finish(Spanned { kind: Kind::Null, span }, 0);
        };
        if self.builder.depth() + size.depth > MAX_DEPTH {
            return self.stop(too_deep(span));
        }
        if let Ok(value) = self.anchors.repeat(anchor) {
            self.builder.count(size.values, span)?;
            return self.repeat(value, span);
        }
        let problem = Diagnostic::new(
            Code::SourceTooManyAliases,
            format!("aliases repeat more than {MAX_REPEATED} values"),
        );
        self.stop(problem.at(span).help("write out what is meant, or repeat less"))
    }

    /// Adds a copy at the place of its alias.
    fn repeat(&mut self, value: Spanned, span: Span) -> Result<(), Stop> {
        if !self.builder.wants_key() {
            return self.builder.add(Spanned { span, ..value });
        }
        let name = match &value.kind {
            Kind::Bool(_) | Kind::Number(_) => self.text.get(value.span.start..value.span.end),
            _ => None,
        };
        let kind = name.map_or(value.kind, |name| Kind::Text(name.to_owned()));
        self.key(Spanned { kind, span });
        Ok(())
    }

    /// Reports an alias without an anchor.
    pub(super) fn unknown_alias(&mut self) -> Result<(), Stop> {
        self.named = true;
        let start = self.head(false, false).start;
        let span = Span::new(start, property_end(self.text, start));
        self.cursor = span.end;
        let name = brief(self.text.get(start + 1..span.end).unwrap_or_default());
        let problem =
            Diagnostic::new(Code::SourceUnknownAlias, format!("nothing before this is called `&{name}`"));
        self.builder.report(problem.at(span).help("define the anchor first, or put the text in quotes"));
        // As a key it is dropped like nothing, but without a second complaint.
        let kind = if self.builder.wants_key() { Kind::Text(format!("*{name}")) } else { Kind::Null };
        self.finish(Spanned { kind, span }, 0)
    }
}
