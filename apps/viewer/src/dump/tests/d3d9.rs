//! Direct3D 9: DXT1 to DXT5, ATI1 and ATI2, flat, as a cube and as a volume.

use super::*;
use afterimage_d3d9::{Device, ImageId, Locked, Surface};
use afterimage_d3d9_types::*;
use ddsfile::DxgiFormat;

/// What a program asks for, what the stream has, and what the file says.
const FORMATS: &[(D3DFORMAT, Format, DxgiFormat)] = &[
    (D3DFMT_DXT1, Format::BC1_RGBA_UNORM, DxgiFormat::BC1_UNorm),
    (D3DFMT_DXT2, Format::BC2_UNORM, DxgiFormat::BC2_UNorm),
    (D3DFMT_DXT3, Format::BC2_UNORM, DxgiFormat::BC2_UNorm),
    (D3DFMT_DXT4, Format::BC3_UNORM, DxgiFormat::BC3_UNorm),
    (D3DFMT_DXT5, Format::BC3_UNORM, DxgiFormat::BC3_UNorm),
    (fourcc(*b"ATI1"), Format::BC4_UNORM, DxgiFormat::BC4_UNorm),
    (fourcc(*b"ATI2"), Format::BC5_UNORM, DxgiFormat::BC5_UNorm),
];

fn device() -> (Device, Arc<Mutex<Recording>>) {
    let (link, sent) = link();
    let mut d = guests::d3d9::device(link, [16, 16], false);
    let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).expect("a buffer");
    d.set_stream_source(0, Some(buffer), 0, 24).expect("a stream");
    d.set_fvf(D3DFVF_XYZ | D3DFVF_TEX1 | 1 << 16).expect("a declaration");
    (d, sent)
}

/// Draws with a texture of this kind.
fn draw(d: &mut Device, kind: &str, texture: ImageId) {
    let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1";
    let pixel = format!("ps_2_0\ndcl t0\ndcl_{kind} s0\ntexld r0, t0, s0\nmov oC0, r0");
    guests::d3d9::set_shaders(d, vertex, &pixel);
    d.set_texture(0, Some(texture)).expect("a texture");
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).expect("a draw");
}

/// Writes rows of blocks where a lock says.
fn write(locked: &Locked, format: Format, width: u32, blocks: &[u8]) {
    let row = format.row_bytes(width) as usize;
    // Of ATI's formats the pitch is that of rows of texels, and blocks follow each other.
    let pitch = if matches!(format, Format::BC4_UNORM | Format::BC5_UNORM) { row } else { locked.row_pitch as usize };
    for (number, bytes) in blocks.chunks_exact(row).enumerate() {
        let at = number * pitch;
        assert!(at + row <= locked.size);
        #[expect(unsafe_code, reason = "locks hand out addresses")]
        // SAFETY: so many bytes may be touched, until the unlock.
        unsafe {
            locked.bits.add(at).copy_from_nonoverlapping(bytes.as_ptr(), row);
        }
    }
}

fn fill(d: &mut Device, image: ImageId, format: Format, size: [u32; 2], levels: u32, faces: u8) {
    for (face, level) in (0..faces).flat_map(|face| (0..levels).map(move |level| (face, level))) {
        let surface = Surface { image, level: level as u8, face };
        let locked = d.lock_surface(surface, None, 0).expect("a lock");
        write(&locked, format, (size[0] >> level).max(1), &blocks(format, level, face.into(), size));
        d.unlock_surface(surface).expect("an unlock");
    }
}

#[test]
fn flat_textures_are_dumped_as_they_were_uploaded() {
    const SIZE: [u32; 2] = [20, 12];
    const LEVELS: u32 = 5;
    for &(asked, format, number) in FORMATS {
        let (mut d, sent) = device();
        let image = d.create_texture(SIZE[0], SIZE[1], LEVELS, 0, asked, D3DPOOL_MANAGED).expect("a texture");
        fill(&mut d, image, format, SIZE, LEVELS, 1);
        draw(&mut d, "2d", image);
        d.flush();
        let files = dumped(&sent);
        for level in 0..LEVELS {
            let name = format!("{}_level{level}_v", format.info().name);
            assert!(file(&files, &name, ".raw") == blocks(format, level, 0, SIZE), "{format:?}, level {level}");
            assert!(file(&files, &name, ".png").starts_with(b"\x89PNG"));
        }
        let all: Vec<u8> = (0..LEVELS).flat_map(|level| blocks(format, level, 0, SIZE)).collect();
        check_dds(file(&files, format.info().name, ".dds"), number, SIZE, LEVELS, &[all]);
        let text = String::from_utf8(files["test_frame_dump_0007.txt"].clone()).expect("text");
        for name in files.keys().filter(|name| name.contains("_tex_")) {
            assert!(text.contains(name.as_str()), "the text names {name}");
        }
    }
}

#[test]
fn faces_of_cubes_are_dumped_by_name() {
    const LEVELS: u32 = 4;
    let format = Format::BC3_UNORM;
    let (mut d, sent) = device();
    let image = d.create_cube_texture(8, LEVELS, 0, D3DFMT_DXT5, D3DPOOL_MANAGED).expect("a cube");
    fill(&mut d, image, format, [8, 8], LEVELS, 6);
    draw(&mut d, "cube", image);
    d.flush();
    let files = dumped(&sent);
    let mut layers = Vec::new();
    for (face, name) in (0..).zip(["px", "nx", "py", "ny", "pz", "nz"]) {
        let mut layer = Vec::new();
        for level in 0..LEVELS {
            let expected = blocks(format, level, face, [8, 8]);
            assert!(file(&files, &format!("level{level}_face_{name}_v"), ".raw") == expected, "{name}, level {level}");
            layer.extend(expected);
        }
        layers.push(layer);
    }
    let dds = file(&files, "BC3_UNORM", ".dds");
    check_dds(dds, DxgiFormat::BC3_UNorm, [8, 8], LEVELS, &layers);
    let read = ddsfile::Dds::read(dds).expect("a file");
    assert!(read.header.caps2.contains(ddsfile::Caps2::CUBEMAP | ddsfile::Caps2::CUBEMAP_ALLFACES));
    assert_eq!(read.header10.map(|header| header.array_size), Some(1));
}

#[test]
fn slices_of_volumes_are_dumped_by_number() {
    let format = Format::BC2_UNORM;
    let (mut d, sent) = device();
    let image = d.create_volume_texture(8, 8, 4, 2, 0, D3DFMT_DXT3, D3DPOOL_MANAGED).expect("a volume");
    let mut all = Vec::new();
    for (level, slices) in [(0, 4), (1, 2)] {
        let locked = d.lock_volume(image, level, None, 0).expect("a lock");
        for slice in 0..slices {
            let bytes = blocks(format, level, slice, [8, 8]);
            let at = (slice * locked.slice_pitch) as usize;
            let part = Locked { bits: locked.bits.wrapping_add(at), size: locked.size - at, ..locked };
            write(&part, format, 8 >> level, &bytes);
            all.extend(bytes);
        }
        d.unlock_volume(image, level).expect("an unlock");
    }
    draw(&mut d, "volume", image);
    d.flush();
    let files = dumped(&sent);
    for (level, slices) in [(0, 4), (1, 2)] {
        for slice in 0..slices {
            let name = format!("level{level}_slice{slice}_v");
            assert!(file(&files, &name, ".raw") == blocks(format, level, slice, [8, 8]), "{name}");
        }
    }
    let dds = file(&files, "BC2_UNORM", ".dds");
    check_dds(dds, DxgiFormat::BC2_UNorm, [8, 8], 2, &[all]);
    let read = ddsfile::Dds::read(dds).expect("a file");
    assert_eq!((read.get_depth(), read.header.caps2.contains(ddsfile::Caps2::VOLUME)), (4, true));
}
