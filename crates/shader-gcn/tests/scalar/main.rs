//! Scalar code, masks and control flow, assembled by hand or by chance, and interpreted.

mod arithmetic;
mod divergence;
mod filetests;
mod flow;
mod hostile;
#[path = "../vector/machine.rs"]
mod machine;
mod refusals;
mod resources;

/// A source of numbers that are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound
    }

    /// A word, mostly one at which something happens.
    fn word(&mut self) -> u32 {
        const EDGES: [u32; 12] =
            [0, 1, 2, 31, 32, 33, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 0x0001_0000, 0x00FF_00FF];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len() as u32) as usize],
            1 => self.next() >> self.below(32),
            2 => self.next() << self.below(32),
            _ => self.next(),
        }
    }
}
