//! The builder takes whatever order of calls a damaged guest shader makes, and converts operands as promised.

use afterimage_ir::*;

fn is_valid(b: Builder) -> Module {
    let module = b.finish().unwrap();
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module
}

#[test]
fn wrong_nesting_is_an_error() {
    type Calls = fn(&mut Builder);
    let cases: [(Calls, BuildError); 9] = [
        (Builder::begin_else, BuildError::Unbalanced("else without if")),
        (Builder::end_if, BuildError::Unbalanced("end of an if that is not open")),
        (Builder::end_loop, BuildError::Unbalanced("end of a loop that is not open")),
        (Builder::break_, BuildError::OutsideLoop("break")),
        (Builder::continue_, BuildError::OutsideLoop("continue")),
        (Builder::begin_loop, BuildError::Unbalanced("the shader ends inside a block")),
        (
            |b| {
                b.begin_loop();
                b.end_if();
            },
            BuildError::Unbalanced("end of an if that is not open"),
        ),
        (
            |b| {
                let yes = b.bool(true);
                b.begin_if(yes);
                b.begin_else();
                b.begin_else();
                b.end_if();
            },
            BuildError::Unbalanced("else without if"),
        ),
        (
            |b| {
                for _ in 0..1000 {
                    b.begin_loop();
                }
                for _ in 0..1000 {
                    b.end_loop();
                }
            },
            BuildError::TooDeep,
        ),
    ];
    for (calls, error) in cases {
        let mut b = Builder::new(Stage::Pixel);
        calls(&mut b);
        assert_eq!(b.finish().err(), Some(error));
    }
}

#[test]
fn code_behind_a_jump_is_dropped() {
    let mut b = Builder::new(Stage::Pixel);
    let yes = b.bool(true);
    b.begin_loop();
    b.begin_if(yes);
    b.break_();
    b.begin_if(yes);
    b.continue_();
    b.end_if();
    b.begin_else();
    b.end_if();
    b.end_loop();
    b.return_();
    let one = b.f32(1.0);
    b.fadd(one, one);
    let module = is_valid(b);
    let text = module.to_string();
    assert!(!text.contains("fadd") && text.matches("if ").count() == 1 && text.matches("break").count() == 1, "{text}");
}

#[test]
fn operands_are_converted() {
    let mut b = Builder::new(Stage::Pixel);
    let r0 = b.var("r0", Type::B32X4);
    let bits = b.load(r0);
    let one = b.f32(1.0);
    // Bits are taken as floats, and the scalar for every lane.
    let sum = b.fadd(bits, one);
    assert_eq!(b.ty(sum), Type::F32X4);
    // The longer operand is cut.
    let xy = b.swizzle(bits, Swizzle::new(&[0, 1]));
    let product = b.fmul(sum, xy);
    assert_eq!(b.ty(product), Type::F32X2);
    let dot = b.fdot(sum, bits);
    assert_eq!(b.ty(dot), Type::F32);
    // `select` takes the kind of its first value.
    let cond = b.flt(dot, one);
    let chosen = b.select(cond, bits, sum);
    assert_eq!(b.ty(chosen), Type::B32X4);
    // Truth values become numbers and the other way round.
    let number = b.iadd(cond, cond);
    assert_eq!(b.ty(number), Type::I32);
    let truth = b.band(bits, cond);
    assert_eq!(b.ty(truth), Type::BOOLX4);
    b.store_masked(r0, Mask(0), sum);
    b.store_masked(r0, Mask(0b1010), one);
    let built = b.construct(&[sum, sum]);
    assert_eq!(b.ty(built), Type::F32X4);
    b.demote(truth);
    assert_eq!(b.op(Op::FAdd, &[sum]), None);
    assert_eq!(b.op(Op::Load, &[]), None);
    is_valid(b);
}

#[test]
fn registers_that_the_shader_defines_are_constants() {
    let mut b = Builder::new(Stage::Vertex);
    let c = b.bank(BankDecl { name: "c".into(), source: BankSource::Stage, id: 0, size: 8, defs: Vec::new() });
    b.define_const(c, 5, [1, 2, 3, 4]);
    b.define_const(c, 2, [9, 9, 9, 9]);
    b.define_const(c, 5, [5, 6, 7, 8]);
    let defined = b.load_const(c, 5);
    assert_eq!(b.module().as_const(defined), Some([5, 6, 7, 8]));
    // Beyond the bank it is the last register.
    let last = b.load_const(c, 800);
    assert_eq!(b.module().as_const(last), None);
    is_valid(b);
}

#[test]
fn an_if_gives_a_value() {
    let mut b = Builder::new(Stage::Pixel);
    let out = b.output(OutputDecl { name: "o".into(), ty: Type::F32, at: OutputAt::Location(0), semantic: None });
    let (yes, one) = (b.bool(true), b.f32(1.0));
    let value = b.if_else(yes, |b| b.fadd(one, one), |b| b.i32(3));
    b.store_output(out, value);
    let text = is_valid(b).to_string();
    assert!(text.contains("yield") && text.contains(": f32 = if v0 {"), "{text}");
}

/// Rows whose meaning is more than an operator.
#[test]
fn scalar_meanings() {
    let compute = |op: Op, args: [f32; 2]| match op.info().meaning {
        Meaning::Lanes(f) => f32::from_bits(f([args[0].to_bits(), args[1].to_bits(), 0])),
        _ => unreachable!("{op:?} is component-wise"),
    };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let same = |op, args, wanted: f32| {
        let found = compute(op, args);
        assert!(found.to_bits() == wanted.to_bits(), "{op:?} {args:?}: {found}, not {wanted}");
    };
    same(Op::FMulZ, [0.0, inf], 0.0);
    same(Op::FMulZ, [nan, 0.0], 0.0);
    same(Op::FMulZ, [nan, -0.0], -0.0);
    same(Op::FMulZ, [0.0, -5.0], 0.0);
    same(Op::FMulZ, [-0.0, 0.0], 0.0);
    same(Op::FMulZ, [2.0, inf], inf);
    same(Op::FSat, [nan, 0.0], 0.0);
    same(Op::FSat, [-0.0, 0.0], 0.0);
    same(Op::FSat, [7.0, 0.0], 1.0);
    same(Op::FMin, [nan, 3.0], 3.0);
    same(Op::FMax, [3.0, nan], 3.0);
    same(Op::FMin, [0.0, -0.0], -0.0);
    same(Op::FMax, [-0.0, 0.0], 0.0);
    same(Op::FMinC, [nan, 3.0], 3.0);
    same(Op::FMaxC, [3.0, nan], nan);
    same(Op::FRcpC, [0.0, 0.0], f32::MAX);
    same(Op::FRcpC, [-0.0, 0.0], f32::MIN);
    same(Op::FRsqC, [0.0, 0.0], f32::MAX);
    same(Op::FLog2C, [0.0, 0.0], f32::MIN);
    same(Op::FRound, [2.5, 0.0], 2.0);
    same(Op::FToI, [nan, 0.0], f32::from_bits(0));
    same(Op::FToI, [1e20, 0.0], f32::from_bits(i32::MAX as u32));
    same(Op::FToU, [-5.0, 0.0], f32::from_bits(0));
}

#[test]
fn the_table_is_in_order() {
    for (index, row) in OPCODES.iter().enumerate() {
        assert_eq!(row.op as usize, index, "{}", row.name);
        assert_eq!(Op::from_name(row.name), Some(row.op));
        assert!(row.doc.trim_end().ends_with('.'), "{}: {:?}", row.name, row.doc);
    }
}

/// Whoever builds a shader need not look after each instruction whether there is still room.
#[test]
fn what_is_too_long_is_an_error_and_takes_no_more_memory() {
    let mut b = Builder::new(Stage::Compute);
    let mut sum = b.f32(0.0);
    for _ in 0..2 * MAX_VALUES {
        sum = b.fadd(sum, sum);
    }
    let wide = b.construct(&[sum, sum]);
    b.begin_if_positive(wide);
    let (values, instructions) = (b.module().values.len(), b.module().insts.len());
    assert!(
        values <= MAX_VALUES + 64 && instructions <= MAX_VALUES + 64,
        "{values} values, {instructions} instructions"
    );
    assert_eq!(b.finish().err(), Some(BuildError::TooLarge));
}

trait Positive {
    fn begin_if_positive(&mut self, value: Value);
}

impl Positive for Builder {
    /// Flow of every kind behind the end of the room.
    fn begin_if_positive(&mut self, value: Value) {
        let (first, zero) = (self.extract(value, 0), self.f32(0.0));
        let more = self.flt(zero, first);
        self.begin_loop();
        self.break_if(more);
        self.end_loop();
        let both = self.if_else(more, |_| first, |_| zero);
        assert_eq!(self.ty(both), Type::F32);
    }
}
