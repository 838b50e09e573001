//! Draws whose numbers are in buffers: a compute shader copies the numbers first, and limits them as those of other draws are.
//!
//! So a buffer can say what it likes: no draw has more vertices than [`MOST_VERTICES`], none reads behind the indices, and a counter of
//! bytes that is less than its offset draws nothing, where vkCmdDrawIndirectByteCountEXT of one driver never ends.

use crate::feedback::Indices;
use crate::pipeline::pipelines::Pipeline;
use crate::resources::layouts::Layout;
use crate::state::draw::MOST_VERTICES;
use afterimage_ir::{
    Bank, BankDecl, BankSource, Builder, InputAt, InputDecl, Interp, Kind, Module, Stage, Swizzle, Type, Value,
};
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Lanes of a work group.
pub(crate) const GROUP: u32 = 64;

/// What the shader is told.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Block {
    /// Device address of the first draw, or of the counter.
    pub(crate) from: u64,
    /// Device address of the first draw as it is limited.
    pub(crate) to: u64,
    /// One of the kinds below.
    pub(crate) kind: u32,
    /// Draws.
    pub(crate) count: u32,
    /// Bytes from draw to draw.
    pub(crate) stride: u32,
    /// Indices that there are.
    pub(crate) indices: u32,
    pub(crate) counter_offset: u32,
    pub(crate) counter_stride: u32,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    /// All ones where draws may have a first instance, else 0.
    pub(crate) instance_mask: u32,
    pub(crate) pad: [u32; 3],
}

pub(crate) const PLAIN: u32 = 0;

pub(crate) const INDEXED: u32 = 1;

pub(crate) const BYTES: u32 = 2;

/// Bytes of a draw that was limited.
pub(crate) const fn bytes(indexed: bool) -> u64 {
    if indexed { 20 } else { 16 }
}

/// What the numbers are of.
#[derive(Clone, Copy)]
pub(crate) enum What {
    /// Draws, which are indexed if there are indices.
    Draws { stride: u32, indices: Option<Indices> },
    /// A draw of as many vertices as were captured.
    Bytes { counter_offset: u32, stride: u32, instances: u32, first_instance: u32 },
}

/// The shader, once it is wanted.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) made: Option<(Arc<Pipeline>, Layout)>,
}

/// Code of the shader.
struct Code {
    b: Builder,
    bank: Bank,
}

impl Code {
    fn register(&mut self, at: u32) -> Value {
        self.b.load_const_as(Kind::Int, self.bank, at)
    }

    fn int(&mut self, value: u32) -> Value {
        self.b.i32(value as i32)
    }

    /// The 64-bit `base` and `n` times `size`, which is less than 4 GiB.
    fn element(&mut self, base: Value, n: Value, size: Value) -> Value {
        let by = self.b.imul(n, size);
        let (low, high) = (self.b.extract(base, 0), self.b.extract(base, 1));
        let carry = self.b.uadd_carry(low, by);
        let carry = self.b.cast(carry, Kind::Int);
        let (low, high) = (self.b.iadd(low, by), self.b.iadd(high, carry));
        self.b.construct(&[low, high])
    }

    fn load(&mut self, address: Value, lanes: u8) -> Value {
        let words = self.b.load_global(address, lanes);
        self.b.cast(words, Kind::Int)
    }

    /// Instances that a draw of so many vertices may have: see [`crate::state::draw::instances`].
    fn instances(&mut self, wanted: Value, count: Value) -> Value {
        let (one, most) = (self.int(1), self.int(MOST_VERTICES as u32));
        let (least, few) = (self.b.umax(count, one), self.b.ule(wanted, one));
        let limit = self.b.udiv(most, least);
        let limited = self.b.umin(wanted, limit);
        self.b.select(few, wanted, limited)
    }
}

/// The shader. Lane n limits draw n.
pub(crate) fn module() -> Result<Module, afterimage_ir::BuildError> {
    let mut b = Builder::new(Stage::Compute);
    b.set_name("arguments");
    b.work_group([GROUP, 1, 1], 0);
    let size = size_of::<Block>() as u32 / 16;
    let bank = b.bank(BankDecl { name: "arguments".into(), source: BankSource::Feedback, id: 0, size, defs: vec![] });
    let mut c = Code { b, bank };
    let lane_of = |name: &str, at, ty| InputDecl { name: name.into(), ty, at, interp: Interp::Flat, semantic: None };
    let local = c.b.input_at(InputAt::LocalIndex, || lane_of("local", InputAt::LocalIndex, Type::I32));
    let group = c.b.input_at(InputAt::WorkgroupId, || lane_of("group", InputAt::WorkgroupId, Type::I32X3));
    let (group, lanes) = (c.b.extract(group, 0), c.int(GROUP));
    let first = c.b.imul(group, lanes);
    let lane = c.b.iadd(first, local);

    let (addresses, draws, counter, masks) = (c.register(0), c.register(1), c.register(2), c.register(3));
    let (from, to) = (c.b.swizzle(addresses, Swizzle::new(&[0, 1])), c.b.swizzle(addresses, Swizzle::new(&[2, 3])));
    let [kind, count, stride, indices] = [0, 1, 2, 3].map(|at| c.b.extract(draws, at));
    let most = c.int(MOST_VERTICES as u32);
    let mask = c.b.extract(masks, 0);
    let there = c.b.ult(lane, count);
    c.b.begin_if(there);
    let source = c.element(from, lane, stride);

    let number = c.int(PLAIN);
    let is_plain = c.b.ieq(kind, number);
    c.b.begin_if(is_plain);
    let words = c.load(source, 4);
    let [vertices, instances, first, first_instance] = [0, 1, 2, 3].map(|at| c.b.extract(words, at));
    let vertices = c.b.umin(vertices, most);
    let instances = c.instances(instances, vertices);
    let first_instance = c.b.iand(first_instance, mask);
    let limited = c.b.construct(&[vertices, instances, first, first_instance]);
    let size = c.int(bytes(false) as u32);
    let place = c.element(to, lane, size);
    c.b.store_global(place, limited);
    c.b.end_if();

    let number = c.int(INDEXED);
    let is_indexed = c.b.ieq(kind, number);
    c.b.begin_if(is_indexed);
    let words = c.load(source, 4);
    let (one, last) = (c.int(1), c.int(16));
    let last_source = c.element(source, one, last);
    let first_instance = c.load(last_source, 1);
    let [wanted, instances, first, offset] = [0, 1, 2, 3].map(|at| c.b.extract(words, at));
    let skipped = c.b.umin(first, indices);
    let rest = c.b.isub(indices, skipped);
    let wanted = c.b.umin(wanted, rest);
    let wanted = c.b.umin(wanted, most);
    let instances = c.instances(instances, wanted);
    let first_instance = c.b.iand(first_instance, mask);
    let limited = c.b.construct(&[wanted, instances, skipped, offset]);
    let size = c.int(bytes(true) as u32);
    let place = c.element(to, lane, size);
    c.b.store_global(place, limited);
    let last_place = c.element(place, one, last);
    c.b.store_global(last_place, first_instance);
    c.b.end_if();

    let number = c.int(BYTES);
    let is_bytes = c.b.ieq(kind, number);
    c.b.begin_if(is_bytes);
    let captured = c.load(source, 1);
    let [skipped, stride, instances, first_instance] = [0, 1, 2, 3].map(|at| c.b.extract(counter, at));
    let skipped = c.b.umin(skipped, captured);
    let rest = c.b.isub(captured, skipped);
    let vertices = c.b.udiv(rest, stride);
    let vertices = c.b.umin(vertices, most);
    let instances = c.instances(instances, vertices);
    let first_instance = c.b.iand(first_instance, mask);
    let zero = c.int(0);
    let limited = c.b.construct(&[vertices, instances, zero, first_instance]);
    c.b.store_global(to, limited);
    c.b.end_if();

    c.b.end_if();
    c.b.finish()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_shader_is_valid() {
        let module = super::module().expect("a module");
        afterimage_ir::verify(&module).expect("valid");
    }
}
