//! Where code accesses memory, as far as can be seen.

use afterimage_ir::{AtomicOp, Bank, Flags, Imm, InstData, Module, Op, Value};
use smallvec::SmallVec;

use super::same::{Same, Sameness};

/// How far an address is followed.
const DEPTH: u32 = 12;

/// What is accessed: memory that is one thing for the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// The buffer whose address is in this register.
    Buffer(Bank, i32),
    /// The storage image of a slot.
    Image(u8),
    /// Memory by an address that comes from elsewhere.
    Any,
}

impl Key {
    /// Whether both may be the same memory.
    pub(super) fn meets(self, other: Key) -> bool {
        self == other
    }
}

/// A sum: values times a factor, and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Sum {
    terms: SmallVec<[(Value, u32); 2]>,
    constant: u32,
}

/// Where an access goes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct At {
    /// The address, or the coordinates.
    whole: Value,
    /// The byte in a buffer.
    offset: Option<Sum>,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    Read,
    Write,
    /// The operation, its operand, and whether somebody asks what was there.
    Atomic(AtomicOp, Option<Value>, bool),
}

/// An access of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    key: Key,
    does: Does,
    bytes: u32,
    /// Nothing where the place is another one each time that the code is run.
    at: Option<At>,
}

/// How much two accesses depend on their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Clash {
    /// Both write.
    Weak,
    /// One reads what the other one writes.
    Strong,
}

fn image(m: &Module, imm: Imm) -> Option<Key> {
    match imm {
        Imm::Image(image) | Imm::ImageAtomic(image, _) => Some(Key::Image(m.images[image.index()].slot)),
        _ => None,
    }
}

/// The memory that an instruction accesses, if it does.
pub(super) fn key(m: &Module, data: &InstData) -> Option<Key> {
    match data.op {
        Op::LoadGlobal | Op::StoreGlobal | Op::AtomicGlobal => {
            Some(offset(m, data.args[0]).map_or(Key::Any, |(key, _)| key))
        }
        Op::ImageLoad | Op::ImageStore | Op::ImageAtomic => image(m, data.imm),
        _ => None,
    }
}

/// The buffer of an address, and the byte in it.
fn offset(m: &Module, address: Value) -> Option<(Key, Sum)> {
    let pair = m.def_of(address, Op::Construct)?;
    let (mut root, mut sum) = (None, Sum::default());
    add(m, pair.args[0], 1, &mut root, &mut sum, DEPTH);
    sum.terms.sort_by_key(|(value, _)| value.index());
    root.map(|root| (root, sum))
}

/// Adds a value times a factor to a sum.
fn add(m: &Module, value: Value, factor: u32, root: &mut Option<Key>, sum: &mut Sum, depth: u32) {
    let constant = |value: Value| m.as_const(value).map(|bits| bits[0]);
    let leaf = |sum: &mut Sum| sum.terms.push((value, factor));
    if let Some(bits) = constant(value) {
        sum.constant = sum.constant.wrapping_add(bits.wrapping_mul(factor));
        return;
    }
    let Some(data) = m.def(value).map(|inst| m.inst(inst)).filter(|_| depth > 0) else { return leaf(sum) };
    let depth = depth - 1;
    match (data.op, &data.args[..]) {
        (Op::IAdd, &[a, b]) => {
            add(m, a, factor, root, sum, depth);
            add(m, b, factor, root, sum, depth);
        }
        (Op::IShl, &[a, by]) if let Some(by) = constant(by) => add(m, a, factor << (by & 31), root, sum, depth),
        (Op::IMul, &[a, by]) if let Some(by) = constant(by) => {
            add(m, a, factor.wrapping_mul(by), root, sum, depth);
        }
        // What a lane that is not active would have is not accessed.
        (Op::Select, &[_, a, b]) if constant(b) == Some(0) => add(m, a, factor, root, sum, depth),
        (Op::Select, &[_, a, b]) if constant(a) == Some(0) => add(m, b, factor, root, sum, depth),
        (Op::Swizzle, &[register]) if factor == 1 && root.is_none() => {
            let first = matches!(data.imm, Imm::Swizzle(swizzle) if swizzle.lanes().first() == Some(&0));
            match m.def_of(register, Op::LoadConst).map(|data| data.imm) {
                Some(Imm::Bank(bank, at)) if first => *root = Some(Key::Buffer(bank, at)),
                _ => leaf(sum),
            }
        }
        _ => leaf(sum),
    }
}

impl Access {
    /// That of an instruction, if it accesses memory. `used`: whether a value is.
    pub(super) fn of(m: &Module, data: &InstData, used: &[bool]) -> Option<Access> {
        let key = key(m, data)?;
        let words = |value: Value| u32::from(m.ty(value).lanes) * 4;
        let atomic = match data.imm {
            Imm::Atomic(op) | Imm::ImageAtomic(_, op) => Some(op),
            _ => None,
        };
        let asked = data.results.iter().any(|value| used[value.index()]);
        let does = match atomic {
            Some(op) => Does::Atomic(op, data.args.get(1).copied(), asked),
            None if data.op.has(Flags::SIDE_EFFECT) => Does::Write,
            None => Does::Read,
        };
        let value = data.results.first().or(data.args.last()).copied();
        let bytes = value.map_or(16, words);
        let whole = data.args[0];
        let offset = if matches!(key, Key::Image(_)) { None } else { offset(m, whole).map(|(_, sum)| sum) };
        Some(Access { key, does, bytes, at: Some(At { whole, offset }) })
    }

    /// The same in any other round of a loop, in which values may be others.
    pub(super) fn in_other_rounds(mut self, varies: impl Fn(Value) -> bool) -> Access {
        let moves = |at: &At| match &at.offset {
            Some(sum) => sum.terms.iter().any(|(value, _)| varies(*value)),
            None => varies(at.whole),
        };
        self.at.take_if(|at| moves(at));
        self
    }

    /// Whether an access of other lanes must not come before this one, which is in front of it.
    pub(super) fn clash(&self, next: &Access, same: &Sameness) -> Option<Clash> {
        let clash = match (self.does, next.does) {
            _ if !self.key.meets(next.key) => return None,
            (Does::Read, Does::Read) => return None,
            // In any order they leave the same behind.
            (Does::Atomic(a, x, _), Does::Atomic(b, y, asked)) if !asked || a == b && x.is_some() && x == y => {
                return None;
            }
            (Does::Write, Does::Write) if self.at.is_none() || next.at.is_none() => return None,
            (Does::Write, Does::Write) => Clash::Weak,
            _ => Clash::Strong,
        };
        (!self.is_apart(next, same)).then_some(clash)
    }

    /// Whether lanes access places of their own, or both go to different places.
    fn is_apart(&self, next: &Access, same: &Sameness) -> bool {
        let (Some(a), Some(b)) = (&self.at, &next.at) else { return false };
        if let (Some(x), Some(y)) = (&a.offset, &b.offset)
            && x.terms == y.terms
        {
            let own = x.terms.iter().filter(|(value, _)| same.of(*value) == Same::No);
            // How far the places of two lanes are from each other at least.
            let step = own.map(|(_, factor)| *factor).min();
            let from = x.constant.min(y.constant);
            let [first, second] = [(x, self), (y, next)].map(|(sum, access)| {
                let at = sum.constant.wrapping_sub(from);
                (at, at.saturating_add(access.bytes))
            });
            return match step {
                Some(step) => first.1.max(second.1) <= step.max(4),
                None => first.1 <= second.0 || second.1 <= first.0,
            };
        }
        a.whole == b.whole && same.of(a.whole) == Same::No
    }
}
