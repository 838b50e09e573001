//! Calls: the packets that do something. Captures number them, tools choose them, replays stop behind them.

use super::Kind;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallKind {
    /// Draws.
    Draw,
    /// Clears targets.
    Clear,
    /// Runs a compute shader.
    Dispatch,
    /// Moves bytes or texels: blits, copies, fills, mip levels, read backs.
    Copy,
    /// Begins or ends a query, or a capture of vertices.
    Query,
    /// Ends a frame.
    Present,
}

impl CallKind {
    /// Every kind, with the name that call sets have for it.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Draw, "draw"),
        (Self::Clear, "clear"),
        (Self::Dispatch, "dispatch"),
        (Self::Copy, "copy"),
        (Self::Query, "query"),
        (Self::Present, "present"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Kind {
    /// Whether packets of this kind are calls.
    #[must_use]
    pub const fn is_call(self) -> bool {
        self.call().is_some()
    }
}
