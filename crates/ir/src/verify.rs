//! Checks a module. What passes can be handled by every pass and back end without further doubt.
//!
//! Structure
//! 1. Regions and instructions form a tree below the body, each part of it once, at most [`MAX_DEPTH`] deep.
//! 2. A region ends with its only terminator. The body ends with `return` or `unreachable`; a region of `if` with any but
//!    `continue` and `break` outside of a loop; a loop's body with any but `yield`.
//! 3. A value is defined once and its table row names that place. It is used only behind its definition in the same region or
//!    in regions inside.
//!
//! Types
//! 4. Operands and results are of the number and kinds that the opcode's row says; component-wise opcodes have as many lanes
//!    throughout, reductions give a scalar.
//! 5. `swizzle` and `shuffle` select components that exist; `construct` has one to four components in all; constants of truth
//!    values are 0 or 1 and unused components are 0.
//! 6. Loads and stores fit the variable, input or output; only arrays are indexed; a mask is not empty and within the type.
//! 7. Constant registers lie within the bank (static index) and loads have four lanes.
//! 8. Operands of lookups are those that texture or image and opcode call for; addresses and what is stored there have the
//!    types that the opcode's row says.
//! 9. `if` and `loop` take what their row says; `yield` and `break` give the results' types, `continue` the parameters'.
//!
//! Interface
//! 10. Immediates are of the kind that the opcode's row says and name declared things.
//! 11. Inputs and outputs belong to the stage, have the type of their builtin, and share no location, except inputs of pixels that differ in
//!     the place of interpolation alone (drivers have one way with or without perspective for a location). Shadow textures are two-dimensional
//!     or cubes.
//! 12. Quad opcodes, `demote` and interlocks are in the pixel stage only.
//! 13. Specialisation constants are typed and differ in their number.
//! 14. Sizes of banks, arrays and the module keep to the limits; register values of a bank are in rising order.
//! 15. Names are those of registers within a declared bank, or of a declared texture.
//! 16. Storage images differ in their slot, and those of `r64` are of `uint`; work groups keep to the limits, and only the compute stage has them.
//! 17. Feedback is of outputs of the vertex or the geometry stage. A buffer has one stride and one stream, an output one stream; no two of them have
//!     bytes in common, and all lie within the vertex, on multiples of four.
//! 18. The geometry stage, and no other, says what primitives it takes and gives, and has `load_vertex_input`, `emit_vertex` and
//!     `end_primitive`. Inputs that vertices have are read by the first alone there.

use crate::entity::{Bank, Image, Input, Inst, Output, Region, Spec, Texture, Value, Var};
use crate::error::{VerifyError, fail};
use crate::feedback::{FEEDBACK_STREAMS, verify_feedback};
use crate::geometry::verify_geometry;
use crate::module::*;
use crate::opcode::{Flags, ImmKind, Meaning, Op, Pattern};
use crate::types::{Kind, Mask, Type};
use smallvec::SmallVec;

/// Checks `module` against the rules above.
///
/// # Errors
/// The first rule that it breaks.
pub fn verify(module: &Module) -> Result<(), VerifyError> {
    interface(module)?;
    let mut v = Verifier {
        m: module,
        in_scope: vec![false; module.values.len()],
        defined: vec![false; module.values.len()],
        scope: Vec::with_capacity(module.values.len()),
        regions_seen: vec![false; module.regions.len()],
        insts_seen: vec![false; module.insts.len()],
    };
    v.region(module.body, Frame { depth: 1, ..Frame::default() })
}

fn interface(m: &Module) -> Result<(), VerifyError> {
    if m.values.len() > MAX_VALUES {
        return fail("module", format!("more than {MAX_VALUES} values"));
    }
    let mut used = 0u64;
    for (i, d) in m.inputs.iter().enumerate() {
        let place = Input::new(i);
        let (stages, ty) = match d.at {
            InputAt::Location(n) => {
                let elsewhere = |other: &InputDecl| {
                    other.ty == d.ty && other.interp != d.interp && other.interp.shares_location(d.interp)
                };
                let mut others = m.inputs[..i].iter().filter(|other| other.at == d.at).peekable();
                let again = m.stage == Stage::Pixel && d.ty.kind == Kind::Float && others.peek().is_some();
                if !(again && others.all(elsewhere)) {
                    take_location(place, &mut used, n, d.ty)?;
                }
                continue;
            }
            InputAt::ClipDistance(n) | InputAt::CullDistance(n) => {
                distances(place, d.at, n)?;
                (&[Stage::Geometry][..], d.ty.with_kind(Kind::Float))
            }
            _ => match d.at.builtin() {
                Some((_, stages, ty)) => (stages, ty),
                None => continue,
            },
        };
        builtin(m, place, d.at, stages, d.ty, ty)?;
        if m.inputs[..i].iter().any(|other| other.at == d.at) {
            return fail(place, format!("{} is declared twice", d.at));
        }
    }
    let mut used = 0u64;
    for (i, d) in m.outputs.iter().enumerate() {
        let place = Output::new(i);
        let (stages, ty) = match d.at {
            OutputAt::Location(n) => {
                take_location(place, &mut used, n, d.ty)?;
                continue;
            }
            OutputAt::ClipDistance(n) | OutputAt::CullDistance(n) => {
                distances(place, d.at, n)?;
                (&[Stage::Vertex, Stage::Geometry][..], d.ty.with_kind(Kind::Float))
            }
            _ => match d.at.builtin() {
                Some((_, stages, ty)) => (stages, ty),
                None => continue,
            },
        };
        builtin(m, place, d.at, stages, d.ty, ty)?;
        if m.outputs[..i].iter().any(|other| other.at == d.at) {
            return fail(place, format!("{} is declared twice", d.at));
        }
    }
    verify_geometry(m)?;
    verify_feedback(m)?;
    for (i, d) in m.banks.iter().enumerate() {
        let place = Bank::new(i);
        if d.source == BankSource::Feedback && !matches!(m.stage, Stage::Vertex | Stage::Compute) {
            return fail(place, "only the vertex and the compute stage have banks of feedback");
        }
        let most = if d.source == BankSource::Storage { MAX_STORAGE } else { MAX_BANK };
        if d.size == 0 || d.size > most {
            return fail(place, format!("{} registers; 1 to {most} can be", d.size));
        }
        if !d.defs.windows(2).all(|w| w[0].0 < w[1].0) || d.defs.last().is_some_and(|d2| d2.0 >= d.size) {
            return fail(place, "register values must be in rising order and within the bank");
        }
        if m.banks[..i].iter().any(|other| (other.source, other.id) == (d.source, d.id)) {
            return fail(place, format!("{} bank {} is declared twice", d.source.name(), d.id));
        }
    }
    if m.textures.len() > MAX_TEXTURES {
        return fail("module", format!("more than {MAX_TEXTURES} textures"));
    }
    for (i, d) in m.textures.iter().enumerate() {
        let compute = m.stage == Stage::Compute;
        let slots = if compute { TEXTURE_SLOTS..TEXTURE_SLOTS + COMPUTE_TEXTURE_SLOTS } else { 0..TEXTURE_SLOTS };
        if !slots.contains(&d.slot) && !d.in_tables() {
            return fail(Texture::new(i), format!("slot {}; there are {} to {}", d.slot, slots.start, slots.end - 1));
        }
        if d.shadow && (d.dim.is_multisampled() || d.component != Component::Float) {
            return fail(Texture::new(i), "only floats with one sample can be compared");
        }
        if d.shadow && d.dim == Dim::D3 {
            return fail(Texture::new(i), "3D textures cannot be compared");
        }
    }
    if m.images.len() > IMAGE_SLOTS as usize {
        return fail("module", format!("more than {IMAGE_SLOTS} storage images"));
    }
    for (i, d) in m.images.iter().enumerate() {
        if d.slot >= IMAGE_SLOTS {
            return fail(Image::new(i), format!("slot {}; there are {IMAGE_SLOTS}", d.slot));
        }
        if m.images[..i].iter().any(|other| other.slot == d.slot) {
            return fail(Image::new(i), format!("slot {} is declared twice", d.slot));
        }
        if d.format == ImageFormat::R64 && d.component != Component::Uint {
            return fail(Image::new(i), "images of r64 are of uint");
        }
    }
    let lanes = m.group.iter().try_fold(1u32, |lanes, &side| lanes.checked_mul(side));
    if !lanes.is_some_and(|lanes| (1..=MAX_GROUP).contains(&lanes))
        || m.shared > MAX_SHARED
        || !m.shared.is_multiple_of(4)
    {
        return fail(
            "module",
            format!("a work group has 1 to {MAX_GROUP} lanes and up to {MAX_SHARED} bytes, in fours"),
        );
    }
    if m.stage != Stage::Compute && (m.group != [1; 3] || m.shared != 0 || m.guest_waves) {
        return fail("module", "only the compute stage has work groups");
    }
    if m.stage != Stage::Pixel && m.signed_outputs != 0 {
        return fail("module", "only the pixel stage has signed outputs");
    }
    if m.names.len() > MAX_NAMES {
        return fail("module", format!("more than {MAX_NAMES} names"));
    }
    for d in &m.names {
        let exists = match d.of {
            Named::Texture(texture) => texture.index() < m.textures.len(),
            Named::Registers { bank, first, count } => {
                let end = first.checked_add(count).filter(|_| count > 0);
                end.zip(m.banks.get(bank.index())).is_some_and(|(end, decl)| end <= decl.size)
            }
        };
        if !exists {
            return fail("module", format!("{:?} names what is not there", d.name));
        }
    }
    if m.specs.len() > MAX_SPECS {
        return fail("module", format!("more than {MAX_SPECS} specialisation constants"));
    }
    for (i, d) in m.specs.iter().enumerate() {
        let place = Spec::new(i);
        if d.kind == Kind::Bits || d.kind == Kind::Bool && d.default > 1 {
            return fail(place, "a specialisation constant is a float, an integer or a truth value of 0 or 1");
        }
        if m.specs[..i].iter().any(|other| other.id == d.id) {
            return fail(place, format!("constant {} is declared twice", d.id));
        }
    }
    if m.vars.len() > MAX_VARS {
        return fail("module", format!("more than {MAX_VARS} variables"));
    }
    let mut elements = 0u32;
    for (i, d) in m.vars.iter().enumerate() {
        elements = elements.saturating_add(d.array.unwrap_or(0));
        if d.array == Some(0) || elements > MAX_ARRAY {
            return fail(Var::new(i), format!("arrays have 1 to {MAX_ARRAY} elements, all of them together"));
        }
    }
    Ok(())
}

fn take_location(place: impl ToString, used: &mut u64, n: u8, ty: Type) -> Result<(), VerifyError> {
    if n >= 64 || *used >> n & 1 != 0 {
        return fail(place, format!("location {n} is taken or beyond 63"));
    }
    *used |= 1 << n;
    if ty.kind == Kind::Bool { fail(place, "truth values have no location") } else { Ok(()) }
}

/// Clip or cull distances, whose name is that of `at`.
fn distances(place: impl ToString, at: impl ToString, first: u8) -> Result<(), VerifyError> {
    let at = at.to_string();
    let name = at.split('_').next().unwrap_or_default();
    if matches!(first, 0 | 4) { Ok(()) } else { fail(place, format!("{name} distances begin at 0 or 4")) }
}

fn builtin(
    m: &Module,
    place: impl ToString,
    at: impl ToString,
    stages: &[Stage],
    ty: Type,
    want: Type,
) -> Result<(), VerifyError> {
    if !stages.contains(&m.stage) {
        let names: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
        return fail(place, format!("{} belongs to the {} stage", at.to_string(), names.join(" and the ")));
    }
    if ty == want { Ok(()) } else { fail(place, format!("{} is {want}, not {ty}", at.to_string())) }
}

/// What surrounds a region.
#[derive(Clone, Copy, Default)]
struct Frame<'a> {
    depth: usize,
    /// Result types that `yield` must give, inside `if`.
    if_: Option<&'a Args>,
    /// The innermost loop: its results and its body.
    loop_: Option<(&'a Args, Region)>,
}

struct Verifier<'a> {
    m: &'a Module,
    in_scope: Vec<bool>,
    defined: Vec<bool>,
    /// Values in scope, innermost last.
    scope: Vec<Value>,
    regions_seen: Vec<bool>,
    insts_seen: Vec<bool>,
}

impl<'a> Verifier<'a> {
    fn define(&mut self, place: impl ToString, value: Value, def: Def) -> Result<(), VerifyError> {
        match self.m.values.get(value.index()) {
            None => return fail(place, format!("{value} is not in the table")),
            Some(data) if data.def != def => return fail(place, format!("{value} has its definition elsewhere")),
            Some(data) if !(1..=4).contains(&data.ty.lanes) => return fail(place, format!("{value} has no lanes")),
            Some(_) => {}
        }
        if std::mem::replace(&mut self.defined[value.index()], true) {
            return fail(place, format!("{value} is defined twice"));
        }
        self.in_scope[value.index()] = true;
        self.scope.push(value);
        Ok(())
    }

    fn region(&mut self, region: Region, frame: Frame<'a>) -> Result<(), VerifyError> {
        if frame.depth > MAX_DEPTH {
            return fail(region, format!("more than {MAX_DEPTH} nested regions"));
        }
        match self.regions_seen.get_mut(region.index()) {
            None => return fail(region, "not in the table"),
            Some(true) => return fail(region, "is in two places"),
            Some(seen) => *seen = true,
        }
        let outer = self.scope.len();
        let data = self.m.region(region);
        for &param in &data.params {
            self.define(region, param, Def::Param(region))?;
        }
        let Some((&last, _)) = data.insts.split_last() else { return fail(region, "a region ends with a terminator") };
        for &inst in &data.insts {
            match self.insts_seen.get_mut(inst.index()) {
                None => return fail(inst, "not in the table"),
                Some(true) => return fail(self.m.line(self.m.inst(inst)), "is in two places"),
                Some(seen) => *seen = true,
            }
            let data = self.m.inst(inst);
            if data.op.has(Flags::TERMINATOR) != (inst == last) {
                return fail(self.m.line(data), "a region has one terminator, which is its last instruction");
            }
            self.inst(inst, data, frame)?;
        }
        for value in self.scope.drain(outer..) {
            self.in_scope[value.index()] = false;
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst, data: &'a InstData, frame: Frame<'a>) -> Result<(), VerifyError> {
        for &arg in &data.args {
            if !self.in_scope.get(arg.index()).copied().unwrap_or(false) {
                return fail(self.m.line(data), format!("{arg} is not defined here"));
            }
        }
        let checked = self.operands(data).and_then(|()| match data.op.info().meaning {
            Meaning::Lanes(_) => self.lanes(data),
            Meaning::Reduce(..) => self.reduce(data),
            Meaning::Pairs(_) => self.pairs(data),
            Meaning::Special => self.special(data, frame),
        });
        if let Err(message) = checked {
            return fail(self.m.line(data), message);
        }
        let frame = Frame { depth: frame.depth + 1, ..frame };
        match data.imm {
            Imm::If(yes, no) => {
                let frame = Frame { if_: Some(&data.results), ..frame };
                for region in [yes, no] {
                    if self.m.regions.get(region.index()).is_some_and(|r| !r.params.is_empty()) {
                        return fail(self.m.line(data), "a region of `if` has no parameters");
                    }
                    self.region(region, frame)?;
                }
            }
            Imm::Loop(body) => {
                self.region(body, Frame { if_: None, loop_: Some((&data.results, body)), ..frame })?;
            }
            _ => {}
        }
        for &result in &data.results {
            // `in_scope` must not be set before the regions inside, which may not use the results.
            if self.m.values.get(result.index()).is_none() {
                return fail(inst, format!("{result} is not in the table"));
            }
            let place = self.m.line(data);
            self.define(place, result, Def::Inst(inst))?;
        }
        Ok(())
    }

    fn ty(&self, value: Value) -> Type {
        self.m.ty(value)
    }

    /// Rules 4 and 10 as far as the table alone can say.
    fn operands(&self, data: &InstData) -> Result<(), String> {
        let info = data.op.info();
        let imm_fits = matches!(
            (info.imm, data.imm),
            (ImmKind::None, Imm::None)
                | (ImmKind::Const, Imm::Const(_))
                | (ImmKind::Swizzle | ImmKind::Shuffle, Imm::Swizzle(_))
                | (ImmKind::Var, Imm::Var(_))
                | (ImmKind::VarMask, Imm::VarMask(..))
                | (ImmKind::Input, Imm::Input(_))
                | (ImmKind::Output, Imm::Output(_))
                | (ImmKind::Bank, Imm::Bank(..))
                | (ImmKind::Texture, Imm::Texture(..))
                | (ImmKind::Gather, Imm::Gather(..))
                | (ImmKind::Image, Imm::Image(_))
                | (ImmKind::ImageAtomic, Imm::ImageAtomic(..))
                | (ImmKind::Atomic, Imm::Atomic(_))
                | (ImmKind::Spec, Imm::Spec(_))
                | (ImmKind::Stream, Imm::Stream(_))
                | (ImmKind::If, Imm::If(..))
                | (ImmKind::Loop, Imm::Loop(_))
        );
        if !imm_fits {
            return Err("wrong kind of immediate".to_owned());
        }
        if let Some(&bad) = data.results.iter().find(|r| r.index() >= self.m.values.len()) {
            return Err(format!("{bad} is not in the table"));
        }
        if let Some(patterns) = info.args {
            if data.args.len() != patterns.len() {
                return Err(format!("{} operands; it takes {}", data.args.len(), patterns.len()));
            }
            for (&arg, pattern) in data.args.iter().zip(patterns) {
                if !pattern.accepts(self.ty(arg).kind) {
                    return Err(format!("{arg} is {}", self.ty(arg)));
                }
            }
        }
        match info.result {
            _ if matches!(info.imm, ImmKind::If | ImmKind::Loop) => {}
            None if !data.results.is_empty() => return Err("it has no result".to_owned()),
            Some(_) if data.results.len() != 1 => return Err("it has one result".to_owned()),
            Some(pattern) if !pattern.accepts(self.ty(data.results[0]).kind) => {
                return Err(format!("the result cannot be {}", self.ty(data.results[0])));
            }
            _ => {}
        }
        // All `T` are one kind; opcodes with several have one as their result.
        if info.result != Some(Pattern::T) {
            return Ok(());
        }
        let mut same = None;
        let args = data.args.iter().zip(info.args.unwrap_or_default());
        let result = data.results.first().zip(info.result.as_ref());
        for (&value, pattern) in args.chain(result) {
            if *pattern == Pattern::T && *same.get_or_insert(self.ty(value).kind) != self.ty(value).kind {
                return Err("operands and result must be of one kind".to_owned());
            }
        }
        Ok(())
    }

    fn lanes(&self, data: &InstData) -> Result<(), String> {
        let lanes = self.ty(data.results[0]).lanes;
        let fits = data.args.iter().all(|&a| self.ty(a).lanes == lanes);
        if fits { Ok(()) } else { Err("operands and result must have as many lanes".to_owned()) }
    }

    fn reduce(&self, data: &InstData) -> Result<(), String> {
        let lanes = self.ty(data.args[0]).lanes;
        let fits = self.ty(data.results[0]).lanes == 1 && data.args.iter().all(|&a| self.ty(a).lanes == lanes);
        if fits { Ok(()) } else { Err("operands must have as many lanes, the result one".to_owned()) }
    }

    fn pairs(&self, data: &InstData) -> Result<(), String> {
        let info = data.op.info();
        let args = data.args.iter().zip(info.args.unwrap_or_default());
        let fits = args
            .chain(data.results.first().zip(info.result.as_ref()))
            .all(|(&value, &pattern)| self.ty(value).lanes == if pattern == Pattern::D { 2 } else { 1 });
        if fits { Ok(()) } else { Err("doubles have two components, everything else one".to_owned()) }
    }

    /// The rules of the `special` part of the table.
    fn special(&self, data: &InstData, frame: Frame<'_>) -> Result<(), String> {
        let arg = |i: usize| self.ty(data.args[i]);
        let result = |i: usize| self.ty(data.results[i]);
        let want = |what: &str, is: Type, want: Type| {
            if is == want { Ok(()) } else { Err(format!("{what} is {is}, not {want}")) }
        };
        if data.op.has(Flags::QUAD) && self.m.stage != Stage::Pixel {
            return Err("only the pixel stage has quads".to_owned());
        }
        match (data.op, data.imm) {
            (Op::Const, Imm::Const(bits)) => {
                let ty = result(0);
                if bits[ty.lanes as usize..].iter().any(|&b| b != 0) {
                    return Err("unused components must be 0".to_owned());
                }
                if ty.kind == Kind::Bool && bits.iter().any(|&b| b > 1) {
                    return Err("truth values are 0 or 1".to_owned());
                }
                Ok(())
            }
            (Op::Bitcast, _) => self.lanes(data),
            (Op::Swizzle | Op::Shuffle, Imm::Swizzle(swizzle)) => {
                let total: u8 = data.args.iter().map(|&a| self.ty(a).lanes).sum();
                if swizzle.lanes().iter().any(|&l| l >= total) {
                    return Err("selects a component that is not there".to_owned());
                }
                want("the result", result(0), arg(0).with_lanes(swizzle.count()))
            }
            (Op::Construct, _) => {
                let total: usize = data.args.iter().map(|&a| self.ty(a).lanes as usize).sum();
                if data.args.is_empty() || total > 4 {
                    return Err("one to four components".to_owned());
                }
                let kind = arg(0).kind;
                if data.args.iter().any(|&a| self.ty(a).kind != kind) {
                    return Err("operands and result must be of one kind".to_owned());
                }
                want("the result", result(0), Type::new(kind, total as u8))
            }
            (Op::Load | Op::LoadElem, Imm::Var(var)) => {
                let decl = self.var(var.index(), data.op == Op::LoadElem)?;
                if data.op == Op::LoadElem {
                    want("the index", arg(0), Type::I32)?;
                }
                want("the result", result(0), decl.ty)
            }
            (Op::Store | Op::StoreElem, Imm::VarMask(var, mask)) => {
                let decl = self.var(var.index(), data.op == Op::StoreElem)?;
                if mask.0 == 0 || mask.0 & !Mask::first(decl.ty.lanes).0 != 0 {
                    return Err("the mask is empty or beyond the type".to_owned());
                }
                if data.op == Op::StoreElem {
                    want("the index", arg(0), Type::I32)?;
                }
                want("the operand", arg(data.args.len() - 1), decl.ty)
            }
            (Op::LoadVertexInput | Op::EmitVertex | Op::EndPrimitive, _) if self.m.stage != Stage::Geometry => {
                Err("only the geometry stage has primitives".to_owned())
            }
            (Op::EmitVertex | Op::EndPrimitive, Imm::Stream(stream)) => {
                if stream < FEEDBACK_STREAMS {
                    Ok(())
                } else {
                    Err(format!("there are {FEEDBACK_STREAMS} streams"))
                }
            }
            (Op::LoadInput | Op::LoadVertexInput, Imm::Input(input)) => match self.m.inputs.get(input.index()) {
                Some(decl) => {
                    let of_vertex = self.m.stage == Stage::Geometry && decl.at.is_of_vertex();
                    if of_vertex != (data.op == Op::LoadVertexInput) {
                        return Err(format!("each vertex {} one", if of_vertex { "has" } else { "does not have" }));
                    }
                    if of_vertex {
                        want("the number of a vertex", arg(0), Type::I32)?;
                    }
                    want("the result", result(0), decl.ty)
                }
                None => Err("no such input".to_owned()),
            },
            (Op::StoreOutput, Imm::Output(output)) => match self.m.outputs.get(output.index()) {
                Some(decl) => want("the operand", arg(0), decl.ty),
                None => Err("no such output".to_owned()),
            },
            (Op::LoadConst | Op::LoadConstDyn, Imm::Bank(bank, index)) => {
                let Some(decl) = self.m.banks.get(bank.index()) else { return Err("no such bank".to_owned()) };
                if data.op == Op::LoadConstDyn {
                    want("the index", arg(0), Type::I32)?;
                } else if u32::try_from(index).map_or(true, |i| i >= decl.size) {
                    return Err(format!("the bank has {} registers", decl.size));
                }
                want("the result", result(0), result(0).with_lanes(4))
            }
            (_, Imm::Texture(..) | Imm::Gather(..) | Imm::Image(_) | Imm::ImageAtomic(..)) => self.images(data),
            (Op::LoadGlobal | Op::LoadShared, _) => self.memory(data, None, None),
            (Op::StoreGlobal | Op::StoreShared, _) => self.memory(data, Some(arg(1)), None),
            (Op::AtomicGlobal | Op::AtomicShared, Imm::Atomic(atomic)) => {
                if data.args.len() != 1 + atomic.operands() {
                    return Err(format!("{} operands; it takes {}", data.args.len(), 1 + atomic.operands()));
                }
                self.memory(data, Some(arg(1)), Some(atomic))
            }
            (Op::Barrier | Op::WaveBarrier, _) if self.m.stage != Stage::Compute => {
                Err("only the compute stage has barriers".to_owned())
            }
            (Op::Barrier | Op::MemoryBarrier | Op::WaveBarrier, _) => Ok(()),
            (Op::Ballot, _) => {
                want("the operand", arg(0), Type::BOOL)?;
                want("the result", result(0), Type::I32X2)
            }
            (Op::WaveAny, _) => {
                want("the operand", arg(0), Type::BOOL)?;
                want("the result", result(0), Type::BOOL)
            }
            (Op::ReadFirst, _) => want("the result", result(0), arg(0)),
            (Op::ReadLane | Op::WaveShuffle, _) => {
                want("the number of a lane", arg(1), Type::I32)?;
                want("the result", result(0), arg(0))
            }
            (Op::QuadSwizzle, Imm::Swizzle(swizzle)) => {
                if swizzle.count() != 4 || swizzle.lanes().iter().any(|&lane| lane > 3) {
                    return Err("it takes a place for each of four lanes".to_owned());
                }
                want("the result", result(0), arg(0))
            }
            (Op::LaneIndex | Op::WaveSize, _) => want("the result", result(0), Type::I32),
            (Op::LoadSpec, Imm::Spec(spec)) => match self.m.specs.get(spec.index()) {
                Some(decl) => want("the result", result(0), Type::new(decl.kind, 1)),
                None => Err("no such specialisation constant".to_owned()),
            },
            (Op::Ddx | Op::Ddy, _) => self.lanes(data),
            (Op::Demote, _) => {
                if self.m.stage != Stage::Pixel {
                    return Err("only the pixel stage can throw pixels away".to_owned());
                }
                want("the operand", arg(0), Type::BOOL)
            }
            (Op::BeginInterlock | Op::EndInterlock, _) if self.m.stage != Stage::Pixel => {
                Err("only pixels are in order".to_owned())
            }
            (Op::BeginInterlock | Op::EndInterlock, _) => Ok(()),
            (Op::If, _) => want("the operand", arg(0), Type::BOOL),
            (Op::Loop, Imm::Loop(body)) => match self.m.regions.get(body.index()) {
                Some(body) => self.same_types(&data.args, &body.params, "parameters"),
                None => Err("no such region".to_owned()),
            },
            (Op::Yield, _) => match frame.if_ {
                Some(results) => self.same_types(&data.args, results, "results of the `if`"),
                None => Err("`yield` outside of an `if`".to_owned()),
            },
            (Op::Break, _) => match frame.loop_ {
                Some((results, _)) => self.same_types(&data.args, results, "results of the loop"),
                None => Err("`break` outside of a loop".to_owned()),
            },
            (Op::Continue, _) => match frame.loop_ {
                Some((_, body)) => self.same_types(&data.args, &self.m.region(body).params, "parameters of the loop"),
                None => Err("`continue` outside of a loop".to_owned()),
            },
            (Op::Return | Op::Unreachable, _) => Ok(()),
            _ => Err("wrong kind of immediate".to_owned()),
        }
    }

    /// The rules of textures and storage images.
    fn images(&self, data: &InstData) -> Result<(), String> {
        let scalar = |kind| Type::new(kind, 1);
        let mut wanted: SmallVec<[Type; 4]> = SmallVec::new();
        let result;
        if let Some(image) = data.imm.image() {
            let Some(decl) = self.m.images.get(image.index()) else { return Err("no such image".to_owned()) };
            let texel = Type::new(decl.component.kind(), 4);
            if data.op != Op::ImageSize {
                wanted.push(Type::new(Kind::Int, decl.dim.texel_coords()));
                wanted.extend(decl.dim.is_multisampled().then_some(Type::I32));
            }
            result = match (data.op, data.imm) {
                (Op::ImageSize, _) => Some(Type::new(Kind::Int, decl.dim.size_components())),
                (Op::ImageLoad, _) => Some(texel),
                (Op::ImageStore, _) => {
                    wanted.push(texel);
                    None
                }
                (_, Imm::ImageAtomic(_, atomic)) => {
                    let ty = decl.atomic().ok_or("the image must be one of uint or sint r32, or of uint r64")?;
                    wanted.extend(std::iter::repeat_n(ty, atomic.operands()));
                    Some(ty)
                }
                _ => return Err("wrong kind of immediate".to_owned()),
            };
        } else {
            let texture = data.imm.texture().ok_or_else(|| "wrong kind of immediate".to_owned())?;
            let Some(decl) = self.m.textures.get(texture.index()) else { return Err("no such texture".to_owned()) };
            let dim = decl.dim;
            let (coords, extent) = (Type::new(Kind::Float, dim.coords()), Type::new(Kind::Float, dim.extent()));
            let offset = match data.imm {
                Imm::Gather(_, component, _) if component > 3 || decl.shadow && component != 0 => {
                    return Err("selects a component that is not there".to_owned());
                }
                Imm::Texture(_, offset) | Imm::Gather(_, _, offset) => offset,
                _ => Offset::default(),
            };
            if !offset.is_zero() {
                let sized = matches!(data.op, Op::TextureSize | Op::TextureLevels | Op::QueryLod);
                if sized || dim.is_cube() || offset.0.iter().any(|by| !Offset::RANGE.contains(by)) {
                    return Err("such an offset is not possible here".to_owned());
                }
            }
            let sampled = matches!(data.op, Op::Sample | Op::SampleBias | Op::SampleLod | Op::SampleGrad | Op::Gather);
            if sampled && dim.is_multisampled() {
                return Err("multisampled textures can be fetched from, not sampled".to_owned());
            }
            match data.op {
                Op::Sample => wanted.push(coords),
                Op::Gather if dim == Dim::D3 => return Err("3D textures cannot be gathered".to_owned()),
                Op::Gather => wanted.push(coords),
                Op::SampleBias | Op::SampleLod => wanted.extend([coords, Type::F32]),
                Op::SampleGrad => wanted.extend([coords, extent, extent]),
                Op::Fetch if dim.is_cube() || decl.shadow => {
                    return Err("cubes and shadow textures cannot be fetched from".to_owned());
                }
                Op::Fetch => wanted.extend([Type::new(Kind::Int, dim.texel_coords()), Type::I32]),
                Op::TextureSize => wanted.push(Type::I32),
                Op::QueryLod if dim.is_multisampled() => return Err("it has one level".to_owned()),
                Op::QueryLod => wanted.push(extent),
                _ => {}
            }
            wanted.extend((sampled && decl.shadow).then_some(Type::F32));
            wanted.extend(decl.in_tables().then_some(Type::I32));
            result = Some(match data.op {
                Op::TextureSize => Type::new(Kind::Int, dim.size_components()),
                Op::TextureLevels => scalar(Kind::Int),
                Op::QueryLod => Type::F32X2,
                _ => Type::new(decl.component.kind(), 4),
            });
        }
        if data.args.len() != wanted.len() {
            return Err(format!("{} operands; it needs {}", data.args.len(), wanted.len()));
        }
        for (&arg, &ty) in data.args.iter().zip(&wanted) {
            if self.ty(arg) != ty {
                return Err(format!("an operand is {}, not {ty}", self.ty(arg)));
            }
        }
        match result.zip(data.results.first()) {
            Some((ty, &value)) if self.ty(value) != ty => Err(format!("the result is {}, not {ty}", self.ty(value))),
            _ => Ok(()),
        }
    }

    /// The rules of memory: `value` is what is stored or the first operand of an atomic operation.
    fn memory(&self, data: &InstData, value: Option<Type>, atomic: Option<AtomicOp>) -> Result<(), String> {
        let shared = matches!(data.op, Op::LoadShared | Op::StoreShared | Op::AtomicShared);
        if shared && self.m.stage != Stage::Compute {
            return Err("only the compute stage has work groups".to_owned());
        }
        if shared && self.m.shared == 0 {
            return Err("the module declares no memory of the work group".to_owned());
        }
        let address = if shared { Type::I32 } else { Type::I32X2 };
        let is = self.ty(data.args[0]);
        if is != address {
            return Err(format!("the address is {is}, not {address}"));
        }
        let (Some(value), Some(_)) = (value, atomic) else { return Ok(()) };
        if value.kind != Kind::Int || value.lanes > 2 {
            return Err("an atomic operation is on one or two integers".to_owned());
        }
        let rest = data.args[2..].iter().chain(&data.results);
        if rest.into_iter().all(|&other| self.ty(other) == value) {
            Ok(())
        } else {
            Err("operands and result of an atomic operation have one type".to_owned())
        }
    }

    fn var(&self, index: usize, array: bool) -> Result<&VarDecl, String> {
        let Some(decl) = self.m.vars.get(index) else { return Err("no such variable".to_owned()) };
        match (decl.array.is_some(), array) {
            (true, false) => Err("the variable is an array".to_owned()),
            (false, true) => Err("the variable is no array".to_owned()),
            _ => Ok(decl),
        }
    }

    fn same_types(&self, args: &Args, wanted: &Args, what: &str) -> Result<(), String> {
        let ty = |value: &Value| self.m.values.get(value.index()).map(|d| d.ty);
        if args.iter().map(ty).eq(wanted.iter().map(ty)) {
            Ok(())
        } else {
            Err(format!("operands must have the types of the {what}"))
        }
    }
}
