//! The guest's waves through the work group's memory.
//!
//! Precondition: a verified module, best at the end. Promise: where the work group is one wave of the guest
//! ([`Module::guest_waves`]), nothing asks for the host's waves any more, whatever their size: what lanes tell each other goes
//! through words behind the program's part of the group's memory, and barriers. What the shader computes with waves of 64 is
//! the same. Other modules stay as they are.
//!
//! All lanes run such instructions together, so they may wait there. Each exchange waits twice: until what was exchanged before
//! has been read, and until what is exchanged now has been written.

use afterimage_ir::{
    Args, AtomicOp, Imm, Input, InputAt, InputDecl, Interp, Kind, MAX_SHARED, MAX_WAVE, Module, Op, Swizzle, Type,
    Value,
};
use smallvec::smallvec;

use crate::rewrite::{Action, Cursor, rewrite};

/// Bytes of the group's memory that it takes: a word for each lane.
const AREA: u32 = 4 * MAX_WAVE;

/// Runs the pass, for a host whose waves have `host` lanes: if the group fits into one, nothing is changed. False where there is no
/// memory left for what it needs.
pub fn run(m: &mut Module, host: u32) -> bool {
    let group = m.group.iter().product::<u32>();
    let asks = |m: &Module| m.regions.iter().flat_map(|region| &region.insts).any(|&inst| asks(m.inst(inst).op));
    if !m.guest_waves || group <= host || !asks(m) {
        return true;
    }
    if m.shared + AREA > MAX_SHARED {
        return false;
    }
    let area = m.shared;
    m.shared += AREA;
    let at = InputAt::LocalIndex;
    let index = m.inputs.iter().position(|input| input.at == at).unwrap_or_else(|| {
        let name = at.builtin().map_or("", |(name, ..)| name).to_owned();
        m.inputs.push(InputDecl { name, ty: Type::I32, at, interp: Interp::Flat, semantic: None });
        m.inputs.len() - 1
    });
    rewrite(m, |cursor, inst| {
        let data = cursor.m.inst(inst);
        let (op, imm, args) = (data.op, data.imm, data.args.clone());
        let mut code = Code { cursor, area, index: Input::new(index), group };
        Action::Replace(match op {
            Op::Ballot => code.ballot(args[0]),
            Op::WaveAny => code.any(args[0]),
            Op::ReadFirst => {
                let first = code.int(0);
                code.exchange(args[0], first)
            }
            Op::ReadLane | Op::WaveShuffle => code.exchange(args[0], args[1]),
            Op::QuadSwizzle => {
                let lane = code.in_quad(imm);
                code.exchange(args[0], lane)
            }
            Op::LaneIndex => code.lane(),
            Op::WaveSize => code.int(MAX_WAVE),
            _ => return Action::Keep,
        })
    });
    true
}

/// Whether an instruction asks for the host's waves.
fn asks(op: Op) -> bool {
    matches!(
        op,
        Op::Ballot
            | Op::WaveAny
            | Op::ReadFirst
            | Op::ReadLane
            | Op::WaveShuffle
            | Op::QuadSwizzle
            | Op::LaneIndex
            | Op::WaveSize
    )
}

/// What an instruction becomes.
struct Code<'a, 'c> {
    cursor: &'a mut Cursor<'c>,
    /// Where the area begins in the group's memory.
    area: u32,
    /// The lane's number.
    index: Input,
    /// Lanes of the group.
    group: u32,
}

impl Code<'_, '_> {
    fn push(&mut self, op: Op, args: Args) -> Value {
        self.cursor.push(op, Imm::None, args, Type::I32)
    }

    fn int(&mut self, bits: u32) -> Value {
        self.cursor.splat(Type::I32, bits)
    }

    fn lane(&mut self) -> Value {
        self.cursor.push(Op::LoadInput, Imm::Input(self.index), Args::new(), Type::I32)
    }

    fn barrier(&mut self) {
        self.cursor.act(Op::Barrier, Imm::None, Args::new());
    }

    /// Byte offset of a lane's word.
    fn word_of(&mut self, lane: Value) -> Value {
        let (mask, two, area) = (self.int(MAX_WAVE - 1), self.int(2), self.int(self.area));
        let lane = self.push(Op::IAnd, smallvec![lane, mask]);
        let bytes = self.push(Op::IShl, smallvec![lane, two]);
        self.push(Op::IAdd, smallvec![bytes, area])
    }

    /// The lanes in which a truth value is true, as two words. Each lane sets or clears its own bit, so nothing has to be cleared
    /// before.
    fn ballot(&mut self, value: Value) -> Value {
        let lane = self.lane();
        let (one, zero, half) = (self.int(1), self.int(0), self.int(5));
        let bit = self.push(Op::IShl, smallvec![one, lane]);
        let others = self.push(Op::INot, smallvec![bit]);
        let all = self.int(u32::MAX);
        let set = self.push(Op::Select, smallvec![value, bit, zero]);
        let kept = self.push(Op::Select, smallvec![value, all, others]);
        let word = self.push(Op::UShr, smallvec![lane, half]);
        let word = self.word_of(word);
        self.barrier();
        for (op, bits) in [(AtomicOp::And, kept), (AtomicOp::Or, set)] {
            self.cursor.push(Op::AtomicShared, Imm::Atomic(op), smallvec![word, bits], Type::I32);
        }
        self.barrier();
        let area = self.int(self.area);
        let words = self.cursor.push(Op::LoadShared, Imm::None, smallvec![area], Type::I32X2);
        // No lane sets the bits behind the last one's.
        let lanes = u64::MAX >> (MAX_WAVE - self.group);
        let bits = Imm::Const([lanes as u32, (lanes >> 32) as u32, 0, 0]);
        let there = self.cursor.push(Op::Const, bits, Args::new(), Type::I32X2);
        self.cursor.push(Op::IAnd, Imm::None, smallvec![words, there], Type::I32X2)
    }

    fn any(&mut self, value: Value) -> Value {
        let words = self.ballot(value);
        let [low, high] = [0, 1].map(|n| self.component(words, n, Type::I32));
        let either = self.push(Op::IOr, smallvec![low, high]);
        let zero = self.int(0);
        self.cursor.push(Op::INe, Imm::None, smallvec![either, zero], Type::BOOL)
    }

    fn component(&mut self, value: Value, n: u8, ty: Type) -> Value {
        self.cursor.push(Op::Swizzle, Imm::Swizzle(Swizzle::new(&[n])), smallvec![value], ty)
    }

    /// The value of another lane, a component at a time.
    fn exchange(&mut self, value: Value, lane: Value) -> Value {
        let ty = self.cursor.m.ty(value);
        let (kind, own) = (ty.kind, self.lane());
        let (to, from) = (self.word_of(own), self.word_of(lane));
        let one = Type::new(if kind == Kind::Bool { Kind::Int } else { kind }, 1);
        let mut read = Args::new();
        for n in 0..ty.lanes {
            let mut part = if ty.lanes == 1 { value } else { self.component(value, n, Type::new(kind, 1)) };
            if kind == Kind::Bool {
                let (yes, no) = (self.int(1), self.int(0));
                part = self.push(Op::Select, smallvec![part, yes, no]);
            }
            self.barrier();
            self.cursor.act(Op::StoreShared, Imm::None, smallvec![to, part]);
            self.barrier();
            let mut part = self.cursor.push(Op::LoadShared, Imm::None, smallvec![from], one);
            if kind == Kind::Bool {
                let no = self.int(0);
                part = self.cursor.push(Op::INe, Imm::None, smallvec![part, no], Type::BOOL);
            }
            read.push(part);
        }
        if read.len() == 1 { read[0] } else { self.cursor.push(Op::Construct, Imm::None, read, ty) }
    }

    /// The lane of this one's quad that the immediate of a `quad_swizzle` says.
    fn in_quad(&mut self, imm: Imm) -> Value {
        let select = match imm {
            Imm::Swizzle(swizzle) => {
                (0..).zip(swizzle.lanes()).fold(0, |all, (n, &from)| all | u32::from(from) << (2 * n))
            }
            _ => 0,
        };
        let lane = self.lane();
        let (three, one, select) = (self.int(3), self.int(1), self.int(select));
        let first = self.int(!3);
        let place = self.push(Op::IAnd, smallvec![lane, three]);
        let shift = self.push(Op::IShl, smallvec![place, one]);
        let place = self.push(Op::UShr, smallvec![select, shift]);
        let place = self.push(Op::IAnd, smallvec![place, three]);
        let first = self.push(Op::IAnd, smallvec![lane, first]);
        self.push(Op::IOr, smallvec![first, place])
    }
}

#[cfg(test)]
mod tests {
    use afterimage_ir::{parse, verify};

    use super::*;

    fn module(shared: u32) -> Module {
        let text = format!(
            "compute {{
  group 48, 1, 1
  shared {shared}
  guest_waves
  input in0 \"local_id\" : i32x3 local_id flat
  v0: i32x3 = load_input in0
  v1: i32 = lane_index
  v2: i32x3 = wave_shuffle v0, v1
  v3: i32 = swizzle v2.x
  v4: i32 = swizzle v2.y
  v5: bool = ine v3, v4
  v6: bool = read_first v5
  v7: bool = wave_any v6
  v8: i32x2 = ballot v7
  v9: i32 = quad_swizzle v3.wzyx
  return
}}"
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn nothing_of_the_hosts_waves_is_left() {
        let mut m = module(64);
        assert!(run(&mut m, 8));
        verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
        assert_eq!(m.shared, 64 + AREA);
        assert!(!m.regions[m.body.index()].insts.iter().any(|&inst| asks(m.inst(inst).op)), "{m}");
    }

    #[test]
    fn a_wave_that_the_host_has_stays() {
        let mut m = module(64);
        assert!(run(&mut m, 64));
        assert_eq!(m.to_string(), module(64).to_string());
    }

    #[test]
    fn full_memory_has_no_place() {
        let mut m = module(MAX_SHARED);
        assert!(!run(&mut m, 8));
        assert_eq!(m.to_string(), module(MAX_SHARED).to_string());
    }
}
