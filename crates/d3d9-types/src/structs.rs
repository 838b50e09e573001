//! Structures, laid out as C lays them out.

use core::ffi::c_void;

use crate::*;

crate::tables::structs! {
    /// Globally unique identifier.
    GUID {
        Data1: u32, Data2: u16, Data3: u16, Data4: [u8; 8],
    }
    /// Locally unique identifier.
    LUID {
        LowPart: u32, HighPart: i32,
    }
    /// Point in pixels.
    POINT {
        x: i32, y: i32,
    }
    /// Rectangle in pixels; right and bottom are exclusive.
    RECT {
        left: i32, top: i32, right: i32, bottom: i32,
    }
    /// Palette entry.
    PALETTEENTRY {
        peRed: u8, peGreen: u8, peBlue: u8, peFlags: u8,
    }
    /// Header of a region.
    RGNDATAHEADER {
        dwSize: u32, iType: u32, nCount: u32, nRgnSize: u32, rcBound: RECT,
    }
    /// Region: header followed by `nCount` rectangles.
    RGNDATA {
        rdh: RGNDATAHEADER, Buffer: [i8; 1],
    }
    /// Vector of three floats.
    D3DVECTOR {
        x: f32, y: f32, z: f32,
    }
    /// Colour with float components.
    D3DCOLORVALUE {
        r: f32, g: f32, b: f32, a: f32,
    }
    /// Row-major 4x4 matrix for row vectors.
    D3DMATRIX {
        m: [[f32; 4]; 4],
    }
    /// Rectangle of `Clear`; x2 and y2 are exclusive.
    D3DRECT {
        x1: i32, y1: i32, x2: i32, y2: i32,
    }
    /// Part of a volume, in texels; right, bottom and back are exclusive.
    D3DBOX {
        Left: u32, Top: u32, Right: u32, Bottom: u32, Front: u32, Back: u32,
    }
    /// Viewport in pixels, with its depth range.
    D3DVIEWPORT9 {
        X: u32, Y: u32, Width: u32, Height: u32, MinZ: f32, MaxZ: f32,
    }
    /// Clip status.
    D3DCLIPSTATUS9 {
        ClipUnion: u32, ClipIntersection: u32,
    }
    /// Fixed-function material.
    D3DMATERIAL9 {
        Diffuse: D3DCOLORVALUE, Ambient: D3DCOLORVALUE, Specular: D3DCOLORVALUE, Emissive: D3DCOLORVALUE,
        Power: f32,
    }
    /// A fixed-function light; angles in radians.
    D3DLIGHT9 {
        Type: D3DLIGHTTYPE, Diffuse: D3DCOLORVALUE, Specular: D3DCOLORVALUE, Ambient: D3DCOLORVALUE,
        Position: D3DVECTOR, Direction: D3DVECTOR, Range: f32, Falloff: f32, Attenuation0: f32, Attenuation1: f32,
        Attenuation2: f32, Theta: f32, Phi: f32,
    }
    /// Element of a vertex declaration; offset in bytes.
    D3DVERTEXELEMENT9 {
        Stream: u16, Offset: u16, Type: u8, Method: u8, Usage: u8, UsageIndex: u8,
    }
    /// Display mode; the refresh rate is in hertz, 0 for the default.
    D3DDISPLAYMODE {
        Width: u32, Height: u32, RefreshRate: u32, Format: D3DFORMAT,
    }
    /// Display mode with scan line ordering.
    D3DDISPLAYMODEEX {
        Size: u32, Width: u32, Height: u32, RefreshRate: u32, Format: D3DFORMAT,
        ScanLineOrdering: D3DSCANLINEORDERING,
    }
    /// Which modes `EnumAdapterModesEx` lists.
    D3DDISPLAYMODEFILTER {
        Size: u32, Format: D3DFORMAT, ScanLineOrdering: D3DSCANLINEORDERING,
    }
    /// The arguments of `CreateDevice`.
    D3DDEVICE_CREATION_PARAMETERS {
        AdapterOrdinal: u32, DeviceType: D3DDEVTYPE, hFocusWindow: HWND, BehaviorFlags: u32,
    }
    /// Swap chain parameters.
    D3DPRESENT_PARAMETERS {
        BackBufferWidth: u32, BackBufferHeight: u32, BackBufferFormat: D3DFORMAT, BackBufferCount: u32,
        MultiSampleType: D3DMULTISAMPLE_TYPE, MultiSampleQuality: u32, SwapEffect: D3DSWAPEFFECT,
        hDeviceWindow: HWND, Windowed: BOOL, EnableAutoDepthStencil: BOOL, AutoDepthStencilFormat: D3DFORMAT,
        Flags: u32, FullScreen_RefreshRateInHz: u32, PresentationInterval: u32,
    }
    /// Presentation statistics.
    D3DPRESENTSTATS: packed4_on_x86 {
        PresentCount: u32, PresentRefreshCount: u32, SyncRefreshCount: u32, SyncQPCTime: i64, SyncGPUTime: i64,
    }
    /// Gamma ramp, 16 bits a channel.
    D3DGAMMARAMP {
        red: [u16; 256], green: [u16; 256], blue: [u16; 256],
    }
    /// Raster position.
    D3DRASTER_STATUS {
        InVBlank: BOOL, ScanLine: u32,
    }
    /// Description of a surface; size in pixels.
    D3DSURFACE_DESC {
        Format: D3DFORMAT, Type: D3DRESOURCETYPE, Usage: u32, Pool: D3DPOOL, MultiSampleType: D3DMULTISAMPLE_TYPE,
        MultiSampleQuality: u32, Width: u32, Height: u32,
    }
    /// Description of a volume; size in texels.
    D3DVOLUME_DESC {
        Format: D3DFORMAT, Type: D3DRESOURCETYPE, Usage: u32, Pool: D3DPOOL, Width: u32, Height: u32, Depth: u32,
    }
    /// Description of a vertex buffer; size in bytes.
    D3DVERTEXBUFFER_DESC {
        Format: D3DFORMAT, Type: D3DRESOURCETYPE, Usage: u32, Pool: D3DPOOL, Size: u32, FVF: u32,
    }
    /// Description of an index buffer; size in bytes.
    D3DINDEXBUFFER_DESC {
        Format: D3DFORMAT, Type: D3DRESOURCETYPE, Usage: u32, Pool: D3DPOOL, Size: u32,
    }
    /// Memory of a locked surface; pitch in bytes.
    D3DLOCKED_RECT {
        Pitch: i32, pBits: *mut c_void,
    }
    /// Memory of a locked volume; pitches in bytes.
    D3DLOCKED_BOX {
        RowPitch: i32, SlicePitch: i32, pBits: *mut c_void,
    }
    /// Rectangular patch.
    D3DRECTPATCH_INFO {
        StartVertexOffsetWidth: u32, StartVertexOffsetHeight: u32, Width: u32, Height: u32, Stride: u32,
        Basis: D3DBASISTYPE, Degree: D3DDEGREETYPE,
    }
    /// Triangular patch.
    D3DTRIPATCH_INFO {
        StartVertexOffset: u32, NumVertices: u32, Basis: D3DBASISTYPE, Degree: D3DDEGREETYPE,
    }
    /// Source rectangle of `ComposeRects`.
    D3DCOMPOSERECTDESC {
        X: u16, Y: u16, Width: u16, Height: u16,
    }
    /// Destination of `ComposeRects`.
    D3DCOMPOSERECTDESTINATION {
        SrcRectIndex: u16, Reserved: u16, X: i16, Y: i16,
    }
    /// What `GetAdapterIdentifier` tells about an adapter.
    D3DADAPTER_IDENTIFIER9: packed4_on_x86 {
        Driver: [i8; 512], Description: [i8; 512], DeviceName: [i8; 32], DriverVersion: i64, VendorId: u32,
        DeviceId: u32, SubSysId: u32, Revision: u32, DeviceIdentifier: GUID, WHQLLevel: u32,
    }
    /// Vertex shader 2.x capabilities.
    D3DVSHADERCAPS2_0 {
        Caps: u32, DynamicFlowControlDepth: i32, NumTemps: i32, StaticFlowControlDepth: i32,
    }
    /// Pixel shader 2.x capabilities.
    D3DPSHADERCAPS2_0 {
        Caps: u32, DynamicFlowControlDepth: i32, NumTemps: i32, StaticFlowControlDepth: i32,
        NumInstructionSlots: i32,
    }
    /// What a device can do.
    D3DCAPS9 {
        DeviceType: D3DDEVTYPE, AdapterOrdinal: u32, Caps: u32, Caps2: u32, Caps3: u32, PresentationIntervals: u32,
        CursorCaps: u32, DevCaps: u32, PrimitiveMiscCaps: u32, RasterCaps: u32, ZCmpCaps: u32, SrcBlendCaps: u32,
        DestBlendCaps: u32, AlphaCmpCaps: u32, ShadeCaps: u32, TextureCaps: u32, TextureFilterCaps: u32,
        CubeTextureFilterCaps: u32, VolumeTextureFilterCaps: u32, TextureAddressCaps: u32,
        VolumeTextureAddressCaps: u32, LineCaps: u32, MaxTextureWidth: u32, MaxTextureHeight: u32,
        MaxVolumeExtent: u32, MaxTextureRepeat: u32, MaxTextureAspectRatio: u32, MaxAnisotropy: u32,
        MaxVertexW: f32, GuardBandLeft: f32, GuardBandTop: f32, GuardBandRight: f32, GuardBandBottom: f32,
        ExtentsAdjust: f32, StencilCaps: u32, FVFCaps: u32, TextureOpCaps: u32, MaxTextureBlendStages: u32,
        MaxSimultaneousTextures: u32, VertexProcessingCaps: u32, MaxActiveLights: u32, MaxUserClipPlanes: u32,
        MaxVertexBlendMatrices: u32, MaxVertexBlendMatrixIndex: u32, MaxPointSize: f32, MaxPrimitiveCount: u32,
        MaxVertexIndex: u32, MaxStreams: u32, MaxStreamStride: u32, VertexShaderVersion: u32,
        MaxVertexShaderConst: u32, PixelShaderVersion: u32, PixelShader1xMaxValue: f32, DevCaps2: u32,
        MaxNpatchTessellationLevel: f32, Reserved5: u32, MasterAdapterOrdinal: u32, AdapterOrdinalInGroup: u32,
        NumberOfAdaptersInGroup: u32, DeclTypes: u32, NumSimultaneousRTs: u32, StretchRectFilterCaps: u32,
        VS20Caps: D3DVSHADERCAPS2_0, PS20Caps: D3DPSHADERCAPS2_0, VertexTextureFilterCaps: u32,
        MaxVShaderInstructionsExecuted: u32, MaxPShaderInstructionsExecuted: u32,
        MaxVertexShader30InstructionSlots: u32, MaxPixelShader30InstructionSlots: u32,
    }
    /// Result of `D3DQUERYTYPE_VERTEXSTATS`.
    D3DDEVINFO_D3DVERTEXSTATS {
        NumRenderedTriangles: u32, NumExtraClippingTriangles: u32,
    }
    /// Result of `D3DQUERYTYPE_VCACHE`.
    D3DDEVINFO_VCACHE {
        Pattern: u32, OptMethod: u32, CacheSize: u32, MagicNumber: u32,
    }
}
