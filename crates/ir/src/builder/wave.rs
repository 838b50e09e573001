//! What lanes tell each other.

use smallvec::smallvec;

use super::Builder;
use crate::entity::Value;
use crate::module::{Args, Imm};
use crate::opcode::Op;
use crate::types::{Swizzle, Type};

impl Builder {
    /// Waits for the whole wave; what was stored before is seen by all of it afterwards.
    pub fn wave_barrier(&mut self) {
        self.push(Op::WaveBarrier, Imm::None, Args::new(), &[]);
    }

    /// Bit per lane of the wave that runs this and has `cond` true: low and high half.
    pub fn ballot(&mut self, cond: Value) -> Value {
        let cond = self.condition(cond);
        self.push1(Op::Ballot, Imm::None, smallvec![cond], Type::I32X2)
    }

    /// Whether `cond` is true in any lane of the wave that runs this.
    pub fn wave_any(&mut self, cond: Value) -> Value {
        let cond = self.condition(cond);
        self.push1(Op::WaveAny, Imm::None, smallvec![cond], Type::BOOL)
    }

    /// `value` in the first lane of the wave that runs this.
    pub fn read_first(&mut self, value: Value) -> Value {
        self.push1(Op::ReadFirst, Imm::None, smallvec![value], self.ty(value))
    }

    /// `value` in the lane numbered `lane`, which must be the same in all lanes.
    pub fn read_lane(&mut self, value: Value, lane: Value) -> Value {
        let lane = self.index(lane);
        self.push1(Op::ReadLane, Imm::None, smallvec![value, lane], self.ty(value))
    }

    /// `value` in the lane numbered `lane`.
    pub fn wave_shuffle(&mut self, value: Value, lane: Value) -> Value {
        let lane = self.index(lane);
        self.push1(Op::WaveShuffle, Imm::None, smallvec![value, lane], self.ty(value))
    }

    /// In lane `n` of each four lanes in succession (of a quad, in the pixel stage) `value` in the lane at `places[n]` (0 to 3).
    pub fn quad_swizzle(&mut self, value: Value, places: [u8; 4]) -> Value {
        let imm = Imm::Swizzle(Swizzle::new(&places.map(|place| place & 3)));
        self.push1(Op::QuadSwizzle, imm, smallvec![value], self.ty(value))
    }

    /// Number of this lane in its wave.
    pub fn lane_index(&mut self) -> Value {
        self.push1(Op::LaneIndex, Imm::None, Args::new(), Type::I32)
    }

    /// Number of lanes of a wave.
    pub fn wave_size(&mut self) -> Value {
        self.push1(Op::WaveSize, Imm::None, Args::new(), Type::I32)
    }
}
