//! `D3DCAPS9`: what the device can do. Every bit stands for something that is drawn, or for a limit of the stream; the
//! facts about the hardware come from the receiver.

use crate::machine::{CLIP_PLANES, STREAMS, TARGETS};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};

/// Shader model 3.0 as the capability fields give it.
const VERTEX_SHADER_3_0: u32 = 0xfffe_0300;
const PIXEL_SHADER_3_0: u32 = 0xffff_0300;

/// The comparison functions are the same for depth and alpha.
const COMPARE: u32 = D3DPCMPCAPS_NEVER
    | D3DPCMPCAPS_LESS
    | D3DPCMPCAPS_EQUAL
    | D3DPCMPCAPS_LESSEQUAL
    | D3DPCMPCAPS_GREATER
    | D3DPCMPCAPS_NOTEQUAL
    | D3DPCMPCAPS_GREATEREQUAL
    | D3DPCMPCAPS_ALWAYS;

const BLEND: u32 = D3DPBLENDCAPS_ZERO
    | D3DPBLENDCAPS_ONE
    | D3DPBLENDCAPS_SRCCOLOR
    | D3DPBLENDCAPS_INVSRCCOLOR
    | D3DPBLENDCAPS_SRCALPHA
    | D3DPBLENDCAPS_INVSRCALPHA
    | D3DPBLENDCAPS_DESTALPHA
    | D3DPBLENDCAPS_INVDESTALPHA
    | D3DPBLENDCAPS_DESTCOLOR
    | D3DPBLENDCAPS_INVDESTCOLOR
    | D3DPBLENDCAPS_SRCALPHASAT
    | D3DPBLENDCAPS_BOTHSRCALPHA
    | D3DPBLENDCAPS_BOTHINVSRCALPHA
    | D3DPBLENDCAPS_BLENDFACTOR;

const TEXTURE_OPS: u32 = D3DTEXOPCAPS_DISABLE
    | D3DTEXOPCAPS_SELECTARG1
    | D3DTEXOPCAPS_SELECTARG2
    | D3DTEXOPCAPS_MODULATE
    | D3DTEXOPCAPS_MODULATE2X
    | D3DTEXOPCAPS_MODULATE4X
    | D3DTEXOPCAPS_ADD
    | D3DTEXOPCAPS_ADDSIGNED
    | D3DTEXOPCAPS_ADDSIGNED2X
    | D3DTEXOPCAPS_SUBTRACT
    | D3DTEXOPCAPS_ADDSMOOTH
    | D3DTEXOPCAPS_BLENDDIFFUSEALPHA
    | D3DTEXOPCAPS_BLENDTEXTUREALPHA
    | D3DTEXOPCAPS_BLENDFACTORALPHA
    | D3DTEXOPCAPS_BLENDTEXTUREALPHAPM
    | D3DTEXOPCAPS_BLENDCURRENTALPHA
    | D3DTEXOPCAPS_MODULATEALPHA_ADDCOLOR
    | D3DTEXOPCAPS_MODULATECOLOR_ADDALPHA
    | D3DTEXOPCAPS_MODULATEINVALPHA_ADDCOLOR
    | D3DTEXOPCAPS_MODULATEINVCOLOR_ADDALPHA
    | D3DTEXOPCAPS_BUMPENVMAP
    | D3DTEXOPCAPS_BUMPENVMAPLUMINANCE
    | D3DTEXOPCAPS_DOTPRODUCT3
    | D3DTEXOPCAPS_MULTIPLYADD
    | D3DTEXOPCAPS_LERP;

const ADDRESS: u32 = D3DPTADDRESSCAPS_WRAP
    | D3DPTADDRESSCAPS_MIRROR
    | D3DPTADDRESSCAPS_CLAMP
    | D3DPTADDRESSCAPS_BORDER
    | D3DPTADDRESSCAPS_INDEPENDENTUV
    | D3DPTADDRESSCAPS_MIRRORONCE;

/// The capabilities of a device.
pub(super) fn caps(info: &DeviceInfo) -> D3DCAPS9 {
    let anisotropic = info.max_anisotropy > 1.0;
    let filter = D3DPTFILTERCAPS_MINFPOINT
        | D3DPTFILTERCAPS_MINFLINEAR
        | D3DPTFILTERCAPS_MIPFPOINT
        | D3DPTFILTERCAPS_MIPFLINEAR
        | D3DPTFILTERCAPS_MAGFPOINT
        | D3DPTFILTERCAPS_MAGFLINEAR
        | if anisotropic { D3DPTFILTERCAPS_MINFANISOTROPIC | D3DPTFILTERCAPS_MAGFANISOTROPIC } else { 0 };
    let points = D3DPTFILTERCAPS_MINFPOINT | D3DPTFILTERCAPS_MAGFPOINT;
    let lines = D3DPTFILTERCAPS_MINFLINEAR | D3DPTFILTERCAPS_MAGFLINEAR;
    let vertex_texture = info.features(Format::R32G32B32A32_SFLOAT) & FormatFeatures::VERTEX_TEXTURE != 0;
    let edge = info.max_texture_2d.min(super::MAX_EDGE);
    D3DCAPS9 {
        DeviceType: D3DDEVTYPE_HAL,
        AdapterOrdinal: D3DADAPTER_DEFAULT,
        Caps2: D3DCAPS2_CANAUTOGENMIPMAP | D3DCAPS2_DYNAMICTEXTURES,
        Caps3: D3DCAPS3_ALPHA_FULLSCREEN_FLIP_OR_DISCARD | D3DCAPS3_COPY_TO_VIDMEM | D3DCAPS3_COPY_TO_SYSTEMMEM,
        PresentationIntervals: D3DPRESENT_INTERVAL_IMMEDIATE
            | D3DPRESENT_INTERVAL_ONE
            | D3DPRESENT_INTERVAL_TWO
            | D3DPRESENT_INTERVAL_THREE
            | D3DPRESENT_INTERVAL_FOUR,
        DevCaps: D3DDEVCAPS_EXECUTESYSTEMMEMORY
            | D3DDEVCAPS_EXECUTEVIDEOMEMORY
            | D3DDEVCAPS_TLVERTEXSYSTEMMEMORY
            | D3DDEVCAPS_TLVERTEXVIDEOMEMORY
            | D3DDEVCAPS_TEXTUREVIDEOMEMORY
            | D3DDEVCAPS_TEXTURENONLOCALVIDMEM
            | D3DDEVCAPS_DRAWPRIMTLVERTEX
            | D3DDEVCAPS_CANRENDERAFTERFLIP
            | D3DDEVCAPS_DRAWPRIMITIVES2
            | D3DDEVCAPS_DRAWPRIMITIVES2EX
            | D3DDEVCAPS_HWTRANSFORMANDLIGHT
            | D3DDEVCAPS_HWRASTERIZATION
            | D3DDEVCAPS_CANBLTSYSTONONLOCAL
            | D3DDEVCAPS_PUREDEVICE,
        PrimitiveMiscCaps: D3DPMISCCAPS_MASKZ
            | D3DPMISCCAPS_CULLNONE
            | D3DPMISCCAPS_CULLCW
            | D3DPMISCCAPS_CULLCCW
            | D3DPMISCCAPS_COLORWRITEENABLE
            | D3DPMISCCAPS_TSSARGTEMP
            | D3DPMISCCAPS_BLENDOP
            | D3DPMISCCAPS_INDEPENDENTWRITEMASKS
            | D3DPMISCCAPS_PERSTAGECONSTANT
            | D3DPMISCCAPS_SEPARATEALPHABLEND
            | D3DPMISCCAPS_MRTINDEPENDENTBITDEPTHS
            | D3DPMISCCAPS_MRTPOSTPIXELSHADERBLENDING
            | D3DPMISCCAPS_FOGVERTEXCLAMPED
            | D3DPMISCCAPS_POSTBLENDSRGBCONVERT,
        RasterCaps: D3DPRASTERCAPS_DITHER
            | D3DPRASTERCAPS_ZTEST
            | D3DPRASTERCAPS_FOGVERTEX
            | D3DPRASTERCAPS_FOGTABLE
            | D3DPRASTERCAPS_FOGRANGE
            | D3DPRASTERCAPS_ZFOG
            | D3DPRASTERCAPS_WFOG
            | D3DPRASTERCAPS_MIPMAPLODBIAS
            | D3DPRASTERCAPS_COLORPERSPECTIVE
            | D3DPRASTERCAPS_SCISSORTEST
            | D3DPRASTERCAPS_SLOPESCALEDEPTHBIAS
            | D3DPRASTERCAPS_DEPTHBIAS
            | D3DPRASTERCAPS_MULTISAMPLE_TOGGLE
            | if anisotropic { D3DPRASTERCAPS_ANISOTROPY } else { 0 },
        ZCmpCaps: COMPARE,
        SrcBlendCaps: BLEND,
        DestBlendCaps: BLEND,
        AlphaCmpCaps: COMPARE,
        ShadeCaps: D3DPSHADECAPS_COLORGOURAUDRGB
            | D3DPSHADECAPS_SPECULARGOURAUDRGB
            | D3DPSHADECAPS_ALPHAGOURAUDBLEND
            | D3DPSHADECAPS_FOGGOURAUD,
        TextureCaps: D3DPTEXTURECAPS_PERSPECTIVE
            | D3DPTEXTURECAPS_ALPHA
            | D3DPTEXTURECAPS_TEXREPEATNOTSCALEDBYSIZE
            | D3DPTEXTURECAPS_PROJECTED
            | D3DPTEXTURECAPS_CUBEMAP
            | D3DPTEXTURECAPS_VOLUMEMAP
            | D3DPTEXTURECAPS_MIPMAP
            | D3DPTEXTURECAPS_MIPVOLUMEMAP
            | D3DPTEXTURECAPS_MIPCUBEMAP,
        TextureFilterCaps: filter,
        CubeTextureFilterCaps: filter,
        VolumeTextureFilterCaps: filter,
        TextureAddressCaps: ADDRESS,
        VolumeTextureAddressCaps: ADDRESS,
        LineCaps: D3DLINECAPS_TEXTURE | D3DLINECAPS_ZTEST | D3DLINECAPS_BLEND | D3DLINECAPS_ALPHACMP | D3DLINECAPS_FOG,
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
        StencilCaps: D3DSTENCILCAPS_KEEP
            | D3DSTENCILCAPS_ZERO
            | D3DSTENCILCAPS_REPLACE
            | D3DSTENCILCAPS_INCRSAT
            | D3DSTENCILCAPS_DECRSAT
            | D3DSTENCILCAPS_INVERT
            | D3DSTENCILCAPS_INCR
            | D3DSTENCILCAPS_DECR
            | D3DSTENCILCAPS_TWOSIDED,
        FVFCaps: D3DFVFCAPS_PSIZE | D3DDP_MAXTEXCOORD,
        TextureOpCaps: TEXTURE_OPS,
        MaxTextureBlendStages: STAGES as u32,
        MaxSimultaneousTextures: STAGES as u32,
        VertexProcessingCaps: D3DVTXPCAPS_TEXGEN
            | D3DVTXPCAPS_TEXGEN_SPHEREMAP
            | D3DVTXPCAPS_MATERIALSOURCE7
            | D3DVTXPCAPS_DIRECTIONALLIGHTS
            | D3DVTXPCAPS_POSITIONALLIGHTS
            | D3DVTXPCAPS_LOCALVIEWER
            | D3DVTXPCAPS_TWEENING,
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
        DevCaps2: D3DDEVCAPS2_STREAMOFFSET
            | D3DDEVCAPS2_CAN_STRETCHRECT_FROM_TEXTURES
            | D3DDEVCAPS2_VERTEXELEMENTSCANSHARESTREAMOFFSET,
        MaxNpatchTessellationLevel: 0.0,
        MasterAdapterOrdinal: D3DADAPTER_DEFAULT,
        NumberOfAdaptersInGroup: 1,
        DeclTypes: D3DDTCAPS_UBYTE4
            | D3DDTCAPS_UBYTE4N
            | D3DDTCAPS_SHORT2N
            | D3DDTCAPS_SHORT4N
            | D3DDTCAPS_USHORT2N
            | D3DDTCAPS_USHORT4N
            | D3DDTCAPS_UDEC3
            | D3DDTCAPS_DEC3N
            | D3DDTCAPS_FLOAT16_2
            | D3DDTCAPS_FLOAT16_4,
        NumSimultaneousRTs: info.max_color_targets.clamp(1, TARGETS as u32),
        StretchRectFilterCaps: points | lines,
        VS20Caps: D3DVSHADERCAPS2_0 {
            Caps: D3DVS20CAPS_PREDICATION,
            DynamicFlowControlDepth: D3DVS20_MAX_DYNAMICFLOWCONTROLDEPTH as i32,
            NumTemps: D3DVS20_MAX_NUMTEMPS as i32,
            StaticFlowControlDepth: D3DVS20_MAX_STATICFLOWCONTROLDEPTH as i32,
        },
        PS20Caps: D3DPSHADERCAPS2_0 {
            Caps: D3DPS20CAPS_ARBITRARYSWIZZLE
                | D3DPS20CAPS_GRADIENTINSTRUCTIONS
                | D3DPS20CAPS_PREDICATION
                | D3DPS20CAPS_NODEPENDENTREADLIMIT
                | D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT,
            DynamicFlowControlDepth: D3DPS20_MAX_DYNAMICFLOWCONTROLDEPTH as i32,
            NumTemps: D3DPS20_MAX_NUMTEMPS as i32,
            StaticFlowControlDepth: D3DPS20_MAX_STATICFLOWCONTROLDEPTH as i32,
            NumInstructionSlots: D3DPS20_MAX_NUMINSTRUCTIONSLOTS as i32,
        },
        VertexTextureFilterCaps: if vertex_texture { points | lines } else { 0 },
        MaxVShaderInstructionsExecuted: 0xffff,
        MaxPShaderInstructionsExecuted: 0xffff,
        MaxVertexShader30InstructionSlots: D3DMAX30SHADERINSTRUCTIONS,
        MaxPixelShader30InstructionSlots: D3DMAX30SHADERINSTRUCTIONS,
        ..D3DCAPS9::default()
    }
}
