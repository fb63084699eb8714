//! Nodes that output a map of computed values.

use super::settings::{self, missing_setting};
use crate::diagnostic::{DiagnosticCollector, Target};
use crate::graph::Node;
use crate::kind::settings::{SET, VALUES};
use crate::source::Spanned;

pub(super) fn check(
    node: &Node,
    target: &Target,
    with: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check("set", &SET, with, target, diagnostics);
    if let Some(diagnostic) = missing_setting(node, with, &[VALUES], "{values: {…}}") {
        diagnostics.push(diagnostic.on(target.clone()));
    }
}
