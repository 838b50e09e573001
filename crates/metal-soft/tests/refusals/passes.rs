//! Render passes.

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

use crate::kit::*;
use crate::*;

/// A pass with a target, changed.
#[derive(Clone)]
struct PassOf {
    target: SoftTexture,
    other: Option<SoftTexture>,
    resolve: Option<SoftTexture>,
    depth: Option<SoftTexture>,
    level: u32,
    slice: u32,
    load: LoadAction<[f64; 4]>,
    store: StoreAction,
    layers: u32,
    nothing: bool,
}

fn passes(kit: &mut Kit, of: &PassOf) -> String {
    let at = |texture| Subresource { texture, level: 0, slice: 0, depth_plane: 0 };
    let color = ColorAttachment {
        target: Subresource { texture: &of.target, level: of.level, slice: of.slice, depth_plane: 0 },
        resolve: of.resolve.as_ref().map(at),
        load: of.load,
        store: of.store,
    };
    let other = of.other.as_ref().map(|t| ColorAttachment {
        target: at(t),
        resolve: None,
        load: of.load,
        store: StoreAction::Store,
    });
    let colors = if of.nothing { vec![] } else { vec![Some(color), other] };
    let (load, store) = (LoadAction::Clear(1.0), StoreAction::Store);
    let depth = of.depth.as_ref().map(|t| DepthAttachment { target: at(t), resolve: None, load, store });
    kit.queue.begin_render(&RenderPass {
        label: "pass",
        colors: &colors,
        depth,
        stencil: None,
        layers: of.layers,
        without_attachments: None,
        visibility: None,
    });
    kit.queue.end_encoding();
    kit.queue.commit();
    kit.wrong()
}

#[test]
fn render_passes() {
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    let (load, store) = (LoadAction::Clear([0.0; 4]), StoreAction::Store);
    let fine = PassOf {
        target: target.clone(),
        other: None,
        resolve: None,
        depth: None,
        level: 0,
        slice: 0,
        load,
        store,
        layers: 0,
        nothing: false,
    };
    let many = |kit: &Kit, format, samples, size| {
        kit.texture(format, size, |d| (d.ty, d.samples) = (TextureType::D2Multisample, samples))
    };
    let four = many(&kit, FORMAT, 4, [8, 8]);
    let resolves = StoreAction::MultisampleResolve;
    let swizzled = {
        let swizzle = [Swizzle::Blue, Swizzle::Green, Swizzle::Red, Swizzle::Alpha];
        kit.device
            .new_view(
                &target,
                &TextureView { format: FORMAT, ty: TextureType::D2, levels: [0, 1], slices: [0, 1], swizzle },
            )
            .unwrap()
    };
    let memoryless = kit.texture(FORMAT, [8, 8], |d| {
        (d.storage, d.usage) = (StorageMode::Memoryless, TextureUsage { target: true, ..TextureUsage::default() });
    });
    let integers = many(&kit, PixelFormat::RGBA8Uint, 4, [8, 8]);
    let plain = kit.texture(FORMAT, [8, 8], |d| d.usage.target = false);
    let cases = [
        (fine.clone(), ""),
        (PassOf { target: plain, ..fine.clone() }, "doesn't specify MTLTextureUsageRenderTarget"),
        (PassOf { target: swizzled, ..fine.clone() }, "swizzled"),
        (PassOf { level: 1, ..fine.clone() }, "level 1 is outside"),
        (PassOf { slice: 1, ..fine.clone() }, "slice 1 is outside"),
        (
            PassOf { other: Some(target.clone()), ..fine.clone() },
            "colorAttachments[1] overlaps with colorAttachments[0]",
        ),
        (PassOf { other: Some(kit.target(FORMAT, [4, 4])), ..fine.clone() }, ""),
        (PassOf { other: Some(four.clone()), ..fine.clone() }, "has 4 samples, where the first attachment has 1"),
        (PassOf { other: Some(kit.target(PixelFormat::Depth32Float, [8, 8])), ..fine.clone() }, "is no colour"),
        (PassOf { depth: Some(target.clone()), ..fine.clone() }, "has no depth"),
        (PassOf { depth: Some(kit.target(PixelFormat::Depth32Float, [8, 8])), ..fine.clone() }, ""),
        (PassOf { target: four.clone(), store: resolves, ..fine.clone() }, "no resolve texture"),
        (PassOf { target: four.clone(), store: resolves, resolve: Some(target), ..fine.clone() }, ""),
        (
            PassOf { store: resolves, resolve: Some(kit.target(FORMAT, [8, 8])), ..fine.clone() },
            "what is resolved has one sample",
        ),
        (
            PassOf { target: four.clone(), store: resolves, resolve: Some(four.clone()), ..fine.clone() },
            "the resolve texture has samples",
        ),
        (
            PassOf { target: four.clone(), store: resolves, resolve: Some(kit.target(FORMAT, [4, 8])), ..fine.clone() },
            "another size",
        ),
        (
            PassOf {
                target: four,
                store: resolves,
                resolve: Some(kit.target(PixelFormat::BGRA8Unorm, [8, 8])),
                ..fine.clone()
            },
            "another format",
        ),
        (
            PassOf {
                target: integers,
                store: resolves,
                resolve: Some(kit.target(PixelFormat::RGBA8Uint, [8, 8])),
                ..fine.clone()
            },
            "cannot be resolved",
        ),
        (
            PassOf { target: memoryless.clone(), load: LoadAction::Load, store: StoreAction::DontCare, ..fine.clone() },
            "cannot be loaded",
        ),
        (PassOf { target: memoryless.clone(), ..fine.clone() }, "cannot be stored"),
        (PassOf { target: memoryless, store: StoreAction::DontCare, ..fine.clone() }, ""),
        (PassOf { layers: 2, ..fine.clone() }, "has 1 layers of renderTargetArrayLength 2"),
        (PassOf { nothing: true, ..fine }, "no attachments"),
    ];
    for (n, (of, text)) in cases.iter().enumerate() {
        let found = passes(&mut kit, of);
        assert!(found.contains(text) && found.is_empty() == text.is_empty(), "case {n}: `{text}`, found `{found}`");
    }
}

/// What is said of a pass with depth and stencil.
fn depth_and_stencil(
    kit: &mut Kit,
    depth: Option<(&SoftTexture, Option<&SoftTexture>)>,
    stencil: Option<&SoftTexture>,
    store: StoreAction,
) -> String {
    let at = |texture| Subresource { texture, level: 0, slice: 0, depth_plane: 0 };
    kit.queue.begin_render(&RenderPass {
        label: "depth",
        colors: &[],
        depth: depth.map(|(texture, resolve)| DepthAttachment {
            target: at(texture),
            resolve: resolve.map(|r| (at(r), DepthResolve::Max)),
            load: LoadAction::Clear(1.0),
            store,
        }),
        stencil: stencil.map(|t| StencilAttachment { target: at(t), load: LoadAction::Clear(0), store }),
        layers: 0,
        without_attachments: None,
        visibility: None,
    });
    kit.queue.end_encoding();
    kit.queue.commit();
    kit.wrong()
}

#[test]
fn depth_and_stencil_attachments() {
    let store = StoreAction::Store;
    let both = PixelFormat::Depth32Float_Stencil8;
    for family in [Family::Apple7, Family::Mac2] {
        let mut kit = Kit::of(family);
        let (one, other) = (kit.target(both, [4, 4]), kit.target(both, [4, 4]));
        let depth = kit.target(PixelFormat::Depth32Float, [4, 4]);
        assert_eq!(depth_and_stencil(&mut kit, Some((&one, None)), Some(&one), store), "");
        let wrong = depth_and_stencil(&mut kit, Some((&one, None)), Some(&other), store);
        assert!(wrong.contains("are one texture"), "{wrong}");
        assert!(depth_and_stencil(&mut kit, None, Some(&depth), store).contains("has no stencil"));
        if family.is_apple() {
            let stencil = kit.target(PixelFormat::Stencil8, [4, 4]);
            assert_eq!(depth_and_stencil(&mut kit, Some((&depth, None)), Some(&stencil), store), "");
        }
        let many =
            |kit: &Kit, format| kit.texture(format, [4, 4], |d| (d.ty, d.samples) = (TextureType::D2Multisample, 4));
        let (samples, packed) = (many(&kit, PixelFormat::Depth32Float), many(&kit, both));
        let resolves = StoreAction::MultisampleResolve;
        assert_eq!(depth_and_stencil(&mut kit, Some((&samples, Some(&depth))), None, resolves), "");
        assert!(depth_and_stencil(&mut kit, Some((&samples, None)), None, resolves).contains("no resolve texture"));
        assert!(depth_and_stencil(&mut kit, None, Some(&packed), resolves).contains("stencil is not resolved"));
    }
}

#[test]
fn passes_without_attachments() {
    let mut kit = Kit::new();
    let mut begin = |size: Option<[u32; 3]>, visibility: Option<&SoftBuffer>| {
        kit.queue.begin_render(&RenderPass {
            label: "nothing",
            colors: &[],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: size,
            visibility,
        });
        kit.queue.set_visibility(VisibilityMode::Counting, 0);
        kit.queue.end_encoding();
        kit.queue.commit();
        kit.wrong()
    };
    assert!(begin(Some([4, 4, 0]), None).contains("no sampleCount"));
    assert!(begin(Some([4, 16385, 1]), None).contains("Height (16385) is greater than 16384"));
    assert!(begin(Some([4, 4, 8]), None).contains("defaultRasterSampleCount (8)"));
    assert!(begin(Some([4, 4, 1]), None).contains("no visibilityResultBuffer"));
    let device = SoftDevice::new(Family::Apple7);
    let buffer = |length| {
        device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: "counts".into() }).unwrap()
    };
    assert_eq!(begin(Some([4, 4, 1]), Some(&buffer(8))), "");
    assert!(begin(Some([4, 4, 1]), Some(&buffer(4))).contains("no room for a result"));
}
