//! Finds templates whose values have another type than a tool's schema allows at their place, for tool nodes and tool
//! plans.

use crate::collect::CollectVec;
use crate::diagnostic::shorten_name;
use crate::graph::TemplateValue;
use crate::schema::{PossibleValues, Schema};
use crate::value::Segment;

/// An argument that consists of one template.
pub(crate) struct TemplateArgument<'t> {
    pub(crate) path: Vec<Segment>,
    pub(crate) template: &'t TemplateValue,
}

impl TemplateArgument<'_> {
    /// The keys and positions that lead to it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = String> {
        self.path.iter().map(|segment| match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        })
    }

    /// Says what is wrong. `None` if some value may fit, or too little is known.
    pub(crate) fn mismatch(&self, schema: &Schema, given: &PossibleValues<'_>) -> Option<String> {
        let wanted = schema.possible(&self.path);
        if given.is_unknown() || wanted.is_unknown() || wanted.overlaps(given) {
            return None;
        }
        let pointer = self.steps().map(|step| format!("/{step}")).collect_vec().concat();
        Some(format!("`{}` is {}, expected {}", shorten_name(&pointer), given.describe(), wanted.describe()))
    }
}

/// In the order of the arguments. Leaves out templates with text around them, whose type is known.
pub(crate) fn template_arguments(arguments: &TemplateValue) -> Vec<TemplateArgument<'_>> {
    let mut found = Vec::new();
    let mut work = vec![(arguments, Vec::new())];
    while let Some((template, path)) = work.pop() {
        let below = |segment: Segment| path.iter().cloned().chain([segment]).collect_vec();
        match template {
            TemplateValue::Map(entries) => {
                let entries = entries.iter().rev();
                work.extend(entries.map(|(key, value)| (value, below(Segment::Key(key.clone())))));
            }
            TemplateValue::List(items) => {
                let items = items.iter().enumerate().rev();
                work.extend(items.map(|(index, value)| (value, below(Segment::Index(index)))));
            }
            TemplateValue::Template(it, _) if !path.is_empty() && it.parts.len() == 1 => {
                found.push(TemplateArgument { path, template });
            }
            _ => {}
        }
    }
    found
}
