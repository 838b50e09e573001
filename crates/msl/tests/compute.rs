//! Kernels leave the memory behind that the interpreter leaves: every atomic operation, random shaders, the edges of what a threadgroup
//! shares.

mod judge;
mod world;

use afterimage_ir::*;
use afterimage_msl::{EmitError, Options, emit};
use afterimage_passes::{FloatRules, float_rules, optimize};
use judge::{Judge, Memory};
use world::{ADDRESS, BASE, BYTES, Bytes, World};

/// A word of what is in the memory at first; as a float it is a normal number.
fn word(n: u32) -> u32 {
    n.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff | 0x2000_0000
}

fn memory() -> Memory {
    Memory { base: BASE, words: (0..BYTES as u32 / 4).map(word).collect() }
}

/// The words behind the address that shaders get.
fn behind(memory: &Memory) -> &[u32] {
    &memory.words[(ADDRESS - BASE) as usize / 4..]
}

/// `address + offset` in 64 bits.
fn advance(b: &mut Builder, address: Value, offset: Value) -> Value {
    let (low, high) = (b.extract(address, 0), b.extract(address, 1));
    let carry = b.uadd_carry(low, offset);
    let low = b.iadd(low, offset);
    let carry = b.cast(carry, Kind::Int);
    let high = b.iadd(high, carry);
    b.construct(&[low, high])
}

fn at(b: &mut Builder, address: Value, bytes: i32) -> Value {
    let bytes = b.i32(bytes);
    advance(b, address, bytes)
}

/// A shader of 64 lanes and 1024 bytes that they share. `body` gets the number of the lane and the address.
fn kernel(body: impl Fn(&mut Builder, Value, Value)) -> Module {
    let mut b = Builder::new(Stage::Compute);
    b.work_group([64, 1, 1], 1024);
    let lane = b.input_at(InputAt::LocalIndex, || InputDecl {
        name: "lane".into(),
        ty: Type::I32,
        at: InputAt::LocalIndex,
        interp: Interp::Smooth,
        semantic: None,
    });
    let (source, id) = (BankSource::Stage, GeneratedMemory::BANK);
    let bank = b.bank(BankDecl { name: "memory".into(), source, id, size: 1, defs: vec![] });
    let address = b.load_const(bank, 0);
    let address = b.resize(address, 2);
    let address = b.cast(address, Kind::Int);
    body(&mut b, lane, address);
    b.finish().unwrap()
}

/// As it is, and after all passes. What the interpreter leaves of either.
fn judge_both(judge: &mut Judge, name: &str, module: &Module) -> Memory {
    let mut left = memory();
    for optimized in [false, true] {
        let mut written = module.clone();
        if optimized {
            optimize(&mut written, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        let artifact = emit(&written, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}\n{written}"));
        assert_eq!(artifact.reflection.group, module.group);
        left = memory();
        judge.add_on(name, &written, &artifact, &World(0), &mut left, [1; 3]);
    }
    left
}

/// Of floats that are less, equal, greater, and NaN; of numbers that wrap.
#[test]
fn every_atomic_operation_agrees() {
    const EDGES: [u32; 8] = [0, 1, !0, 0x8000_0000, 0x7fc0_0000, 0x3f80_0000, 0xbf80_0000, 7];
    let mut judge = Judge::new();
    for &op in AtomicOp::ALL {
        let module = kernel(|b, lane, address| {
            let (width, seven, three) = (b.i32(32), b.i32(7), b.i32(3));
            let offset = b.imul(lane, width);
            let own = advance(b, address, offset);
            // Two of the edges, each with each.
            let edge = |b: &mut Builder, n: Value| {
                let mut value = b.i32(EDGES[0] as i32);
                for (i, &bits) in (1..).zip(&EDGES[1..]) {
                    let (number, bits) = (b.i32(i), b.i32(bits as i32));
                    let this = b.ieq(n, number);
                    value = b.select(this, bits, value);
                }
                value
            };
            let (low, high) = (b.iand(lane, seven), b.ushr(lane, three));
            let (old, value) = (edge(b, low), edge(b, high));
            b.store_global(own, old);
            let second = at(b, own, 4);
            let first = b.atomic_global(op, own, &[value, old]);
            let found = b.load_global(own, 1);
            let found = b.cast(found, Kind::Int);
            let pair = b.construct(&[first, found]);
            b.store_global(second, pair);
            // Nobody wants what was there; comparisons do not hold.
            b.atomic_global(op, own, &[old, value]);
            let four = b.i32(4);
            let slot = b.imul(lane, four);
            b.store_shared(slot, old);
            let first = b.atomic_shared(op, slot, &[value, old]);
            let found = b.load_shared(slot, 1);
            let found = b.cast(found, Kind::Int);
            let pair = b.construct(&[first, found]);
            let third = at(b, own, 12);
            b.store_global(third, pair);
        });
        judge_both(&mut judge, op.name(), &module);
    }
    judge.run().assert();
}

/// The lesser and the greater of two numbers of 64 bits, where nobody wants what was there: all lanes change one place, from each edge on.
#[test]
fn wide_atomic_operations_agree() {
    const HALVES: [u32; 4] = [0, 1, !0, 0x8000_0000];
    let mut judge = Judge::new();
    for (op, first) in [(AtomicOp::UMin, !0), (AtomicOp::UMax, 0)] {
        let module = kernel(|b, lane, address| {
            let half = |b: &mut Builder, n: Value| {
                let mut value = b.i32(HALVES[0] as i32);
                for (i, &bits) in (1..).zip(&HALVES[1..]) {
                    let (number, bits) = (b.i32(i), b.i32(bits as i32));
                    let this = b.ieq(n, number);
                    value = b.select(this, bits, value);
                }
                value
            };
            let (width, three, two, four) = (b.i32(8), b.i32(3), b.i32(2), b.i32(4));
            let low = b.iand(lane, three);
            let high = b.ushr(lane, two);
            let high = b.iand(high, three);
            let (low, high) = (half(b, low), half(b, high));
            let pair = b.construct(&[low, high]);
            // One place for sixteen lanes, and all edges.
            let own = b.ushr(lane, four);
            let offset = b.imul(own, width);
            let own = advance(b, address, offset);
            let edge = b.i32(first);
            let edges = b.construct(&[edge; 2]);
            b.store_global(own, edges);
            b.barrier();
            b.atomic_global(op, own, &[pair]);
        });
        let left = judge_both(&mut judge, op.name(), &module);
        let wanted = if op == AtomicOp::UMin { [0, 0] } else { [!0; 2] };
        assert_eq!(behind(&left)[..2], wanted);
    }
    judge.run().assert();
}

/// Others of 64 bits are refused, and so are these where somebody wants what was there.
#[test]
fn other_wide_atomic_operations_are_refused() {
    for (op, wants) in [(AtomicOp::Add, false), (AtomicOp::IMin, false), (AtomicOp::UMax, true)] {
        let module = kernel(|b, lane, address| {
            let pair = b.construct(&[lane, lane]);
            let found = b.atomic_global(op, address, &[pair]);
            if wants {
                b.store_global(address, found);
            }
        });
        let refused = emit(&module, &Options::default()).map(|artifact| artifact.source);
        assert_eq!(refused, Err(EmitError::Unsupported("atomic_global")), "{op:?} {wants}");
    }
}

/// Many lanes count at one place: everybody gets another number, and after the barrier everybody sees the sum.
#[test]
fn barriers_are_waited_at() {
    let mut judge = Judge::new();
    let module = kernel(|b, lane, address| {
        let (zero, one, eight) = (b.i32(0), b.i32(1), b.i32(8));
        b.store_shared(zero, zero);
        b.barrier();
        let ticket = b.atomic_shared(AtomicOp::Add, zero, &[one]);
        let offset = b.imul(ticket, eight);
        let own = advance(b, address, offset);
        b.barrier();
        let total = b.load_shared(zero, 1);
        let total = b.cast(total, Kind::Int);
        let pair = b.construct(&[ticket, total]);
        b.store_global(own, pair);
        b.barrier();
        // What another lane has stored in device memory.
        let other = b.i32(63);
        let other = b.isub(other, lane);
        let offset = b.imul(other, eight);
        let from = advance(b, address, offset);
        let found = b.load_global(from, 2);
        let found = b.cast(found, Kind::Int);
        let sum = b.iadd(found, pair);
        let to = b.imul(lane, eight);
        let to = advance(b, address, to);
        let to = at(b, to, 1024);
        b.store_global(to, sum);
    });
    let left = judge_both(&mut judge, "tickets", &module);
    for lane in 0..64u32 {
        let at = 2 * lane as usize;
        assert_eq!(behind(&left)[at..at + 2], [lane, 64]);
        assert_eq!(behind(&left)[256 + at + 1], 128);
    }
    judge.run().assert();
}

/// Every lane of every group knows which it is.
#[test]
fn lanes_know_their_places() {
    let mut b = Builder::new(Stage::Compute);
    b.work_group([4, 2, 2], 0);
    let input = |b: &mut Builder, at: InputAt| {
        let (name, _, ty) = at.builtin().unwrap();
        b.input_at(at, || InputDecl { name: name.into(), ty, at, interp: Interp::Flat, semantic: None })
    };
    let [local, index, group, count] =
        [InputAt::LocalId, InputAt::LocalIndex, InputAt::WorkgroupId, InputAt::WorkgroupCount]
            .map(|at| input(&mut b, at));
    let (source, id) = (BankSource::Stage, GeneratedMemory::BANK);
    let bank = b.bank(BankDecl { name: "memory".into(), source, id, size: 1, defs: vec![] });
    let address = b.load_const(bank, 0);
    let address = b.resize(address, 2);
    let address = b.cast(address, Kind::Int);
    // (z * height + y) * width + x
    let parts = |b: &mut Builder, value: Value| [0, 1, 2].map(|lane| b.extract(value, lane));
    let ([x, y, z], [width, height, _]) = (parts(&mut b, group), parts(&mut b, count));
    let (row, lanes, bytes) = (b.imul(z, height), b.i32(16), b.i32(40));
    let row = b.iadd(row, y);
    let number = b.imul(row, width);
    let number = b.iadd(number, x);
    let first = b.imul(number, lanes);
    let number = b.iadd(first, index);
    let offset = b.imul(number, bytes);
    let own = advance(&mut b, address, offset);
    b.store_global(own, local);
    for (at_byte, value) in [(12, index), (16, group), (28, count)] {
        let to = at(&mut b, own, at_byte);
        b.store_global(to, value);
    }
    let module = b.finish().unwrap();
    let artifact = emit(&module, &Options::default()).unwrap();
    let (mut judge, mut left) = (Judge::new(), memory());
    judge.add_on("places", &module, &artifact, &World(0), &mut left, [3, 2, 2]);
    // The last lane of group (2, 1, 0).
    let last = (3 + 2) * 16 + 15;
    assert_eq!(behind(&left)[last * 10..][..10], [3, 1, 1, 15, 2, 1, 0, 3, 2, 2]);
    judge.run().assert();
}

/// A store that is not made, and a lane that does not wait.
#[test]
fn what_is_wrong_is_found() {
    let module = kernel(|b, lane, address| {
        let offset = b.i32(4);
        let offset = b.imul(lane, offset);
        let own = advance(b, address, offset);
        b.barrier();
        b.store_global(own, lane);
    });
    let bribes = [
        ("    threadgroup_barrier", "    if (lane > 3u) threadgroup_barrier", "barriers that not all of them reach"),
        ("at[0] = value;", "at[0] = value == 63u ? 62u : value;", "of the memory: 0x3e, not 0x3f"),
    ];
    for (from, to, message) in bribes {
        let mut artifact = emit(&module, &Options::default()).unwrap();
        assert!(artifact.source.contains(from), "{}", artifact.source);
        artifact.source = artifact.source.replace(from, to);
        let mut judge = Judge::new();
        judge.add_on("bribed", &module, &artifact, &World(0), &mut memory(), [1; 3]);
        let report = judge.run();
        assert!(report.shaders == 0 || report.failures.iter().any(|f| f.contains(message)), "{:?}", report.failures);
    }
}

/// Vectors of every size over the end of what is shared, and far beyond it.
#[test]
fn nothing_is_beyond_what_is_shared() {
    let mut judge = Judge::new();
    for lanes in 1..=4u8 {
        let module = kernel(|b, lane, address| {
            let (four, sixteen, first) = (b.i32(4), b.i32(16), b.i32(1024 - 32));
            let zero = b.i32(0);
            let slot = b.imul(lane, sixteen);
            let zeros = b.construct(&[zero; 4]);
            b.store_shared(slot, zeros);
            b.barrier();
            // One lane after the other stores, since they overlap; then all read, the last four far away.
            let one = b.i32(1);
            let value = b.iadd(lane, one);
            let value = b.resize(value, lanes);
            for turn in 0..12 {
                let n = b.i32(turn);
                let is_turn = b.ieq(lane, n);
                b.begin_if(is_turn);
                let far = b.i32(if turn < 9 { 0 } else { -1024 });
                let offset = b.imul(lane, four);
                let offset = b.iadd(first, offset);
                let offset = b.iadd(offset, far);
                let offset = b.ior(offset, if turn % 2 == 0 { zero } else { one });
                b.store_shared(offset, value);
                b.atomic_shared(AtomicOp::Add, offset, &[one]);
                b.end_if();
                b.barrier();
            }
            let back = b.i32(1024);
            let offset = b.imul(lane, four);
            let offset = b.iadd(back, offset);
            let offset = b.isub(offset, sixteen);
            let found = b.load_shared(offset, lanes);
            let old = b.atomic_shared(AtomicOp::Or, offset, &[zero]);
            let to = b.imul(lane, sixteen);
            let to = advance(b, address, to);
            b.store_global(to, found);
            let to = at(b, to, 2048);
            b.store_global(to, old);
        });
        let left = judge_both(&mut judge, &format!("{lanes} words"), &module);
        // Lane 4 is the first that reads what is not there.
        assert_eq!(behind(&left)[4 * 4], 0);
        assert_ne!(behind(&left)[0], 0);
    }
    judge.run().assert();
}

/// Memory as [`GeneratedMemory`] wants it.
fn generated_memory(random: &mut Bytes) -> Memory {
    const FLOATS: [f32; 8] = [0.0, -0.0, 1.0, -1.0, 0.5, -3.75, 1e10, 40000.0];
    let mut memory = memory();
    let lane = GeneratedMemory::BYTES as usize / 4;
    let first = (ADDRESS - BASE) as usize / 4;
    for n in 0..GeneratedMemory::LANES as usize * lane {
        let value = random.next();
        memory.words[first + n] = match n % lane {
            0..16 => FLOATS[value as usize % 8].to_bits(),
            16..32 => value as i8 as u32,
            _ => 0,
        };
    }
    memory
}

/// Opcodes that the writer knows and whose result is prescribed to the bit.
fn is_exact(op: Op) -> bool {
    !matches!(op.info().meaning, Meaning::Pairs(_)) && !judge::may_round(op)
}

#[test]
fn random_kernels_agree() {
    let mut judge = Judge::new();
    let mut random = Bytes::new();
    let (mut written, mut unknown) = (0, 0);
    for round in 0..400 {
        let mut module = generate_of(Stage::Compute, &random.take(2500), is_exact);
        match round % 3 {
            0 => float_rules::run(&mut module, FloatRules::Strict),
            _ => optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict }),
        }
        let artifact = emit(&module, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{module}"));
        if judge::knows(&module) {
            written += 1;
            let mut memory = generated_memory(&mut random);
            judge.add_on(&format!("round {round}"), &module, &artifact, &World(round), &mut memory, [1; 3]);
        } else {
            unknown += 1;
        }
    }
    eprintln!("{written} written, {unknown} with waves");
    assert!(written > 40, "only {written} were written");
    judge.run().assert();
}
