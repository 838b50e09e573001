//! BC6H and BC7 against a decoder of others.

use crate::bptc;

/// Blocks of noise, with the bits of a mode in front: `low` of `count` bits.
fn blocks(low: u128, count: u32) -> impl Iterator<Item = [u8; 16]> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u128::from(state)
    };
    (0..2000).map(move |_| (((next() << 64 | next()) >> count << count) | low).to_le_bytes())
}

#[test]
fn bc7_of_every_mode() {
    // Mode n has n zeros before its one; eight zeros are no mode.
    for mode in 0..=8u32 {
        let (low, count) = if mode < 8 { (1 << mode, mode + 1) } else { (0, 8) };
        for block in blocks(low, count) {
            let mut wanted = [0; 64];
            bcdec_rs::bc7(&block, &mut wanted, 16);
            for texel in 0..16 {
                let at = texel as usize * 4;
                assert_eq!(bptc::bc7(&block, texel), wanted[at..at + 4], "mode {mode}, texel {texel}, {block:02x?}");
            }
        }
    }
}

#[test]
fn bc6h_of_every_mode() {
    for signed in [false, true] {
        for low in 0..32u128 {
            let count = if low & 2 == 0 { 2 } else { 5 };
            for block in blocks(low & ((1 << count) - 1), count) {
                let mut wanted = [0; 48];
                bcdec_rs::bc6h_half(&block, &mut wanted, 12, signed);
                for texel in 0..16 {
                    let at = texel as usize * 3;
                    // The other gives no zeros below zero.
                    let found = bptc::bc6h(&block, texel, signed).map(|bits| if bits == 0x8000 { 0 } else { bits });
                    assert_eq!(found, wanted[at..at + 3], "mode {low:05b}, texel {texel}, {block:02x?}");
                }
            }
        }
    }
}
