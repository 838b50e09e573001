//! Constant banks: what the receiver has, so that only registers that changed are sent.

use std::ops::Range;

use afterimage_nv2a_types::{CONSTANT_SLOTS, ConstantBits};
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
        held.resize(held.len().max(registers.len()), [0; 4]);
        let changed = |held: &[[u32; 4]], from| (from..registers.len()).find(|at| held[*at] != registers[*at]);
        send(port, bank, held, changed, |held, range| held.copy_from_slice(&registers[range]))
    }

    /// Makes constant memory what its bank holds, where only the slots in `stale` changed since this was last called. True if
    /// there are any. The vertex engine has no denormals: they are zeros.
    pub(super) fn put_transform(
        &mut self,
        port: &mut Port,
        memory: &[[u32; 4]; CONSTANT_SLOTS],
        stale: &ConstantBits,
    ) -> bool {
        self.transform.resize(CONSTANT_SLOTS, [0; 4]);
        let stale = |_: &[[u32; 4]], from| next_bit(stale, from);
        send(port, Bank::Transform, &mut self.transform, stale, |held, range| {
            for (held, slot) in held.iter_mut().zip(&memory[range]) {
                *held = slot.map(without_denormals);
            }
        })
    }
}

/// Constant memory as shaders are given it.
pub(super) fn of_transform(memory: &[[u32; 4]; CONSTANT_SLOTS]) -> [[u32; 4]; CONSTANT_SLOTS] {
    memory.map(|slot| slot.map(without_denormals))
}

/// The bits of a float; of a denormal those of zero.
fn without_denormals(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 1 << 31 } else { bits }
}

/// Has the registers that `next` finds at or behind one made what they should be, and sends them; true if it found any.
fn send(
    port: &mut Port,
    bank: Bank,
    held: &mut [[u32; 4]],
    next: impl Fn(&[[u32; 4]], usize) -> Option<usize>,
    make: impl Fn(&mut [[u32; 4]], Range<usize>),
) -> bool {
    let mut found = next(held, 0);
    let any = found.is_some();
    while let Some(first) = found {
        let mut end = first + 1;
        found = next(held, end);
        while let Some(near) = found.filter(|near| *near < end + GAP) {
            end = near + 1;
            found = next(held, end);
        }
        let body = SetConstants { bank: bank as u16, first: first as u16, count: (end - first) as u32 };
        make(&mut held[first..end], first..end);
        port.push_tail(&body, &held[first..end]);
    }
    any
}

/// The first slot at or behind `from` whose bit is set.
fn next_bit(bits: &ConstantBits, from: usize) -> Option<usize> {
    let mut word = from / 64;
    let mut rest = *bits.get(word)? & (u64::MAX << (from % 64));
    while rest == 0 {
        word += 1;
        rest = *bits.get(word)?;
    }
    Some(word * 64 + rest.trailing_zeros() as usize)
}
