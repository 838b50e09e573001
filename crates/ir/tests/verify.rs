//! Every rule of the verifier rejects something, and says where.

use afterimage_ir::*;

/// A module with these declarations and this body.
fn pixel(declarations: &str, body: &str) -> Module {
    let text = format!("pixel {{\n{declarations}\n{body}\n}}");
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const DECLARATIONS: &str = "
  input in0 : f32x4 location 0 smooth
  input in1 : bool front_facing flat
  output out0 : f32x4 location 0
  bank c0 stage 0 [8]
  texture t0 slot 0 2d shadow
  texture t1 slot 1 3d
  spec s0 : f32 id 0 default 0.0
  var r0 : f32x4
  var r1 : i32x2 [4]
  v0: f32x4 = load_input in0
  v1: bool = load_input in1
  v2: i32 = const 1";

#[test]
fn every_rule_of_the_body_rejects() {
    let cases = [
        // 2: terminators
        ("if v1 { } else { yield } return", "region1: a region ends with a terminator"),
        ("return return", "return: a region has one terminator, which is its last instruction"),
        ("store_output out0, v0", "store_output out0, v0: a region has one terminator, which is its last instruction"),
        ("yield", "yield: `yield` outside of an `if`"),
        ("break", "break: `break` outside of a loop"),
        ("continue", "continue: `continue` outside of a loop"),
        ("loop { yield } return", "yield: `yield` outside of an `if`"),
        // 3: scope
        (
            "if v1 { v3: f32x4 = fneg v0 yield } else { yield } v4: f32x4 = fneg v3 return",
            "v4: f32x4 = fneg v3: v3 is not defined here",
        ),
        (
            "if v1 { v3: f32x4 = fneg v0 yield } else { v4: f32x4 = fneg v3 yield } return",
            "v4: f32x4 = fneg v3: v3 is not defined here",
        ),
        // 4: the table's operands
        ("v3: f32x4 = fadd v0 return", "v3: f32x4 = fadd v0: 1 operands; it takes 2"),
        ("v3: f32x4 = fadd v0, v2 return", "v3: f32x4 = fadd v0, v2: v2 is i32"),
        ("v3: i32x4 = fadd v0, v0 return", "v3: i32x4 = fadd v0, v0: the result cannot be i32x4"),
        ("v3: f32 = fadd v0, v0 return", "v3: f32 = fadd v0, v0: operands and result must have as many lanes"),
        ("v3: f32x4 = fdot v0, v0 return", "v3: f32x4 = fdot v0, v0: operands must have as many lanes, the result one"),
        ("v3: i32 = select v1, v2, v1 return", "v3: i32 = select v1, v2, v1: operands and result must be of one kind"),
        ("fadd v0, v0 return", "fadd v0, v0: it has one result"),
        ("v3: f32x4 = store_output out0, v0 return", "v3: f32x4 = store_output out0, v0: it has no result"),
        ("v3: b32 = bitcast v1 return", "v3: b32 = bitcast v1: v1 is bool"),
        // 5: lanes
        ("v3: f32x2 = swizzle v0.xyz return", "v3: f32x2 = swizzle v0.xyz: the result is f32x2, not f32x3"),
        ("v3: i32 = swizzle v2.y return", "v3: i32 = swizzle v2.y: selects a component that is not there"),
        ("v3: i32 = shuffle v2, v2 [2] return", "v3: i32 = shuffle v2, v2 [2]: selects a component that is not there"),
        ("v3: f32x4 = construct v0, v0 return", "v3: f32x4 = construct v0, v0: one to four components"),
        ("v3: f32x2 = construct v2, v2 return", "v3: f32x2 = construct v2, v2: the result is f32x2, not i32x2"),
        ("v3: bool = const 0x00000002 return", "v3: bool = const 0x00000002: truth values are 0 or 1"),
        // 6: variables, inputs, outputs
        ("v3: f32 = load r0 return", "v3: f32 = load r0: the result is f32, not f32x4"),
        ("v3: i32x2 = load r1 return", "v3: i32x2 = load r1: the variable is an array"),
        ("v3: f32x4 = load_elem r0, v2 return", "v3: f32x4 = load_elem r0, v2: the variable is no array"),
        (
            "v3: i32x2 = const 1, 2 store_elem r1.xz, v2, v3 return",
            "store_elem r1.xz, v2, v3: the mask is empty or beyond the type",
        ),
        ("v3: f32x2 = load_input in0 return", "v3: f32x2 = load_input in0: the result is f32x2, not f32x4"),
        ("v3: f32 = const 1.0 store_output out0, v3 return", "store_output out0, v3: the operand is f32, not f32x4"),
        // 7: constants
        ("v3: f32x4 = load_const c0[8] return", "v3: f32x4 = load_const c0[8]: the bank has 8 registers"),
        ("v3: f32x4 = load_const c0[-1] return", "v3: f32x4 = load_const c0[-1]: the bank has 8 registers"),
        ("v3: f32x3 = load_const c0[1] return", "v3: f32x3 = load_const c0[1]: the result is f32x3, not f32x4"),
        // 8: sampling
        ("v3: f32x4 = sample t0, v0 return", "v3: f32x4 = sample t0, v0: 1 operands; it needs 2"),
        ("v3: f32x4 = sample t0, v0, v0 return", "v3: f32x4 = sample t0, v0, v0: an operand is f32x4, not f32x2"),
        (
            "v3: f32x2 = swizzle v0.xy v4: f32x4 = gather t0, v3 return",
            "v4: f32x4 = gather t0, v3: 1 operands; it needs 2",
        ),
        (
            "v3: f32x3 = swizzle v0.xyz v4: f32x4 = gather t1, v3 return",
            "v4: f32x4 = gather t1, v3: 3D textures cannot be gathered",
        ),
        ("v3: i32 = load_spec s0 return", "v3: i32 = load_spec s0: the result is i32, not f32"),
        // 9: control flow
        ("if v2 { yield } else { yield } return", "if v2: v2 is i32"),
        (
            "v3: i32 = if v1 { yield v2 } else { yield } return",
            "yield: operands must have the types of the results of the `if`",
        ),
        ("loop (v3: f32 = v2) { break } return", "loop (v3: f32 = v2): operands must have the types of the parameters"),
        (
            "v4: i32 = loop (v3: i32 = v2) { continue } return",
            "continue: operands must have the types of the parameters of the loop",
        ),
        (
            "loop (v3: i32 = v2) { break v3 } return",
            "break v3: operands must have the types of the results of the loop",
        ),
    ];
    for (body, message) in cases {
        let found = verify(&pixel(DECLARATIONS, body)).map_err(|e| e.to_string());
        assert_eq!(found, Err(message.to_owned()), "{body}");
    }
    verify(&pixel(DECLARATIONS, "return")).unwrap();
}

#[test]
fn every_rule_of_the_interface_rejects() {
    let cases = [
        ("pixel { input in0 : i32 vertex_index flat return }", "in0: vertex_index belongs to the vertex stage"),
        ("pixel { input in0 : f32 front_facing flat return }", "in0: front_facing is bool, not f32"),
        (
            "pixel { input in0 : f32 location 1 flat input in1 : f32 location 1 flat return }",
            "in1: location 1 is taken or beyond 63",
        ),
        ("pixel { output out0 : bool location 1 return }", "out0: truth values have no location"),
        ("vertex { output out0 : f32 clip_distance 2 return }", "out0: clip distances begin at 0 or 4"),
        (
            "vertex { output out0 : f32x4 position output out1 : f32x4 position return }",
            "out1: position is declared twice",
        ),
        ("pixel { bank c0 stage 0 [0] return }", "c0: 0 registers; 1 to 65536 can be"),
        ("pixel { bank c0 stage 0 [2] bank c1 stage 0 [2] return }", "c1: stage bank 0 is declared twice"),
        (
            "pixel { bank c0 stage 0 [2] def c0[2] = 0, 0, 0, 0 return }",
            "c0: register values must be in rising order and within the bank",
        ),
        (
            "pixel { bank c0 stage 0 [2] name c0[1, 2] \"lights\" \"float4[2]\" return }",
            "module: \"lights\" names what is not there",
        ),
        ("pixel { texture t0 slot 20 2d return }", "t0: slot 20; there are 0 to 19"),
        ("compute { texture t0 slot 2 2d return }", "t0: slot 2; there are 20 to 39"),
        ("pixel { texture t0 slot 1 2dms shadow return }", "t0: only floats with one sample can be compared"),
        ("pixel { texture t0 slot 1 2d uint shadow return }", "t0: only floats with one sample can be compared"),
        ("compute { image i0 slot 64 2d float any return }", "i0: slot 64; there are 64"),
        ("compute { image i0 slot 0 2d sint r64 return }", "i0: images of r64 are of uint"),
        ("compute { image i0 slot 0 2d float r64 return }", "i0: images of r64 are of uint"),
        (
            "compute { image i0 slot 1 2d float any image i1 slot 1 2d float any return }",
            "i1: slot 1 is declared twice",
        ),
        (
            "compute { group 1024, 2, 1 return }",
            "module: a work group has 1 to 1024 lanes and up to 65536 bytes, in fours",
        ),
        ("compute { shared 6 return }", "module: a work group has 1 to 1024 lanes and up to 65536 bytes, in fours"),
        ("pixel { shared 16 return }", "module: only the compute stage has work groups"),
        ("pixel { barrier return }", "barrier: only the compute stage has barriers"),
        ("pixel { input in0 : i32x3 local_id flat return }", "in0: local_id belongs to the compute stage"),
        ("vertex { output out0 : f32 cull_distance 1 return }", "out0: cull distances begin at 0 or 4"),
        ("pixel { texture t0 slot 1 3d shadow return }", "t0: 3D textures cannot be compared"),
        (
            "pixel { spec s0 : b32 id 0 default 0 return }",
            "s0: a specialisation constant is a float, an integer or a truth value of 0 or 1",
        ),
        (
            "pixel { spec s0 : bool id 0 default 0x2 return }",
            "s0: a specialisation constant is a float, an integer or a truth value of 0 or 1",
        ),
        (
            "pixel { spec s0 : i32 id 4 default 0 spec s1 : i32 id 4 default 0 return }",
            "s1: constant 4 is declared twice",
        ),
        (
            "pixel { var r0 : f32 [4000] var r1 : f32 [4000] return }",
            "r1: arrays have 1 to 4096 elements, all of them together",
        ),
        (
            "vertex { input in0 : f32 location 0 flat v0: f32 = load_input in0 v1: f32 = ddx v0 return }",
            "v1: f32 = ddx v0: only the pixel stage has quads",
        ),
        ("vertex { v0: bool = const true demote v0 return }", "demote v0: only the pixel stage can throw pixels away"),
    ];
    for (text, message) in cases {
        let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module).map_err(|e| e.to_string()), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn every_rule_of_feedback_rejects() {
    let cases = [
        ("feedback out0.xyz buffer 0 stream 0 stride 12 offset 0", "its component is not there"),
        ("feedback out0.x buffer 4 stream 0 stride 12 offset 0", "there are 4 buffers and 4 streams"),
        ("feedback out0.x buffer 0 stream 4 stride 12 offset 0", "there are 4 buffers and 4 streams"),
        ("feedback out0.x buffer 0 stream 1 stride 12 offset 0", "a vertex shader has one stream"),
        ("feedback out0.x buffer 0 stream 0 stride 2052 offset 0", "a vertex has up to 2048 bytes, in fours"),
        ("feedback out0.x buffer 0 stream 0 stride 6 offset 0", "a vertex has up to 2048 bytes, in fours"),
        ("feedback out0.x buffer 0 stream 0 stride 8 offset 2", "a vertex has up to 2048 bytes, in fours"),
        ("feedback out0.xy buffer 0 stream 0 stride 12 offset 8", "goes beyond the vertex"),
        ("feedback out0.x buffer 0 stream 0 stride 12 offset 4294967292", "goes beyond the vertex"),
        (
            "feedback out0.x buffer 0 stream 0 stride 12 offset 0 feedback out0.y buffer 0 stream 0 stride 16 offset 4",
            "buffer 0 has one stride and one stream",
        ),
        (
            "feedback out0.xy buffer 0 stream 0 stride 12 offset 0 feedback out0.x buffer 0 stream 0 stride 12 offset 4",
            "bytes from 4 on are captured twice",
        ),
    ];
    for (feedback, message) in cases {
        let text = format!("vertex {{ output out0 : f32x2 location 0 {feedback} return }}");
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module).map_err(|e| e.message), Err(message.to_owned()), "{text}");
    }
    let text = "pixel { output out0 : f32 location 0 feedback out0.x buffer 0 stream 0 stride 4 offset 0 return }";
    let message = "the pixel stage has no transform feedback".to_owned();
    assert_eq!(verify(&parse(text).unwrap()).map_err(|e| e.message), Err(message));
    let text = "pixel { bank c0 feedback 0 [8] return }";
    let message = "only the vertex and the compute stage have banks of feedback".to_owned();
    assert_eq!(verify(&parse(text).unwrap()).map_err(|e| e.message), Err(message));
}

#[test]
fn every_rule_of_primitives_rejects() {
    let declarations = "
      input in0 : f32 location 0 smooth
      input in1 : i32 primitive_id smooth
      v0: i32 = const 0";
    let cases = [
        ("vertices 0 invocations 1", "", "a geometry shader has 1 to 256 vertices and 1 to 32 invocations"),
        ("vertices 257 invocations 1", "", "a geometry shader has 1 to 256 vertices and 1 to 32 invocations"),
        ("vertices 1 invocations 33", "", "a geometry shader has 1 to 256 vertices and 1 to 32 invocations"),
        ("vertices 1 invocations 1", "emit_vertex 4", "there are 4 streams"),
        ("vertices 1 invocations 1", "end_primitive 9", "there are 4 streams"),
        ("vertices 1 invocations 1", "v1: f32 = load_input in0", "each vertex has one"),
        ("vertices 1 invocations 1", "v1: i32 = load_vertex_input in1, v0", "each vertex does not have one"),
        ("vertices 1 invocations 1", "v1: i32 = load_vertex_input in0, v0", "the result is i32, not f32"),
        (
            "vertices 1 invocations 1",
            "v1: i32x2 = const 0, 0 v2: f32 = load_vertex_input in0, v1",
            "the number of a vertex is i32x2, not i32",
        ),
    ];
    for (head, body, message) in cases {
        let text = format!("geometry {{ geometry points points {head} {declarations} {body} return }}");
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module).map_err(|e| e.message), Err(message.to_owned()), "{text}");
    }
    let cases = [
        ("geometry { return }", "a geometry shader declares its primitives"),
        ("vertex { geometry points points vertices 1 invocations 1 return }", "only the geometry stage has primitives"),
        ("vertex { emit_vertex 0 return }", "only the geometry stage has primitives"),
        ("compute { input in0 : f32x4 position smooth return }", "position belongs to the geometry stage"),
        (
            "vertex { input in0 : i32 primitive_id smooth return }",
            "primitive_id belongs to the pixel and the geometry stage",
        ),
        (
            "geometry { geometry points points vertices 1 invocations 1
              output out0 : f32x2 location 0 feedback out0.x buffer 0 stream 0 stride 4 offset 0
              feedback out0.y buffer 1 stream 1 stride 4 offset 0 return }",
            "an output is captured in one stream",
        ),
    ];
    for (text, message) in cases {
        let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module).map_err(|e| e.message), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn every_rule_of_memory_rejects() {
    let declarations = "
      shared 64
      texture t0 slot 20 2d
      texture t1 slot 21 2dms
      texture t2 slot 22 cube
      image i0 slot 0 2d float any
      image i1 slot 1 2d uint r32
      image i2 slot 2 2d uint r64
      v0: i32 = const 0
      v1: i32x2 = const 0, 0
      v2: f32x2 = const 0.0, 0.0
      v3: bool = const true";
    let cases = [
        ("v4: b32 = load_global v0", "v4: b32 = load_global v0: the address is i32, not i32x2"),
        ("v4: bool = load_global v1", "v4: bool = load_global v1: the result cannot be bool"),
        ("store_shared v1, v0", "store_shared v1, v0: the address is i32x2, not i32"),
        ("v4: i32 = atomic_shared cmpswap, v0, v0", "v4: i32 = atomic_shared cmpswap, v0, v0: 2 operands; it takes 3"),
        (
            "v4: i32 = atomic_global add, v1, v1",
            "v4: i32 = atomic_global add, v1, v1: operands and result of an atomic operation have one type",
        ),
        (
            "v4: i32 = atomic_global add, v1, v2",
            "v4: i32 = atomic_global add, v1, v2: an atomic operation is on one or two integers",
        ),
        ("v4: i32 = ballot v3", "v4: i32 = ballot v3: the result is i32, not i32x2"),
        ("v4: i32x2 = read_first v0", "v4: i32x2 = read_first v0: the result is i32x2, not i32"),
        ("v4: i32 = read_lane v0, v1", "v4: i32 = read_lane v0, v1: the number of a lane is i32x2, not i32"),
        ("v4: i32 = quad_swizzle v0.xy", "v4: i32 = quad_swizzle v0.xy: it takes a place for each of four lanes"),
        ("v4: i32x2 = dadd v1, v0", "v4: i32x2 = dadd v1, v0: doubles have two components, everything else one"),
        ("v4: i32 = dadd v1, v1", "v4: i32 = dadd v1, v1: doubles have two components, everything else one"),
        (
            "v4: f32 = const 0.0 v5: f32x4 = sample_lod t1, v2, v4",
            "v5: f32x4 = sample_lod t1, v2, v4: multisampled textures can be fetched from, not sampled",
        ),
        (
            "v4: f32 = const 0.0 v5: f32x4 = sample_lod t0 (8, 0, 0), v2, v4",
            "v5: f32x4 = sample_lod t0 (8, 0, 0), v2, v4: such an offset is not possible here",
        ),
        (
            "v4: i32x3 = const 0, 0, 0 v5: f32x4 = fetch t2, v4, v0",
            "v5: f32x4 = fetch t2, v4, v0: cubes and shadow textures cannot be fetched from",
        ),
        ("v4: i32x4 = image_load i0, v1", "v4: i32x4 = image_load i0, v1: the result is i32x4, not f32x4"),
        (
            "v4: i32 = image_atomic i0 add, v1, v0",
            "v4: i32 = image_atomic i0 add, v1, v0: the image must be one of uint or sint r32, or of uint r64",
        ),
        (
            "v4: i32 = image_atomic i2 add, v1, v1",
            "v4: i32 = image_atomic i2 add, v1, v1: the result is i32, not i32x2",
        ),
        (
            "v4: i32x2 = image_atomic i2 add, v1, v0",
            "v4: i32x2 = image_atomic i2 add, v1, v0: an operand is i32, not i32x2",
        ),
        (
            "v4: i32x2 = image_atomic i2 cmpswap, v1, v1",
            "v4: i32x2 = image_atomic i2 cmpswap, v1, v1: 2 operands; it needs 3",
        ),
        ("image_store i1, v1, v0", "image_store i1, v1, v0: an operand is i32, not i32x4"),
    ];
    for (body, message) in cases {
        let text = format!("compute {{\n{declarations}\n{body}\nreturn\n}}");
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module).map_err(|e| e.to_string()), Err(message.to_owned()), "{body}");
    }
}

/// What text cannot say: damage to the tables.
#[test]
fn damaged_tables_are_rejected() {
    let good = pixel(DECLARATIONS, "if v1 { yield } else { yield } return");
    let broken = |damage: fn(&mut Module)| {
        let mut module = good.clone();
        damage(&mut module);
        verify(&module).map_err(|e| e.message)
    };
    assert_eq!(broken(|m| m.regions[0].insts.insert(0, Inst(0))), Err("is in two places".to_owned()));
    assert_eq!(broken(|m| m.regions[0].insts.insert(0, Inst(999))), Err("not in the table".to_owned()));
    assert_eq!(broken(|m| m.values[0].def = Def::None), Err("v0 has its definition elsewhere".to_owned()));
    assert_eq!(broken(|m| m.values[0].ty.lanes = 9), Err("the result is f32x9, not f32x4".to_owned()));
    let many = broken(|m| m.vars = vec![VarDecl { name: String::new(), ty: Type::F32, array: None }; MAX_VARS + 1]);
    assert_eq!(many, Err("more than 16384 variables".to_owned()));
    assert_eq!(broken(|m| m.insts[0].imm = Imm::None), Err("wrong kind of immediate".to_owned()));
    assert_eq!(broken(|m| m.insts[0].imm = Imm::Input(Input(7))), Err("no such input".to_owned()));
    assert_eq!(broken(|m| m.insts[0].results[0] = Value(999)), Err("v999 is not in the table".to_owned()));
    assert_eq!(broken(|m| m.insts[3].imm = Imm::If(Region(0), Region(1))), Err("is in two places".to_owned()));
    assert_eq!(broken(|m| m.insts[3].imm = Imm::If(Region(77), Region(1))), Err("not in the table".to_owned()));
}
