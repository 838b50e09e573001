//! Stencil operations by those of the host, which has half as many, and for a face one reference value and one mask.
//!
//! What one draw does not do is done by several. Each is the same draw with other operations; the last one also writes depth and colours.
//! What each changes does not change what becomes of a fragment in the next, so that together they do what one would:
//!
//! * Most operations do something with each bit by itself: keep it, clear it, set it or turn it over. A draw does that for the bits for
//!   which the host has operations; another has others.
//! * A number is added by adding 1 as often.

use afterimage_gnm_types::{View, enums, reg, value::*};
use afterimage_stream::Once;
use afterimage_stream::packets::*;
use smallvec::{SmallVec, smallvec};

/// A comparison; its field holds no other numbers.
pub(super) fn compare(number: u32) -> u8 {
    enums::COMPARE_FRAG::of(number).unwrap_or(Compare::Always) as u8
}

/// A stencil operation as the host has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operation {
    op: StencilOp,
    /// The reference value that it writes, if it does.
    reference: Option<u8>,
    /// Bits that it changes: those of logic operations are those for which the host has one operation.
    bits: u8,
}

/// A stencil operation, for the value that is compared and the value for operations. None where no host does it in one draw.
fn stencil_op(number: u32, reference: u8, value: u8) -> Option<Operation> {
    use StencilOp as S;
    let (op, bits) = match (number, value) {
        (STENCIL_KEEP, _) | (STENCIL_ADD_CLAMP | STENCIL_SUB_CLAMP | STENCIL_ADD_WRAP | STENCIL_SUB_WRAP, 0) => {
            (S::Keep, 0)
        }
        (STENCIL_ZERO, _) | (STENCIL_SUB_CLAMP | STENCIL_NOR, 0xFF) => (S::Zero, 0xFF),
        (STENCIL_REPLACE_TEST, _) => return Some(Operation { op: S::Replace, reference: Some(reference), bits: 0xFF }),
        (STENCIL_REPLACE_OP, _) => return Some(Operation { op: S::Replace, reference: Some(value), bits: 0xFF }),
        (STENCIL_ONES, _) | (STENCIL_ADD_CLAMP, 0xFF) | (STENCIL_NAND, 0) => (S::Replace, 0xFF),
        (STENCIL_ADD_CLAMP, 1) => (S::IncrementClamp, 0xFF),
        (STENCIL_SUB_CLAMP, 1) => (S::DecrementClamp, 0xFF),
        (STENCIL_ADD_WRAP, 1) | (STENCIL_SUB_WRAP, 0xFF) => (S::IncrementWrap, 0xFF),
        (STENCIL_SUB_WRAP, 1) | (STENCIL_ADD_WRAP, 0xFF) => (S::DecrementWrap, 0xFF),
        (STENCIL_INVERT, _) | (STENCIL_NAND, 0xFF) | (STENCIL_NOR, 0) => (S::Invert, 0xFF),
        (STENCIL_AND, _) => (S::Zero, !value),
        (STENCIL_OR, _) => (S::Replace, value),
        (STENCIL_XOR, _) => (S::Invert, value),
        (STENCIL_XNOR, _) => (S::Invert, !value),
        _ => return None,
    };
    Some(Operation { op, reference: (op == S::Replace).then_some(0xFF), bits })
}

/// What an operation makes of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Leaves these bits, and then turns those over.
    Bits { and: u8, xor: u8 },
    /// Adds or takes away, from 255 to 0 and back.
    Wrap(i16),
    /// Adds, up to 255, or takes away, down to 0.
    Clamp(i16),
}

impl Change {
    const KEEP: Self = Self::Bits { and: 0xFF, xor: 0 };

    fn of(number: u32, reference: u8, value: u8) -> Self {
        let by = i16::from(value);
        // The shorter way round.
        let wrapped = |by: i16| if by > 128 { by - 256 } else { by };
        let (and, xor) = match number {
            STENCIL_KEEP => (0xFF, 0),
            STENCIL_ZERO => (0, 0),
            STENCIL_ONES => (0, 0xFF),
            STENCIL_REPLACE_TEST => (0, reference),
            STENCIL_REPLACE_OP => (0, value),
            STENCIL_INVERT => (0xFF, 0xFF),
            STENCIL_AND => (value, 0),
            STENCIL_OR => (!value, value),
            STENCIL_XOR => (0xFF, value),
            STENCIL_XNOR => (0xFF, !value),
            STENCIL_NAND => (value, 0xFF),
            STENCIL_NOR => (!value, !value),
            STENCIL_ADD_CLAMP | STENCIL_SUB_CLAMP | STENCIL_ADD_WRAP | STENCIL_SUB_WRAP if by == 0 => (0xFF, 0),
            STENCIL_ADD_CLAMP if by == 0xFF => (0, 0xFF),
            STENCIL_SUB_CLAMP if by == 0xFF => (0, 0),
            STENCIL_ADD_CLAMP => return Self::Clamp(by),
            STENCIL_SUB_CLAMP => return Self::Clamp(-by),
            STENCIL_ADD_WRAP => return Self::Wrap(wrapped(by)),
            _ => return Self::Wrap(-wrapped(by)),
        };
        Self::Bits { and, xor }
    }
}

/// What a face has of the host in one draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HostFace {
    face: StencilFace,
    reference: u8,
    read_mask: u8,
    write_mask: u8,
}

/// The depth test, on which it depends what becomes of fragments that pass the comparison.
#[derive(Clone, Copy, Debug)]
struct Depths {
    tested: bool,
    compare: u32,
    written: bool,
}

/// Operations of a face, by what becomes of a fragment, in the order in which they are served: passing is what most programs change
/// stencils for.
const PASS: usize = 0;
const FAIL: usize = 1;
const DEPTH_FAIL: usize = 2;

/// Why several draws do not do it.
const COMPARED: &str = "the comparison looks at bits that several draws change";
const MIXED: &str = "the host has one reference value and one mask for all operations of a face";
const MASKED: &str = "what is added to goes beyond the bits that are written";

/// What the host makes of a bit: one of these.
const KEEP: u8 = 1;
const ZERO: u8 = 2;
const ONE: u8 = 4;
const INVERT: u8 = 8;

/// A face's words: comparison, operations, and the register with masks and values.
#[derive(Clone, Copy, Debug)]
struct Face {
    compare: u32,
    /// By [`PASS`] and the others.
    ops: [u32; 3],
    values: u32,
}

impl Face {
    fn of(registers: &View, back: bool) -> Self {
        use reg::DB_STENCIL_CONTROL as S;
        let control = registers.get(reg::DB_STENCIL_CONTROL);
        let depth = registers.get(reg::DB_DEPTH_CONTROL);
        if back {
            Self {
                compare: reg::DB_DEPTH_CONTROL::STENCILFUNC_BF.of(depth),
                ops: [S::STENCILZPASS_BF, S::STENCILFAIL_BF, S::STENCILZFAIL_BF].map(|field| field.of(control)),
                values: registers.get(reg::DB_STENCILREFMASK_BF),
            }
        } else {
            Self {
                compare: reg::DB_DEPTH_CONTROL::STENCILFUNC.of(depth),
                ops: [S::STENCILZPASS, S::STENCILFAIL, S::STENCILZFAIL].map(|field| field.of(control)),
                values: registers.get(reg::DB_STENCILREFMASK),
            }
        }
    }

    /// The comparison's outcome, if no value makes a difference.
    fn always(&self) -> Option<bool> {
        let [_, read_mask, ..] = self.values.to_le_bytes();
        match self.compare {
            FRAG_ALWAYS => Some(true),
            FRAG_NEVER => Some(false),
            // Nothing is nothing.
            FRAG_EQUAL | FRAG_LEQUAL | FRAG_GEQUAL if read_mask == 0 => Some(true),
            _ if read_mask == 0 => Some(false),
            _ => None,
        }
    }

    /// What may become of fragments.
    fn outcomes(&self, depths: &Depths) -> [bool; 3] {
        let [passes, fails] = [self.always() != Some(false), self.always() != Some(true)];
        let pass = passes && !(depths.tested && depths.compare == FRAG_NEVER);
        [pass, fails, passes && depths.tested && depths.compare != FRAG_ALWAYS]
    }

    fn changes(&self) -> [Change; 3] {
        let [compared, _, _, value] = self.values.to_le_bytes();
        self.ops.map(|number| Change::of(number, compared, value))
    }

    fn host(&self, ops: [StencilOp; 3], reference: u8, write_mask: u8) -> HostFace {
        let [pass, fail, depth_fail] = ops.map(|op| op as u8);
        let [_, read_mask, ..] = self.values.to_le_bytes();
        HostFace {
            face: StencilFace { compare: compare(self.compare), fail, depth_fail, pass },
            reference,
            read_mask,
            write_mask,
        }
    }

    /// A draw that changes nothing.
    fn nothing(&self) -> HostFace {
        let [compared, ..] = self.values.to_le_bytes();
        self.host([StencilOp::Keep; 3], compared, 0)
    }

    /// The operations in one draw: what does not agree with an operation before it keeps what is there, and is named if it matters. The
    /// value that is compared is free where the comparison's outcome does not depend on it.
    fn alone(&self, outcomes: [bool; 3]) -> (HostFace, Option<u32>) {
        let [compared, _, write_mask, value] = self.values.to_le_bytes();
        let mut reference = self.always().is_none().then_some(compared);
        let (mut bits, mut ops, mut left_out) = (None, [StencilOp::Keep; 3], None);
        let first = (0..3).filter(|n| outcomes[*n]);
        for n in first.chain((0..3).filter(|n| !outcomes[*n])) {
            let found = stencil_op(self.ops[n], compared, value).filter(|found| {
                let agrees = |held: Option<u8>, wanted: u8| held.is_none_or(|held| held == wanted);
                found.op == StencilOp::Keep
                    || found.reference.is_none_or(|wanted| agrees(reference, wanted)) && agrees(bits, found.bits)
            });
            let Some(found) = found else {
                left_out = left_out.or(outcomes[n].then_some(self.ops[n]));
                continue;
            };
            if found.op != StencilOp::Keep {
                (reference, bits) = (found.reference.or(reference), Some(found.bits));
            }
            ops[n] = found.op;
        }
        (self.host(ops, reference.unwrap_or(compared), write_mask & bits.unwrap_or(0xFF)), left_out)
    }

    /// What the host may make of a bit of fragments of which this becomes.
    fn may(&self, outcome: usize, and: u8, xor: u8, bit: u8) -> u8 {
        let [compared, read_mask, ..] = self.values.to_le_bytes();
        let has = |byte: u8| byte & bit != 0;
        // Where the comparison says what is stored, there are two ways.
        let is_known = match self.compare {
            FRAG_EQUAL => outcome != FAIL,
            FRAG_NOTEQUAL => outcome == FAIL,
            _ => false,
        } && has(read_mask);
        if is_known {
            let (stored, left) = (has(compared), has(compared & and ^ xor));
            let by_itself = if left == stored { KEEP } else { INVERT };
            return by_itself | if left { ONE } else { ZERO };
        }
        match (has(and), has(xor)) {
            (true, false) => KEEP,
            (true, true) => INVERT,
            (false, false) => ZERO,
            (false, true) => ONE,
        }
    }

    /// Operations that do something with each bit by itself, in draws that have bits of their own.
    fn bit_by_bit(&self, outcomes: [bool; 3]) -> Result<SmallVec<[HostFace; 1]>, &'static str> {
        let [compared, read_mask, write_mask, _] = self.values.to_le_bytes();
        let depends = self.always().is_none();
        let mut allowed = [[0xFF; 3]; 8];
        for outcome in (0..3).filter(|outcome| outcomes[*outcome]) {
            let Change::Bits { and, xor } = self.changes()[outcome] else { return Err(MIXED) };
            allowed.iter_mut().enumerate().for_each(|(n, all)| all[outcome] = self.may(outcome, and, xor, 1 << n));
        }
        let mut left =
            (0..8).filter(|n| allowed[*n].iter().any(|may| may & KEEP == 0)).fold(0, |left, n| left | 1 << n);
        left &= write_mask;
        // Bits for which three operations of the host are right, and the reference value with which they are.
        let fits = |ops: [StencilOp; 3], left: u8| {
            let (mut bits, mut reference) = (0, if depends { compared & read_mask } else { 0 });
            for bit in (0..8).map(|n| 1u8 << n).filter(|bit| left & bit != 0) {
                let may = &allowed[bit.trailing_zeros() as usize];
                let does = |one: bool| {
                    ops.iter().zip(may).all(|(op, may)| {
                        let made = match op {
                            StencilOp::Zero => ZERO,
                            StencilOp::Replace => {
                                if one {
                                    ONE
                                } else {
                                    ZERO
                                }
                            }
                            StencilOp::Invert => INVERT,
                            _ => KEEP,
                        };
                        may & made != 0
                    })
                };
                let is_fixed = depends && read_mask & bit != 0;
                let one =
                    [false, true].into_iter().find(|one| (!is_fixed || *one == (compared & bit != 0)) && does(*one));
                if let Some(one) = one {
                    bits |= bit;
                    reference |= if one { bit } else { 0 };
                }
            }
            (bits, reference)
        };
        const OPS: [StencilOp; 4] = [StencilOp::Keep, StencilOp::Zero, StencilOp::Replace, StencilOp::Invert];
        let mut draws = SmallVec::<[HostFace; 1]>::new();
        while left != 0 {
            let (mut most, mut best) = (0, self.nothing());
            for ops in (0..64).map(|n| [OPS[n & 3], OPS[n >> 2 & 3], OPS[n >> 4]]) {
                let (bits, reference) = fits(ops, left);
                if bits.count_ones() > most {
                    (most, best) = (bits.count_ones(), self.host(ops, reference, bits));
                }
            }
            if most == 0 {
                return Err(MIXED);
            }
            left &= !best.write_mask;
            draws.push(best);
        }
        if draws.is_empty() {
            draws.push(self.nothing());
        }
        let spoils = |draw: &HostFace| depends && draw.write_mask & read_mask != 0;
        draws.sort_by_key(spoils);
        if draws.len() > 1 && draws.iter().filter(|draw| spoils(draw)).count() > 1 {
            return Err(COMPARED);
        }
        Ok(draws)
    }

    /// Operations that add, in draws that add 1.
    fn counted(&self, outcomes: [bool; 3]) -> Result<SmallVec<[HostFace; 1]>, &'static str> {
        use StencilOp as S;
        let [compared, read_mask, write_mask, _] = self.values.to_le_bytes();
        let mut by = [0i16; 3];
        let mut kinds = [false; 3];
        for outcome in (0..3).filter(|outcome| outcomes[*outcome]) {
            by[outcome] = match self.changes()[outcome] {
                Change::KEEP => continue,
                Change::Bits { .. } => return Err(MIXED),
                Change::Wrap(by) => by,
                Change::Clamp(by) => by,
            };
            let wraps = matches!(self.changes()[outcome], Change::Wrap(_));
            kinds[if wraps {
                0
            } else if by[outcome] > 0 {
                1
            } else {
                2
            }] = true;
        }
        // Sums that end somewhere depend on their order.
        if kinds.into_iter().filter(|has| *has).count() > 1 {
            return Err(MIXED);
        }
        if write_mask & write_mask.wrapping_add(1) != 0 {
            return Err(MASKED);
        }
        // The host clamps the whole value, and writes a part of it.
        if (kinds[1] || kinds[2]) && write_mask != 0xFF {
            return Err(MASKED);
        }
        if self.always().is_none() && read_mask & write_mask != 0 {
            return Err(COMPARED);
        }
        let op = |by: i16| match (kinds[0], by > 0) {
            (true, true) => S::IncrementWrap,
            (true, false) => S::DecrementWrap,
            (false, true) => S::IncrementClamp,
            (false, false) => S::DecrementClamp,
        };
        let times = by.iter().map(|by| by.unsigned_abs()).max().unwrap_or(0);
        let draw = |n: u16| {
            let ops = by.map(|by| if n < by.unsigned_abs() { op(by) } else { S::Keep });
            self.host(ops, compared, write_mask)
        };
        Ok((0..times).rev().map(draw).collect())
    }

    /// The draws that do the operations, the last of which is the one that draws.
    fn draws(&self, depths: &Depths, once: &mut Once) -> SmallVec<[HostFace; 1]> {
        let outcomes = self.outcomes(depths);
        let (alone, left_out) = self.alone(outcomes);
        let Some(left_out) = left_out else { return smallvec![alone] };
        let [_, read_mask, _, value] = self.values.to_le_bytes();
        let found = self.bit_by_bit(outcomes).or_else(|why| {
            self.counted(outcomes).map_err(|other| {
                let counts = self
                    .changes()
                    .iter()
                    .zip(outcomes)
                    .any(|(change, may)| may && !matches!(change, Change::Bits { .. }));
                if counts { other } else { why }
            })
        });
        match found {
            Ok(draws) => {
                let spoils = self.always().is_none() && draws.iter().any(|draw| draw.write_mask & read_mask != 0);
                let moves = depths.written && outcomes[PASS] && outcomes[DEPTH_FAIL] && {
                    let changes = self.changes();
                    changes[PASS] != changes[DEPTH_FAIL]
                };
                if draws.len() > 1 && (spoils || moves) {
                    once.warn(
                        "stencil operations that take several draws change what the tests of the draw look at: they are right \
                         where its fragments do not lie over one another",
                    );
                }
                draws
            }
            Err(why) => {
                let name = enums::STENCIL_OP.of(left_out).unwrap_or("?");
                once.warn(format!(
                    "stencil operation {name} with the value {value} is not supported beside a comparison and other operations \
                     of the face: it keeps what is there ({why})"
                ));
                smallvec![alone]
            }
        }
    }
}

/// Depth and stencil tests of a draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tests {
    /// Those of the draw itself.
    pub(super) state: SetDepthStencil,
    /// Those of draws before it which change stencils, and nothing else.
    pub(super) before: Vec<SetDepthStencil>,
}

impl Tests {
    /// For a target that has depth, and stencil.
    pub(super) fn of(registers: &View, [has_depth, has_stencil]: [bool; 2], once: &mut Once) -> Self {
        use reg::DB_DEPTH_CONTROL as D;
        let mut state = SetDepthStencil::default();
        if has_depth && registers.is_set(D::Z_ENABLE) {
            state.depth_test = 1;
            let read_only = registers.is_set(reg::DB_DEPTH_VIEW::Z_READ_ONLY);
            state.depth_write = (registers.is_set(D::Z_WRITE_ENABLE) && !read_only).into();
            state.depth_compare = compare(registers.field(D::ZFUNC));
        }
        if !has_stencil || !registers.is_set(D::STENCIL_ENABLE) {
            return Self { state, before: Vec::new() };
        }
        state.stencil_test = 1;
        let depths = Depths {
            tested: state.depth_test != 0,
            compare: registers.field(D::ZFUNC),
            written: state.depth_write != 0,
        };
        let front = Face::of(registers, false);
        let back = if registers.is_set(D::BACKFACE_ENABLE) { Face::of(registers, true) } else { front };
        if registers.is_set(reg::DB_DEPTH_VIEW::STENCIL_READ_ONLY) {
            let [front, back] =
                [front, back].map(|face| HostFace { write_mask: 0, ..face.alone(face.outcomes(&depths)).0 });
            set_faces(&mut state, front, back);
            return Self { state, before: Vec::new() };
        }
        let draws = [front, back].map(|face| face.draws(&depths, once));
        let times = draws.iter().map(SmallVec::len).max().unwrap_or(1).max(1);
        let mut all = (0..times).map(|n| {
            let [front, back] = [(&draws[0], front), (&draws[1], back)].map(|(draws, face)| {
                let at = (n + draws.len()).checked_sub(times);
                at.and_then(|at| draws.get(at).copied()).unwrap_or_else(|| face.nothing())
            });
            let is_last = n + 1 == times;
            let mut state = SetDepthStencil { depth_write: if is_last { state.depth_write } else { 0 }, ..state };
            set_faces(&mut state, front, back);
            state
        });
        let mut before: Vec<SetDepthStencil> = all.by_ref().take(times - 1).collect();
        let state = all.next().or_else(|| before.pop()).unwrap_or(state);
        Self { state, before }
    }
}

fn set_faces(state: &mut SetDepthStencil, front: HostFace, back: HostFace) {
    (state.front, state.back) = (front.face, back.face);
    (state.reference, state.read_mask, state.write_mask) = (front.reference, front.read_mask, front.write_mask);
    if (HostFace { face: front.face, ..back }) != front {
        let HostFace { reference, read_mask, write_mask, .. } = back;
        state.own_back = StencilBack { enable: 1, reference, read_mask, write_mask, pad: [0; 4] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTHS: Depths = Depths { tested: true, compare: FRAG_LESS, written: false };

    fn face(compare: u32, [pass, fail, depth_fail]: [u32; 3], values: u32) -> Face {
        Face { compare, ops: [pass, fail, depth_fail], values }
    }

    #[test]
    fn operations_with_a_value_are_done_in_one_draw_where_the_host_can() {
        let host = |compare, op, values| {
            let mut once = Once::default();
            let draws = face(compare, [op, STENCIL_KEEP, STENCIL_KEEP], values).draws(&DEPTHS, &mut once);
            assert_eq!(draws.len(), 1);
            (draws[0].face.pass, draws[0].reference, draws[0].write_mask)
        };
        let replace = StencilOp::Replace as u8;
        assert_eq!(host(FRAG_ALWAYS, STENCIL_ONES, 0x01FF_0003), (replace, 0xFF, 0xFF));
        assert_eq!(host(FRAG_ALWAYS, STENCIL_REPLACE_OP, 0x07F0_0003), (replace, 7, 0xF0));
        assert_eq!(host(FRAG_EQUAL, STENCIL_ADD_CLAMP, 0x01FF_0003), (StencilOp::IncrementClamp as u8, 3, 0xFF));
        assert_eq!(host(FRAG_EQUAL, STENCIL_AND, 0x3CFF_0003), (StencilOp::Zero as u8, 3, 0xC3));
        // Another value than the one that is compared, which is what is there.
        assert_eq!(host(FRAG_EQUAL, STENCIL_REPLACE_OP, 0x07FF_FF03), (StencilOp::Invert as u8, 3, 4));
    }

    /// What the hardware does with a stored value.
    fn hardware(number: u32, stored: u8, reference: u8, value: u8) -> u8 {
        match number {
            STENCIL_KEEP => stored,
            STENCIL_ZERO => 0,
            STENCIL_ONES => 0xFF,
            STENCIL_REPLACE_TEST => reference,
            STENCIL_REPLACE_OP => value,
            STENCIL_ADD_CLAMP => stored.saturating_add(value),
            STENCIL_SUB_CLAMP => stored.saturating_sub(value),
            STENCIL_INVERT => !stored,
            STENCIL_ADD_WRAP => stored.wrapping_add(value),
            STENCIL_SUB_WRAP => stored.wrapping_sub(value),
            STENCIL_AND => stored & value,
            STENCIL_OR => stored | value,
            STENCIL_XOR => stored ^ value,
            STENCIL_NAND => !(stored & value),
            STENCIL_NOR => !(stored | value),
            _ => !(stored ^ value),
        }
    }

    /// What the host does.
    fn host(op: u8, stored: u8, reference: u8) -> u8 {
        match StencilOp::ALL[usize::from(op)] {
            StencilOp::Keep => stored,
            StencilOp::Zero => 0,
            StencilOp::Replace => reference,
            StencilOp::IncrementClamp => stored.saturating_add(1),
            StencilOp::DecrementClamp => stored.saturating_sub(1),
            StencilOp::Invert => !stored,
            StencilOp::IncrementWrap => stored.wrapping_add(1),
            StencilOp::DecrementWrap => stored.wrapping_sub(1),
        }
    }

    fn passes(compare: u32, reference: u8, stored: u8) -> bool {
        match compare {
            FRAG_NEVER => false,
            FRAG_LESS => reference < stored,
            FRAG_EQUAL => reference == stored,
            FRAG_LEQUAL => reference <= stored,
            FRAG_GREATER => reference > stored,
            FRAG_NOTEQUAL => reference != stored,
            FRAG_GEQUAL => reference >= stored,
            _ => true,
        }
    }

    /// Stored values after fragments that lie over one another, each of which is nearer or not; and as the draws leave them.
    fn both(face: &Face, draws: &[HostFace], stored: u8, fragments: &[bool]) -> [u8; 2] {
        let [compared, read_mask, write_mask, value] = face.values.to_le_bytes();
        let outcome = |reference: u8, stored: u8, nearer: bool| match passes(
            face.compare,
            reference & read_mask,
            stored & read_mask,
        ) {
            false => FAIL,
            true if nearer => PASS,
            true => DEPTH_FAIL,
        };
        let expected = fragments.iter().fold(stored, |stored, nearer| {
            let number = face.ops[outcome(compared, stored, *nearer)];
            stored & !write_mask | hardware(number, stored, compared, value) & write_mask
        });
        let done = draws.iter().flat_map(|draw| fragments.iter().map(move |nearer| (draw, *nearer)));
        let done = done.fold(stored, |stored, (draw, nearer)| {
            let StencilFace { pass, fail, depth_fail, .. } = draw.face;
            let op = [pass, fail, depth_fail][outcome(draw.reference, stored, nearer)];
            stored & !draw.write_mask | host(op, stored, draw.reference) & draw.write_mask
        });
        [expected, done]
    }

    /// A fixed row of numbers that look like none.
    fn numbers() -> impl FnMut() -> u32 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        }
    }

    #[test]
    fn every_operation_with_every_value_does_what_the_hardware_does() {
        for (number, value) in (0..16).flat_map(|number| (0..=255u32).map(move |value| (number, value))) {
            let face = face(FRAG_ALWAYS, [number, STENCIL_ZERO, number], value << 24 | 0xFF_FF5A);
            let mut once = Once::default();
            let draws = face.draws(&DEPTHS, &mut once);
            for stored in 0..=255 {
                for fragments in [&[true][..], &[true, false]] {
                    let [expected, done] = both(&face, &draws, stored, fragments);
                    assert_eq!(done, expected, "operation {number}, {value} on {stored}: {draws:?}");
                }
            }
        }
    }

    #[test]
    fn draws_do_together_what_the_hardware_does_or_it_is_said() {
        let mut next = numbers();
        let (mut several, mut refused) = (0, 0);
        for _ in 0..6000 {
            let masks = [0xFF, 0xF0, 0x0F, 0, 0x3C, next() & 0xFF];
            let [read, write] = [0; 2].map(|_| masks[next() as usize % masks.len()]);
            let values = ((next() % 9) << 24) | (write << 16) | (read << 8) | (next() % 4);
            let values = if next().is_multiple_of(4) { values ^ 0xFF00_00FF } else { values };
            let face = face(next() % 8, [next() % 16, next() % 16, next() % 16], values);
            let outcomes = face.outcomes(&DEPTHS);
            let draws = if face.alone(outcomes).1.is_none() {
                smallvec![face.alone(outcomes).0]
            } else if let Ok(draws) = face.bit_by_bit(outcomes).or_else(|_| face.counted(outcomes)) {
                several += 1;
                draws
            } else {
                refused += 1;
                continue;
            };
            let [_, read_mask, ..] = face.values.to_le_bytes();
            let spoils = face.always().is_none() && draws.iter().any(|draw| draw.write_mask & read_mask != 0);
            for _ in 0..12 {
                let stored = next() as u8;
                let fragments = [(); 3].map(|()| next().is_multiple_of(2));
                let over = if draws.len() > 1 && spoils { 1 } else { 3 };
                let [expected, done] = both(&face, &draws, stored, &fragments[..over]);
                assert_eq!(done, expected, "{face:?} on {stored:#x}, {fragments:?}: {draws:?}");
            }
        }
        assert!(several > 300, "{several} in several draws, {refused} refused");
    }
}
