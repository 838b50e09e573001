//! Device memory by address, the memory of work groups, atomic operations, barriers.

use afterimage_ir::{AtomicOp, Imm, InstData, Kind, Op, Stage, Type, Value};
use smallvec::SmallVec;

use crate::EmitError;
use crate::declared::Shared;
use crate::emit::Emitter;
use crate::spec::{ALIGNED, VOLATILE, capability, glsl, op, scope, semantics, storage};
use crate::words::Id;

/// What an atomic operation changes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Pointer to it.
    pub(crate) at: Id,
    /// The type of operands and results, an unsigned integer.
    pub(crate) ty: Id,
    /// The type of what is there.
    pub(crate) held: Held,
    /// Who may change it too.
    pub(crate) scope: u32,
    /// Whether it has 64 bits.
    pub(crate) wide: bool,
}

/// How an atomic operation's number lies in memory.
#[derive(Clone, Copy)]
pub(crate) enum Held {
    /// As it is.
    Same,
    /// As an integer with a sign.
    Signed(Id),
    /// As one half of 64 bits: their type, and the bit that it begins with, of that type.
    Half(Id, Id),
}

impl Emitter<'_> {
    /// Pointer to a value of type `ty` at a device address, which is made a multiple of `align`.
    fn global(&mut self, address: Value, ty: Id, align: u32) -> Id {
        let pair = self.w.ty(Type::I32X2);
        let mask = self.w.constant(Type::I32X2, [!(align - 1), !0, 0, 0]);
        let address = self.id(address);
        let address = self.w.value(op::BitwiseAnd, pair, &[address, mask]);
        let pointer = self.w.pointer(storage::PhysicalStorageBuffer, ty);
        self.w.value(op::Bitcast, pointer, &[address])
    }

    /// As [`Self::global`], as the member of a block: SPIRV-Cross takes the address of what an atomic operation changes, and could
    /// not take that of a pointer (its issue 2641, found in June 2026).
    fn global_member(&mut self, address: Value, ty: Id, align: u32) -> Id {
        let block = self.w.block_of(ty);
        let block = self.global(address, block, align);
        let (pointer, first) = (self.w.pointer(storage::PhysicalStorageBuffer, ty), self.w.uint(0));
        self.w.value(op::AccessChain, pointer, &[block, first])
    }

    /// The memory operands of plain loads and stores.
    fn access(&self) -> [u32; 2] {
        [ALIGNED | if self.uses.ordered { VOLATILE } else { 0 }, 4]
    }

    /// Number of the word at a byte offset into the work group's memory.
    fn word(&mut self, offset: Value) -> Id {
        let (uint, two) = (self.w.ty(Type::I32), self.w.uint(2));
        let offset = self.id(offset);
        self.w.value(op::ShiftRightLogical, uint, &[offset, two])
    }

    /// Word `first + next` of the work group's memory; what is beyond its end is the word behind it.
    fn shared(&mut self, first: Id, next: u32, memory: Shared) -> Place {
        let uint = self.w.ty(Type::I32);
        let mut word = first;
        if next > 0 {
            let next = self.w.uint(next);
            word = self.w.value(op::IAdd, uint, &[word, next]);
        }
        let word = self.w.umin(word, memory.words);
        let place = |at, held| Place { at, ty: uint, held, scope: scope::Workgroup, wide: false };
        let Some(long) = memory.long else {
            let pointer = self.w.pointer(storage::Workgroup, uint);
            return place(self.w.value(op::AccessChain, pointer, &[memory.variable, word]), Held::Same);
        };
        let (one, five) = (self.w.uint(1), self.w.uint(5));
        let half = self.w.value(op::BitwiseAnd, uint, &[word, one]);
        let first_bit = self.w.value(op::ShiftLeftLogical, uint, &[half, five]);
        let first_bit = self.w.value(op::UConvert, long, &[first_bit]);
        place(self.shared_long(word, memory.variable, long), Held::Half(long, first_bit))
    }

    /// Pointer to the two words of the work group's memory that one is in, where it is made of such.
    fn shared_long(&mut self, word: Id, variable: Id, long: Id) -> Id {
        let (uint, one) = (self.w.ty(Type::I32), self.w.uint(1));
        let pair = self.w.value(op::ShiftRightLogical, uint, &[word, one]);
        let pointer = self.w.pointer(storage::Workgroup, long);
        self.w.value(op::AccessChain, pointer, &[variable, pair])
    }

    /// A number out of what lies in memory.
    fn out_of(&mut self, place: Place, held: Id) -> Id {
        match place.held {
            Held::Same => held,
            Held::Signed(_) => self.w.value(op::Bitcast, place.ty, &[held]),
            Held::Half(long, first) => {
                let moved = self.w.value(op::ShiftRightLogical, long, &[held, first]);
                self.w.value(op::UConvert, place.ty, &[moved])
            }
        }
    }

    /// What lies in memory when a number is there; `before` is what lay there.
    fn into(&mut self, place: Place, value: Id, before: Id) -> Id {
        match place.held {
            Held::Same => value,
            Held::Signed(ty) => self.w.value(op::Bitcast, ty, &[value]),
            Held::Half(long, first) => {
                let ones = self.w.uint(u32::MAX);
                let [ones, value] = [ones, value].map(|word| {
                    let word = self.w.value(op::UConvert, long, &[word]);
                    self.w.value(op::ShiftLeftLogical, long, &[word, first])
                });
                let others = self.w.value(op::Not, long, &[ones]);
                let kept = self.w.value(op::BitwiseAnd, long, &[before, others]);
                self.w.value(op::BitwiseOr, long, &[kept, value])
            }
        }
    }

    /// Loads, and atomic operations.
    pub(crate) fn memory(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let ty = self.w.ty(full);
        let uint = self.w.ty(Type::I32);
        match (data.op, data.imm) {
            (Op::LoadGlobal, _) => {
                let at = self.global(data.args[0], ty, 4);
                let [mask, align] = self.access();
                Ok(self.w.value(op::Load, ty, &[at, mask, align]))
            }
            (Op::LoadShared, _) => {
                let memory = self.interface.shared.ok_or(malformed)?;
                let first = self.word(data.args[0]);
                let mut parts: SmallVec<[Id; 4]> = SmallVec::new();
                for lane in 0..full.lanes {
                    let place = self.shared(first, lane.into(), memory);
                    let ty = match place.held {
                        Held::Half(long, _) => long,
                        _ => uint,
                    };
                    let held = self.w.value(op::Load, ty, &[place.at]);
                    parts.push(self.out_of(place, held));
                }
                let bits = Type::new(Kind::Int, full.lanes);
                let bits_ty = self.w.ty(bits);
                let value = match parts[..] {
                    [one] => one,
                    _ => self.w.value(op::CompositeConstruct, bits_ty, &parts),
                };
                Ok(if full.kind == Kind::Float { self.w.value(op::Bitcast, ty, &[value]) } else { value })
            }
            (Op::AtomicGlobal, Imm::Atomic(atomic)) => {
                let args = self.operands(data);
                if full.lanes == 1 {
                    let at = self.global_member(data.args[0], uint, 4);
                    let place = Place { at, ty: uint, held: Held::Same, scope: scope::Device, wide: false };
                    return Ok(self.atomic(atomic, place, &args[1..]));
                }
                if !self.features.int64_atomics {
                    let what = data.op.name();
                    return Err(EmitError::Missing { what, feature: "shaderBufferInt64Atomics" });
                }
                let long = self.w.long();
                let at = self.global_member(data.args[0], long, 8);
                self.atomic_long(atomic, at, long, scope::Device, &args[1..], ty)
            }
            (Op::AtomicShared, Imm::Atomic(atomic)) => {
                let memory = self.interface.shared.ok_or(malformed)?;
                let args = self.operands(data);
                let first = self.word(data.args[0]);
                if full.lanes == 1 {
                    let place = self.shared(first, 0, memory);
                    return Ok(self.atomic(atomic, place, &args[1..]));
                }
                let long = memory.long.ok_or(malformed)?;
                let word = self.w.umin(first, memory.words);
                let at = self.shared_long(word, memory.variable, long);
                self.atomic_long(atomic, at, long, scope::Workgroup, &args[1..], ty)
            }
            _ => Err(malformed),
        }
    }

    /// An atomic operation on 64 bits, whose operands and result are of type `ty`, two words.
    pub(crate) fn atomic_long(
        &mut self,
        atomic: AtomicOp,
        at: Id,
        long: Id,
        scope: u32,
        args: &[Id],
        ty: Id,
    ) -> Result<Id, EmitError> {
        let is_double = matches!(atomic, AtomicOp::FCmpSwap | AtomicOp::FMin | AtomicOp::FMax);
        if is_double && !self.features.float64 {
            return Err(EmitError::Missing { what: atomic.name(), feature: "shaderFloat64" });
        }
        self.w.capability(capability::Int64Atomics);
        let values: SmallVec<[Id; 2]> = args.iter().map(|&arg| self.w.value(op::Bitcast, long, &[arg])).collect();
        let place = Place { at, ty: long, held: Held::Same, scope, wide: true };
        let old = self.atomic(atomic, place, &values);
        Ok(self.w.value(op::Bitcast, ty, &[old]))
    }

    pub(crate) fn store_memory(&mut self, data: &InstData) -> Result<(), EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let &[address, value] = &data.args[..] else { return Err(malformed) };
        let full = self.m.ty(value);
        let ty = self.w.ty(full);
        if data.op == Op::StoreGlobal {
            let at = self.global(address, ty, 4);
            let [mask, align] = self.access();
            let value = self.id(value);
            self.w.code.op(op::Store, &[at, value, mask, align]);
            return Ok(());
        }
        let memory = self.interface.shared.ok_or(malformed)?;
        let uint = self.w.ty(Type::I32);
        let first = self.word(address);
        for lane in 0..full.lanes {
            let mut part = self.lane(value, lane);
            if full.kind == Kind::Float {
                part = self.w.value(op::Bitcast, uint, &[part]);
            }
            let place = self.shared(first, lane.into(), memory);
            match place.held {
                // The other half may be another lane's business at the same time.
                Held::Half(..) => drop(self.atomic(AtomicOp::Swap, place, &[part])),
                _ => self.w.code.op(op::Store, &[place.at, part]),
            }
        }
        Ok(())
    }

    /// An atomic operation on unsigned integers; gives what was there before.
    pub(crate) fn atomic(&mut self, atomic: AtomicOp, place: Place, values: &[Id]) -> Id {
        let signed = match place.held {
            Held::Half(..) => return self.atomic_by_swapping(atomic, place, values),
            Held::Signed(ty) => Some(ty),
            Held::Same => None,
        };
        let (scope, relaxed) = (self.w.uint(place.scope), self.w.uint(0));
        let ty = signed.unwrap_or(place.ty);
        let own: SmallVec<[Id; 2]> = values.iter().map(|&value| self.into(place, value, value)).collect();
        let opcode = match atomic {
            AtomicOp::Add => op::AtomicIAdd,
            AtomicOp::Sub => op::AtomicISub,
            AtomicOp::IMin => op::AtomicSMin,
            AtomicOp::IMax => op::AtomicSMax,
            AtomicOp::UMin => op::AtomicUMin,
            AtomicOp::UMax => op::AtomicUMax,
            AtomicOp::And => op::AtomicAnd,
            AtomicOp::Or => op::AtomicOr,
            AtomicOp::Xor => op::AtomicXor,
            AtomicOp::Swap => op::AtomicExchange,
            AtomicOp::CmpSwap => {
                let operands = [place.at, scope, relaxed, relaxed, own[0], own[1]];
                let old = self.w.value(op::AtomicCompareExchange, ty, &operands);
                return self.out_of(place, old);
            }
            AtomicOp::RSub
            | AtomicOp::Inc
            | AtomicOp::Dec
            | AtomicOp::FCmpSwap
            | AtomicOp::FMin
            | AtomicOp::FMax
            | AtomicOp::MaskOr => return self.atomic_by_swapping(atomic, place, values),
        };
        let old = self.w.value(opcode, ty, &[place.at, scope, relaxed, own[0]]);
        self.out_of(place, old)
    }

    /// An atomic operation that SPIR-V does not have, or not on half of a number: computes what belongs there until nobody has changed it meanwhile.
    fn atomic_by_swapping(&mut self, atomic: AtomicOp, place: Place, values: &[Id]) -> Id {
        let (scope, relaxed) = (self.w.uint(place.scope), self.w.uint(0));
        let [header, body, again, merge] = std::array::from_fn(|_| self.w.id());
        self.w.branch(header);
        self.w.label(header);
        self.w.code.op(op::LoopMerge, &[merge, again, 0]);
        self.w.branch(body);
        self.w.label(body);
        let ty = match place.held {
            Held::Same => place.ty,
            Held::Signed(ty) | Held::Half(ty, _) => ty,
        };
        let held = self.w.value(op::AtomicLoad, ty, &[place.at, scope, relaxed]);
        let old = self.out_of(place, held);
        let new = self.changed(atomic, old, values, place);
        let new = self.into(place, new, held);
        let operands = [place.at, scope, relaxed, relaxed, new, held];
        let before = self.w.value(op::AtomicCompareExchange, ty, &operands);
        let bool_ = self.w.ty(Type::BOOL);
        let same = self.w.value(op::IEqual, bool_, &[before, held]);
        self.w.code.op(op::BranchConditional, &[same, merge, again]);
        self.w.label(again);
        self.w.branch(header);
        self.begin(merge);
        old
    }

    /// What an atomic operation makes of `old`.
    fn changed(&mut self, atomic: AtomicOp, old: Id, values: &[Id], place: Place) -> Id {
        let (ty, bool_) = (place.ty, self.w.ty(Type::BOOL));
        let value = values[0];
        let constant = |e: &mut Self, bits: u32| {
            let word = e.w.uint(bits);
            if place.wide { e.w.value(op::UConvert, ty, &[word]) } else { word }
        };
        match atomic {
            AtomicOp::Add => self.w.value(op::IAdd, ty, &[old, value]),
            AtomicOp::Sub => self.w.value(op::ISub, ty, &[old, value]),
            AtomicOp::IMin => self.w.ext(glsl::SMin, ty, &[old, value]),
            AtomicOp::IMax => self.w.ext(glsl::SMax, ty, &[old, value]),
            AtomicOp::UMin => self.w.ext(glsl::UMin, ty, &[old, value]),
            AtomicOp::UMax => self.w.ext(glsl::UMax, ty, &[old, value]),
            AtomicOp::And => self.w.value(op::BitwiseAnd, ty, &[old, value]),
            AtomicOp::Or => self.w.value(op::BitwiseOr, ty, &[old, value]),
            AtomicOp::Xor => self.w.value(op::BitwiseXor, ty, &[old, value]),
            AtomicOp::Swap => value,
            AtomicOp::CmpSwap => {
                let holds = self.w.value(op::IEqual, bool_, &[old, values[1]]);
                self.w.value(op::Select, ty, &[holds, value, old])
            }
            AtomicOp::RSub => self.w.value(op::ISub, ty, &[value, old]),
            AtomicOp::Inc => {
                let (zero, one) = (constant(self, 0), constant(self, 1));
                let wraps = self.w.value(op::UGreaterThanEqual, bool_, &[old, value]);
                let next = self.w.value(op::IAdd, ty, &[old, one]);
                self.w.value(op::Select, ty, &[wraps, zero, next])
            }
            AtomicOp::Dec => {
                let (zero, one) = (constant(self, 0), constant(self, 1));
                let at_zero = self.w.value(op::IEqual, bool_, &[old, zero]);
                let above = self.w.value(op::UGreaterThan, bool_, &[old, value]);
                let wraps = self.w.value(op::LogicalOr, bool_, &[at_zero, above]);
                let next = self.w.value(op::ISub, ty, &[old, one]);
                self.w.value(op::Select, ty, &[wraps, value, next])
            }
            AtomicOp::MaskOr => {
                let kept = self.w.value(op::Not, ty, &[values[1]]);
                let kept = self.w.value(op::BitwiseAnd, ty, &[old, kept]);
                self.w.value(op::BitwiseOr, ty, &[kept, value])
            }
            AtomicOp::FCmpSwap | AtomicOp::FMin | AtomicOp::FMax => {
                let float = if place.wide { self.w.double() } else { self.w.ty(Type::F32) };
                let as_float = |e: &mut Self, bits: Id| e.w.value(op::Bitcast, float, &[bits]);
                let (a, b) = (as_float(self, old), as_float(self, value));
                let stays = match atomic {
                    AtomicOp::FCmpSwap => {
                        let wanted = as_float(self, values[1]);
                        self.w.value(op::FUnordNotEqual, bool_, &[a, wanted])
                    }
                    _ => {
                        let opcode = match atomic {
                            AtomicOp::FMin => op::FOrdLessThanEqual,
                            _ => op::FOrdGreaterThanEqual,
                        };
                        let holds = self.w.value(opcode, bool_, &[a, b]);
                        let nan = self.w.value(op::IsNan, bool_, &[b]);
                        self.w.value(op::LogicalOr, bool_, &[holds, nan])
                    }
                };
                self.w.value(op::Select, ty, &[stays, old, value])
            }
        }
    }

    /// The beginning or the end of what pixels at the same place do one after the other. What they store is seen by the next.
    pub(crate) fn interlock(&mut self, opcode: Op) {
        if !self.features.interlock {
            return;
        }
        if opcode == Op::BeginInterlock {
            self.w.code.op(op::BeginInvocationInterlockEXT, &[]);
            self.barrier(Op::MemoryBarrier);
        } else {
            self.barrier(Op::MemoryBarrier);
            self.w.code.op(op::EndInvocationInterlockEXT, &[]);
        }
    }

    /// A barrier of execution, for the group or the wave, or of memory alone.
    pub(crate) fn barrier(&mut self, opcode: Op) {
        let mut what = semantics::AcquireRelease | semantics::Uniform | semantics::Image;
        if self.m.stage == Stage::Compute {
            what |= semantics::Workgroup;
        }
        let what = self.w.uint(what);
        let within = match opcode {
            Op::Barrier => scope::Workgroup,
            Op::WaveBarrier => scope::Subgroup,
            _ => {
                let device = self.w.uint(scope::Device);
                return self.w.code.op(op::MemoryBarrier, &[device, what]);
            }
        };
        let within = self.w.uint(within);
        self.w.code.op(op::ControlBarrier, &[within, within, what]);
    }
}
