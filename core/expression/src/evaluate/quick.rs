//! A fast path for comparisons of a path with a constant, with the same results.

use super::operator::to_double;
use super::{Evaluator, Variable};
use crate::base::{TextView, View};
use crate::function::Function;
use crate::program::{Constant, Op, OpId};
use std::cmp::Ordering;

impl Evaluator<'_> {
    /// `None` for other forms.
    #[inline]
    pub(super) fn quick(&self, function: Function, left: OpId, right: OpId) -> Option<bool> {
        if !is_comparison(function) {
            return None;
        }
        let op = |id: OpId| self.context.program.ops.get(id as usize);
        let Op::Constant(constant) = op(right)? else { return None };
        let host = self.context.host;
        let view = match op(left)? {
            Op::Path { root, path } => host.view(host.root(*root)?, self.path(*path)),
            Op::Variable { index, path } => match self.variables.get(*index as usize)? {
                Variable::RemoteElement(list, at) => host.element_view(*list, *at, self.path(*path)),
                Variable::Remote(id) => host.view(*id, self.path(*path)),
                Variable::Val(_) => return None,
            },
            _ => return None,
        };
        let constant = self.context.program.constants.get(*constant as usize)?;
        let equal = |same: bool| match function {
            Function::Equal => Some(same),
            Function::NotEqual => Some(!same),
            _ => None,
        };
        match (view, constant) {
            (View::Number(found), Constant::Double(wanted)) => {
                Some(holds(function, found.partial_cmp(wanted)?))
            }
            (View::Number(found), Constant::Int(wanted)) => {
                Some(holds(function, found.partial_cmp(&to_double(*wanted))?))
            }
            (View::Text(TextView::Inline(found)), Constant::Text(wanted, _)) => equal(found == wanted),
            (View::Text(TextView::Literal(found)), Constant::Text(_, wanted)) => equal(found == *wanted),
            (View::Text(TextView::Remote), Constant::Text(..)) => equal(false),
            (View::Bool(found), Constant::Bool(wanted)) => equal(found == *wanted),
            _ => None,
        }
    }
}

fn is_comparison(function: Function) -> bool {
    use Function::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(function, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

pub(crate) fn holds(function: Function, order: Ordering) -> bool {
    match function {
        Function::Equal => order.is_eq(),
        Function::NotEqual => order.is_ne(),
        Function::Less => order.is_lt(),
        Function::LessEqual => order.is_le(),
        Function::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}
