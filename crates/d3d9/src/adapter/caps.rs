//! `D3DCAPS9`: what the device can do. Every bit stands for something that is drawn ([`super::claims`] has what reads it), every
//! number for a limit of the stream; the facts about the hardware come from the receiver.

use super::claims::*;
use crate::machine::{CLIP_PLANES, STREAMS, TARGETS};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format, FormatFeatures};

/// Shader model 3.0 as the capability fields give it.
const VERTEX_SHADER_3_0: u32 = 0xfffe_0300;
const PIXEL_SHADER_3_0: u32 = 0xffff_0300;

/// The capabilities of a device.
pub(super) fn caps(info: &DeviceInfo) -> D3DCAPS9 {
    let anisotropic = info.max_anisotropy > 1.0;
    let where_anisotropic = |claims: &[Claim]| if anisotropic { mask(claims) } else { 0 };
    let filter = mask(FILTERS) | where_anisotropic(FILTERS_ANISOTROPIC);
    let vertex_texture = info.features(Format::R32G32B32A32_SFLOAT) & FormatFeatures::VERTEX_TEXTURE != 0;
    let edge = info.max_texture_2d.min(super::MAX_EDGE);
    D3DCAPS9 {
        DeviceType: D3DDEVTYPE_HAL,
        AdapterOrdinal: D3DADAPTER_DEFAULT,
        Caps2: mask(CAPS_2),
        Caps3: mask(CAPS_3),
        PresentationIntervals: mask(INTERVALS),
        DevCaps: mask(DEVICE),
        PrimitiveMiscCaps: mask(PRIMITIVES),
        RasterCaps: mask(RASTER) | where_anisotropic(RASTER_ANISOTROPIC),
        ZCmpCaps: mask(DEPTH_COMPARE),
        SrcBlendCaps: mask(SOURCE_BLEND),
        DestBlendCaps: mask(DESTINATION_BLEND),
        AlphaCmpCaps: mask(ALPHA_COMPARE),
        ShadeCaps: mask(SHADING),
        TextureCaps: mask(TEXTURES),
        TextureFilterCaps: filter,
        CubeTextureFilterCaps: filter,
        VolumeTextureFilterCaps: filter,
        TextureAddressCaps: mask(ADDRESSES),
        VolumeTextureAddressCaps: mask(ADDRESSES),
        LineCaps: mask(LINES) | if info.features & DeviceFeatures::SMOOTH_LINES != 0 { mask(LINES_SMOOTH) } else { 0 },
        MaxTextureWidth: edge,
        MaxTextureHeight: edge,
        MaxVolumeExtent: info.max_texture_3d.min(super::MAX_EDGE),
        MaxTextureRepeat: 8192,
        MaxTextureAspectRatio: edge,
        MaxAnisotropy: (info.max_anisotropy as u32).clamp(1, 16),
        MaxVertexW: 1e10,
        GuardBandLeft: -1e8,
        GuardBandTop: -1e8,
        GuardBandRight: 1e8,
        GuardBandBottom: 1e8,
        StencilCaps: mask(STENCIL),
        FVFCaps: mask(FVF) | D3DDP_MAXTEXCOORD,
        TextureOpCaps: mask(OPERATIONS),
        MaxTextureBlendStages: STAGES as u32,
        MaxSimultaneousTextures: STAGES as u32,
        VertexProcessingCaps: mask(VERTICES),
        MaxActiveLights: LIGHTS as u32,
        MaxUserClipPlanes: info.max_clip_planes.min(CLIP_PLANES as u32),
        MaxVertexBlendMatrices: 4,
        MaxVertexBlendMatrixIndex: 255,
        MaxPointSize: info.max_point_size.max(1.0),
        MaxPrimitiveCount: 0x00ff_ffff,
        MaxVertexIndex: 0x00ff_ffff,
        MaxStreams: STREAMS as u32,
        MaxStreamStride: 2048,
        VertexShaderVersion: VERTEX_SHADER_3_0,
        MaxVertexShaderConst: 256,
        PixelShaderVersion: PIXEL_SHADER_3_0,
        PixelShader1xMaxValue: f32::MAX,
        DevCaps2: mask(DEVICE_2),
        MaxNpatchTessellationLevel: 0.0,
        MasterAdapterOrdinal: D3DADAPTER_DEFAULT,
        NumberOfAdaptersInGroup: 1,
        DeclTypes: mask(ELEMENTS),
        NumSimultaneousRTs: info.max_color_targets.clamp(1, TARGETS as u32),
        StretchRectFilterCaps: mask(STRETCH_FILTERS),
        VS20Caps: D3DVSHADERCAPS2_0 {
            Caps: mask(VERTEX_SHADERS),
            DynamicFlowControlDepth: D3DVS20_MAX_DYNAMICFLOWCONTROLDEPTH as i32,
            NumTemps: D3DVS20_MAX_NUMTEMPS as i32,
            StaticFlowControlDepth: D3DVS20_MAX_STATICFLOWCONTROLDEPTH as i32,
        },
        PS20Caps: D3DPSHADERCAPS2_0 {
            Caps: mask(PIXEL_SHADERS),
            DynamicFlowControlDepth: D3DPS20_MAX_DYNAMICFLOWCONTROLDEPTH as i32,
            NumTemps: D3DPS20_MAX_NUMTEMPS as i32,
            StaticFlowControlDepth: D3DPS20_MAX_STATICFLOWCONTROLDEPTH as i32,
            NumInstructionSlots: D3DPS20_MAX_NUMINSTRUCTIONSLOTS as i32,
        },
        VertexTextureFilterCaps: if vertex_texture { mask(VERTEX_FILTERS) } else { 0 },
        MaxVShaderInstructionsExecuted: 0xffff,
        MaxPShaderInstructionsExecuted: 0xffff,
        MaxVertexShader30InstructionSlots: D3DMAX30SHADERINSTRUCTIONS,
        MaxPixelShader30InstructionSlots: D3DMAX30SHADERINSTRUCTIONS,
        ..D3DCAPS9::default()
    }
}
