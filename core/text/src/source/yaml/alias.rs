//! Aliases. `anchor` has their limits.
//!
//! Source: YAML 1.2.2 section 7.1.

use super::{
    Code, Diagnostic, MAX_DEPTH, MAX_EXPANDED, ParseAborted, Span, Spanned, ValueKind, YamlParser,
    property_end, shorten_name, too_deep,
};

impl YamlParser<'_> {
    pub(super) fn alias(&mut self, anchor: usize) -> Result<(), ParseAborted> {
        self.has_properties = true;
        let start = self.head(false, false).start;
        let span = Span::new(start, property_end(self.text, start));
        self.cursor = span.end;
        let Some(size) = self.anchors.size(anchor) else {
            let name = shorten_name(self.text.get(span.start..span.end).unwrap_or_default());
            let diagnostic = Diagnostic::new(
                Code::SourceUnknownAlias,
                format!("`{name}` is inside the value that it repeats"),
            );
            self.builder.report(diagnostic.at(span).help("write out the intended value"));
            return self.finish(Spanned { kind: ValueKind::Null, span }, 0);
        };
        if self.builder.depth() + size.depth > MAX_DEPTH {
            return self.stop(too_deep(span));
        }
        if let Ok(value) = self.anchors.expand(anchor) {
            self.builder.count(size.values, span)?;
            return self.add_copy(value, span);
        }
        let diagnostic = Diagnostic::new(
            Code::SourceTooManyAliases,
            format!("aliases repeat more than {MAX_EXPANDED} values"),
        );
        self.stop(diagnostic.at(span).help("write out the intended value, or repeat less"))
    }

    fn add_copy(&mut self, value: Spanned, span: Span) -> Result<(), ParseAborted> {
        if !self.builder.wants_key() {
            return self.builder.add(Spanned { span, ..value });
        }
        let name = match &value.kind {
            ValueKind::Bool(_) | ValueKind::Number(_) => self.text.get(value.span.start..value.span.end),
            _ => None,
        };
        let kind = name.map_or(value.kind, |name| ValueKind::Text(name.to_owned()));
        self.key(Spanned { kind, span });
        Ok(())
    }

    pub(super) fn unknown_alias(&mut self) -> Result<(), ParseAborted> {
        self.has_properties = true;
        let start = self.head(false, false).start;
        let span = Span::new(start, property_end(self.text, start));
        self.cursor = span.end;
        let name = shorten_name(self.text.get(start + 1..span.end).unwrap_or_default());
        let diagnostic =
            Diagnostic::new(Code::SourceUnknownAlias, format!("there is no anchor `&{name}` before this"));
        self.builder.report(diagnostic.at(span).help("define the anchor first, or put the text in quotes"));
        // A null key would cause a second diagnostic.
        let kind =
            if self.builder.wants_key() { ValueKind::Text(format!("*{name}")) } else { ValueKind::Null };
        self.finish(Spanned { kind, span }, 0)
    }
}
