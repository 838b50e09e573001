//! Devices with a few objects, calls of a program in any order, and what a draw depends on in the receiver's state.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test file uses a part of it")]

use crate::common::{self, Rig};
use afterimage_config::Settings;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::SystemRegister;
use afterimage_state::Edges;
use afterimage_stream::packets::{CreateSampler, TextureBinding};
use afterimage_stream::{Created, ObjectId, State};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub enum Call {
    Render(u32, u32),
    Sampler(u32, u32, u32),
    Stage(u32, u32, u32),
    Texture(u32, Option<usize>),
    VertexShader(Option<usize>),
    PixelShader(Option<usize>),
    Fvf(usize),
    Stream(u32, bool, u32),
    VertexConstants(u32, Vec<[f32; 4]>),
    PixelConstants(u32, Vec<[f32; 4]>),
    Transform(u32, f32),
    Light(u32, bool),
    SetLight(u32, u32, f32),
    Material(f32),
    ClipPlane(u32, f32),
    Whole(bool, u32, bool),
    Frequency(u32, u32),
    Indices(bool),
    Software(bool),
    Filtering(u32),
    Lod(usize, u32),
    Remake(usize),
    Fill(usize),
    Viewport(u32, u32),
    Scissor(i32, i32),
    Target(Option<usize>),
    Depth(bool),
    Lock(usize),
    Clear,
    Up(u32),
    UpIndexed,
    Process,
    Patch,
    Present,
    Draw,
    DrawIndexed,
}

const SHADERS: [&str; 3] = [
    common::VS,
    "vs_3_0\ndcl_position v0\ndcl_2d s1\ndcl_position o0\ntexldl r0, c9, s1\nmul o0, v0, r0",
    "vs_2_0\ndcl_position v0\nmov r0, v0\nrep i1\nadd r0, r0, c9\nendrep\nif b2\nadd r0, r0, c0\nendif\nmov oPos, r0",
];
/// Of a device with vertex processing in software.
const SOFTWARE_SHADER: &str = "vs_2_sw\ndcl_position v0\nadd oPos, v0, c4000";
const PIXELS: [&str; 4] = [
    common::PS,
    "ps_3_0\ndcl_cube s2\nmov r0, c7\ntexld r1, r0, s2\nadd oC0, r1, c20",
    "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1",
    "ps_3_0\nmov r0, c7\nrep i1\nadd r0, r0, c0\nendrep\nif b2\nadd r0, r0, c20\nendif\nmov oC0, r0",
];
const FVFS: [u32; 4] = [
    D3DFVF_XYZ | D3DFVF_TEX1,
    D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE,
    D3DFVF_XYZRHW | D3DFVF_DIFFUSE,
    D3DFVF_XYZB3 | D3DFVF_LASTBETA_UBYTE4 | D3DFVF_NORMAL,
];

/// A device with a few objects.
pub struct World {
    pub rig: Rig,
    vertex_shaders: Vec<VertexShaderId>,
    pixel_shaders: Vec<PixelShaderId>,
    textures: Vec<ImageId>,
    targets: Vec<ImageId>,
    depth: Surface,
    buffer: BufferId,
    indices: BufferId,
    processed: BufferId,
}

impl World {
    /// A device with vertex processing in hardware, or in both.
    pub fn new(mixed: bool) -> Self {
        let mut rig = if mixed { Rig::with_behavior(D3DCREATE_MIXED_VERTEXPROCESSING) } else { Rig::new() };
        rig.log().keep_states = true;
        let d = &mut rig.device;
        let texts = SHADERS.into_iter().chain([if mixed { SOFTWARE_SHADER } else { SHADERS[0] }]);
        let vertex_shaders = texts.map(|text| d.create_vertex_shader(&common::assemble(text)).unwrap()).collect();
        let pixel_shaders = PIXELS.map(|text| d.create_pixel_shader(&common::assemble(text)).unwrap()).to_vec();
        let managed = D3DPOOL_MANAGED;
        let textures = vec![
            d.create_texture(8, 8, 0, 0, D3DFMT_A8R8G8B8, managed).unwrap(),
            d.create_texture(8, 8, 1, 0, D3DFMT_DXT5, managed).unwrap(),
            d.create_cube_texture(8, 1, 0, D3DFMT_L8, managed).unwrap(),
            d.create_texture(8, 8, 1, D3DUSAGE_DEPTHSTENCIL, D3DFMT_D24S8, D3DPOOL_DEFAULT).unwrap(),
        ];
        let targets = vec![
            d.create_render_target(64, 48, D3DFMT_A8R8G8B8, 0, 0, false).unwrap(),
            d.create_texture(64, 64, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A16B16G16R16F, D3DPOOL_DEFAULT).unwrap(),
            d.create_render_target(64, 48, D3DFMT_X8R8G8B8, D3DMULTISAMPLE_4_SAMPLES, 0, false).unwrap(),
        ];
        let depth = d.depth_stencil().unwrap();
        let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).unwrap();
        let indices = d.create_index_buffer(64, 0, D3DFMT_INDEX16, D3DPOOL_DEFAULT).unwrap();
        let processed = d.create_vertex_buffer(64 * 20, 0, D3DFVF_XYZRHW | D3DFVF_DIFFUSE, D3DPOOL_SYSTEMMEM).unwrap();
        d.set_fvf(FVFS[0]).unwrap();
        Self { rig, vertex_shaders, pixel_shaders, textures, targets, depth, buffer, indices, processed }
    }

    pub fn call(&mut self, call: &Call) {
        let d = &mut self.rig.device;
        match call {
            Call::Render(state, value) => d.set_render_state(*state, *value).unwrap(),
            Call::Sampler(sampler, state, value) => d.set_sampler_state(*sampler, *state, *value).unwrap(),
            Call::Stage(stage, state, value) => d.set_texture_stage_state(*stage, *state, *value).unwrap(),
            Call::Texture(stage, index) => d.set_texture(*stage, index.map(|i| self.textures[i])).unwrap(),
            Call::VertexShader(index) => d.set_vertex_shader(index.map(|i| self.vertex_shaders[i])).unwrap(),
            Call::PixelShader(index) => d.set_pixel_shader(index.map(|i| self.pixel_shaders[i])).unwrap(),
            Call::Fvf(index) => d.set_fvf(FVFS[*index]).unwrap(),
            Call::Stream(stream, bound, offset) => {
                d.set_stream_source(*stream, bound.then_some(self.buffer), *offset, 32).unwrap();
            }
            Call::VertexConstants(first, values) => d.set_vertex_shader_constant_f(*first, values).unwrap(),
            Call::PixelConstants(first, values) => d.set_pixel_shader_constant_f(*first, values).unwrap(),
            Call::Transform(state, scale) => {
                let mut matrix = d.transform(*state).unwrap();
                matrix.m[1][1] = *scale;
                d.set_transform(*state, &matrix).unwrap();
            }
            Call::Light(index, on) => d.enable_light(*index, *on).unwrap(),
            Call::SetLight(index, kind, x) => {
                let diffuse = D3DCOLORVALUE { r: *x, ..D3DCOLORVALUE::default() };
                d.set_light(*index, &D3DLIGHT9 { Type: *kind, Diffuse: diffuse, ..D3DLIGHT9::default() }).unwrap();
            }
            Call::Material(power) => {
                d.set_material(&D3DMATERIAL9 { Power: *power, ..D3DMATERIAL9::default() }).unwrap();
            }
            Call::ClipPlane(index, x) => d.set_clip_plane(*index, &[*x, 0.0, 1.0, 0.0]).unwrap(),
            Call::Whole(vertex, count, on) => {
                let (ints, bools) = ([[*count as i32, 0, 0, 0]], [BOOL::from(*on)]);
                if *vertex {
                    d.set_vertex_shader_constant_i(1, &ints).unwrap();
                    d.set_vertex_shader_constant_b(2, &bools).unwrap();
                } else {
                    d.set_pixel_shader_constant_i(1, &ints).unwrap();
                    d.set_pixel_shader_constant_b(2, &bools).unwrap();
                }
            }
            Call::Frequency(stream, count) => {
                let kind = if *stream == 0 { D3DSTREAMSOURCE_INDEXEDDATA } else { D3DSTREAMSOURCE_INSTANCEDATA };
                d.set_stream_source_freq(*stream, if *count == 0 { 1 } else { kind | count }).unwrap();
            }
            Call::Indices(bound) => d.set_indices(bound.then_some(self.indices)).unwrap(),
            // Devices that are not for both refuse.
            Call::Software(on) => _ = d.set_software_vertex_processing(*on),
            Call::Filtering(anisotropy) => {
                let text = format!("force_anisotropy = {anisotropy}");
                d.set_wishes(&Settings::of_text("game.exe", std::path::Path::new("f"), &text));
            }
            Call::Lod(index, lod) => _ = d.set_lod(self.textures[*index], *lod),
            Call::Remake(index) => {
                d.release(self.pixel_shaders[*index]);
                let new = d.create_pixel_shader(&common::assemble(PIXELS[*index])).unwrap();
                self.pixel_shaders[*index] = new;
            }
            Call::Fill(index) => d.color_fill(Surface::of(self.targets[*index]), None, 7).unwrap(),
            Call::Viewport(x, width) => {
                let viewport = D3DVIEWPORT9 { X: *x, Y: 1, Width: *width, Height: 9, MinZ: 0.0, MaxZ: 0.5 };
                d.set_viewport(&viewport).unwrap();
            }
            Call::Scissor(left, right) => {
                let rect = RECT { left: *left, top: 2, right: left + right, bottom: 30 };
                d.set_scissor_rect(&rect).unwrap();
            }
            Call::Target(index) => {
                let chain = d.swap_chain(0).unwrap();
                let surface = match index {
                    Some(index) => Surface::of(self.targets[*index]),
                    None => d.back_buffer(chain, 0).unwrap(),
                };
                d.set_render_target(0, Some(surface)).unwrap();
            }
            Call::Depth(on) => d.set_depth_stencil(on.then_some(self.depth)).unwrap(),
            Call::Lock(index) => {
                let surface = Surface::of(self.textures[*index]);
                d.lock_surface(surface, None, 0).unwrap();
                d.unlock_surface(surface).unwrap();
            }
            Call::Clear => d.clear(&[], D3DCLEAR_TARGET, 0, 1.0, 0).unwrap(),
            // The first draw with a shader that hardware does not take is refused.
            Call::Up(stride) => _ = d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 256], *stride),
            Call::UpIndexed => {
                let (list, format) = (D3DPT_TRIANGLELIST, D3DFMT_INDEX16);
                _ = d.draw_indexed_primitive_up(list, 0, 3, 1, &[0; 6], format, &[0; 256], 16);
            }
            Call::Process => d.process_vertices(0, 0, 64, self.processed, None, 0).unwrap(),
            Call::Patch => {
                let info = D3DRECTPATCH_INFO {
                    Width: 4,
                    Height: 4,
                    Stride: 4,
                    Basis: D3DBASIS_BEZIER,
                    Degree: D3DDEGREE_CUBIC,
                    ..D3DRECTPATCH_INFO::default()
                };
                _ = d.draw_rect_patch(0, Some([1.0; 4]), Some(&info));
            }
            Call::Present => self.rig.present().unwrap(),
            Call::Draw => _ = d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1),
            Call::DrawIndexed => _ = d.draw_indexed_primitive(D3DPT_TRIANGLELIST, 0, 0, 3, 0, 1),
        }
    }

    /// The receiver's states at the draws since the last time.
    pub fn draws(&mut self) -> Vec<State> {
        self.rig.check();
        std::mem::take(&mut self.rig.log().draws)
    }
}

/// What of a state a draw depends on, without the names of objects that a device made for itself.
fn effective(state: &State, world: &World) -> String {
    let shader = |id: ObjectId| {
        let log = world.rig.log();
        log.uploads.iter().rev().find(|(object, _)| *object == id).map(|(_, bytes)| bytes.clone())
    };
    let sampler = |id: ObjectId| match state.objects.get(id) {
        Some(Created::Sampler(sampler)) => format!("{:?}", CreateSampler { id: ObjectId::NONE, ..**sampler }),
        _ => String::new(),
    };
    let layout = match state.objects.get(state.vertex_input.id) {
        Some(Created::VertexInput(attributes)) => format!("{attributes:?}"),
        other => format!("{other:?}"),
    };
    let textures: Vec<_> = state.textures.map(|TextureBinding { texture, sampler: s }| (texture, sampler(s))).into();
    let buffers: Vec<_> = state.vertex_buffers.iter().map(|b| (b.source.kind(), b.stride, b.size)).collect();
    format!(
        "{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{layout}\n{textures:?}\n{buffers:?}\n{:?}",
        state.render_targets,
        state.viewport,
        state.scissor,
        state.raster,
        state.depth_stencil,
        state.blend,
        state.pixel_ops,
        shader(state.shaders.vertex),
        shader(state.shaders.pixel),
        state.index_buffer.source.kind(),
    )
}

/// Registers that the shaders above read, those of the fixed stages, and clip planes.
fn constants(state: &State) -> Vec<[u32; 4]> {
    let pick = |bank: usize, registers: &[usize]| registers.iter().map(|r| state.bank(bank)[*r]).collect::<Vec<_>>();
    let fixed = |id: ObjectId| matches!(state.objects.get(id), Some(Created::Shader(shader)) if shader.language != 1);
    let vertex = if fixed(state.shaders.vertex) {
        // Those for blending by index arrive where it is used.
        state.bank(6)[..256].to_vec()
    } else {
        [pick(0, &[0, 1, 2, 3, 9, 4000]), pick(1, &[1]), pick(2, &[2])].concat()
    };
    let pixel = if fixed(state.shaders.pixel) {
        state.bank(7).to_vec()
    } else {
        [pick(3, &[0, 7, 20]), pick(4, &[1]), pick(5, &[2])].concat()
    };
    let planes = (0..6).filter(|plane| state.pixel_ops.clip_planes >> plane & 1 == 1);
    let planes: Vec<_> = planes.map(|plane| usize::from(SystemRegister::ClipPlane.element(plane))).collect();
    [vertex, pixel, pick(8, &planes)].concat()
}

/// Makes the calls on a device that follows these edges, and on one that is told everything anew before each draw: what differs
/// first in the receivers' states at a draw.
pub fn difference(mixed: bool, calls: &[Call], edges: Option<&'static Edges>) -> Option<String> {
    let (mut lazy, mut eager) = (World::new(mixed), World::new(mixed));
    if let Some(edges) = edges {
        lazy.rig.device.tracker().follow(edges);
    }
    for call in calls {
        lazy.call(call);
        if matches!(call, Call::Draw | Call::DrawIndexed | Call::Up(_) | Call::UpIndexed | Call::Patch) {
            eager.rig.device.touch_everything();
        }
        eager.call(call);
        let (a, b) = (lazy.draws(), eager.draws());
        if a.len() != b.len() {
            return Some(format!("{} draws instead of {}", a.len(), b.len()));
        }
        for (a, b) in a.iter().zip(&b) {
            let (tracked, all) = (effective(a, &lazy), effective(b, &eager));
            if let Some((a, b)) = tracked.lines().zip(all.lines()).find(|(a, b)| a != b) {
                return Some(format!("{a}\ninstead of\n{b}"));
            }
            let (tracked, all) = (constants(a), constants(b));
            if let Some(register) = tracked.iter().zip(&all).position(|(a, b)| a != b) {
                return Some(format!("register {register}: {:?} instead of {:?}", tracked[register], all[register]));
            }
        }
    }
    None
}

pub fn call() -> impl Strategy<Value = Call> {
    let state = (7u32..210).prop_filter("only states that there are", |state| {
        ENUMS.iter().any(|e| e.name == "D3DRENDERSTATETYPE" && e.items.iter().any(|item| item.1 == *state))
    });
    let values = prop::collection::vec([-1.0f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0], 1..6);
    prop_oneof![
        6 => (state, 0u32..5).prop_map(|(state, value)| Call::Render(state, value)),
        2 => (0u32..3, 1u32..12, 0u32..4).prop_map(|(sampler, state, value)| Call::Sampler(sampler, state, value)),
        2 => (0u32..3, prop::sample::select(vec![1, 2, 3, 4, 5, 7, 11, 22, 24, 26, 28, 32]), 0u32..5)
            .prop_map(|(stage, state, value)| Call::Stage(stage, state, value)),
        3 => (prop::sample::select(vec![0u32, 1, 2, 258]), prop::option::of(0usize..4)).prop_map(|(stage, index)| Call::Texture(stage, index)),
        2 => prop::option::of(0usize..4).prop_map(Call::VertexShader),
        2 => prop::option::of(0usize..4).prop_map(Call::PixelShader),
        1 => (0usize..4).prop_map(Call::Fvf),
        1 => (0u32..3, any::<bool>(), 0u32..64).prop_map(|(stream, bound, offset)| Call::Stream(stream, bound, offset)),
        2 => (0u32..250, values.clone()).prop_map(|(first, values)| Call::VertexConstants(first, values)),
        2 => (0u32..24, values).prop_map(|(first, values)| Call::PixelConstants(first, values)),
        1 => (prop::sample::select(vec![2u32, 3, 16, 256, 257, 300]), 0.5f32..2.0).prop_map(|(s, v)| Call::Transform(s, v)),
        1 => (0u32..3, any::<bool>()).prop_map(|(index, on)| Call::Light(index, on)),
        1 => (0u32..3, 1u32..4, 0.0f32..1.0).prop_map(|(index, kind, x)| Call::SetLight(index, kind, x)),
        1 => (0.0f32..2.0).prop_map(Call::Material),
        1 => (0u32..3, -1.0f32..1.0).prop_map(|(index, x)| Call::ClipPlane(index, x)),
        1 => (any::<bool>(), 0u32..3, any::<bool>()).prop_map(|(vertex, count, on)| Call::Whole(vertex, count, on)),
        1 => (0u32..3, 0u32..3).prop_map(|(stream, count)| Call::Frequency(stream, count)),
        1 => any::<bool>().prop_map(Call::Indices),
        1 => any::<bool>().prop_map(Call::Software),
        1 => (0u32..3).prop_map(|step| Call::Filtering(step * 4)),
        1 => (0usize..2, 0u32..3).prop_map(|(index, lod)| Call::Lod(index, lod)),
        1 => (0usize..4).prop_map(Call::Remake),
        1 => (0usize..2).prop_map(Call::Fill),
        1 => (0u32..32, 1u32..32).prop_map(|(x, width)| Call::Viewport(x, width)),
        1 => (0i32..32, 1i32..32).prop_map(|(left, width)| Call::Scissor(left, width)),
        1 => prop::option::of(0usize..3).prop_map(Call::Target),
        1 => any::<bool>().prop_map(Call::Depth),
        1 => (0usize..3).prop_map(Call::Lock),
        1 => Just(Call::Clear),
        1 => (1u32..5).prop_map(|stride| Call::Up(stride * 4)),
        1 => Just(Call::UpIndexed),
        1 => Just(Call::Process),
        1 => Just(Call::Patch),
        1 => Just(Call::Present),
        6 => Just(Call::Draw),
        1 => Just(Call::DrawIndexed),
    ]
}
