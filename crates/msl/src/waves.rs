//! Waves, which Metal calls simdgroups, and the order in which others see what was stored.

use std::fmt::Write as _;

use afterimage_ir::{Imm, InstData, Kind, Op, Type, Value};

use crate::EmitError;
use crate::emit::Emitter;
use crate::expr::{Prec, type_name};
use crate::interface::Lane;

impl Emitter<'_> {
    /// What lanes of a wave tell each other. It stays where it is: elsewhere other lanes may run.
    pub(crate) fn wave(&mut self, data: &InstData, result: Value) -> Result<(), EmitError> {
        let ty = self.m.ty(result);
        let mut value = String::new();
        // Truth values travel as numbers.
        let travels = matches!(data.op, Op::ReadFirst | Op::ReadLane | Op::WaveShuffle | Op::QuadSwizzle);
        let carried = if travels && ty.kind == Kind::Bool { Type { kind: Kind::Int, ..ty } } else { ty };
        if let Some(&arg) = data.args.first() {
            if carried != ty {
                let _ = write!(value, "{}(", type_name(carried));
            }
            self.put(&mut value, arg, Prec::Any);
            value.push_str(if carried != ty { ")" } else { "" });
        }
        let lane = |lane| self.interface.lane(lane).ok_or(EmitError::Malformed(data.op.name()));
        let text = match (data.op, data.imm) {
            (Op::Ballot, _) => format!("as_type<uint2>(ulong(simd_vote::vote_t(simd_ballot({value}))))"),
            (Op::WaveAny, _) => format!("simd_any({value})"),
            (Op::ReadFirst, _) => format!("simd_broadcast_first({value})"),
            (Op::ReadLane | Op::WaveShuffle, _) => {
                let mut number = String::new();
                self.put(&mut number, data.args[1], Prec::Product);
                // Numbers wrap at the size of the wave.
                format!("simd_shuffle({value}, ushort({number} % {}))", lane(Lane::Count)?)
            }
            (Op::QuadSwizzle, Imm::Swizzle(swizzle)) => {
                let lanes = swizzle.lanes().iter().rev().fold(0, |all, &lane| all << 2 | u32::from(lane & 3));
                let own = lane(Lane::InQuad)?;
                format!("quad_shuffle({value}, ushort({lanes:#x}u >> 2u * {own} & 3u))")
            }
            (Op::LaneIndex, _) => lane(Lane::Index)?.to_owned(),
            (Op::WaveSize, _) => lane(Lane::Count)?.to_owned(),
            _ => return Err(EmitError::Malformed(data.op.name())),
        };
        let text = if carried == ty { text } else { format!("{text} != {}(0u)", type_name(carried)) };
        self.define(result, &text);
        Ok(())
    }

    /// Waits for the whole wave.
    pub(crate) fn wave_barrier(&mut self) {
        self.line(format_args!("simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);"));
    }

    /// A fence for the whole device.
    pub(crate) fn memory_barrier(&mut self, data: &InstData) -> Result<(), EmitError> {
        self.needs(data, 320)?;
        self.fence = true;
        self.line(format_args!("memory_barrier();"));
        Ok(())
    }
}
