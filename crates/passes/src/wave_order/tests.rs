//! Where lanes wait.

use afterimage_ir::{Module, Op, parse, verify};

use super::run;

/// A shader of 64 lanes with two buffers, an image and the lane's number.
fn module(body: &str) -> Module {
    let text = format!(
        "compute {{
  group 64, 1, 1
  input in0 \"local_id\" : i32x3 local_id flat
  bank c0 \"buffers\" stage 1 [2]
  image i0 slot 0 2d uint any
  v0: i32x3 = load_input in0
  v1: i32 = swizzle v0.x
  v2: i32x4 = load_const c0[0]
  v3: i32x4 = load_const c0[1]
  v4: i32 = swizzle v2.x
  v5: i32 = swizzle v2.y
  v6: i32 = const 2
  v7: i32 = const 4
  v8: i32 = ishl v1, v6
  v9: i32 = iadd v4, v8
  v10: i32x2 = construct v9, v5
  v11: i32 = iadd v9, v7
  v12: i32x2 = construct v11, v5
  v13: i32x2 = construct v4, v5
  v14: i32 = const 1
  v15: i32x2 = swizzle v3.xy
  v16: i32x2 = swizzle v0.xy
  v17: i32x2 = swizzle v0.yx
{body}
  return
}}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Barriers that a body gets, and whether lanes are brought together for them.
fn waits(body: &str) -> (usize, bool) {
    let mut m = module(body);
    let shared = m.shared;
    assert!(run(&mut m, 32));
    verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
    let mut barriers = 0;
    m.for_each_inst(|_, data| {
        assert_ne!(data.op, Op::WaveBarrier, "{m}");
        barriers += usize::from(data.op == Op::Barrier);
    });
    (barriers, m.shared != shared)
}

#[test]
fn what_a_neighbour_writes_is_waited_for() {
    let read = "  v20: i32 = load_global v12\n  store_global v10, v20";
    assert_eq!(waits(read), (1, false));
    let written = "  store_global v10, v1\n  v20: i32 = load_global v12\n  store_global v15, v20";
    assert_eq!(waits(written), (1, false));
    // The first word, of which all ask.
    let first = "  store_global v10, v1\n  v20: i32 = load_global v13\n  store_global v15, v20";
    assert_eq!(waits(first), (1, false));
    let stored = "  v20: i32x4 = image_load i0, v17\n  image_store i0, v16, v20";
    assert_eq!(waits(stored), (1, false));
}

#[test]
fn a_barrier_that_is_there_is_enough() {
    assert_eq!(waits("  v20: i32 = load_global v12\n  barrier\n  store_global v10, v20"), (1, false));
}

#[test]
fn places_of_ones_own_are_not_waited_for() {
    assert_eq!(waits("  v20: i32 = load_global v10\n  store_global v10, v20"), (0, false));
    // Another buffer.
    assert_eq!(waits("  v20: i32 = load_global v12\n  store_global v15, v20"), (0, false));
    // Both words of eight bytes that each lane has.
    let pairs = "  v20: i32 = const 3
  v21: i32 = ishl v1, v20
  v22: i32 = iadd v4, v21
  v23: i32x2 = construct v22, v5
  v24: i32 = iadd v22, v7
  v25: i32x2 = construct v24, v5
  v26: i32 = load_global v25
  store_global v23, v26";
    assert_eq!(waits(pairs), (0, false));
    assert_eq!(waits("  v20: i32x4 = image_load i0, v16\n  image_store i0, v16, v20"), (0, false));
}

#[test]
fn atomic_operations_are_in_any_order() {
    let same =
        "  v20: i32 = atomic_global add, v13, v14\n  v21: i32 = atomic_global add, v13, v14\n  store_global v15, v21";
    assert_eq!(waits(same), (0, false));
    let asked = "  v20: i32 = atomic_global add, v13, v14\n  v21: i32 = load_global v13\n  store_global v15, v21";
    assert_eq!(waits(asked), (1, false));
    let cleared = "  store_global v10, v14\n  v21: i32 = atomic_global add, v13, v14";
    assert_eq!(waits(cleared), (1, false));
}

/// Who comes there is a lane's own business, and what is in front of the branch is waited for in front of it.
#[test]
fn lanes_that_part_do_not_wait() {
    let inside = "  v20: bool = ult v1, v7
  if v20 {
    v21: i32 = load_global v12
    store_global v10, v21
    yield
  } else {
    yield
  }";
    assert_eq!(waits(inside), (0, false));
    assert_eq!(waits(&format!("  store_global v10, v1\n{inside}")), (1, false));
}

/// How often the loop is run is what memory says in which it writes: all lanes of the guest read the same there.
#[test]
fn lanes_that_memory_decides_of_are_brought_together() {
    let body = "  v20: i32 = load_global v13
  v21: i32 = const 0
  loop (v22: i32 = v21) {
    v23: bool = ult v22, v20
    if v23 {
      yield
    } else {
      break
    }
    v24: i32 = load_global v12
    store_global v10, v24
    v25: i32 = iadd v22, v14
    continue v25
  }";
    let (barriers, together) = waits(body);
    assert!(barriers > 2 && together);
}

#[test]
fn waves_that_the_host_has_stay() {
    let mut m = module("  v20: i32 = load_global v12\n  store_global v10, v20");
    let before = m.to_string();
    assert!(run(&mut m, 64));
    assert_eq!(m.to_string(), before);
}
