//! Words of packets, written one after the other.

use super::CallError;
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, markers, op};

/// A range of a command buffer that a call fills.
pub(super) struct Words<'a> {
    out: &'a mut [u32],
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(out: &'a mut [u32]) -> Self {
        Self { out, at: 0 }
    }

    /// A packet. `flags` are bits of its header.
    pub(super) fn packet(&mut self, opcode: Opcode, flags: u32, body: &[u32]) -> Result<(), CallError> {
        let end = self.at + 1 + body.len();
        let short = CallError::Size { got: self.out.len(), wanted: end };
        let out = self.out.get_mut(self.at..end).ok_or(short)?;
        out[0] = Header::packet(opcode, body.len() as u32) | flags;
        out[1..].copy_from_slice(body);
        self.at = end;
        Ok(())
    }

    /// Registers from one on, by its byte address.
    pub(super) fn set(&mut self, register: u32, values: &[u32]) -> Result<(), CallError> {
        let space = Space::of(register).unwrap_or(Space::Context);
        let opcode = match space {
            Space::Context => op::SET_CONTEXT_REG,
            Space::Shader => op::SET_SH_REG,
            Space::UserConfig => op::SET_UCONFIG_REG,
            Space::Config => op::SET_CONFIG_REG,
        };
        let mut body = [0; 16];
        body[0] = register.wrapping_sub(space.base()) / 4;
        let count = values.len().min(body.len() - 1);
        body[1..=count].copy_from_slice(&values[..count]);
        self.packet(opcode, 0, &body[..=count])
    }

    /// What an update form leaves of context registers: a NOP that names them.
    pub(super) fn update(&mut self, register: u32, values: &[u32]) -> Result<(), CallError> {
        let mut body = [0; 16];
        body[0] = markers::UPDATE | (register.wrapping_sub(Space::Context.base()) / 4) & 0xFFFF;
        let count = values.len().min(body.len() - 1);
        body[1..=count].copy_from_slice(&values[..count]);
        self.packet(op::NOP, 0, &body[..=count])
    }

    /// Fills what is left with one NOP, of which nothing is left where only a word is.
    pub(super) fn pad(mut self) -> Result<(), CallError> {
        let left = self.out.len() - self.at;
        if left == 1 {
            // A header alone.
            self.out[self.at] = Header::packet(op::NOP, 0x4000);
            self.at += 1;
        } else if left > 1 {
            let rest = &mut self.out[self.at..];
            rest.fill(0);
            rest[0] = Header::packet(op::NOP, left as u32 - 1);
        }
        Ok(())
    }

    /// Words that were written.
    pub(super) fn len(&self) -> usize {
        self.at
    }
}
