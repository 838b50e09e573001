//! What a shader's footer says of user data ([`binary`](crate::binary)) held against what its code does with it
//! ([`resources`](crate::resources())): each is an oracle of the other.

use crate::binary::{Binary, Usage, UsageSlot};
use crate::io::{BufferAt, Expr, ExprId, Resources};
use rustc_hash::FxHashSet;
use std::fmt;

/// What code uses a descriptor as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A V#.
    Buffer,
    /// A T#.
    Image,
    /// An S#.
    Sampler,
    /// The address of a fetch shader.
    Fetch,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Buffer => "a buffer",
            Self::Image => "an image",
            Self::Sampler => "a sampler",
            Self::Fetch => "a fetch shader",
        }
    }
}

/// Where the first word of a descriptor comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A user SGPR.
    User(u8),
    /// Memory, the chain of pointers to which begins in this user SGPR and the next; the word's distance, where the chain is one long.
    Behind(u8, Option<u32>),
}

/// A difference between the slots and the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The code uses something that no slot speaks of.
    NoSlot {
        /// As what.
        kind: Kind,
        /// From where.
        place: Place,
    },
    /// The code uses a slot's registers as something else than it says.
    Other {
        /// The slot.
        slot: UsageSlot,
        /// As what.
        kind: Kind,
    },
    /// The code does nothing with what a slot names.
    Unused {
        /// The slot.
        slot: UsageSlot,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSlot { kind, place: Place::User(register) } => {
                write!(f, "the code uses {} from s{register} on, and no usage slot says so", kind.name())
            }
            Self::NoSlot { kind, place: Place::Behind(register, _) } => {
                let last = u16::from(*register) + 1;
                write!(
                    f,
                    "the code loads {} by the pointer in s[{register}:{last}], and no usage slot says so",
                    kind.name()
                )
            }
            Self::Other { slot, kind } => write!(f, "the usage slot \"{slot}\" is used as {}", kind.name()),
            Self::Unused { slot } => write!(f, "the usage slot \"{slot}\" is not used by the code"),
        }
    }
}

/// Whether a slot may be used so. Those with a number that is not known may be anything.
fn fits(slot: &UsageSlot, kind: Kind) -> bool {
    match slot.usage() {
        Some(Usage::Resource | Usage::RwResource) => kind == if slot.is_texture() { Kind::Image } else { Kind::Buffer },
        Some(Usage::Sampler | Usage::SamplerTablePointer) => kind == Kind::Sampler,
        Some(
            Usage::ConstantBuffer
            | Usage::VertexBuffer
            | Usage::ConstantBufferTablePointer
            | Usage::VertexBufferTablePointer
            | Usage::StreamOutTablePointer,
        ) => kind == Kind::Buffer,
        Some(
            Usage::ResourceTablePointer
            | Usage::RwResourceTablePointer
            | Usage::ResourceTablePointerPointer
            | Usage::RwResourceTablePointerPointer,
        ) => matches!(kind, Kind::Buffer | Kind::Image),
        Some(Usage::FetchShader) => kind == Kind::Fetch,
        Some(
            Usage::FloatConstants
            | Usage::BoolConstants
            | Usage::GdsCounters
            | Usage::GdsMemory
            | Usage::GwsBase
            | Usage::LdsEsGsSize,
        ) => false,
        Some(
            Usage::ResourceTable
            | Usage::InternalResourceTablePointer
            | Usage::InternalResourceTablePointerPointer
            | Usage::InternalGlobalTablePointer
            | Usage::ExtendedUserData,
        )
        | None => kind != Kind::Fetch,
    }
}

/// Whether a slot names a descriptor, or a pointer to some, that code is expected to use where it is named.
fn is_expected(slot: &UsageSlot) -> bool {
    match slot.usage() {
        Some(
            Usage::Resource
            | Usage::Sampler
            | Usage::ConstantBuffer
            | Usage::RwResource
            | Usage::ResourceTablePointer
            | Usage::SamplerTablePointer
            | Usage::ConstantBufferTablePointer
            | Usage::RwResourceTablePointer
            | Usage::FetchShader,
        ) => true,
        // The fetch shader's, tables of the compiler's own, constants and counts, and what is not known.
        _ => false,
    }
}

/// Where a word comes from, through loads; none where it is computed.
fn place(found: &Resources, word: ExprId) -> Option<Place> {
    match *found.exprs.get(word as usize)? {
        Expr::User(register) => Some(Place::User(register)),
        Expr::Load { base: [low, _], offset } => {
            let offset = match found.exprs.get(offset as usize) {
                Some(Expr::Const(bytes)) => Some(bytes / 4),
                _ => None,
            };
            match place(found, low)? {
                Place::User(register) => Some(Place::Behind(register, offset)),
                Place::Behind(register, _) => Some(Place::Behind(register, None)),
            }
        }
        Expr::Table { base: [low, _], .. } => match place(found, low)? {
            Place::User(register) | Place::Behind(register, _) => Some(Place::Behind(register, None)),
        },
        Expr::Const(_) | Expr::Program(_) | Expr::LoadBuffer { .. } | Expr::Binary(..) => None,
    }
}

/// What code uses, and from where: descriptors that come from user data by loads at most.
fn uses(found: &Resources) -> Vec<(Kind, Place)> {
    let buffers = found.buffers.iter().filter_map(|used| match used.at {
        BufferAt::Descriptor(words) => Some((Kind::Buffer, words[0])),
        BufferAt::Pointer(_)
        | BufferAt::SharedMemory
        | BufferAt::Tessellator
        | BufferAt::GlobalShare
        | BufferAt::Window(_) => None,
    });
    // Scalar loads at offsets that are known.
    let loaded = found.exprs.iter().filter_map(|expr| match expr {
        Expr::LoadBuffer { descriptor, .. } => Some((Kind::Buffer, descriptor[0])),
        Expr::User(_)
        | Expr::Const(_)
        | Expr::Program(_)
        | Expr::Load { .. }
        | Expr::Table { .. }
        | Expr::Binary(..) => None,
    });
    let images = found.images.iter().map(|image| (Kind::Image, image.descriptor[0]));
    let samplers = found.samplers.iter().map(|sampler| (Kind::Sampler, sampler.descriptor[0]));
    let fetch = found.fetch.map(|words| (Kind::Fetch, words[0]));
    let all = buffers.chain(loaded).chain(images).chain(samplers).chain(fetch);
    let mut uses = Vec::new();
    for used in all.filter_map(|(kind, word)| Some((kind, place(found, word)?))) {
        if !uses.contains(&used) {
            uses.push(used);
        }
    }
    uses
}

/// The differences between a footer's slots and what was found by following the code. None where the footer has no slots: then it says
/// nothing.
#[must_use]
pub fn differences(binary: &Binary, found: &Resources) -> Vec<Difference> {
    if binary.slots.is_empty() {
        return Vec::new();
    }
    let extended = binary.slots_of(Usage::ExtendedUserData).next().map(|slot| slot.register);
    let mut used = vec![false; binary.slots.len()];
    let (mut differences, mut said) = (Vec::new(), FxHashSet::default());
    for (kind, place) in uses(found) {
        // A table of the extended user data is not told apart from its descriptors.
        let (register, direct) = match place {
            Place::User(register) => (register, true),
            Place::Behind(pointer, Some(word)) if extended == Some(pointer) && word < 0xF0 => (16 + word as u8, true),
            Place::Behind(register, _) => (register, false),
        };
        let speaks = |slot: &UsageSlot| {
            let pointer = slot.usage().is_some_and(Usage::is_pointer) && kind != Kind::Fetch;
            slot.register == register && (pointer != direct || slot.usage().is_none())
        };
        let slots = || binary.slots.iter().enumerate().filter(|(_, slot)| speaks(slot));
        match slots().find(|(_, slot)| fits(slot, kind)) {
            Some((at, _)) => used[at] = true,
            None => match slots().next() {
                Some((at, slot)) => {
                    used[at] = true;
                    differences.push(Difference::Other { slot: *slot, kind });
                }
                // Once for each pointer, however much is behind it.
                None if said.insert((kind, register)) => differences.push(Difference::NoSlot { kind, place }),
                None => {}
            },
        }
    }
    // Words that are read as they are, or lead to others.
    let touched = |slot: &UsageSlot| {
        let range = u16::from(slot.register)..u16::from(slot.register) + slot.dwords();
        found.exprs.iter().any(|expr| matches!(expr, Expr::User(register) if range.contains(&u16::from(*register))))
    };
    let unused = binary.slots.iter().zip(used).filter(|(slot, used)| !used && is_expected(slot));
    let unused = unused.filter(|(slot, _)| slot.extended().is_some() || !touched(slot));
    differences.extend(unused.map(|(slot, _)| Difference::Unused { slot: *slot }));
    differences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{HwStage, Registers, Source};
    use crate::{assemble, resources};

    fn found(text: &str) -> Resources {
        let code = assemble(text).expect("it assembles");
        let registers = Registers { rsrc2: 16 << 1, ..Registers::default() };
        let (buffers, images, tables) = (Vec::new(), Vec::new(), Vec::new());
        let source = Source { stage: HwStage::Ps, code, fetch: Vec::new(), registers, buffers, images, tables };
        resources(&source).expect("resources")
    }

    fn slot(usage: Usage, register: u8, flags: u8) -> UsageSlot {
        UsageSlot { usage: usage as u8, api_slot: 0, register, flags }
    }

    fn said(slots: &[UsageSlot], text: &str) -> Vec<String> {
        let binary = Binary { slots: slots.to_vec(), ..Binary::default() };
        differences(&binary, &found(text)).iter().map(ToString::to_string).collect()
    }

    /// An image and a sampler in user data, a buffer behind a pointer, a word as it is.
    const CODE: &str = "image_sample v[0:3], v[0:1], s[0:7], s[8:11] dmask:0xf\n s_load_dwordx4 s[16:19], s[12:13], 0x4\n \
                        s_waitcnt lgkmcnt(0)\n s_buffer_load_dword s20, s[16:19], 0x0\n s_waitcnt 0x0\n v_mov_b32 v1, s20\n \
                        v_mov_b32 v2, s14\n exp mrt0 v0, v1, v2, v3 done vm\n s_endpgm";

    fn right() -> [UsageSlot; 4] {
        [
            slot(Usage::Resource, 0, 3),
            slot(Usage::Sampler, 8, 0),
            slot(Usage::ConstantBufferTablePointer, 12, 0),
            slot(Usage::FloatConstants, 14, 0),
        ]
    }

    #[test]
    fn slots_that_say_what_the_code_does_are_right() {
        assert_eq!(said(&right(), CODE), [""; 0]);
        assert_eq!(said(&[], CODE), [""; 0], "a footer without slots says nothing");
    }

    #[test]
    fn each_difference_is_said() {
        for (at, left_out) in [
            (0, "the code uses an image from s0 on, and no usage slot says so"),
            (1, "the code uses a sampler from s8 on, and no usage slot says so"),
            (2, "the code loads a buffer by the pointer in s[12:13], and no usage slot says so"),
        ] {
            let mut slots = right().to_vec();
            slots.remove(at);
            assert_eq!(said(&slots, CODE), [left_out]);
        }
        for (at, wrong, expected) in [
            (0, slot(Usage::Resource, 0, 1), "the usage slot \"resource 0 in s[0:7]\" is used as an image"),
            (
                1,
                slot(Usage::ConstantBuffer, 8, 0),
                "the usage slot \"constant buffer 0 in s[8:11]\" is used as a sampler",
            ),
            (
                2,
                slot(Usage::SamplerTablePointer, 12, 0),
                "the usage slot \"pointer to sampler table 0 in s[12:13]\" is used as a buffer",
            ),
        ] {
            let mut slots = right();
            slots[at] = wrong;
            assert_eq!(said(&slots, CODE), [expected]);
        }
        let more = [&right()[..], &[slot(Usage::ConstantBuffer, 17, 0)]].concat();
        assert_eq!(
            said(&more, CODE),
            ["the usage slot \"constant buffer 0 in extended[1:4]\" is not used by the code"]
        );
        let alone = "exp mrt0 v0, v1, v2, v3 done vm\n s_endpgm";
        let unused = said(&right()[..1], alone);
        assert_eq!(unused, ["the usage slot \"resource 0 in s[0:7]\" is not used by the code"]);
    }

    #[test]
    fn extended_user_data_has_slots_of_its_own() {
        let text = "s_load_dwordx4 s[16:19], s[2:3], 0x4\n s_waitcnt lgkmcnt(0)\n s_buffer_load_dword s20, s[16:19], 0x0\n \
                    s_waitcnt 0x0\n v_mov_b32 v1, s20\n exp mrt0 v1, v1, v1, v1 done vm\n s_endpgm";
        let slots = [slot(Usage::ExtendedUserData, 2, 0), slot(Usage::ConstantBuffer, 20, 0)];
        assert_eq!(said(&slots, text), [""; 0]);
        let other = [slots[0], slot(Usage::Sampler, 20, 0)];
        assert_eq!(said(&other, text), ["the usage slot \"sampler 0 in extended[4:7]\" is used as a buffer"]);
    }
}
