//! The logic that joins the parts of a condition.

/// The logic that joins the parts of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Logic {
    /// The comparison at this position of [`super::Expression::atoms`].
    Atom(usize),
    /// The part at this position of [`super::Expression::computed`].
    Computed(usize),
    /// Holds if the inner logic does not hold.
    Not(Box<Logic>),
    /// Holds if all of them hold.
    All(Vec<Logic>),
    /// Holds if at least one of them holds.
    Any(Vec<Logic>),
}

impl Logic {
    /// Evaluates the logic. Calls `holds` only for the parts that matter.
    ///
    /// # Errors
    /// The first error of `holds`, unless another part decides. A final error ends the evaluation.
    pub fn eval<E: Final>(&self, holds: &mut impl FnMut(Part) -> Result<bool, E>) -> Result<bool, E> {
        Ok(match self {
            Self::Atom(index) => holds(Part::Atom(*index))?,
            Self::Computed(index) => holds(Part::Computed(*index))?,
            Self::Not(inner) => !inner.eval(holds)?,
            Self::All(parts) => decide(parts, false, holds)?,
            Self::Any(parts) => decide(parts, true, holds)?,
        })
    }
}

/// A part of a condition, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A position in [`super::Expression::atoms`].
    Atom(usize),
    /// A position in [`super::Expression::computed`].
    Computed(usize),
}

/// An error of an evaluation. After a final one, no other part can decide.
pub trait Final {
    /// Whether the evaluation has exceeded a limit.
    fn is_final(&self) -> bool {
        false
    }
}

impl Final for () {}

/// Evaluates `&&` or `||`. A part with the result `decisive` decides.
///
/// # Errors
/// The first error, unless another part decides. A final error ends the evaluation.
fn decide<E: Final>(
    parts: &[Logic],
    decisive: bool,
    holds: &mut impl FnMut(Part) -> Result<bool, E>,
) -> Result<bool, E> {
    let mut failed = None;
    for part in parts {
        match part.eval(holds) {
            Ok(truth) if truth == decisive => return Ok(decisive),
            Ok(_) => {}
            Err(error) if error.is_final() => return Err(error),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(!decisive), Err)
}
