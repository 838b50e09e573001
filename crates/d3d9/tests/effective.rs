//! Whatever is set in whatever order: at each draw the receiver's state is the same as that of a device that is told
//! everything anew before each draw.
#![forbid(unsafe_code)]

mod common;

use afterimage_d3d9::*;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::TextureBinding;
use afterimage_stream::{Created, ObjectId, State};
use common::Rig;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
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
    Viewport(u32, u32),
    Scissor(i32, i32),
    Target(Option<usize>),
    Depth(bool),
    Lock(usize),
    Clear,
    Up(u32),
    Present,
    Draw,
}

const SHADERS: [&str; 2] = [common::VS, "vs_3_0\ndcl_position v0\ndcl_position o0\nmul o0, v0, c9"];
const PIXELS: [&str; 2] = [common::PS, "ps_3_0\ndcl_cube s2\nmov r0, c7\ntexld r1, r0, s2\nadd oC0, r1, c20"];
const FVFS: [u32; 4] = [
    D3DFVF_XYZ | D3DFVF_TEX1,
    D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE,
    D3DFVF_XYZRHW | D3DFVF_DIFFUSE,
    D3DFVF_XYZB3 | D3DFVF_LASTBETA_UBYTE4 | D3DFVF_NORMAL,
];

/// A device with a few objects.
struct World {
    rig: Rig,
    vertex_shaders: Vec<VertexShaderId>,
    pixel_shaders: Vec<PixelShaderId>,
    textures: Vec<ImageId>,
    targets: Vec<ImageId>,
    depth: Surface,
    buffer: BufferId,
}

impl World {
    fn new() -> Self {
        let mut rig = Rig::new();
        rig.log().keep_states = true;
        let d = &mut rig.device;
        let vertex_shaders = SHADERS.map(|text| d.create_vertex_shader(&common::assemble(text)).unwrap()).to_vec();
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
        ];
        let depth = d.depth_stencil().unwrap();
        let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).unwrap();
        d.set_fvf(FVFS[0]).unwrap();
        Self { rig, vertex_shaders, pixel_shaders, textures, targets, depth, buffer }
    }

    fn call(&mut self, call: &Call) {
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
            Call::Up(stride) => d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &[0; 256], *stride).unwrap(),
            Call::Present => self.rig.present().unwrap(),
            Call::Draw => d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap(),
        }
    }

    /// The receiver's states at the draws since the last time.
    fn draws(&mut self) -> Vec<State> {
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
        Some(Created::Sampler(sampler)) => format!("{:?}", { CreateSamplerWithoutId(**sampler) }),
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

struct CreateSamplerWithoutId(afterimage_stream::packets::CreateSampler);

impl std::fmt::Debug for CreateSamplerWithoutId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = afterimage_stream::packets::CreateSampler { id: ObjectId::NONE, ..self.0 };
        plain.fmt(f)
    }
}

/// Registers that the shaders above read, and those of the fixed stages.
fn constants(state: &State) -> Vec<[u32; 4]> {
    let pick = |bank: usize, registers: &[usize]| registers.iter().map(|r| state.bank(bank)[*r]).collect::<Vec<_>>();
    let fixed = match state.objects.get(state.shaders.vertex) {
        Some(Created::Shader(shader)) if shader.language == 2 => state.bank(6).to_vec(),
        _ => pick(0, &[0, 1, 2, 3, 9]),
    };
    let pixel = match state.objects.get(state.shaders.pixel) {
        Some(Created::Shader(shader)) if shader.language == 3 => state.bank(7).to_vec(),
        _ => pick(3, &[0, 7, 20]),
    };
    [fixed, pixel].concat()
}

fn call() -> impl Strategy<Value = Call> {
    let state = (7u32..210).prop_filter("only states that there are", |state| {
        ENUMS.iter().any(|e| e.name == "D3DRENDERSTATETYPE" && e.items.iter().any(|item| item.1 == *state))
    });
    let values = prop::collection::vec([-1.0f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0], 1..6);
    prop_oneof![
        6 => (state, 0u32..5).prop_map(|(state, value)| Call::Render(state, value)),
        2 => (0u32..3, 1u32..12, 0u32..4).prop_map(|(sampler, state, value)| Call::Sampler(sampler, state, value)),
        2 => (0u32..3, prop::sample::select(vec![1, 2, 3, 4, 5, 11, 24, 26, 28, 32]), 0u32..5)
            .prop_map(|(stage, state, value)| Call::Stage(stage, state, value)),
        3 => (0u32..3, prop::option::of(0usize..4)).prop_map(|(stage, index)| Call::Texture(stage, index)),
        1 => prop::option::of(0usize..2).prop_map(Call::VertexShader),
        1 => prop::option::of(0usize..2).prop_map(Call::PixelShader),
        1 => (0usize..4).prop_map(Call::Fvf),
        1 => (0u32..3, any::<bool>(), 0u32..64).prop_map(|(stream, bound, offset)| Call::Stream(stream, bound, offset)),
        2 => (0u32..250, values.clone()).prop_map(|(first, values)| Call::VertexConstants(first, values)),
        2 => (0u32..24, values).prop_map(|(first, values)| Call::PixelConstants(first, values)),
        1 => (prop::sample::select(vec![2u32, 3, 16, 256, 257, 300]), 0.5f32..2.0).prop_map(|(s, v)| Call::Transform(s, v)),
        1 => (0u32..3, any::<bool>()).prop_map(|(index, on)| Call::Light(index, on)),
        1 => (0u32..32, 1u32..32).prop_map(|(x, width)| Call::Viewport(x, width)),
        1 => (0i32..32, 1i32..32).prop_map(|(left, width)| Call::Scissor(left, width)),
        1 => prop::option::of(0usize..2).prop_map(Call::Target),
        1 => any::<bool>().prop_map(Call::Depth),
        1 => (0usize..3).prop_map(Call::Lock),
        1 => Just(Call::Clear),
        1 => (1u32..5).prop_map(|stride| Call::Up(stride * 4)),
        1 => Just(Call::Present),
        6 => Just(Call::Draw),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dirty_groups_lose_nothing(calls in prop::collection::vec(call(), 1..120)) {
        let (mut lazy, mut eager) = (World::new(), World::new());
        for call in &calls {
            lazy.call(call);
            if matches!(call, Call::Draw | Call::Up(_)) {
                eager.rig.device.touch_everything();
            }
            eager.call(call);
            let (a, b) = (lazy.draws(), eager.draws());
            prop_assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(&b) {
                for (a, b) in effective(a, &lazy).lines().zip(effective(b, &eager).lines()) {
                    prop_assert_eq!(a, b);
                }
                for (register, (a, b)) in constants(a).iter().zip(constants(b)).enumerate() {
                    prop_assert_eq!(*a, b, "register {}", register);
                }
            }
        }
    }
}
