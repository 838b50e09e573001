//! What counts as deciding the position.

use afterimage_ir::{exact, parse, verify};

/// Numbers of the marked values.
fn marked(text: &str) -> Vec<usize> {
    let module = parse(text).unwrap();
    verify(&module).unwrap();
    exact(&module).iter().enumerate().filter(|m| *m.1).map(|m| m.0).collect()
}

#[test]
fn only_what_the_position_depends_on() {
    let found = marked(
        "vertex {
          input in0 : f32x4 location 0 smooth
          output out0 : f32x4 position
          output out1 : f32x4 location 0
          v0: f32x4 = load_input in0
          v1: f32x4 = fmul v0, v0
          v2: f32x4 = fadd v0, v0
          store_output out0, v1
          store_output out1, v2
          return
        }",
    );
    assert_eq!(found, [0, 1]);
}

#[test]
fn through_branches_and_their_conditions() {
    let found = marked(
        "vertex {
          input in0 : f32x4 location 0 smooth
          output out0 : f32x4 position
          output out1 : f32x4 location 0
          v0: f32x4 = load_input in0
          v1: f32 = swizzle v0.x
          v2: f32 = const 1.0
          v3: bool = flt v1, v2
          v4: f32x4, v5: f32x4 = if v3 {
            v6: f32x4 = fmul v0, v0
            v7: f32x4 = fadd v0, v0
            yield v6, v7
          } else {
            v8: f32x4 = fsub v0, v0
            yield v0, v8
          }
          store_output out0, v4
          store_output out1, v5
          return
        }",
    );
    assert_eq!(found, [0, 1, 2, 3, 4, 6]);
}

/// How often a loop runs decides what it leaves behind; what a variable holds may come from any store.
#[test]
fn through_loops_and_arrays() {
    let found = marked(
        "vertex {
          input in0 : f32x4 location 0 smooth
          output out0 : f32x4 position
          output out1 : f32x4 location 0
          var r0 : f32x4 [4]
          v0: f32x4 = load_input in0
          v1: i32 = const 0
          v2: i32 = const 1
          v3: f32x4 = loop (v4: f32x4 = v0, v5: i32 = v1) {
            v6: bool = ile v2, v5
            if v6 {
              break v4
            } else {
              yield
            }
            v7: f32x4 = fmul v4, v4
            v8: i32 = iadd v5, v2
            continue v7, v8
          }
          v9: f32x4 = fadd v3, v0
          store_elem r0.xyzw, v1, v9
          v10: f32x4 = load_elem r0, v2
          store_output out0, v10
          v11: f32x4 = fsub v0, v0
          store_output out1, v11
          return
        }",
    );
    assert_eq!(found, (0..=10).collect::<Vec<_>>());
}

#[test]
fn what_is_captured_is_exact() {
    let found = marked(
        "geometry {
          geometry points points vertices 1 invocations 1
          input in0 : f32x4 location 0 smooth
          output out0 : f32x4 location 0
          output out1 : f32x4 location 1
          feedback out0.xy buffer 0 stream 0 stride 8 offset 0
          v0: i32 = const 0
          v1: f32x4 = load_vertex_input in0, v0
          v2: f32x4 = fmul v1, v1
          v3: f32 = swizzle v1.x
          v4: f32 = fmul v3, v3
          v5: bool = flt v3, v4
          store_output out0, v1
          store_output out1, v2
          if v5 {
            emit_vertex 0
            yield
          } else {
            yield
          }
          return
        }",
    );
    assert_eq!(found, [0, 1, 3, 4, 5]);
}

#[test]
fn pixels_have_exact_depth_only() {
    let found = marked(
        "pixel {
          input in0 : f32x4 location 0 smooth
          output out0 : f32x4 location 0
          output out1 : f32 frag_depth
          v0: f32x4 = load_input in0
          v1: f32x4 = fmul v0, v0
          v2: f32 = swizzle v0.x
          store_output out0, v1
          store_output out1, v2
          return
        }",
    );
    assert_eq!(found, [0, 2]);
}
