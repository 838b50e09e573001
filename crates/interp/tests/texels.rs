//! Atomic operations on texels: every one, on numbers of 32 and of 64 bits.

use std::cell::RefCell;

use afterimage_interp::*;
use afterimage_ir::*;

/// One texel, whatever the place.
struct Texel(RefCell<[u32; 4]>);

impl Environment for Texel {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }
    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }
    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
    fn image_load(&self, _: &ImageDecl, _: [i32; 3], _: u32) -> [u32; 4] {
        *self.0.borrow()
    }
    fn image_store(&self, _: &ImageDecl, coord: [i32; 3], _: u32, bits: [u32; 4]) {
        if coord == [0; 3] {
            *self.0.borrow_mut() = bits;
        }
    }
}

/// What an operation leaves in a texel of `texel`, where a second one with what the first found then stores that beside it.
fn after(op: AtomicOp, format: ImageFormat, texel: u64, operands: [u64; 2]) -> (u64, u64) {
    let halves = |bits: u64| [bits as u32, (bits >> 32) as u32, 0, 0];
    let mut b = Builder::new(Stage::Compute);
    let decl = ImageDecl { slot: 0, dim: Dim::D2, component: Component::Uint, format };
    let ty = decl.atomic().expect("atomic operations change it");
    let image = b.image(decl);
    let at = b.const_bits(Type::I32X2, [0; 4]);
    let operands = operands.map(|bits| b.const_bits(ty, halves(bits)));
    let old = b.image_atomic(op, image, at, None, &operands);
    // Beyond the texel nothing is kept, so what was there comes out by the bits that it changes.
    b.image_atomic(AtomicOp::Xor, image, at, None, &[old]);
    let module = b.finish().unwrap();
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    let world = Texel(RefCell::new(halves(texel)));
    let group = Group { id: [0; 3], count: [1; 3], wave: 1 };
    Interpreter::new(&module).unwrap().run_group(&world, group).unwrap();
    let [low, high, rest @ ..] = world.0.into_inner();
    assert_eq!(rest, [0; 2]);
    let mixed = u64::from(low) | u64::from(high) << 32;
    let whole = if ty.lanes == 2 { texel } else { texel & 0xffff_ffff };
    (mixed ^ whole, whole)
}

#[test]
fn every_operation_changes_as_many_bits_as_the_format_has() {
    const NUMBERS: [u64; 7] =
        [0, 5, 0xffff_ffff, 0x1_0000_0000, 0x8000_0000_0000_0003, 0x3ff8_0000_4000_0000, u64::MAX];
    for &op in AtomicOp::ALL {
        for (format, wide) in [(ImageFormat::R32, false), (ImageFormat::R64, true)] {
            for texel in NUMBERS {
                for operands in NUMBERS.iter().zip(NUMBERS.iter().cycle().skip(3)) {
                    let (&value, &second) = operands;
                    let (new, old) = after(op, format, texel, [value, second]);
                    let cut = |bits: u64| if wide { bits } else { bits & 0xffff_ffff };
                    let wanted = op.apply(old, cut(value), cut(second), wide);
                    assert_eq!(new, wanted, "{} of {texel:#x} by {value:#x} and {second:#x}, {format:?}", op.name());
                }
            }
        }
    }
}

#[test]
fn a_carry_goes_into_the_upper_half_of_wide_texels_alone() {
    assert_eq!(after(AtomicOp::Add, ImageFormat::R64, 0xffff_ffff, [2, 0]).0, 0x1_0000_0001);
    assert_eq!(after(AtomicOp::Add, ImageFormat::R32, 0xffff_ffff, [2, 0]).0, 1);
    // The upper half alone decides.
    let (low, high) = (0x0000_0001_ffff_ffff, 0x0000_0002_0000_0000);
    assert_eq!(after(AtomicOp::UMax, ImageFormat::R64, low, [high, 0]).0, high);
    assert_eq!(after(AtomicOp::CmpSwap, ImageFormat::R64, low, [7, low & 0xffff_ffff]).0, low);
    assert_eq!(after(AtomicOp::CmpSwap, ImageFormat::R64, low, [7, low]).0, 7);
}
