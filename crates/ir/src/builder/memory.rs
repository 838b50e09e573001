//! Device memory by address, and the memory of work groups.

use smallvec::smallvec;

use super::Builder;
use crate::entity::Value;
use crate::module::{Args, AtomicOp, Imm};
use crate::opcode::Op;
use crate::types::{Kind, Type};

impl Builder {
    fn address(&mut self, address: Value) -> Value {
        let address = self.cast(address, Kind::Int);
        self.resize(address, 2)
    }

    fn stored(&mut self, value: Value) -> Value {
        if self.ty(value).kind == Kind::Bool { self.cast(value, Kind::Int) } else { value }
    }

    /// `lanes` (1 to 4) untyped components at a device address (low and high half).
    pub fn load_global(&mut self, address: Value, lanes: u8) -> Value {
        let address = self.address(address);
        self.push1(Op::LoadGlobal, Imm::None, smallvec![address], Type::new(Kind::Bits, lanes.clamp(1, 4)))
    }

    /// Writes all components of `value` at a device address (low and high half).
    pub fn store_global(&mut self, address: Value, value: Value) {
        let address = self.address(address);
        let value = self.stored(value);
        self.push(Op::StoreGlobal, Imm::None, smallvec![address, value], &[]);
    }

    /// Changes what is at a device address and gives what was there: one component, or, if the first operand has more, two as a
    /// 64-bit number. Missing operands are zero.
    pub fn atomic_global(&mut self, op: AtomicOp, address: Value, operands: &[Value]) -> Value {
        let address = self.address(address);
        self.atomic(Op::AtomicGlobal, op, address, operands)
    }

    /// `lanes` (1 to 4) untyped components at a byte offset into the memory of the work group.
    pub fn load_shared(&mut self, offset: Value, lanes: u8) -> Value {
        let offset = self.index(offset);
        self.push1(Op::LoadShared, Imm::None, smallvec![offset], Type::new(Kind::Bits, lanes.clamp(1, 4)))
    }

    /// Writes all components of `value` at a byte offset into the memory of the work group.
    pub fn store_shared(&mut self, offset: Value, value: Value) {
        let offset = self.index(offset);
        let value = self.stored(value);
        self.push(Op::StoreShared, Imm::None, smallvec![offset, value], &[]);
    }

    /// As [`atomic_global`](Builder::atomic_global), in the memory of the work group.
    pub fn atomic_shared(&mut self, op: AtomicOp, offset: Value, operands: &[Value]) -> Value {
        let offset = self.index(offset);
        self.atomic(Op::AtomicShared, op, offset, operands)
    }

    fn atomic(&mut self, opcode: Op, op: AtomicOp, place: Value, operands: &[Value]) -> Value {
        let lanes = operands.first().map_or(1, |&value| self.ty(value).lanes.min(2));
        let mut args: Args = smallvec![place];
        args.extend(self.atomic_operands(op, operands, lanes));
        self.push1(opcode, Imm::Atomic(op), args, Type::new(Kind::Int, lanes))
    }

    /// Waits for the whole work group; what was stored before is seen by all of it afterwards.
    pub fn barrier(&mut self) {
        self.push(Op::Barrier, Imm::None, Args::new(), &[]);
    }

    /// What was stored before is seen by everybody who sees what is stored afterwards.
    pub fn memory_barrier(&mut self) {
        self.push(Op::MemoryBarrier, Imm::None, Args::new(), &[]);
    }
}
