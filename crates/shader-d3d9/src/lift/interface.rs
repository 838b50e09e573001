//! Declarations, inputs at the start, outputs at the end.

use super::Lifter;
use crate::banks::{Bank, FixedPixelRegister, SystemRegister};
use crate::ctab::RegisterSet;
use crate::io;
use crate::pixel_ops::{self, PixelResult};
use crate::tables::{Opcode, RegisterType, Stage, Usage};
use crate::vertex_ops::{self, VertexResult};
use afterimage_ir::{
    self as ir, BankDecl, BankSource, InputAt, InputDecl, Interp, Mask, NameDecl, Named, OutputAt, OutputDecl,
    Semantic, Type, Value, Var,
};

/// Samplers of one stage.
pub(super) const SAMPLERS: usize = crate::signature::MAX_SAMPLERS;
/// Texture slot of the vertex stage's first sampler.
pub(super) const VERTEX_SLOT: u8 = afterimage_abi::slots::FIRST_VERTEX_TEXTURE as u8;

/// The three constant files: what of them is named, and their banks once declared.
#[derive(Default)]
pub(super) struct Constants {
    float: File,
    int: File,
    bool: File,
    /// What the bump opcodes of ps_1_x share with the fixed-function stage.
    fixed: Option<ir::Bank>,
}

#[derive(Default)]
struct File {
    size: u32,
    bank: Option<ir::Bank>,
}

impl Lifter<'_> {
    pub(super) fn declare(&mut self) {
        self.declare_constants();
        self.declare_arrays();
        match self.program.version.stage {
            Stage::Vertex => self.vertex_inputs(),
            Stage::Pixel => self.pixel_inputs(),
        }
    }

    fn declare_constants(&mut self) {
        for i in &self.program.instructions {
            let defined = i.dst.iter().map(|dst| (dst.register, 1));
            // Only the last source of a matrix opcode has rows, but one bank register too many costs nothing.
            let rows = i.op.info().rows().unwrap_or(1);
            for (register, rows) in defined.chain(i.srcs.iter().map(|src| (src.register, rows))) {
                let file = match register.ty {
                    RegisterType::Const => &mut self.constants.float,
                    RegisterType::ConstInt => &mut self.constants.int,
                    RegisterType::ConstBool => &mut self.constants.bool,
                    _ => continue,
                };
                let info = register.ty.info();
                let (count, most) = (info.count(self.program.version), info.software_count(self.program.version));
                let least = if register.relative.is_some() { count.into() } else { 0 };
                let end = (u32::from(register.number) + u32::from(rows)).max(least);
                file.size = file.size.max(end.min(most.into()));
            }
        }
        for i in &self.program.instructions {
            let Some(dst) = i.dst else { continue };
            let (bank, value) = match i.op {
                Opcode::Def if self.program.version.is_ps_1() => {
                    let clamped = i.immediate.map(|bits| f32::from_bits(bits).clamp(-1.0, 1.0).to_bits());
                    (self.float_bank(), clamped)
                }
                Opcode::Def => (self.float_bank(), i.immediate),
                Opcode::DefI => (self.int_bank(), i.immediate),
                Opcode::DefB => (self.bool_bank(), [i.immediate[0], 0, 0, 0]),
                _ => continue,
            };
            self.b.define_const(bank, dst.register.number.into(), value);
        }
    }

    /// A register of [`Bank::FixedPixel`].
    pub(super) fn fixed_register(&mut self, register: u16) -> Value {
        let size = FixedPixelRegister::COUNT.into();
        let b = &mut self.b;
        let bank = *self.constants.fixed.get_or_insert_with(|| b.bank(bank("fixed", Bank::FixedPixel, size)));
        b.load_const(bank, register.into())
    }

    pub(super) fn float_bank(&mut self) -> ir::Bank {
        let id = self.staged(Bank::VertexFloat, Bank::PixelFloat);
        let file = &mut self.constants.float;
        *file.bank.get_or_insert_with(|| self.b.bank(bank("c", id, file.size)))
    }

    pub(super) fn int_bank(&mut self) -> ir::Bank {
        let id = self.staged(Bank::VertexInt, Bank::PixelInt);
        let file = &mut self.constants.int;
        *file.bank.get_or_insert_with(|| self.b.bank(bank("i", id, file.size)))
    }

    pub(super) fn bool_bank(&mut self) -> ir::Bank {
        let id = self.staged(Bank::VertexBool, Bank::PixelBool);
        let file = &mut self.constants.bool;
        *file.bank.get_or_insert_with(|| self.b.bank(bank("b", id, file.size)))
    }

    fn staged(&self, vertex: Bank, pixel: Bank) -> Bank {
        match self.program.version.stage {
            Stage::Vertex => vertex,
            Stage::Pixel => pixel,
        }
    }

    /// Register files become arrays only in shaders that address them relatively.
    fn declare_arrays(&mut self) {
        let count = |ty: RegisterType| u32::from(ty.info().most(self.program.version));
        let instructions = &self.program.instructions;
        let relative_input = instructions
            .iter()
            .any(|i| i.srcs.iter().any(|s| s.register.ty == RegisterType::Input && s.register.relative.is_some()));
        let relative_output = instructions.iter().any(|i| i.dst.is_some_and(|dst| dst.register.relative.is_some()));
        if relative_input {
            self.input_array = Some(self.b.var_array("v", Type::F32X4, count(RegisterType::Input).max(1)));
        }
        if relative_output {
            self.output_array = Some(self.b.var_array("o", Type::F32X4, count(RegisterType::Output).max(1)));
        }
    }

    fn store_input(&mut self, ty: RegisterType, number: u16, mask: Mask, value: Value) {
        if let (RegisterType::Input, Some(array)) = (ty, self.input_array) {
            let index = self.b.i32(number.into());
            self.b.store_elem(array, index, mask, value);
        } else {
            let var = self.var(ty, number);
            self.b.store_masked(var, mask, value);
        }
    }

    /// All inputs have four components: those that a vertex format lacks are 0, and w is 1, by the rules of both Direct3D
    /// (`D3DDECLTYPE`) and Vulkan ("Vertex Input Extraction"), whose formats are the same here.
    fn vertex_inputs(&mut self) {
        let mut seen = 0u32;
        for element in &self.signature.inputs {
            // A register has one location, so one semantic; the first counts.
            if seen >> element.register & 1 != 0 {
                continue;
            }
            seen |= 1 << element.register;
            let input = self.b.input(InputDecl {
                name: format!("v{}", element.register),
                ty: Type::F32X4,
                at: InputAt::Location(element.register as u8),
                interp: Interp::Smooth,
                semantic: semantic(element.usage, element.index),
            });
            let value = self.b.load_input(input);
            self.store_input(element.file, element.register, Mask::XYZW, value);
        }
    }

    fn pixel_inputs(&mut self) {
        let centroid: Vec<_> = self
            .program
            .instructions
            .iter()
            .filter(|i| i.op == Opcode::Dcl)
            .filter_map(|i| i.dst.filter(|dst| dst.centroid()).map(|dst| dst.register))
            .collect();
        for element in &self.signature.inputs {
            let register = crate::instruction::Register::new(element.file, element.register);
            let mask = Mask(if self.program.version.major < 3 { 0xF } else { element.mask });
            let centroid = centroid.contains(&register);
            let mut value = pixel_ops::input(&mut self.b, self.runtime, element.usage, element.index, centroid);
            // Before model 3, `v#` are colours, and interpolation beyond the edges does not leave their range.
            if self.program.version.major < 3 && element.file == RegisterType::Input {
                value = self.b.fsat(value);
            }
            if element.shift != 0 {
                let lanes = [0, 1, 2, 3].map(|lane: u8| lane.saturating_sub(element.shift));
                value = self.b.swizzle(value, ir::Swizzle::new(&lanes));
            }
            if let (RegisterType::Texture, Some(slot)) =
                (element.file, self.coordinates.get_mut(usize::from(element.register)))
            {
                *slot = Some(value);
            }
            self.store_input(element.file, element.register, mask, value);
        }
    }

    /// `vPos`: pixel coordinates without the half that Vulkan adds.
    pub(super) fn position(&mut self) -> Value {
        let position = pixel_ops::frag_coord(&mut self.b);
        let half = self.b.f32x4([0.5, 0.5, 0.0, 0.0]);
        self.b.fsub(position, half)
    }

    /// `vFace`: 1 for front faces, -1 for back faces.
    pub(super) fn face(&mut self) -> Value {
        let front = pixel_ops::builtin(&mut self.b, "vFace", InputAt::FrontFacing, Type::BOOL);
        let (one, minus) = (self.b.f32(1.0), self.b.f32(-1.0));
        let face = self.b.select(front, one, minus);
        self.b.resize(face, 4)
    }

    pub(super) fn finish(&mut self) {
        self.names();
        match self.program.version.stage {
            Stage::Vertex => self.vertex_outputs(),
            Stage::Pixel => self.pixel_outputs(),
        }
    }

    /// What the source calls the constants and samplers that the code has named.
    fn names(&mut self) {
        let Some(table) = self.program.constant_table() else { return };
        for constant in table.constants {
            let file = match constant.set {
                RegisterSet::Float => &self.constants.float,
                RegisterSet::Int => &self.constants.int,
                RegisterSet::Bool => &self.constants.bool,
                RegisterSet::Sampler => {
                    let texture = self.samplers.get(usize::from(constant.first)).copied().flatten();
                    if let Some(texture) = texture {
                        self.b.name(NameDecl { of: Named::Texture(texture), name: constant.name, ty: constant.ty });
                    }
                    continue;
                }
            };
            let first = u32::from(constant.first);
            let count = u32::from(constant.count).min(file.size.saturating_sub(first));
            if let (Some(bank), 1..) = (file.bank, count) {
                let of = Named::Registers { bank, first, count };
                self.b.name(NameDecl { of, name: constant.name, ty: constant.ty });
            }
        }
    }

    fn output_register(&mut self, ty: RegisterType, number: u16) -> Value {
        if let (RegisterType::Output, Some(array)) = (ty, self.output_array) {
            let index = self.b.i32(number.into());
            return self.b.load_elem(array, index);
        }
        let var = self.var(ty, number);
        self.b.load(var)
    }

    fn vertex_outputs(&mut self) {
        let link = io::link_of_vertex_shader(self.signature);
        let before_3 = self.program.version.major < 3;
        let mut varyings: Vec<(u8, Usage, u8, Var)> = Vec::new();
        let (mut position, mut point_size) = (None, None);
        for element in &self.signature.outputs {
            let value = self.output_register(element.file, element.register);
            let value = self.b.cast(value, ir::Kind::Float);
            let lanes = [0, 1, 2, 3].map(|lane| (lane + element.shift).min(3));
            let value = self.b.swizzle(value, ir::Swizzle::new(&lanes));
            match element.usage {
                _ if !io::is_system_output(element) => {}
                Usage::PSize => {
                    point_size.get_or_insert(value);
                    continue;
                }
                _ => {
                    position.get_or_insert(value);
                    continue;
                }
            }
            let Some(location) = link.location(element.usage, element.index) else { continue };
            let known = varyings.iter().find(|(at, ..)| *at == location).map(|(.., var)| *var);
            let var = known.unwrap_or_else(|| {
                let var = self.b.var(format!("{}{}", element.usage.text(), element.index), Type::F32X4);
                if (element.usage, element.index) == (Usage::Color, 0) {
                    let one = self.b.f32(1.0);
                    self.b.store(var, one);
                }
                varyings.push((location, element.usage, element.index, var));
                var
            });
            // Before model 3 the rasteriser gets colours and fog clamped.
            let clamped = before_3 && matches!(element.usage, Usage::Color | Usage::Fog);
            let value = if clamped { self.b.fsat(value) } else { value };
            self.b.store_masked(var, Mask(element.mask >> element.shift), value);
        }
        for (location, usage, index, var) in varyings {
            let output = self.b.output(OutputDecl {
                name: format!("{}{index}", usage.text()),
                ty: Type::F32X4,
                at: OutputAt::Location(location),
                semantic: semantic(usage, index),
            });
            let value = self.b.load(var);
            self.b.store_output(output, value);
        }
        let position = position.unwrap_or_else(|| self.b.f32x4([0.0; 4]));
        let result = VertexResult { position, clip_vertex: position, point_size };
        vertex_ops::epilogue(&mut self.b, self.runtime.vertex_ops, result);
    }

    fn pixel_outputs(&mut self) {
        let mut result = PixelResult::default();
        if self.program.version.major == 1 {
            result.colors[0] = Some(self.output_register(RegisterType::Temp, 0));
        } else {
            for number in 0..4 {
                if self.signature.color_outputs >> number & 1 != 0 {
                    result.colors[usize::from(number)] = Some(self.output_register(RegisterType::ColorOut, number));
                }
            }
        }
        if self.signature.depth_output {
            let depth = self.output_register(RegisterType::DepthOut, 0);
            let depth = self.b.extract(depth, 0);
            result.depth = Some(self.b.fsat(depth));
        }
        result.fog = self.program.version.major < 3;
        pixel_ops::epilogue(&mut self.b, self.runtime, result);
    }
}

fn bank(name: &str, id: Bank, size: u32) -> BankDecl {
    BankDecl { name: name.to_owned(), source: BankSource::Stage, id: id as u8, size: size.max(1), defs: Vec::new() }
}

pub(crate) fn semantic(usage: Usage, index: u8) -> Option<Semantic> {
    Some(Semantic { usage: usage as u8, index })
}

/// The system block.
pub(crate) fn system_bank(b: &mut ir::Builder) -> ir::Bank {
    let known = b.module().banks.iter().position(|bank| bank.source == BankSource::System);
    known.map(ir::Bank::new).unwrap_or_else(|| {
        b.bank(BankDecl {
            name: "system".to_owned(),
            source: BankSource::System,
            id: Bank::System as u8,
            size: SystemRegister::COUNT.into(),
            defs: Vec::new(),
        })
    })
}
