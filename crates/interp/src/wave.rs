//! What the lanes of a wave tell each other.

use afterimage_ir::{Imm, InstData, Op};

use crate::active::Active;
use crate::run::Run;

impl Run<'_> {
    /// Lanes of the wave that a lane is in.
    fn wave(&self, lane: usize) -> std::ops::Range<usize> {
        let first = lane / self.wave * self.wave;
        first..(first + self.wave).min(self.lanes)
    }

    /// An operation on waves, in one of its lanes. All operands are as they were in front of it: no operand is its own result.
    pub(crate) fn wave_op(&self, data: &InstData, active: &Active, lane: usize) -> [u32; 4] {
        let wave = self.wave(lane);
        let of = |arg: usize, lane: usize| self.bits(data.args[arg], lane);
        let numbered = |number: u32| wave.start + number as usize % self.wave;
        let from = |lane: usize| if lane < self.lanes { of(0, lane) } else { [0; 4] };
        match (data.op, data.imm) {
            (Op::Ballot, _) => {
                let set = wave.clone().filter(|&lane| active.has(lane) && of(0, lane)[0] != 0);
                let bits = set.fold(0u64, |bits, lane| bits | 1 << (lane - wave.start));
                [bits as u32, (bits >> 32) as u32, 0, 0]
            }
            (Op::WaveAny, _) => {
                let any = wave.clone().any(|lane| active.has(lane) && of(0, lane)[0] != 0);
                [any.into(), 0, 0, 0]
            }
            (Op::ReadFirst, _) => wave.clone().find(|&lane| active.has(lane)).map_or([0; 4], from),
            (Op::ReadLane | Op::WaveShuffle, _) => from(numbered(of(1, lane)[0])),
            (Op::QuadSwizzle, Imm::Swizzle(swizzle)) => from(lane & !3 | swizzle.lanes()[lane & 3] as usize & 3),
            (Op::LaneIndex, _) => [(lane - wave.start) as u32, 0, 0, 0],
            (Op::WaveSize, _) => [self.wave as u32, 0, 0, 0],
            _ => [0; 4],
        }
    }
}
