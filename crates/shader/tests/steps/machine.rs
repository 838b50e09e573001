//! A second reading of the shader reference: executes Direct3D 9 instructions one after the other, four lanes in step, without
//! any IR. What the lifter makes of every shader of the corpus must compute the same.

use crate::world::World;
use afterimage_interp::{Environment, Lod, SampleArgs};
use afterimage_ir::{BankDecl, BankSource, Component, Dim, InputAt, InputDecl, Interp, Offset, TextureDecl, Type};
use afterimage_shader::{RuntimeInfo, bound};
use afterimage_shader_d3d9::instruction::{ControlBits, Dst, Instruction, Register, Relative, Src};
use afterimage_shader_d3d9::signature::{SamplerUse, Signature};
use afterimage_shader_d3d9::tables::{
    Comparison, MISC_FACE, Opcode, RegisterType as R, SourceModifier as M, Stage, TextureDimension,
};
use afterimage_shader_d3d9::{Bank, FixedPixelRegister, Program, SystemRegister};
use std::collections::HashMap;

type Vec4 = [f32; 4];
/// A value in each lane.
type Lanes = [Vec4; 4];

/// Registers and where execution is.
pub(crate) struct Machine<'a> {
    program: &'a Program,
    signature: Signature,
    runtime: &'a RuntimeInfo,
    world: &'a World,
    registers: HashMap<(R, u16), Lanes>,
    predicate: [[bool; 4]; 4],
    address: [[i32; 4]; 4],
    /// `aL` of the loops that are open.
    counters: Vec<i32>,
    /// Rows of the open matrix of ps_1_x: dot products and fourth components.
    rows: Vec<[(f32, f32); 4]>,
    /// Lanes that threw their pixel away.
    pub(crate) killed: [bool; 4],
}

/// Zero times anything is zero.
fn times(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Infinity becomes the greatest number.
fn finite(a: f32) -> f32 {
    if a.is_nan() { f32::MAX } else { a.clamp(-f32::MAX, f32::MAX) }
}

fn dot(a: Vec4, b: Vec4, count: usize) -> f32 {
    (0..count).fold(0.0, |sum, n| sum + times(a[n], b[n]))
}

fn each(f: impl FnMut(usize) -> f32) -> Vec4 {
    let mut f = f;
    [f(0), f(1), f(2), f(3)]
}

fn saturate(a: f32) -> f32 {
    if a.is_nan() { 0.0 } else { a.clamp(0.0, 1.0) }
}

fn power(base: f32, exponent: f32) -> f32 {
    times(exponent, finite(base.abs().log2())).exp2()
}

fn compare(c: Comparison, a: f32, b: f32) -> bool {
    match c {
        Comparison::Gt => a > b,
        Comparison::Eq => a == b,
        Comparison::Ge => a >= b,
        Comparison::Lt => a < b,
        Comparison::Ne => a != b,
        Comparison::Le => a <= b,
    }
}

impl<'a> Machine<'a> {
    /// Executes the whole program.
    pub(crate) fn run(program: &'a Program, runtime: &'a RuntimeInfo, world: &'a World) -> Self {
        let signature = Signature::of(program);
        let mut machine = Self {
            program,
            runtime,
            world,
            signature,
            registers: HashMap::new(),
            predicate: [[false; 4]; 4],
            address: [[0; 4]; 4],
            counters: Vec::new(),
            rows: Vec::new(),
            killed: [false; 4],
        };
        machine.inputs();
        machine.execute(0, program.instructions.len(), 0xF);
        machine
    }

    /// An output register, if anything was written to it.
    pub(crate) fn output(&self, ty: R, number: u16) -> Option<Lanes> {
        self.registers.get(&(ty, number)).copied()
    }

    fn vertex(&self) -> bool {
        self.program.version.stage == Stage::Vertex
    }

    fn ps_1(&self) -> bool {
        self.program.version.is_ps_1()
    }

    fn inputs(&mut self) {
        let link = afterimage_shader_d3d9::io::link_of_pixel_shader(&self.signature);
        for element in self.signature.inputs.clone() {
            let location = match self.vertex() {
                true => Some(element.register as u8),
                false => link.location(element.usage, element.index),
            };
            let at = InputAt::Location(location.expect("the link is the shader's own"));
            let decl = InputDecl { name: String::new(), ty: Type::F32X4, at, interp: Interp::Smooth, semantic: None };
            // A vertex input's register has the semantic that was declared first, and the corpus declares one.
            let all = self.vertex() || self.program.version.major < 3;
            let mask = if all { 0xF } else { element.mask };
            let register = self.registers.entry((element.file, element.register)).or_default();
            for (lane, value) in register.iter_mut().enumerate() {
                let input = self.world.input(&decl, lane).map(f32::from_bits);
                (0..4).filter(|n| mask >> n & 1 != 0).for_each(|n| value[n] = input[n]);
            }
        }
        // Before model 3 the colours that come from vertices are between zero and one.
        if !self.vertex() && self.program.version.major < 3 {
            for number in 0..2 {
                if let Some(color) = self.registers.get_mut(&(R::Input, number)) {
                    color.as_flattened_mut().iter_mut().for_each(|c| *c = saturate(*c));
                }
            }
        }
    }

    fn constant(&self, ty: R, number: u16) -> [u32; 4] {
        let op = match ty {
            R::Const => Opcode::Def,
            R::ConstInt => Opcode::DefI,
            _ => Opcode::DefB,
        };
        let defines = |i: &&Instruction| i.op == op && i.dst.is_some_and(|dst| dst.register.number == number);
        if let Some(definition) = self.program.instructions.iter().rfind(defines) {
            return definition.immediate;
        }
        let first = match ty {
            R::Const => [Bank::VertexFloat, Bank::PixelFloat],
            R::ConstInt => [Bank::VertexInt, Bank::PixelInt],
            _ => [Bank::VertexBool, Bank::PixelBool],
        };
        self.bank(first[usize::from(!self.vertex())], number)
    }

    fn bank(&self, bank: Bank, number: u16) -> [u32; 4] {
        let (name, source) = (String::new(), BankSource::Stage);
        let decl = BankDecl { name, source, id: bank as u8, size: 1 << 13, defs: Vec::new() };
        self.world.constant(&decl, number.into())
    }

    /// A register in a lane, `row` registers further on.
    fn register(&self, register: Register, row: u16, lane: usize) -> Vec4 {
        let offset = match register.relative {
            None => 0,
            Some(Relative::Address(component)) => self.address[lane][usize::from(component)],
            Some(Relative::Loop) => self.counters.last().copied().unwrap_or(0),
        };
        let info = register.ty.info();
        let count = i32::from(match register.ty {
            R::Const => info.count(self.program.version),
            _ => info.most(self.program.version),
        });
        let number = i32::from(register.number + row).wrapping_add(offset);
        // The reference leaves open what lies beyond a file. The IR has the nearest constant, and the last input for all others.
        let number = match register.ty {
            R::Const => number.clamp(0, count - 1) as u16,
            _ => number.cast_unsigned().min(count.cast_unsigned() - 1) as u16,
        };
        match register.ty {
            R::Const => {
                let value = self.constant(R::Const, number).map(f32::from_bits);
                // Constants of model 1 are between minus one and one.
                if self.ps_1() { value.map(|c| if c.is_nan() { -1.0 } else { c.clamp(-1.0, 1.0) }) } else { value }
            }
            R::Misc if number == MISC_FACE => [if World::is_front(self.world.index) { 1.0 } else { -1.0 }; 4],
            R::Misc => {
                let (x, y) = self.world.pixel(lane);
                [x as f32, (y + 2 * self.world.index) as f32, crate::world::DEPTH, 1.0]
            }
            ty => self.registers.get(&(ty, number)).map_or([0.0; 4], |lanes| lanes[lane]),
        }
    }

    fn source(&self, src: &Src, row: u16, lane: usize) -> Vec4 {
        let value = self.register(src.register, row, lane);
        let value = each(|n| value[src.swizzle.component(n)]);
        each(|n| {
            let x = value[n];
            match src.modifier {
                M::None | M::Not => x,
                M::Neg => -x,
                M::Bias => x - 0.5,
                M::BiasNeg => -(x - 0.5),
                M::Sign => 2.0 * (x - 0.5),
                M::SignNeg => -(2.0 * (x - 0.5)),
                M::Complement => 1.0 - x,
                M::X2 => 2.0 * x,
                M::X2Neg => -(2.0 * x),
                M::Dz => x / value[2],
                M::Dw => x / value[3],
                M::Abs => x.abs(),
                M::AbsNeg => -x.abs(),
            }
        })
    }

    /// What a boolean source says.
    fn truth(&self, src: &Src, lane: usize) -> bool {
        let value = match src.register.ty {
            R::Predicate => self.predicate[lane][src.swizzle.component(0)],
            _ => self.constant(R::ConstBool, src.register.number)[0] != 0,
        };
        value != (src.modifier == M::Not)
    }

    /// The instruction that closes or continues the block opened at `open`.
    fn partner(&self, open: usize) -> usize {
        let mut depth = 0;
        for (at, i) in self.program.instructions.iter().enumerate().skip(open + 1) {
            match i.op {
                Opcode::If | Opcode::IfC | Opcode::Loop | Opcode::Rep => depth += 1,
                Opcode::Else if depth == 0 => return at,
                Opcode::EndIf | Opcode::EndLoop | Opcode::EndRep if depth == 0 => return at,
                Opcode::EndIf | Opcode::EndLoop | Opcode::EndRep => depth -= 1,
                _ => {}
            }
        }
        unreachable!("the parser checks that blocks are closed")
    }

    /// Lanes of `active` for which something holds.
    fn lanes(active: u8, holds: impl Fn(usize) -> bool) -> u8 {
        (0..4).filter(|lane| active >> lane & 1 != 0 && holds(*lane)).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// Executes from one instruction to another; returns the lanes that did not break out of the loop around it.
    fn execute(&mut self, from: usize, to: usize, mut active: u8) -> u8 {
        let program = self.program;
        let mut at = from;
        while at < to && active != 0 {
            let i = &program.instructions[at];
            let (s, mut next) = (&i.srcs, at + 1);
            let scalars = |machine: &Self, lane| match i.control {
                ControlBits::Comparison(c) => {
                    compare(c, machine.source(&s[0], 0, lane)[3], machine.source(&s[1], 0, lane)[3])
                }
                _ => false,
            };
            match i.op {
                Opcode::If | Opcode::IfC => {
                    let taken = match i.op {
                        Opcode::If => Self::lanes(active, |lane| self.truth(&s[0], lane)),
                        _ => Self::lanes(active, |lane| scalars(self, lane)),
                    };
                    let middle = self.partner(at);
                    let mut left = self.execute(at + 1, middle, taken);
                    let mut end = middle;
                    if program.instructions[middle].op == Opcode::Else {
                        end = self.partner(middle);
                        left |= self.execute(middle + 1, end, active & !taken);
                    } else {
                        left |= active & !taken;
                    }
                    active = left;
                    next = end + 1;
                }
                Opcode::Loop | Opcode::Rep => {
                    let counter = s.last().expect("the parser checks operands").register;
                    let setup = self.constant(R::ConstInt, counter.number).map(u32::cast_signed);
                    let (mut running, end) = (active, self.partner(at));
                    if i.op == Opcode::Loop {
                        self.counters.push(setup[1]);
                    }
                    for _ in 0..setup[0].min(255) {
                        running = self.execute(at + 1, end, running);
                        if let (Opcode::Loop, Some(counter)) = (i.op, self.counters.last_mut()) {
                            *counter += setup[2];
                        }
                    }
                    if i.op == Opcode::Loop {
                        self.counters.pop();
                    }
                    next = end + 1;
                }
                Opcode::Break => active = 0,
                Opcode::BreakC => active &= !Self::lanes(active, |lane| scalars(self, lane)),
                Opcode::BreakP => active &= !Self::lanes(active, |lane| self.truth(&s[0], lane)),
                Opcode::Call | Opcode::CallNz => {
                    let called = match i.op {
                        Opcode::Call => active,
                        _ => Self::lanes(active, |lane| self.truth(&s[1], lane)),
                    };
                    let is_label = |other: &Instruction| {
                        other.op == Opcode::Label && other.srcs[0].register.number == s[0].register.number
                    };
                    let label = program.instructions.iter().position(is_label).expect("the parser checks labels");
                    self.execute(label + 1, program.instructions.len(), called);
                }
                Opcode::Ret | Opcode::Label => return active,
                _ => {
                    // Two instructions that are issued together read before either writes.
                    let paired = program.instructions.get(at + 1).filter(|partner| partner.coissue);
                    let first = self.compute(i, active);
                    let second = paired.map(|partner| (partner, self.compute(partner, active)));
                    self.write(i, first, active);
                    if let Some((partner, result)) = second {
                        self.write(partner, result, active);
                        next += 1;
                    }
                }
            }
            at = next;
        }
        active
    }

    fn write(&mut self, i: &Instruction, result: Option<Lanes>, active: u8) {
        let (Some(result), Some(dst)) = (result, &i.dst) else { return };
        for lane in (0..4).filter(|lane| active >> lane & 1 != 0) {
            let allowed = self.allowed(i, dst, lane);
            for n in (0..4).filter(|n| allowed[*n]) {
                let mut value = result[lane][n] * f32::from(dst.shift).exp2();
                if dst.saturate() {
                    value = saturate(value);
                }
                match dst.register.ty {
                    R::Predicate => self.predicate[lane][n] = value != 0.0,
                    R::Address => {
                        let rounded = if i.op == Opcode::MovA { value.round_ties_even() } else { value.floor() };
                        self.address[lane][n] = rounded as i32;
                    }
                    ty => {
                        let offset = match dst.register.relative {
                            Some(_) => self.counters.last().copied().unwrap_or(0),
                            None => 0,
                        };
                        let count = i32::from(ty.info().most(self.program.version));
                        let number = (i32::from(dst.register.number) + offset).clamp(0, count - 1) as u16;
                        self.registers.entry((ty, number)).or_default()[lane][n] = value;
                    }
                }
            }
        }
    }

    /// Components that the opcode computes, and that mask and predicate let through.
    fn allowed(&self, i: &Instruction, dst: &Dst, lane: usize) -> [bool; 4] {
        let computed = match i.op {
            Opcode::M3x2 | Opcode::Bem => 2,
            Opcode::M3x3 | Opcode::M4x3 | Opcode::Crs | Opcode::SinCos | Opcode::SinCos2 => 3,
            _ => 4,
        };
        [0, 1, 2, 3].map(|n| {
            let passes = |p: &Src| self.predicate[lane][p.swizzle.component(n)] != (p.modifier == M::Not);
            n < computed && dst.mask >> n & 1 != 0 && i.predicate.as_ref().is_none_or(passes)
        })
    }

    /// The result of an instruction in all lanes; `None` if it has none.
    fn compute(&mut self, i: &Instruction, active: u8) -> Option<Lanes> {
        let s = &i.srcs;
        let get = |n: usize, lane: usize| self.source(&s[n], 0, lane);
        let lanes = |f: &dyn Fn(usize) -> Vec4| Some([f(0), f(1), f(2), f(3)]);
        let unary = |f: &dyn Fn(f32) -> f32| lanes(&|lane| get(0, lane).map(f));
        let binary = |f: &dyn Fn(f32, f32) -> f32| {
            lanes(&|lane| {
                let (a, b) = (get(0, lane), get(1, lane));
                each(|n| f(a[n], b[n]))
            })
        };
        let ternary = |f: &dyn Fn(f32, f32, f32) -> f32| {
            lanes(&|lane| {
                let (a, b, c) = (get(0, lane), get(1, lane), get(2, lane));
                each(|n| f(a[n], b[n], c[n]))
            })
        };
        // The fourth component of a replicated one is that one.
        let scalar = |f: &dyn Fn(f32) -> f32| lanes(&|lane| [f(get(0, lane)[3]); 4]);
        let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
        let matrix = |columns: usize, rows: u16| {
            lanes(&|lane| {
                let vector = get(0, lane);
                let mut row = 0;
                each(|_| {
                    row += 1;
                    if row > rows { 0.0 } else { dot(vector, self.source(&s[1], row - 1, lane), columns) }
                })
            })
        };
        match i.op {
            Opcode::Nop | Opcode::Dcl | Opcode::Def | Opcode::DefI | Opcode::DefB | Opcode::Phase => None,
            Opcode::Mov | Opcode::MovA => unary(&|a| a),
            Opcode::Add => binary(&|a, b| a + b),
            Opcode::Sub => binary(&|a, b| a - b),
            Opcode::Mul => binary(&times),
            Opcode::Mad => ternary(&|a, b, c| times(a, b) + c),
            Opcode::Min => binary(&|a, b| if a < b { a } else { b }),
            Opcode::Max => binary(&|a, b| if a >= b { a } else { b }),
            Opcode::Slt => binary(&|a, b| truth(a < b)),
            Opcode::Sge => binary(&|a, b| truth(a >= b)),
            Opcode::Lrp => ternary(&|a, b, c| times(a, b - c) + c),
            Opcode::Cmp => ternary(&|a, b, c| if a >= 0.0 { b } else { c }),
            Opcode::Cnd if self.program.version.is_ps_before_1_4() => lanes(&|lane| {
                if get(0, lane)[3] > 0.5 { get(1, lane) } else { get(2, lane) }
            }),
            Opcode::Cnd => ternary(&|a, b, c| if a > 0.5 { b } else { c }),
            Opcode::Dp3 => lanes(&|lane| [dot(get(0, lane), get(1, lane), 3); 4]),
            Opcode::Dp4 => lanes(&|lane| [dot(get(0, lane), get(1, lane), 4); 4]),
            Opcode::Dp2Add => lanes(&|lane| [dot(get(0, lane), get(1, lane), 2) + get(2, lane)[3]; 4]),
            Opcode::M4x4 => matrix(4, 4),
            Opcode::M4x3 => matrix(4, 3),
            Opcode::M3x4 => matrix(3, 4),
            Opcode::M3x3 => matrix(3, 3),
            Opcode::M3x2 => matrix(3, 2),
            Opcode::Rcp => scalar(&|a| finite(1.0 / a)),
            Opcode::Rsq => scalar(&|a| finite(1.0 / a.abs().sqrt())),
            Opcode::Exp => scalar(&f32::exp2),
            Opcode::ExpP if self.program.version.major > 1 => scalar(&f32::exp2),
            Opcode::ExpP => lanes(&|lane| {
                let x = get(0, lane)[3];
                [x.floor().exp2(), x - x.floor(), x.exp2(), 1.0]
            }),
            Opcode::Log | Opcode::LogP => scalar(&|a| finite(a.abs().log2())),
            Opcode::Pow => lanes(&|lane| [power(get(0, lane)[3], get(1, lane)[3]); 4]),
            Opcode::Frc => unary(&|a| a - a.floor()),
            Opcode::Abs => unary(&f32::abs),
            Opcode::Sgn | Opcode::Sgn2 => unary(&|a| match a {
                a if a < 0.0 => -1.0,
                0.0 => 0.0,
                _ => 1.0,
            }),
            Opcode::Crs => lanes(&|lane| {
                let (a, b) = (get(0, lane), get(1, lane));
                let minor = |m: usize, n: usize| times(a[m], b[n]) - times(a[n], b[m]);
                [minor(1, 2), minor(2, 0), minor(0, 1), 0.0]
            }),
            Opcode::Nrm => lanes(&|lane| {
                let a = get(0, lane);
                let factor = finite(1.0 / dot(a, a, 3).sqrt());
                a.map(|x| times(x, factor))
            }),
            Opcode::SinCos | Opcode::SinCos2 => lanes(&|lane| {
                let angle = get(0, lane)[3];
                // The reference leaves the others open.
                [angle.cos(), angle.sin(), angle.sin(), angle.sin()]
            }),
            Opcode::Lit => lanes(&|lane| {
                let [x, y, _, w] = get(0, lane);
                let shines = x > 0.0 && y > 0.0;
                let w = if w.is_nan() { -127.9961 } else { w.clamp(-127.9961, 127.9961) };
                [1.0, if x >= 0.0 { x } else { 0.0 }, if shines { power(y, w) } else { 0.0 }, 1.0]
            }),
            Opcode::Dst => lanes(&|lane| {
                let (a, b) = (get(0, lane), get(1, lane));
                [1.0, times(a[1], b[1]), a[2], b[3]]
            }),
            Opcode::SetP => {
                let ControlBits::Comparison(c) = i.control else { return None };
                binary(&|a, b| truth(compare(c, a, b)))
            }
            Opcode::Dsx | Opcode::Dsy => lanes(&|lane| {
                let step = if i.op == Opcode::Dsx { 1 } else { 2 };
                let (a, b) = (get(0, lane & !step), get(0, lane | step));
                each(|n| b[n] - a[n])
            }),
            _ => self.texture(i, active),
        }
    }

    /// Opcodes that look textures up, work on texture coordinates, or throw the pixel away.
    fn texture(&mut self, i: &Instruction, active: u8) -> Option<Lanes> {
        let s = i.srcs;
        let dst = i.dst.expect("the parser checks operands");
        let stage = dst.register.number;
        let own: Lanes = [0, 1, 2, 3].map(|lane| self.register(dst.register, 0, lane));
        let sources = |n: usize| -> Lanes { [0, 1, 2, 3].map(|lane| self.source(&s[n], 0, lane)) };
        let first = |f: &dyn Fn(Vec4) -> Vec4| sources(0).map(f);
        // A row of a matrix: the stage's coordinates times the source.
        let products = || -> [f32; 4] {
            let vector = sources(0);
            [0, 1, 2, 3].map(|lane| dot(own[lane], vector[lane], 3))
        };
        let bump = || {
            let register = FixedPixelRegister::BumpMatrix.element(stage);
            self.bank(Bank::FixedPixel, register).map(f32::from_bits)
        };
        let perturbed = |place: Vec4, by: Vec4| {
            let [m00, m01, m10, m11] = bump();
            let u = place[0] + (times(m00, by[0]) + times(m10, by[1]));
            let v = place[1] + (times(m01, by[0]) + times(m11, by[1]));
            [u, v, place[2], place[3]]
        };
        Some(match i.op {
            Opcode::TexKill => {
                for lane in (0..4).filter(|lane| active >> lane & 1 != 0) {
                    let tested = if self.program.version.major == 1 { 0b111 } else { dst.mask };
                    let negative = |n: usize| tested >> n & 1 != 0 && own[lane][n] < 0.0;
                    let counts = |n: usize| match &i.predicate {
                        Some(p) => self.predicate[lane][p.swizzle.component(n)] != (p.modifier == M::Not),
                        None => true,
                    };
                    self.killed[lane] |= (0..4).any(|n| negative(n) && counts(n));
                }
                return None;
            }
            Opcode::TexCoord => own.map(|[x, y, z, _]| [saturate(x), saturate(y), saturate(z), 1.0]),
            Opcode::TexCrd => sources(0),
            Opcode::Tex => self.look_up(stage, self.projected(stage, own), None),
            Opcode::TexLd14 => self.look_up(stage, sources(0), None),
            Opcode::TexLd => {
                let coords = sources(0);
                let coords = match i.control {
                    ControlBits::Project => coords.map(|c| c.map(|x| x / c[3])),
                    _ => coords,
                };
                let bias = (i.control == ControlBits::Bias).then(|| coords.map(|c| c[3]));
                self.swizzled(&s[1], self.look_up(s[1].register.number, coords, bias))
            }
            Opcode::TexLdL => {
                let coords = sources(0);
                let lods = coords.map(|c| Lod::Level(c[3]));
                self.swizzled(&s[1], self.at_levels(s[1].register.number, coords, lods, active))
            }
            Opcode::TexLdD => {
                let (dx, dy) = (sources(2), sources(3));
                let cut = |[x, y, z, _]: Vec4, dims: usize| [x, y, if dims > 2 { z } else { 0.0 }];
                let dims = usize::from(self.sampled(s[1].register.number).dim.coords());
                let lods = [0, 1, 2, 3].map(|lane| Lod::Gradient {
                    dx: cut(dx[lane], dims),
                    dy: cut(dy[lane], dims),
                    bias: 0.0,
                });
                self.swizzled(&s[1], self.at_levels(s[1].register.number, sources(0), lods, active))
            }
            Opcode::TexReg2Ar => self.look_up(stage, first(&|c| [c[3], c[0], 0.0, 0.0]), None),
            Opcode::TexReg2Gb => self.look_up(stage, first(&|c| [c[1], c[2], 0.0, 0.0]), None),
            Opcode::TexReg2Rgb => self.look_up(stage, first(&|c| [c[0], c[1], c[2], 0.0]), None),
            Opcode::TexBem | Opcode::TexBemL => {
                let by = sources(0);
                let places = self.projected(stage, own);
                let coords = [0, 1, 2, 3].map(|lane| perturbed(places[lane], by[lane]));
                let register = FixedPixelRegister::BumpLuminance.element(stage);
                let [scale, offset, ..] = self.bank(Bank::FixedPixel, register).map(f32::from_bits);
                let texels = self.look_up(stage, coords, None);
                let luminance = |lane: usize| match i.op {
                    Opcode::TexBemL => times(by[lane][2], scale) + offset,
                    _ => 1.0,
                };
                [0, 1, 2, 3].map(|lane| texels[lane].map(|c| times(c, luminance(lane))))
            }
            Opcode::Bem => {
                let (place, by) = (sources(0), sources(1));
                [0, 1, 2, 3].map(|lane| perturbed(place[lane], by[lane]))
            }
            Opcode::TexDp3 => products().map(|product| [product; 4]),
            Opcode::TexDp3Tex => self.look_up(stage, products().map(|product| [product, 0.0, 0.0, 0.0]), None),
            Opcode::TexM3x2Pad | Opcode::TexM3x3Pad => {
                let row = products();
                self.rows.push([0, 1, 2, 3].map(|lane| (row[lane], own[lane][3])));
                return None;
            }
            Opcode::TexM3x2Tex | Opcode::TexM3x2Depth => {
                let (v, u) = (products(), self.rows.pop().expect("the parser checks pads"));
                if i.op == Opcode::TexM3x2Tex {
                    return Some(self.look_up(stage, [0, 1, 2, 3].map(|l| [u[l].0, v[l], 0.0, 0.0]), None));
                }
                self.set_depth([0, 1, 2, 3].map(|lane| (u[lane].0, v[lane])));
                return None;
            }
            Opcode::TexDepth => {
                // The divisor is a colour of ps_1_4, so it is at most one.
                self.set_depth(own.map(|[z, w, ..]| (z, if w < 1.0 { w } else { 1.0 })));
                return None;
            }
            Opcode::TexM3x3 | Opcode::TexM3x3Tex | Opcode::TexM3x3Spec | Opcode::TexM3x3VSpec => {
                let z = products();
                let (y, x) = (self.rows.pop().expect("checked"), self.rows.pop().expect("checked"));
                let fixed_eye = if i.op == Opcode::TexM3x3Spec { sources_of(self, &s[1]) } else { own };
                let vectors = [0, 1, 2, 3].map(|lane| {
                    let normal = [x[lane].0, y[lane].0, z[lane], 1.0];
                    let eye = match i.op {
                        Opcode::TexM3x3VSpec => [x[lane].1, y[lane].1, own[lane][3], 0.0],
                        Opcode::TexM3x3Spec => fixed_eye[lane],
                        _ => return normal,
                    };
                    let factor = 2.0 * times(dot(normal, eye, 3), finite(1.0 / dot(normal, normal, 3)));
                    each(|n| times(normal[n], factor) - eye[n])
                });
                if i.op == Opcode::TexM3x3 { vectors } else { self.look_up(stage, vectors, None) }
            }
            op => unreachable!("{op:?} is no texture opcode"),
        })
    }

    fn set_depth(&mut self, ratio: [(f32, f32); 4]) {
        let depth = ratio.map(|(z, w)| [if w == 0.0 { 1.0 } else { z / w }, 0.0, 0.0, 0.0]);
        self.registers.insert((R::DepthOut, 0), depth);
    }

    /// Coordinates of a stage of ps_1_0 to ps_1_3 whose `D3DTTFF_PROJECTED` is set.
    fn projected(&self, stage: u16, coords: Lanes) -> Lanes {
        match self.runtime.textures[usize::from(stage)] & bound::PROJECTED {
            0 => coords,
            _ => coords.map(|c| c.map(|x| x / c[3])),
        }
    }

    fn swizzled(&self, sampler: &Src, texels: Lanes) -> Lanes {
        texels.map(|texel| each(|n| texel[sampler.swizzle.component(n)]))
    }

    fn sampled(&self, sampler: u16) -> TextureDecl {
        let slot = if self.vertex() { 16 + sampler } else { sampler };
        let bound = self.runtime.textures[usize::from(slot)];
        let declared = self.signature.samplers[usize::from(sampler)];
        let dim = match (bound & bound::KIND, declared) {
            (bound::NONE, Some(SamplerUse::Declared(TextureDimension::Cube))) | (bound::CUBE, _) => Dim::Cube,
            (bound::NONE, Some(SamplerUse::Declared(TextureDimension::Volume))) | (bound::D3, _) => Dim::D3,
            _ => Dim::D2,
        };
        TextureDecl {
            slot: slot as u8,
            dim,
            shadow: bound & bound::SHADOW != 0 && dim == Dim::D2,
            component: Component::Float,
        }
    }

    /// A lookup with the derivatives of the quad.
    fn look_up(&self, sampler: u16, coords: Lanes, bias: Option<[f32; 4]>) -> Lanes {
        let dims = usize::from(self.sampled(sampler).dim.coords());
        let lods = [0usize, 1, 2, 3].map(|lane| {
            let difference = |step: usize| {
                let (a, b) = (coords[lane & !step], coords[lane | step]);
                [0, 1, 2].map(|n| if n < dims { b[n] - a[n] } else { 0.0 })
            };
            Lod::Gradient { dx: difference(1), dy: difference(2), bias: bias.map_or(0.0, |bias| bias[lane]) }
        });
        self.at_levels(sampler, coords, lods, 0xF)
    }

    fn at_levels(&self, sampler: u16, coords: Lanes, lods: [Lod; 4], active: u8) -> Lanes {
        let decl = self.sampled(sampler);
        let fetch4 = self.runtime.textures[usize::from(decl.slot)] & bound::FETCH4 != 0;
        [0, 1, 2, 3].map(|lane| {
            if active >> lane & 1 == 0 {
                return [0.0; 4];
            }
            let [x, y, z, _] = coords[lane];
            let coord = [x, y, if decl.dim == Dim::D2 { 0.0 } else { z }];
            if fetch4 && decl.dim == Dim::D2 && !decl.shadow && !self.vertex() {
                // Red is the texel above right, then below left, below right, above left, and above left is that at the place.
                let half = SystemRegister::HalfTexel.element(decl.slot.into());
                let half = World::register(self.world.index, Bank::System as u8, half.into()).map(f32::from_bits);
                let coord = [x + half[0], y + half[1], 0.0];
                let [below_left, below_right, above_right, above_left] = self.world.gather(&decl, coord);
                return [above_right, below_left, below_right, above_left];
            }
            let reference = decl.shadow.then_some(z);
            self.world
                .sample(&decl, &SampleArgs { coord, layer: 0.0, offset: Offset::default(), lod: lods[lane], reference })
        })
    }
}

fn sources_of(machine: &Machine<'_>, src: &Src) -> Lanes {
    [0, 1, 2, 3].map(|lane| machine.source(src, 0, lane))
}
