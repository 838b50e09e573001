//! A notation for IR: `ir!(b, iadd(ishl(x, 2), y))` builds what it says. Arguments are values, literals, `{expressions}` that give
//! values, or further calls of builder methods.

use afterimage_ir::{Builder, Type, Value};

/// What a literal becomes in [`ir!`].
pub(in crate::lift) trait Literal {
    fn value(self, b: &mut Builder) -> Value;
}

impl Literal for i32 {
    fn value(self, b: &mut Builder) -> Value {
        b.i32(self)
    }
}

impl Literal for u32 {
    fn value(self, b: &mut Builder) -> Value {
        b.i32(self as i32)
    }
}

impl Literal for f64 {
    fn value(self, b: &mut Builder) -> Value {
        b.f32(self as f32)
    }
}

impl Literal for bool {
    fn value(self, b: &mut Builder) -> Value {
        b.bool(self)
    }
}

/// Builds an expression: see the head of this file.
macro_rules! ir {
    ($b:ident, $x:literal) => {
        $crate::lift::vector::notation::Literal::value($x, $b)
    };
    ($b:ident, { $x:expr }) => {
        $x
    };
    ($b:ident, $x:ident) => {
        $x
    };
    ($b:ident, $op:ident ()) => {
        $b.$op()
    };
    ($b:ident, $op:ident ( $x:tt $(( $($xs:tt)* ))? )) => {{
        let x = ir!($b, $x $(( $($xs)* ))?);
        $b.$op(x)
    }};
    ($b:ident, $op:ident ( $x:tt $(( $($xs:tt)* ))?, $y:tt $(( $($ys:tt)* ))? )) => {{
        let x = ir!($b, $x $(( $($xs)* ))?);
        let y = ir!($b, $y $(( $($ys)* ))?);
        $b.$op(x, y)
    }};
    ($b:ident, $op:ident ( $x:tt $(( $($xs:tt)* ))?, $y:tt $(( $($ys:tt)* ))?, $z:tt $(( $($zs:tt)* ))? )) => {{
        let x = ir!($b, $x $(( $($xs)* ))?);
        let y = ir!($b, $y $(( $($ys)* ))?);
        let z = ir!($b, $z $(( $($zs)* ))?);
        $b.$op(x, y, z)
    }};
}

pub(in crate::lift) use ir;

/// The low and the high half of a 64-bit value.
pub(in crate::lift) fn halves(b: &mut Builder, pair: Value) -> (Value, Value) {
    (b.extract(pair, 0), b.extract(pair, 1))
}

/// A 64-bit value of its halves.
pub(in crate::lift) fn pair(b: &mut Builder, low: Value, high: Value) -> Value {
    let low = b.cast(low, afterimage_ir::Kind::Int);
    b.construct(&[low, high])
}

/// A 64-bit constant.
pub(in crate::lift) fn constant64(b: &mut Builder, value: u64) -> Value {
    b.const_bits(Type::I32X2, [value as u32, (value >> 32) as u32, 0, 0])
}

/// `value` where `condition`, else zero.
pub(in crate::lift) fn keep_if(b: &mut Builder, condition: Value, value: Value) -> Value {
    let zero = b.const_bits(b.ty(value), [0; 4]);
    b.select(condition, value, zero)
}
