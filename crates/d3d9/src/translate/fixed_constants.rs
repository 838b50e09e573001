//! Registers of the fixed stages, computed from transforms, lights, material and states.
//!
//! They are kept as they were last computed, so that what comes out equal is not sent.

use super::{constants::send, states::depth_range};
use crate::driver::Device;
use crate::format::color;
use crate::machine::*;
use crate::machine::{RenderStates as RS, StageStates as TSS};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::{LIGHTS, STAGES};
use afterimage_shader_d3d9::{Bank, FixedPixelRegister as P, FixedVertexRegister as V};
use afterimage_state::{Effect, trace};
use std::ops::Range;

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

/// Where computed registers go.
struct Out<'a> {
    constants: &'a mut Constants,
    /// They are compared with those that are there, which stay.
    compare: bool,
    /// One of them is another.
    other: bool,
}

impl Out<'_> {
    fn put(&mut self, first: u16, rows: &[[f32; 4]]) {
        let (first, rows) = (usize::from(first), bytemuck::cast_slice(rows));
        self.other |= if self.compare {
            self.constants.get(first, rows.len()).is_some_and(|kept| kept != rows)
        } else {
            self.constants.set(first, rows)
        };
    }
}

/// Of groups that make many registers, those that are computed.
#[derive(Clone)]
struct Part {
    worlds: Range<usize>,
    /// Bit per stage.
    texture_matrices: u64,
}

impl Part {
    const ALL: Self = Self { worlds: 0..WORLDS, texture_matrices: u64::MAX };
}

impl Registers {
    /// The registers of the fixed vertex stage that a group makes.
    fn fixed_vertex(&self, group: Group, part: &Part, out: &mut Out<'_>) {
        match group {
            Group::FixedMatrices => self.fixed_matrices(out),
            Group::FixedWorlds => {
                for index in part.worlds.clone() {
                    let world_view = multiply(self.transforms.world(index), self.transforms.view());
                    out.put(V::IndexedWorldView.element(index as u16), &world_view);
                }
            }
            Group::FixedViewport => self.fixed_viewport(out),
            Group::FixedLights => self.fixed_lights(out),
            Group::FixedTextureMatrices => {
                for stage in (0..STAGES).filter(|stage| part.texture_matrices >> stage & 1 == 1) {
                    out.put(V::TextureMatrix.element(stage as u16), self.transforms.texture(stage));
                }
            }
            Group::FixedMaterial => {
                let material = &self.material;
                out.put(V::MaterialDiffuse.register(), &[rgba(material.Diffuse)]);
                out.put(V::MaterialAmbient.register(), &[rgba(material.Ambient)]);
                out.put(V::MaterialSpecular.register(), &[rgba(material.Specular)]);
                out.put(V::MaterialEmissive.register(), &[rgba(material.Emissive)]);
                out.put(V::MaterialPower.register(), &[[material.Power, 0.0, 0.0, 0.0]]);
            }
            Group::FixedParameters => self.fixed_parameters(out),
            _ => {}
        }
    }

    fn fixed_matrices(&self, out: &mut Out<'_>) {
        let transforms = &self.transforms;
        let world_view = multiply(transforms.world(0), transforms.view());
        let all = multiply(&world_view, transforms.projection());
        out.put(V::WorldViewProjection.register(), &all);
        out.put(V::WorldView.register(), &world_view);
        // Normals turn with the inverse transpose of the whole matrix, affine or not.
        let inverted = inverse(&world_view);
        let normal: [[f32; 4]; 3] =
            std::array::from_fn(|row| [inverted[0][row], inverted[1][row], inverted[2][row], 0.0]);
        out.put(V::Normal.register(), &normal);
        for index in 1..BLENDED_WORLDS {
            let world_view = multiply(transforms.world(index), transforms.view());
            out.put(V::BlendWorldView.element(index as u16 - 1), &world_view);
        }
        out.put(V::Projection.register(), transforms.projection());
    }

    fn fixed_viewport(&self, out: &mut Out<'_>) {
        let viewport = &*self.viewport;
        let (width, height) = (viewport.Width.max(1) as f32, viewport.Height.max(1) as f32);
        let [near, far] = depth_range(viewport);
        let z = reciprocal(far - near);
        // Window to clip: the viewport transform, backwards. Pixel centres are whole numbers on this side.
        let scale = [2.0 / width, -2.0 / height, z, 1.0];
        let offset = [-1.0 - 2.0 * viewport.X as f32 / width, 1.0 + 2.0 * viewport.Y as f32 / height, -near * z, 0.0];
        out.put(V::ViewportScale.register(), &[scale]);
        out.put(V::ViewportOffset.register(), &[offset]);
    }

    fn fixed_lights(&self, out: &mut Out<'_>) {
        let view = self.transforms.view();
        for (index, light) in self.lights.enabled().take(LIGHTS).enumerate() {
            let at = |register: V| register.element(index as u16);
            let [px, py, pz] = transform(light.Position, 1.0, view);
            let [dx, dy, dz] = normalized(transform(light.Direction, 0.0, view));
            let (inner, outer) = ((light.Theta / 2.0).cos(), (light.Phi / 2.0).cos());
            out.put(at(V::LightDiffuse), &[rgba(light.Diffuse)]);
            out.put(at(V::LightSpecular), &[rgba(light.Specular)]);
            out.put(at(V::LightAmbient), &[rgba(light.Ambient)]);
            out.put(at(V::LightPosition), &[[px, py, pz, light.Range]]);
            out.put(at(V::LightDirection), &[[dx, dy, dz, light.Falloff]]);
            let attenuation = [light.Attenuation0, light.Attenuation1, light.Attenuation2, 0.0];
            out.put(at(V::LightAttenuation), &[attenuation]);
            out.put(at(V::LightSpot), &[[inner, outer, reciprocal(inner - outer), 0.0]]);
        }
    }

    fn fixed_parameters(&self, out: &mut Out<'_>) {
        let float = |state| self.render.get_f32(state);
        out.put(V::GlobalAmbient.register(), &[color(self.render.get(RS::D3DRS_AMBIENT))]);
        let (start, end) = (float(RS::D3DRS_FOGSTART), float(RS::D3DRS_FOGEND));
        let fog = [start, end, reciprocal(end - start), float(RS::D3DRS_FOGDENSITY)];
        out.put(V::Fog.register(), &[fog]);
        out.put(V::PointSize.register(), &[[float(RS::D3DRS_POINTSIZE), 0.0, 0.0, 0.0]]);
        out.put(V::Tween.register(), &[[float(RS::D3DRS_TWEENFACTOR), 0.0, 0.0, 0.0]]);
        let scale = [
            float(RS::D3DRS_POINTSCALE_A),
            float(RS::D3DRS_POINTSCALE_B),
            float(RS::D3DRS_POINTSCALE_C),
            self.viewport.Height as f32,
        ];
        out.put(V::PointScale.register(), &[scale]);
    }

    fn fixed_pixel(&self, out: &mut Out<'_>) {
        let factor = color(self.render.get(RS::D3DRS_TEXTUREFACTOR));
        out.put(P::TextureFactor.register(), &[factor]);
        for (stage, states) in self.stages.iter().enumerate() {
            let float = |state| states.get_f32(state);
            let constant = color(states.get(TSS::D3DTSS_CONSTANT));
            out.put(P::StageConstant.element(stage as u16), &[constant]);
            let bump = [
                float(TSS::D3DTSS_BUMPENVMAT00),
                float(TSS::D3DTSS_BUMPENVMAT01),
                float(TSS::D3DTSS_BUMPENVMAT10),
                float(TSS::D3DTSS_BUMPENVMAT11),
            ];
            out.put(P::BumpMatrix.element(stage as u16), &[bump]);
            let luminance = [float(TSS::D3DTSS_BUMPENVLSCALE), float(TSS::D3DTSS_BUMPENVLOFFSET), 0.0, 0.0];
            out.put(P::BumpLuminance.element(stage as u16), &[luminance]);
        }
    }
}

impl Device {
    /// Computes what a group makes of the registers of the fixed vertex stage.
    #[inline(never)]
    pub(super) fn apply_fixed_vertex(&mut self, group: Group) -> Effect {
        if !self.host.stages.fixed_groups().contains(group) {
            return Effect::Parked;
        }
        let registers = &mut self.registers;
        let mut part = Part { worlds: 0..0, texture_matrices: 0 };
        match group {
            Group::FixedWorlds => part.worlds = registers.transforms.take_stale_worlds(),
            Group::FixedTextureMatrices => {
                part.texture_matrices = registers.tracker.take_instances(DeviceState::TEXTURE_MATRIX, u64::MAX);
            }
            _ => {}
        }
        let mut out = Out { constants: &mut self.host.fixed_vertex_constants, compare: false, other: false };
        self.registers.fixed_vertex(group, &part, &mut out);
        Effect::of(out.other)
    }

    /// Whether computing a group again makes other registers than there are.
    pub(super) fn stale_fixed_vertex(&mut self, group: Group) -> Option<String> {
        if !self.host.stages.fixed_groups().contains(group) {
            return None;
        }
        let mut out = Out { constants: &mut self.host.fixed_vertex_constants, compare: true, other: false };
        self.registers.fixed_vertex(group, &Part::ALL, &mut out);
        out.other.then(|| "other registers of the fixed vertex stage".to_owned())
    }

    /// Computes every register of a fixed vertex stage, for one that runs here; `indexed`: with the matrices of indexed
    /// blending.
    pub(crate) fn refresh_fixed_vertex(&mut self, indexed: bool) {
        let mut out = Out { constants: &mut self.host.fixed_vertex_constants, compare: false, other: false };
        for group in if indexed { Group::FIXED_INDEXED } else { Group::FIXED_VERTEX }.iter() {
            self.registers.fixed_vertex(group, &Part::ALL, &mut out);
        }
        if out.other {
            self.registers.tracker.mark(Group::FixedVertexConstants);
        }
    }

    /// Computes the registers that `ProcessVertices` has besides.
    pub(crate) fn refresh_window(&mut self) {
        let viewport = &self.registers.viewport;
        let [near, far] = depth_range(viewport);
        let half = |edge: u32| edge as f32 / 2.0;
        let size = self.registers.render.get_f32(RS::D3DRS_POINTSIZE);
        let scale = [half(viewport.Width), half(viewport.Height), far - near, size];
        let offset = [viewport.X as f32, viewport.Y as f32, near, 0.0];
        let mut out = Out { constants: &mut self.host.fixed_vertex_constants, compare: false, other: false };
        out.put(V::WindowScale.register(), &[scale]);
        out.put(V::WindowOffset.register(), &[offset]);
        if out.other {
            self.registers.tracker.mark(Group::FixedVertexConstants);
        }
    }

    /// Sends those, which the program's own shaders have too where they process.
    pub(crate) fn send_window(&mut self) {
        let mut window = Bits::default();
        window.insert(V::WindowScale.register().into(), 2);
        send(&mut self.port, Bank::FixedVertex, &mut self.host.fixed_vertex_constants, &window, false);
    }

    /// Notes that the registers of the fixed vertex stage were read.
    fn read_fixed_vertex() {
        for group in [
            Group::FixedMatrices,
            Group::FixedWorlds,
            Group::FixedViewport,
            Group::FixedLights,
            Group::FixedTextureMatrices,
            Group::FixedMaterial,
            Group::FixedParameters,
        ] {
            trace::read_result::<DeviceState>(group);
        }
    }

    #[inline(never)]
    pub(super) fn apply_fixed_vertex_constants(&mut self) -> Effect {
        let stage = self.host.stages.vertex();
        if !stage.is_fixed() {
            return Effect::Parked;
        }
        Self::read_fixed_vertex();
        let (indexed, out) = (stage.reads.beyond, &mut self.host.fixed_vertex_constants);
        Effect::of(send(&mut self.port, Bank::FixedVertex, out, &Bits::first(256), indexed))
    }

    pub(super) fn stale_fixed_vertex_constants(&self) -> Option<String> {
        let stage = self.host.stages.vertex();
        let waits = self.host.fixed_vertex_constants.waits(&Bits::first(256), stage.reads.beyond);
        (stage.is_fixed() && waits).then(|| "registers that were not sent".to_owned())
    }

    /// Whether the pixel stage reads registers of the fixed one: shaders before 2.0 read the bump environment.
    fn reads_fixed_pixel(&self) -> bool {
        let stage = self.host.stages.pixel();
        stage.is_fixed() || stage.model == 1
    }

    #[inline(never)]
    pub(super) fn apply_fixed_pixel_constants(&mut self) -> Effect {
        if !self.reads_fixed_pixel() {
            return Effect::Parked;
        }
        let constants = &mut self.host.fixed_pixel_constants;
        self.registers.fixed_pixel(&mut Out { constants, compare: false, other: false });
        Effect::of(send(&mut self.port, Bank::FixedPixel, constants, &Bits::first(64), false))
    }

    pub(super) fn stale_fixed_pixel_constants(&mut self) -> Option<String> {
        if !self.reads_fixed_pixel() {
            return None;
        }
        let constants = &mut self.host.fixed_pixel_constants;
        let waits = constants.waits(&Bits::first(64), false);
        let mut out = Out { constants, compare: true, other: waits };
        self.registers.fixed_pixel(&mut out);
        out.other.then(|| "other registers of the fixed pixel stage".to_owned())
    }
}
