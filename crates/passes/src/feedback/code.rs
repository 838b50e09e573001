//! What the generated shaders have in common: system values, 64-bit addresses, indices, and what may not be in
//! the shaders that they are made of.

use afterimage_ir::{
    Bank, BankDecl, BankSource, Builder, Flags, InputAt, InputDecl, Interp, Kind, Module, Op, Stage, Swizzle, Type,
    Value,
};

use super::FeedbackError;

/// A block of system values that a shader reads.
#[derive(Clone, Copy)]
pub(super) struct System(Bank);

impl System {
    /// Declares the block, of so many bytes.
    pub(super) fn new(b: &mut Builder, name: &str, bytes: usize) -> Self {
        let size = bytes.div_ceil(16) as u32;
        Self(b.bank(BankDecl { name: name.into(), source: BankSource::Feedback, id: 0, size, defs: Vec::new() }))
    }

    /// The register at a byte: four words.
    pub(super) fn register(self, b: &mut Builder, offset: usize) -> Value {
        b.load_const_as(Kind::Int, self.0, offset as u32 / 16)
    }

    /// The word at a byte.
    pub(super) fn word(self, b: &mut Builder, offset: usize) -> Value {
        let register = self.register(b, offset);
        b.extract(register, (offset % 16 / 4) as u8)
    }

    /// The 64-bit number at a byte.
    pub(super) fn wide(self, b: &mut Builder, offset: usize) -> Value {
        let register = self.register(b, offset);
        let first = (offset % 16 / 4) as u8;
        b.swizzle(register, Swizzle::new(&[first, first + 1]))
    }
}

/// What the builder lacks for address arithmetic.
pub(super) trait Code {
    /// A constant.
    fn int(&mut self, value: u32) -> Value;
    /// The input of a lane or vertex.
    fn builtin(&mut self, at: InputAt) -> Value;
    /// Byte `at` (a value) of a word.
    fn byte(&mut self, word: Value, at: Value) -> Value;
    /// The 64-bit `a` and the 32-bit `b`.
    fn wide_add(&mut self, a: Value, b: Value) -> Value;
    /// The 64-bit product of 32-bit numbers.
    fn wide_mul(&mut self, a: Value, b: Value) -> Value;
    /// The 64-bit `base`, and `n` times `size`: the address of element `n`.
    fn element(&mut self, base: Value, n: Value, size: Value) -> Value;
    /// Whether a 64-bit number is not 0.
    fn is_set(&mut self, wide: Value) -> Value;
    /// As [`Builder::load_global`], of integers.
    fn load_words(&mut self, address: Value, lanes: u8) -> Value;
    /// Index `n` of those of `bytes` (1, 2, 4) bytes each at `indices`.
    fn load_index(&mut self, indices: Value, bytes: Value, n: Value) -> Value;
    /// All ones of an index of `bytes` (1, 2, 4) bytes.
    fn index_mask(&mut self, bytes: Value) -> Value;
}

impl Code for Builder {
    fn int(&mut self, value: u32) -> Value {
        self.i32(value as i32)
    }

    fn builtin(&mut self, at: InputAt) -> Value {
        let (name, ty) = at.builtin().map_or(("", Type::I32), |(name, _, ty)| (name, ty));
        self.input_at(at, || InputDecl { name: name.into(), ty, at, interp: Interp::Flat, semantic: None })
    }

    fn byte(&mut self, word: Value, at: Value) -> Value {
        let (three, mask) = (self.int(3), self.int(0xff));
        let bit = self.ishl(at, three);
        let word = self.ushr(word, bit);
        self.iand(word, mask)
    }

    fn wide_add(&mut self, a: Value, b: Value) -> Value {
        let (low, high) = (self.extract(a, 0), self.extract(a, 1));
        let carry = self.uadd_carry(low, b);
        let carry = self.cast(carry, Kind::Int);
        let (low, high) = (self.iadd(low, b), self.iadd(high, carry));
        self.construct(&[low, high])
    }

    fn wide_mul(&mut self, a: Value, b: Value) -> Value {
        let (low, high) = (self.imul(a, b), self.umulhi(a, b));
        self.construct(&[low, high])
    }

    fn element(&mut self, base: Value, n: Value, size: Value) -> Value {
        let by = self.wide_mul(n, size);
        let (low, high) = (self.extract(by, 0), self.extract(by, 1));
        let sum = self.wide_add(base, low);
        let (low, sum) = (self.extract(sum, 0), self.extract(sum, 1));
        let high = self.iadd(sum, high);
        self.construct(&[low, high])
    }

    fn is_set(&mut self, wide: Value) -> Value {
        let (low, high, zero) = (self.extract(wide, 0), self.extract(wide, 1), self.int(0));
        let any = self.ior(low, high);
        self.ine(any, zero)
    }

    fn load_words(&mut self, address: Value, lanes: u8) -> Value {
        let words = self.load_global(address, lanes);
        self.cast(words, Kind::Int)
    }

    fn load_index(&mut self, indices: Value, bytes: Value, n: Value) -> Value {
        let address = self.element(indices, n, bytes);
        let (low, high) = (self.extract(address, 0), self.extract(address, 1));
        let (word, three) = (self.int(!3), self.int(3));
        let (aligned, byte) = (self.iand(low, word), self.iand(low, three));
        let aligned = self.construct(&[aligned, high]);
        let word = self.load_words(aligned, 1);
        let bit = self.ishl(byte, three);
        let word = self.ushr(word, bit);
        let mask = self.index_mask(bytes);
        self.iand(word, mask)
    }

    fn index_mask(&mut self, bytes: Value) -> Value {
        let (all, most, three) = (self.int(!0), self.int(32), self.int(3));
        let bits = self.ishl(bytes, three);
        let beyond = self.isub(most, bits);
        self.ushr(all, beyond)
    }
}

/// What a shader of either stage must be like.
pub(super) fn check(module: &Module, stage: Stage) -> Result<(), FeedbackError> {
    if module.stage != stage {
        return Err(FeedbackError::Stage(module.stage.name()));
    }
    if module.banks.iter().any(|bank| bank.source == BankSource::Feedback) {
        return Err(FeedbackError::Lowered);
    }
    let mut found = None;
    module.for_each_inst(|_, data| {
        if is_side_effect(data.op) {
            found.get_or_insert(data.op.name());
        }
    });
    found.map_or(Ok(()), |name| Err(FeedbackError::SideEffect(name)))
}

/// Whether an instruction may not be run more often than the shader says, or in another stage.
fn is_side_effect(op: Op) -> bool {
    let waves = op.has(Flags::WAVE) || matches!(op, Op::LaneIndex | Op::WaveSize);
    let images = matches!(op, Op::ImageLoad | Op::ImageSize);
    let flow = op.has(Flags::TERMINATOR) || matches!(op, Op::If | Op::Loop);
    let own = matches!(op, Op::Store | Op::StoreElem | Op::StoreOutput | Op::EmitVertex | Op::EndPrimitive);
    waves || images || op.has(Flags::SIDE_EFFECT) && !flow && !own
}
