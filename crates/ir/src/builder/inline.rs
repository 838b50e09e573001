//! The code of another shader, as a part of the one that is built.

use super::{Builder, Scope};
use crate::entity::{Bank, Image, Input, Output, Region, Spec, Texture, Value, Var};
use crate::module::{Args, BankDecl, Def, Imm, Module, NameDecl, Named};
use crate::opcode::Op;
use crate::types::{Mask, Type};

/// Where entities of the inlined shader are in this one.
struct Inlined<'a> {
    from: &'a Module,
    inputs: &'a [Option<Value>],
    outputs: &'a [Option<Var>],
    banks: Vec<Bank>,
    textures: Vec<Texture>,
    images: Vec<Image>,
    specs: Vec<Spec>,
    vars: Vec<Var>,
    values: Vec<Option<Value>>,
    /// Set on the way out of an inner loop, where the shader returns inside of one.
    returned: Option<Var>,
    /// Results of the loops around, those of the inlined shader alone.
    loops: Vec<Vec<Type>>,
    primitives: &'a mut dyn Primitives,
}

/// What takes the place of what a geometry shader does with primitives, where it is inlined.
pub trait Primitives {
    /// The input of a vertex of the primitive, by its number.
    fn load_vertex_input(&mut self, b: &mut Builder, input: Input, vertex: Value) -> Value;
    /// Emits a vertex: the outputs are in their variables.
    fn emit_vertex(&mut self, b: &mut Builder, stream: u8);
    /// Ends a strip.
    fn end_primitive(&mut self, b: &mut Builder, stream: u8);
}

/// There are none in other stages.
struct NoPrimitives;

impl Primitives for NoPrimitives {
    fn load_vertex_input(&mut self, b: &mut Builder, _: Input, _: Value) -> Value {
        b.i32(0)
    }

    fn emit_vertex(&mut self, _: &mut Builder, _: u8) {}

    fn end_primitive(&mut self, _: &mut Builder, _: u8) {}
}

/// How a region leaves the shader.
#[derive(Clone, Copy, Default)]
struct Returns {
    /// Somewhere inside of control flow.
    nested: bool,
    /// Inside of a loop.
    looped: bool,
}

impl Builder {
    /// Does here what `shader`, which must be valid, does; then goes on behind, wherever it returned.
    ///
    /// `inputs` are the values of its inputs, of their types; what has none is zero. `outputs` are the variables that its outputs are stored
    /// to, of their types; what has none is dropped. Its variables start as zero each time. What it declares besides becomes a
    /// declaration of this shader, unless there is an equal one.
    pub fn inline(&mut self, shader: &Module, inputs: &[Option<Value>], outputs: &[Option<Var>]) {
        self.inline_geometry(shader, inputs, outputs, &mut NoPrimitives);
    }

    /// As [`inline`](Builder::inline), of a geometry shader.
    pub fn inline_geometry(
        &mut self,
        shader: &Module,
        inputs: &[Option<Value>],
        outputs: &[Option<Var>],
        primitives: &mut dyn Primitives,
    ) {
        let m = &mut self.module;
        let banks: Vec<Bank> = shader.banks.iter().map(|decl| Bank::new(bank(&mut m.banks, decl))).collect();
        let textures: Vec<Texture> =
            shader.textures.iter().map(|decl| Texture::new(declare(&mut m.textures, decl))).collect();
        let images = shader.images.iter().map(|decl| Image::new(declare(&mut m.images, decl))).collect();
        let specs = shader.specs.iter().map(|decl| Spec::new(declare(&mut m.specs, decl))).collect();
        for NameDecl { of, name, ty } in &shader.names {
            let of = match *of {
                Named::Registers { bank, first, count } => Named::Registers { bank: banks[bank.index()], first, count },
                Named::Texture(texture) => Named::Texture(textures[texture.index()]),
            };
            let decl = NameDecl { of, name: name.clone(), ty: ty.clone() };
            if !self.module.names.contains(&decl) {
                self.name(decl);
            }
        }
        let vars: Vec<Var> = shader.vars.iter().map(|decl| self.add_var(decl.clone())).collect();
        if self.scopes.iter().any(|scope| matches!(scope, Scope::Loop { .. })) {
            vars.iter().for_each(|&var| self.zero(var));
        }
        let mut returns = Returns::default();
        survey(shader, shader.body, false, false, &mut returns);
        let ends = shader.terminator(shader.body).is_some_and(|end| shader.inst(end).op == Op::Return);
        let mut inlined = Inlined {
            from: shader,
            inputs,
            outputs,
            banks,
            textures,
            images,
            specs,
            vars,
            values: vec![None; shader.values.len()],
            returned: returns.looped.then(|| self.var("returned", Type::BOOL)),
            loops: Vec::new(),
            primitives,
        };
        if let Some(var) = inlined.returned {
            self.zero(var);
        }
        if ends && !returns.nested {
            self.copy(&mut inlined, shader.body, true);
            return;
        }
        // A round of a loop, which is left where the shader returns.
        self.begin_loop();
        self.copy(&mut inlined, shader.body, false);
        self.region = self.module.new_region();
        self.end_loop();
    }

    /// Sets a variable to what variables start as.
    fn zero(&mut self, var: Var) {
        let decl = &self.module.vars[var.index()];
        let (ty, array) = (decl.ty, decl.array);
        let zero = self.const_bits(ty, [0; 4]);
        for at in 0..array.unwrap_or(1) {
            if array.is_some() {
                let at = self.i32(at as i32);
                self.store_elem(var, at, Mask::XYZW, zero);
            } else {
                self.store(var, zero);
            }
        }
    }

    /// Copies the instructions of a region to the end of the current one. `straight`: its `return` is left out.
    fn copy(&mut self, to: &mut Inlined, region: Region, straight: bool) {
        let from = to.from;
        for &inst in &from.region(region).insts {
            let data = from.inst(inst);
            let args: Args = data.args.iter().filter_map(|arg| to.values[arg.index()]).collect();
            match (data.op, data.imm) {
                (Op::Return, _) if straight => {}
                (Op::Return, _) => self.leave(to),
                (Op::LoadInput, Imm::Input(input)) => {
                    let value = to.inputs.get(input.index()).copied().flatten();
                    let ty = from.ty(data.results[0]);
                    to.values[data.results[0].index()] = Some(match value {
                        Some(value) => {
                            let value = self.cast(value, ty.kind);
                            self.resize(value, ty.lanes)
                        }
                        None => self.const_bits(ty, [0; 4]),
                    });
                }
                (Op::LoadVertexInput, Imm::Input(input)) => {
                    let value = to.primitives.load_vertex_input(self, input, args[0]);
                    let ty = from.ty(data.results[0]);
                    let value = self.cast(value, ty.kind);
                    to.values[data.results[0].index()] = Some(self.resize(value, ty.lanes));
                }
                (Op::Load, Imm::Var(var)) => {
                    let value = self.load(to.vars[var.index()]);
                    to.values[data.results[0].index()] = Some(self.cast(value, from.ty(data.results[0]).kind));
                }
                (Op::Store, Imm::VarMask(var, mask)) => self.store_masked(to.vars[var.index()], mask, args[0]),
                (Op::EmitVertex, Imm::Stream(stream)) => to.primitives.emit_vertex(self, stream),
                (Op::EndPrimitive, Imm::Stream(stream)) => to.primitives.end_primitive(self, stream),
                (Op::StoreOutput, Imm::Output(output)) => {
                    if let Some(var) = output_of(to, output) {
                        self.store(var, args[0]);
                    }
                }
                (Op::If, Imm::If(yes, no)) => {
                    let regions = [yes, no].map(|region| self.copy_inside(to, region));
                    self.copy_inst(to, data, Imm::If(regions[0], regions[1]), args);
                }
                (Op::Loop, Imm::Loop(body)) => {
                    to.loops.push(data.results.iter().map(|&result| from.ty(result)).collect());
                    let new = self.copy_inside(to, body);
                    to.loops.pop();
                    self.copy_inst(to, data, Imm::Loop(new), args);
                    let mut returns = Returns::default();
                    survey(from, body, true, true, &mut returns);
                    if let Some(var) = to.returned.filter(|_| returns.looped) {
                        let returned = self.load(var);
                        self.begin_if(returned);
                        self.leave(to);
                        self.region = self.module.new_region();
                        self.end_if();
                    }
                }
                (_, imm) => {
                    let imm = to.imm(imm);
                    self.copy_inst(to, data, imm, args);
                }
            }
        }
    }

    fn copy_inst(&mut self, to: &mut Inlined, data: &crate::module::InstData, imm: Imm, args: Args) {
        let types: smallvec::SmallVec<[Type; 4]> = data.results.iter().map(|&result| to.from.ty(result)).collect();
        let inst = self.push(data.op, imm, args, &types);
        for (&old, &new) in data.results.iter().zip(&self.module.inst(inst).results) {
            to.values[old.index()] = Some(new);
        }
    }

    /// Copies a region into a new one.
    fn copy_inside(&mut self, to: &mut Inlined, region: Region) -> Region {
        self.store_all();
        let (outer, new) = (self.region, self.module.new_region());
        for &param in &to.from.region(region).params {
            let value = self.module.new_value(to.from.ty(param), Def::Param(new));
            self.module.regions[new.index()].params.push(value);
            to.values[param.index()] = Some(value);
        }
        let mark = self.known.enter_loop();
        self.region = new;
        self.copy(to, region, false);
        self.go_on(outer, mark);
        new
    }

    /// Ends the region where the shader returns: out of the innermost loop, behind which the next one follows.
    fn leave(&mut self, to: &Inlined) {
        let mut args = Args::new();
        if let (Some(results), Some(var)) = (to.loops.last(), to.returned) {
            let yes = self.bool(true);
            self.store(var, yes);
            args.extend(results.iter().map(|&ty| self.const_bits(ty, [0; 4])));
        }
        self.push(Op::Break, Imm::None, args, &[]);
    }
}

/// Number of the bank, which has as many registers as the larger of equal ones.
fn bank(all: &mut Vec<BankDecl>, decl: &BankDecl) -> usize {
    let same = |other: &BankDecl| (other.source, other.id) == (decl.source, decl.id) && other.defs == decl.defs;
    match all.iter().position(same) {
        Some(at) => {
            all[at].size = all[at].size.max(decl.size);
            at
        }
        None => declare(all, decl),
    }
}

/// The row of a declaration, which is added if there is none.
fn declare<T: Clone + PartialEq>(rows: &mut Vec<T>, decl: &T) -> usize {
    rows.iter().position(|row| row == decl).unwrap_or_else(|| {
        rows.push(decl.clone());
        rows.len() - 1
    })
}

fn output_of(to: &Inlined, output: Output) -> Option<Var> {
    to.outputs.get(output.index()).copied().flatten()
}

fn survey(m: &Module, region: Region, nested: bool, looped: bool, returns: &mut Returns) {
    for &inst in &m.region(region).insts {
        let data = m.inst(inst);
        match data.imm {
            Imm::If(yes, no) => {
                survey(m, yes, true, looped, returns);
                survey(m, no, true, looped, returns);
            }
            Imm::Loop(body) => survey(m, body, true, true, returns),
            _ if data.op == Op::Return => {
                returns.nested |= nested;
                returns.looped |= looped;
            }
            _ => {}
        }
    }
}

impl Inlined<'_> {
    /// An immediate that names things of this shader.
    fn imm(&self, imm: Imm) -> Imm {
        match imm {
            Imm::Var(var) => Imm::Var(self.vars[var.index()]),
            Imm::VarMask(var, mask) => Imm::VarMask(self.vars[var.index()], mask),
            Imm::Bank(bank, at) => Imm::Bank(self.banks[bank.index()], at),
            Imm::Texture(texture, offset) => Imm::Texture(self.textures[texture.index()], offset),
            Imm::Gather(texture, component, offset) => Imm::Gather(self.textures[texture.index()], component, offset),
            Imm::Image(image) => Imm::Image(self.images[image.index()]),
            Imm::ImageAtomic(image, op) => Imm::ImageAtomic(self.images[image.index()], op),
            Imm::Spec(spec) => Imm::Spec(self.specs[spec.index()]),
            other => other,
        }
    }
}
