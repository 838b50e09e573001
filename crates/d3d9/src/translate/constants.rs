//! Shader constants: the stale registers that the bound shader reads travel, the others wait for a shader that does.

use crate::driver::Device;
use crate::machine::{Bits, Constants, ConstantsOf, File, Reads};
use afterimage_shader_d3d9::Bank;
use afterimage_state::Effect;
use afterimage_stream::Port;
use afterimage_stream::packets::SetConstants;

/// Sends the stale registers of one file that `reads` names: true if there are any. Those from 256 on are sent together.
#[inline]
pub(crate) fn send(port: &mut Port, bank: Bank, constants: &mut Constants, reads: &Bits, beyond: bool) -> bool {
    let mut any = false;
    if beyond {
        for (first, end) in constants.take_stale_beyond() {
            if let Some(values) = constants.get(first, end - first) {
                push(port, bank, first, values);
            }
            any = true;
        }
    }
    any | constants.take_stale(reads, |first, values| push(port, bank, first, values))
}

#[inline(always)]
fn push(port: &mut Port, bank: Bank, first: usize, values: &[[u32; 4]]) {
    let packet = SetConstants { bank: bank as u16, first: first as u16, count: values.len() as u32 };
    port.push_tail(&packet, values);
}

fn send_all(port: &mut Port, banks: [Bank; 3], constants: &mut ConstantsOf, reads: &Reads) -> Effect {
    let [floats, ints, bools] = constants.files_mut();
    let mut any = send(port, banks[0], floats, &reads.floats, reads.beyond);
    any |= send(port, banks[1], ints, &reads.ints, reads.beyond);
    any |= send(port, banks[2], bools, &reads.bools, reads.beyond);
    Effect::of(any)
}

/// The files in which a register that is read has not arrived.
fn waiting(constants: &ConstantsOf, reads: &Reads) -> Option<String> {
    let files = [(File::Floats, &reads.floats), (File::Ints, &reads.ints), (File::Bools, &reads.bools)];
    let waits = |(file, bits): &(File, &Bits)| constants.file(*file).waits(bits, reads.beyond);
    files.into_iter().find(waits).map(|(file, _)| format!("registers of {file:?}"))
}

impl Device {
    #[inline(never)]
    pub(super) fn apply_vertex_constants(&mut self) -> Effect {
        let stage = self.host.stages.vertex();
        if !stage.is_own() {
            return Effect::Parked;
        }
        let banks = [Bank::VertexFloat, Bank::VertexInt, Bank::VertexBool];
        send_all(&mut self.port, banks, &mut self.registers.vertex_constants, &stage.reads)
    }

    #[inline(never)]
    pub(super) fn apply_pixel_constants(&mut self) -> Effect {
        let stage = self.host.stages.pixel();
        if !stage.is_own() {
            return Effect::Parked;
        }
        let banks = [Bank::PixelFloat, Bank::PixelInt, Bank::PixelBool];
        send_all(&mut self.port, banks, &mut self.registers.pixel_constants, &stage.reads)
    }

    pub(super) fn stale_vertex_constants(&self) -> Option<String> {
        let stage = self.host.stages.vertex();
        waiting(&self.registers.vertex_constants, &stage.reads).filter(|_| stage.is_own())
    }

    pub(super) fn stale_pixel_constants(&self) -> Option<String> {
        let stage = self.host.stages.pixel();
        waiting(&self.registers.pixel_constants, &stage.reads).filter(|_| stage.is_own())
    }
}
