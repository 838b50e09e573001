//! Lists of rectangles on devices without geometry shaders: the vertex shader runs for all three corners of its rectangle, and gives one
//! of the six of its two triangles.
//!
//! Precondition: a verified module. Promise: vertex `6 n + k` is vertex `3 n`, `3 n + 1` or `3 n + 2` of before, or the corner that lies
//! opposite to the first: second + third - first, and so is everything that is interpolated. What is not, integers, is the first corner's.
//! Vertices are told apart by their number alone, so the pass refuses shaders that read attributes; and those that store, which would
//! store three times, and those that return from within control flow.

use afterimage_ir::{
    Flags, Imm, InputAt, Inst, Kind, Mask, Module, Op, Output, Region, Stage, Type, Value, Var, VarDecl,
};
use smallvec::smallvec;

use crate::rewrite::Cursor;

/// Which corner each of the six vertices is; 3 is the one opposite to the first. The second triangle begins with the second corner, as
/// that of a strip does.
const CORNERS: [u32; 6] = [0, 1, 2, 1, 3, 2];

/// Why a shader cannot be made one that draws rectangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RectangleError {
    /// Attributes are fetched before the shader runs, those of one vertex.
    #[error("it reads attributes of vertices")]
    Attributes,
    /// It would store for each corner.
    #[error("it stores")]
    Stores,
    /// There is more than one way out.
    #[error("it returns from within control flow")]
    Returns,
}

/// Runs the pass on a vertex shader.
///
/// # Errors
/// When it cannot; the module is as it was then.
pub fn run(m: &mut Module) -> Result<(), RectangleError> {
    if m.stage != Stage::Vertex {
        return Ok(());
    }
    check(m)?;
    let var = |m: &mut Module, name: &str, ty| {
        m.vars.push(VarDecl { name: name.to_owned(), ty, array: None });
        Var::new(m.vars.len() - 1)
    };
    let guest_vars: Vec<(Var, Type)> = m
        .vars
        .iter()
        .enumerate()
        .filter(|(_, decl)| decl.array.is_none())
        .map(|(at, decl)| (Var::new(at), decl.ty))
        .collect();
    let corner = var(m, "corner", Type::I32);
    let outputs: Vec<(Type, [Var; 3])> = (0..m.outputs.len())
        .map(|at| {
            let ty = m.outputs[at].ty;
            (ty, [0, 1, 2].map(|n| var(m, &format!("corner{n}"), ty)))
        })
        .collect();
    // What the shader stores last counts, so the present corner's are variables of their own.
    let present: Vec<Var> = outputs.iter().map(|(ty, _)| var(m, "present", *ty)).collect();

    let inputs: Vec<bool> = m.inputs.iter().map(|input| input.at == InputAt::VertexIndex).collect();
    let body = m.body;
    let mut guest = std::mem::take(&mut m.regions[body.index()].insts);
    let end = guest.pop();
    let mut out = Vec::with_capacity(24);
    let (first_of_three, number_of_six) = match m.inputs.iter().position(|input| input.at == InputAt::VertexIndex) {
        Some(at) => {
            let mut cursor = Cursor::new(m, body, &mut out);
            let number = cursor.push(Op::LoadInput, Imm::Input(afterimage_ir::Input::new(at)), smallvec![], Type::I32);
            let (three, six) = (cursor.splat(Type::I32, 3), cursor.splat(Type::I32, 6));
            let rectangle = binary(&mut cursor, Op::UDiv, number, six);
            let first = binary(&mut cursor, Op::IMul, rectangle, three);
            (first, binary(&mut cursor, Op::UMod, number, six))
        }
        // Every vertex is the same one.
        None => {
            m.regions[body.index()].insts = guest.into_iter().chain(end).collect();
            m.vars.truncate(corner.index());
            return Ok(());
        }
    };
    // Numbers of the present corner, wherever the shader reads them.
    let here = m.new_inst(Op::Load, Imm::Var(corner), smallvec![], &[Type::I32]);
    let corner_now = m.inst(here).results[0];
    let number = m.new_inst(Op::IAdd, Imm::None, smallvec![first_of_three, corner_now], &[Type::I32]);
    let number_now = m.inst(number).results[0];
    let mut replace = Replace { outputs: &present, inputs: &inputs, number: number_now };
    replace.list(m, &mut guest);

    let round = m.new_region();
    let mut list = vec![here];
    {
        let mut cursor = Cursor::new(m, round, &mut list);
        let three = cursor.splat(Type::I32, 3);
        let done = cursor.push(Op::ILe, Imm::None, smallvec![three, corner_now], Type::BOOL);
        leave(&mut cursor, done);
        // Variables start as zero, for each corner.
        for (var, ty) in
            guest_vars.iter().copied().chain(present.iter().copied().zip(outputs.iter().map(|(ty, _)| *ty)))
        {
            let zero = cursor.splat(ty, 0);
            store(&mut cursor, var, ty, zero);
        }
    }
    list.push(number);
    list.extend(guest);
    {
        let mut cursor = Cursor::new(m, round, &mut list);
        for ((ty, corners), now) in outputs.iter().zip(&present) {
            let value = cursor.push(Op::Load, Imm::Var(*now), smallvec![], *ty);
            for (n, var) in corners.iter().enumerate() {
                let wanted = cursor.splat(Type::I32, n as u32);
                let is = cursor.push(Op::IEq, Imm::None, smallvec![corner_now, wanted], Type::BOOL);
                let old = cursor.push(Op::Load, Imm::Var(*var), smallvec![], *ty);
                let new = select(&mut cursor, is, value, old, *ty);
                store(&mut cursor, *var, *ty, new);
            }
        }
        let one = cursor.splat(Type::I32, 1);
        let next = binary(&mut cursor, Op::IAdd, corner_now, one);
        store(&mut cursor, corner, Type::I32, next);
        cursor.act(Op::Continue, Imm::None, smallvec![]);
    }
    m.regions[round.index()].insts = list;
    let looped = m.new_inst(Op::Loop, Imm::Loop(round), smallvec![], &[]);
    out.push(looped);
    let mut cursor = Cursor::new(m, body, &mut out);
    for (at, (ty, corners)) in outputs.iter().enumerate() {
        let [a, b, c] = corners.map(|var| cursor.push(Op::Load, Imm::Var(var), smallvec![], *ty));
        let opposite = if ty.kind == Kind::Float {
            let along = cursor.push(Op::FSub, Imm::None, smallvec![b, a], *ty);
            cursor.push(Op::FAdd, Imm::None, smallvec![c, along], *ty)
        } else {
            a
        };
        let values = if ty.kind == Kind::Float { [a, b, c, opposite] } else { [a; 4] };
        let mut chosen = values[0];
        for (k, of) in CORNERS.iter().enumerate().skip(1) {
            let k = cursor.splat(Type::I32, k as u32);
            let is = cursor.push(Op::IEq, Imm::None, smallvec![number_of_six, k], Type::BOOL);
            chosen = select(&mut cursor, is, values[*of as usize], chosen, *ty);
        }
        cursor.store_output(Output::new(at), chosen);
    }
    out.extend(end);
    m.regions[body.index()].insts = out;
    Ok(())
}

fn binary(cursor: &mut Cursor<'_>, op: Op, a: Value, b: Value) -> Value {
    cursor.push(op, Imm::None, smallvec![a, b], Type::I32)
}

fn store(cursor: &mut Cursor<'_>, var: Var, ty: Type, value: Value) {
    cursor.act(Op::Store, Imm::VarMask(var, Mask::first(ty.lanes)), smallvec![value]);
}

/// One of two values of a type, by a truth value.
fn select(cursor: &mut Cursor<'_>, condition: Value, yes: Value, no: Value, ty: Type) -> Value {
    let bools = ty.with_kind(Kind::Bool);
    let conditions = match ty.lanes {
        1 => condition,
        lanes => {
            let args = std::iter::repeat_n(condition, lanes.into()).collect();
            cursor.push(Op::Construct, Imm::None, args, bools)
        }
    };
    cursor.push(Op::Select, Imm::None, smallvec![conditions, yes, no], ty)
}

/// Leaves the loop where the condition holds.
fn leave(cursor: &mut Cursor<'_>, condition: Value) {
    let [yes, no] = [Op::Break, Op::Yield].map(|op| {
        let region = cursor.m.new_region();
        let inst = cursor.m.new_inst(op, Imm::None, smallvec![], &[]);
        cursor.m.regions[region.index()].insts.push(inst);
        region
    });
    cursor.act(Op::If, Imm::If(yes, no), smallvec![condition]);
}

fn check(m: &Module) -> Result<(), RectangleError> {
    if m.inputs.iter().any(|input| matches!(input.at, InputAt::Location(_))) {
        return Err(RectangleError::Attributes);
    }
    let mut found = Ok(());
    m.for_each_inst(|_, inst| {
        let own = matches!(
            inst.op,
            Op::Store
                | Op::StoreElem
                | Op::StoreOutput
                | Op::If
                | Op::Loop
                | Op::Yield
                | Op::Break
                | Op::Continue
                | Op::Return
                | Op::Unreachable
        );
        if inst.op.has(Flags::SIDE_EFFECT) && !own {
            found = Err(RectangleError::Stores);
        }
    });
    let mut returns = 0;
    m.for_each_inst(|_, inst| returns += usize::from(inst.op == Op::Return));
    let last = m.region(m.body).insts.last().is_some_and(|&inst| m.inst(inst).op == Op::Return);
    if returns != 1 || !last {
        found = found.and(Err(RectangleError::Returns));
    }
    found
}

/// Puts the present corner in the place of the vertex: its number, and variables for outputs.
struct Replace<'a> {
    outputs: &'a [Var],
    inputs: &'a [bool],
    number: Value,
}

impl Replace<'_> {
    fn list(&mut self, m: &mut Module, list: &mut [Inst]) {
        for &mut inst in list {
            let data = &mut m.insts[inst.index()];
            match (data.op, data.imm) {
                (Op::StoreOutput, Imm::Output(output)) => {
                    let lanes = m.outputs[output.index()].ty.lanes;
                    (data.op, data.imm) = (Op::Store, Imm::VarMask(self.outputs[output.index()], Mask::first(lanes)));
                }
                (Op::LoadInput, Imm::Input(input)) if self.inputs[input.index()] => {
                    (data.op, data.imm, data.args) = (Op::Bitcast, Imm::None, smallvec![self.number]);
                }
                (_, Imm::If(yes, no)) => [yes, no].into_iter().for_each(|region| self.region(m, region)),
                (_, Imm::Loop(body)) => self.region(m, body),
                _ => {}
            }
        }
    }

    fn region(&mut self, m: &mut Module, region: Region) {
        let mut list = std::mem::take(&mut m.regions[region.index()].insts);
        self.list(m, &mut list);
        m.regions[region.index()].insts = list;
    }
}
