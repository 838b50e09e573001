//! What lanes of a wave tell each other, as `crates/msl` writes it: a kernel of one simdgroup leaves in memory what the interpreter leaves.

use std::cell::Cell;

use crate::kit::*;
use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl, parse, verify};
use afterimage_metal_calls::*;
use afterimage_msl::{Options, emit};

/// Lanes of a simdgroup here.
const LANES: usize = 32;
/// Words that each lane leaves.
const WORDS: usize = 16;

/// Each lane has 64 bytes at the address in the constant.
const KERNEL: &str = r#"compute "waves" {
  group 32, 1, 1
  input in0 "index" : i32 local_index flat
  bank c0 "place" stage 0 [1]
  v0: i32x4 = load_const c0[0]
  v1: i32 = load_input in0
  v2: i32 = const 64
  v3: i32 = imul v1, v2
  v4: i32 = swizzle v0.x
  v5: i32 = swizzle v0.y
  v6: i32 = iadd v4, v3
  v7: i32x2 = construct v6, v5
  v8: i32 = const 3
  v9: i32 = iand v1, v8
  v10: i32 = const 0
  v11: bool = ieq v9, v10
  v12: i32x2 = ballot v11
  v13: bool = wave_any v11
  v14: i32 = const 1
  v15: i32 = select v13, v14, v10
  v16: i32 = imul v1, v1
  v17: i32 = read_first v16
  v18: i32 = const 37
  v19: i32 = read_lane v16, v18
  v20: i32 = ixor v1, v8
  v21: i32 = wave_shuffle v16, v20
  v22: i32 = quad_swizzle v16.wxzy
  v23: i32 = lane_index
  v24: i32 = wave_size
  v25: bool = wave_shuffle v11, v20
  v26: i32 = select v25, v14, v10
  v27: i32 = const 20
  v28: bool = ult v1, v27
  v29: i32x2, v30: i32 = if v28 {
    v31: i32x2 = ballot v11
    v32: i32 = read_first v16
    yield v31, v32
  } else {
    v33: i32x2 = ballot v28
    v34: i32 = read_first v3
    yield v33, v34
  }
  wave_barrier
  memory_barrier
  v35: i32x4 = construct v12, v15, v17
  v36: b32x4 = bitcast v35
  store_global v7, v36
  v37: i32 = const 16
  v38: i32 = iadd v6, v37
  v39: i32x2 = construct v38, v5
  v40: i32x4 = construct v19, v21, v22, v23
  v41: b32x4 = bitcast v40
  store_global v39, v41
  v42: i32 = iadd v38, v37
  v43: i32x2 = construct v42, v5
  v44: i32x4 = construct v24, v26, v29
  v45: b32x4 = bitcast v44
  store_global v43, v45
  v46: i32 = iadd v42, v37
  v47: i32x2 = construct v46, v5
  v48: b32 = bitcast v30
  store_global v47, v48
  return
}
"#;

/// Memory at an address.
struct Memory {
    base: u64,
    words: Vec<Cell<u32>>,
}

impl Environment for Memory {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        panic!("{:?} is the interpreter's own: {:?}", decl.at, InputAt::LocalIndex)
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [self.base as u32, (self.base >> 32) as u32, 0, 0]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn store(&self, address: u64, word: u32) {
        self.words[(address - self.base) as usize / 4].set(word);
    }
}

#[test]
fn lanes_of_a_simdgroup_hear_of_each_other_what_those_of_a_wave_do() {
    if !there_is_clang() {
        return;
    }
    let module = parse(KERNEL).unwrap();
    verify(&module).unwrap();
    let artifact = emit(&module, &Options::default()).unwrap();
    let mut kit = Kit::new();
    let left = kit.empty((LANES * WORDS * 4) as u64);
    let memory = Memory { base: kit.device.gpu_address(&left), words: vec![Cell::new(0); LANES * WORDS] };
    let group = Group { id: [0; 3], count: [1; 3], wave: LANES };
    Interpreter::new(&module).unwrap().run_group(&memory, group).unwrap();
    let source = &artifact.source;
    let function = FunctionDescriptor { source, name: "main0", constants: &[], label: "waves" };
    let function = kit.device.new_function(&function).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let pipeline = kit.device.new_compute_pipeline(&function, "waves").unwrap();
    kit.queue.begin_compute("waves");
    kit.queue.set_compute_pipeline(&pipeline);
    let place = [memory.base as u32, (memory.base >> 32) as u32, 0, 0];
    kit.queue.set_bytes(Stage::Kernel, 0, &place.map(u32::to_le_bytes).concat());
    kit.queue.use_buffer(Stage::Kernel, &left, true);
    kit.queue.dispatch([1; 3], module.group);
    kit.queue.end_encoding();
    kit.queue.commit();
    kit.fine();
    let wanted: Vec<u32> = memory.words.iter().map(Cell::get).collect();
    let found = kit.words_of(&left, LANES * WORDS);
    for lane in 0..LANES {
        let words = lane * WORDS..(lane + 1) * WORDS;
        assert_eq!(found[words.clone()], wanted[words], "lane {lane}\n{source}");
    }
    assert_eq!(found[0], 0x1111_1111, "they are not all zeros");
}
