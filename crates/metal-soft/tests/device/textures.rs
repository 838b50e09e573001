//! Lookups of textures, against what was computed by hand.

use crate::kit::*;
use afterimage_metal_calls::*;

/// Each of eight kernels looks one shape up at a place that a buffer has, and writes what it finds.
const LOOKUPS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Place { float4 at; float lod; float reference; float layer; float pad; };
kernel void d1(texture1d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.x);
}
kernel void d2(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xy, level(p.lod));
}
kernel void d2_offset(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xy, level(p.lod), int2(1, 0));
}
kernel void d2_gradient(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xy, gradient2d(float2(p.at.z, 0.0f), float2(0.0f, p.at.w)));
}
kernel void array(texture2d_array<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xy, uint(p.layer), level(p.lod));
}
kernel void cube(texturecube<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xyz, level(p.lod));
}
kernel void volume(texture3d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.sample(s, p.at.xyz, level(p.lod));
}
kernel void compared(depth2d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = float4(t.sample_compare(s, p.at.xy, p.reference), t.sample(s, p.at.xy), 0.0f, 0.0f);
}
kernel void gathered(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    out = t.gather(s, p.at.xy, int2(0), component::y);
}
kernel void inline_sampler(texture2d<float> t [[texture(0)]], constant Place& p [[buffer(0)]], device float4& out [[buffer(1)]])
{
    constexpr sampler repeats(coord::normalized, filter::linear, address::repeat);
    constexpr sampler texels(coord::pixel, filter::nearest);
    out = float4(t.sample(repeats, p.at.xy).x, t.sample(texels, p.at.zw).x, 0.0f, 0.0f);
}
kernel void sizes(texture2d_array<float> t [[texture(0)]], device float4& out [[buffer(1)]])
{
    out = float4(t.get_width(1), t.get_height(), t.get_array_size(), t.get_num_mip_levels());
}
kernel void integers(texture2d<uint> t [[texture(0)]], texture2d<int, access::read> i [[texture(1)]], texture2d<float, access::write> w [[texture(2)]],
                     device float4& out [[buffer(1)]])
{
    out = float4(t.read(uint2(1, 0)).x, i.read(uint2(1, 0)).x, t.read(uint2(9, 0)).x, t.read(uint2(9, 0)).w);
    w.write(float4(0.5f, 1.0f, -1.0f, 2.0f), uint2(1, 0));
    w.write(float4(1.0f), uint2(2, 0));
}
"#;

fn sampler() -> SamplerDescriptor {
    SamplerDescriptor {
        min: Filter::Nearest,
        mag: Filter::Nearest,
        mip: MipFilter::NotMipmapped,
        address: [AddressMode::ClampToEdge; 3],
        border: BorderColor::TransparentBlack,
        anisotropy: 1,
        lod: [0f32.to_bits(), 1000f32.to_bits()],
        compare: None,
    }
}

/// Place, level, reference and layer.
#[derive(Clone, Copy, Default)]
struct Place([f32; 4], f32, f32, f32);

fn look(
    kit: &mut Kit,
    name: &str,
    texture: &Texture,
    of: &SamplerDescriptor,
    Place(at, lod, reference, layer): Place,
) -> [f32; 4] {
    look_all(kit, name, &[texture], of, &[at[0], at[1], at[2], at[3], lod, reference, layer, 0.0])
}

fn look_all(kit: &mut Kit, name: &str, textures: &[&Texture], of: &SamplerDescriptor, place: &[f32]) -> [f32; 4] {
    let pipeline = kit.device.new_compute_pipeline(&kit.function(LOOKUPS, name), name).unwrap();
    let sampler = kit.device.new_sampler(of).unwrap();
    let (place, out) = (kit.floats(place), kit.empty(16));
    kit.queue.begin_compute(name);
    kit.queue.set_compute_pipeline(&pipeline);
    for (n, texture) in textures.iter().enumerate() {
        kit.queue.set_texture(Stage::Kernel, n as u32, texture);
    }
    kit.queue.set_sampler(Stage::Kernel, 0, &sampler);
    kit.queue.set_buffer(Stage::Kernel, 0, &place, 0);
    kit.queue.set_buffer(Stage::Kernel, 1, &out, 0);
    kit.queue.dispatch([1; 3], [1; 3]);
    kit.queue.end_encoding();
    kit.queue.commit();
    kit.fine();
    let words = kit.words_of(&out, 4);
    [0, 1, 2, 3].map(|n| f32::from_bits(words[n]))
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A texture of one row, of floats.
fn row(kit: &mut Kit, values: &[f32]) -> Texture {
    let width = values.len() as u32;
    let texture = kit.target(PixelFormat::R32Float, [width, 1]);
    kit.fill(&texture, 0, 0, [width, 1, 1], u64::from(width) * 4, &floats(values));
    texture
}

#[test]
fn address_modes() {
    if !there_is_clang() {
        return;
    }
    use AddressMode::*;
    let mut kit = Kit::new();
    let texture = row(&mut kit, &[1.0, 2.0, 3.0, 4.0]);
    // In texels, from the left edge.
    let places = [-5.5, -1.5, -0.5, 0.5, 3.5, 4.5, 5.5, 9.5];
    for (mode, expected) in [
        (ClampToEdge, [1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0]),
        (Repeat, [3.0, 3.0, 4.0, 1.0, 4.0, 1.0, 2.0, 2.0]),
        (MirrorRepeat, [3.0, 2.0, 1.0, 1.0, 4.0, 4.0, 3.0, 2.0]),
        (MirrorClampToEdge, [4.0, 2.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0]),
        (ClampToZero, [0.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 0.0]),
        (ClampToBorderColor, [1.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0, 1.0]),
    ] {
        let of = SamplerDescriptor { address: [mode; 3], border: BorderColor::OpaqueWhite, ..sampler() };
        for (place, expected) in places.into_iter().zip(expected) {
            let found = look(&mut kit, "d2", &texture, &of, Place([place / 4.0, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0));
            assert_eq!(found[0], expected, "{mode:?} {place}");
        }
    }
}

#[test]
fn filters() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let texture = row(&mut kit, &[0.0, 4.0]);
    let of = SamplerDescriptor { mag: Filter::Linear, ..sampler() };
    for (place, expected) in [(0.0, 0.0), (0.25, 0.0), (0.5, 2.0), (0.625, 3.0), (0.75, 4.0), (1.0, 4.0)] {
        let found = look(&mut kit, "d2", &texture, &of, Place([place, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0));
        assert_eq!(found, [expected, 0.0, 0.0, 1.0], "{place}");
    }
    let repeats = SamplerDescriptor { address: [AddressMode::Repeat; 3], ..of };
    assert_eq!(look(&mut kit, "d2", &texture, &repeats, Place([0.0, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0))[0], 2.0);
    let whole = look(&mut kit, "inline_sampler", &texture, &of, Place([0.0, 0.5, 1.5, 0.5], 0.0, 0.0, 0.0));
    assert_eq!(whole[..2], [2.0, 4.0]);
    assert_eq!(look(&mut kit, "d2_offset", &texture, &sampler(), Place([0.25, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0))[0], 4.0);
}

#[test]
fn levels_of_detail() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let texture = kit.texture(PixelFormat::R32Float, [8, 8], |d| d.levels = 4);
    for level in 0..4 {
        let size = 8 >> level;
        let values = vec![level as f32; (size * size) as usize];
        kit.fill(&texture, level, 0, [size, size, 1], u64::from(size) * 4, &floats(&values));
    }
    let at = |lod| Place([0.5, 0.5, 0.0, 0.0], lod, 0.0, 0.0);
    let nearest = SamplerDescriptor { mip: MipFilter::Nearest, ..sampler() };
    let linear = SamplerDescriptor { mip: MipFilter::Linear, ..sampler() };
    for (lod, by_nearest, by_linear) in [(-1.0, 0.0, 0.0), (0.25, 0.0, 0.25), (1.75, 2.0, 1.75), (9.0, 3.0, 3.0)] {
        assert_eq!(look(&mut kit, "d2", &texture, &sampler(), at(lod))[0], 0.0);
        assert_eq!(look(&mut kit, "d2", &texture, &nearest, at(lod))[0], by_nearest, "{lod}");
        assert_eq!(look(&mut kit, "d2", &texture, &linear, at(lod))[0], by_linear, "{lod}");
    }
    let limited = SamplerDescriptor { lod: [1f32.to_bits(), 2f32.to_bits()], ..linear };
    assert_eq!(look(&mut kit, "d2", &texture, &limited, at(0.0))[0], 1.0);
    assert_eq!(look(&mut kit, "d2", &texture, &limited, at(9.0))[0], 2.0);
    // A quarter of the texture for a pixel is two texels: level 1. Along y four texels: level 2. With anisotropy 2 it is level 1.
    let gradient = |x, y| Place([0.5, 0.5, x, y], 0.0, 0.0, 0.0);
    assert_eq!(look(&mut kit, "d2_gradient", &texture, &linear, gradient(0.25, 0.25))[0], 1.0);
    assert_eq!(look(&mut kit, "d2_gradient", &texture, &linear, gradient(0.25, 0.5))[0], 2.0);
    let anisotropic = SamplerDescriptor { anisotropy: 2, min: Filter::Linear, ..linear };
    assert_eq!(look(&mut kit, "d2_gradient", &texture, &anisotropic, gradient(0.25, 0.5))[0], 1.0);
    // A view of two levels.
    let view = TextureView {
        format: PixelFormat::R32Float,
        ty: TextureType::D2,
        levels: [1, 2],
        slices: [0, 1],
        swizzle: Swizzle::IDENTITY,
    };
    let view = kit.device.new_view(&texture, &view).unwrap();
    assert_eq!(look(&mut kit, "d2", &view, &linear, at(0.0))[0], 1.0);
    assert_eq!(look(&mut kit, "d2", &view, &linear, at(9.0))[0], 2.0);
}

/// A footprint of four texels is looked at in four places.
#[test]
fn anisotropic_lookups_go_along_the_footprint() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let texture = kit.texture(PixelFormat::R32Float, [8, 8], |_| {});
    let values: Vec<f32> = (0..64).map(|n| ((n % 8) * (n % 8)) as f32).collect();
    kit.fill(&texture, 0, 0, [8, 8, 1], 32, &floats(&values));
    let one = SamplerDescriptor { min: Filter::Linear, mag: Filter::Linear, ..sampler() };
    // Between texels 3 and 4, and half a texel along y.
    let place = Place([0.5, 0.5, 0.5, 0.0625], 0.0, 0.0, 0.0);
    assert_eq!(look(&mut kit, "d2_gradient", &texture, &one, place)[0], 12.5);
    let along = SamplerDescriptor { anisotropy: 16, ..one };
    assert_eq!(look(&mut kit, "d2_gradient", &texture, &along, place)[0], (4.0 + 9.0 + 16.0 + 25.0) / 4.0);
}

#[test]
fn cubes_arrays_and_volumes() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let cube = kit.texture(PixelFormat::R32Float, [1, 1], |d| d.ty = TextureType::Cube);
    for face in 0..6 {
        kit.fill(&cube, 0, face, [1, 1, 1], 4, &floats(&[face as f32]));
    }
    for (face, at) in
        [[1.0, 0.2, 0.3], [-1.0, 0.2, 0.3], [0.2, 1.0, 0.3], [0.2, -1.0, 0.3], [0.2, 0.3, 1.0], [0.2, 0.3, -1.0]]
            .into_iter()
            .enumerate()
    {
        let place = Place([at[0], at[1], at[2], 0.0], 0.0, 0.0, 0.0);
        assert_eq!(look(&mut kit, "cube", &cube, &sampler(), place)[0], face as f32);
    }
    // On the edge between two faces a linear filter takes half of each.
    let linear = SamplerDescriptor { mag: Filter::Linear, ..sampler() };
    let edge = look(&mut kit, "cube", &cube, &linear, Place([1.0, 0.0, 1.0, 0.0], 0.0, 0.0, 0.0));
    assert_eq!(edge[0], 2.0);
    let array =
        kit.texture(PixelFormat::R32Float, [2, 1], |d| (d.ty, d.layers, d.levels) = (TextureType::D2Array, 3, 2));
    for layer in 0..3 {
        kit.fill(&array, 0, layer, [2, 1, 1], 8, &floats(&[layer as f32, 10.0]));
        kit.fill(&array, 1, layer, [1, 1, 1], 4, &floats(&[20.0]));
    }
    for (layer, expected) in [(0.0, 0.0), (2.0, 2.0), (7.0, 2.0)] {
        assert_eq!(
            look(&mut kit, "array", &array, &sampler(), Place([0.1, 0.5, 0.0, 0.0], 0.0, 0.0, layer))[0],
            expected
        );
    }
    assert_eq!(look_all(&mut kit, "sizes", &[&array], &sampler(), &[0.0; 8]), [1.0, 1.0, 3.0, 2.0]);
    let volume = kit.texture(PixelFormat::R32Float, [1, 1], |d| (d.ty, d.size) = (TextureType::D3, [2, 2, 2]));
    kit.fill(&volume, 0, 0, [2, 2, 2], 8, &floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]));
    let at = |x, y, z| Place([x, y, z, 0.0], 0.0, 0.0, 0.0);
    assert_eq!(look(&mut kit, "volume", &volume, &sampler(), at(0.75, 0.25, 0.75))[0], 5.0);
    assert_eq!(look(&mut kit, "volume", &volume, &linear, at(0.5, 0.5, 0.5))[0], 3.5);
    let line = kit.texture(PixelFormat::R32Float, [2, 1], |d| (d.ty, d.usage.target) = (TextureType::D1, false));
    kit.fill(&line, 0, 0, [2, 1, 1], 8, &floats(&[5.0, 6.0]));
    assert_eq!(look(&mut kit, "d1", &line, &linear, at(0.5, 0.0, 0.0))[0], 5.5);
}

#[test]
fn comparisons_and_gathers() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let depth = kit.target(PixelFormat::Depth32Float, [2, 1]);
    kit.fill(&depth, 0, 0, [2, 1, 1], 8, &floats(&[0.25, 0.75]));
    let of = SamplerDescriptor { mag: Filter::Linear, compare: Some(CompareFunction::LessEqual), ..sampler() };
    // Each texel is compared, and what comes of that is filtered.
    for (reference, expected) in [(0.2, 1.0), (0.25, 1.0), (0.5, 0.5), (0.8, 0.0)] {
        let found = look(&mut kit, "compared", &depth, &of, Place([0.5, 0.5, 0.0, 0.0], 0.0, reference, 0.0));
        assert_eq!(found[..2], [expected, 0.5], "{reference}");
    }
    let texture = kit.target(PixelFormat::RG32Float, [2, 2]);
    kit.fill(&texture, 0, 0, [2, 2, 1], 16, &floats(&[0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0]));
    // Below left, below right, above right, above left.
    assert_eq!(
        look(&mut kit, "gathered", &texture, &sampler(), Place([0.5, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0)),
        [3.0, 4.0, 2.0, 1.0]
    );
}

#[test]
fn integers_and_writes() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let read = |kit: &mut Kit, format, bytes: &[u8]| {
        let texture = kit.target(format, [2, 1]);
        kit.fill(&texture, 0, 0, [2, 1, 1], bytes.len() as u64, bytes);
        texture
    };
    let unsigned = read(&mut kit, PixelFormat::R16Uint, &[0, 0, 0x34, 0x12]);
    let signed = read(&mut kit, PixelFormat::R8Sint, &[0, 0xfe]);
    let written = kit.texture(PixelFormat::RGBA8Snorm, [2, 1], |d| d.usage.write = true);
    kit.fill(&written, 0, 0, [2, 1, 1], 8, &[0; 8]);
    let found = look_all(&mut kit, "integers", &[&unsigned, &signed, &written], &sampler(), &[0.0; 8]);
    // Outside it is zero, with the alpha of a format that has none.
    assert_eq!(found, [4660.0, -2.0, 0.0, 1.0]);
    assert_eq!(kit.texels(&written, [2, 1], 4, Aspect::All), [0, 0, 0, 0, 64, 127, 0x81, 127]);
}

#[test]
fn swizzles_formats_and_blocks() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let texture = kit.texture(PixelFormat::RGBA8Unorm, [1, 1], |d| d.usage.target = false);
    kit.fill(&texture, 0, 0, [1, 1, 1], 4, &[255, 0, 51, 102]);
    let view = |format, swizzle| TextureView { format, ty: TextureType::D2, levels: [0, 1], slices: [0, 1], swizzle };
    use Swizzle::*;
    for (format, swizzle, expected) in [
        (PixelFormat::RGBA8Unorm, [Alpha, Blue, Zero, One], [0.4, 0.2, 0.0, 1.0]),
        (PixelFormat::RGBA8Unorm, [One, Red, Green, Red], [1.0, 1.0, 0.0, 1.0]),
        (PixelFormat::BGRA8Unorm, Swizzle::IDENTITY, [0.2, 0.0, 1.0, 0.4]),
        (PixelFormat::RGBA8Unorm_sRGB, Swizzle::IDENTITY, [1.0, 0.0, 0.033_104_77, 0.4]),
    ] {
        let view = kit.device.new_view(&texture, &view(format, swizzle)).unwrap();
        let found = look(&mut kit, "d2", &view, &sampler(), Place::default());
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-6), "{swizzle:?}: {found:?}");
    }
    // A block of eight by four texels: two blocks; the second is all green.
    let blocks = kit.texture(PixelFormat::BC1_RGBA, [8, 4], |d| d.usage.target = false);
    kit.fill(&blocks, 0, 0, [8, 4, 1], 16, &[0x00, 0xf8, 0, 0, 0, 0, 0, 0, 0xe0, 0x07, 0, 0, 0, 0, 0, 0]);
    let at = |x| Place([x, 0.5, 0.0, 0.0], 0.0, 0.0, 0.0);
    assert_eq!(look(&mut kit, "d2", &blocks, &sampler(), at(0.4)), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(look(&mut kit, "d2", &blocks, &sampler(), at(0.6)), [0.0, 1.0, 0.0, 1.0]);
    // Stencil through a view.
    let packed = kit.texture(PixelFormat::Depth32Float_Stencil8, [1, 1], |_| {});
    let stencil = view(PixelFormat::X32_Stencil8, Swizzle::IDENTITY);
    assert!(kit.device.new_view(&packed, &stencil).is_ok());
}

#[test]
fn mipmaps_are_averages() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let texture = kit.texture(PixelFormat::R8Unorm, [4, 2], |d| d.levels = 3);
    kit.fill(&texture, 0, 0, [4, 2, 1], 4, &[0, 100, 200, 200, 100, 200, 200, 200]);
    kit.queue.begin_blit("mipmaps");
    kit.queue.generate_mipmaps(&texture);
    kit.end();
    kit.fine();
    assert_eq!(kit.texels_of(&texture, 1, 0, [2, 1, 1], 1, Aspect::All), [100, 200]);
    assert_eq!(kit.texels_of(&texture, 2, 0, [1, 1, 1], 1, Aspect::All), [150]);
}

#[test]
fn levels_come_of_the_quad() {
    if !there_is_clang() {
        return;
    }
    const QUAD: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; float2 uv; };
vertex Out everything(uint id [[vertex_id]], constant float& scale [[buffer(0)]])
{
    float2 uv = float2(id & 1 ? 2.0f : 0.0f, id & 2 ? 2.0f : 0.0f);
    return { float4(uv.x * 2.0f - 1.0f, 1.0f - uv.y * 2.0f, 0.0f, 1.0f), uv * scale };
}
fragment float4 lookup(Out in [[stage_in]], texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]])
{
    return float4(t.sample(s, in.uv).x, t.sample(s, in.uv, bias(1.0f)).x, dfdx(in.uv.x), dfdy(in.uv.y));
}
"#;
    let mut kit = Kit::new();
    let texture = kit.texture(PixelFormat::R32Float, [8, 8], |d| d.levels = 4);
    for level in 0..4 {
        let size = 8 >> level;
        kit.fill(
            &texture,
            level,
            0,
            [size, size, 1],
            u64::from(size) * 4,
            &floats(&vec![level as f32; (size * size) as usize]),
        );
    }
    let format = PixelFormat::RGBA32Float;
    let target = kit.target(format, [4, 4]);
    let pipeline = kit.pipeline(&PipelineOf::new(QUAD, "everything", "lookup", format));
    let sampler = kit.device.new_sampler(&SamplerDescriptor { mip: MipFilter::Linear, ..sampler() }).unwrap();
    // Four pixels for eight texels: level 1, and half of that.
    for (scale, expected) in [(1.0f32, [1.0, 2.0, 0.25, 0.25]), (0.5, [0.0, 1.0, 0.125, 0.125])] {
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_bytes(Stage::Vertex, 0, &scale.to_le_bytes());
        kit.queue.set_texture(Stage::Fragment, 0, &texture);
        kit.queue.set_sampler(Stage::Fragment, 0, &sampler);
        kit.draw(PrimitiveType::Triangle, 3);
        kit.end();
        kit.fine();
        let bytes = kit.texels(&target, [4, 4], 16, Aspect::All);
        let words: Vec<f32> = bytes.as_chunks().0.iter().map(|w| f32::from_le_bytes(*w)).collect();
        assert!(words.chunks(4).all(|w| w == expected), "{scale}: {words:?}");
    }
}
