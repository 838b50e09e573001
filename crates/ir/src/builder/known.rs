//! What is known while code is built: what variables hold, and which constants there are. What was just stored is not loaded, nor stored
//! before control flow makes somebody else read it; no constant is made again and again, and nothing that only takes apart what was put
//! together. Front ends keep guest registers in variables, and would have passes look at three times as many instructions.

use smallvec::smallvec;

use super::Builder;
use crate::entity::{Inst, Value, Var};
use crate::module::{Args, Imm, InstData, MAX_DEPTH};
use crate::opcode::Op;
use crate::types::{Kind, Mask, Swizzle, Type};

/// Places for constants that are found again. A power of two.
const CONSTANTS: usize = 128;

/// Variables and constants of most shaders: fewer.
const USUAL: usize = 64;

/// Most instructions that [`Builder::swizzle`] looks through.
const MOST_STEPS: usize = 4;

/// What a variable holds, perhaps as another kind of as many components, and the [`Known::now`] at which that was found.
type Held = Option<(Value, u32)>;

/// Where a block began, for what is known to be right again behind it.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    changes: usize,
    since: u32,
}

/// See the module's documentation.
pub(super) struct Known {
    /// By the variables' numbers.
    vars: Vec<Held>,
    /// What variables held before that changed, in the blocks that are open.
    changes: Vec<(Var, Held)>,
    /// Variables that are to be stored to.
    late: Vec<Var>,
    /// Whether each is, by number.
    is_late: Vec<bool>,
    /// Blocks that are open.
    open: usize,
    /// Number of loops that have begun.
    now: u32,
    /// What was found before this is not known: a later round of the loop may come from a store further down.
    since: u32,
    /// By a hash of type and bits.
    constants: [Option<Value>; CONSTANTS],
    /// All constants, for the begin of the shader, where each can be used by everything.
    pub(super) first: Vec<Inst>,
}

impl Known {
    pub(super) fn nothing() -> Known {
        let constants = [None; CONSTANTS];
        Known {
            vars: Vec::with_capacity(USUAL),
            changes: Vec::with_capacity(USUAL),
            late: Vec::with_capacity(USUAL),
            is_late: Vec::with_capacity(USUAL),
            open: 0,
            now: 0,
            since: 0,
            constants,
            first: Vec::with_capacity(USUAL),
        }
    }

    /// What the variable holds, if that is known.
    fn get(&self, var: Var) -> Option<Value> {
        let held = self.vars.get(var.index()).copied().flatten();
        held.filter(|(_, found)| *found >= self.since).map(|(value, _)| value)
    }

    /// From here on the variable holds this, or what is not known.
    fn set(&mut self, var: Var, value: Option<Value>) {
        // Such a shader is refused, and may have more of them than there is time for.
        if self.open > MAX_DEPTH {
            return;
        }
        if self.vars.len() <= var.index() {
            self.vars.resize(var.index() + 1, None);
        }
        let held = std::mem::replace(&mut self.vars[var.index()], value.map(|value| (value, self.now)));
        if self.open > 0 {
            self.changes.push((var, held));
        }
    }

    /// From here on nobody knows what the variable holds.
    pub(super) fn forget(&mut self, var: Var) {
        self.set(var, None);
    }

    /// The variable is to be stored to.
    fn store_late(&mut self, var: Var) {
        if self.is_late.len() <= var.index() {
            self.is_late.resize(var.index() + 1, false);
        }
        if !std::mem::replace(&mut self.is_late[var.index()], true) {
            self.late.push(var);
        }
    }

    /// Nobody reads the variables any more.
    pub(super) fn drop_late(&mut self) {
        self.late.drain(..).for_each(|var| self.is_late[var.index()] = false);
    }

    /// A block begins.
    pub(super) fn enter(&mut self) -> Mark {
        self.open += 1;
        Mark { changes: self.changes.len(), since: self.since }
    }

    /// A block begins whose code runs again.
    pub(super) fn enter_loop(&mut self) -> Mark {
        let mark = self.enter();
        self.now += 1;
        self.since = self.now;
        mark
    }

    /// What runs instead of the block so far begins.
    pub(super) fn instead(&mut self, mark: Mark) {
        for &(var, held) in self.changes.iter().skip(mark.changes).rev() {
            self.vars[var.index()] = held;
        }
    }

    /// A block ends. What changed in it is not known: it may have been left elsewhere, and has values that are nothing here.
    pub(super) fn leave(&mut self, mark: Mark) {
        for (var, _) in self.changes.iter().skip(mark.changes) {
            self.vars[var.index()] = None;
        }
        self.since = mark.since;
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.changes.clear();
        }
    }
}

fn place(ty: Type, bits: [u32; 4]) -> usize {
    let mixed = bits.iter().fold(ty.kind as u32 ^ u32::from(ty.lanes) << 8, |sum, &word| {
        (sum.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B1)
    });
    mixed as usize >> 16 & (CONSTANTS - 1)
}

impl Builder {
    /// A constant of type `ty` with these bits (truth values: 0 and 1).
    pub fn const_bits(&mut self, ty: Type, mut bits: [u32; 4]) -> Value {
        for (lane, bits) in (0..).zip(&mut bits) {
            *bits = if lane < ty.lanes { *bits } else { 0 };
        }
        let at = place(ty, bits);
        if let Some(value) = self.known.constants[at]
            && self.ty(value) == ty
            && self.module.as_const(value) == Some(bits)
        {
            return value;
        }
        if self.is_full() {
            return self.push1(Op::Const, Imm::Const(bits), Args::new(), ty);
        }
        let inst = self.module.new_inst(Op::Const, Imm::Const(bits), Args::new(), &[ty]);
        self.known.first.push(inst);
        let value = self.module.inst(inst).results[0];
        self.known.constants[at] = Some(value);
        value
    }

    /// The value of a variable.
    pub fn load(&mut self, var: Var) -> Value {
        let kind = self.module.vars[var.index()].ty.kind;
        let value = self.load_stored(var);
        if self.ty(value).kind == kind {
            return value;
        }
        let value = self.cast(value, kind);
        self.known.set(var, Some(value));
        value
    }

    /// The value of a variable; what was stored to one of untyped bits may still be a number.
    pub fn load_stored(&mut self, var: Var) -> Value {
        self.known.get(var).unwrap_or_else(|| {
            let ty = self.module.vars[var.index()].ty;
            let value = self.push1(Op::Load, Imm::Var(var), Args::new(), ty);
            self.known.set(var, Some(value));
            value
        })
    }

    /// Sets a variable.
    pub fn store(&mut self, var: Var, value: Value) {
        let to = self.module.vars[var.index()].ty;
        let ty = self.ty(value);
        // The kind is changed when it is stored.
        let value = if to.kind == Kind::Bits && ty.kind != Kind::Bool { value } else { self.cast(value, to.kind) };
        let value = self.resize(value, to.lanes);
        self.known.set(var, Some(value));
        self.known.store_late(var);
    }

    /// Stores what variables are to hold, in front of what others read them behind.
    pub(super) fn store_all(&mut self) {
        for var in std::mem::take(&mut self.known.late) {
            self.known.is_late[var.index()] = false;
            let Some(value) = self.known.get(var) else { continue };
            let ty = self.module.vars[var.index()].ty;
            let value = self.cast(value, ty.kind);
            self.push(Op::Store, Imm::VarMask(var, Mask::first(ty.lanes)), smallvec![value], &[]);
        }
    }

    /// Picks components of `value`. A component that it does not have is its last one.
    pub fn swizzle(&mut self, mut value: Value, mut swizzle: Swizzle) -> Value {
        // A few steps lead through all that is made here; what was inlined may go on for long.
        for _ in 0..MOST_STEPS {
            let ty = self.ty(value);
            if swizzle.is_identity(ty.lanes) {
                return value;
            }
            swizzle = swizzle.map(|lane| lane.min(ty.lanes - 1));
            let made = self.module.def(value).map(|inst| self.module.inst(inst));
            (value, swizzle) = match made {
                Some(InstData { imm: Imm::Const(bits), .. }) => {
                    let mut picked = [0; 4];
                    for (to, &lane) in picked.iter_mut().zip(swizzle.lanes()) {
                        *to = bits[usize::from(lane)];
                    }
                    return self.const_bits(ty.with_lanes(swizzle.count()), picked);
                }
                Some(InstData { op: Op::Swizzle, imm: Imm::Swizzle(inner), args, .. }) => {
                    (args[0], inner.then(swizzle))
                }
                Some(InstData { op: Op::Construct, args, .. }) => match self.part(args, swizzle) {
                    Some(part) => part,
                    None => break,
                },
                _ => break,
            };
        }
        let ty = self.ty(value);
        if swizzle.is_identity(ty.lanes) {
            return value;
        }
        self.push1(Op::Swizzle, Imm::Swizzle(swizzle), smallvec![value], ty.with_lanes(swizzle.count()))
    }

    /// The one of the parts of a vector that all picked components are of, and which they are there.
    fn part(&self, parts: &Args, swizzle: Swizzle) -> Option<(Value, Swizzle)> {
        let mut first = 0;
        for &part in parts {
            let end = first + self.ty(part).lanes;
            if swizzle.lanes().iter().all(|lane| (first..end).contains(lane)) {
                return Some((part, swizzle.map(|lane| lane - first)));
            }
            first = end;
        }
        None
    }
}
