//! The `prepare` shader: what [`plan`](super::plan()) does, on the device.

use std::mem::offset_of;

use afterimage_ir::{Builder, InputAt, Kind, Module, Stage, Type, Value, Var};

use super::block::{BUFFERS, Counters, Draw, DrawKind, GROUP, MOST_GROUPS, Request, Target};
use super::code::{Code, System};
use super::plan::ROW_GROUPS;
use crate::{control_flow, cse, dce, lanes, simplify, ssa};

/// Indices that a lane looks at in a round: the bits of a word.
const CHUNK: u32 = 32;
/// Indices of a round.
const ROUND: u32 = CHUNK * GROUP;
/// Byte of the group's memory where, for each lane, the number of primitives is that its indices complete; before those, where the last
/// run in its indices begins.
const COUNTS: u32 = 4 * GROUP;

/// A compute shader of one work group, to be dispatched once (1, 1, 1), that does what [`plan`](super::plan()) does where only the device
/// knows the numbers. Its bank of source `Feedback`, number 0, is a [`Request`]. It fills the `Draw` at `Request::draw` (all but the vertex
/// buffers and `Draw::request`), the list at `Request::list`, the work groups at `Request::groups`, and adds to the `Counters` at `Request::counters`.
pub fn prepare() -> Module {
    let mut b = Builder::new(Stage::Compute);
    b.set_name("prepare");
    b.work_group([GROUP, 1, 1], 2 * COUNTS);
    let request = System::new(&mut b, "request", size_of::<Request>());
    let drawn = Drawn::read(&mut b, request);
    let primitives = b.var("primitives", Type::I32);
    let row = request.register(&mut b, offset_of!(Request, row));
    let (head, mask) = (b.extract(row, 0), b.int(0xff));
    let recorded = b.iand(head, mask);
    let steps = Steps::of(&mut b, head);

    let restart = request.word(&mut b, offset_of!(Request, restart));
    let restart = b.cast(restart, Kind::Bool);
    let restarts = b.band(restart, drawn.indexed);
    b.begin_if(restarts);
    list(&mut b, request, &drawn, &steps, primitives);
    b.begin_else();
    let run = steps.primitives(&mut b, drawn.vertices);
    b.store(primitives, run);
    b.end_if();

    let lane = b.builtin(InputAt::LocalIndex);
    let zero = b.int(0);
    let first = b.ieq(lane, zero);
    b.begin_if(first);
    let primitives = b.load(primitives);
    answer(&mut b, request, &drawn, row, recorded, primitives, restarts);
    b.end_if();
    let Ok(mut module) = b.finish() else { unreachable!("blocks nest") };
    for pass in [ssa::run, lanes::run, simplify::run, control_flow::run, cse::run, dce::run] {
        pass(&mut module);
    }
    module
}

/// How many primitives vertices make: the first word of a row.
struct Steps {
    step: Value,
    /// Vertices before the one that completes the first primitive.
    before: Value,
}

impl Steps {
    fn of(b: &mut Builder, head: Value) -> Self {
        let one = b.int(1);
        let step = b.byte(head, one);
        let two = b.int(2);
        let least = b.byte(head, two);
        Self { step, before: b.isub(least, one) }
    }

    /// Complete primitives of a run of vertices.
    fn primitives(&self, b: &mut Builder, vertices: Value) -> Value {
        let (one, zero) = (b.int(1), b.int(0));
        let any = b.ult(self.before, vertices);
        let least = b.iadd(self.before, one);
        let more = b.isub(vertices, least);
        let steps = b.udiv(more, self.step);
        let primitives = b.iadd(steps, one);
        b.select(any, primitives, zero)
    }
}

/// The parameters of the draw, wherever they were.
struct Drawn {
    /// Added to vertices or indices.
    first: Value,
    vertices: Value,
    instances: Value,
    first_instance: Value,
    indexed: Value,
    index_bytes: Value,
    /// Address of the first index, or 0.
    indices: Value,
}

impl Drawn {
    fn read(b: &mut Builder, request: System) -> Self {
        let [first, count, offset, instances, first_instance] = [
            ("first", offset_of!(Request, first)),
            ("count", offset_of!(Request, count)),
            ("vertex_offset", offset_of!(Request, vertex_offset)),
            ("instances", offset_of!(Request, instances)),
            ("first_instance", offset_of!(Request, first_instance)),
        ]
        .map(|(name, at)| {
            let var = b.var(name, Type::I32);
            let value = request.word(b, at);
            b.store(var, value);
            var
        });
        let index_bytes = request.word(b, offset_of!(Request, index_bytes));
        let indexed = b.cast(index_bytes, Kind::Bool);
        let kind = request.word(b, offset_of!(Request, kind));
        let arguments = request.wide(b, offset_of!(Request, arguments));

        let indirect = b.int(DrawKind::Indirect as u32);
        let indirect = b.ieq(kind, indirect);
        b.begin_if(indirect);
        let words = b.load_words(arguments, 4);
        let part = [0, 1, 2, 3].map(|n| b.extract(words, n));
        for (var, value) in [count, instances, first].into_iter().zip(part) {
            b.store(var, value);
        }
        b.begin_if(indexed);
        b.store(offset, part[3]);
        let sixteen = b.int(16);
        let fifth = b.wide_add(arguments, sixteen);
        let fifth = b.load_words(fifth, 1);
        b.store(first_instance, fifth);
        b.begin_else();
        b.store(first_instance, part[3]);
        b.end_if();
        b.end_if();

        let by_bytes = b.int(DrawKind::ByteCount as u32);
        let by_bytes = b.ieq(kind, by_bytes);
        b.begin_if(by_bytes);
        let bytes = b.load_words(arguments, 1);
        let skipped = request.word(b, offset_of!(Request, counter_offset));
        let stride = request.word(b, offset_of!(Request, counter_stride));
        let zero = b.int(0);
        let (any, none) = (b.ule(skipped, bytes), b.ieq(stride, zero));
        let left = b.isub(bytes, skipped);
        let vertices = b.udiv(left, stride);
        let vertices = b.select(any, vertices, zero);
        let vertices = b.select(none, zero, vertices);
        b.store(count, vertices);
        b.end_if();

        // No further than the index buffer goes.
        let [first, count, offset] = [first, count, offset].map(|var| b.load(var));
        let size = request.word(b, offset_of!(Request, index_size));
        let base = request.wide(b, offset_of!(Request, indices));
        let (there, zero) = (b.udiv(size, index_bytes), b.int(0));
        let left = b.isub(there, first);
        let some = b.ult(first, there);
        let left = b.select(some, left, zero);
        let clamped = b.umin(count, left);
        let at = b.element(base, first, index_bytes);
        let nowhere = b.construct(&[zero, zero]);
        let wide = b.resize(indexed, 2);
        Self {
            first: b.select(indexed, offset, first),
            vertices: b.select(indexed, clamped, count),
            instances: b.load(instances),
            first_instance: b.load(first_instance),
            indexed,
            index_bytes,
            indices: b.select(wide, at, nowhere),
        }
    }
}

/// Writes the list of primitives between restarts, and sets `total` to how many there are. In each round a lane has some indices in
/// succession: where their last run begins the lanes behind have to know, and how many primitives they complete.
fn list(b: &mut Builder, request: System, drawn: &Drawn, steps: &Steps, total: Var) {
    let lane = b.builtin(InputAt::LocalIndex);
    let (zero, one, round, chunk) = (b.int(0), b.int(1), b.int(ROUND), b.int(CHUNK));
    let (two, counts) = (b.int(2), b.int(COUNTS));
    let restart_index = b.index_mask(drawn.index_bytes);
    let (to, room) = (request.wide(b, offset_of!(Request, list)), request.word(b, offset_of!(Request, list_room)));
    let own_start = b.ishl(lane, two);
    let own_count = b.iadd(own_start, counts);
    // Position of the round's first index, indices from there on, and where the run began that is open there.
    let [base, left, open] = ["base", "left", "open"].map(|name| b.var(name, Type::I32));
    let [at, mask, start, number] = ["at", "mask", "start", "number"].map(|name| b.var(name, Type::I32));
    b.store(left, drawn.vertices);
    b.begin_loop();
    let now = b.load(left);
    let done = b.ieq(now, zero);
    b.break_if(done);
    let first = b.imul(lane, chunk);
    let from = b.load(base);
    let from = b.iadd(from, first);
    // How many of the indices are this lane's.
    let own = b.isub(now, first);
    let own = b.umin(own, chunk);
    let some = b.ult(first, now);
    let own = b.select(some, own, zero);

    // Where runs begin.
    for var in [at, mask, start] {
        b.store(var, zero);
    }
    b.begin_loop();
    let n = b.load(at);
    let done = b.ule(own, n);
    b.break_if(done);
    let position = b.iadd(from, n);
    let index = b.load_index(drawn.indices, drawn.index_bytes, position);
    let next = b.iadd(n, one);
    let restarts = b.ieq(index, restart_index);
    b.begin_if(restarts);
    let (bit, set) = (b.ishl(one, n), b.load(mask));
    let set = b.ior(set, bit);
    b.store(mask, set);
    let begins = b.iadd(position, one);
    b.store(start, begins);
    b.end_if();
    b.store(at, next);
    b.end_loop();
    let last = b.load(start);
    b.store_shared(own_start, last);
    b.barrier();
    let begins = b.load(open);
    b.store(start, begins);
    each_lane(b, at, lane, |b, n, _| {
        let (before, now) = (b.load_shared(n, 1), b.load(start));
        let now = b.umax(now, before);
        b.store(start, now);
    });

    // How many primitives the indices complete, twice: to be counted, and to be listed.
    let mask = b.load(mask);
    let begins = b.load(start);
    let walk = Walk { from, own, mask, at, start };
    b.store(number, zero);
    walk.each(b, steps, |b, _, _| {
        let count = b.load(number);
        let count = b.iadd(count, one);
        b.store(number, count);
    });
    let count = b.load(number);
    b.store_shared(own_count, count);
    b.barrier();
    let before = b.load(total);
    b.store(number, before);
    let all = b.int(GROUP);
    each_lane(b, at, all, |b, n, which| {
        let place = b.iadd(n, counts);
        let (count, sum) = (b.load_shared(place, 1), b.load(total));
        let sum = b.iadd(sum, count);
        b.store(total, sum);
        let (last, now) = (b.load_shared(n, 1), b.load(open));
        let now = b.umax(now, last);
        b.store(open, now);
        let (mine, zero) = (b.ult(which, lane), b.int(0));
        let (count, sum) = (b.select(mine, count, zero), b.load(number));
        let sum = b.iadd(sum, count);
        b.store(number, sum);
    });
    b.store(start, begins);
    walk.each(b, steps, |b, start, in_run| {
        let entry = b.load(number);
        let fits = b.ult(entry, room);
        b.begin_if(fits);
        let size = b.int(8);
        let place = b.element(to, entry, size);
        let run = b.construct(&[start, in_run]);
        b.store_global(place, run);
        b.end_if();
        let entry = b.iadd(entry, one);
        b.store(number, entry);
    });
    // Before what the lanes told each other is written over.
    b.barrier();
    let from = b.load(base);
    let from = b.iadd(from, round);
    b.store(base, from);
    let now = b.umin(now, round);
    let rest = b.load(left);
    let rest = b.isub(rest, now);
    b.store(left, rest);
    b.end_loop();
}

/// Does something for each lane below `end`: with its byte in the group's memory, and its number. `at` counts.
fn each_lane(b: &mut Builder, at: Var, end: Value, each: impl FnOnce(&mut Builder, Value, Value)) {
    let (zero, one, two) = (b.int(0), b.int(1), b.int(2));
    b.store(at, zero);
    b.begin_loop();
    let n = b.load(at);
    let done = b.ule(end, n);
    b.break_if(done);
    let byte = b.ishl(n, two);
    each(b, byte, n);
    let next = b.iadd(n, one);
    b.store(at, next);
    b.end_loop();
}

/// The indices of a lane in a round.
struct Walk {
    /// Position of the first.
    from: Value,
    /// How many there are.
    own: Value,
    /// Bit for each that is a restart.
    mask: Value,
    /// Counts.
    at: Var,
    /// Where the run begins that is open.
    start: Var,
}

impl Walk {
    /// Does something for each index that completes a primitive: with where its run begins, and the primitive's number in there.
    fn each(&self, b: &mut Builder, steps: &Steps, each: impl FnOnce(&mut Builder, Value, Value)) {
        let (zero, one) = (b.int(0), b.int(1));
        b.store(self.at, zero);
        b.begin_loop();
        let n = b.load(self.at);
        let done = b.ule(self.own, n);
        b.break_if(done);
        let position = b.iadd(self.from, n);
        let bit = b.ushr(self.mask, n);
        let bit = b.iand(bit, one);
        b.begin_if(bit);
        let begins = b.iadd(position, one);
        b.store(self.start, begins);
        b.begin_else();
        let start = b.load(self.start);
        let place = b.isub(position, start);
        let more = b.isub(place, steps.before);
        let in_run = b.udiv(more, steps.step);
        let whole = b.imul(in_run, steps.step);
        let (enough, whole) = (b.ule(steps.before, place), b.ieq(whole, more));
        let completes = b.band(enough, whole);
        b.begin_if(completes);
        each(b, start, in_run);
        b.end_if();
        b.end_if();
        let next = b.iadd(n, one);
        b.store(self.at, next);
        b.end_loop();
    }
}

/// Writes the draw, the counters and the work groups: in one lane.
fn answer(
    b: &mut Builder,
    request: System,
    drawn: &Drawn,
    row: Value,
    recorded: Value,
    primitives: Value,
    restarts: Value,
) {
    let (zero, one, all_ones) = (b.int(0), b.int(1), b.int(!0));
    let draw = request.wide(b, offset_of!(Request, draw));
    let counters = request.wide(b, offset_of!(Request, counters));
    let place = |b: &mut Builder, base: Value, offset: usize| {
        let offset = b.int(offset as u32);
        b.wide_add(base, offset)
    };
    let nowhere = b.construct(&[zero, zero]);

    // What there is, and what has room.
    let needed = b.wide_mul(primitives, drawn.instances);
    let (low, high) = (b.extract(needed, 0), b.extract(needed, 1));
    let is_low = b.ieq(high, zero);
    let mut captured = b.select(is_low, low, all_ones);
    let bytes_at = place(b, counters, offset_of!(Counters, bytes));
    let bytes = b.load_words(bytes_at, BUFFERS as u8);
    let strides = request.register(b, offset_of!(Request, strides));
    let sizes = request.register(b, offset_of!(Request, sizes));
    let mut vertex = Vec::with_capacity(BUFFERS);
    for n in 0..BUFFERS {
        let buffer = request.wide(b, offset_of!(Request, buffers) + 8 * n);
        let [stride, size, used] = [strides, sizes, bytes].map(|four| b.extract(four, n as u8));
        let bound = b.is_set(buffer);
        let size = b.select(bound, size, zero);
        let left = b.isub(size, used);
        let some = b.ult(used, size);
        let left = b.select(some, left, zero);
        let primitive = b.imul(recorded, stride);
        let room = b.udiv(left, primitive);
        let written = b.ine(stride, zero);
        let room = b.select(written, room, all_ones);
        captured = b.umin(captured, room);
        let target = b.wide_add(buffer, used);
        let written_wide = b.resize(written, 2);
        let target = b.select(written_wide, target, nowhere);
        let target_at = place(b, draw, offset_of!(Draw, targets) + n * size_of::<Target>());
        let target = b.construct(&[target, nowhere]);
        b.store_global(target_at, target);
        vertex.push(stride);
    }
    // A list that is too short has the first instance's first primitives alone.
    let room = request.word(b, offset_of!(Request, list_room));
    let short = b.ult(room, primitives);
    let limited = b.band(restarts, short);
    let room = b.select(limited, room, all_ones);
    let captured = b.umin(captured, room);

    let row_at = place(b, draw, offset_of!(Draw, row));
    b.store_global(row_at, row);
    let captured_at = place(b, draw, offset_of!(Draw, captured));
    let first = b.construct(&[captured, primitives, drawn.index_bytes, drawn.first]);
    b.store_global(captured_at, first);
    let second_at = place(b, draw, offset_of!(Draw, first_instance));
    let second = b.construct(&[drawn.first_instance, drawn.vertices, drawn.indices]);
    b.store_global(second_at, second);
    let list_at = place(b, draw, offset_of!(Draw, list));
    let list = request.wide(b, offset_of!(Request, list));
    let restarts_wide = b.resize(restarts, 2);
    let list = b.select(restarts_wide, list, nowhere);
    b.store_global(list_at, list);

    let vertices = b.imul(captured, recorded);
    let grown: Vec<Value> = vertex
        .iter()
        .enumerate()
        .map(|(n, &stride)| {
            let (more, used) = (b.imul(vertices, stride), b.extract(bytes, n as u8));
            b.iadd(used, more)
        })
        .collect();
    let grown = b.construct(&grown);
    b.store_global(bytes_at, grown);
    for (counter, by) in
        [(offset_of!(Counters, needed), needed), (offset_of!(Counters, written), b.construct(&[captured, zero]))]
    {
        let counter = place(b, counters, counter);
        let old = b.load_words(counter, 2);
        let (low, high) = (b.extract(by, 0), b.extract(by, 1));
        let sum = b.wide_add(old, low);
        let (sum, carried) = (b.extract(sum, 0), b.extract(sum, 1));
        let high = b.iadd(carried, high);
        let sum = b.construct(&[sum, high]);
        b.store_global(counter, sum);
    }

    let stores = vertex.iter().fold(zero, |any, &stride| b.ior(any, stride));
    let stores = b.ine(stores, zero);
    let vertices = b.select(stores, vertices, zero);
    let groups = up(b, vertices, GROUP);
    let (most, full) = (b.int(MOST_GROUPS), b.int(ROW_GROUPS));
    let many = b.ult(most, groups);
    let rows = up(b, groups, ROW_GROUPS);
    let (x, y) = (b.select(many, full, groups), b.select(many, rows, one));
    let groups_at = request.wide(b, offset_of!(Request, groups));
    let groups = b.construct(&[x, y, one]);
    b.store_global(groups_at, groups);
}

/// `number / by`, rounded up, where `by` is a power of two.
fn up(b: &mut Builder, number: Value, by: u32) -> Value {
    let (shift, mask, zero) = (b.int(by.trailing_zeros()), b.int(by - 1), b.int(0));
    let (whole, rest) = (b.ushr(number, shift), b.iand(number, mask));
    let more = b.ine(rest, zero);
    let more = b.cast(more, Kind::Int);
    b.iadd(whole, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_module() {
        let module = prepare();
        afterimage_ir::verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
        assert!(module.vars.is_empty() && module.insts.len() < 2000);
        const { assert!(GROUP.is_power_of_two() && ROW_GROUPS.is_power_of_two()) };
    }
}
