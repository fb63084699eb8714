//! Prints a template. The text parses to the same parts.
//!
//! A `$` directly before a placeholder becomes a placeholder of its own, because `$${` is an escape. No
//! parsed template has such a `$`.

use super::{Template, TemplatePart};
use std::fmt;

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            let before_hole = self.parts.get(i + 1).is_some_and(|part| part.placeholder_span().is_some());
            match (part, before_hole) {
                (TemplatePart::Text(text), true) if text.ends_with('$') => {
                    let rest = text.get(..text.len() - 1).unwrap_or("");
                    write!(f, "{}${{\"$\"}}", escape(rest))?;
                }
                (TemplatePart::Text(text), _) => f.write_str(&escape(text))?,
                (placeholder, _) => write_placeholder(f, placeholder)?,
            }
        }
        Ok(())
    }
}

fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

fn write_placeholder(f: &mut fmt::Formatter<'_>, placeholder: &TemplatePart) -> fmt::Result {
    let (choices, fallback) = match placeholder {
        TemplatePart::Text(_) => return Ok(()),
        TemplatePart::Computed { computed, .. } => return write!(f, "${{{}}}", computed.ast),
        TemplatePart::Placeholder { choices, fallback, .. } => (choices, fallback),
    };
    f.write_str("${")?;
    for (i, choice) in choices.iter().enumerate() {
        write!(f, "{}{choice}", if i > 0 { " ?? " } else { "" })?;
    }
    if let Some(fallback) = fallback {
        write!(f, "{}{fallback}", if choices.is_empty() { "" } else { " ?? " })?;
    }
    f.write_str("}")
}
