//! Approval nodes, which output `approved`, `rejected`, or the approver's value.

use super::checked_node::CheckedNode;
use super::settings;
use crate::diagnostic::DiagnosticCollector;
use crate::kind::settings::TEMPLATES;

pub(crate) const APPROVED: &str = "approved";
pub(crate) const REJECTED: &str = "rejected";

pub(super) fn check(
    CheckedNode { target, with, .. }: CheckedNode<'_>,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check("approve", &[TEMPLATES], with, target, diagnostics);
}
