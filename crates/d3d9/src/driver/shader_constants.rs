//! Shader constants.

use super::Device;
use super::state_block::Setting;
use crate::error::{Error, Result};
use crate::machine::File;
use afterimage_d3d9_types::BOOL;

/// The six setters and getters of one stage: they differ in names only.
macro_rules! constants {
    ($constants:ident
        $set_f:ident $get_f:ident $record_f:ident $doc_f:literal
        $set_i:ident $get_i:ident $record_i:ident $doc_i:literal
        $set_b:ident $get_b:ident $record_b:ident $doc_b:literal) => {
        impl Device {
            #[doc = concat!("`Set", $doc_f, "`: whole registers of four floats.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register.
            #[inline]
            pub fn $set_f(&mut self, first: u32, values: &[[f32; 4]]) -> Result<()> {
                if !self.registers.$constants.file(File::Floats).holds(first as usize, values.len()) {
                    return Err(Error::InvalidCall);
                }
                if self.recording.is_some() {
                    self.record(|| Setting::$record_f(first, values.into()));
                    return Ok(());
                }
                let registers = &mut self.registers;
                let words = bytemuck::cast_slice(values);
                registers.$constants.set(File::Floats, first as usize, words, &mut registers.tracker);
                Ok(())
            }

            #[doc = concat!("`Get", $doc_f, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register, and of a pure device.
            pub fn $get_f(&self, first: u32, out: &mut [[f32; 4]]) -> Result<()> {
                self.not_pure()?;
                let words = self.registers.$constants.file(File::Floats).get(first as usize, out.len());
                out.copy_from_slice(bytemuck::cast_slice(words.ok_or(Error::InvalidCall)?));
                Ok(())
            }

            #[doc = concat!("`Set", $doc_i, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register.
            pub fn $set_i(&mut self, first: u32, values: &[[i32; 4]]) -> Result<()> {
                if !self.registers.$constants.file(File::Ints).holds(first as usize, values.len()) {
                    return Err(Error::InvalidCall);
                }
                if self.recording.is_some() {
                    self.record(|| Setting::$record_i(first, values.into()));
                    return Ok(());
                }
                let registers = &mut self.registers;
                let words = bytemuck::cast_slice(values);
                registers.$constants.set(File::Ints, first as usize, words, &mut registers.tracker);
                Ok(())
            }

            #[doc = concat!("`Get", $doc_i, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register, and of a pure device.
            pub fn $get_i(&self, first: u32, out: &mut [[i32; 4]]) -> Result<()> {
                self.not_pure()?;
                let words = self.registers.$constants.file(File::Ints).get(first as usize, out.len());
                out.copy_from_slice(bytemuck::cast_slice(words.ok_or(Error::InvalidCall)?));
                Ok(())
            }

            #[doc = concat!("`Set", $doc_b, "`. Any value but 0 is true, and comes back as it is.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register.
            pub fn $set_b(&mut self, first: u32, values: &[BOOL]) -> Result<()> {
                if !self.registers.$constants.file(File::Bools).holds(first as usize, values.len()) {
                    return Err(Error::InvalidCall);
                }
                if self.recording.is_some() {
                    self.record(|| Setting::$record_b(first, values.into()));
                    return Ok(());
                }
                let registers = &mut self.registers;
                for (register, value) in (first as usize..).zip(values) {
                    let words = [[*value as u32, 0, 0, 0]];
                    registers.$constants.set(File::Bools, register, &words, &mut registers.tracker);
                }
                Ok(())
            }

            #[doc = concat!("`Get", $doc_b, "`.")]
            ///
            /// # Errors
            /// [`Error::InvalidCall`] past the last register, and of a pure device.
            pub fn $get_b(&self, first: u32, out: &mut [BOOL]) -> Result<()> {
                self.not_pure()?;
                let words = self.registers.$constants.file(File::Bools).get(first as usize, out.len());
                for (value, word) in out.iter_mut().zip(words.ok_or(Error::InvalidCall)?) {
                    *value = word[0] as BOOL;
                }
                Ok(())
            }
        }
    };
}

constants! {
    vertex_constants
    set_vertex_shader_constant_f vertex_shader_constant_f VertexFloats "VertexShaderConstantF"
    set_vertex_shader_constant_i vertex_shader_constant_i VertexInts "VertexShaderConstantI"
    set_vertex_shader_constant_b vertex_shader_constant_b VertexBools "VertexShaderConstantB"
}
constants! {
    pixel_constants
    set_pixel_shader_constant_f pixel_shader_constant_f PixelFloats "PixelShaderConstantF"
    set_pixel_shader_constant_i pixel_shader_constant_i PixelInts "PixelShaderConstantI"
    set_pixel_shader_constant_b pixel_shader_constant_b PixelBools "PixelShaderConstantB"
}
