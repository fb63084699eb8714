//! Input of node checks.

use crate::capabilities::Capabilities;
use crate::diagnostic::Target;
use crate::graph::Node;
use crate::source::Spanned;

#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedNode<'c> {
    pub(super) node: &'c Node,
    pub(super) target: &'c Target,
    /// `with`, as written.
    pub(super) with: Option<&'c Spanned>,
    pub(super) capabilities: &'c Capabilities,
}
