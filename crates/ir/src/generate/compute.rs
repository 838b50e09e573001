//! The compute stage: memory, waves, and what lanes tell each other, without races.

use super::Generator;
use crate::*;

/// The memory that a generated compute shader works on. Its address is in the first two components of register 0 of bank
/// [`BANK`](GeneratedMemory::BANK).
///
/// Lane `n` has [`BYTES`](GeneratedMemory::BYTES) bytes for itself from `n * BYTES` on: 16 floats and 16 integers that must be
/// there, then 16 floats and 16 integers that it writes. Floats must not be denormal.
pub struct GeneratedMemory;

impl GeneratedMemory {
    /// Lanes of the only work group.
    pub const LANES: u32 = 64;
    /// Bytes of a lane.
    pub const BYTES: u32 = 256;
    /// The bank that has the address.
    pub const BANK: u8 = 2;
}

/// Where in a lane's memory the integers begin, and what is written.
const INTS: u32 = 64;
const FLOATS_OUT: u32 = 128;
const INTS_OUT: u32 = 192;

/// What the compute stage has besides.
#[derive(Clone, Copy)]
pub(super) struct Compute {
    index: Input,
    memory: Bank,
    /// Number of the lane.
    lane: Value,
    /// Address of the lane's own memory.
    own: Value,
}

impl Compute {
    pub(super) fn declare(b: &mut Builder) -> Compute {
        b.work_group([GeneratedMemory::LANES, 1, 1], GeneratedMemory::LANES * 32);
        let index = b.input(InputDecl {
            name: "lane".into(),
            ty: Type::I32,
            at: InputAt::LocalIndex,
            interp: Interp::Smooth,
            semantic: None,
        });
        let memory = b.bank(BankDecl {
            name: "memory".into(),
            source: BankSource::Stage,
            id: GeneratedMemory::BANK,
            size: 1,
            defs: vec![],
        });
        Compute { index, memory, lane: Value(0), own: Value(0) }
    }
}

/// `address + offset` in 64 bits.
fn advance(b: &mut Builder, address: Value, offset: Value) -> Value {
    let (low, high) = (b.extract(address, 0), b.extract(address, 1));
    let carry = b.uadd_carry(low, offset);
    let low = b.iadd(low, offset);
    let carry = b.cast(carry, Kind::Int);
    let high = b.iadd(high, carry);
    b.construct(&[low, high])
}

impl Generator<'_> {
    /// Values that no pass can know.
    pub(super) fn start_compute(&mut self) {
        let Some(mut compute) = self.compute else { return };
        compute.lane = self.b.load_input(compute.index);
        let register = self.b.load_const(compute.memory, 0);
        let address = self.b.swizzle(register, Swizzle::new(&[0, 1]));
        let address = self.b.cast(address, Kind::Int);
        let bytes = self.b.i32(GeneratedMemory::BYTES as i32);
        let offset = self.b.imul(compute.lane, bytes);
        compute.own = advance(&mut self.b, address, offset);
        self.compute = Some(compute);
        self.keep(compute.lane);
        // What other lanes read of the group's memory is never open.
        let zero = self.b.f32x4([0.0; 4]);
        for half in 0..2 {
            let slot = self.slot(compute.lane, half);
            self.b.store_shared(slot, zero);
        }
        self.b.barrier();
        for (n, &var) in self.float_vars.clone().iter().enumerate() {
            let value = self.load(n as u32 * 16, Kind::Float);
            self.b.store(var, value);
            self.keep(value);
        }
        let ints = self.load(INTS, Kind::Int);
        self.keep(ints);
    }

    /// Four components at a place in the lane's memory.
    fn load(&mut self, offset: u32, kind: Kind) -> Value {
        let at = self.b.i32(offset as i32);
        self.load_at(at, kind)
    }

    fn load_at(&mut self, offset: Value, kind: Kind) -> Value {
        let Some(Compute { own, .. }) = self.compute else { return offset };
        let address = advance(&mut self.b, own, offset);
        let value = self.b.load_global(address, 4);
        self.b.cast(value, kind)
    }

    /// One of four places of 16 bytes from `first` on, which no pass can know.
    fn place(&mut self, first: u32) -> Value {
        let any = self.pick(Kind::Int);
        let any = self.b.extract(any, 0);
        let (mask, first) = (self.b.i32(0x30), self.b.i32(first as i32));
        let offset = self.b.iand(any, mask);
        self.b.iadd(offset, first)
    }

    /// A lane's place in the group's memory: one for floats, one for integers.
    fn slot(&mut self, lane: Value, half: u32) -> Value {
        let (bytes, first) = (self.b.i32(16), self.b.i32((half * GeneratedMemory::LANES * 16) as i32));
        let offset = self.b.imul(lane, bytes);
        self.b.iadd(offset, first)
    }

    /// A value out of memory, or of other lanes.
    pub(super) fn memory_value(&mut self) -> Value {
        let Some(Compute { lane, own, .. }) = self.compute else { return self.floats[0] };
        let kind = self.choose(&[Kind::Float, Kind::Int]);
        match self.below(10) {
            0 | 1 => {
                let at = self.place(if kind == Kind::Float { 0 } else { INTS });
                self.load_at(at, kind)
            }
            2 => {
                let at = self.place(if kind == Kind::Float { FLOATS_OUT } else { INTS_OUT });
                self.load_at(at, kind)
            }
            3 => {
                let slot = self.slot(lane, u32::from(kind == Kind::Int));
                let lanes = 1 + self.below(4) as u8;
                let value = self.b.load_shared(slot, lanes);
                self.b.cast(value, kind)
            }
            4 => {
                let op = self.atomic_op();
                let operands = [self.pick(Kind::Int), self.pick(Kind::Int)].map(|value| self.b.extract(value, 0));
                if self.below(2) == 0 {
                    let slot = self.slot(lane, 1);
                    self.b.atomic_shared(op, slot, &operands)
                } else {
                    let at = self.place(INTS_OUT);
                    let address = advance(&mut self.b, own, at);
                    self.b.atomic_global(op, address, &operands)
                }
            }
            // The rest is for where all lanes run.
            _ if !self.whole_quad => lane,
            5 => self.exchange(kind),
            6 => {
                let cond = self.pick(Kind::Bool);
                let cond = self.b.extract(cond, 0);
                if self.below(2) == 0 { self.b.ballot(cond) } else { self.b.wave_any(cond) }
            }
            7 => {
                let value = self.pick(kind);
                let places = [self.byte(), self.byte(), self.byte(), self.byte()];
                self.b.quad_swizzle(value, places)
            }
            8 => {
                let value = self.pick(kind);
                let from = self.pick(Kind::Int);
                self.b.wave_shuffle(value, from)
            }
            _ => {
                let value = self.pick(kind);
                if self.below(2) == 0 {
                    return self.b.read_first(value);
                }
                let from = self.byte();
                let from = self.b.i32(from.into());
                self.b.read_lane(value, from)
            }
        }
    }

    /// An operation whose result does not depend on how a device reads denormals.
    fn atomic_op(&mut self) -> AtomicOp {
        let op = self.choose(AtomicOp::ALL);
        if matches!(op, AtomicOp::FMin | AtomicOp::FMax | AtomicOp::FCmpSwap) { AtomicOp::Inc } else { op }
    }

    /// Lanes write to the group's memory, wait for each other, and read what another one wrote.
    fn exchange(&mut self, kind: Kind) -> Value {
        let Some(Compute { lane, .. }) = self.compute else { return self.floats[0] };
        let value = self.pick(kind);
        let value = self.b.resize(value, 4);
        let half = u32::from(kind == Kind::Int);
        let slot = self.slot(lane, half);
        self.b.store_shared(slot, value);
        self.b.barrier();
        let by = self.byte() % GeneratedMemory::LANES as u8;
        let by = self.b.i32(by.into());
        let other = self.b.ixor(lane, by);
        let slot = self.slot(other, half);
        let value = self.b.load_shared(slot, 4);
        self.b.barrier();
        self.b.cast(value, kind)
    }

    /// Writes to the lane's own memory.
    pub(super) fn memory_effect(&mut self) {
        let Some(Compute { lane, own, .. }) = self.compute else { return };
        let kind = self.choose(&[Kind::Float, Kind::Int]);
        let value = self.pick(kind);
        match self.below(3) {
            0 => {
                let slot = self.slot(lane, u32::from(kind == Kind::Int));
                self.b.store_shared(slot, value);
            }
            _ => {
                let at = self.place(if kind == Kind::Float { FLOATS_OUT } else { INTS_OUT });
                let address = advance(&mut self.b, own, at);
                self.b.store_global(address, value);
            }
        }
    }

    /// Writes what the variables hold at the end.
    pub(super) fn store_results(&mut self) {
        let Some(Compute { own, .. }) = self.compute else { return };
        for (n, &var) in self.float_vars.clone().iter().enumerate().take(2) {
            let value = self.b.load(var);
            let at = self.b.i32((FLOATS_OUT + n as u32 * 16) as i32);
            let address = advance(&mut self.b, own, at);
            self.b.store_global(address, value);
        }
        let int = self.b.load(self.int_var);
        let at = self.b.i32(INTS_OUT as i32);
        let address = advance(&mut self.b, own, at);
        self.b.store_global(address, int);
    }
}
