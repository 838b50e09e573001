//! Kelvin's states, and the groups that are made of them.

use crate::methods::{METHOD_WORDS, READERS as METHOD_READERS, row_of};
use afterimage_state::{Dirty, Group as _, Space, State, close_marks, groups};

groups! {
    /// What a draw needs of the registers, in the order of application. The rows of the methods say which of these read them.
    pub enum Group {
        /// What ends every vertex shader: from screen space to clip space, specular enable, point size; and the depth range.
        Screen,
        /// Constant memory of the vertex engine: program constants, matrices, planes, viewport.
        TransformConstants,
        /// Lights, materials and other values of fixed-function lighting.
        FixedConstants,
        /// The vertex shader: program memory from the start on, or the modes of fixed-function transform and lighting.
        Vertex,
        /// Texture stages: what each looks up, and how.
        Textures,
        /// Values that the pixel shader reads.
        PixelConstants,
        /// The pixel shader: modes of texture shader, combiners, fog, alpha test.
        Pixel,
        /// Culling and polygon offsets of points and filled polygons.
        Raster,
        /// Depth and stencil tests.
        DepthStencil,
        /// Blending, logic operation, colour mask.
        Blend,
    }
}

/// A set of groups.
pub type Groups = Dirty<Group>;

/// Every state that a Kelvin draw depends on: the words of the method space (state 0 is method 0, state 1 method 4), and behind them
/// those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KelvinStates;

macro_rules! further {
    ($( $(#[$doc:meta])* $name:ident $label:literal $at:literal => $($group:ident)*; )*) => {
        impl KelvinStates {
            $( $(#[$doc])* pub const $name: State<Self> = State::of((METHOD_WORDS + $at) as u32); )*
        }

        /// Names and readers of the states behind those of the methods.
        const FURTHER: &[(&str, u64)] = &[ $( ($label, 0 $(| 1 << Group::$group as u64)*) ),* ];
    };
}

further! {
    /// Program memory.
    PROGRAM "program memory" 0 => Vertex;
    /// Constant memory of the vertex engine.
    CONSTANTS "constant memory" 1 => TransformConstants;
    /// What is drawn to, as the host has it: formats, samples of a pixel.
    TARGET "target" 2 => Screen Raster DepthStencil Blend;
    /// Whether the vertex shader is for points.
    POINTS "points" 3 => Vertex;
    /// What pixels the pixel shader is for: those of which primitives, with which further flags.
    DRAWN "kind of pixels" 4 => Pixel;
    /// The fog coordinate that the vertex engine put out last.
    CARRIED_FOG "carried fog" 5 => Screen;
}

const COUNT: usize = METHOD_WORDS + FURTHER.len();

static READERS: [u64; COUNT] = {
    let mut readers = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        readers[at] = if at < METHOD_WORDS { METHOD_READERS[at] } else { FURTHER[at - METHOD_WORDS].1 };
        at += 1;
    }
    readers
};

impl Space for KelvinStates {
    type Group = Group;
    const READERS: &'static [u64] = &READERS;
    const MARKS: &'static [u64] = &close_marks(READERS, Group::CLOSURE);
    const KINDS: usize = 0;

    fn name(state: State<Self>) -> String {
        let further = (state.number as usize).checked_sub(METHOD_WORDS);
        if let Some((label, _)) = further.and_then(|at| FURTHER.get(at)) {
            return (*label).to_owned();
        }
        let offset = (state.number * 4) as u16;
        let Some(row) = row_of(offset) else { return format!("method {offset:#06x}") };
        match (row.count, row.words, row.place(offset)) {
            (1, 1, _) => row.name.to_owned(),
            (_, 1, (instance, _)) => format!("{}[{instance}]", row.name),
            (1, _, (_, word)) => format!("{} word {word}", row.name),
            (_, _, (instance, word)) => format!("{}[{instance}] word {word}", row.name),
        }
    }

    fn row(state: State<Self>) -> u32 {
        if state.number as usize >= METHOD_WORDS {
            return state.number;
        }
        row_of((state.number * 4) as u16).map_or(state.number, |row| u32::from(row.offset / 4))
    }
}
