//! How applying a group of states ends.

use crate::error::Error;
use afterimage_state::Effect;

/// Why a group cannot be applied.
pub(crate) enum Stop {
    /// Something that draws need is missing, or there is nothing to draw to: draws are dropped until that changes.
    Skip,
    /// Vulkan refused something. In a box, so that what every group returns fits in registers.
    Failed(Box<Error>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// What applying a group came to.
pub(crate) type Applied = Result<Effect, Stop>;

/// What is wanted and what there is, where that is not the same.
pub(crate) fn differs<T: PartialEq + std::fmt::Debug>(wanted: &T, there: &T) -> Option<String> {
    (wanted != there).then(|| format!("{wanted:?} instead of {there:?}"))
}
