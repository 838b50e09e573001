//! What the interpreter does beyond the opcode table: lanes, control flow, memory, limits.

use afterimage_interp::*;
use afterimage_ir::*;

/// Input 0 is the lane's place in the quad; registers hold their own number; samples return their operands.
struct Quad;

impl Environment for Quad {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.ty.kind {
            Kind::Float => [(lane & 1) as f32 * 3.0, (lane >> 1) as f32 * 5.0, lane as f32, 1.0].map(f32::to_bits),
            _ => [lane as u32; 4],
        }
    }
    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        [index; 4]
    }
    fn sample(&self, _: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        match args.lod {
            Lod::Level(level) => [level, args.coord[0], args.coord[1], args.reference.unwrap_or(-1.0)],
            Lod::Gradient { dx, dy, bias } => [dx[0], dy[1], bias, args.reference.unwrap_or(-1.0)],
        }
    }
}

fn run(text: &str) -> Outcome {
    let module = parse(text).unwrap();
    Interpreter::new(&module).unwrap().run(&Quad).unwrap()
}

/// First component of output `n` in every lane.
fn floats(outcome: &Outcome, n: usize) -> [f32; LANES] {
    outcome.outputs[n].map(|lane| f32::from_bits(lane[0]))
}

fn ints(outcome: &Outcome, n: usize) -> [u32; LANES] {
    outcome.outputs[n].map(|lane| lane[0])
}

#[test]
fn derivatives_see_thrown_away_pixels() {
    let outcome = run("pixel {
      input in0 : f32x4 location 0 smooth
      output out0 : f32 location 0
      output out1 : f32 location 1
      output out2 : f32x4 location 2
      texture t0 slot 0 2d
      v0: f32x4 = load_input in0
      v1: f32 = swizzle v0.z
      v2: f32 = const 1.0
      v3: bool = feq v1, v2
      demote v3
      v4: f32 = swizzle v0.x
      v5: f32 = ddx v4
      store_output out0, v5
      v6: f32 = swizzle v0.y
      v7: f32 = ddy v6
      store_output out1, v7
      v8: f32x2 = swizzle v0.xy
      v9: f32x4 = sample_bias t0, v8, v2
      store_output out2, v9
      return
    }");
    assert_eq!(outcome.demoted, [false, true, false, false]);
    assert_eq!(floats(&outcome, 0), [3.0; 4]);
    assert_eq!(floats(&outcome, 1), [5.0; 4]);
    assert_eq!(outcome.outputs[2][3].map(f32::from_bits), [3.0, 5.0, 1.0, -1.0]);
}

#[test]
fn lanes_leave_loops_on_their_own() {
    let outcome = run("pixel {
      input in0 : i32 location 0 flat
      output out0 : i32 location 0
      output out1 : i32 location 1
      v0: i32 = load_input in0
      v1: i32 = const 0
      v2: i32 = const 1
      v3: i32 = const 2
      v4: i32, v5: i32 = loop (v6: i32 = v1, v7: i32 = v2) {
        v8: bool = ile v0, v6
        if v8 {
          break v6, v7
        } else {
          yield
        }
        v9: i32 = iadd v6, v2
        v10: bool = ieq v6, v2
        if v10 {
          continue v9, v7
        } else {
          yield
        }
        v11: i32 = imul v7, v3
        continue v9, v11
      }
      store_output out0, v4
      v12: bool = ieq v0, v3
      if v12 {
        return
      } else {
        yield
      }
      store_output out1, v5
      return
    }");
    assert_eq!(ints(&outcome, 0), [0, 1, 2, 3]);
    // Doubled in every round but the second; the third lane returned before the store.
    assert_eq!(ints(&outcome, 1), [1, 2, 0, 4]);
}

#[test]
fn loop_parameters_change_places_at_once() {
    let outcome = run("pixel {
      output out0 : i32 location 0
      v0: i32 = const 1
      v1: i32 = const 2
      v2: bool = const true
      v3: bool = const false
      v7: i32 = loop (v4: i32 = v0, v5: i32 = v1, v6: bool = v3) {
        if v6 {
          break v4
        } else {
          continue v5, v4, v2
        }
        unreachable
      }
      store_output out0, v7
      return
    }");
    assert_eq!(ints(&outcome, 0), [2; 4]);
}

#[test]
fn indices_are_clamped() {
    let outcome = run("pixel {
      input in0 : i32 location 0 flat
      output out0 : i32x4 location 0
      output out1 : i32 location 1
      bank c0 stage 0 [8]
      def c0[7] = 0x00000063, 0x00000063, 0x00000063, 0x00000063
      var r0 : i32 [2]
      v0: i32 = load_input in0
      v1: i32 = const 4
      v2: i32 = imul v0, v1
      v3: i32x4 = load_const_dyn c0[-2], v2
      store_output out0, v3
      store_elem r0.x, v2, v1
      v4: i32 = const 1
      v5: i32 = load_elem r0, v4
      store_output out1, v5
      return
    }");
    // -2, 2, 6 and 10, of which the last is the register that the shader defines.
    assert_eq!(ints(&outcome, 0), [0, 2, 6, 0x63]);
    assert_eq!(ints(&outcome, 1), [0, 4, 4, 4]);
}

#[test]
fn nothing_hangs() {
    let module = parse("pixel { loop { continue } unreachable }").unwrap();
    let interpreter = Interpreter::new(&module).unwrap().step_limit(1000);
    assert_eq!(interpreter.run(&NoEnvironment), Err(RunError::StepLimit(1000)));
}

#[test]
fn invalid_modules_are_refused() {
    let module = parse("pixel { v0: f32 = const 1.0 }").unwrap();
    assert!(Interpreter::new(&module).is_err());
}

/// Specialisation constants have their default unless they are set; a texture of one texel is the same all around.
#[test]
fn the_environment_sets_constants() {
    struct Set;
    impl Environment for Set {
        fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
            [0; 4]
        }
        fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
            [0; 4]
        }
        fn sample(&self, _: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
            assert_eq!(args.lod, Lod::Level(0.0));
            [args.coord[0] + 7.0, 1.0, 2.0, 3.0]
        }
        fn spec(&self, decl: &SpecDecl) -> u32 {
            if decl.id == 4 { 99 } else { decl.default }
        }
    }
    let module = parse(
        "pixel {
          output out0 : f32x4 location 0
          output out1 : i32 location 1
          output out2 : i32 location 2
          texture t0 slot 0 2d
          spec s0 \"set\" : i32 id 4 default 1
          spec s1 : i32 id 0 default -2
          v0: f32x2 = const 0.5, 0.0
          v1: f32x4 = gather t0, v0
          store_output out0, v1
          v2: i32 = load_spec s0
          store_output out1, v2
          v3: i32 = load_spec s1
          store_output out2, v3
          return
        }",
    );
    let module = module.unwrap();
    let outcome = Interpreter::new(&module).unwrap().run(&Set).unwrap();
    assert_eq!(outcome.outputs[0][0].map(f32::from_bits), [7.5; 4]);
    assert_eq!((ints(&outcome, 1), ints(&outcome, 2)), ([99; 4], [-2i32 as u32; 4]));
}

/// Lanes that take the other way do not run: a derivative there takes what they computed before.
#[test]
fn derivatives_in_divergent_flow_are_no_fault() {
    let outcome = run("pixel {
      input in0 : f32x4 location 0 smooth
      output out0 : f32 location 0
      v0: f32x4 = load_input in0
      v1: f32 = swizzle v0.z
      v2: f32 = const 2.0
      v3: bool = flt v1, v2
      if v3 {
        v4: f32 = fmul v1, v2
        v5: f32 = ddy v4
        store_output out0, v5
        yield
      } else {
        yield
      }
      return
    }");
    // The lower lanes are 2 and 3, and have not computed v4.
    assert_eq!(floats(&outcome, 0), [0.0, -2.0, 0.0, 0.0]);
}
