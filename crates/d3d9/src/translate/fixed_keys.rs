//! The fixed stages as keys: what of the state changes their code.

use crate::driver::Device;
use crate::machine::{Declaration, RenderStates as RS, StageStates as TSS, components, fixed_inputs};
use crate::memory::ImageKind;
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_shader_d3d9::{FixedPixelKey, FixedStage, FixedVertexKey, TexCoordKey};

/// An operation or argument, which fits a byte; what does not is no operation.
fn small(value: u32) -> u8 {
    u8::try_from(value).unwrap_or(0)
}

/// A kind of texture as the pixel key numbers it; 0 is none.
pub(crate) fn texture_kind(kind: Option<ImageKind>) -> u8 {
    match kind {
        Some(ImageKind::Texture) => 1,
        Some(ImageKind::Cube) => 2,
        Some(ImageKind::Volume) => 3,
        Some(ImageKind::Surface) | None => 0,
    }
}

/// Components of each coordinate set of a declaration; 0 where it has none.
fn coordinate_components(declaration: &Declaration) -> [u8; 8] {
    let mut out = [0; 8];
    for element in declaration.used() {
        if u32::from(element.Usage) == D3DDECLUSAGE_TEXCOORD && element.UsageIndex < 8 {
            out[usize::from(element.UsageIndex)] = components(element.Type);
        }
    }
    out
}

impl Device {
    /// How many stages run: those before the first whose colour operation is disabled.
    fn active_stages(&self) -> usize {
        let off = |stage: &usize| self.registers.stages[*stage].get(TSS::D3DTSS_COLOROP) <= D3DTOP_DISABLE;
        (0..STAGES).find(off).unwrap_or(STAGES)
    }

    pub(crate) fn fixed_vertex_key(&self) -> FixedVertexKey {
        // The program's own pixel shader may read the coordinates of every stage, and what else vertices have that nothing is
        // done to.
        let own = *self.registers.has_pixel_shader;
        let mut key = self.fixed_vertex_key_of(if own { STAGES } else { self.active_stages() });
        if own && key.has(FixedVertexKey::PRETRANSFORMED) {
            key.flags |= FixedVertexKey::PASSES;
        }
        key
    }

    /// The key of a fixed vertex stage that writes the coordinates of so many stages.
    pub(crate) fn fixed_vertex_key_of(&self, stages: usize) -> FixedVertexKey {
        let render = &self.registers.render;
        let on = |state| render.get(state) != 0;
        let mut key = FixedVertexKey::default();
        let Some(declaration) = self.registers.declaration.and_then(|id| self.objects.declarations.get(id)) else {
            return key;
        };
        let coordinates = coordinate_components(declaration);
        for element in declaration.used() {
            let input = fixed_inputs().find(|i| (i.usage, i.index) == (element.Usage, element.UsageIndex));
            key.inputs |= input.map_or(0, |input| 1 << input.location);
        }
        let mut flag = |on: bool, flag: u32| key.flags |= if on { flag } else { 0 };
        let transformed = declaration.transformed;
        let lighting = on(RS::D3DRS_LIGHTING) && !transformed;
        flag(transformed, FixedVertexKey::PRETRANSFORMED);
        // States that the others make meaningless stay out, so that they make no shader of their own.
        flag(lighting, FixedVertexKey::LIGHTING);
        flag(lighting && on(RS::D3DRS_SPECULARENABLE), FixedVertexKey::SPECULAR);
        if !transformed {
            key.inputs &= !FixedVertexKey::ONLY_PASSED;
            flag(on(RS::D3DRS_NORMALIZENORMALS), FixedVertexKey::NORMALIZE_NORMALS);
            flag(lighting && on(RS::D3DRS_LOCALVIEWER), FixedVertexKey::LOCAL_VIEWER);
            flag(on(RS::D3DRS_POINTSCALEENABLE), FixedVertexKey::POINT_SCALE);
            let blend = render.get(RS::D3DRS_VERTEXBLEND);
            let weights = matches!(blend, D3DVBF_1WEIGHTS..=D3DVBF_3WEIGHTS);
            key.blend_weights = if weights { blend as u8 } else { 0 };
            let indexed = (weights || blend == D3DVBF_0WEIGHTS) && on(RS::D3DRS_INDEXEDVERTEXBLENDENABLE);
            flag(indexed, FixedVertexKey::INDEXED_BLEND);
            flag(blend == D3DVBF_TWEENING, FixedVertexKey::TWEENING);
        }
        if on(RS::D3DRS_FOGENABLE) && render.get(RS::D3DRS_FOGTABLEMODE) == D3DFOG_NONE && !transformed {
            key.fog_mode = small(render.get(RS::D3DRS_FOGVERTEXMODE)).min(3);
            flag(key.fog_mode != 0 && on(RS::D3DRS_RANGEFOGENABLE), FixedVertexKey::RANGE_FOG);
        }
        if lighting {
            // Without vertex colours every source is the material.
            let source = |state| if on(RS::D3DRS_COLORVERTEX) { small(render.get(state)).min(2) } else { 0 };
            key.diffuse_source = source(RS::D3DRS_DIFFUSEMATERIALSOURCE);
            key.ambient_source = source(RS::D3DRS_AMBIENTMATERIALSOURCE);
            key.specular_source = source(RS::D3DRS_SPECULARMATERIALSOURCE);
            key.emissive_source = source(RS::D3DRS_EMISSIVEMATERIALSOURCE);
            for (kind, light) in key.lights.iter_mut().zip(self.registers.lights.enabled().take(LIGHTS)) {
                *kind = small(light.Type);
            }
        }
        for (stage, states) in self.registers.stages.iter().enumerate().take(stages) {
            let index = states.get(TSS::D3DTSS_TEXCOORDINDEX);
            let flags = states.get(TSS::D3DTSS_TEXTURETRANSFORMFLAGS);
            let set = (index & 7) as usize;
            // More than four coordinates are none that could be transformed.
            let count = if flags & 0xff <= D3DTTFF_COUNT4 { flags as u8 } else { 0 };
            let projected = if flags & D3DTTFF_PROJECTED != 0 { TexCoordKey::PROJECTED } else { 0 };
            key.tex_coords[stage] = TexCoordKey {
                used: 1,
                set: set as u8,
                generation: small(index >> 16),
                transform: count | projected,
                components: coordinates[set],
                pad: [0; 3],
            };
        }
        key
    }

    pub(crate) fn fixed_pixel_key(&self) -> FixedPixelKey {
        let mut key = FixedPixelKey::default();
        if self.registers.render.get(RS::D3DRS_SPECULARENABLE) != 0 {
            key.flags |= FixedPixelKey::SPECULAR;
        }
        for stage in 0..self.active_stages() {
            let states = &self.registers.stages[stage];
            let get = |state| small(states.get(state));
            let flags = states.get(TSS::D3DTSS_TEXTURETRANSFORMFLAGS);
            key.stages[stage] = FixedStage {
                color_op: get(TSS::D3DTSS_COLOROP),
                color_args: [get(TSS::D3DTSS_COLORARG0), get(TSS::D3DTSS_COLORARG1), get(TSS::D3DTSS_COLORARG2)],
                alpha_op: get(TSS::D3DTSS_ALPHAOP),
                alpha_args: [get(TSS::D3DTSS_ALPHAARG0), get(TSS::D3DTSS_ALPHAARG1), get(TSS::D3DTSS_ALPHAARG2)],
                result_temp: u8::from(states.get(TSS::D3DTSS_RESULTARG) == D3DTA_TEMP),
                texture: self.registers.texture_kinds[stage],
                projected: u8::from(flags & D3DTTFF_PROJECTED != 0),
                pad: 0,
            };
        }
        key
    }
}
