//! What lanes of a subgroup tell each other.

use afterimage_ir::{Imm, InstData, Op, Stage, Swizzle, Type};

use crate::EmitError;
use crate::emit::Emitter;
use crate::spec::{builtin, capability, op, scope};
use crate::words::Id;

impl Emitter<'_> {
    pub(crate) fn wave(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        self.w.capability(capability::GroupNonUniform);
        let ty = self.w.ty(full);
        let args = self.operands(data);
        let subgroup = self.w.uint(scope::Subgroup);
        Ok(match (data.op, data.imm) {
            (Op::Ballot, _) => {
                self.w.capability(capability::GroupNonUniformBallot);
                let all = self.w.ty(Type::I32X4);
                let bits = self.w.value(op::GroupNonUniformBallot, all, &[subgroup, args[0]]);
                self.w.value(op::VectorShuffle, ty, &[bits, bits, 0, 1])
            }
            (Op::WaveAny, _) => {
                self.w.capability(capability::GroupNonUniformVote);
                self.w.value(op::GroupNonUniformAny, ty, &[subgroup, args[0]])
            }
            (Op::ReadFirst, _) => {
                self.w.capability(capability::GroupNonUniformBallot);
                self.w.value(op::GroupNonUniformBroadcastFirst, ty, &[subgroup, args[0]])
            }
            (Op::ReadLane, _) => {
                self.w.capability(capability::GroupNonUniformBallot);
                let lane = self.wrapped(args[1]);
                self.w.value(op::GroupNonUniformBroadcast, ty, &[subgroup, args[0], lane])
            }
            (Op::WaveShuffle, _) => {
                let lane = self.wrapped(args[1]);
                self.lane_value(args[0], lane, ty)
            }
            (Op::QuadSwizzle, Imm::Swizzle(swizzle)) => {
                let lane = self.quad_lane(swizzle);
                self.lane_value(args[0], lane, ty)
            }
            (Op::LaneIndex, _) => self.subgroup_input(builtin::SubgroupLocalInvocationId),
            (Op::WaveSize, _) => self.subgroup_input(builtin::SubgroupSize),
            _ => return Err(EmitError::Malformed(data.op.name())),
        })
    }

    fn subgroup_input(&mut self, builtin: u32) -> Id {
        let uint = self.w.ty(Type::I32);
        let variable = self.w.builtin_input(builtin, uint, self.m.stage == Stage::Pixel);
        self.w.value(op::Load, uint, &[variable])
    }

    /// A lane's number, wrapped at the size of the subgroup, which is a power of two.
    fn wrapped(&mut self, lane: Id) -> Id {
        let (uint, one) = (self.w.ty(Type::I32), self.w.uint(1));
        let size = self.subgroup_input(builtin::SubgroupSize);
        let mask = self.w.value(op::ISub, uint, &[size, one]);
        self.w.value(op::BitwiseAnd, uint, &[lane, mask])
    }

    /// The lane of the same four that a swizzle names.
    fn quad_lane(&mut self, swizzle: Swizzle) -> Id {
        let uint = self.w.ty(Type::I32);
        let places = swizzle.lanes().iter().rev().fold(0, |places, &place| places << 2 | u32::from(place & 3));
        let (places, three, four, one) = (self.w.uint(places), self.w.uint(3), self.w.uint(!3), self.w.uint(1));
        let lane = self.subgroup_input(builtin::SubgroupLocalInvocationId);
        let first = self.w.value(op::BitwiseAnd, uint, &[lane, four]);
        let place = self.w.value(op::BitwiseAnd, uint, &[lane, three]);
        let shift = self.w.value(op::ShiftLeftLogical, uint, &[place, one]);
        let from = self.w.value(op::ShiftRightLogical, uint, &[places, shift]);
        let from = self.w.value(op::BitwiseAnd, uint, &[from, three]);
        self.w.value(op::BitwiseOr, uint, &[first, from])
    }

    /// `value` in a lane that may be another one for each lane.
    fn lane_value(&mut self, value: Id, lane: Id, ty: Id) -> Id {
        let subgroup = self.w.uint(scope::Subgroup);
        if self.features.shuffle {
            self.w.capability(capability::GroupNonUniformShuffle);
            return self.w.value(op::GroupNonUniformShuffle, ty, &[subgroup, value, lane]);
        }
        // Each lane's value goes to everybody in turn.
        self.w.capability(capability::GroupNonUniformBallot);
        let (uint, bool_) = (self.w.ty(Type::I32), self.w.ty(Type::BOOL));
        let size = self.subgroup_input(builtin::SubgroupSize);
        let (zero, one) = (self.w.uint(0), self.w.uint(1));
        let [header, body, pick, join, again, merge] = std::array::from_fn(|_| self.w.id());
        let [next, result] = std::array::from_fn(|_| self.w.id());
        let before = self.block;
        self.w.branch(header);
        self.w.label(header);
        let at = self.w.value(op::Phi, uint, &[zero, before, next, again]);
        let found = self.w.value(op::Phi, ty, &[value, before, result, again]);
        let more = self.w.value(op::ULessThan, bool_, &[at, size]);
        self.w.code.op(op::LoopMerge, &[merge, again, 0]);
        self.w.code.op(op::BranchConditional, &[more, body, merge]);
        self.w.label(body);
        let other = self.w.value(op::GroupNonUniformBroadcast, ty, &[subgroup, value, at]);
        let mine = self.w.value(op::IEqual, bool_, &[at, lane]);
        self.w.code.op(op::SelectionMerge, &[join, 0]);
        self.w.code.op(op::BranchConditional, &[mine, pick, join]);
        self.w.label(pick);
        self.w.branch(join);
        self.w.label(join);
        self.w.code.op(op::Phi, &[ty, result, other, pick, found, body]);
        self.w.branch(again);
        self.w.label(again);
        self.w.code.op(op::IAdd, &[uint, next, at, one]);
        self.w.branch(header);
        self.begin(merge);
        found
    }
}
