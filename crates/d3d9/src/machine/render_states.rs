//! `D3DRS_*`: number, name, default, groups that read it. Defaults are those of the published documentation of
//! `D3DRENDERSTATETYPE`; floats are given as their bits. Two depend on the device: `D3DRS_ZENABLE` is off without an
//! automatic depth buffer, and `D3DRS_POINTSIZE_MAX` is the capability.

use super::groups::Group;
use afterimage_state::state_table;

const ZERO: u32 = 0.0f32.to_bits();
const ONE: u32 = 1.0f32.to_bits();

state_table! {
    /// Every render state.
    pub(crate) table RenderStates of Group {
        7 D3DRS_ZENABLE = 1 => DepthStencil;
        8 D3DRS_FILLMODE = 3 => Raster;
        9 D3DRS_SHADEMODE = 2 => PixelOps;
        14 D3DRS_ZWRITEENABLE = 1 => DepthStencil;
        15 D3DRS_ALPHATESTENABLE = 0 => Raster, PixelOps;
        16 D3DRS_LASTPIXEL = 1;
        19 D3DRS_SRCBLEND = 2 => Blend;
        20 D3DRS_DESTBLEND = 1 => Blend;
        22 D3DRS_CULLMODE = 3 => Raster;
        23 D3DRS_ZFUNC = 4 => DepthStencil;
        24 D3DRS_ALPHAREF = 0 => PixelOps;
        25 D3DRS_ALPHAFUNC = 8 => PixelOps;
        26 D3DRS_DITHERENABLE = 0;
        27 D3DRS_ALPHABLENDENABLE = 0 => Blend;
        28 D3DRS_FOGENABLE = 0 => VertexShader, PixelOps;
        29 D3DRS_SPECULARENABLE = 0 => VertexShader, PixelShader;
        34 D3DRS_FOGCOLOR = 0 => PixelOps;
        35 D3DRS_FOGTABLEMODE = 0 => VertexShader, PixelOps;
        36 D3DRS_FOGSTART = ZERO => PixelOps, FixedParameters;
        37 D3DRS_FOGEND = ONE => PixelOps, FixedParameters;
        38 D3DRS_FOGDENSITY = ONE => PixelOps, FixedParameters;
        48 D3DRS_RANGEFOGENABLE = 0 => VertexShader;
        52 D3DRS_STENCILENABLE = 0 => DepthStencil;
        53 D3DRS_STENCILFAIL = 1 => DepthStencil;
        54 D3DRS_STENCILZFAIL = 1 => DepthStencil;
        55 D3DRS_STENCILPASS = 1 => DepthStencil;
        56 D3DRS_STENCILFUNC = 8 => DepthStencil;
        57 D3DRS_STENCILREF = 0 => DepthStencil;
        58 D3DRS_STENCILMASK = 0xffff_ffff => DepthStencil;
        59 D3DRS_STENCILWRITEMASK = 0xffff_ffff => DepthStencil;
        60 D3DRS_TEXTUREFACTOR = 0xffff_ffff => FixedPixelConstants;
        128 D3DRS_WRAP0 = 0;
        129 D3DRS_WRAP1 = 0;
        130 D3DRS_WRAP2 = 0;
        131 D3DRS_WRAP3 = 0;
        132 D3DRS_WRAP4 = 0;
        133 D3DRS_WRAP5 = 0;
        134 D3DRS_WRAP6 = 0;
        135 D3DRS_WRAP7 = 0;
        136 D3DRS_CLIPPING = 1;
        137 D3DRS_LIGHTING = 1 => VertexShader;
        139 D3DRS_AMBIENT = 0 => FixedParameters;
        140 D3DRS_FOGVERTEXMODE = 0 => VertexShader;
        141 D3DRS_COLORVERTEX = 1 => VertexShader;
        142 D3DRS_LOCALVIEWER = 1 => VertexShader;
        143 D3DRS_NORMALIZENORMALS = 0 => VertexShader;
        145 D3DRS_DIFFUSEMATERIALSOURCE = 1 => VertexShader;
        146 D3DRS_SPECULARMATERIALSOURCE = 2 => VertexShader;
        147 D3DRS_AMBIENTMATERIALSOURCE = 0 => VertexShader;
        148 D3DRS_EMISSIVEMATERIALSOURCE = 0 => VertexShader;
        151 D3DRS_VERTEXBLEND = 0 => VertexShader;
        152 D3DRS_CLIPPLANEENABLE = 0 => PixelOps, ClipPlanes;
        154 D3DRS_POINTSIZE = ONE => Raster, FixedParameters;
        155 D3DRS_POINTSIZE_MIN = ONE => Raster;
        156 D3DRS_POINTSPRITEENABLE = 0 => PixelOps;
        157 D3DRS_POINTSCALEENABLE = 0 => VertexShader;
        158 D3DRS_POINTSCALE_A = ONE => FixedParameters;
        159 D3DRS_POINTSCALE_B = ZERO => FixedParameters;
        160 D3DRS_POINTSCALE_C = ZERO => FixedParameters;
        161 D3DRS_MULTISAMPLEANTIALIAS = 1;
        162 D3DRS_MULTISAMPLEMASK = 0xffff_ffff => Raster;
        163 D3DRS_PATCHEDGESTYLE = 0;
        165 D3DRS_DEBUGMONITORTOKEN = 0;
        166 D3DRS_POINTSIZE_MAX = 64.0f32.to_bits() => Raster;
        167 D3DRS_INDEXEDVERTEXBLENDENABLE = 0 => VertexShader;
        168 D3DRS_COLORWRITEENABLE = 15 => Blend;
        170 D3DRS_TWEENFACTOR = ZERO => FixedParameters;
        171 D3DRS_BLENDOP = 1 => Blend;
        172 D3DRS_POSITIONDEGREE = 3;
        173 D3DRS_NORMALDEGREE = 1;
        174 D3DRS_SCISSORTESTENABLE = 0 => Scissor;
        175 D3DRS_SLOPESCALEDEPTHBIAS = ZERO => Raster;
        176 D3DRS_ANTIALIASEDLINEENABLE = 0 => Raster;
        178 D3DRS_MINTESSELLATIONLEVEL = ONE;
        179 D3DRS_MAXTESSELLATIONLEVEL = ONE;
        180 D3DRS_ADAPTIVETESS_X = ZERO;
        181 D3DRS_ADAPTIVETESS_Y = ZERO => Raster;
        182 D3DRS_ADAPTIVETESS_Z = ONE;
        183 D3DRS_ADAPTIVETESS_W = ZERO;
        184 D3DRS_ENABLEADAPTIVETESSELLATION = 0;
        185 D3DRS_TWOSIDEDSTENCILMODE = 0 => DepthStencil;
        186 D3DRS_CCW_STENCILFAIL = 1 => DepthStencil;
        187 D3DRS_CCW_STENCILZFAIL = 1 => DepthStencil;
        188 D3DRS_CCW_STENCILPASS = 1 => DepthStencil;
        189 D3DRS_CCW_STENCILFUNC = 8 => DepthStencil;
        190 D3DRS_COLORWRITEENABLE1 = 15 => Blend;
        191 D3DRS_COLORWRITEENABLE2 = 15 => Blend;
        192 D3DRS_COLORWRITEENABLE3 = 15 => Blend;
        193 D3DRS_BLENDFACTOR = 0xffff_ffff => Blend;
        194 D3DRS_SRGBWRITEENABLE = 0 => RenderTargets;
        195 D3DRS_DEPTHBIAS = ZERO => Raster;
        198 D3DRS_WRAP8 = 0;
        199 D3DRS_WRAP9 = 0;
        200 D3DRS_WRAP10 = 0;
        201 D3DRS_WRAP11 = 0;
        202 D3DRS_WRAP12 = 0;
        203 D3DRS_WRAP13 = 0;
        204 D3DRS_WRAP14 = 0;
        205 D3DRS_WRAP15 = 0;
        206 D3DRS_SEPARATEALPHABLENDENABLE = 0 => Blend;
        207 D3DRS_SRCBLENDALPHA = 2 => Blend;
        208 D3DRS_DESTBLENDALPHA = 1 => Blend;
        209 D3DRS_BLENDOPALPHA = 1 => Blend;
    }
}

/// States that Direct3D draws by and we do not, nor promise to among the capabilities. A warning names those that a program sets.
/// Hardware of its last years knew no dithering of colours and no n-patches either.
pub(crate) const UNDRAWN: [u32; 25] = [
    RenderStates::D3DRS_LASTPIXEL,
    RenderStates::D3DRS_DITHERENABLE,
    RenderStates::D3DRS_WRAP0,
    RenderStates::D3DRS_WRAP1,
    RenderStates::D3DRS_WRAP2,
    RenderStates::D3DRS_WRAP3,
    RenderStates::D3DRS_WRAP4,
    RenderStates::D3DRS_WRAP5,
    RenderStates::D3DRS_WRAP6,
    RenderStates::D3DRS_WRAP7,
    RenderStates::D3DRS_WRAP8,
    RenderStates::D3DRS_WRAP9,
    RenderStates::D3DRS_WRAP10,
    RenderStates::D3DRS_WRAP11,
    RenderStates::D3DRS_WRAP12,
    RenderStates::D3DRS_WRAP13,
    RenderStates::D3DRS_WRAP14,
    RenderStates::D3DRS_WRAP15,
    RenderStates::D3DRS_MULTISAMPLEANTIALIAS,
    RenderStates::D3DRS_PATCHEDGESTYLE,
    RenderStates::D3DRS_POSITIONDEGREE,
    RenderStates::D3DRS_NORMALDEGREE,
    RenderStates::D3DRS_MINTESSELLATIONLEVEL,
    RenderStates::D3DRS_MAXTESSELLATIONLEVEL,
    RenderStates::D3DRS_ENABLEADAPTIVETESSELLATION,
];

/// States that change no picture: a promise that nothing has to be clipped, a debugger's mark, and what adaptive tessellation goes
/// by where it is on.
#[cfg(test)]
pub(crate) const WITHOUT_EFFECT: [u32; 5] = [
    RenderStates::D3DRS_CLIPPING,
    RenderStates::D3DRS_DEBUGMONITORTOKEN,
    RenderStates::D3DRS_ADAPTIVETESS_X,
    RenderStates::D3DRS_ADAPTIVETESS_Z,
    RenderStates::D3DRS_ADAPTIVETESS_W,
];
