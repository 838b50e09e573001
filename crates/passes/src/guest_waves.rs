//! The guest's waves through the work group's memory.
//!
//! Precondition: a verified module, best at the end. Promise: where waves are the guest's ([`Module::guest_waves`]) and the host's are
//! smaller, nothing asks for the host's waves any more: what lanes tell each other goes through words behind the program's part of the
//! group's memory, and barriers. What the shader computes with waves of 64 is the same. Other modules stay as they are.
//!
//! All lanes of the group run such instructions together, so they may wait there; where the group is more than one wave, `lockstep`
//! sees to that. Each exchange waits until what is exchanged has been written. What was exchanged before may still be read meanwhile, so
//! there are two areas, which exchanges take in turn: who writes to one again has waited in the exchange between, and behind that nobody
//! reads it any more. A variable says whose turn it is, since loops may go round with an odd number of exchanges; in straight code it is
//! known. Where there is memory for one area only, each exchange waits twice.

use afterimage_ir::{
    Args, AtomicOp, Imm, Input, InputAt, InputDecl, Interp, Kind, MAX_SHARED, MAX_WAVE, Mask, Module, Op, Swizzle,
    Type, Value, Var, VarDecl,
};
use smallvec::smallvec;

use crate::rewrite::{Action, Cursor, rewrite};
use crate::{cse, dce, lockstep, simplify, ssa};

const BOOLS: Type = Type::new(Kind::Bool, 2);
/// Bytes of the group's memory that each wave takes of an area: a word for each lane.
const AREA: u32 = 4 * MAX_WAVE;
/// Bytes of a group's memory that devices have. Some have more, and with one area there may be room for what a program uses.
const USUAL_SHARED: u32 = 1 << 15;

/// Runs the pass, for a host whose waves have `host` lanes: if those of the guest fit into one, nothing is changed. False where there
/// is no memory left for what it needs.
pub fn run(m: &mut Module, host: u32) -> bool {
    let group = m.group.iter().product::<u32>();
    let any = |m: &Module| m.regions.iter().flat_map(|region| &region.insts).any(|&inst| asks(m.inst(inst).op));
    if !m.guest_waves || group.min(MAX_WAVE) <= host || !any(m) {
        return true;
    }
    let waves = group.div_ceil(MAX_WAVE);
    let Some(room) = Room::make(m, waves) else { return false };
    if waves > 1 {
        lockstep::run(m, &|cursor, value| Code { cursor, room }.any_wave(value));
    }
    rewrite(m, |cursor, inst| {
        let data = cursor.m.inst(inst);
        let (op, imm, args) = (data.op, data.imm, data.args.clone());
        if op == Op::WaveBarrier {
            cursor.m.insts[inst.index()].op = Op::Barrier;
            return Action::Keep;
        }
        let mut code = Code { cursor, room };
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
    ssa::run(m);
    // Each exchange has computed its lane's place anew.
    simplify::run(m);
    cse::run(m);
    dce::run(m);
    true
}

/// Has all lanes of a group that is one wave of the guest come by wherever they wait for each other. False, and nothing changed, where there
/// is no memory left for what that needs.
pub(crate) fn bring_together(m: &mut Module) -> bool {
    let Some(room) = Room::make(m, 1) else { return false };
    lockstep::run(m, &|cursor, value| Code { cursor, room }.any(value));
    ssa::run(m);
    simplify::run(m);
    dce::run(m);
    true
}

/// Whether an instruction asks for the host's waves.
fn asks(op: Op) -> bool {
    exchanges(op) || matches!(op, Op::LaneIndex | Op::WaveSize)
}

/// Whether lanes of a wave wait for each other there.
pub(crate) fn exchanges(op: Op) -> bool {
    matches!(
        op,
        Op::Ballot | Op::WaveAny | Op::WaveBarrier | Op::ReadFirst | Op::ReadLane | Op::WaveShuffle | Op::QuadSwizzle
    )
}

/// Where lanes tell each other something.
#[derive(Clone, Copy)]
struct Room {
    /// Where it begins in the group's memory.
    first: u32,
    /// Bytes of an area, of all waves.
    area: u32,
    /// Where there are two areas: how far behind the first that lies whose turn it is.
    turn: Option<Var>,
    /// The lane's number.
    index: Input,
    /// Lanes of the group.
    group: u32,
}

impl Room {
    /// Makes room in the group's memory, if there is any left.
    fn make(m: &mut Module, waves: u32) -> Option<Room> {
        let (first, area) = (m.shared, waves * AREA);
        let turn = (first + 2 * area <= USUAL_SHARED).then(|| {
            m.vars.push(VarDecl { name: "turn".to_owned(), ty: Type::I32, array: None });
            Var::new(m.vars.len() - 1)
        });
        let end = first + area * if turn.is_some() { 2 } else { 1 };
        if end > MAX_SHARED {
            return None;
        }
        m.shared = end;
        let at = InputAt::LocalIndex;
        let index = m.inputs.iter().position(|input| input.at == at).unwrap_or_else(|| {
            let name = at.builtin().map_or("", |(name, ..)| name).to_owned();
            m.inputs.push(InputDecl { name, ty: Type::I32, at, interp: Interp::Flat, semantic: None });
            m.inputs.len() - 1
        });
        Some(Room { first, area, turn, index: Input::new(index), group: m.group.iter().product() })
    }
}

/// What an instruction becomes.
struct Code<'a, 'c> {
    cursor: &'a mut Cursor<'c>,
    room: Room,
}

impl Code<'_, '_> {
    fn push(&mut self, op: Op, args: Args) -> Value {
        self.cursor.push(op, Imm::None, args, Type::I32)
    }

    fn int(&mut self, bits: u32) -> Value {
        self.cursor.splat(Type::I32, bits)
    }

    /// The lane's number in the group.
    fn index(&mut self) -> Value {
        self.cursor.push(Op::LoadInput, Imm::Input(self.room.index), Args::new(), Type::I32)
    }

    /// The lane's number in its wave.
    fn lane(&mut self) -> Value {
        let index = self.index();
        if self.room.group <= MAX_WAVE {
            return index;
        }
        let last = self.int(MAX_WAVE - 1);
        self.push(Op::IAnd, smallvec![index, last])
    }

    /// Byte offset of the area whose turn it is.
    fn area(&mut self) -> Value {
        let first = self.int(self.room.first);
        let Some(turn) = self.room.turn else { return first };
        let turn = self.cursor.push(Op::Load, Imm::Var(turn), Args::new(), Type::I32);
        self.push(Op::IAdd, smallvec![first, turn])
    }

    /// Byte offset of the wave's part of the area.
    fn part(&mut self) -> Value {
        let area = self.area();
        if self.room.group <= MAX_WAVE {
            return area;
        }
        let index = self.index();
        let (others, two) = (self.int(!(MAX_WAVE - 1)), self.int(2));
        let first = self.push(Op::IAnd, smallvec![index, others]);
        let bytes = self.push(Op::IShl, smallvec![first, two]);
        self.push(Op::IAdd, smallvec![bytes, area])
    }

    fn barrier(&mut self) {
        self.cursor.act(Op::Barrier, Imm::None, Args::new());
    }

    /// Comes in front of what is written into the area.
    fn begin(&mut self) {
        if self.room.turn.is_none() {
            self.barrier();
        }
    }

    /// Comes behind what is read from the area: the next exchange is the other one's.
    fn end(&mut self) {
        let Some(turn) = self.room.turn else { return };
        let old = self.cursor.push(Op::Load, Imm::Var(turn), Args::new(), Type::I32);
        let both = self.int(self.room.area);
        let new = self.push(Op::ISub, smallvec![both, old]);
        self.cursor.act(Op::Store, Imm::VarMask(turn, Mask::first(1)), smallvec![new]);
    }

    /// Byte offset of a lane's word.
    fn word_of(&mut self, lane: Value) -> Value {
        let (mask, two, area) = (self.int(MAX_WAVE - 1), self.int(2), self.part());
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
        self.begin();
        for (op, bits) in [(AtomicOp::And, kept), (AtomicOp::Or, set)] {
            self.cursor.push(Op::AtomicShared, Imm::Atomic(op), smallvec![word, bits], Type::I32);
        }
        self.barrier();
        let part = self.part();
        let words = self.cursor.push(Op::LoadShared, Imm::None, smallvec![part], Type::I32X2);
        self.end();
        // No lane sets the bits behind the last one's, which is in the last wave.
        let last = self.room.group % MAX_WAVE;
        if last == 0 {
            return words;
        }
        let there = u64::MAX >> (MAX_WAVE - last);
        let bits = Imm::Const([there as u32, (there >> 32) as u32, 0, 0]);
        let there = self.cursor.push(Op::Const, bits, Args::new(), Type::I32X2);
        let some = self.cursor.push(Op::IAnd, Imm::None, smallvec![words, there], Type::I32X2);
        if self.room.group < MAX_WAVE {
            return some;
        }
        let (index, full) = (self.index(), self.int(self.room.group - last));
        let is_full = self.cursor.push(Op::ULt, Imm::None, smallvec![index, full], Type::BOOL);
        let is_full = self.cursor.push(Op::Swizzle, Imm::Swizzle(Swizzle::new(&[0, 0])), smallvec![is_full], BOOLS);
        self.cursor.push(Op::Select, Imm::None, smallvec![is_full, words, some], Type::I32X2)
    }

    fn any(&mut self, value: Value) -> Value {
        let words = self.ballot(value);
        let [low, high] = [0, 1].map(|n| self.component(words, n, Type::I32));
        let either = self.push(Op::IOr, smallvec![low, high]);
        let zero = self.int(0);
        self.cursor.push(Op::INe, Imm::None, smallvec![either, zero], Type::BOOL)
    }

    /// Whether a truth value is true in any wave of the group; it is the same in all lanes of a wave, and here waits everybody.
    fn any_wave(&mut self, value: Value) -> Value {
        let (index, wave, two, area) = (self.index(), self.int(6), self.int(2), self.area());
        let wave = self.push(Op::UShr, smallvec![index, wave]);
        let bytes = self.push(Op::IShl, smallvec![wave, two]);
        let word = self.push(Op::IAdd, smallvec![bytes, area]);
        let (one, zero) = (self.int(1), self.int(0));
        let bit = self.push(Op::Select, smallvec![value, one, zero]);
        self.begin();
        self.cursor.act(Op::StoreShared, Imm::None, smallvec![word, bit]);
        self.barrier();
        let mut all = zero;
        for wave in 0..self.room.group.div_ceil(MAX_WAVE) {
            let behind = self.int(4 * wave);
            let at = self.push(Op::IAdd, smallvec![area, behind]);
            let bit = self.cursor.push(Op::LoadShared, Imm::None, smallvec![at], Type::I32);
            all = self.push(Op::IOr, smallvec![all, bit]);
        }
        self.end();
        self.cursor.push(Op::INe, Imm::None, smallvec![all, zero], Type::BOOL)
    }

    fn component(&mut self, value: Value, n: u8, ty: Type) -> Value {
        self.cursor.push(Op::Swizzle, Imm::Swizzle(Swizzle::new(&[n])), smallvec![value], ty)
    }

    /// The value of another lane, a component at a time.
    fn exchange(&mut self, value: Value, lane: Value) -> Value {
        let ty = self.cursor.m.ty(value);
        let (kind, own) = (ty.kind, self.lane());
        let one = Type::new(if kind == Kind::Bool { Kind::Int } else { kind }, 1);
        let mut read = Args::new();
        for n in 0..ty.lanes {
            let (to, from) = (self.word_of(own), self.word_of(lane));
            let mut part = if ty.lanes == 1 { value } else { self.component(value, n, Type::new(kind, 1)) };
            if kind == Kind::Bool {
                let (yes, no) = (self.int(1), self.int(0));
                part = self.push(Op::Select, smallvec![part, yes, no]);
            }
            self.begin();
            self.cursor.act(Op::StoreShared, Imm::None, smallvec![to, part]);
            self.barrier();
            let mut part = self.cursor.push(Op::LoadShared, Imm::None, smallvec![from], one);
            self.end();
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
        assert_eq!(m.shared, 64 + 2 * AREA);
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

    #[test]
    fn what_a_lane_needs_for_every_exchange_is_computed_once() {
        let exchanges = |count: u32| {
            let lines: String =
                (2..2 + count).map(|n| format!("  v{n}: i32 = wave_shuffle v{}, v1\n", n - 1)).collect();
            let last = 1 + count;
            let text = format!(
                "compute {{
  group 64, 1, 1
  shared 256
  guest_waves
  input in0 \"local_index\" : i32 local_index flat
  v0: i32 = load_input in0
  v1: i32 = inot v0
{lines}  store_shared v{last}, v{last}
  return
}}"
            );
            let mut m = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(run(&mut m, 8));
            verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
            let mut count = 0;
            m.for_each_inst(|_, _| count += 1);
            count
        };
        // A barrier, a store and a load.
        assert_eq!(exchanges(12) - exchanges(11), 3);
    }

    /// Waves go as many rounds as each has lanes with a number above the round's, and all of them meet in each.
    #[test]
    fn waves_of_a_group_go_in_step() {
        let text = "compute {
  group 128, 1, 1
  guest_waves
  input in0 \"local_index\" : i32 local_index flat
  v0: i32 = load_input in0
  v1: i32 = const 0
  v2: i32 = const 1
  v3: i32 = const 64
  v4: i32 = loop (v5: i32 = v1) {
    v6: i32 = iadd v5, v3
    v7: bool = ult v0, v6
    v8: bool = wave_any v7
    if v8 {
      break v5
    } else {
      yield
    }
    barrier
    v9: i32 = iadd v5, v2
    continue v9
  }
  return
}";
        let mut m = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(run(&mut m, 8));
        verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
        let mut left = 0;
        m.for_each_inst(|_, data| left += usize::from(asks(data.op)));
        assert_eq!((left, m.shared), (0, 2 * 2 * AREA), "{m}");
    }
}
