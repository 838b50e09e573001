//! Programs that make indices of a geometry shader's log ([`geometry::LOG`]), so that nobody waits for what it says.
//!
//! Three, of a lane for each of the geometry shader's, in groups of as many: [`Step::Count`] counts the indices of each lane and of each
//! group, [`Step::Sum`], of one group, adds the groups up and writes the arguments of an indexed draw, and [`Step::Write`] writes the
//! indices. They are in the order of lanes. Every access is checked against the bytes that the bank of buffers says, and no loop is
//! longer than a log's record or a dispatch can be, whatever bank [`DRAW`](crate::io::bank::DRAW) says:
//!
//! | register | |
//! |---|---|
//! | 0 | words of the log from lane to lane, words in front of the stream's record in those, lanes, most vertices of a lane |
//! | 1 | the row of the strips' topology in transform feedback's table, as words |
//! | 2 | where a lane's vertices lie: lane `n` of group `w`, in memory, at `w * .0 + n / ROW * .1 + n % ROW + .2`; on-chip, in window `w` of `.1` words, at `n * .0 + .2`; from a vertex to the next it is `.3` words |
//! | 3 | on-chip: lanes of a subgroup, words of it in the list of primitives, subgroups of an instance, invocations |

use afterimage_abi::{Bank, GcnBank, Stage};
use afterimage_ir::{self as ir, BankDecl, BankSource, Builder, InputAt, InputDecl, Interp, Kind, Type, Value};

use crate::io::geometry::{self, LANES, ROW};
use crate::lift::advance;

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Step {
    /// Counts the indices of each lane.
    Count = 0,
    /// Adds up those of groups.
    Sum = 1,
    /// Writes them.
    Write = 2,
}

impl Step {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Count, Self::Sum, Self::Write];
}

/// Which program: what a `CreateShader` packet of `Language::GcnEmitted` carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Key {
    /// A [`Step`].
    pub step: u32,
    /// 1: the geometry shader's outputs lie in windows of the data share.
    pub on_chip: u32,
}

/// The key of no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no program of step {} with on-chip {} for what geometry shaders put out", .0.step, .0.on_chip)]
pub struct NoProgram(pub Key);

/// Buffers of the programs, by their registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Buffer {
    /// The log.
    Log,
    /// The list of primitives ([`geometry::LIST`]) that the geometry shader ran for.
    List,
    /// Indices of the lanes in front of each in its group.
    Lanes,
    /// Indices of each group, then of those in front of it.
    Groups,
    /// The indices.
    Indices,
    /// [`ARGUMENTS`] bytes.
    Arguments,
}

/// How many buffers there are.
pub const BUFFERS: usize = 6;
/// Bytes of the arguments of an indexed draw.
pub const ARGUMENTS: u64 = 20;

/// A program being written.
struct Program {
    b: Builder,
    /// Whether rings lie in windows of the data share.
    on_chip: bool,
    buffers: ir::Bank,
    said: ir::Bank,
    /// The lane's number in its group, and the group's.
    local: Value,
    group: Value,
}

/// A program's module.
///
/// # Errors
/// When there is no such program.
pub fn lift(key: Key) -> Result<ir::Module, NoProgram> {
    let step = Step::ALL.into_iter().find(|step| *step as u32 == key.step);
    let step = step.filter(|_| key.on_chip < 2).ok_or(NoProgram(key))?;
    let on_chip = key.on_chip == 1;
    let mut b = Builder::new(Stage::Compute);
    b.set_name(&format!("emitted indices: {step:?}"));
    b.work_group([LANES, 1, 1], 4 * LANES);
    let mut bank = |of, size| {
        let id = Bank::gcn(Stage::Compute, of) as u8;
        b.bank(BankDecl { name: format!("{of:?}"), source: BankSource::Stage, id, size, defs: Vec::new() })
    };
    let (buffers, said) = (bank(GcnBank::Buffers, BUFFERS as u32), bank(GcnBank::Draw, 4));
    let mut builtin = |at: InputAt, ty| {
        b.input_at(at, || InputDecl { name: format!("{at:?}"), ty, at, interp: Interp::Flat, semantic: None })
    };
    let (local, group) = (builtin(InputAt::LocalIndex, Type::I32), builtin(InputAt::WorkgroupId, Type::I32X3));
    let group = b.extract(group, 0);
    let mut p = Program { b, on_chip, buffers, said, local, group };
    match step {
        Step::Count => p.count(),
        Step::Sum => p.sum(),
        Step::Write => p.write(),
    }
    p.b.finish().map_err(|_| NoProgram(key))
}

impl Program {
    /// A word of what the draw says.
    fn said(&mut self, register: u32, word: u8) -> Value {
        let words = self.b.load_const_as(Kind::Int, self.said, register);
        self.b.extract(words, word)
    }

    /// The address of a word of a buffer.
    fn address(&mut self, buffer: Buffer, word: Value) -> Value {
        let words = self.b.load_const_as(Kind::Int, self.buffers, buffer as u32);
        let b = &mut self.b;
        let start = [0, 1].map(|half| b.extract(words, half));
        let (start, two) = (b.construct(&start), b.i32(2));
        let offset = b.ishl(word, two);
        advance(b, start, offset)
    }

    /// Whether a buffer has a word.
    fn has(&mut self, buffer: Buffer, word: Value) -> Value {
        let words = self.b.load_const_as(Kind::Int, self.buffers, buffer as u32);
        let b = &mut self.b;
        let (bytes, two) = (b.extract(words, 2), b.i32(2));
        let all = b.ushr(bytes, two);
        b.ult(word, all)
    }

    /// A word of a buffer; 0 where it has none.
    fn load(&mut self, buffer: Buffer, word: Value) -> Value {
        let (has, address) = (self.has(buffer, word), self.address(buffer, word));
        self.b.if_else(
            has,
            |b| {
                let word = b.load_global(address, 1);
                b.cast(word, Kind::Int)
            },
            |b| b.i32(0),
        )
    }

    /// Writes a word of a buffer, if it has it.
    fn store(&mut self, buffer: Buffer, word: Value, value: Value) {
        let (has, address) = (self.has(buffer, word), self.address(buffer, word));
        self.b.begin_if(has);
        self.b.store_global(address, value);
        self.b.end_if();
    }

    /// The lane's number among all.
    fn lane(&mut self) -> Value {
        let size = self.b.i32(LANES as i32);
        let first = self.b.imul(self.group, size);
        self.b.iadd(first, self.local)
    }

    /// Whether the geometry shader had something to do for the lane: one behind the last of all, or of its subgroup, had not.
    fn is_live(&mut self) -> Value {
        let (lane, lanes) = (self.lane(), self.said(0, 2));
        let live = self.b.ult(lane, lanes);
        if !self.on_chip {
            return live;
        }
        let [words, subgroups, invocations] = [1, 2, 3].map(|word| self.said(3, word));
        let (window, at) = self.window(lane);
        let subgroup = self.b.umod(window, subgroups);
        let count = self.b.imul(subgroup, words);
        let count = self.load(Buffer::List, count);
        let live_of_subgroup = self.b.imul(count, invocations);
        let inside = self.b.ult(at, live_of_subgroup);
        self.b.band(live, inside)
    }

    /// The window of a lane's subgroup, and the lane's number in that.
    fn window(&mut self, lane: Value) -> (Value, Value) {
        let lanes = self.said(3, 0);
        (self.b.udiv(lane, lanes), self.b.umod(lane, lanes))
    }

    /// Where the lane's vertices begin: see register 2.
    fn first_vertex(&mut self) -> Value {
        let [wave, row, first] = [0, 1, 2].map(|word| self.said(2, word));
        let place = if self.on_chip {
            let lane = self.lane();
            let (window, at) = self.window(lane);
            let b = &mut self.b;
            let one = b.i32(1);
            // What does not fit into its window counts as its end. Windows and lanes have so few words that 32 bits have their product.
            let at = b.umin(at, row);
            let (ahead, last) = (b.imul(at, wave), b.isub(row, one));
            let (start, ahead) = (b.imul(window, row), b.umin(ahead, last));
            b.iadd(start, ahead)
        } else {
            let b = &mut self.b;
            let size = b.i32(ROW as i32);
            let (number, rest) = (b.udiv(self.local, size), b.umod(self.local, size));
            let (start, ahead) = (b.imul(self.group, wave), b.imul(number, row));
            let start = b.iadd(start, ahead);
            b.iadd(start, rest)
        };
        self.b.iadd(place, first)
    }

    /// Calls `each` in a loop over the lane's primitives, with the number in the lane of the first vertex of the strip, and the number of
    /// the primitive in its strip. Each vertex that a strip has behind the first few ends a primitive.
    fn each_primitive(&mut self, each: impl FnOnce(&mut Self, Value, Value)) {
        let (lane, record, ahead, most) = (self.lane(), self.said(0, 0), self.said(0, 1), self.said(0, 3));
        let least = self.row_byte(0, 16);
        let b = &mut self.b;
        let start = b.imul(lane, record);
        let start = b.iadd(start, ahead);
        let count = self.load(Buffer::Log, start);
        let b = &mut self.b;
        let bound = b.i32(geometry::most_vertices(u32::MAX) as i32);
        let most = b.umin(most, bound);
        let count = b.umin(count, most);
        let (at_var, first_var) = (b.var("at", Type::I32), b.var("first", Type::I32));
        let zero = b.i32(0);
        b.store(at_var, zero);
        b.store(first_var, zero);
        b.begin_loop();
        let (at, first, one) = (b.load(at_var), b.load(first_var), b.i32(1));
        let done = b.ule(count, at);
        b.break_if(done);
        let next = b.iadd(at, one);
        let vertices = b.isub(next, first);
        let is_whole = b.ule(least, vertices);
        b.begin_if(is_whole);
        let number = b.isub(vertices, least);
        each(self, first, number);
        let b = &mut self.b;
        b.end_if();
        let [five, bits, one] = [5, 31, 1].map(|number| b.i32(number));
        let word = b.ushr(at, five);
        let word = b.iadd(word, one);
        let word = b.iadd(start, word);
        let cuts = self.load(Buffer::Log, word);
        let b = &mut self.b;
        let bit = b.iand(at, bits);
        let cuts = b.ushr(cuts, bit);
        let (cut, none) = (b.iand(cuts, one), b.i32(0));
        let is_cut = b.ine(cut, none);
        b.begin_if(is_cut);
        b.store(first_var, next);
        b.end_if();
        b.store(at_var, next);
        b.end_loop();
    }

    /// Eight bits of a word of the strips' row.
    fn row_byte(&mut self, word: u8, shift: u32) -> Value {
        let word = self.said(1, word);
        let b = &mut self.b;
        let [shift, mask] = [shift, 0xFF].map(|number| b.i32(number as i32));
        let rest = b.ushr(word, shift);
        b.iand(rest, mask)
    }

    /// The sum of a number of each lane of the group in front of this one.
    fn before(&mut self, number: Value) -> Value {
        let b = &mut self.b;
        let [zero, one, two] = [0, 1, 2].map(|number| b.i32(number));
        let place = b.ishl(self.local, two);
        b.store_shared(place, number);
        b.barrier();
        let (at_var, sum_var) = (b.var("other", Type::I32), b.var("before", Type::I32));
        b.store(at_var, zero);
        b.store(sum_var, zero);
        b.begin_loop();
        let (at, sum) = (b.load(at_var), b.load(sum_var));
        let done = b.ule(self.local, at);
        b.break_if(done);
        let place = b.ishl(at, two);
        let other = b.load_shared(place, 1);
        let other = b.cast(other, Kind::Int);
        let (sum, next) = (b.iadd(sum, other), b.iadd(at, one));
        b.store(sum_var, sum);
        b.store(at_var, next);
        b.end_loop();
        b.load(sum_var)
    }

    /// Whether this is the last lane of its group.
    fn is_last(&mut self) -> Value {
        let last = self.b.i32(LANES as i32 - 1);
        self.b.ieq(self.local, last)
    }

    fn count(&mut self) {
        let made_var = self.b.var("made", Type::I32);
        let zero = self.b.i32(0);
        self.b.store(made_var, zero);
        let live = self.is_live();
        self.b.begin_if(live);
        self.each_primitive(|p, _, _| {
            let corners = p.row_byte(0, 0);
            let made = p.b.load(made_var);
            let made = p.b.iadd(made, corners);
            p.b.store(made_var, made);
        });
        self.b.end_if();
        let made = self.b.load(made_var);
        let before = self.before(made);
        let lane = self.lane();
        self.store(Buffer::Lanes, lane, before);
        let is_last = self.is_last();
        self.b.begin_if(is_last);
        let all = self.b.iadd(before, made);
        self.store(Buffer::Groups, self.group, all);
        self.b.end_if();
        self.b.return_();
    }

    /// Each lane adds up some groups, those in a row, of as many as a dispatch can have.
    fn sum(&mut self) {
        let lanes = self.said(0, 2);
        let b = &mut self.b;
        let [size, more, one, bound] = [LANES, LANES - 1, 1, geometry::MOST_GROUPS].map(|number| b.i32(number as i32));
        let parts = |b: &mut Builder, number| {
            let more = b.iadd(number, more);
            b.udiv(more, size)
        };
        let groups = parts(b, lanes);
        let groups = b.umin(groups, bound);
        let each = parts(b, groups);
        let start = b.imul(self.local, each);
        let end = b.iadd(start, each);
        let end = b.umin(end, groups);
        let (at_var, sum_var) = (b.var("group", Type::I32), b.var("sum", Type::I32));
        let over = |p: &mut Self, from: Value, each: &dyn Fn(&mut Self, Value, Value)| {
            p.b.store(at_var, start);
            p.b.store(sum_var, from);
            p.b.begin_loop();
            let (at, sum) = (p.b.load(at_var), p.b.load(sum_var));
            let done = p.b.ule(end, at);
            p.b.break_if(done);
            let own = p.load(Buffer::Groups, at);
            each(p, at, sum);
            let (sum, next) = (p.b.iadd(sum, own), p.b.iadd(at, one));
            p.b.store(sum_var, sum);
            p.b.store(at_var, next);
            p.b.end_loop();
            p.b.load(sum_var)
        };
        let zero = self.b.i32(0);
        let own = over(self, zero, &|_, _, _| {});
        let before = self.before(own);
        let all = over(self, before, &|p, at, sum| p.store(Buffer::Groups, at, sum));
        let is_last = self.is_last();
        self.b.begin_if(is_last);
        // Indices, instances, first index, what is added to each, first instance.
        for (word, value) in [all, one, zero, zero, zero].into_iter().enumerate() {
            let word = self.b.i32(word as i32);
            self.store(Buffer::Arguments, word, value);
        }
        self.b.end_if();
        self.b.return_();
    }

    fn write(&mut self) {
        let next_var = self.b.var("next", Type::I32);
        let live = self.is_live();
        self.b.begin_if(live);
        let lane = self.lane();
        let (of_lanes, of_groups) = (self.load(Buffer::Lanes, lane), self.load(Buffer::Groups, self.group));
        let next = self.b.iadd(of_lanes, of_groups);
        self.b.store(next_var, next);
        let (begin, step) = (self.first_vertex(), self.said(2, 3));
        self.each_primitive(|p, first, number| {
            let corners = p.row_byte(0, 0);
            let [zero, one] = [0, 1].map(|number| p.b.i32(number));
            let odd = p.b.iand(number, one);
            let odd = p.b.ine(odd, zero);
            // No primitive has more than three.
            for corner in 0..3 {
                let this = p.b.i32(corner);
                let is_one = p.b.ult(this, corners);
                p.b.begin_if(is_one);
                let [scale, in_even, in_odd] = [1, 2, 3].map(|word| p.row_byte(word, 8 * corner as u32));
                let b = &mut p.b;
                let at = b.select(odd, in_odd, in_even);
                let scaled = b.imul(scale, number);
                let at = b.iadd(scaled, at);
                let vertex = b.iadd(first, at);
                let ahead = b.imul(vertex, step);
                let index = b.iadd(begin, ahead);
                let next = b.load(next_var);
                let behind = b.iadd(next, one);
                b.store(next_var, behind);
                p.store(Buffer::Indices, next, index);
                p.b.end_if();
            }
        });
        self.b.end_if();
        self.b.return_();
    }
}
