//! Buffers, textures, views, samplers.

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

use crate::*;

#[test]
fn buffers() {
    let device = SoftDevice::new(Family::Apple7);
    let make = |change: fn(&mut BufferDescriptor)| {
        let mut of = BufferDescriptor { length: 16, storage: StorageMode::Shared, label: "b".into() };
        change(&mut of);
        faults(device.new_buffer(&of))
    };
    rows(
        make,
        &[
            (|_| {}, ""),
            (|d| d.length = 0, "length is 0"),
            (|d| d.length = 1 << 40, "greater than maxBufferLength"),
            (|d| d.storage = StorageMode::Memoryless, "memoryless"),
            (|d| d.storage = StorageMode::Private, ""),
        ],
    );
    let private =
        device.new_buffer(&BufferDescriptor { length: 16, storage: StorageMode::Private, label: "p".into() }).unwrap();
    assert!(device.write(&private, 0, &[0]).is_err() && device.read(&private, 0, &mut [0]).is_err());
    let shared =
        device.new_buffer(&BufferDescriptor { length: 16, storage: StorageMode::Shared, label: "s".into() }).unwrap();
    assert!(device.write(&shared, 8, &[0; 8]).is_ok() && device.write(&shared, 9, &[0; 8]).is_err());
    assert!(device.read(&shared, u64::MAX, &mut [0; 8]).is_err());
}

fn texture_of(device: &SoftDevice, change: impl FnOnce(&mut TextureDescriptor)) -> Result<SoftTexture> {
    let mut of = TextureDescriptor {
        ty: TextureType::D2,
        format: PixelFormat::RGBA8Unorm,
        size: [8, 8, 1],
        levels: 1,
        samples: 1,
        layers: 1,
        usage: TextureUsage { read: true, ..TextureUsage::default() },
        storage: StorageMode::Private,
        label: "texture".into(),
    };
    change(&mut of);
    device.new_texture(&of)
}

#[test]
fn textures() {
    let device = SoftDevice::new(Family::Apple7);
    rows::<TextureDescriptor>(
        |change| faults(texture_of(&device, change)),
        &[
            (|_| {}, ""),
            (|d| d.size[0] = 0, "width is 0"),
            (|d| d.size[0] = 16385, "maximum allowed size of 16384"),
            (|d| (d.size, d.format) = ([16384, 1, 1], PixelFormat::R8Unorm), ""),
            (|d| (d.ty, d.size) = (TextureType::D3, [1, 1, 2049]), "maximum allowed size of 2048"),
            (|d| d.size[2] = 2, "depth (2) of a texture that is not 3D"),
            (|d| (d.ty, d.size) = (TextureType::D1, [8, 2, 1]), "height (2) of a 1D texture"),
            (|d| (d.ty, d.size) = (TextureType::Cube, [8, 4, 1]), "a cube of 8 by 4"),
            (|d| d.ty = TextureType::Cube, ""),
            (|d| d.layers = 2, "arrayLength (2)"),
            (|d| (d.ty, d.layers) = (TextureType::D2Array, 2), ""),
            (|d| (d.ty, d.layers) = (TextureType::D2Array, 2049), "greater than 2048"),
            (|d| d.levels = 5, "mipmapLevelCount (5)"),
            (|d| d.levels = 4, ""),
            (|d| d.levels = 0, "mipmapLevelCount (0)"),
            (|d| d.samples = 4, "sampleCount (4) of a D2"),
            (|d| (d.ty, d.samples) = (TextureType::D2Multisample, 4), ""),
            (|d| (d.ty, d.samples) = (TextureType::D2Multisample, 8), "not supported by this device"),
            (|d| (d.ty, d.samples) = (TextureType::D2Multisample, 3), "not supported by this device"),
            (|d| (d.ty, d.samples, d.levels) = (TextureType::D2Multisample, 4, 2), "mipmapLevelCount"),
            (|d| (d.ty, d.samples, d.usage.write) = (TextureType::D2Multisample, 4, true), "cannot be written"),
            (
                |d| (d.ty, d.samples, d.format) = (TextureType::D2Multisample, 4, PixelFormat::BC1_RGBA),
                "cannot be multisampled",
            ),
            (|d| d.format = PixelFormat::Depth24Unorm_Stencil8, "not available on this device"),
            (|d| d.format = PixelFormat::X32_Stencil8, "of views of textures"),
            (|d| d.format = PixelFormat::BC7_RGBAUnorm, ""),
            (|d| (d.ty, d.size, d.format) = (TextureType::D3, [8, 8, 3], PixelFormat::BC1_RGBA), ""),
            (|d| (d.ty, d.size, d.format) = (TextureType::D1, [8, 1, 1], PixelFormat::BC1_RGBA), "compressed"),
            (|d| (d.ty, d.format) = (TextureType::D3, PixelFormat::Depth32Float), "depth or stencil"),
            (|d| (d.format, d.usage.target) = (PixelFormat::BC1_RGBA, true), "cannot be rendered to"),
            (|d| (d.format, d.usage.write) = (PixelFormat::B5G6R5Unorm, true), "cannot be written"),
            (|d| d.usage.atomic = true, "no atomics"),
            (|d| (d.format, d.usage.atomic) = (PixelFormat::R32Uint, true), ""),
            (
                |d| (d.ty, d.size, d.usage.target) = (TextureType::D1, [8, 1, 1], true),
                "1D textures cannot be rendered to",
            ),
            (|d| (d.storage, d.usage.target) = (StorageMode::Memoryless, true), "nothing but a render target"),
            (
                |d| {
                    (d.storage, d.usage) =
                        (StorageMode::Memoryless, TextureUsage { target: true, ..TextureUsage::default() });
                },
                "",
            ),
        ],
    );
    let intel = SoftDevice::new(Family::Mac2);
    rows::<TextureDescriptor>(
        |change| faults(texture_of(&intel, change)),
        &[
            (|d| d.format = PixelFormat::B5G6R5Unorm, "not available"),
            (|d| (d.format, d.storage) = (PixelFormat::Depth32Float, StorageMode::Shared), "must be private"),
            (|d| d.format = PixelFormat::Depth24Unorm_Stencil8, ""),
            (|d| (d.ty, d.samples, d.storage) = (TextureType::D2Multisample, 8, StorageMode::Private), ""),
            (
                |d| (d.ty, d.samples, d.storage) = (TextureType::D2Multisample, 8, StorageMode::Shared),
                "multisampled textures must be private",
            ),
            (
                |d| {
                    (d.storage, d.usage) =
                        (StorageMode::Memoryless, TextureUsage { target: true, ..TextureUsage::default() });
                },
                "no memoryless",
            ),
        ],
    );
}

#[test]
fn views() {
    let of = |family, change: fn(&mut TextureDescriptor), view: fn(&mut TextureView)| {
        let device = SoftDevice::new(family);
        let texture = texture_of(&device, change).unwrap();
        let mut descriptor = TextureView {
            format: PixelFormat::RGBA8Unorm,
            ty: TextureType::D2,
            levels: [0, 1],
            slices: [0, 1],
            swizzle: Swizzle::IDENTITY,
        };
        view(&mut descriptor);
        faults(device.new_view(&texture, &descriptor))
    };
    rows::<TextureView>(
        |view| of(Family::Apple7, |_| {}, view),
        &[
            (|_| {}, ""),
            (|v| v.format = PixelFormat::BGRA8Unorm_sRGB, ""),
            (|v| v.format = PixelFormat::R32Uint, "needs MTLTextureUsagePixelFormatView"),
            (|v| v.format = PixelFormat::R16Uint, "texels of another size"),
            (|v| v.format = PixelFormat::Depth32Float, "has no view as"),
            (|v| v.levels = [0, 2], "levels [0, 2] are outside"),
            (|v| v.levels = [1, 1], "outside"),
            (|v| v.slices = [0, 0], "outside"),
            (|v| v.ty = TextureType::D3, "has no view as D3"),
            (|v| v.ty = TextureType::Cube, "1 slices of a Cube"),
            (|v| v.ty = TextureType::D2Array, ""),
            (|v| v.swizzle = [Swizzle::One; 4], ""),
        ],
    );
    rows::<TextureView>(
        |view| of(Family::Apple7, |d| d.usage.views = true, view),
        &[(|v| v.format = PixelFormat::R32Uint, "")],
    );
    rows::<TextureView>(
        |view| of(Family::Mac2, |_| {}, view),
        &[(|v| v.format = PixelFormat::BGRA8Unorm, "needs MTLTextureUsagePixelFormatView")],
    );
    let depth = |d: &mut TextureDescriptor| d.format = PixelFormat::Depth32Float_Stencil8;
    rows::<TextureView>(
        |view| of(Family::Apple7, depth, view),
        &[
            (|v| v.format = PixelFormat::X32_Stencil8, ""),
            (|v| v.format = PixelFormat::RG32Uint, "has no view as"),
            (|v| (v.format, v.swizzle) = (PixelFormat::Depth32Float_Stencil8, [Swizzle::Red; 4]), "cannot be swizzled"),
        ],
    );
}

#[test]
fn samplers() {
    let device = SoftDevice::new(Family::Apple7);
    let make = |change: fn(&mut SamplerDescriptor)| {
        let mut of = SamplerDescriptor {
            min: Filter::Linear,
            mag: Filter::Linear,
            mip: MipFilter::Linear,
            address: [AddressMode::Repeat; 3],
            border: BorderColor::OpaqueBlack,
            anisotropy: 16,
            lod: [0f32.to_bits(), 1f32.to_bits()],
            compare: None,
        };
        change(&mut of);
        faults(device.new_sampler(&of))
    };
    rows(
        make,
        &[
            (|_| {}, ""),
            (|d| d.anisotropy = 0, "maxAnisotropy (0)"),
            (|d| d.anisotropy = 17, "maxAnisotropy (17)"),
            (|d| d.lod = [2f32.to_bits(), 1f32.to_bits()], "lodMinClamp"),
            (|d| d.lod = [(-1f32).to_bits(), 1f32.to_bits()], "lodMinClamp"),
            (|d| d.lod = [f32::NAN.to_bits(), 1f32.to_bits()], "lodMinClamp"),
        ],
    );
}
