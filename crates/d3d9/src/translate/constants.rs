//! Shader constants: the stale registers that the bound shader reads travel, the others wait for a shader that does.

use crate::driver::Device;
use crate::machine::{Bits, Constants, ConstantsOf, Reads};
use crate::translate::Source;
use afterimage_shader_d3d9::Bank;
use afterimage_stream::Port;
use afterimage_stream::packets::SetConstants;

/// Sends the stale registers of one file that `reads` names. Those from 256 on are sent together.
#[inline]
pub(crate) fn send(port: &mut Port, bank: Bank, constants: &mut Constants, reads: &Bits, beyond: bool) {
    if beyond {
        for (first, end) in constants.take_stale_beyond() {
            push(port, bank, constants, first, end);
        }
    }
    if let Some(due) = constants.stale.take(reads) {
        for (first, end) in due.runs() {
            push(port, bank, constants, first, end);
        }
    }
}

fn push(port: &mut Port, bank: Bank, constants: &Constants, first: usize, end: usize) {
    let end = end.min(constants.all().len());
    if let Some(values) = constants.get(first, end - first.min(end)) {
        let packet = SetConstants { bank: bank as u16, first: first as u16, count: values.len() as u32 };
        port.push_tail(&packet, values);
    }
}

fn send_all(port: &mut Port, banks: [Bank; 3], constants: &mut ConstantsOf, reads: &Reads) {
    send(port, banks[0], &mut constants.floats, &reads.floats, reads.beyond);
    send(port, banks[1], &mut constants.ints, &reads.ints, reads.beyond);
    send(port, banks[2], &mut constants.bools, &reads.bools, reads.beyond);
}

impl Device {
    pub(crate) fn apply_vertex_constants(&mut self) {
        if let Some(Source::VertexProgram(_)) = self.host.vertex.source {
            let banks = [Bank::VertexFloat, Bank::VertexInt, Bank::VertexBool];
            send_all(&mut self.port, banks, &mut self.registers.vertex_constants, &self.host.vertex.reads);
        }
    }

    pub(crate) fn apply_pixel_constants(&mut self) {
        if let Some(Source::PixelProgram(_)) = self.host.pixel.source {
            let banks = [Bank::PixelFloat, Bank::PixelInt, Bank::PixelBool];
            send_all(&mut self.port, banks, &mut self.registers.pixel_constants, &self.host.pixel.reads);
        }
    }
}
