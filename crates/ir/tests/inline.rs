//! A shader inlined into another does what it did alone.

use afterimage_ir::{Builder, Imm, Module, Op, Stage, Type, parse, verify};

/// A shader around `text`, which stores what its outputs are to memory, `rounds` times.
fn around(text: &str, rounds: i32) -> Module {
    let inner = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&inner).unwrap();
    let mut b = Builder::new(Stage::Compute);
    let inputs: Vec<_> = inner.inputs.iter().map(|decl| Some(b.const_bits(decl.ty, [3; 4]))).collect();
    let outputs: Vec<_> = inner.outputs.iter().map(|decl| Some(b.var(&decl.name, decl.ty))).collect();
    let round = b.var("round", Type::I32);
    b.begin_loop();
    let (now, end) = (b.load(round), b.i32(rounds));
    let done = b.ule(end, now);
    b.break_if(done);
    b.inline(&inner, &inputs, &outputs);
    let one = b.i32(1);
    let next = b.iadd(now, one);
    b.store(round, next);
    b.end_loop();
    let module = b.finish().unwrap();
    verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
    module
}

#[test]
fn returns_lead_to_what_follows() {
    let module = around(
        "vertex {
  input in0 \"a\" : i32 location 0 smooth
  output out0 \"o\" : i32 location 0
  v0: i32 = load_input in0
  v1: i32 = const 1
  v2: bool = ieq v0, v1
  v3: i32 = loop (v4: i32 = v1) {
    v5: bool = ult v0, v4
    if v5 {
      store_output out0, v4
      if v2 {
        return
      } else {
        break v4
      }
      unreachable
    } else {
      yield
    }
    v6: i32 = iadd v4, v1
    continue v6
  }
  if v2 {
    return
  } else {
    return
  }
  unreachable
}",
        2,
    );
    let mut returns = 0;
    module.for_each_inst(|_, data| returns += usize::from(data.op == Op::Return));
    assert_eq!(returns, 1, "{module}");
}

#[test]
fn declarations_come_along_once() {
    let text = "vertex {
  bank c0 \"c\" stage 2 [4]
  spec s0 \"mode\" : i32 id 7 default 5
  var r0 \"x\" : i32
  var r1 \"y\" : i32 [3]
  v0: i32x4 = load_const c0[1]
  v1: i32 = load_spec s0
  store r0.x, v1
  return
}";
    let Ok(inner) = parse(text) else { panic!("{:?}", parse(text).err()) };
    let mut b = Builder::new(Stage::Vertex);
    b.inline(&inner, &[], &[]);
    b.inline(&inner, &[], &[]);
    let module = b.finish().unwrap();
    verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
    assert_eq!((module.banks.len(), module.specs.len(), module.vars.len()), (1, 1, 4));
    let consts = module.insts.iter().filter(|data| matches!(data.imm, Imm::Bank(..))).count();
    assert_eq!(consts, 2);
}

/// What the builder looks through ends somewhere.
#[test]
fn chains_may_be_long() {
    let mut text = "vertex {\n  input in0 \"a\" : f32x2 location 0 smooth\n  output out0 \"o\" : f32x2 location 0\n\
                    v0: f32x2 = load_input in0\n"
        .to_owned();
    for at in 1..100_000 {
        let step = match at % 3 {
            0 => format!("v{at}: f32x2 = swizzle v{}.yx\n", at - 1),
            1 => format!("v{at}: i32x2 = bitcast v{}\n", at - 1),
            _ => format!("v{at}: f32x2 = bitcast v{}\n", at - 1),
        };
        text += &step;
    }
    text += "store_output out0, v99999\nreturn\n}";
    let inner = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut b = Builder::new(Stage::Compute);
    let (given, out) = (b.var("a", Type::F32X2), b.var("o", Type::F32X2));
    let given = b.load(given);
    b.inline(&inner, &[Some(given)], &[Some(out)]);
    let value = b.load(out);
    let one = b.extract(value, 1);
    let bits = b.cast(one, afterimage_ir::Kind::Int);
    let place = b.const_bits(Type::I32X2, [0; 4]);
    b.store_global(place, bits);
    verify(&b.finish().unwrap()).unwrap();
}
