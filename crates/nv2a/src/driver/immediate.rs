//! Immediate drawing: attributes one after the other, a vertex with each position.

use super::{Device, DriverError};
use crate::machine::PrimitiveKind;
use afterimage_nv2a_types::{ATTRIBUTES, method};

/// Registers from which `SetVertexData` takes the position (`D3DVSDE_VERTEX`): it completes a vertex.
pub const VERTEX: u32 = u32::MAX;

impl Device {
    pub(super) fn outside_immediate(&self) -> Result<(), DriverError> {
        if self.immediate { Err(DriverError::Immediate { begun: true }) } else { Ok(()) }
    }

    /// The slot of a register. Slot 0 completes a vertex, as [`VERTEX`] does.
    fn slot(&self, register: u32) -> Result<u16, DriverError> {
        match register {
            VERTEX => Ok(0),
            slot if (slot as usize) < ATTRIBUTES => Ok(slot as u16),
            register => Err(DriverError::Register { register }),
        }
    }

    /// `Begin`: vertices follow.
    ///
    /// # Errors
    /// [`DriverError::Immediate`] if they do already.
    pub fn begin_immediate(&mut self, kind: PrimitiveKind) -> Result<(), DriverError> {
        self.outside_immediate()?;
        self.apply();
        self.packets.method(method::SET_BEGIN_END, &[kind as u32]);
        self.immediate = true;
        Ok(())
    }

    /// `End`: draws the vertices.
    ///
    /// # Errors
    /// [`DriverError::Immediate`] without [`Device::begin_immediate`].
    pub fn end_immediate(&mut self) -> Result<(), DriverError> {
        if !std::mem::take(&mut self.immediate) {
            return Err(DriverError::Immediate { begun: false });
        }
        self.packets.method(method::SET_BEGIN_END, &[0]);
        Ok(())
    }

    /// `SetVertexData2f`: z is 0, w is 1.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_2f(&mut self, register: u32, value: [f32; 2]) -> Result<(), DriverError> {
        let slot = self.slot(register)?;
        self.packets.floats(method::SET_VERTEX_DATA2F_M + 8 * slot, &value);
        Ok(())
    }

    /// `SetVertexData4f`.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_4f(&mut self, register: u32, value: [f32; 4]) -> Result<(), DriverError> {
        let slot = self.slot(register)?;
        self.packets.floats(method::SET_VERTEX_DATA4F_M + 16 * slot, &value);
        Ok(())
    }

    /// `SetVertexData2s`: z is 0, w is 1.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_2s(&mut self, register: u32, value: [i16; 2]) -> Result<(), DriverError> {
        let slot = self.slot(register)?;
        self.packets.method(method::SET_VERTEX_DATA2S + 4 * slot, &[pair(value)]);
        Ok(())
    }

    /// `SetVertexData4s`.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_4s(&mut self, register: u32, value: [i16; 4]) -> Result<(), DriverError> {
        let slot = self.slot(register)?;
        let [x, y, z, w] = value;
        self.packets.method(method::SET_VERTEX_DATA4S_M + 8 * slot, &[pair([x, y]), pair([z, w])]);
        Ok(())
    }

    /// `SetVertexData4ub`: bytes that stand for 0 to 1.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_4ub(&mut self, register: u32, value: [u8; 4]) -> Result<(), DriverError> {
        let slot = self.slot(register)?;
        self.packets.method(method::SET_VERTEX_DATA4UB + 4 * slot, &[u32::from_le_bytes(value)]);
        Ok(())
    }

    /// `SetVertexDataColor`: a `D3DCOLOR`, 0xAARRGGBB.
    ///
    /// # Errors
    /// [`DriverError::Register`] beyond register 15.
    pub fn set_vertex_data_color(&mut self, register: u32, color: u32) -> Result<(), DriverError> {
        let [blue, green, red, alpha] = color.to_le_bytes();
        self.set_vertex_data_4ub(register, [red, green, blue, alpha])
    }

    /// `BeginPush`: hands out room for raw words, which [`Device::end_push`] takes. What they set holds
    /// until a call sets it again; the vertex arrays are sent anew afterwards.
    ///
    /// # Errors
    /// [`DriverError::Immediate`] between begin and end.
    pub fn begin_push(&mut self) -> Result<Vec<u32>, DriverError> {
        self.outside_immediate()?;
        self.apply();
        Ok(Vec::new())
    }

    /// `EndPush`: the words that were written, whole packets.
    ///
    /// # Errors
    /// [`DriverError::Packet`] names the word where they are not packets of methods: the ring could not be laid out then.
    pub fn end_push(&mut self, words: &[u32]) -> Result<(), DriverError> {
        super::record::check(words)?;
        self.packets.append(words);
        self.forget_methods_in(words);
        self.forget_arrays();
        Ok(())
    }
}

fn pair([low, high]: [i16; 2]) -> u32 {
    u32::from(high as u16) << 16 | u32::from(low as u16)
}
