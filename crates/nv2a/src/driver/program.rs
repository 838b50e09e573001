//! Vertex programs and pixel shaders: uploads of microcode, constants and combiner words.

use super::declaration::Declaration;
use super::{Device, DriverError};
use afterimage_nv2a_types::{COMBINERS, CONSTANT_SLOTS, PROGRAM_SLOTS, context, method};
use afterimage_shader_nv2a::Program;
use std::rc::Rc;

/// Words of the upload windows.
const WINDOW: usize = 32;

/// A vertex shader: a declaration, and a program or the fixed function.
#[derive(Clone, Debug)]
pub struct VertexShader {
    declaration: Rc<Declaration>,
    program: Option<Rc<[[u32; 4]]>>,
    writes_constants: bool,
}

impl VertexShader {
    /// `CreateVertexShader`: microcode, four words an instruction, or `None` for the fixed function.
    ///
    /// # Errors
    /// [`DriverError::Range`] for programs of more than 136 instructions.
    pub fn new(declaration: Rc<Declaration>, program: Option<&[[u32; 4]]>) -> Result<Self, DriverError> {
        match program {
            Some(code) if code.len() > PROGRAM_SLOTS => Err(DriverError::Range {
                what: "program length",
                value: u32::try_from(code.len()).unwrap_or(u32::MAX),
                most: PROGRAM_SLOTS as u32,
            }),
            _ => Ok(Self {
                declaration,
                program: program.map(Into::into),
                writes_constants: program
                    .is_some_and(|code| Program::parse(code, 0).is_ok_and(|program| program.writes_constants())),
            }),
        }
    }
}

/// `D3DPIXELSHADERDEF`: the words of combiners and texture shader, in the hardware's formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelShader {
    /// `SET_COMBINER_ALPHA_ICW`.
    pub alpha_inputs: [u32; COMBINERS],
    /// `SET_COMBINER_ALPHA_OCW`.
    pub alpha_outputs: [u32; COMBINERS],
    /// `SET_COMBINER_COLOR_ICW`.
    pub rgb_inputs: [u32; COMBINERS],
    /// `SET_COMBINER_COLOR_OCW`.
    pub rgb_outputs: [u32; COMBINERS],
    /// `SET_COMBINER_FACTOR0`.
    pub factor0: [u32; COMBINERS],
    /// `SET_COMBINER_FACTOR1`.
    pub factor1: [u32; COMBINERS],
    /// `SET_COMBINER_SPECULAR_FOG_CW0` and `CW1`.
    pub final_inputs: [u32; 2],
    /// `SET_SPECULAR_FOG_FACTOR`.
    pub final_factors: [u32; 2],
    /// `SET_COMBINER_CONTROL`.
    pub control: u32,
    /// `SET_SHADER_STAGE_PROGRAM`.
    pub texture_modes: u32,
    /// `SET_DOT_RGBMAPPING`.
    pub dot_mapping: u32,
    /// `SET_SHADER_OTHER_STAGE_INPUT`.
    pub input_texture: u32,
    /// `SET_SHADER_CLIP_PLANE_MODE`.
    pub compare_mode: u32,
}

/// The bound program.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    program: Option<Rc<[[u32; 4]]>>,
    writes_constants: bool,
    dirty: bool,
}

impl Bound {
    pub(super) fn mark(&mut self) {
        self.dirty = true;
    }

    /// Whether vertices go through a program.
    pub(super) fn is_program(&self) -> bool {
        self.program.is_some()
    }
}

impl Device {
    /// `SetVertexShader`.
    pub fn set_vertex_shader(&mut self, shader: &VertexShader) {
        self.set_vertex_declaration(shader.declaration.clone());
        if self.program.writes_constants {
            self.forget_constants();
        }
        if self.program.program.is_some() != shader.program.is_some() || self.program.writes_constants {
            self.transform.mark_all();
        }
        self.program.program.clone_from(&shader.program);
        self.program.writes_constants = shader.writes_constants;
        self.program.mark();
    }

    pub(super) fn apply_program(&mut self) {
        const FIXED: u32 = 0;
        const PROGRAM: u32 = 2;
        // Constants from slot 0 on are the program's, as the privileged range is.
        const PRIVILEGED: u32 = 1 << 2;
        if !std::mem::take(&mut self.program.dirty) {
            return;
        }
        let Some(program) = self.program.program.clone() else {
            self.emit(method::SET_TRANSFORM_EXECUTION_MODE, &[FIXED | PRIVILEGED]);
            return;
        };
        self.packets.method(method::SET_TRANSFORM_PROGRAM_LOAD, &[0]);
        for window in program.as_flattened().chunks(WINDOW) {
            self.packets.method(method::SET_TRANSFORM_PROGRAM, window);
        }
        self.emit(method::SET_TRANSFORM_PROGRAM_START, &[0]);
        self.emit(method::SET_TRANSFORM_PROGRAM_CXT_WRITE_EN, &[u32::from(self.program.writes_constants)]);
        self.emit(method::SET_TRANSFORM_EXECUTION_MODE, &[PROGRAM | PRIVILEGED]);
    }

    /// `SetVertexShaderConstant`: constants from slot `first` on; the API's c-96 is slot 0.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond slot 191.
    pub fn set_vertex_shader_constant(&mut self, first: usize, values: &[[f32; 4]]) -> Result<(), DriverError> {
        let last = first.saturating_add(values.len());
        if last > CONSTANT_SLOTS {
            return Err(DriverError::Index { what: "vertex shader constant", index: last - 1, count: CONSTANT_SLOTS });
        }
        self.packets.method(method::SET_TRANSFORM_CONSTANT_LOAD, &[first as u32]);
        for window in values.as_flattened().chunks(WINDOW) {
            self.packets.floats(method::SET_TRANSFORM_CONSTANT, window);
        }
        self.forget_constants();
        if !self.program.is_program() {
            self.transform.mark_all();
        }
        Ok(())
    }

    /// The fixed function's matrices lie in the same memory as a program's constants.
    fn forget_constants(&mut self) {
        for window in context::WINDOWS {
            let at = usize::from(window.method / 4);
            self.sent[at..at + 4 * usize::from(window.slots)].fill(None);
        }
    }

    /// `SetPixelShader`: combiners of the program's own, or `None` for the texture stages'.
    pub fn set_pixel_shader(&mut self, shader: Option<&PixelShader>) {
        self.combine.shader = shader.copied();
        self.combine.mark();
    }

    pub(super) fn send_pixel_shader(&mut self, shader: &PixelShader) {
        self.emit(method::SET_COMBINER_ALPHA_ICW, &shader.alpha_inputs);
        self.emit(method::SET_COMBINER_ALPHA_OCW, &shader.alpha_outputs);
        self.emit(method::SET_COMBINER_COLOR_ICW, &shader.rgb_inputs);
        self.emit(method::SET_COMBINER_COLOR_OCW, &shader.rgb_outputs);
        self.emit(method::SET_COMBINER_FACTOR0, &shader.factor0);
        self.emit(method::SET_COMBINER_FACTOR1, &shader.factor1);
        self.emit(method::SET_COMBINER_SPECULAR_FOG_CW0, &shader.final_inputs);
        self.emit(method::SET_SPECULAR_FOG_FACTOR, &shader.final_factors);
        self.emit(method::SET_COMBINER_CONTROL, &[shader.control]);
        self.emit(method::SET_SHADER_STAGE_PROGRAM, &[shader.texture_modes]);
        self.emit(method::SET_DOT_RGBMAPPING, &[shader.dot_mapping]);
        self.emit(method::SET_SHADER_OTHER_STAGE_INPUT, &[shader.input_texture]);
        self.emit(method::SET_SHADER_CLIP_PLANE_MODE, &[shader.compare_mode]);
    }
}
