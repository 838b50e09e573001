//! The instruction set: words to instructions to text and back, against `llvm-mc`, against Mesa's listings, and with anything.

mod corpus;
mod llvm;
mod programs;
mod random;

/// A program that answers with random words, the same for the same seed.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) as u32
    }

    fn pair(&mut self) -> [u32; 2] {
        [self.next(), self.next()]
    }
}
