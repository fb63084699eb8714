//! A condition's logic.

/// A condition's logic.
#[derive(Debug, Clone, PartialEq)]
pub enum Logic {
    /// Index of [`super::Expression::atoms`].
    Atom(usize),
    /// Index of [`super::Expression::computed`].
    Computed(usize),
    /// Holds if the inner logic does not.
    Not(Box<Logic>),
    /// Holds if all hold.
    All(Vec<Logic>),
    /// Holds if one holds.
    Any(Vec<Logic>),
}

impl Logic {
    /// Calls `holds` only for the parts that matter.
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

/// A part's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An index of [`super::Expression::atoms`].
    Atom(usize),
    /// An index of [`super::Expression::computed`].
    Computed(usize),
}

/// After a final error, no other part can decide.
pub trait Final {
    /// Whether a limit was exceeded.
    fn is_final(&self) -> bool {
        false
    }
}

impl Final for () {}

/// A part with the result `decisive` decides.
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
