//! Expressions over user data and memory, each once.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::io::tables::What;
use crate::io::{BinaryOp, Expr, ExprId};

/// Most expressions of a program: more are taken as not known.
const MAX_EXPRS: usize = 1 << 16;

/// Expressions of most programs: fewer.
const USUAL: usize = 48;

/// Expressions by their content, operands first.
pub(crate) struct Exprs {
    list: Vec<Expr>,
    ids: FxHashMap<Expr, ExprId>,
}

impl Exprs {
    pub(crate) fn new() -> Exprs {
        let ids = FxHashMap::with_capacity_and_hasher(USUAL, FxBuildHasher);
        Exprs { list: Vec::with_capacity(USUAL), ids }
    }

    fn add(&mut self, expr: Expr) -> Option<ExprId> {
        if let Some(&id) = self.ids.get(&expr) {
            return Some(id);
        }
        if self.list.len() >= MAX_EXPRS {
            return None;
        }
        let id = self.list.len() as ExprId;
        self.list.push(expr);
        self.ids.insert(expr, id);
        Some(id)
    }

    pub(crate) fn constant(&mut self, value: u32) -> Option<ExprId> {
        self.add(Expr::Const(value))
    }

    pub(crate) fn user(&mut self, n: u8) -> Option<ExprId> {
        self.add(Expr::User(n))
    }

    /// A user register that something depends on.
    pub(crate) fn known_user(&self, n: u8) -> Option<ExprId> {
        self.ids.get(&Expr::User(n)).copied()
    }

    /// Low (0) or high (1) half of the program's address.
    pub(crate) fn program(&mut self, half: u8) -> Option<ExprId> {
        self.add(Expr::Program(half))
    }

    /// The value, if it is a constant.
    pub(crate) fn as_const(&self, id: ExprId) -> Option<u32> {
        match self.list[id as usize] {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// What an expression adds something to; itself if it is no sum. Constants and carries are the second operands of sums.
    pub(crate) fn base(&self, mut id: ExprId) -> ExprId {
        while let Expr::Binary(BinaryOp::Add, base, _) = self.list[id as usize] {
            id = base;
        }
        id
    }

    /// What a constant is added to, and the constant.
    pub(crate) fn without_constant(&self, id: ExprId) -> (ExprId, u32) {
        match self.list[id as usize] {
            Expr::Binary(BinaryOp::Add, base, more) => self.as_const(more).map_or((id, 0), |more| (base, more)),
            _ => (id, 0),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::*;
        let (x, y) = (self.as_const(a), self.as_const(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.constant(op.compute(x, y));
        }
        match (op, x, y) {
            (Add | Sub | Or | Xor | AndNot | Shl | Shr | Ashr, _, Some(0)) => return Some(a),
            (Add | Or | Xor, Some(0), _) => return Some(b),
            (Mul, _, Some(1)) | (And, _, Some(u32::MAX)) => return Some(a),
            (Mul, Some(1), _) | (And, Some(u32::MAX), _) => return Some(b),
            (Carry | And | Mul, _, Some(0)) | (Carry | And | Mul, Some(0), _) => return self.constant(0),
            _ => {}
        }
        // Constants behind, and of several additions one, so that equal addresses look equal.
        if let (Add, None, Some(y)) = (op, x, y)
            && let Expr::Binary(Add, base, more) = self.list[a as usize]
            && let Some(more) = self.as_const(more)
        {
            let sum = self.constant(y.wrapping_add(more))?;
            return self.binary(Add, base, sum);
        }
        let commutative = matches!(op, Add | Carry | Mul | And | Or | Xor);
        let (a, b) = if commutative && x.is_some() { (b, a) } else { (a, b) };
        self.add(Expr::Binary(op, a, b))
    }

    pub(crate) fn load(&mut self, base: [ExprId; 2], offset: ExprId) -> Option<ExprId> {
        self.add(Expr::Load { base, offset })
    }

    pub(crate) fn load_buffer(&mut self, descriptor: [ExprId; 4], offset: ExprId) -> Option<ExprId> {
        self.add(Expr::LoadBuffer { descriptor, offset })
    }

    pub(crate) fn table(&mut self, base: [ExprId; 2], what: What, entry: u8, word: u8) -> Option<ExprId> {
        self.add(Expr::Table { base, what, entry, word })
    }

    /// Keeps the expressions that `used` call for, and calls `used` again with what each of them is called then.
    pub(crate) fn compact(self, mut used: impl FnMut(&mut dyn FnMut(&mut ExprId))) -> Vec<Expr> {
        let mut keep = vec![false; self.list.len()];
        used(&mut |id| keep[*id as usize] = true);
        for at in (0..self.list.len()).rev() {
            if keep[at] {
                let mut expr = self.list[at];
                operands(&mut expr, &mut |id| keep[*id as usize] = true);
            }
        }
        let mut names = vec![0; self.list.len()];
        let mut list = Vec::new();
        for (at, mut expr) in self.list.into_iter().enumerate().filter(|&(at, _)| keep[at]) {
            operands(&mut expr, &mut |id| *id = names[*id as usize]);
            names[at] = list.len() as ExprId;
            list.push(expr);
        }
        used(&mut |id| *id = names[*id as usize]);
        list
    }
}

fn operands(expr: &mut Expr, visit: &mut dyn FnMut(&mut ExprId)) {
    match expr {
        Expr::Load { base, offset } => {
            base.iter_mut().for_each(&mut *visit);
            visit(offset);
        }
        Expr::LoadBuffer { descriptor, offset } => {
            descriptor.iter_mut().for_each(&mut *visit);
            visit(offset);
        }
        Expr::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        Expr::Table { base, .. } => base.iter_mut().for_each(&mut *visit),
        Expr::User(_) | Expr::Const(_) | Expr::Program(_) => {}
    }
}
