//! Constant banks: what the receiver has, so that only registers that changed are sent.

use afterimage_shader_nv2a::banks::Bank;
use afterimage_stream::Port;
use afterimage_stream::packets::SetConstants;

/// Registers that did not change are sent along rather than beginning another packet, up to so many.
const GAP: usize = 4;

/// What the receiver has of the banks of this guest. All registers start as zero.
#[derive(Debug, Default)]
pub(super) struct Constants {
    transform: Vec<[u32; 4]>,
    fixed: Vec<[u32; 4]>,
    screen: Vec<[u32; 4]>,
    pixel: Vec<[u32; 4]>,
}

impl Constants {
    fn bank(&mut self, bank: Bank) -> &mut Vec<[u32; 4]> {
        match bank {
            Bank::Transform => &mut self.transform,
            Bank::Fixed => &mut self.fixed,
            Bank::Screen => &mut self.screen,
            Bank::Pixel => &mut self.pixel,
        }
    }

    /// What a bank holds, from register 0. What lies behind is zero.
    pub(super) fn held(&self, bank: Bank) -> &[[u32; 4]] {
        match bank {
            Bank::Transform => &self.transform,
            Bank::Fixed => &self.fixed,
            Bank::Screen => &self.screen,
            Bank::Pixel => &self.pixel,
        }
    }

    /// Makes `registers` what the bank holds from register 0 on. True if it held something else.
    pub(super) fn put(&mut self, port: &mut Port, bank: Bank, registers: &[[u32; 4]]) -> bool {
        let held = self.bank(bank);
        if held.len() < registers.len() {
            held.resize(registers.len(), [0; 4]);
        }
        let differs = |at: usize, held: &[[u32; 4]]| held[at] != registers[at];
        let mut at = 0;
        while let Some(first) = (at..registers.len()).find(|at| differs(*at, held)) {
            let mut end = first + 1;
            while let Some(next) = (end..registers.len().min(end + GAP)).find(|at| differs(*at, held)) {
                end = next + 1;
            }
            let body = SetConstants { bank: bank as u16, first: first as u16, count: (end - first) as u32 };
            port.push_tail(&body, &registers[first..end]);
            held[first..end].copy_from_slice(&registers[first..end]);
            at = end;
        }
        at > 0
    }
}
