//! Dispatches.

use super::Translator;
use super::shaders::{self, COMPUTE};
use crate::machine;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::groups;
use afterimage_stream::PortError;
use afterimage_stream::packets::*;

/// Most groups of a dispatch in each dimension.
const MOST_GROUPS: u32 = 65_535;

impl Translator {
    /// Runs a compute shader.
    pub(super) fn dispatch_groups(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
    ) {
        if let Err(error) = self.run_groups(registers, memory, dispatch) {
            self.once.warn(format!("dispatch: {error}"));
        }
    }

    fn run_groups(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        dispatch: &machine::Dispatch,
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
        let mut seen = shaders::compute_registers(registers);
        seen.groups |= if first == [0; 3] { 0 } else { groups::START };
        seen.groups |= if last.is_none() { 0 } else { groups::PARTIAL };
        self.bound_samplers();
        self.bound_shaders();
        let Some(needs) = self.gather(&COMPUTE, registers, memory) else { return Ok(()) };
        self.ready(&[&needs], memory)?;
        self.bind(&COMPUTE, &needs, registers, memory)?;
        let shader = self.shader(&COMPUTE, &needs.code, seen, &needs.buffer_specs, &needs.image_specs)?;
        if seen.groups != 0 {
            let row = |[x, y, z]: [u32; 3], w| [x, y, z, w];
            let lanes = groups::lanes(last.unwrap_or(seen.num_thread));
            self.put_draw(Stage::Compute, &[row(first, lanes), row(counts.map(|count| count - 1), 0)]);
        }
        self.port.push(&Dispatch { shader, groups: counts });
        self.mark_written(&needs, memory);
        Ok(())
    }
}
