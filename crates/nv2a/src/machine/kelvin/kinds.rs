//! What to do with a word of the method space: a table made from the rows of the methods.

use super::attributes;
use afterimage_nv2a_types::methods::{METHOD_WORDS, METHODS, method};
use afterimage_nv2a_types::{What, enumerations};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// No row has it.
    Unknown,
    /// Stored, and what reads it marked.
    State,
    /// The same, and a window into constant memory.
    Context,
    /// Stored too, but not every argument is taken, or other words change with it.
    Single,
    /// Program memory, at the load slot.
    Program,
    /// Constant memory, at the load slot.
    Constant,
    /// A current attribute.
    Attribute,
    /// Two 16-bit indices.
    Elements16,
    /// An index.
    Elements32,
    /// A word of inline vertices.
    Inline,
    /// Something happens.
    Action,
}

impl Kind {
    /// Whether it is what vertices are drawn with, besides attributes.
    pub(super) fn is_state(self) -> bool {
        matches!(self, Self::State | Self::Context | Self::Single | Self::Program | Self::Constant)
    }
}

/// Methods that do more than store their argument.
const ACTIONS: &[u16] = &[
    method::NO_OPERATION,
    method::NOTIFY,
    method::WAIT_FOR_IDLE,
    method::SET_FLIP_READ,
    method::SET_FLIP_WRITE,
    method::SET_FLIP_MODULO,
    method::FLIP_INCREMENT_WRITE,
    method::FLIP_STALL,
    method::SET_CONTEXT_DMA_NOTIFIES,
    method::SET_CONTEXT_DMA_A,
    method::SET_CONTEXT_DMA_B,
    method::SET_CONTEXT_DMA_STATE,
    method::SET_CONTEXT_DMA_COLOR,
    method::SET_CONTEXT_DMA_ZETA,
    method::SET_CONTEXT_DMA_VERTEX_A,
    method::SET_CONTEXT_DMA_VERTEX_B,
    method::SET_CONTEXT_DMA_SEMAPHORE,
    method::SET_CONTEXT_DMA_REPORT,
    method::SET_EDGE_FLAG,
    method::BREAK_VERTEX_BUFFER_CACHE,
    method::CLEAR_REPORT_VALUE,
    method::GET_REPORT,
    method::SET_BEGIN_END,
    method::DRAW_ARRAYS,
    method::BACK_END_WRITE_SEMAPHORE_RELEASE,
    method::CLEAR_SURFACE,
    method::SET_BEGIN_PATCH0,
    method::SET_BEGIN_PATCH1,
    method::SET_BEGIN_PATCH2,
    method::SET_BEGIN_PATCH3,
    method::SET_END_PATCH,
    method::SET_BEGIN_END_SWATCH,
    method::SET_BEGIN_END_CURVE,
    method::SET_CURVE_COEFFICIENTS,
    method::SET_BEGIN_TRANSITION0,
    method::SET_BEGIN_TRANSITION1,
    method::SET_BEGIN_TRANSITION2,
    method::SET_END_TRANSITION,
    method::LAUNCH_TRANSFORM_PROGRAM,
    method::SET_TRANSFORM_PROGRAM_LOAD,
    method::SET_TRANSFORM_CONSTANT_LOAD,
];

const fn is_action(offset: u16) -> bool {
    let mut i = 0;
    while i < ACTIONS.len() {
        if ACTIONS[i] == offset {
            return true;
        }
        i += 1;
    }
    false
}

static KINDS: [Kind; METHOD_WORDS] = {
    let mut kinds = [Kind::Unknown; METHOD_WORDS];
    let mut row = 0;
    while row < METHODS.len() {
        let m = &METHODS[row];
        let kind = match (m.offset, m.what) {
            (method::SET_TRANSFORM_PROGRAM, _) => Kind::Program,
            (method::SET_TRANSFORM_CONSTANT, _) => Kind::Constant,
            (method::ARRAY_ELEMENT16, _) => Kind::Elements16,
            (method::ARRAY_ELEMENT32, _) => Kind::Elements32,
            (method::INLINE_ARRAY, _) => Kind::Inline,
            (offset, _) if is_action(offset) => Kind::Action,
            (offset, _) if attributes::is_attribute(offset) => Kind::Attribute,
            (_, What::Context) => Kind::Context,
            (method::SET_WINDOW_CLIP_HORIZONTAL | method::SET_WINDOW_CLIP_VERTICAL, _) => Kind::Single,
            (offset, _) if enumerations::is_enumeration(offset) => Kind::Single,
            _ => Kind::State,
        };
        let mut instance = 0;
        while instance < m.count {
            let mut word = 0;
            while word < m.words {
                kinds[((m.offset + instance * m.stride) / 4 + word) as usize] = kind;
                word += 1;
            }
            instance += 1;
        }
        row += 1;
    }
    kinds
};

/// How many words of one kind begin at each; 1 for actions, which may stop the machine.
static RUNS: [u16; METHOD_WORDS] = {
    let mut runs = [1; METHOD_WORDS];
    let mut at = METHOD_WORDS - 1;
    while at > 0 {
        at -= 1;
        let runs_on =
            matches!(KINDS[at], Kind::State | Kind::Context | Kind::Program | Kind::Constant | Kind::Attribute);
        if runs_on && KINDS[at] as u8 == KINDS[at + 1] as u8 {
            runs[at] = runs[at + 1] + 1;
        }
    }
    runs
};

/// The kind of a method's byte offset, which must be below 0x2000.
#[inline]
pub(super) fn of(at: u16) -> Kind {
    KINDS[usize::from(at / 4) % METHOD_WORDS]
}

/// How many methods of the same kind begin there.
#[inline]
pub(super) fn run_length(at: u16) -> usize {
    RUNS[usize::from(at / 4) % METHOD_WORDS].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_their_kinds_and_runs_end_where_the_kind_does() {
        assert_eq!(of(method::SET_COMBINER_FACTOR0 + 28), Kind::State);
        assert_eq!(of(method::SET_COMPOSITE_MATRIX), Kind::Context);
        assert_eq!(of(method::SET_VERTEX_DATA4F_M + 0xFC), Kind::Attribute);
        assert_eq!(of(0x1FFC), Kind::Unknown);
        assert_eq!(run_length(method::SET_PROJECTION_MATRIX), 224);
        assert_eq!(run_length(method::SET_ALPHA_TEST_ENABLE), 15);
        assert_eq!((of(method::SET_DEPTH_FUNC), run_length(method::SET_WINDOW_CLIP_VERTICAL)), (Kind::Single, 1));
        assert_eq!(run_length(method::CLEAR_SURFACE), 1);
        for at in 0..METHOD_WORDS as u16 {
            let run = run_length(at * 4) as u16;
            assert!((at..at + run).all(|word| of(word * 4) == of(at * 4)), "{:#x}", at * 4);
        }
    }
}
