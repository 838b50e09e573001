//! Registers of the fixed stages, computed from transforms, lights, material and states.
//!
//! They are kept as they were last computed, so that what comes out equal is not sent.

use super::{Source, constants::send, states::depth_range};
use crate::driver::Device;
use crate::format::color;
use crate::machine::*;
use crate::machine::{RenderStates as RS, StageStates as TSS};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_shader_d3d9::{Bank, FixedPixelRegister as P, FixedVertexRegister as V};

fn rgba(c: D3DCOLORVALUE) -> [f32; 4] {
    [c.r, c.g, c.b, c.a]
}

/// A vector (w = 0) or point (w = 1) times a matrix.
fn transform(v: D3DVECTOR, w: f32, m: &Matrix) -> [f32; 3] {
    std::array::from_fn(|column| v.x * m[0][column] + v.y * m[1][column] + v.z * m[2][column] + w * m[3][column])
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| c * c).sum::<f32>().sqrt();
    if length > 0.0 { v.map(|c| c / length) } else { v }
}

/// Zero instead of infinity, which would poison everything that it meets.
fn reciprocal(value: f32) -> f32 {
    if value == 0.0 { 0.0 } else { 1.0 / value }
}

fn store(constants: &mut Constants, first: u16, rows: &[[f32; 4]]) {
    constants.set(first.into(), bytemuck::cast_slice(rows));
}

impl Device {
    pub(crate) fn apply_fixed_vertex_constants(&mut self) {
        if !matches!(self.host.vertex.source, Some(Source::Fixed(_))) {
            return;
        }
        let indexed = self.host.vertex.reads.beyond;
        self.compute_fixed_vertex_constants(indexed);
        let out = &mut self.host.fixed_vertex_constants;
        send(&mut self.port, Bank::FixedVertex, out, &Bits::first(256), indexed);
    }

    /// Registers of the fixed vertex stage as they should be now; `indexed`: with the matrices of indexed blending.
    pub(crate) fn compute_fixed_vertex_constants(&mut self, indexed: bool) {
        let parts = std::mem::take(&mut self.registers.fixed_parts);
        let stale_worlds = if indexed { self.registers.transforms.take_stale_worlds() } else { 0..0 };
        let registers = &self.registers;
        let out = &mut self.host.fixed_vertex_constants;
        if parts & FixedParts::MATRICES != 0 {
            let world_view = multiply(registers.transforms.world(0), registers.transforms.view());
            let all = multiply(&world_view, registers.transforms.projection());
            store(out, V::WorldViewProjection.register(), &all);
            store(out, V::WorldView.register(), &world_view);
            // Normals turn with the inverse transpose of the whole matrix, affine or not.
            let inverted = inverse(&world_view);
            let normal: [[f32; 4]; 3] =
                std::array::from_fn(|row| [inverted[0][row], inverted[1][row], inverted[2][row], 0.0]);
            store(out, V::Normal.register(), &normal);
            for index in 1..4 {
                let world_view = multiply(registers.transforms.world(index), registers.transforms.view());
                store(out, V::BlendWorldView.element(index as u16 - 1), &world_view);
            }
            store(out, V::Projection.register(), registers.transforms.projection());
        }
        for index in stale_worlds {
            let world_view = multiply(registers.transforms.world(index), registers.transforms.view());
            store(out, V::IndexedWorldView.element(index as u16), &world_view);
        }
        if parts & FixedParts::VIEWPORT != 0 {
            let viewport = registers.viewport;
            let (width, height) = (viewport.Width.max(1) as f32, viewport.Height.max(1) as f32);
            let [near, far] = depth_range(&viewport);
            let z = reciprocal(far - near);
            // Window to clip: the viewport transform, backwards. Pixel centres are whole numbers on this side.
            let scale = [2.0 / width, -2.0 / height, z, 1.0];
            let offset =
                [-1.0 - 2.0 * viewport.X as f32 / width, 1.0 + 2.0 * viewport.Y as f32 / height, -near * z, 0.0];
            store(out, V::ViewportScale.register(), &[scale]);
            store(out, V::ViewportOffset.register(), &[offset]);
        }
        if parts & FixedParts::LIGHTS != 0 {
            let view = registers.transforms.view();
            for (index, light) in registers.lights.enabled().take(LIGHTS).enumerate() {
                let at = |register: V| register.element(index as u16);
                let [px, py, pz] = transform(light.Position, 1.0, view);
                let [dx, dy, dz] = normalized(transform(light.Direction, 0.0, view));
                let (inner, outer) = ((light.Theta / 2.0).cos(), (light.Phi / 2.0).cos());
                store(out, at(V::LightDiffuse), &[rgba(light.Diffuse)]);
                store(out, at(V::LightSpecular), &[rgba(light.Specular)]);
                store(out, at(V::LightAmbient), &[rgba(light.Ambient)]);
                store(out, at(V::LightPosition), &[[px, py, pz, light.Range]]);
                store(out, at(V::LightDirection), &[[dx, dy, dz, light.Falloff]]);
                let attenuation = [light.Attenuation0, light.Attenuation1, light.Attenuation2, 0.0];
                store(out, at(V::LightAttenuation), &[attenuation]);
                store(out, at(V::LightSpot), &[[inner, outer, reciprocal(inner - outer), 0.0]]);
            }
        }
        for stage in 0..STAGES {
            if parts & FixedParts::TEXTURE_MATRIX << stage != 0 {
                store(out, V::TextureMatrix.element(stage as u16), registers.transforms.texture(stage));
            }
        }
        let material = &registers.material;
        let render = &registers.render;
        let float = |state| render.get_f32(state);
        store(out, V::MaterialDiffuse.register(), &[rgba(material.Diffuse)]);
        store(out, V::MaterialAmbient.register(), &[rgba(material.Ambient)]);
        store(out, V::MaterialSpecular.register(), &[rgba(material.Specular)]);
        store(out, V::MaterialEmissive.register(), &[rgba(material.Emissive)]);
        store(out, V::GlobalAmbient.register(), &[color(render.get(RS::D3DRS_AMBIENT))]);
        store(out, V::MaterialPower.register(), &[[material.Power, 0.0, 0.0, 0.0]]);
        let (start, end) = (float(RS::D3DRS_FOGSTART), float(RS::D3DRS_FOGEND));
        let fog = [start, end, reciprocal(end - start), float(RS::D3DRS_FOGDENSITY)];
        store(out, V::Fog.register(), &[fog]);
        store(out, V::PointSize.register(), &[[float(RS::D3DRS_POINTSIZE), 0.0, 0.0, 0.0]]);
        store(out, V::Tween.register(), &[[float(RS::D3DRS_TWEENFACTOR), 0.0, 0.0, 0.0]]);
        let scale = [
            float(RS::D3DRS_POINTSCALE_A),
            float(RS::D3DRS_POINTSCALE_B),
            float(RS::D3DRS_POINTSCALE_C),
            registers.viewport.Height as f32,
        ];
        store(out, V::PointScale.register(), &[scale]);
    }

    pub(crate) fn apply_fixed_pixel_constants(&mut self) {
        // Shaders before 2.0 read the bump environment of the texture stages.
        if !matches!(self.host.pixel.source, Some(Source::Fixed(_))) && self.host.pixel.model != 1 {
            return;
        }
        let registers = &self.registers;
        let out = &mut self.host.fixed_pixel_constants;
        let factor = color(registers.render.get(RS::D3DRS_TEXTUREFACTOR));
        store(out, P::TextureFactor.register(), &[factor]);
        for (stage, states) in registers.stages.iter().enumerate() {
            let float = |state| states.get_f32(state);
            let constant = color(states.get(TSS::D3DTSS_CONSTANT));
            store(out, P::StageConstant.element(stage as u16), &[constant]);
            let bump = [
                float(TSS::D3DTSS_BUMPENVMAT00),
                float(TSS::D3DTSS_BUMPENVMAT01),
                float(TSS::D3DTSS_BUMPENVMAT10),
                float(TSS::D3DTSS_BUMPENVMAT11),
            ];
            store(out, P::BumpMatrix.element(stage as u16), &[bump]);
            let luminance = [float(TSS::D3DTSS_BUMPENVLSCALE), float(TSS::D3DTSS_BUMPENVLOFFSET), 0.0, 0.0];
            store(out, P::BumpLuminance.element(stage as u16), &[luminance]);
        }
        send(&mut self.port, Bank::FixedPixel, out, &Bits::first(64), false);
    }
}
