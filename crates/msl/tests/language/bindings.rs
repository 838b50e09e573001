//! What must be bound is reported, and what Metal has no room for is refused.

use afterimage_ir::{Module, parse, verify};
use afterimage_msl::{Attribute, EmitError, Lane, Options, Place, Source, emit};

fn example(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

fn refused(text: &str) -> String {
    match emit(&example(text), &Options::default()) {
        Err(EmitError::Binding(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bindings_tell_what_to_bind() {
    let module = example(
        "vertex {
          input in0 \"v0\" : f32x4 location 0 smooth
          input in1 \"v3\" : f32x2 location 3 smooth
          input in2 : i32 instance_index smooth
          output out0 \"oPos\" : f32x4 position
          output out1 \"oT0\" : f32x3 location 2
          output out2 : f32x4 clip_distance 0
          output out3 : f32x2 clip_distance 4
          bank c0 \"c\" stage 0 [256]
          bank c1 \"s\" system 8 [4]
          texture t0 slot 18 2d
          spec s0 \"mode\" : i32 id 7 default 2
          v0: f32x4 = load_input in0
          v1: f32x2 = load_input in1
          v2: i32 = load_input in2
          v3: i32 = load_spec s0
          v4: i32 = iadd v2, v3
          v5: f32x4 = load_const_dyn c0[1], v4
          v6: f32x4 = load_const c1[2]
          v7: f32 = const 0.0
          v8: f32x4 = sample_lod t0, v1, v7
          v9: f32x4 = fmad v0, v5, v6
          store_output out0, v9
          v10: f32x3 = swizzle v8.xyz
          store_output out1, v10
          store_output out2, v9
          store_output out3, v1
          return
        }",
    );
    let artifact = emit(&module, &Options { entry: "vs".to_owned(), ..Options::default() }).unwrap();
    let found: Vec<_> = artifact.bindings.iter().map(|b| (b.name.as_str(), b.place, b.attribute, b.lanes)).collect();
    let expected = [
        ("mode_set", Place::Program, Attribute::FunctionConstant(7), 0),
        ("v0", Place::Input, Attribute::Attribute(0), 4),
        ("v3", Place::Input, Attribute::Attribute(3), 2),
        ("oPos", Place::Output, Attribute::Position, 4),
        ("oT0", Place::Output, Attribute::User(2), 3),
        ("clip_distance", Place::Output, Attribute::ClipDistance(6), 6),
        ("instance_id", Place::Argument, Attribute::InstanceId, 1),
        ("constants", Place::Argument, Attribute::Buffer(0), 0),
        ("system", Place::Argument, Attribute::Buffer(1), 0),
        ("t18", Place::Argument, Attribute::Texture(2), 0),
        ("s18", Place::Argument, Attribute::Sampler(2), 0),
    ];
    assert_eq!(found, expected);
    assert_eq!(artifact.bindings[9].source, Source::Texture(18));
    assert_eq!(artifact.reflection.const_registers(), 256);
    assert!(artifact.source.contains("vertex vs_out vs(vs_in in [[stage_in]],"), "{}", artifact.source);
}

#[test]
fn bindings_tell_what_kernels_take() {
    let module = example(
        "compute {
          group 8, 4, 2
          input in0 : i32x3 local_id flat
          input in1 \"lane\" : i32 local_index flat
          input in2 : i32x3 workgroup_id flat
          input in3 : i32x3 workgroup_count flat
          bank c0 \"draw\" feedback 0 [40]
          bank c1 \"not read\" storage 2 [9]
          bank c2 \"table\" storage 5 [9]
          bank c3 \"c\" stage 0 [4]
          texture t0 slot 23 2d
          v0: i32x3 = load_input in0
          v1: i32 = load_input in1
          v2: i32x3 = load_input in2
          v3: i32x3 = load_input in3
          v4: i32x4 = load_const c0[3]
          v5: i32x4 = load_const_dyn c2[0], v1
          v6: f32x2 = const 0.5, 0.5
          v7: f32 = const 0.0
          v8: f32x4 = sample_lod t0, v6, v7
          v9: i32x4 = load_const c3[0]
          v10: i32x2 = swizzle v9.xy
          store_global v10, v0
          store_global v10, v2
          store_global v10, v3
          store_global v10, v4
          store_global v10, v5
          store_global v10, v8
          return
        }",
    );
    let artifact = emit(&module, &Options::default()).unwrap();
    let found: Vec<_> = artifact.bindings.iter().map(|b| (b.name.as_str(), b.attribute, b.source)).collect();
    let input = |n| Source::Input(afterimage_ir::Input(n));
    let expected = [
        ("local_id", Attribute::ThreadPositionInThreadgroup, input(0)),
        ("lane", Attribute::ThreadIndexInThreadgroup, input(1)),
        ("workgroup_id", Attribute::ThreadgroupPositionInGrid, input(2)),
        ("workgroup_count", Attribute::ThreadgroupsPerGrid, input(3)),
        ("constants", Attribute::Buffer(0), Source::Constants),
        ("feedback", Attribute::Buffer(2), Source::Feedback),
        ("table", Attribute::Buffer(8), Source::Storage(5)),
        ("t23", Attribute::Texture(3), Source::Texture(23)),
        ("s23", Attribute::Sampler(3), Source::Sampler(23)),
    ];
    assert_eq!(found, expected);
    assert!(artifact.bindings.iter().all(|b| b.place == Place::Argument));
    assert_eq!(artifact.reflection.group, [8, 4, 2]);
    assert!(artifact.source.contains("[[max_total_threads_per_threadgroup(64)]]\nkernel void main0("));
}

/// What there is no form of is named.
#[test]
fn what_is_not_written_is_named() {
    let refused = |text: &str| emit(&example(text), &Options::default()).unwrap_err();
    let kernel = |code: &str| format!("compute {{ group 8, 1, 1 shared 64  v0: i32x2 = const 4, 0  {code}  return }}");
    for (code, name) in [
        ("v1: i32x2 = atomic_global add, v0, v0", "atomic_global"),
        ("v2: i32 = const 4  v1: i32x2 = atomic_shared add, v2, v0", "atomic_shared"),
        ("v1: i32x2 = dadd v0, v0  store_global v0, v1", "dadd"),
    ] {
        assert_eq!(refused(&kernel(code)), EmitError::Unsupported(name));
    }
    let image = |decl: &str, code: &str| {
        format!(
            "compute {{ group 8, 1, 1  image i0 slot 0 {decl}  v0: i32x2 = const 4, 0  v1: i32 = const 1  {code}  return }}"
        )
    };
    // What later versions of the language have.
    let refused_by = |text: &str, language| {
        let options = Options { language, ..Options::default() };
        emit(&example(text), &options).map(|_| ()).map_err(|error| error.to_string())
    };
    let atomic = image("2d uint r32", "v2: i32 = image_atomic i0 add, v0, v1");
    let fence = kernel("memory_barrier");
    for (text, name, since) in [(&atomic, "image_atomic", 310), (&fence, "memory_barrier", 320)] {
        assert_eq!(refused_by(text, since), Ok(()));
        let version = format!("3.{}", since / 10 % 10);
        let before = format!("`{name}` needs Metal {version}, and this is 2.4");
        assert_eq!(refused_by(text, 240), Err(before));
    }
    let samples =
        image("2dms uint any", "v2: i32x4 = image_load i0, v0, v1  v3: i32 = swizzle v2.x  image_store i0, v0, v1, v2");
    assert_eq!(refused(&samples), EmitError::Unsupported("multisampled storage image"));
    let long = image("2d uint r64", "v2: i32x2 = image_atomic i0 add, v0, v0");
    assert_eq!(refused(&long), EmitError::Unsupported("image r64"));
    // Vertex functions are told nothing of their wave.
    let vertex = "vertex { output out0 : i32 location 0  v0: i32 = lane_index  store_output out0, v0  return }";
    assert_eq!(refused(vertex), EmitError::Unsupported("lane_index"));
    let output = "compute { output out0 : f32 location 0  v0: f32 = const 1.0  store_output out0, v0  return }";
    assert_eq!(refused(output), EmitError::Unsupported("location in a kernel"));
    let geometry = "geometry { geometry points points vertices 1 invocations 1  return }";
    assert_eq!(refused(geometry), EmitError::Stage("geometry"));
}

#[test]
fn storage_images_and_waves_have_arguments() {
    let module = example(
        "compute {
          group 8, 1, 1
          image i0 slot 0 2d float any
          image i1 slot 5 cubearray uint any
          image i2 slot 7 3d sint any
          v0: i32x2 = const 4, 0
          v1: i32x3 = const 1, 2, 3
          v2: f32x4 = image_load i0, v0
          image_store i0, v0, v2
          v3: i32x4 = image_load i1, v1
          v4: i32 = swizzle v3.x
          v5: i32 = wave_shuffle v4, v4
          v6: i32 = quad_swizzle v5.yxwz
          v7: i32 = lane_index
          v8: i32x4 = construct v6, v7, v0
          image_store i2, v1, v8
          return
        }",
    );
    let artifact = emit(&module, &Options::default()).unwrap();
    let found: Vec<_> = artifact.bindings.iter().map(|b| (b.name.as_str(), b.attribute, b.source)).collect();
    let expected = [
        ("image0", Attribute::Texture(20), Source::Image(0)),
        ("image5", Attribute::Texture(25), Source::Image(5)),
        ("image7", Attribute::Texture(27), Source::Image(7)),
        ("lane", Attribute::ThreadIndexInSimdgroup, Source::Lane(Lane::Index)),
        ("lanes", Attribute::ThreadsPerSimdgroup, Source::Lane(Lane::Count)),
        ("lane_in_quad", Attribute::ThreadIndexInQuadgroup, Source::Lane(Lane::InQuad)),
    ];
    assert_eq!(found, expected);
    for text in [
        "texture2d<float, access::read_write> image0 [[texture(20)]]",
        "texture2d_array<uint, access::read> image5 [[texture(25)]]",
        "texture3d<int, access::write> image7 [[texture(27)]]",
        "image7.write(int4(",
    ] {
        assert!(artifact.source.contains(text), "{text}\n{}", artifact.source);
    }
}

/// Every vertex function that gives something gives a position.
#[test]
fn a_position_is_never_missing() {
    let module = example("vertex { output out0 : f32 location 0  v0: f32 = const 1.0  store_output out0, v0  return }");
    let artifact = emit(&module, &Options::default()).unwrap();
    assert!(artifact.bindings.iter().any(|b| b.attribute == Attribute::Position && b.source == Source::NoPosition));
}

#[test]
fn what_metal_has_no_room_for_is_refused() {
    let sample = |textures: &str, slot: usize| {
        format!(
            "pixel {{
              output out0 : f32x4 location 0
              {textures}
              v0: f32x2 = const 0.0, 0.0
              v1: f32x4 = sample t0, v0
              v2: f32x4 = sample t{slot}, v0
              v3: f32x4 = fadd v1, v2
              store_output out0, v3
              return
            }}"
        )
    };
    // A sampler beyond those that there are has the index of one that is not there.
    let beyond = emit(&example(&sample("texture t0 slot 17 2d", 0)), &Options::default()).unwrap();
    assert!(beyond.bindings.iter().any(|binding| binding.attribute == Attribute::Sampler(15)));
    let seventeen = |part: fn(usize) -> String| (0..17).map(part).collect::<Vec<_>>().join("\n");
    let error = refused(&format!(
        "pixel {{ output out0 : f32x4 location 0\n {}\n v0: f32x2 = const 0.0, 0.0\n {}\n store_output out0, v1 return }}",
        seventeen(|n| format!("texture t{n} slot {n} 2d")),
        seventeen(|n| format!("v{}: f32x4 = sample t{n}, v0", n + 1)),
    ));
    assert_eq!(error, "`s16` is [[sampler(16)]], but Metal has 16 samplers");
    // The same slot with two shapes; with one, both are the same argument.
    let shadow = "texture t0 slot 3 2d
              texture t1 slot 3 2d shadow";
    let text =
        sample(shadow, 1).replace("sample t1, v0", "sample t1, v0, v9").replace("v1:", "v9: f32 = const 0.5\n v1:");
    assert_eq!(refused(&text), "`t3` and `t3_1` are both [[texture(3)]]");
    let same = sample("texture t0 slot 3 2d\n texture t1 slot 3 2d", 1);
    assert!(emit(&example(&same), &Options::default()).is_ok());

    let color = "pixel { output out0 \"oC9\" : f32 location 9  v0: f32 = const 1.0  store_output out0, v0  return }";
    assert_eq!(refused(color), "`oC9` is [[color(9)]], but Metal has 8 colour attachments");
    let buffer = |id: u32| {
        format!(
            "pixel {{ output out0 : f32x4 location 0  bank c0 \"b\" storage {id} [7]  v0: f32x4 = load_const c0[6]  store_output out0, v0  return }}"
        )
    };
    assert!(emit(&example(&buffer(27)), &Options::default()).is_ok());
    assert_eq!(refused(&buffer(28)), "`b` is [[buffer(31)]], but Metal has 31 buffers");
    let shared = |bytes: u32, load: &str| {
        format!("compute {{ group 8, 1, 1 shared {bytes}  v0: i32 = const 4  {load}  return }}")
    };
    let store = "store_shared v0, v0";
    assert!(emit(&example(&shared(32768, store)), &Options::default()).is_ok());
    let error = refused(&shared(32772, store));
    assert_eq!(error, "`shared` makes it 32772 bytes of threadgroup memory, but Metal has 32768");
    // What is not used takes no room.
    assert!(emit(&example(&shared(65536, "")), &Options::default()).is_ok());
    let attribute = "vertex {
      input in0 \"v31\" : f32 location 31 smooth
      output out0 : f32 location 0
      v0: f32 = load_input in0
      store_output out0, v0
      return
    }";
    assert_eq!(refused(attribute), "`v31` is [[attribute(31)]], but Metal has 31 vertex attributes");
}
