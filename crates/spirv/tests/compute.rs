//! The compute stage: the driver and the interpreter leave the same memory behind.

#[path = "gpu/mod.rs"]
mod gpu;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::{FloatRules, float_rules, optimize};
use afterimage_spirv::{Artifact, Features, Options, emit};
use ash::vk;
use gpu::{Dispatch, Gpu, Image, Shape};

/// Where the interpreter's memory begins: adding to the low half of an address carries.
const BASE: u64 = 0x1_ffff_ff00;

/// Slot and place of a texel.
type Texel = (u8, [i32; 3]);

/// Memory and images as the interpreter sees them.
struct World {
    memory: Vec<Cell<u32>>,
    texels: RefCell<HashMap<Texel, [u32; 4]>>,
    /// Whether anything outside of the memory was touched.
    fault: Cell<bool>,
}

impl World {
    fn new(memory: &[u32]) -> World {
        let memory = memory.iter().map(|&word| Cell::new(word)).collect();
        World { memory, texels: RefCell::default(), fault: Cell::new(false) }
    }

    fn word(&self, address: u64) -> Option<&Cell<u32>> {
        let word = self.memory.get(address.checked_sub(BASE)? as usize / 4);
        self.fault.set(self.fault.get() || word.is_none());
        word
    }

    fn words(&self) -> Vec<u32> {
        self.memory.iter().map(Cell::get).collect()
    }
}

fn register(bank: u8, index: u32) -> [u32; 4] {
    const FLOATS: [f32; 6] = [0.0, 1.0, -2.5, 0.25, 7.0, 1e10];
    match bank {
        0 => std::array::from_fn(|lane| FLOATS[(index as usize * 3 + lane * 5) % FLOATS.len()].to_bits()),
        1 => std::array::from_fn(|lane| (index * 3 + lane as u32) % 7),
        _ => [BASE as u32, (BASE >> 32) as u32, 0, 0],
    }
}

impl Environment for World {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }
    fn constant(&self, decl: &BankDecl, index: u32) -> [u32; 4] {
        register(decl.id, index)
    }
    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
    fn load(&self, address: u64) -> u32 {
        self.word(address).map_or(0, Cell::get)
    }
    fn store(&self, address: u64, word: u32) {
        if let Some(to) = self.word(address) {
            to.set(word);
        }
    }
    fn image_load(&self, image: &ImageDecl, coord: [i32; 3], _: u32) -> [u32; 4] {
        self.texels.borrow().get(&(image.slot, coord)).copied().unwrap_or_default()
    }
    fn image_store(&self, image: &ImageDecl, coord: [i32; 3], _: u32, bits: [u32; 4]) {
        self.texels.borrow_mut().insert((image.slot, coord), bits);
    }
    fn image_size(&self, _: &ImageDecl) -> [u32; 3] {
        [SIDE, SIDE, 1]
    }
}

/// Width and height of the images.
const SIDE: u32 = 8;

/// The constants that an artifact asks for; the address goes where it belongs.
fn constants(artifact: &Artifact, address: [u32; 2]) -> Vec<[u32; 4]> {
    let r = &artifact.reflection;
    let registers = r.segments.iter().flat_map(|s| (s.first..s.first + s.count).map(move |index| (s.bank, index)));
    registers
        .map(|(bank, index)| match r.const_defs.iter().find(|d| (d.bank, d.index) == (bank, index)) {
            Some(def) => def.bits,
            None if bank == GeneratedMemory::BANK => [address[0], address[1], 0, 0],
            None => register(bank, index),
        })
        .collect()
}

/// Runs `module` with both, and gives what each leaves in the memory.
fn run(gpu: &Gpu, module: &Module, written: &Module, options: &Options, memory: &[u32]) -> [Vec<u32>; 2] {
    let world = World::new(memory);
    let group = Group { id: [0; 3], count: [1; 3], wave: gpu.subgroup.min(64) as usize };
    Interpreter::new(module).unwrap().step_limit(1 << 24).run_group(&world, group).unwrap();
    assert!(!world.fault.get(), "{module}");
    let artifact = emit(written, options).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let images: Vec<Image> = artifact
        .reflection
        .images
        .iter()
        .map(|image| {
            let format = match (image.decl.format, image.decl.component) {
                (ImageFormat::R32, _) => vk::Format::R32_UINT,
                (ImageFormat::R64, _) => vk::Format::R64_UINT,
                (_, Component::Float) => vk::Format::R32G32B32A32_SFLOAT,
                (_, Component::Uint) => vk::Format::R32G32B32A32_UINT,
                (_, Component::Sint) => vk::Format::R32G32B32A32_SINT,
            };
            let mut shape = Shape::texture(format, vk::ImageViewType::TYPE_2D, SIDE, 1);
            shape.usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST;
            let zeros = vec![0u8; (SIDE * SIDE * 16) as usize];
            let copy = vk::BufferImageCopy::default().image_subresource(shape.level(0)).image_extent(shape.extent);
            // SAFETY: the copy is of the whole image, and the bytes are enough for any of the formats.
            unsafe { gpu.texture(shape, &zeros, &[copy]) }.unwrap()
        })
        .collect();
    let by_slot: Vec<&Image> = images.iter().collect();
    let dispatch = Dispatch {
        words: &artifact.words,
        constants: &|address| constants(&artifact, address),
        memory,
        groups: 1,
        images: &by_slot,
    };
    // SAFETY: the interpreter has seen that the shader keeps to its memory; `spirv-val` sees to the rest in `validate.rs`.
    let found = unsafe { gpu.dispatch(&dispatch) }.unwrap();
    images.into_iter().for_each(|image| gpu.free_image(image));
    [found, world.words()]
}

/// Bytes that look random and are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let state = &mut self.0;
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..2500).map(|_| (self.next() >> 24) as u8).collect()
    }
}

/// Memory as [`GeneratedMemory`] wants it.
fn generated_memory(random: &mut Random) -> Vec<u32> {
    const FLOATS: [f32; 8] = [0.0, -0.0, 1.0, -1.0, 0.5, -3.75, 1e10, 40000.0];
    let lane = GeneratedMemory::BYTES as usize / 4;
    (0..GeneratedMemory::LANES as usize * lane)
        .map(|word| {
            let value = random.next() >> 20;
            match word % lane {
                0..16 => FLOATS[value as usize % 8].to_bits(),
                16..32 => (value as i8 as i32) as u32,
                _ => 0,
            }
        })
        .collect()
}

/// Opcodes whose result Vulkan prescribes to the bit for all operands.
fn is_exact(op: Op) -> bool {
    use Op::{
        DDiv, DFma, DRcp, DRsq, DSqrt, FCos, FDiv, FDot, FDotZ, FExp2, FFma, FFract, FLog2, FLog2C, FMad, FMadZ, FRcp,
    };
    let loose = [FDiv, FRcp, Op::FRsq, Op::FSqrt, Op::FRcpC, Op::FRsqC, FExp2, FMad, FFma, FMadZ, FDot, FDotZ, FLog2];
    let rest = [FLog2C, Op::FSin, FCos, FFract, DDiv, DRcp, DRsq, DSqrt, DFma];
    !loose.contains(&op) && !rest.contains(&op)
}

fn same(word: usize, found: u32, expected: u32) -> bool {
    // Drivers may flush denormals.
    let [f, e] = [found, expected].map(f32::from_bits).map(|f| if f.is_subnormal() { 0.0 } else { f });
    let floats = (32..48).contains(&(word % (GeneratedMemory::BYTES as usize / 4)));
    found == expected || floats && (f == e || f.is_nan() && e.is_nan())
}

#[test]
fn random_shaders_agree() {
    let gpu = Gpu::new();
    let plain = Features { shuffle: false, ..gpu.options.features };
    let profiles = [gpu.options, Options { features: plain, ..gpu.options }];
    let mut random = Random(0x0123_4567_89ab_cdef);
    for round in 0..120 {
        let module = generate_of(Stage::Compute, &random.bytes(), is_exact);
        let memory = generated_memory(&mut random);
        let mut written = module.clone();
        if round % 3 == 0 {
            float_rules::run(&mut written, FloatRules::Strict);
        } else {
            optimize(&mut written, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        let [found, expected] = run(&gpu, &module, &written, &profiles[round % 2], &memory);
        let pairs = found.iter().zip(&expected);
        let wrong = pairs.enumerate().find(|(word, (found, expected))| !same(*word, **found, **expected));
        if let Some((word, (found, expected))) = wrong {
            panic!("{}: round {round}, word {word}: {found:#x}, not {expected:#x}\n{module}\n{written}", gpu.name);
        }
    }
}

/// A shader of 64 lanes on as many words of its own, and what it leaves there.
fn each_lane(gpu: &Gpu, width: u32, body: impl Fn(&mut Builder, Value, Value)) -> [Vec<u32>; 2] {
    let mut b = Builder::new(Stage::Compute);
    b.work_group([64, 1, 1], 1024);
    let (name, ty, interp) = ("lane".to_owned(), Type::I32, Interp::Smooth);
    let lane = b.input(InputDecl { name, ty, at: InputAt::LocalIndex, interp, semantic: None });
    let lane = b.load_input(lane);
    let (source, id) = (BankSource::Stage, GeneratedMemory::BANK);
    let bank = b.bank(BankDecl { name: "memory".into(), source, id, size: 1, defs: vec![] });
    let address = b.load_const(bank, 0);
    let address = b.resize(address, 2);
    let address = b.cast(address, Kind::Int);
    body(&mut b, lane, address);
    let module = b.finish().unwrap();
    let mut written = module.clone();
    optimize(&mut written, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    // As floats they are normal numbers: drivers may flush others.
    let word = |word: u32| word.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff | 0x2000_0000;
    let memory: Vec<u32> = (0..64 * width).map(word).collect();
    run(gpu, &module, &written, &gpu.options, &memory)
}

/// The address of `lane`'s `width` words.
fn own(b: &mut Builder, address: Value, lane: Value, width: u32) -> Value {
    let bytes = b.i32(width as i32 * 4);
    let offset = b.imul(lane, bytes);
    let (low, high) = (b.extract(address, 0), b.extract(address, 1));
    let carry = b.uadd_carry(low, offset);
    let low = b.iadd(low, offset);
    let carry = b.cast(carry, Kind::Int);
    let high = b.iadd(high, carry);
    b.construct(&[low, high])
}

#[test]
fn every_atomic_operation_agrees() {
    let gpu = Gpu::new();
    let wide = gpu.options.features.int64_atomics;
    for &op in AtomicOp::ALL {
        for lanes in 1..=if wide { 2 } else { 1 } {
            let [found, expected] = each_lane(&gpu, 8, |b, lane, address| {
                let at = own(b, address, lane, 8);
                let words = b.load_global(at, 4);
                let operands = [Swizzle::new(&[1, 3]), Swizzle::new(&[2, 0])].map(|pick| b.swizzle(words, pick));
                let operands = operands.map(|value| b.resize(value, lanes));
                let old = b.atomic_global(op, at, &operands);
                // Once more with what is there as the operand, where comparisons hold.
                let now = b.load_global(at, lanes);
                b.atomic_global(op, at, &[now, now]);
                let sixteen = b.i32(16);
                let low = b.extract(at, 0);
                let low = b.iadd(low, sixteen);
                let high = b.extract(at, 1);
                let out = b.construct(&[low, high]);
                b.store_global(out, old);
                if lanes == 1 || gpu.options.features.shared_int64_atomics {
                    let bytes = b.i32(8);
                    let slot = b.imul(lane, bytes);
                    b.store_shared(slot, operands[1]);
                    let old = b.atomic_shared(op, slot, &operands);
                    // Where there is memory of 64 bits, words of it are halves.
                    let word = b.extract(operands[0], 0);
                    let half = b.extract(low, 0);
                    let four = b.i32(4);
                    let half = b.iand(half, four);
                    let half = b.ior(slot, half);
                    let other = b.atomic_shared(op, half, &[word, word]);
                    let new = b.load_shared(slot, lanes);
                    let (new, other) = (b.cast(new, Kind::Int), b.cast(other, Kind::Int));
                    let eight = b.i32(8);
                    let low = b.iadd(low, eight);
                    let out = b.construct(&[low, high]);
                    let mixed = b.ixor(old, new);
                    let mixed = b.extract(mixed, lanes - 1);
                    let both = b.construct(&[mixed, other]);
                    b.store_global(out, both);
                }
            });
            assert_eq!(found, expected, "{} of {lanes} words", op.name());
        }
    }
}

/// In memory of 64 bits, words are stored and changed by lanes that have the other half of the same 64.
#[test]
fn halves_of_wide_shared_memory_are_apart() {
    let gpu = Gpu::new();
    if !gpu.options.features.shared_int64_atomics {
        return println!("{} has no 64-bit atomic operations on shared memory: not tried", gpu.name);
    }
    let [found, expected] = each_lane(&gpu, 4, |b, lane, address| {
        let (zero, four, one) = (b.i32(0), b.i32(4), b.i32(1));
        let slot = b.imul(lane, four);
        b.store_shared(slot, lane);
        b.barrier();
        let turned = b.ixor(lane, one);
        let their_slot = b.imul(turned, four);
        b.atomic_shared(AtomicOp::Add, their_slot, &[turned]);
        let five = b.i32(5);
        b.atomic_shared(AtomicOp::IMax, their_slot, &[five]);
        b.barrier();
        let at = own(b, address, lane, 4);
        let mine = b.load_shared(slot, 1);
        let pair = b.load_shared(their_slot, 2);
        b.barrier();
        // Everybody counts in 64 bits, over the border of the words.
        let most = b.i32(-1);
        let big = b.construct(&[most, zero]);
        b.atomic_shared(AtomicOp::Add, zero, &[big]);
        b.barrier();
        let sum = b.load_shared(zero, 2);
        let mixed = b.cast(pair, Kind::Int);
        let (low, high) = (b.extract(mixed, 0), b.extract(sum, 1));
        let sum = b.extract(sum, 0);
        let all = [mine, low, sum, high].map(|value| b.cast(value, Kind::Int));
        let all = b.construct(&all);
        b.store_global(at, all);
    });
    assert_eq!(found, expected, "{}", gpu.name);
}

/// Many lanes count at one place: the sum is right, and everybody got another number.
#[test]
fn atomic_operations_are_atomic() {
    let gpu = Gpu::new();
    for op in [AtomicOp::Add, AtomicOp::Inc] {
        let [found, expected] = each_lane(&gpu, 2, |b, lane, address| {
            let (zero, one, most) = (b.i32(0), b.i32(1), b.i32(1000));
            let operand = if op == AtomicOp::Inc { most } else { one };
            b.store_shared(zero, zero);
            b.barrier();
            let ticket = b.atomic_shared(op, zero, &[operand]);
            let at = own(b, address, ticket, 2);
            b.barrier();
            let total = b.load_shared(zero, 1);
            let total = b.cast(total, Kind::Int);
            let _ = lane;
            let pair = b.construct(&[ticket, total]);
            b.store_global(at, pair);
        });
        assert_eq!(found, expected, "{}", op.name());
        assert_eq!(found[2 * 63], 63);
        assert_eq!(found[1], 64);
    }
}

/// Lanes that went different ways count as absent.
#[test]
fn waves_agree_where_lanes_part() {
    let gpu = Gpu::new();
    let [found, expected] = each_lane(&gpu, 8, |b, lane, address| {
        let three = b.i32(3);
        let rest = b.umod(lane, three);
        let one = b.i32(1);
        let odd = b.ieq(rest, one);
        let out = b.var("out", Type::I32X4);
        let more = b.var("more", Type::I32X4);
        b.begin_if(odd);
        for (var, offset) in [(out, 0), (more, 1)] {
            let by = b.i32(offset);
            let index = b.lane_index();
            let shifted = b.iadd(index, by);
            let low = b.iand(shifted, one);
            let bits = b.ballot(low);
            let first = b.read_first(lane);
            let any = b.wave_any(low);
            let any = b.cast(any, Kind::Int);
            let all = b.construct(&[bits, first, any]);
            b.store(var, all);
        }
        b.begin_else();
        let yes = b.bool(true);
        let bits = b.ballot(yes);
        let size = b.wave_size();
        let same = b.wave_shuffle(lane, lane);
        let all = b.construct(&[bits, size, same]);
        b.store(out, all);
        b.end_if();
        let at = own(b, address, lane, 8);
        let all = b.load(out);
        b.store_global(at, all);
        let (low, high) = (b.extract(at, 0), b.extract(at, 1));
        let sixteen = b.i32(16);
        let low = b.iadd(low, sixteen);
        let at = b.construct(&[low, high]);
        let all = b.load(more);
        b.store_global(at, all);
    });
    assert_eq!(found, expected, "{}", gpu.name);
}

#[test]
fn storage_images_agree() {
    let gpu = Gpu::new();
    let [found, expected] = each_lane(&gpu, 16, |b, lane, address| {
        let dim = Dim::D2;
        let any = ImageFormat::Any;
        let floats = b.image(ImageDecl { slot: 0, dim, component: Component::Float, format: any });
        let signed = b.image(ImageDecl { slot: 1, dim, component: Component::Sint, format: any });
        let counters = b.image(ImageDecl { slot: 2, dim, component: Component::Uint, format: ImageFormat::R32 });
        let signed_counters = b.image(ImageDecl { slot: 3, dim, component: Component::Sint, format: ImageFormat::R32 });
        let eight = b.i32(8);
        let (x, y) = (b.umod(lane, eight), b.udiv(lane, eight));
        let coord = b.construct(&[x, y]);
        let turned = b.construct(&[y, x]);
        let float = b.i2f(lane);
        let float = b.resize(float, 4);
        b.image_store(floats, coord, None, float);
        let negative = b.ineg(lane);
        let negative = b.resize(negative, 4);
        b.image_store(signed, coord, None, negative);
        b.image_atomic(AtomicOp::UMax, counters, coord, None, &[lane]);
        b.memory_barrier();
        b.barrier();
        let at = own(b, address, lane, 16);
        let sums = b.image_atomic(AtomicOp::Dec, counters, coord, None, &[eight]);
        let below = b.isub(lane, eight);
        b.image_atomic(AtomicOp::IMin, signed_counters, coord, None, &[below]);
        b.image_atomic(AtomicOp::RSub, signed_counters, coord, None, &[eight]);
        let before = b.image_atomic(AtomicOp::UMax, signed_counters, coord, None, &[eight]);
        let (a, c) = (b.image_load(floats, turned, None), b.image_load(signed, turned, None));
        let size = b.image_size(floats);
        let counted = b.image_load(counters, coord, None);
        let counted = b.extract(counted, 0);
        let stored = b.image_load(signed_counters, coord, None);
        let stored = b.extract(stored, 0);
        let size = b.extract(size, 0);
        let counted = b.iadd(counted, size);
        let last = b.construct(&[sums, counted, stored, before]);
        let (low, high) = (b.extract(at, 0), b.extract(at, 1));
        for (n, value) in [a, c, last].into_iter().enumerate() {
            let by = b.i32(n as i32 * 16);
            let low = b.iadd(low, by);
            let at = b.construct(&[low, high]);
            b.store_global(at, value);
        }
    });
    assert_eq!(found, expected, "{}", gpu.name);
}

/// Every operation on texels of 64 bits: with operands that differ in either half, and with what is there.
#[test]
fn wide_texels_agree() {
    let gpu = Gpu::new();
    if !gpu.options.features.image_int64_atomics {
        return println!("{} has no 64-bit atomic operations on images: not tried", gpu.name);
    }
    for &op in AtomicOp::ALL {
        let [found, expected] = each_lane(&gpu, 16, |b, lane, address| {
            let (dim, component, format) = (Dim::D2, Component::Uint, ImageFormat::R64);
            let image = b.image(ImageDecl { slot: 0, dim, component, format });
            let eight = b.i32(8);
            let (x, y) = (b.umod(lane, eight), b.udiv(lane, eight));
            let coord = b.construct(&[x, y]);
            let at = own(b, address, lane, 16);
            let words = b.load_global(at, 4);
            // The texel begins as two words; what is behind them does not count.
            b.image_store(image, coord, None, words);
            let operands = [Swizzle::new(&[1, 3]), Swizzle::new(&[2, 0])].map(|pick| b.swizzle(words, pick));
            let old = b.image_atomic(op, image, coord, None, &operands);
            let texel = b.image_load(image, coord, None);
            // Once more with what is there as the operand, where comparisons hold, and where only one half is other.
            let now = b.swizzle(texel, Swizzle::new(&[0, 1]));
            let again = b.image_atomic(op, image, coord, None, &[now, now]);
            let one = b.i32(1);
            let (low, high) = (b.extract(now, 0), b.extract(now, 1));
            let above = b.iadd(high, one);
            let above = b.construct(&[low, above]);
            let last = b.image_atomic(op, image, coord, None, &[above, above]);
            let left = b.image_load(image, coord, None);
            let left = b.swizzle(left, Swizzle::new(&[0, 1]));
            let first = b.swizzle(texel, Swizzle::new(&[0, 1]));
            let (before, after) = (b.construct(&[old, first]), b.construct(&[again, last]));
            let (low, high) = (b.extract(at, 0), b.extract(at, 1));
            for (n, value) in [before, after, left].into_iter().enumerate() {
                let by = b.i32(n as i32 * 16);
                let low = b.iadd(low, by);
                let at = b.construct(&[low, high]);
                b.store_global(at, value);
            }
        });
        assert_eq!(found, expected, "{} on {}", op.name(), gpu.name);
    }
}

/// Many lanes count at one texel, over the border of its words: the sum is right, and everybody got another number.
#[test]
fn wide_texels_are_changed_atomically() {
    let gpu = Gpu::new();
    if !gpu.options.features.image_int64_atomics {
        return println!("{} has no 64-bit atomic operations on images: not tried", gpu.name);
    }
    let [found, expected] = each_lane(&gpu, 4, |b, lane, address| {
        let (dim, component, format) = (Dim::D2, Component::Uint, ImageFormat::R64);
        let image = b.image(ImageDecl { slot: 0, dim, component, format });
        let zero = b.i32(0);
        let coord = b.construct(&[zero, zero]);
        // 2^27 each: 64 lanes are 2^33.
        let part = b.i32(1 << 27);
        let part = b.construct(&[part, zero]);
        let ticket = b.image_atomic(AtomicOp::Add, image, coord, None, &[part]);
        b.memory_barrier();
        b.barrier();
        let sum = b.image_load(image, coord, None);
        let (low, high) = (b.extract(ticket, 0), b.extract(ticket, 1));
        let (by, up) = (b.i32(27), b.i32(5));
        let (low, high) = (b.ushr(low, by), b.ishl(high, up));
        let number = b.ior(low, high);
        let at = own(b, address, number, 4);
        let (low, high) = (b.extract(sum, 0), b.extract(sum, 1));
        let _ = lane;
        let all = b.construct(&[number, low, high]);
        b.store_global(at, all);
    });
    assert_eq!(found, expected, "{}", gpu.name);
    assert_eq!(found[4 * 63..][..3], [63, 0, 2]);
}
