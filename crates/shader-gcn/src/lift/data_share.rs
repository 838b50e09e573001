//! Where the data share is: memory of the work group, or a window of device memory for stages that share it among dispatches.

use afterimage_ir::{AtomicOp, Builder, Kind, Type, Value};

use super::format::zeros;
use super::vector::arithmetic::advance;
use super::vector::notation::ir;

/// The data share of a program.
#[derive(Clone, Copy, Debug)]
pub(super) enum DataShare {
    /// The work group's memory.
    Group,
    /// Device memory.
    Window {
        /// Its address: low and high half.
        base: Value,
        /// Bytes that may be accessed.
        bytes: Value,
    },
}

/// Whether `lanes` words lie in the window, and their address.
fn at(b: &mut Builder, [base, bytes]: [Value; 2], place: Value, lanes: u8) -> (Value, Value) {
    let place = ir!(b, iand(place, { b.i32(-4) }));
    let last = b.i32(4 * i32::from(lanes) - 1);
    let inside = ir!(b, ult(place, isub(umax(bytes, last), last)));
    (inside, advance(b, base, place))
}

impl DataShare {
    /// `lanes` words from a byte offset on; what is outside is zero.
    pub(super) fn load(self, b: &mut Builder, place: Value, lanes: u8) -> Value {
        let DataShare::Window { base, bytes } = self else { return b.load_shared(place, lanes) };
        let (inside, address) = at(b, [base, bytes], place, lanes);
        b.if_else(inside, |b| b.load_global(address, lanes), |b| zeros(b, lanes))
    }

    /// Stores words.
    pub(super) fn store(self, b: &mut Builder, place: Value, value: Value) {
        let DataShare::Window { base, bytes } = self else { return b.store_shared(place, value) };
        let lanes = b.ty(value).lanes;
        let (inside, address) = at(b, [base, bytes], place, lanes);
        b.begin_if(inside);
        b.store_global(address, value);
        b.end_if();
    }

    /// An atomic operation; gives what was there.
    pub(super) fn atomic(self, b: &mut Builder, op: AtomicOp, place: Value, operands: &[Value]) -> Value {
        let DataShare::Window { base, bytes } = self else { return b.atomic_shared(op, place, operands) };
        let lanes = operands.first().map_or(1, |&operand| b.ty(operand).lanes);
        let (inside, address) = at(b, [base, bytes], place, lanes);
        b.if_else(
            inside,
            |b| b.atomic_global(op, address, operands),
            |b| b.const_bits(Type::new(Kind::Int, lanes), [0; 4]),
        )
    }
}
