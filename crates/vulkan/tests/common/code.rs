//! Shaders of the tests of compute and storage, made with the IR's builder.

use super::Guest;
use afterimage_ir::{
    Bank, BankDecl, BankSource, Builder, InputAt, InputDecl, Interp, OutputAt, OutputDecl, Stage, Type, Value,
};
use afterimage_stream::packets::{SetStorage, StorageBinding};
use afterimage_stream::{GcnBank, ObjectId};

/// A shader that is being built.
pub struct Code {
    pub b: Builder,
    stage: Stage,
    banks: [Option<Bank>; 3],
}

impl Code {
    pub fn new(stage: Stage) -> Self {
        Self { b: Builder::new(stage), stage, banks: [None; 3] }
    }

    /// A compute shader with groups of this many lanes.
    pub fn compute(lanes: u32) -> Self {
        let mut code = Self::new(Stage::Compute);
        code.b.work_group([lanes, 1, 1], 0);
        code
    }

    /// A register of one of the stage's banks: 0 words, 1 buffers, 2 the draw.
    pub fn register(&mut self, bank: u8, index: u32) -> Value {
        let id = afterimage_stream::Bank::gcn(self.stage, GcnBank::ALL[usize::from(bank)]) as u8;
        let b = &mut self.b;
        let place = &mut self.banks[usize::from(bank)];
        let bank = *place.get_or_insert_with(|| {
            b.bank(BankDecl { name: String::new(), source: BankSource::Stage, id, size: 64, defs: Vec::new() })
        });
        let value = self.b.load_const(bank, index);
        self.b.cast(value, afterimage_ir::Kind::Int)
    }

    /// The address of a word of a storage buffer.
    pub fn word(&mut self, buffer: u32, index: Value) -> Value {
        let register = self.register(1, buffer);
        let b = &mut self.b;
        let (low, high, two) = (b.extract(register, 0), b.extract(register, 1), b.i32(2));
        let offset = b.ishl(index, two);
        let (sum, carry, one, zero) = (b.iadd(low, offset), b.uadd_carry(low, offset), b.i32(1), b.i32(0));
        let carry = b.select(carry, one, zero);
        let high = b.iadd(high, carry);
        b.construct(&[sum, high])
    }

    /// An input of the stage.
    pub fn input(&mut self, at: InputAt, ty: Type) -> Value {
        let decl = || InputDecl { name: String::new(), ty, at, interp: Interp::Smooth, semantic: None };
        self.b.input_at(at, decl)
    }

    /// The number of this lane among those of all groups, which lie along x.
    pub fn lane(&mut self, lanes: u32) -> Value {
        let (local, group) =
            (self.input(InputAt::LocalIndex, Type::I32), self.input(InputAt::WorkgroupId, Type::I32X3));
        let (group, lanes) = (self.b.extract(group, 0), self.b.i32(lanes as i32));
        let first = self.b.imul(group, lanes);
        self.b.iadd(first, local)
    }

    /// Where a corner of a triangle over everything is, by the number of the vertex.
    pub fn everywhere(&mut self) -> Value {
        let number = self.input(InputAt::VertexIndex, Type::I32);
        let b = &mut self.b;
        let (one, two) = (b.i32(1), b.i32(2));
        let (x, y) = (b.iand(number, one), b.iand(number, two));
        let (x, y) = (b.i2f(x), b.i2f(y));
        let (four, scale, minus) = (b.f32(4.0), b.f32(2.0), b.f32(-1.0));
        let (x, y) = (b.fmul(x, four), b.fmul(y, scale));
        let (x, y, half, w) = (b.fadd(x, minus), b.fadd(y, minus), b.f32(0.5), b.f32(1.0));
        b.construct(&[x, y, half, w])
    }

    pub fn output(&mut self, at: OutputAt, value: Value) {
        let ty = self.b.ty(value);
        let output = self.b.output(OutputDecl { name: String::new(), ty, at, semantic: None });
        self.b.store_output(output, value);
    }

    /// Creates the shader.
    pub fn create(mut self, guest: &mut Guest) -> ObjectId {
        self.b.return_();
        let module = self.b.finish().expect("a module");
        guest.shader(self.stage, &module.to_string())
    }
}

/// Binds whole buffers, from the first binding on.
pub fn bind_storage(guest: &mut Guest, stage: Stage, buffers: &[ObjectId]) {
    let bindings: Vec<_> =
        buffers.iter().map(|&buffer| StorageBinding { buffer, ..StorageBinding::default() }).collect();
    let body = SetStorage { stage: stage as u32, first: 0, count: bindings.len() as u16 };
    guest.encoder.push_tail(&body, &bindings);
}

/// Words of bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)).collect()
}

/// Bytes of words.
pub fn bytes(words: &[u32]) -> &[u8] {
    bytemuck::cast_slice(words)
}
