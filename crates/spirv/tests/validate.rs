//! What is written is valid: `spirv-val` has the last word.

mod judges;

use afterimage_ir::*;
use afterimage_passes::{FloatRules, float_rules, optimize};
use afterimage_spirv::{Artifact, EmitError, Features, Options, emit, emit_with_records};

const PROFILES: [Options; 2] = [
    Options { bindless: true, preserve: true, debug_names: true, features: Features::ALL },
    Options { bindless: false, preserve: false, debug_names: false, features: Features::ALL },
];

/// Validates a module; `what` is shown if it is wrong.
fn validate(words: &[u32], what: &Module) {
    judges::validate(words).unwrap_or_else(|why| panic!("{why}\n{what}"));
}

fn written(module: &Module, options: &Options) -> Artifact {
    let records = emit_with_records(module, options).unwrap_or_else(|e| panic!("with records: {e}\n{module}"));
    validate(&records.words, module);
    emit(module, options).unwrap_or_else(|e| panic!("{e}\n{module}"))
}

fn example(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

#[test]
fn every_construct_is_valid() {
    let mut module = example(include_str!("../../ir/tests/everything.air"));
    float_rules::run(&mut module, FloatRules::Strict);
    for options in &PROFILES {
        validate(&written(&module, options).words, &module);
        let mut best = module.clone();
        optimize(&mut best, &afterimage_passes::Options { float_rules: FloatRules::Relaxed });
        validate(&written(&best, options).words, &best);
    }
}

#[test]
fn vertex_builtins_are_valid() {
    let module = example(
        "vertex {
          input in0 : i32 vertex_index smooth
          input in1 : i32 instance_index smooth
          input in2 : i32x4 location 1 smooth
          output out0 : f32x4 position
          output out1 : f32 point_size
          output out2 : f32x4 clip_distance 0
          output out3 : f32x2 clip_distance 4
          bank c0 system 0 [4]
          v0: i32 = load_input in0
          v1: i32 = load_input in1
          v2: i32 = iadd v0, v1
          v3: f32 = i2f v2
          v4: f32x4 = load_const_dyn c0[1], v2
          v5: i32x4 = load_input in2
          v6: f32x4 = i2f v5
          v7: f32x4 = fmad v4, v6, v4
          store_output out0, v7
          store_output out1, v3
          store_output out2, v7
          v8: f32x2 = swizzle v7.xw
          store_output out3, v8
          return
        }",
    );
    for options in &PROFILES {
        let artifact = written(&module, options);
        validate(&artifact.words, &module);
        assert_eq!(artifact.reflection.clip_distances(), 6);
        assert!(artifact.reflection.system && artifact.reflection.writes_point_size());
    }
}

/// Strange control flow: nothing comes back, loops without `continue` or `break`, jumps out of nested blocks.
#[test]
fn odd_control_flow_is_valid() {
    let module = example(
        "pixel {
          input in0 : bool front_facing flat
          output out0 : f32 location 0
          v0: bool = load_input in0
          v1: f32 = const 1.0
          v2: f32 = loop (v3: f32 = v1) {
            v4: f32 = if v0 {
              break v3
            } else {
              break v1
            }
            continue v4
          }
          v5: f32 = loop {
            break v2
          }
          loop (v6: f32 = v5) {
            if v0 {
              store_output out0, v6
              return
            } else {
              yield
            }
            v7: f32 = fadd v6, v6
            v8: f32, v9: f32 = if v0 {
              continue v6
            } else {
              yield v7, v5
            }
            continue v8
          }
          unreachable
        }",
    );
    for options in &PROFILES {
        validate(&written(&module, options).words, &module);
    }
    let mut best = module;
    optimize(&mut best, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    validate(&written(&best, &PROFILES[0]).words, &best);
}

/// Every construct of the text form, as the tests of the IR have them, on devices that can everything and on such that cannot.
#[test]
fn every_construct_of_the_text_is_valid() {
    let everything = include_str!("../../ir/tests/everything.air");
    let [compute, pixel] = [include_str!("../../ir/tests/compute.air"), include_str!("../../ir/tests/pixel.air")];
    let [vertex, geometry] = [include_str!("../../ir/tests/vertex.air"), include_str!("../../ir/tests/geometry.air")];
    for text in [everything, compute, pixel, vertex, geometry] {
        let mut module = parse(text).unwrap();
        float_rules::run(&mut module, FloatRules::Strict);
        verify(&module).unwrap();
        for options in &PROFILES {
            validate(&written(&module, options).words, &module);
            let features = Features { shuffle: false, stencil_export: false, feedback: false, ..Features::ALL };
            validate(&written(&module, &Options { features, ..*options }).words, &module);
        }
    }
}

/// Whether a module has an instruction with these operands in succession.
fn has(words: &[u32], opcode: u32, operands: &[u32]) -> bool {
    let mut at = 5;
    while let Some(&head) = words.get(at) {
        let instruction = &words[at + 1..at + (head >> 16) as usize];
        if head & 0xffff == opcode && instruction.windows(operands.len()).any(|window| window == operands) {
            return true;
        }
        at += (head >> 16) as usize;
    }
    false
}

#[test]
fn captures_are_decorations() {
    const DECORATE: u32 = 71;
    const XFB_BUFFER: u32 = 36;
    const XFB_STRIDE: u32 = 37;
    const OFFSET: u32 = 35;
    let module = example(
        "vertex {
          output out0 : f32x4 position
          output out1 : f32x3 location 0
          output out2 : f32x2 location 2
          output out3 : f32x4 clip_distance 0
          feedback out0.xyzw buffer 0 stream 0 stride 64 offset 4
          feedback out1.yz buffer 1 stream 0 stride 8 offset 0
          feedback out1.xyz buffer 0 stream 0 stride 64 offset 32
          feedback out1.x buffer 2 stream 0 stride 2048 offset 2044
          feedback out2.xy buffer 3 stream 0 stride 8 offset 0
          feedback out3.yzw buffer 0 stream 0 stride 64 offset 48
          v0: f32x4 = const 1.0, 2.0, 3.0, 4.0
          v1: f32x3 = swizzle v0.xyz
          store_output out0, v0
          store_output out1, v1
          store_output out3, v0
          return
        }",
    );
    for options in &PROFILES {
        let words = written(&module, options).words;
        validate(&words, &module);
        for (buffer, stride, offset) in [(0, 64, 4), (1, 8, 0), (0, 64, 32), (2, 2048, 2044), (3, 8, 0), (0, 64, 48)] {
            assert!(has(&words, DECORATE, &[XFB_BUFFER, buffer]) && has(&words, DECORATE, &[XFB_STRIDE, stride]));
            assert!(has(&words, DECORATE, &[OFFSET, offset]), "{offset}");
        }
        let without = Options { features: Features { feedback: false, ..Features::ALL }, ..*options };
        let plain = written(&module, &without);
        validate(&plain.words, &module);
        assert!(!has(&plain.words, DECORATE, &[XFB_BUFFER]));
        assert_eq!(plain.reflection.feedback_outputs.len(), 6);
        assert_eq!(plain.reflection.feedback_strides(), [64, 8, 2048, 8]);
    }
}

#[test]
fn what_a_device_cannot_do_is_named() {
    let cases = [
        ("v1: i32x2 = dadd v0, v0", "`dadd` needs shaderFloat64, which the device does not have"),
        (
            "v1: i32x2 = atomic_global add, v0, v0",
            "`atomic_global` needs shaderBufferInt64Atomics, which the device does not have",
        ),
        (
            "v1: i32 = const 0 v2: i32x2 = atomic_shared add, v1, v0",
            "`atomic_shared` needs shaderSharedInt64Atomics, which the device does not have",
        ),
        (
            "v1: i32x2 = image_atomic i0 add, v0, v0",
            "`image r64` needs shaderImageInt64Atomics, which the device does not have",
        ),
    ];
    for (code, message) in cases {
        let image = if code.contains("i0") { "image i0 slot 0 2d uint r64" } else { "" };
        let module = example(&format!("compute {{ shared 16 {image} v0: i32x2 = const 0, 0 {code} return }}"));
        let none = Options { features: Features::default(), ..PROFILES[0] };
        assert_eq!(emit(&module, &none).unwrap_err().to_string(), message);
    }
    let doubles = "compute { v0: i32x2 = const 0, 0 v1: i32x2 = atomic_global fmin, v0, v0 return }";
    let none = Options { features: Features { float64: false, ..Features::ALL }, ..PROFILES[0] };
    let error = emit(&example(doubles), &none).unwrap_err().to_string();
    assert_eq!(error, "`fmin` needs shaderFloat64, which the device does not have");
    let layer = "vertex { output out0 : i32 layer v0: i32 = const 0 store_output out0, v0 return }";
    let none = Options { features: Features::default(), ..PROFILES[0] };
    let error = emit(&example(layer), &none).unwrap_err().to_string();
    assert_eq!(error, "`layer` needs shaderOutputLayer, which the device does not have");
    validate(&written(&example(layer), &PROFILES[0]).words, &example(layer));
}

/// Lookups of every shape and kind, with and without runtime arrays, in slots and in tables.
#[test]
fn every_lookup_is_valid() {
    for (slot, &dim) in (0..).zip(Dim::ALL) {
        lookups_are_valid(slot, dim);
        lookups_are_valid(TextureDecl::IN_TABLES, dim);
    }
    let tables = example("pixel { texture t0 tables 2d v0: i32 = const 7 v1: i32 = texture_levels t0, v0 return }");
    let none = Options { features: Features::default(), ..PROFILES[0] };
    let error = emit(&tables, &none).unwrap_err().to_string();
    assert_eq!(error, "`a texture in tables` needs descriptor indexing, which the device does not have");
}

fn lookups_are_valid(slot: u8, dim: Dim) {
    for &component in Component::ALL {
        for shadow in [false, true] {
            if shadow && (dim.is_multisampled() || dim == Dim::D3 || component != Component::Float) {
                continue;
            }
            let mut b = Builder::new(Stage::Pixel);
            let texture = b.texture(TextureDecl { slot, dim, shadow, component });
            let word = b.i32(0x20_0003);
            let t = TextureRef { texture, word: (slot == TextureDecl::IN_TABLES).then_some(word) };
            let at = OutputAt::Location(0);
            let ty = Type::new(component.kind(), 4);
            let out = b.output(OutputDecl { name: String::new(), ty, at, semantic: None });
            let bank = b.bank(BankDecl { name: "c".into(), source: BankSource::Stage, id: 0, size: 4, defs: vec![] });
            let (uv, level) = (b.load_const(bank, 0), b.load_const(bank, 1));
            let mut texels = Vec::new();
            let offsets = if dim.is_cube() { vec![[0; 3]] } else { vec![[0; 3], [1, -8, 0]] };
            for offset in offsets.into_iter().map(Offset) {
                if !dim.is_cube() && !shadow {
                    texels.push(b.fetch(t, uv, level, offset));
                }
                if dim.is_multisampled() {
                    continue;
                }
                let levels = [Level::Implicit, Level::Bias(level), Level::Lod(level), Level::Grad(uv, level)];
                for level in levels {
                    texels.push(b.sample_at(t, uv, level, offset, Some(uv)));
                }
                if dim != Dim::D3 {
                    texels.push(b.gather_at(t, uv, 3, offset, Some(uv)));
                }
            }
            let size = b.texture_size(t, level);
            texels.push(b.resize(size, 4));
            let levels = b.texture_levels(t);
            texels.push(b.resize(levels, 4));
            if !dim.is_multisampled() {
                let lod = b.query_lod(t, uv);
                texels.push(b.resize(lod, 4));
            }
            let mut sum = texels[0];
            for &texel in &texels[1..] {
                let texel = b.cast(texel, component.kind());
                sum = if component == Component::Float { b.fadd(sum, texel) } else { b.iadd(sum, texel) };
            }
            b.store_output(out, sum);
            let module = b.finish().unwrap();
            verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            let again = parse(&module.to_string()).unwrap();
            assert_eq!(again.to_string(), module.to_string());
            for options in PROFILES.iter().filter(|options| options.bindless || t.word.is_none()) {
                let artifact = written(&module, options);
                validate(&artifact.words, &module);
                let tables = if t.word.is_some() { 1 << dim.table() as u8 } else { 0 };
                assert_eq!(artifact.reflection.tables, tables);
            }
        }
    }
}

/// Storage images of every shape, kind and format.
#[test]
fn every_storage_image_is_valid() {
    for &dim in Dim::ALL {
        for &component in Component::ALL {
            for &format in ImageFormat::ALL {
                let decl = ImageDecl { slot: 5, dim, component, format };
                if format == ImageFormat::R64 && decl.atomic().is_none() {
                    continue;
                }
                let mut b = Builder::new(Stage::Compute);
                let image = b.image(decl);
                let at = b.const_bits(Type::I32X4, [1, 2, 0, 0]);
                let size = b.image_size(image);
                let coord = b.iadd(at, size);
                let coord = b.resize(coord, 3);
                let texel = b.image_load(image, coord, Some(size));
                b.image_store(image, at, None, texel);
                if decl.atomic().is_some() {
                    for &op in AtomicOp::ALL {
                        b.image_atomic(op, image, coord, None, &[at, size]);
                    }
                }
                let module = b.finish().unwrap();
                verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
                validate(&written(&module, &PROFILES[0]).words, &module);
            }
        }
    }
}

/// Inputs of one location are one variable, which is interpolated at the place of each.
#[test]
fn a_location_is_interpolated_at_several_places() {
    let module = example(
        "pixel {
          input in0 \"a\" : f32x4 location 2 smooth
          input in1 \"b\" : f32x4 location 2 centroid
          input in2 \"c\" : f32x4 location 2 sample
          input in3 \"d\" : f32x4 location 3 linear
          output out0 \"colour\" : f32x4 location 0
          v0: f32x4 = load_input in0
          v1: f32x4 = load_input in1
          v2: f32x4 = load_input in2
          v3: f32x4 = load_input in3
          v4: f32x4 = fadd v0, v1
          v5: f32x4 = fadd v2, v3
          v6: f32x4 = fadd v4, v5
          store_output out0, v6
          return
        }",
    );
    for options in &PROFILES {
        let words = written(&module, options).words;
        validate(&words, &module);
        // `OpDecorate`s of locations: two inputs, an output.
        let mut at = 5;
        let mut locations = Vec::new();
        while let Some(&head) = words.get(at) {
            let instruction = &words[at..at + (head >> 16) as usize];
            if let [_, _, 30, location] = instruction[..]
                && head & 0xffff == 71
            {
                locations.push(location);
            }
            at += instruction.len();
        }
        locations.sort_unstable();
        assert_eq!(locations, [0, 2, 3], "{module}");
    }
    // The same way twice is once too often, and drivers interpolate a location with or without perspective.
    for (one, other) in
        [("smooth", "smooth"), ("flat", "flat"), ("smooth", "linear"), ("flat", "centroid"), ("linear", "sample")]
    {
        let text = format!(
            "pixel {{ input in0 \"a\" : f32x4 location 2 {one} input in1 \"b\" : f32x4 location 2 {other} return }}"
        );
        assert!(verify(&parse(&text).unwrap()).is_err(), "{text}");
    }
}

#[test]
fn random_modules_are_valid() {
    // A fixed seed: the test is about breadth, and a failure prints the module.
    let mut state = 0x1234_5678_9abc_def1_u64;
    for round in 0..240 {
        let bytes: Vec<u8> = (0..2500)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 24) as u8
            })
            .collect();
        let mut module = generate(Stage::ALL[round % 4], &bytes);
        if round / 4 % 3 == 0 {
            float_rules::run(&mut module, FloatRules::Strict);
        } else {
            optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        validate(&written(&module, &PROFILES[round % 2]).words, &module);
    }
}

#[test]
fn reflection_tells_what_to_bind() {
    let module = example(
        "pixel {
          output out0 : f32x4 location 2
          output out1 : f32 frag_depth
          bank c0 \"c\" stage 0 [224]
          bank c1 \"i\" stage 1 [16]
          def c1[3] = 0x00000001, 0x00000002, 0x00000003, 0x00000004
          texture t0 slot 3 cube
          texture t1 slot 5 2d
          v0: f32x4 = load_const c0[100]
          v1: f32x4 = load_const c0[102]
          v2: f32x4 = load_const c0[7]
          v3: i32 = const 1
          v4: i32x4 = load_const_dyn c1[0], v3
          v5: f32x3 = swizzle v0.xyz
          v6: f32x4 = sample t0, v5
          store_output out0, v6
          v7: f32 = swizzle v6.x
          store_output out1, v7
          return
        }",
    );
    let reflection = written(&module, &PROFILES[0]).reflection;
    let segment = |bank, first, count| Segment { bank, first, count };
    assert_eq!(reflection.segments, [segment(0, 7, 1), segment(0, 100, 3), segment(1, 0, 16)]);
    assert_eq!(reflection.const_registers(), 20);
    assert_eq!(reflection.const_offset(0, 102), Some(3));
    assert_eq!(reflection.const_offset(1, 15), Some(19));
    assert_eq!(reflection.const_offset(0, 50), None);
    assert_eq!(reflection.const_defs.len(), 1);
    assert_eq!((reflection.texture_mask(Dim::Cube), reflection.texture_mask(Dim::D2)), (1 << 3, 0));
    assert_eq!(reflection.location_mask(), 1 << 2);
    assert!(reflection.writes_depth() && !reflection.system && !reflection.demotes);
}

#[test]
fn guest_float_rules_must_be_lowered_first() {
    let module = example(
        "pixel {
          output out0 : f32 location 0
          v0: f32 = const 1.0
          v1: f32 = frcpc v0
          store_output out0, v1
          return
        }",
    );
    assert_eq!(emit(&module, &PROFILES[0]), Err(EmitError::GuestFloat("frcpc")));
}

/// The position's arithmetic is not contracted, whatever else the shader does; other arithmetic may be.
#[test]
fn position_is_precise() {
    let text = |extra: &str| {
        format!(
            "vertex {{
              input in0 : f32x4 location 0 smooth
              output out0 : f32x4 position
              output out1 : f32x4 location 0
              v0: f32x4 = load_input in0
              v1: f32x4 = fmad v0, v0, v0
              store_output out0, v1
              v2: f32x4 = {extra} v0, v0
              store_output out1, v2
              return
            }}"
        )
    };
    let decorations = |module: &Module| {
        let words = written(module, &PROFILES[1]).words;
        let (mut at, mut found) = (5, 0);
        while at < words.len() {
            // OpDecorate ... NoContraction
            found += (words[at] & 0xffff == 71 && words[at + 2] == 42) as usize;
            at += (words[at] >> 16) as usize;
        }
        found
    };
    assert_eq!(decorations(&example(&text("fadd"))), 2, "multiplication and addition of the position");
    assert_eq!(decorations(&example(&text("fmul"))), 2);
}

/// The IR's sum of products begins with +0. One product alone could be -0.
#[test]
fn a_dot_product_of_one_component_is_still_a_sum() {
    let module = example(
        "pixel {
          input in0 : f32 location 0 smooth
          output out0 : f32 location 0
          v0: f32 = load_input in0
          v1: f32 = fdot v0, v0
          store_output out0, v1
          return
        }",
    );
    let words = written(&module, &PROFILES[1]).words;
    let (mut at, mut opcodes) = (5, Vec::new());
    while at < words.len() {
        opcodes.push(words[at] & 0xffff);
        at += (words[at] >> 16) as usize;
    }
    let place = |opcode| opcodes.iter().position(|&o| o == opcode);
    let (mul, add) = (place(133), place(129));
    assert!(mul.is_some() && mul < add, "OpFMul, then OpFAdd: {opcodes:?}");
}
