//! Each check refuses what Metal would, and takes what stands beside it.

use super::*;
use afterimage_metal_calls::{
    AddressMode, Aspect, Attribute, BlendFactor, BlendOperation, Blending, BorderColor, BufferDescriptor, BufferLayout,
    ColorTarget, DrawCount, Facts, Family, Filter, IndexType, Layout, MipFilter, PixelFormat, Region,
    SamplerDescriptor, ScissorRect, Stage, StepFunction, StorageMode, StoreAction, Swizzle, TextureDescriptor,
    TextureType, TextureUsage, TextureView, VertexDescriptor, VertexFormat, Viewport,
};

fn facts(family: Family) -> Facts {
    let apple = family.is_apple();
    Facts {
        name: "of tests".into(),
        family,
        limits: family.limits(),
        max_buffer: 1 << 30,
        working_set: 1 << 32,
        unified_memory: apple,
        samples: if apple { 0b111 } else { 0b1111 },
        float32_filtering: true,
        msaa32: true,
        bc: true,
        depth24: false,
        addresses: true,
        depth_bounds: false,
        language: 320,
    }
}

fn m1() -> Facts {
    facts(Family::Apple7)
}

fn intel() -> Facts {
    facts(Family::Mac2)
}

fn picture() -> TextureDescriptor {
    TextureDescriptor {
        ty: TextureType::D2,
        format: PixelFormat::BGRA8Unorm,
        size: [64, 32, 1],
        levels: 1,
        samples: 1,
        layers: 1,
        usage: TextureUsage { read: true, target: true, ..TextureUsage::default() },
        storage: StorageMode::Private,
        label: String::new(),
    }
}

/// The faults of a call, joined.
fn faults<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Err(Error::Refused { faults, .. }) => faults.join("; "),
        other => panic!("{other:?} is not refused"),
    }
}

fn has(result: Result<impl std::fmt::Debug>, text: &str) {
    let faults = faults(result);
    assert!(faults.contains(text), "{faults} for {text}");
}

#[test]
fn ranges_do_not_wrap() {
    assert!(fits(4, 4, 8) && fits(8, 0, 8) && !fits(5, 4, 8) && !fits(u64::MAX, 1, 8) && !fits(1, u64::MAX, u64::MAX));
}

#[test]
fn buffers_have_bytes() {
    let of = |length, storage| BufferDescriptor { length, storage, label: String::new() };
    assert_eq!(buffer(&of(1, StorageMode::Shared), &m1()), Ok(()));
    has(buffer(&of(0, StorageMode::Shared), &m1()), "length 0");
    has(buffer(&of((1 << 30) + 1, StorageMode::Private), &m1()), "is not 1 to 1073741824");
    has(buffer(&of(1, StorageMode::Memoryless), &m1()), "memoryless");
}

#[test]
fn textures_are_what_metal_takes() {
    let case = |change: &dyn Fn(&mut TextureDescriptor), facts: &Facts| {
        let mut descriptor = picture();
        change(&mut descriptor);
        texture(&descriptor, facts)
    };
    let fine: &[&dyn Fn(&mut TextureDescriptor)] = &[
        &|_| {},
        &|d| d.levels = 7,
        &|d| (d.ty, d.layers) = (TextureType::D2Array, 2048),
        &|d| (d.ty, d.size) = (TextureType::Cube, [64, 64, 1]),
        &|d| (d.ty, d.size) = (TextureType::D3, [64, 32, 2048]),
        &|d| (d.ty, d.samples) = (TextureType::D2Multisample, 4),
        &|d| (d.ty, d.size[1], d.usage.target) = (TextureType::D1, 1, false),
        &|d| d.format = PixelFormat::Depth32Float,
        &|d| (d.format, d.usage.target) = (PixelFormat::BC1_RGBA, false),
    ];
    for change in fine {
        assert_eq!(case(change, &m1()), Ok(()));
        assert_eq!(case(change, &intel()), Ok(()));
    }
    for (text, change) in [
        ("width 0", &(|d: &mut TextureDescriptor| d.size[0] = 0) as &dyn Fn(&mut TextureDescriptor)),
        ("width 16385 is not 1 to 16384", &|d| d.size[0] = 16385),
        ("depth 2049", &|d| (d.ty, d.size) = (TextureType::D3, [1, 1, 2049])),
        ("depth 2 of a texture that is not 3D", &|d| d.size[2] = 2),
        ("height 32 of a 1D", &|d| d.ty = TextureType::D1),
        ("faces of 64 by 32", &|d| d.ty = TextureType::Cube),
        ("2 layers, not 1 to 1", &|d| d.layers = 2),
        ("0 layers", &|d| (d.ty, d.layers) = (TextureType::D2Array, 0)),
        ("8 levels, not 1 to 7", &|d| d.levels = 8),
        ("0 levels", &|d| d.levels = 0),
        ("no 8 samples", &|d| (d.ty, d.samples) = (TextureType::D2Multisample, 8)),
        ("no 3 samples", &|d| (d.ty, d.samples) = (TextureType::D2Multisample, 3)),
        ("no 1 samples", &|d| d.ty = TextureType::D2Multisample),
        ("4 samples of a texture without", &|d| d.samples = 4),
        ("no textures of X32_Stencil8", &|d| d.format = PixelFormat::X32_Stencil8),
        ("no textures of Depth24Unorm", &|d| d.format = PixelFormat::Depth24Unorm_Stencil8),
        ("BC1_RGBA in this shape is no target", &|d| d.format = PixelFormat::BC1_RGBA),
        ("a 3D texture of Depth32Float", &|d| (d.ty, d.format) = (TextureType::D3, PixelFormat::Depth32Float)),
        ("cannot write BC1_RGBA", &|d| (d.format, d.usage.write) = (PixelFormat::BC1_RGBA, true)),
        ("BGRA8Unorm has no atomics", &|d| d.usage.atomic = true),
        ("not only a target", &|d| d.storage = StorageMode::Memoryless),
        ("writes samples", &|d| {
            (d.ty, d.samples, d.usage.write) = (TextureType::D2Multisample, 4, true);
        }),
    ] {
        has(case(change, &m1()), text);
    }
    let tiles = |d: &mut TextureDescriptor| (d.storage, d.usage.read) = (StorageMode::Memoryless, false);
    assert_eq!(case(&|d| tiles(d), &m1()), Ok(()));
    has(case(&|d| tiles(d), &intel()), "without tiles");
    let packed = |d: &mut TextureDescriptor| d.format = PixelFormat::B5G6R5Unorm;
    assert_eq!(case(&packed, &m1()), Ok(()));
    has(case(&packed, &intel()), "no textures of B5G6R5Unorm");
    let depth = |d: &mut TextureDescriptor| (d.format, d.storage) = (PixelFormat::Depth16Unorm, StorageMode::Shared);
    assert_eq!(case(&|d| depth(d), &m1()), Ok(()));
    has(case(&|d| depth(d), &intel()), "private");
}

fn view_of(format: PixelFormat) -> TextureView {
    TextureView { format, ty: TextureType::D2, levels: [0, 1], slices: [0, 1], swizzle: Swizzle::IDENTITY }
}

#[test]
fn views_are_inside_of_their_textures() {
    let of = Texture::of(&TextureDescriptor { ty: TextureType::Cube, size: [64, 64, 1], levels: 3, ..picture() });
    assert_eq!(of.slices, 6);
    let plain = view_of(of.format);
    assert_eq!(view(&of, &TextureView { levels: [1, 2], slices: [5, 1], ..plain }, &m1()), Ok(()));
    has(view(&of, &TextureView { levels: [1, 3], ..plain }, &m1()), "3 levels from 1 on of 3");
    has(view(&of, &TextureView { levels: [0, 0], ..plain }, &m1()), "0 levels");
    has(view(&of, &TextureView { levels: [u32::MAX, 2], ..plain }, &m1()), "levels from 4294967295");
    has(view(&of, &TextureView { slices: [6, 1], ..plain }, &m1()), "1 slices from 6 on of 6");
    has(view(&of, &TextureView { slices: [0, 2], ..plain }, &m1()), "2 slices in a view of D2");
    has(view(&of, &TextureView { ty: TextureType::D3, ..plain }, &m1()), "Cube seen as D3");
    let seen = of.seen(&TextureView { levels: [1, 2], slices: [2, 1], ..plain });
    assert_eq!((seen.size, seen.levels, seen.slices, seen.base), ([32, 32, 1], 2, 1, [1, 2]));
    assert_eq!(seen.seen(&TextureView { levels: [1, 1], ..plain }).base, [2, 2]);
}

#[test]
fn formats_are_seen_as_others_of_their_size() {
    let of = |format, views| Texture {
        usage: TextureUsage { read: true, views, ..TextureUsage::default() },
        ..Texture::of(&TextureDescriptor { format, ..picture() })
    };
    use PixelFormat as F;
    let plain = of(F::BGRA8Unorm, false);
    assert_eq!(view(&plain, &view_of(F::BGRA8Unorm_sRGB), &m1()), Ok(()));
    assert_eq!(view(&plain, &view_of(F::RGBA8Unorm), &m1()), Ok(()));
    has(view(&plain, &view_of(F::BGRA8Unorm_sRGB), &intel()), "without usage for views");
    has(view(&plain, &view_of(F::R32Uint), &m1()), "without usage for views");
    let views = of(F::BGRA8Unorm, true);
    assert_eq!(view(&views, &view_of(F::R32Uint), &m1()), Ok(()));
    has(view(&views, &view_of(F::RG32Uint), &m1()), "BGRA8Unorm seen as RG32Uint");
    has(view(&views, &view_of(F::Depth32Float), &m1()), "seen as Depth32Float");
    let packed = of(F::Depth32Float_Stencil8, false);
    assert_eq!(view(&packed, &view_of(F::X32_Stencil8), &m1()), Ok(()));
    has(view(&packed, &view_of(F::Depth32Float), &m1()), "seen as Depth32Float");
    let shown = Texture { framebuffer_only: true, ..plain };
    has(view(&shown, &view_of(F::BGRA8Unorm), &m1()), "a layer's picture");
}

#[test]
fn samplers_have_numbers_in_order() {
    let with = |anisotropy, lod: [f32; 2]| SamplerDescriptor {
        min: Filter::Linear,
        mag: Filter::Linear,
        mip: MipFilter::Linear,
        address: [AddressMode::Repeat; 3],
        border: BorderColor::OpaqueBlack,
        anisotropy,
        lod: lod.map(f32::to_bits),
        compare: None,
    };
    assert_eq!(sampler(&with(16, [0.0, 1000.0]), &m1()), Ok(()));
    has(sampler(&with(0, [0.0, 1.0]), &m1()), "anisotropy 0");
    has(sampler(&with(17, [0.0, 1.0]), &m1()), "anisotropy 17");
    has(sampler(&with(1, [2.0, 1.0]), &m1()), "from 2 to 1");
    has(sampler(&with(1, [f32::NAN, 1.0]), &m1()), "from NaN");
}

fn attribute(location: u32, offset: u32, buffer: u32) -> Attribute {
    Attribute { location, format: VertexFormat::Float4, offset, buffer }
}

fn layout(buffer: u32, stride: u32) -> Layout {
    Layout { buffer, stride, step: StepFunction::PerVertex }
}

fn input(attributes: &[Attribute], layouts: &[Layout]) -> VertexDescriptor {
    VertexDescriptor { attributes: attributes.to_vec(), layouts: layouts.to_vec() }
}

fn one_color(format: PixelFormat) -> [Option<ColorTarget>; 1] {
    [Some(ColorTarget { format, blending: None, write: [true; 4] })]
}

#[test]
fn pipelines_have_layouts_that_are_read() {
    let colors = one_color(PixelFormat::BGRA8Unorm);
    let formats = Formats { samples: 1, ..Formats::default() };
    let case = |input: &VertexDescriptor, facts: &Facts| render_pipeline(input, &colors, formats, [true; 2], facts);
    let fine = input(&[attribute(0, 0, 30), attribute(30, 16, 30)], &[layout(30, 32)]);
    assert_eq!(case(&fine, &m1()).unwrap().colors[0], Some(PixelFormat::BGRA8Unorm));
    for (text, attributes, layouts) in [
        ("layout 31 of 31", vec![attribute(0, 0, 31)], vec![layout(31, 16)]),
        ("layout 1 twice", vec![attribute(0, 0, 1)], vec![layout(1, 16), layout(1, 16)]),
        ("no attribute reads layout 2", vec![], vec![layout(2, 16)]),
        ("stride 0", vec![attribute(0, 0, 1)], vec![layout(1, 0)]),
        ("attribute 31 of 31", vec![attribute(31, 0, 1)], vec![layout(1, 16)]),
        ("attribute 0 twice", vec![attribute(0, 0, 1); 2], vec![layout(1, 16)]),
        ("offset 2, no multiple", vec![attribute(0, 2, 1)], vec![layout(1, 32)]),
        ("without layout 4", vec![attribute(0, 0, 4)], vec![]),
        ("16 bytes at 4 of 16", vec![attribute(0, 4, 1)], vec![layout(1, 16)]),
    ] {
        has(case(&input(&attributes, &layouts), &m1()), text);
    }
    let step = Layout { step: StepFunction::PerInstance(0), ..layout(1, 16) };
    has(case(&input(&[attribute(0, 0, 1)], &[step]), &m1()), "0 instances");
    let odd = input(&[attribute(0, 0, 1)], &[layout(1, 18)]);
    assert!(case(&odd, &m1()).is_ok());
    has(case(&odd, &intel()), "stride 18 is not 1 to 4096 in steps of 4");
    has(case(&input(&[attribute(0, 0, 1)], &[layout(1, 4100)]), &intel()), "stride 4100");
}

#[test]
fn pipelines_have_formats_that_can_be_drawn_to() {
    let none = VertexDescriptor::default();
    let formats = |depth, stencil, samples| Formats { depth, stencil, samples, ..Formats::default() };
    let plain = formats(None, None, 1);
    let blend = Blending { operation: BlendOperation::Add, source: BlendFactor::One, destination: BlendFactor::One };
    let blended = |format| [Some(ColorTarget { format, blending: Some([blend; 2]), write: [true; 4] })];
    use PixelFormat as F;
    assert!(render_pipeline(&none, &blended(F::RGBA16Float), plain, [true; 2], &m1()).is_ok());
    has(render_pipeline(&none, &blended(F::RGBA8Uint), plain, [true; 2], &m1()), "RGBA8Uint is not blended");
    has(render_pipeline(&none, &one_color(F::BC1_RGBA), plain, [true; 2], &m1()), "color 0 of BC1_RGBA");
    has(render_pipeline(&none, &one_color(F::Depth32Float), plain, [true; 2], &m1()), "color 0 of Depth32Float");
    has(render_pipeline(&none, &[None; 9], plain, [true; 2], &m1()), "9 colors");
    has(render_pipeline(&none, &[], plain, [true, false], &m1()), "without a valid format");
    assert!(render_pipeline(&none, &[], plain, [true; 2], &m1()).is_ok());
    assert!(render_pipeline(&none, &[], plain, [false, true], &m1()).is_ok());
    let packed = Some(F::Depth32Float_Stencil8);
    assert!(render_pipeline(&none, &[], formats(packed, packed, 4), [true; 2], &m1()).is_ok());
    has(render_pipeline(&none, &[], formats(packed, packed, 8), [true; 2], &m1()), "no 8 samples");
    has(render_pipeline(&none, &[], formats(Some(F::Stencil8), None, 1), [true; 2], &m1()), "depth of Stencil8");
    has(render_pipeline(&none, &[], formats(None, Some(F::Depth16Unorm), 1), [true; 2], &m1()), "stencil of Depth16");
    let apart = formats(Some(F::Depth32Float), packed, 1);
    assert!(render_pipeline(&none, &[], apart, [true; 2], &m1()).is_ok());
    has(render_pipeline(&none, &[], apart, [true; 2], &intel()), "depth of Depth32Float, stencil of");
    let pipeline = Formats { samples: 4, ..plain };
    assert_eq!(plain.differs(&pipeline), "4 samples, not 1");
    assert_eq!(plain.differs(&formats(packed, None, 1)), "depth is Depth32Float_Stencil8, not none");
}

fn attached(what: Attached, descriptor: &TextureDescriptor, root: usize) -> Attachment {
    let texture = Texture { root, ..Texture::of(descriptor) };
    let target = Target { texture, level: 0, slice: 0, plane: 0 };
    Attachment { what, target, resolve: None, loads: true, store: StoreAction::Store }
}

#[test]
fn passes_draw_into_targets() {
    let case = |attachments: &[(usize, Attachment)]| pass(attachments, 0, None, 0, &m1());
    let color = attached(Attached::Color, &picture(), 1);
    let small = attached(Attached::Color, &TextureDescriptor { size: [32, 64, 1], ..picture() }, 2);
    let is: Pass = case(&[(0, color), (3, small)]).unwrap();
    assert_eq!((is.size, is.formats.colors[3], is.formats.samples), ([32, 32], Some(PixelFormat::BGRA8Unorm), 1));
    has(case(&[(8, color)]), "color attachment 8 of 8");
    has(case(&[(0, color), (1, color)]), "the same part of a texture");
    let read = TextureUsage { read: true, ..TextureUsage::default() };
    has(case(&[(0, attached(Attached::Color, &TextureDescriptor { usage: read, ..picture() }, 1))]), "not made for");
    let mut other = color;
    other.target.level = 1;
    has(case(&[(0, other)]), "level 1 of 1");
    other = color;
    other.target.texture.swizzled = true;
    has(case(&[(0, other)]), "with a swizzle");
    let samples = TextureDescriptor { ty: TextureType::D2Multisample, samples: 4, ..picture() };
    let mut many = attached(Attached::Color, &samples, 3);
    has(case(&[(0, color), (1, many)]), "has 4 samples, not 1");
    many.store = StoreAction::MultisampleResolve;
    has(case(&[(0, many)]), "MultisampleResolve without a texture");
    many.resolve = Some(color.target);
    assert_eq!(case(&[(0, many)]).unwrap().formats.samples, 4);
    many.resolve = Some(small.target);
    has(case(&[(0, many)]), "another format or size");
    many.store = StoreAction::Store;
    assert!(case(&[(0, many)]).is_ok(), "nothing is resolved");
    let mut tiles = color;
    tiles.target.texture.storage = StorageMode::Memoryless;
    has(case(&[(0, tiles)]), "memoryless, loaded or stored");
    (tiles.loads, tiles.store) = (false, StoreAction::DontCare);
    assert!(case(&[(0, tiles)]).is_ok());
    has(case(&[]), "0 by 0 is no size");
    let bare = pass(&[], 0, Some([10, 20, 4]), 64, &m1()).unwrap();
    assert_eq!((bare.size, bare.formats.samples, bare.visibility), ([10, 20], 4, 64));
    has(pass(&[(0, color)], 2, None, 0, &m1()), "has 1 layers, not 2");
    let volume = TextureDescriptor { ty: TextureType::D3, size: [64, 32, 4], ..picture() };
    let layers = TextureDescriptor { ty: TextureType::D2Array, layers: 4, ..picture() };
    let [mut volume, layers] = [volume, layers].map(|each| attached(Attached::Color, &each, each.layers as usize));
    assert!(pass(&[(0, volume)], 4, None, 0, &m1()).is_ok() && pass(&[(0, layers)], 4, None, 0, &m1()).is_ok());
    has(pass(&[(0, volume), (1, layers)], 4, None, 0, &m1()), "layers of 2D and of 3D");
    volume.target.plane = 1;
    has(pass(&[(0, volume)], 4, None, 0, &m1()), "has 3 layers, not 4");
}

#[test]
fn depth_and_stencil_are_one_texture_where_they_must() {
    let packed = TextureDescriptor { format: PixelFormat::Depth32Float_Stencil8, ..picture() };
    let [depth, stencil] = [Attached::Depth, Attached::Stencil].map(|what| attached(what, &packed, 1));
    let other = attached(Attached::Stencil, &packed, 2);
    for facts in [m1(), intel()] {
        assert!(pass(&[(0, depth), (0, stencil)], 0, None, 0, &facts).is_ok());
    }
    assert!(pass(&[(0, depth), (0, other)], 0, None, 0, &m1()).is_ok());
    has(pass(&[(0, depth), (0, other)], 0, None, 0, &intel()), "not one texture");
    has(pass(&[(0, attached(Attached::Depth, &picture(), 1))], 0, None, 0, &m1()), "depth attachment of BGRA8Unorm");
}

#[test]
fn copies_are_inside_of_buffers() {
    let of = |from, to, size, same| copy_buffers([(from, 64), (to, 64)], size, same, &m1());
    assert_eq!(of(0, 1, 63, false), Ok(()));
    assert_eq!(of(0, 32, 32, true), Ok(()));
    assert!(of(0, 31, 32, true).is_err() && of(0, 0, 0, false).is_err() && of(1, 0, 64, false).is_err());
    assert!(of(u64::MAX, 0, 2, false).is_err());
    assert!(copy_buffers([(0, 64), (2, 64)], 4, false, &intel()).is_err());
    assert!(fill(4, 60, 64, &intel()).is_ok() && fill(4, 61, 64, &m1()).is_err() && fill(0, 6, 64, &intel()).is_err());
}

fn rows(bytes_per_row: u64, bytes_per_image: u64, length: u64) -> Rows {
    let layout = BufferLayout { offset: 0, bytes_per_row, bytes_per_image };
    Rows { layout, aspect: Aspect::All, length, written: false }
}

#[test]
fn regions_and_rows_are_inside() {
    let of = Texture::of(&TextureDescriptor { levels: 2, ..picture() });
    let whole = Region { slice: 0, level: 0, origin: [0; 3], size: [64, 32, 1] };
    assert_eq!(region(&of, &whole), Ok(()));
    for wrong in [
        Region { slice: 1, ..whole },
        Region { level: 1, ..whole },
        Region { level: 2, ..whole },
        Region { origin: [1, 0, 0], ..whole },
        Region { size: [64, 32, 2], ..whole },
        Region { size: [0, 32, 1], ..whole },
        Region { origin: [u32::MAX, 0, 0], ..whole },
    ] {
        assert!(region(&of, &wrong).is_err(), "{wrong:?}");
    }
    let most = 256 * 31 + 256;
    assert_eq!(rows(256, 0, most).check(&of, &whole, &m1()), Ok(()));
    assert!(rows(256, 0, most - 1).check(&of, &whole, &m1()).is_err());
    // The last row needs no more than its texels.
    assert_eq!(rows(512, 0, 512 * 31 + 256).check(&of, &whole, &m1()), Ok(()));
    assert!(rows(252, 0, most).check(&of, &whole, &m1()).is_err());
    assert!(rows(258, 0, 1 << 20).check(&of, &whole, &m1()).is_err());
    assert!(rows(u64::MAX - 3, 0, u64::MAX).check(&of, &whole, &m1()).is_err());
    let read =
        Rows { layout: BufferLayout { offset: 16, ..rows(256, 0, 0).layout }, written: true, ..rows(0, 0, 9000) };
    assert_eq!(read.check(&of, &whole, &m1()), Ok(()));
    assert!(read.check(&of, &whole, &intel()).unwrap_err().contains("in steps of 256"));
    let deep = Texture::of(&TextureDescriptor { ty: TextureType::D3, size: [4, 4, 3], ..picture() });
    let all = Region { size: [4, 4, 3], ..whole };
    assert_eq!(rows(16, 64, 192).check(&deep, &all, &m1()), Ok(()));
    assert!(
        rows(16, 60, 192).check(&deep, &all, &m1()).is_err() && rows(16, 64, 191).check(&deep, &all, &m1()).is_err()
    );
}

#[test]
fn blocks_are_copied_whole_and_parts_one_at_a_time() {
    let blocks = Texture::of(&TextureDescriptor { format: PixelFormat::BC1_RGBA, size: [6, 6, 1], ..picture() });
    let at = |origin, size| Region { slice: 0, level: 0, origin, size };
    for fine in [at([0; 3], [6, 6, 1]), at([0; 3], [8, 8, 1]), at([4, 4, 0], [2, 2, 1]), at([4, 4, 0], [4, 4, 1])] {
        assert_eq!(region(&blocks, &fine), Ok(()), "{fine:?}");
    }
    for wrong in [at([2, 0, 0], [4, 4, 1]), at([0; 3], [5, 4, 1]), at([0; 3], [12, 4, 1])] {
        assert!(region(&blocks, &wrong).is_err(), "{wrong:?}");
    }
    assert_eq!(rows(16, 0, 32).check(&blocks, &at([0; 3], [6, 6, 1]), &m1()), Ok(()));
    assert!(rows(16, 0, 31).check(&blocks, &at([0; 3], [6, 6, 1]), &m1()).is_err());
    let packed = Texture::of(&TextureDescriptor { format: PixelFormat::Depth32Float_Stencil8, ..picture() });
    let part = |aspect, bytes_per_row| {
        let layout = BufferLayout { offset: 0, bytes_per_row, bytes_per_image: 0 };
        Rows { aspect, layout, ..rows(0, 0, 9000) }.check(&packed, &at([0; 3], [64, 32, 1]), &m1())
    };
    assert!(part(Aspect::All, 512).is_err());
    assert_eq!((part(Aspect::Depth, 256), part(Aspect::Stencil, 64)), (Ok(()), Ok(())));
    let color = Texture::of(&picture());
    assert!(copy_textures((&color, &at([0; 3], [4, 4, 1])), (&color, &at([8, 8, 0], [0; 3]))).is_ok());
    assert!(copy_textures((&color, &at([0; 3], [4, 4, 1])), (&color, &at([62, 0, 0], [0; 3]))).is_err());
    assert!(copy_textures((&color, &at([0; 3], [4, 4, 1])), (&packed, &at([0; 3], [0; 3]))).is_err());
    assert!(mipmaps(&color, &m1()).is_err());
    assert!(mipmaps(&Texture { levels: 2, ..color }, &m1()).is_ok());
    let uint = Texture { levels: 2, format: PixelFormat::RGBA8Uint, ..color };
    assert!(mipmaps(&uint, &m1()).is_err());
}

#[test]
fn tables_have_ends() {
    let mut bound = Bound::NONE;
    assert_eq!(bound.set(Stage::Vertex, 30, 60, 64), Ok(()));
    assert!(bound.set(Stage::Vertex, 31, 0, 64).is_err() && bound.set(Stage::Vertex, 0, 64, 64).is_err());
    assert_eq!(bound.offset(Stage::Vertex, 30, 63), Ok(()));
    assert!(bound.offset(Stage::Vertex, 30, 64).is_err() && bound.offset(Stage::Fragment, 30, 0).is_err());
    assert!(bound.offset(Stage::Vertex, u32::MAX, 0).is_err());
    assert_eq!(bound.bytes(Stage::Vertex, 30, 4096, &m1()), Ok(()));
    assert!(bound.offset(Stage::Vertex, 30, 0).is_err(), "bytes are no buffer");
    assert!(bound.bytes(Stage::Kernel, 0, 0, &m1()).is_err() && bound.bytes(Stage::Kernel, 0, 4097, &m1()).is_err());
    assert!(bound.bytes(Stage::Kernel, 31, 4, &m1()).is_err());
    assert!(entry(15, 16).is_ok() && entry(16, 16).is_err());
    let target = TextureUsage { target: true, ..TextureUsage::default() };
    let of = Texture::of(&picture());
    assert!(bind_texture(&of, 127, &m1()).is_ok() && bind_texture(&of, 128, &m1()).is_err());
    assert!(bind_texture(&Texture { usage: target, ..of }, 0, &m1()).is_err());
}

#[test]
fn visibility_counts_once() {
    let mut offsets = Offsets::default();
    assert_eq!((offsets.set(0, 16, &m1()), offsets.set(8, 16, &m1())), (Ok(()), Ok(())));
    assert!(
        offsets.set(8, 16, &m1()).is_err() && offsets.set(16, 16, &m1()).is_err() && offsets.set(4, 16, &m1()).is_err()
    );
    assert!(offsets.set(0, 0, &m1()).is_err() && offsets.set(65536, 1 << 20, &m1()).is_err());
    assert_eq!(offsets.set(65528, 1 << 20, &m1()), Ok(()));
    offsets.clear();
    assert_eq!(offsets.set(8, 16, &m1()), Ok(()));
}

#[test]
fn draws_have_something_to_draw() {
    let with = Draws { pipeline: true };
    let of = |first, count, instances| DrawCount { first, count, instances, base_instance: 0 };
    assert_eq!(draw(with, of(1, 3, 1), false), Ok(()));
    assert!(draw(with, of(0, 0, 1), false).is_err() && draw(with, of(0, 3, 0), false).is_err());
    assert!(draw(with, of(-1, 3, 1), false).is_err() && draw(with, of(i32::MAX, u32::MAX, 1), false).is_err());
    assert_eq!(draw(with, of(-1, 3, 1), true), Ok(()));
    assert!(draw(Draws::default(), of(0, 3, 1), false).is_err() && pipeline(Draws::default()).is_err());
    assert_eq!(indices(2, IndexType::UInt16, 3, 8), Ok(()));
    assert!(indices(2, IndexType::UInt16, 4, 8).is_err() && indices(1, IndexType::UInt16, 1, 8).is_err());
    assert!(indices(2, IndexType::UInt32, 1, 8).is_err() && indices(u64::MAX - 3, IndexType::UInt32, 1, 8).is_err());
    assert!(inside(4, 5, 24).is_ok() && inside(8, 5, 24).is_err() && inside(2, 4, 24).is_err());
    assert!(dispatch([1, 1, 1], [32, 32, 1], 1024).is_ok() && dispatch([1, 0, 1], [1; 3], 1024).is_err());
    assert!(dispatch([1; 3], [32, 33, 1], 1024).is_err() && dispatch([1; 3], [u32::MAX; 3], 1024).is_err());
    assert!(dispatch([1; 3], [0, 1, 1], 1024).is_err() && dispatch([1; 3], [1; 3], 0).is_err());
}

#[test]
fn viewports_are_numbers_and_scissors_inside() {
    let of = |origin, size| viewport(&Viewport { origin, size, depth: [0.0, 1.0] }, &m1());
    assert_eq!(of([-0.5, 0.0], [64.0, 32.0]), Ok(()));
    assert!(of([f64::NAN, 0.0], [64.0, 32.0]).is_err() && of([0.0; 2], [64.0, f64::INFINITY]).is_err());
    assert!(of([0.0; 2], [64.0, -32.0]).is_err() && of([65000.0, 0.0], [64000.0, 1.0]).is_err());
    assert!(viewport(&Viewport { origin: [0.0; 2], size: [1.0; 2], depth: [0.0, f64::NAN] }, &m1()).is_err());
    let of = |origin, size| scissor(&ScissorRect { origin, size }, [64, 32]);
    assert_eq!(of([60, 0], [4, 32]), Ok(()));
    assert!(of([61, 0], [4, 32]).is_err() && of([0, 0], [0, 1]).is_err() && of([u32::MAX, 0], [1, 1]).is_err());
    assert!(
        count(1, &m1()).is_ok() && count(16, &m1()).is_ok() && count(0, &m1()).is_err() && count(17, &m1()).is_err()
    );
}

#[test]
fn depth_bounds_are_in_order_where_there_are_any() {
    let later = Facts { depth_bounds: true, ..m1() };
    assert!(depth_bounds([0.25, 0.5], &m1()).is_err());
    assert!(depth_bounds([0.25, 0.5], &later).is_ok() && depth_bounds([0.5, 0.5], &later).is_ok());
    for wrong in [[0.5, 0.25], [-0.5, 1.0], [0.0, 1.5], [f32::NAN, 1.0], [0.0, f32::NAN]] {
        assert!(depth_bounds(wrong, &later).is_err(), "{wrong:?}");
    }
}
