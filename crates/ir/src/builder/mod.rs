//! Builds modules: one method per opcode, and begin/end methods for control flow.
//!
//! Made for front ends that read guest code token by token and trust none of it, so nothing here panics because of the order
//! of calls: what cannot be is remembered and returned by [`Builder::finish`].
//!
//! * Operands are converted to the kind that the opcode wants: `fadd` of untyped bits takes them as floats. Between truth
//!   values and the others, 0 is false and 1 (1.0) is true.
//! * A scalar operand of a component-wise opcode is repeated for all lanes; otherwise the longer operand is cut.
//! * Variables are stored to where others may read them: what is loaded before that is what was stored (`known`).
//! * Code after `break_`, `continue_`, `return_` in the same region is dropped.

mod flow;
mod inline;
mod known;
mod memory;
mod textures;
mod wave;

pub use inline::Primitives;
pub use textures::{Level, TextureRef};

use known::{Known, Mark};
use smallvec::{SmallVec, smallvec};

use crate::entity::{Bank, Image, Input, Inst, Output, Region, Spec, Texture, Value, Var};
use crate::feedback::FeedbackDecl;
use crate::geometry::GeometryDecl;
use crate::module::{
    Args, BankDecl, ImageDecl, Imm, InputAt, InputDecl, MAX_DEPTH, MAX_NAMES, MAX_VALUES, Module, NameDecl, OutputDecl,
    SpecDecl, Stage, TextureDecl, VarDecl,
};
use crate::opcode::{Meaning, Op, Pattern};
use crate::table::opcode_table;
use crate::types::{Kind, Mask, Swizzle, Type};

/// Why [`Builder::finish`] gives no module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// An end without its begin, an end of something else, or a begin without its end.
    #[error("control flow does not nest: {0}")]
    Unbalanced(&'static str),
    /// `break` or `continue` outside of a loop.
    #[error("{0} outside of a loop")]
    OutsideLoop(&'static str),
    /// More than [`MAX_DEPTH`] nested blocks.
    #[error("more than {MAX_DEPTH} nested blocks")]
    TooDeep,
    /// More than [`MAX_VALUES`] values.
    #[error("more than {MAX_VALUES} values")]
    TooLarge,
}

enum Scope {
    If { outer: Region, other: Option<Region>, mark: Mark },
    Loop { outer: Region, mark: Mark },
}

/// Builds one module.
pub struct Builder {
    module: Module,
    region: Region,
    scopes: SmallVec<[Scope; 8]>,
    error: Option<BuildError>,
    known: Known,
    /// See [`Builder::nothing`].
    nothings: Vec<(SmallVec<[Type; 2]>, Inst)>,
}

impl Builder {
    /// An empty shader of `stage`.
    pub fn new(stage: Stage) -> Builder {
        Builder::of(Module::new(stage))
    }

    /// An empty shader of `stage` with room for so many instructions.
    pub fn with_room(stage: Stage, instructions: usize) -> Builder {
        Builder::of(Module::with_room(stage, instructions.min(MAX_VALUES)))
    }

    fn of(module: Module) -> Builder {
        let known = Known::nothing();
        Builder { region: module.body, module, scopes: SmallVec::new(), error: None, known, nothings: Vec::new() }
    }

    /// The module so far.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Names the module, for people.
    pub fn set_name(&mut self, name: &str) {
        self.module.name = name.to_owned();
    }

    /// Ends the shader and hands it over.
    ///
    /// # Errors
    /// The first thing that went wrong while building.
    pub fn finish(mut self) -> Result<Module, BuildError> {
        if !self.scopes.is_empty() {
            self.fail(BuildError::Unbalanced("the shader ends inside a block"));
        }
        self.terminate(Op::Return);
        let body = &mut self.module.regions[self.module.body.index()].insts;
        body.splice(..0, self.known.first);
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.module),
        }
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    // Declarations.

    /// Declares an input.
    pub fn input(&mut self, decl: InputDecl) -> Input {
        self.module.inputs.push(decl);
        Input::new(self.module.inputs.len() - 1)
    }

    /// The value of the input at a place, which is declared when it is first read.
    pub fn input_at(&mut self, at: InputAt, decl: impl FnOnce() -> InputDecl) -> Value {
        let known = self.module.inputs.iter().position(|input| input.at == at).map(Input::new);
        let input = known.unwrap_or_else(|| self.input(decl()));
        self.load_input(input)
    }

    /// Declares an output.
    pub fn output(&mut self, decl: OutputDecl) -> Output {
        self.module.outputs.push(decl);
        Output::new(self.module.outputs.len() - 1)
    }

    /// Says what a geometry shader takes and gives.
    pub fn geometry(&mut self, decl: GeometryDecl) {
        self.module.geometry = Some(decl);
    }

    /// Has transform feedback record components of an output.
    pub fn feedback(&mut self, decl: FeedbackDecl) {
        self.module.feedback.push(decl);
    }

    /// Declares a constant bank.
    pub fn bank(&mut self, mut decl: BankDecl) -> Bank {
        decl.defs.sort_by_key(|d| d.0);
        self.module.banks.push(decl);
        Bank::new(self.module.banks.len() - 1)
    }

    /// Adds or replaces a register value that the shader itself defines.
    pub fn define_const(&mut self, bank: Bank, index: u32, bits: [u32; 4]) {
        let defs = &mut self.module.banks[bank.index()].defs;
        match defs.binary_search_by_key(&index, |d| d.0) {
            Ok(at) => defs[at].1 = bits,
            Err(at) => defs.insert(at, (index, bits)),
        }
    }

    /// Tells what the program's source calls registers or a texture. Names beyond [`MAX_NAMES`](crate::MAX_NAMES) are
    /// left out.
    pub fn name(&mut self, decl: NameDecl) {
        if self.module.names.len() < MAX_NAMES {
            self.module.names.push(decl);
        }
    }

    /// Declares a texture.
    pub fn texture(&mut self, decl: TextureDecl) -> Texture {
        self.module.textures.push(decl);
        Texture::new(self.module.textures.len() - 1)
    }

    /// Declares a storage image.
    pub fn image(&mut self, decl: ImageDecl) -> Image {
        self.module.images.push(decl);
        Image::new(self.module.images.len() - 1)
    }

    /// Sets the lanes of a work group in each direction, and the bytes of its memory (a multiple of four).
    pub fn work_group(&mut self, group: [u32; 3], shared: u32) {
        self.module.group = group;
        self.module.shared = shared;
    }

    /// Says that each 64 lanes of the work group in succession are a wave, and run every instruction of the wave together.
    pub fn guest_waves(&mut self) {
        self.module.guest_waves = true;
    }

    /// Integers of a location of the pixel stage's outputs are signed.
    pub fn signed_output(&mut self, location: u8) {
        self.module.signed_outputs |= 1u8.checked_shl(location.into()).unwrap_or(0);
    }

    /// Declares a specialisation constant.
    pub fn spec(&mut self, decl: SpecDecl) -> Spec {
        self.module.specs.push(decl);
        Spec::new(self.module.specs.len() - 1)
    }

    /// Declares a variable. It starts as zero.
    pub fn var(&mut self, name: impl Into<String>, ty: Type) -> Var {
        self.add_var(VarDecl { name: name.into(), ty, array: None })
    }

    /// Declares an array variable of `len` (1 to [`MAX_ARRAY`](crate::MAX_ARRAY)) elements. They start as zero.
    pub fn var_array(&mut self, name: &str, ty: Type, len: u32) -> Var {
        self.add_var(VarDecl { name: name.to_owned(), ty, array: Some(len) })
    }

    fn add_var(&mut self, decl: VarDecl) -> Var {
        self.module.vars.push(decl);
        Var::new(self.module.vars.len() - 1)
    }

    // Instructions.

    /// Type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.module.ty(value)
    }

    fn push(&mut self, op: Op, imm: Imm, args: Args, results: &[Type]) -> Inst {
        match op {
            Op::Return => self.known.drop_late(),
            // Others read variables behind these.
            Op::If | Op::Loop | Op::Yield | Op::Break | Op::Continue => self.store_all(),
            _ => {}
        }
        self.append(op, imm, args, results)
    }

    /// Appends an instruction that variables have nothing to do with.
    #[inline]
    fn append(&mut self, op: Op, imm: Imm, args: Args, results: &[Type]) -> Inst {
        if self.is_full() {
            self.fail(BuildError::TooLarge);
            return self.nothing(op, imm, args, results);
        }
        let inst = self.module.new_inst(op, imm, args, results);
        self.module.regions[self.region.index()].insts.push(inst);
        inst
    }

    fn is_full(&self) -> bool {
        self.module.values.len().max(self.module.insts.len()) >= MAX_VALUES
    }

    /// In place of an instruction for which there is no room: one with these results that is part of nothing. There is one for each kind
    /// of results, so that code goes on to its end without taking more memory, however long it is.
    #[cold]
    fn nothing(&mut self, op: Op, imm: Imm, args: Args, results: &[Type]) -> Inst {
        let known = self.nothings.iter().find(|(types, _)| types[..] == *results);
        if let Some((_, inst)) = known {
            return *inst;
        }
        let inst = self.module.new_inst(op, imm, args, results);
        self.nothings.push((results.into(), inst));
        inst
    }

    fn push1(&mut self, op: Op, imm: Imm, args: Args, result: Type) -> Value {
        let inst = self.append(op, imm, args, &[result]);
        self.module.inst(inst).results[0]
    }

    /// A float constant.
    pub fn f32(&mut self, value: f32) -> Value {
        self.const_bits(Type::F32, [value.to_bits(), 0, 0, 0])
    }

    /// A constant of four floats.
    pub fn f32x4(&mut self, value: [f32; 4]) -> Value {
        self.const_bits(Type::F32X4, value.map(f32::to_bits))
    }

    /// An integer constant.
    pub fn i32(&mut self, value: i32) -> Value {
        self.const_bits(Type::I32, [value as u32, 0, 0, 0])
    }

    /// A constant truth value.
    pub fn bool(&mut self, value: bool) -> Value {
        self.const_bits(Type::BOOL, [value as u32, 0, 0, 0])
    }

    /// `value` as another kind: the same bits, or, from and to truth values, as 1 (1.0) and 0.
    pub fn cast(&mut self, value: Value, kind: Kind) -> Value {
        let ty = self.ty(value);
        if ty.kind == kind {
            return value;
        }
        let to = ty.with_kind(kind);
        if ty.kind != Kind::Bool && kind != Kind::Bool {
            if let Some(bits) = self.module.as_const(value) {
                return self.const_bits(to, bits);
            }
            if let Some(inner) = self.module.def_of(value, Op::Bitcast) {
                let before = inner.args[0];
                let same = self.ty(before).kind == kind;
                return if same { before } else { self.push1(Op::Bitcast, Imm::None, smallvec![before], to) };
            }
        }
        if ty.kind == Kind::Bool {
            let one = if kind == Kind::Float { 1f32.to_bits() } else { 1 };
            let yes = self.const_bits(to, [one; 4]);
            let no = self.const_bits(to, [0; 4]);
            return self.push1(Op::Select, Imm::None, smallvec![value, yes, no], to);
        }
        if kind == Kind::Bool {
            let op = if ty.kind == Kind::Float { Op::FNe } else { Op::INe };
            let value = if ty.kind == Kind::Bits { self.cast(value, Kind::Int) } else { value };
            let zero = self.const_bits(self.ty(value), [0; 4]);
            return self.push1(op, Imm::None, smallvec![value, zero], to);
        }
        self.push1(Op::Bitcast, Imm::None, smallvec![value], to)
    }

    /// Component `lane` of `value`.
    pub fn extract(&mut self, value: Value, lane: u8) -> Value {
        self.swizzle(value, Swizzle::new(&[lane.min(3)]))
    }

    /// `value` with `lanes` (1 to 4) components: a scalar is repeated, a longer vector cut, a shorter one ends in copies of its
    /// last component.
    pub fn resize(&mut self, value: Value, lanes: u8) -> Value {
        let ty = self.ty(value);
        if ty.lanes == lanes {
            return value;
        }
        let last = ty.lanes - 1;
        let pick = [0, 1.min(last), 2.min(last), 3.min(last)];
        self.swizzle(value, Swizzle::new(&pick[..lanes.clamp(1, 4) as usize]))
    }

    /// Picks components out of two values, numbered through both.
    pub fn shuffle(&mut self, a: Value, b: Value, select: Swizzle) -> Value {
        let ty = self.ty(a);
        let b = self.cast(b, ty.kind);
        let total = ty.lanes + self.ty(b).lanes;
        let imm = Imm::Swizzle(select.map(|lane| lane.min(total - 1)));
        self.push1(Op::Shuffle, imm, smallvec![a, b], ty.with_lanes(select.count()))
    }

    /// The components of `parts` one after the other, in the kind of the first; those beyond four are dropped. Without any,
    /// a zero.
    pub fn construct(&mut self, parts: &[Value]) -> Value {
        let Some(&first) = parts.first() else { return self.f32(0.0) };
        let kind = self.ty(first).kind;
        let (mut args, mut lanes) = (Args::new(), 0);
        for &part in parts {
            let room = 4 - lanes;
            if room == 0 {
                break;
            }
            let part = self.cast(part, kind);
            let take = self.ty(part).lanes.min(room);
            args.push(self.resize(part, take));
            lanes += take;
        }
        if args.len() == 1 {
            return args[0];
        }
        self.push1(Op::Construct, Imm::None, args, Type::new(kind, lanes))
    }

    /// Sets the masked components of a variable to the components of `value` at the same places.
    pub fn store_masked(&mut self, var: Var, mask: Mask, value: Value) {
        let Some((mask, value)) = self.fit(var, mask, value) else { return };
        if mask.count() == self.ty(value).lanes {
            return self.store(var, value);
        }
        self.store_all();
        self.push(Op::Store, Imm::VarMask(var, mask), smallvec![value], &[]);
        self.known.forget(var);
    }

    /// Element `index` (clamped) of an array variable.
    pub fn load_elem(&mut self, var: Var, index: Value) -> Value {
        let ty = self.module.vars[var.index()].ty;
        let index = self.index(index);
        self.push1(Op::LoadElem, Imm::Var(var), smallvec![index], ty)
    }

    /// Sets the masked components of element `index` (clamped) of an array variable.
    pub fn store_elem(&mut self, var: Var, index: Value, mask: Mask, value: Value) {
        let index = self.index(index);
        let Some((mask, value)) = self.fit(var, mask, value) else { return };
        self.push(Op::StoreElem, Imm::VarMask(var, mask), smallvec![index, value], &[]);
    }

    fn fit(&mut self, var: Var, mask: Mask, value: Value) -> Option<(Mask, Value)> {
        let ty = self.module.vars[var.index()].ty;
        let mask = Mask(mask.0 & Mask::first(ty.lanes).0);
        let value = self.cast(value, ty.kind);
        let value = self.resize(value, ty.lanes);
        (mask.0 != 0).then_some((mask, value))
    }

    fn index(&mut self, index: Value) -> Value {
        let index = self.cast(index, Kind::Int);
        self.resize(index, 1)
    }

    /// The value of an input.
    pub fn load_input(&mut self, input: Input) -> Value {
        let ty = self.module.inputs[input.index()].ty;
        self.push1(Op::LoadInput, Imm::Input(input), Args::new(), ty)
    }

    /// Sets an output.
    pub fn store_output(&mut self, output: Output, value: Value) {
        let ty = self.module.outputs[output.index()].ty;
        let value = self.cast(value, ty.kind);
        let value = self.resize(value, ty.lanes);
        self.push(Op::StoreOutput, Imm::Output(output), smallvec![value], &[]);
    }

    /// Register `index` of a bank as four untyped components. Beyond the bank it is the last one; a register that the shader
    /// itself defines is a constant.
    pub fn load_const(&mut self, bank: Bank, index: u32) -> Value {
        self.load_const_as(Kind::Bits, bank, index)
    }

    /// As [`load_const`](Builder::load_const), as four components of `kind`, where the guest says what a register holds: less for
    /// type inference to find out.
    pub fn load_const_as(&mut self, kind: Kind, bank: Bank, index: u32) -> Value {
        if kind == Kind::Bool {
            let bits = self.load_const_as(Kind::Bits, bank, index);
            return self.cast(bits, kind);
        }
        let ty = Type::new(kind, 4);
        let decl = &self.module.banks[bank.index()];
        let index = index.min(decl.size.saturating_sub(1));
        if let Some(bits) = decl.def(index) {
            return self.const_bits(ty, bits);
        }
        self.push1(Op::LoadConst, Imm::Bank(bank, index as i32), Args::new(), ty)
    }

    /// Register `base + index` of a bank, clamped to the bank, as four untyped components.
    pub fn load_const_dyn(&mut self, bank: Bank, base: i32, index: Value) -> Value {
        let index = self.index(index);
        self.push1(Op::LoadConstDyn, Imm::Bank(bank, base), smallvec![index], Type::B32X4)
    }

    /// The input of one of the primitive's vertices, by its number.
    pub fn load_vertex_input(&mut self, input: Input, vertex: Value) -> Value {
        let vertex = self.index(vertex);
        let ty = self.module.inputs[input.index()].ty;
        self.push1(Op::LoadVertexInput, Imm::Input(input), smallvec![vertex], ty)
    }

    /// What the outputs hold is the next vertex of the stream.
    pub fn emit_vertex(&mut self, stream: u8) {
        self.push(Op::EmitVertex, Imm::Stream(stream), Args::new(), &[]);
    }

    /// Ends the strip of the stream.
    pub fn end_primitive(&mut self, stream: u8) {
        self.push(Op::EndPrimitive, Imm::Stream(stream), Args::new(), &[]);
    }

    /// The value of a specialisation constant.
    pub fn load_spec(&mut self, spec: Spec) -> Value {
        let ty = Type::new(self.module.specs[spec.index()].kind, 1);
        self.push1(Op::LoadSpec, Imm::Spec(spec), Args::new(), ty)
    }

    /// Difference to the horizontal neighbour of the quad.
    pub fn ddx(&mut self, value: Value) -> Value {
        let value = self.cast(value, Kind::Float);
        self.push1(Op::Ddx, Imm::None, smallvec![value], self.ty(value))
    }

    /// Difference to the vertical neighbour of the quad.
    pub fn ddy(&mut self, value: Value) -> Value {
        let value = self.cast(value, Kind::Float);
        self.push1(Op::Ddy, Imm::None, smallvec![value], self.ty(value))
    }

    /// Throws the pixel away where the scalar `cond` is true.
    pub fn demote(&mut self, cond: Value) {
        let cond = self.condition(cond);
        self.push(Op::Demote, Imm::None, smallvec![cond], &[]);
    }

    /// Waits until pixels of earlier primitives at the same place are past their `end_interlock`.
    pub fn begin_interlock(&mut self) {
        self.push(Op::BeginInterlock, Imm::None, smallvec![], &[]);
    }

    /// Lets pixels of later primitives at the same place pass `begin_interlock`.
    pub fn end_interlock(&mut self) {
        self.push(Op::EndInterlock, Imm::None, smallvec![], &[]);
    }

    fn condition(&mut self, cond: Value) -> Value {
        let cond = self.cast(cond, Kind::Bool);
        self.resize(cond, 1)
    }

    /// An opcode of the `lanes`, `reduce` and `pairs` parts of the table, chosen at run time; operands are converted as in the opcodes' own
    /// methods. `None` if it is of the `special` part or takes another number of operands.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        let info = op.info();
        let fits = info.args.is_some_and(|patterns| patterns.len() == args.len());
        (fits && !matches!(info.meaning, Meaning::Special)).then(|| self.compute(op, args))
    }

    fn compute(&mut self, op: Op, args: &[Value]) -> Value {
        let info = op.info();
        // That of the shortest vector, if there is one.
        let lanes = args.iter().map(|&a| self.ty(a).lanes).filter(|&l| l > 1).min().unwrap_or(1);
        let pairs = matches!(info.meaning, Meaning::Pairs(_));
        let lanes_of = |pattern| match (pairs, pattern) {
            (false, _) => lanes,
            (true, Pattern::D) => 2,
            (true, _) => 1,
        };
        let patterns = info.args.unwrap_or_default();
        let mut same = None;
        let mut list = Args::from_buf_and_len([Value(0); 4], patterns.len().min(args.len()).min(4));
        for ((to, &arg), pattern) in list.iter_mut().zip(args).zip(patterns) {
            let ty = self.ty(arg);
            let kind = pattern.kind().unwrap_or_else(|| *same.get_or_insert(ty.kind));
            let wanted = Type { kind, lanes: lanes_of(*pattern) };
            *to = if ty == wanted { arg } else { self.fitted(arg, wanted) };
        }
        let kind = info.result.and_then(Pattern::kind).or(same).unwrap_or(Kind::Bits);
        let lanes =
            if matches!(info.meaning, Meaning::Reduce(..)) { 1 } else { lanes_of(info.result.unwrap_or(Pattern::T)) };
        self.push1(op, Imm::None, list, Type::new(kind, lanes))
    }

    /// `value` as another kind, and with as many components as that has.
    fn fitted(&mut self, value: Value, ty: Type) -> Value {
        let value = self.cast(value, ty.kind);
        self.resize(value, ty.lanes)
    }
}

macro_rules! methods {
    (
        lanes { $($(#[doc = $ldoc:literal])+ $lop:ident $lname:ident ($($la:ident: $lk:ident),*) -> $lr:ident
            [$($lf:ident)*] = $le:expr;)* }
        reduce { $($(#[doc = $rdoc:literal])+ $rop:ident $rname:ident ($($ra:ident: $rk:ident),*) -> $rr:ident
            [$($rf:ident)*] = $rs:expr, $acc:ident => $re:expr;)* }
        pairs { $($(#[doc = $pdoc:literal])+ $pop:ident $pname:ident ($($pa:ident: $pk:ident),*) -> $pr:ident
            [$($pf:ident)*] = $pe:expr;)* }
        special { $($special:tt)* }
    ) => {
        impl Builder {
            $($(#[doc = $ldoc])+ pub fn $lname(&mut self, $($la: Value),*) -> Value {
                self.compute(Op::$lop, &[$($la),*])
            })*
            $($(#[doc = $rdoc])+ pub fn $rname(&mut self, $($ra: Value),*) -> Value {
                self.compute(Op::$rop, &[$($ra),*])
            })*
            $($(#[doc = $pdoc])+ pub fn $pname(&mut self, $($pa: Value),*) -> Value {
                self.compute(Op::$pop, &[$($pa),*])
            })*
        }
    };
}

opcode_table!(methods);
