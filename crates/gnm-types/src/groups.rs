//! The GPU's states, and the groups that are made of them.

use crate::places::{READERS as REGISTER_READERS, WORDS, address_of};
use crate::rows::{name_of, row_of};
use afterimage_state::{Dirty, Group as _, Space, State, close_marks, groups};

groups! {
    /// What draws and dispatches need of the registers, in the order of application. The rows of the registers say which of these
    /// read them.
    pub enum Group {
        /// How a draw is done: which stages run, what of it is more than drawing.
        Plan,
        /// What the vertex stage needs: its program, and what that finds by its user data.
        VertexStage,
        /// What the pixel stage needs.
        PixelStage,
        /// Colour and depth targets, as the registers describe them.
        Targets changes [Surfaces],
        /// The targets that are bound.
        Surfaces,
        /// How positions become pixels.
        Viewport changes [VertexKey],
        /// Scissors and clip rectangles.
        Scissor,
        /// The rasteriser.
        Raster,
        /// Blending, logic operation, write masks.
        Blend,
        /// Depth and stencil tests.
        DepthStencil,
        /// What occlusion queries count.
        Queries,
        /// What the vertex stage's translation depends on.
        VertexKey,
        /// What the pixel stage's translation depends on.
        PixelKey,
        /// What a compute shader needs.
        ComputeStage,
        /// What a compute shader's translation depends on.
        ComputeKey,
    }
}

/// A set of groups.
pub type Groups = Dirty<Group>;

/// Every state that draws and dispatches depend on: the words of the register file, and behind them those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GnmStates;

macro_rules! further {
    ($( $(#[$doc:meta])* $name:ident $label:literal $at:literal => $($group:ident)*; )*) => {
        impl GnmStates {
            $( $(#[$doc])* pub const $name: State<Self> = State::of((WORDS + $at) as u32); )*
        }

        /// Names and readers of the states behind the registers.
        const FURTHER: &[(&str, u64)] = &[ $( ($label, 0 $(| 1 << Group::$group as u64)*) ),* ];
    };
}

further! {
    /// Memory, what of it the host has newer, and the receiver's objects, as draws last found them.
    MEMORY "memory" 0 => VertexStage PixelStage Surfaces;
    /// The same, as a queue's dispatches last found it.
    COMPUTE_MEMORY "memory of dispatches" 1 => ComputeStage;
    /// What runs as the vertex stage.
    STAGE "vertex stage" 2 => VertexStage VertexKey;
    /// Columns and lines that every target has.
    SIZE "size of targets" 3 => Viewport Scissor;
    /// Whether the depth target has depth, and stencil.
    HAS "parts of the depth target" 4 => DepthStencil;
    /// Whether polygons are drawn.
    POLYGONS "polygons" 5 => Raster;
    /// Whether points are drawn.
    POINTS "points" 6 => VertexKey;
}

const COUNT: usize = WORDS + FURTHER.len();

static READERS: [u64; COUNT] = {
    let mut readers = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        readers[at] = if at < WORDS { REGISTER_READERS[at] } else { FURTHER[at - WORDS].1 };
        at += 1;
    }
    readers
};

impl GnmStates {
    /// The state that a register is, by its byte address.
    #[must_use]
    pub const fn register(address: u32) -> Option<State<Self>> {
        match crate::places::index(address) {
            Some(at) => Some(State::of(at as u32)),
            None => None,
        }
    }
}

impl Space for GnmStates {
    type Group = Group;
    const READERS: &'static [u64] = &READERS;
    const MARKS: &'static [u64] = &close_marks(READERS, Group::CLOSURE);
    const KINDS: usize = 0;

    fn name(state: State<Self>) -> String {
        let further = (state.number as usize).checked_sub(WORDS);
        if let Some((label, _)) = further.and_then(|at| FURTHER.get(at)) {
            return (*label).to_owned();
        }
        let address = address_of(state.number as usize);
        name_of(address).map_or_else(|| format!("register {address:#x}"), Into::into)
    }

    fn row(state: State<Self>) -> u32 {
        if state.number as usize >= WORDS {
            return state.number;
        }
        let row = row_of(address_of(state.number as usize));
        row.and_then(|(row, _)| Self::register(row.address)).map_or(state.number, |state| state.number)
    }
}
