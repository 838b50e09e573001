//! Dispatches.

use super::Translator;
use super::prepared::Compute;
use super::shaders::COMPUTE;
use crate::machine::{self, Queue};
use crate::memory::GuestMemory;
use afterimage_gnm_types::{GnmStates, Group, Registers, reg};
use afterimage_shader_gcn::io::groups;
use afterimage_state::checking;
use afterimage_stream::PortError;
use afterimage_stream::packets::*;

/// Most groups of a dispatch in each dimension.
const MOST_GROUPS: u32 = 65_535;

impl Translator {
    /// Runs a compute shader.
    pub(super) fn dispatch_groups(
        &mut self,
        queue: Queue,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
    ) {
        let mut compute = self.computes.remove(&queue).unwrap_or_default();
        match self.run_groups(registers, memory, dispatch, &mut compute) {
            Ok(()) => drop(self.computes.insert(queue, compute)),
            Err(error) => self.once.warn(format!("dispatch: {error}")),
        }
    }

    fn run_groups(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
        compute: &mut Compute,
    ) -> Result<(), PortError> {
        let &machine::Dispatch { first, groups: counts, last, initiator } = dispatch;
        if reg::COMPUTE_DISPATCH_INITIATOR::ORDERED_APPEND_ENBL.is_set(initiator) {
            self.once.warn("COMPUTE_DISPATCH_INITIATOR.ORDERED_APPEND_ENBL: groups append in no order");
        }
        if counts.iter().any(|count| *count > MOST_GROUPS) {
            let [x, y, z] = counts;
            self.once.warn(format!(
                "a dispatch of {x} x {y} x {z} groups is left out: {MOST_GROUPS} are supported in a dimension"
            ));
            return Ok(());
        }
        self.bound_samplers();
        self.bound_shaders();
        let moves = self.moves();
        if compute.needs.is_none() {
            registers.tracker.mark(Group::ComputeStage);
            registers.tracker.mark(Group::ComputeKey);
        }
        registers.tracker.write(GnmStates::COMPUTE_MEMORY, &mut compute.moves, moves);
        let is_new = registers.tracker.dirty().contains(Group::ComputeStage);
        if self.apply_compute(registers, memory, compute).is_err() {
            compute.needs = None;
        }
        let Some(needs) = &compute.needs else { return Ok(()) };
        if is_new {
            self.ready(&[needs], memory)?;
        }
        // Whatever else runs as a compute shader has bindings in the same place.
        self.bind(&COMPUTE, needs, memory)?;
        let mut seen = compute.seen;
        seen.groups |= if first == [0; 3] { 0 } else { groups::START };
        seen.groups |= if last.is_none() { 0 } else { groups::PARTIAL };
        let shader = self.shader(&COMPUTE, seen, needs)?;
        if seen.groups != 0 {
            let row = |[x, y, z]: [u32; 3], w| [x, y, z, w];
            let lanes = groups::lanes(last.unwrap_or(seen.num_thread));
            self.put_draw(Stage::Compute, &[row(first, lanes), row(counts.map(|count| count - 1), 0)]);
        }
        self.port.push(&Dispatch { shader, groups: counts });
        self.mark_written(needs, memory);
        if checking() {
            self.check_compute(registers, memory, compute);
        }
        Ok(())
    }
}
