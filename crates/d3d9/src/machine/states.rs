//! Every state of a device, in one field of numbers.

use super::groups::Group;
use super::registers::{CLIP_PLANES, SAMPLERS, STREAMS, TARGETS};
use super::{RenderStates, SamplerStates, StageStates};
use afterimage_state::{Tracker, states};

states! {
    /// The states of a Direct3D 9 device. Beside what a program sets there are numbers for what of it several groups read by itself
    /// (the kind of a texture, whether there is a pixel shader), for the contents of textures, and for what drivers and users add.
    pub space DeviceState of Group {
        /// `D3DRS_*`.
        RENDER [1] "render state": RenderStates;
        /// `D3DSAMP_*` of each slot.
        SAMPLER [SAMPLERS] "sampler": SamplerStates;
        /// `D3DTSS_*` of each stage.
        STAGE [8] "stage": StageStates;
        /// The texture of each slot.
        TEXTURE [SAMPLERS] "texture" => Textures;
        /// New texels of the texture of a slot, or another level of detail: nothing that has a value of its own.
        TEXELS [SAMPLERS] "texels of texture" => Textures;
        /// What kind of texture each stage has.
        TEXTURE_KIND [8] "kind of texture" => PixelShader;
        /// Buffer, offset and stride of each stream.
        STREAM [STREAMS] "stream" => VertexBuffers;
        /// `SetStreamSourceFreq` of each stream.
        FREQUENCY [STREAMS] "frequency of stream" => VertexInput;
        /// The index buffer.
        INDICES [1] "indices" => IndexBuffer;
        /// The vertex declaration.
        DECLARATION [1] "declaration" => Raster, VertexShader, PixelOps, VertexInput;
        /// The vertex shader.
        VERTEX_SHADER [1] "vertex shader" => VertexShader;
        /// A draw with the bound vertex shader has failed, since that needs software vertex processing.
        VERTEX_SHADER_FAILED [1] "failed vertex shader" => VertexShader;
        /// `SetSoftwareVertexProcessing`.
        SOFTWARE [1] "software vertex processing" => VertexShader;
        /// The pixel shader.
        PIXEL_SHADER [1] "pixel shader" => PixelShader;
        /// Whether there is one.
        HAS_PIXEL_SHADER [1] "presence of a pixel shader" => VertexShader;
        /// The files of the vertex stage's constants: floats, integers, booleans.
        VERTEX_CONSTANTS [3] "vertex constants" => VertexConstants;
        /// The same of the pixel stage.
        PIXEL_CONSTANTS [3] "pixel constants" => PixelConstants;
        /// Colour targets.
        TARGET [TARGETS] "target" => RenderTargets, Scissor, Raster, Blend;
        /// The depth buffer.
        DEPTH [1] "depth buffer" => RenderTargets, Scissor, DepthStencil;
        /// The viewport.
        VIEWPORT [1] "viewport" => Viewport, Scissor, FixedViewport, FixedParameters;
        /// The scissor rectangle.
        SCISSOR [1] "scissor" => Scissor;
        /// `D3DTS_VIEW`.
        VIEW [1] "view matrix" => ClipPlanes, FixedMatrices, FixedWorlds, FixedLights;
        /// `D3DTS_PROJECTION`.
        PROJECTION [1] "projection matrix" => PixelOps, FixedMatrices;
        /// `D3DTS_TEXTURE0` and on.
        TEXTURE_MATRIX [8] "texture matrix" => FixedTextureMatrices;
        /// The world matrices of vertex blending.
        WORLD [4] "world matrix" => FixedMatrices, FixedWorlds;
        /// Those that only blending by index reaches.
        INDEXED_WORLD [252] "indexed world matrix" => FixedWorlds;
        /// The material.
        MATERIAL [1] "material" => FixedMaterial;
        /// The lights that are on.
        LIGHTS [1] "lights" => VertexShader, FixedLights;
        /// Clip planes.
        CLIP_PLANE [CLIP_PLANES] "clip plane" => ClipPlanes;
        /// `SetNPatchMode`.
        NPATCHES [1] "N-patch segments";
        /// AMD's alpha to coverage.
        ALPHA_TO_MASK [1] "alpha to mask" => Raster;
        /// What the user wants of filters.
        FILTERING [1] "overrides of filters" => Textures;
    }
}

/// The dirty set of a device.
pub type DeviceTracker = Tracker<DeviceState>;
