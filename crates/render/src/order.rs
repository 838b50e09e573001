//! What must wait for what: writes of shaders and copies, and what reads or writes the same bytes after them.
//!
//! Draws to targets order themselves: every pass begins with a barrier. Dispatches, draws that store, and copies of buffers do not,
//! so that those which have nothing to do with each other run at the same time: each buffer and texture knows in which *epoch* it
//! was last read and written by them, and a barrier over everything begins the next epoch. One is recorded before whatever touches
//! what was written in the present epoch, or writes what was read in it. Programs that do none of this pay one comparison a pass.

/// Where the command buffers are.
#[derive(Debug)]
pub struct Order {
    /// The present epoch, from 1 on.
    pub epoch: u64,
    /// Whether draws were recorded in it.
    pub drawn: bool,
    /// Whether anything but draws to targets has written in it.
    pub written: bool,
    /// Whether draws of the open pass store.
    pub pass_stores: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { epoch: 1, drawn: false, written: false, pass_stores: false }
    }
}
