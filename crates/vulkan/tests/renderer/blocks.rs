//! What is looked at in a compressed format has the blocks that were uploaded, of every level, face and slice.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures, ObjectId};

/// Bytes that look like nothing.
fn noise(seed: u32, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..count).map(|_| byte()).collect()
}

/// Uploads noise to every subresource of a texture: what went where.
fn fill(guest: &mut Guest, id: ObjectId, body: &CreateTexture, format: Format) -> Vec<(View, Vec<u8>)> {
    let mut uploaded = Vec::new();
    for level in 0..body.levels as u16 {
        let part = |size: u32| (size >> level).max(1);
        let (width, height) = (part(body.width), part(body.height));
        let slices = if body.dimension == Dimension::D3 as u8 { part(body.depth) } else { body.layers };
        for slice in 0..slices as u16 {
            let seed = format as u32 * 1000 + u32::from(level) * 50 + u32::from(slice);
            let bytes = noise(seed, format.packed_size(width, height) as usize);
            let (layer, z) = if body.depth > 1 { (0, slice.into()) } else { (slice, 0) };
            let data = guest.upload(&bytes);
            let row_pitch = format.row_bytes(width);
            let slice_pitch = format.packed_size(width, height) as u32;
            let zero: UpdateTexture = bytemuck::Zeroable::zeroed();
            let update =
                UpdateTexture { id, level, layer, z, width, height, depth: 1, row_pitch, slice_pitch, data, ..zero };
            guest.encoder.push(&update);
            uploaded.push((View { texture: id, level, layer: slice }, bytes));
        }
    }
    uploaded
}

#[test]
fn blocks_are_as_they_were_uploaded() {
    let mut guest = Guest::new();
    let compressed: Vec<Format> = Format::ALL.iter().copied().filter(|format| format.info().block > 1).collect();
    assert_eq!(compressed.len(), 14, "{compressed:?}");
    for format in compressed {
        let features = guest.renderer.device_info().formats[format as usize];
        assert!(features & FormatFeatures::SAMPLED != 0, "{format:?} is not sampled by this device");
        let flat = plain(format, 13, 7, 4);
        let cube = CreateTexture { layers: 6, dimension: Dimension::Cube as u8, ..plain(format, 8, 8, 4) };
        let deep = CreateTexture { depth: 4, dimension: Dimension::D3 as u8, ..plain(format, 8, 8, 3) };
        for body in [flat, cube, deep] {
            let id = guest.texture_with(body);
            let uploaded = fill(&mut guest, id, &body, format);
            guest.run();
            for (view, bytes) in uploaded {
                let look = guest.renderer.look(view).unwrap().expect("it can be looked at");
                assert_eq!(look.format, format);
                assert!(look.bytes() == Some(&bytes[..]), "{format:?}, {view:?} of {body:?}");
                assert_eq!(look.rgba().len(), (look.width * look.height * 4) as usize);
            }
        }
    }
    guest.finish();
}

/// A view in the other colour space has the same blocks.
#[test]
fn views_have_the_blocks_of_their_source() {
    let mut guest = Guest::new();
    let body = CreateTexture { usage: CreateTexture::VIEWS, ..plain(Format::BC3_UNORM, 16, 16, 3) };
    let source = guest.texture_with(body);
    let uploaded = fill(&mut guest, source, &body, Format::BC3_UNORM);
    let id = guest.id(afterimage_stream::ObjectKind::Texture);
    guest.encoder.push(&CreateView {
        id,
        source,
        format: Format::BC3_SRGB as u32,
        level: 1,
        levels: 2,
        layers: 1,
        ..bytemuck::Zeroable::zeroed()
    });
    guest.run();
    let look = guest.renderer.look(View { texture: id, level: 1, layer: 0 }).unwrap().expect("a view of level 2");
    assert_eq!((look.format, look.width), (Format::BC3_SRGB, 4));
    assert_eq!(look.bytes(), Some(&uploaded[2].1[..]));
    guest.finish();
}
