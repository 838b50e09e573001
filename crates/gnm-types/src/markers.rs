//! First words of NOP packets that mean something. Source: shadPS4, `src/video_core/amdgpu/pm4_cmds.h` (the numbers only), and
//! `docs/sources/gnm.md#the-library` for the updates.

macro_rules! markers {
    ($( $(#[$doc:meta])* $code:literal $name:ident; )*) => {
        $( $(#[$doc])* pub const $name: u32 = $code; )*

        /// The name of a first word.
        #[must_use]
        pub const fn name_of(code: u32) -> Option<&'static str> {
            match code {
                $( $code => Some(stringify!($name)), )*
                _ => None,
            }
        }
    };
}

markers! {
    /// A named scope begins; the text follows, ended by a zero byte.
    0x6875_0001 PUSH_MARKER;
    /// A named scope ends.
    0x6875_0002 POP_MARKER;
    /// A named point; the text follows.
    0x6875_0003 SET_MARKER;
    /// The next packet puts a V# into user data.
    0x6875_0004 BUFFER_IN_USER_DATA;
    /// The next packet puts a T# into user data.
    0x6875_0005 IMAGE_IN_USER_DATA;
    /// The next packet puts an S# into user data.
    0x6875_0006 SAMPLER_IN_USER_DATA;
    /// A named scope with a colour begins; the text follows, and the colour in the last word but its padding.
    0x6875_000E PUSH_COLOR_MARKER;
    /// A flip whose label is written by a packet before it.
    0x6875_0776 PATCHED_FLIP;
    /// Room for a flip.
    0x6875_0777 PREPARE_FLIP;
    /// Room for a flip that writes a label: address, value.
    0x6875_0778 PREPARE_FLIP_LABEL;
    /// Room for a flip with an interrupt: event type, cache actions.
    0x6875_0780 PREPARE_FLIP_INTERRUPT;
    /// Room for a flip that writes a label and interrupts: address, value, event type, cache actions.
    0x6875_0781 PREPARE_FLIP_INTERRUPT_LABEL;
}

/// High half of a first word whose low half is the offset of a context register: an update form leaves its values here, and
/// changes nothing.
pub const UPDATE: u32 = 0xC01E_0000;

/// Whether flips are to be put there.
#[must_use]
pub const fn is_prepared_flip(code: u32) -> bool {
    matches!(code, PREPARE_FLIP | PREPARE_FLIP_LABEL | PREPARE_FLIP_INTERRUPT | PREPARE_FLIP_INTERRUPT_LABEL)
}
