//! The keys and registers of the fixed-function stages, and what the pixel operations become, for the states that they
//! depend on.

use crate::common::{self, Rig};
use afterimage_d3d9::Device;
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::{
    Bank, FixedInput, FixedPixelKey, FixedPixelRegister, FixedVertexKey, FixedVertexRegister, TexCoordKey,
};
use afterimage_stream::packets::FogMode;
use afterimage_stream::{Created, State, VertexFormat};

/// What a draw of three points has after `setup`.
struct Drawn {
    vertex: Vec<u8>,
    pixel: Vec<u8>,
    state: State,
}

fn drawn(fvf: u32, setup: impl FnOnce(&mut Device)) -> Drawn {
    let mut rig = Rig::new();
    rig.log().keep_states = true;
    rig.device.set_fvf(fvf).unwrap();
    setup(&mut rig.device);
    rig.device.draw_primitive_up(D3DPT_POINTLIST, 3, &[0; 3 * 64], 64).unwrap();
    rig.check();
    let log = rig.log();
    let state = log.draws.last().unwrap().clone();
    let code = |id| log.uploads.iter().rfind(|(other, _)| *other == id).map(|(_, code)| code.clone()).unwrap();
    Drawn { vertex: code(state.shaders.vertex), pixel: code(state.shaders.pixel), state }
}

impl Drawn {
    fn vertex_key(&self) -> FixedVertexKey {
        bytemuck::pod_read_unaligned(&self.vertex)
    }

    fn pixel_key(&self) -> FixedPixelKey {
        bytemuck::pod_read_unaligned(&self.pixel)
    }

    fn register(&self, bank: Bank, register: u16) -> [f32; 4] {
        self.state.bank(bank as usize)[usize::from(register)].map(f32::from_bits)
    }

    /// Host format of an input.
    fn format(&self, input: FixedInput) -> VertexFormat {
        let Some(Created::VertexInput(attributes)) = self.state.objects.get(self.state.vertex_input.id) else {
            panic!("no layout")
        };
        let found = attributes.iter().find(|attribute| attribute.location == input as u8).unwrap();
        VertexFormat::from_bits(found.format).unwrap()
    }
}

fn moved(x: f32) -> D3DMATRIX {
    let mut matrix = D3DMATRIX::default();
    (0..4).for_each(|i| matrix.m[i][i] = 1.0);
    matrix.m[3][0] = x;
    matrix
}

#[test]
fn vertex_blending_and_tweening() {
    let key = |fvf, blend, indexed| {
        let key = drawn(fvf, |device| {
            device.set_render_state(D3DRS_VERTEXBLEND, blend).unwrap();
            device.set_render_state(D3DRS_INDEXEDVERTEXBLENDENABLE, indexed).unwrap();
        })
        .vertex_key();
        (key.blend_weights, key.flags & (FixedVertexKey::INDEXED_BLEND | FixedVertexKey::TWEENING))
    };
    let fvf = D3DFVF_XYZB3 | D3DFVF_LASTBETA_UBYTE4;
    assert_eq!(key(fvf, D3DVBF_DISABLE, 1), (0, 0));
    assert_eq!(key(fvf, D3DVBF_2WEIGHTS, 0), (2, 0));
    assert_eq!(key(fvf, D3DVBF_2WEIGHTS, 1), (2, FixedVertexKey::INDEXED_BLEND));
    assert_eq!(key(fvf, D3DVBF_0WEIGHTS, 1), (0, FixedVertexKey::INDEXED_BLEND));
    assert_eq!(key(fvf, D3DVBF_0WEIGHTS, 0), (0, 0));
    assert_eq!(key(fvf, D3DVBF_TWEENING, 1), (0, FixedVertexKey::TWEENING));
    assert_eq!(key(fvf, 77, 1), (0, 0));
    assert_eq!(key(D3DFVF_XYZRHW, D3DVBF_2WEIGHTS, 1), (0, 0));

    let draw = drawn(D3DFVF_XYZ, |device| {
        device.set_render_state(D3DRS_TWEENFACTOR, 0.25f32.to_bits()).unwrap();
        let element = |offset: u16, index: u8| D3DVERTEXELEMENT9 {
            Offset: offset,
            Type: D3DDECLTYPE_FLOAT3 as u8,
            Usage: D3DDECLUSAGE_POSITION as u8,
            UsageIndex: index,
            ..D3DVERTEXELEMENT9::default()
        };
        let declaration = device.create_declaration(&[element(0, 0), element(12, 1), D3DDECL_END]).unwrap();
        device.set_vertex_declaration(Some(declaration)).unwrap();
    });
    assert_eq!(draw.register(Bank::FixedVertex, FixedVertexRegister::Tween.register())[0], 0.25);
    assert!(draw.vertex_key().has_input(FixedInput::Position1 as u8));
    assert_eq!(draw.format(FixedInput::Position1), VertexFormat::R32G32B32_SFLOAT);
}

#[test]
fn indexed_blending_has_every_world_matrix() {
    let blended = |device: &mut Device| {
        device.set_render_state(D3DRS_VERTEXBLEND, D3DVBF_1WEIGHTS).unwrap();
        device.set_render_state(D3DRS_INDEXEDVERTEXBLENDENABLE, 1).unwrap();
        device.set_transform(D3DTS_WORLD + 255, &moved(7.0)).unwrap();
        device.set_transform(D3DTS_VIEW, &moved(0.5)).unwrap();
    };
    for (fvf, last) in [(D3DFVF_LASTBETA_UBYTE4, "numbers"), (D3DFVF_LASTBETA_D3DCOLOR, "a colour")] {
        let draw = drawn(D3DFVF_XYZB3 | fvf, blended);
        // Either way the bytes are the indices.
        assert_eq!(draw.format(FixedInput::BlendIndices), VertexFormat::R8G8B8A8_USCALED, "{last}");
        let row = |index| draw.register(Bank::FixedVertex, FixedVertexRegister::IndexedWorldView.element(index) + 3);
        assert_eq!([row(0)[0], row(17)[0], row(255)[0]], [0.5, 0.5, 7.5]);
    }
    // Draws that do not blend by index do not pay for it.
    let plain = drawn(D3DFVF_XYZ, |device| device.set_transform(D3DTS_WORLD + 255, &moved(7.0)).unwrap());
    let first = FixedVertexRegister::IndexedWorldView.register();
    assert!(plain.state.bank(Bank::FixedVertex as usize)[usize::from(first)..].iter().all(|r| *r == [0; 4]));
}

#[test]
fn matrices_follow_later_changes() {
    let mut rig = Rig::new();
    rig.log().keep_states = true;
    let draw = |rig: &mut Rig| {
        rig.device.draw_primitive_up(D3DPT_POINTLIST, 3, &[0; 3 * 64], 64).unwrap();
        rig.check();
        let log = rig.log();
        let rows = log.draws.last().unwrap().bank(Bank::FixedVertex as usize).to_vec();
        [0, 9, 10, 200]
            .map(|n| f32::from_bits(rows[usize::from(FixedVertexRegister::IndexedWorldView.element(n)) + 3][0]))
    };
    let d = &mut rig.device;
    d.set_fvf(D3DFVF_XYZB2 | D3DFVF_LASTBETA_UBYTE4).unwrap();
    d.set_render_state(D3DRS_VERTEXBLEND, D3DVBF_0WEIGHTS).unwrap();
    d.set_render_state(D3DRS_INDEXEDVERTEXBLENDENABLE, 1).unwrap();
    d.set_transform(D3DTS_WORLD + 9, &moved(1.0)).unwrap();
    assert_eq!(draw(&mut rig), [0.0, 1.0, 0.0, 0.0]);
    // While something else is drawn, two of them change.
    rig.device.set_render_state(D3DRS_INDEXEDVERTEXBLENDENABLE, 0).unwrap();
    rig.device.set_transform(D3DTS_WORLD + 10, &moved(2.0)).unwrap();
    assert_eq!(draw(&mut rig), [0.0, 1.0, 0.0, 0.0]);
    rig.device.set_transform(D3DTS_WORLD + 200, &moved(3.0)).unwrap();
    rig.device.set_render_state(D3DRS_INDEXEDVERTEXBLENDENABLE, 1).unwrap();
    assert_eq!(draw(&mut rig), [0.0, 1.0, 2.0, 3.0]);
    rig.device.set_transform(D3DTS_VIEW, &moved(10.0)).unwrap();
    assert_eq!(draw(&mut rig), [10.0, 11.0, 12.0, 13.0]);
}

#[test]
fn texture_coordinates() {
    let key = |flags: u32| {
        let draw = drawn(D3DFVF_XYZ | D3DFVF_TEX1, |device| {
            device.set_texture_stage_state(0, D3DTSS_COLOROP, D3DTOP_SELECTARG2).unwrap();
            device.set_texture_stage_state(0, D3DTSS_TEXTURETRANSFORMFLAGS, flags).unwrap();
            device.set_texture_stage_state(0, D3DTSS_TEXCOORDINDEX, D3DTSS_TCI_SPHEREMAP | 3).unwrap();
        });
        (draw.vertex_key().tex_coords[0], draw.pixel_key().stages[0].projected)
    };
    let expected = TexCoordKey { used: 1, set: 3, generation: 4, ..TexCoordKey::default() };
    assert_eq!(key(0), (expected, 0));
    assert_eq!(key(D3DTTFF_COUNT4), (TexCoordKey { transform: 4, ..expected }, 0));
    let projected = TexCoordKey { transform: 3 | TexCoordKey::PROJECTED, ..expected };
    assert_eq!(key(D3DTTFF_COUNT3 | D3DTTFF_PROJECTED), (projected, 1));
    // More coordinates than there are: none is transformed.
    assert_eq!(key(u32::MAX), (TexCoordKey { transform: TexCoordKey::PROJECTED, ..expected }, 1));
    // The set that the vertex has, by its components.
    let own = drawn(D3DFVF_XYZ | D3DFVF_TEX1 | D3DFVF_TEXTUREFORMAT3 << 16, |_| {}).vertex_key().tex_coords[0];
    assert_eq!(own.components, 3);
}

#[test]
fn fog_goes_by_what_the_projection_says() {
    let fog = |fvf, mode, w: f32| {
        let draw = drawn(fvf, |device| {
            device.set_render_state(D3DRS_FOGENABLE, 1).unwrap();
            device.set_render_state(D3DRS_FOGTABLEMODE, mode).unwrap();
            device.set_render_state(D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR).unwrap();
            device.set_render_state(D3DRS_FOGDENSITY, 0.25f32.to_bits()).unwrap();
            device.set_render_state(D3DRS_FOGSTART, 2.0f32.to_bits()).unwrap();
            let mut projection = moved(0.0);
            projection.m[2][3] = w;
            device.set_transform(D3DTS_PROJECTION, &projection).unwrap();
        });
        (draw.state.pixel_ops.fog, draw.vertex_key().fog_mode, draw.state.pixel_ops.fog_start)
    };
    assert_eq!(fog(D3DFVF_XYZ, D3DFOG_NONE, 1.0), (FogMode::Vertex as u8, 3, 2.0));
    assert_eq!(fog(D3DFVF_XYZ, D3DFOG_LINEAR, 0.0), (FogMode::Linear as u8, 0, 2.0));
    assert_eq!(fog(D3DFVF_XYZ, D3DFOG_LINEAR, 1.0), (FogMode::LinearW as u8, 0, 2.0));
    assert_eq!(fog(D3DFVF_XYZ, D3DFOG_EXP, 0.0), (FogMode::Exp as u8, 0, 0.25));
    assert_eq!(fog(D3DFVF_XYZ, D3DFOG_EXP2, 1.0), (FogMode::Exp2W as u8, 0, 0.25));
    assert_eq!(fog(D3DFVF_XYZRHW, D3DFOG_EXP, 1.0), (FogMode::ExpW as u8, 0, 0.25));
    assert_eq!(fog(D3DFVF_XYZRHW, D3DFOG_NONE, 1.0), (FogMode::Vertex as u8, 0, 2.0));
}

#[test]
fn clip_planes_cut_what_is_transformed() {
    let planes = |fvf| drawn(fvf, |device| device.set_render_state(D3DRS_CLIPPLANEENABLE, 0x45).unwrap());
    assert_eq!(planes(D3DFVF_XYZ).state.pixel_ops.clip_planes, 5);
    assert_eq!(planes(D3DFVF_XYZRHW).state.pixel_ops.clip_planes, 0);
}

#[test]
fn point_sizes_have_limits() {
    let raster = drawn(D3DFVF_XYZ, |device| {
        device.set_render_state(D3DRS_POINTSIZE, 9.0f32.to_bits()).unwrap();
        device.set_render_state(D3DRS_POINTSIZE_MIN, 2.0f32.to_bits()).unwrap();
        device.set_render_state(D3DRS_POINTSIZE_MAX, 5.0f32.to_bits()).unwrap();
    })
    .state
    .raster;
    assert_eq!([raster.point_size, raster.point_size_min, raster.point_size_max], [9.0, 2.0, 5.0]);
}

const BUMPED: &str = "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1";

#[test]
fn old_pixel_shaders_see_texture_stage_states() {
    let draw = |text: &str| {
        drawn(D3DFVF_XYZ | D3DFVF_TEX2, |device| {
            let shader = device.create_pixel_shader(&common::assemble(text)).unwrap();
            device.set_pixel_shader(Some(shader)).unwrap();
            let projected = D3DTTFF_COUNT3 | D3DTTFF_PROJECTED;
            device.set_texture_stage_state(1, D3DTSS_TEXTURETRANSFORMFLAGS, projected).unwrap();
            device.set_texture_stage_state(1, D3DTSS_BUMPENVMAT01, 0.5f32.to_bits()).unwrap();
            device.set_texture_stage_state(1, D3DTSS_BUMPENVLSCALE, 4.0f32.to_bits()).unwrap();
        })
    };
    let old = draw(BUMPED);
    assert_eq!(old.state.pixel_ops.projected, 0b10);
    assert_eq!(old.register(Bank::FixedPixel, FixedPixelRegister::BumpMatrix.element(1)), [0.0, 0.5, 0.0, 0.0]);
    assert_eq!(old.register(Bank::FixedPixel, FixedPixelRegister::BumpLuminance.element(1))[0], 4.0);
    let newer = draw(common::PS);
    assert_eq!(newer.state.pixel_ops.projected, 0);
    assert_eq!(newer.register(Bank::FixedPixel, FixedPixelRegister::BumpMatrix.element(1)), [0.0; 4]);
}

#[test]
fn fetch4_is_a_bias_with_a_name() {
    let ati1 = u32::from_le_bytes(*b"ATI1");
    let gather = |format, bias: [u8; 4]| {
        let draw = drawn(D3DFVF_XYZ | D3DFVF_TEX1, |device| {
            let color = [D3DFMT_L8, D3DFMT_A8R8G8B8, ati1].contains(&format);
            let depth = if color { 0 } else { D3DUSAGE_DEPTHSTENCIL };
            let pool = D3DPOOL_DEFAULT;
            let texture = device.create_texture(16, 16, 1, depth, format, pool).unwrap();
            device.set_texture(0, Some(texture)).unwrap();
            device.set_sampler_state(0, D3DSAMP_MIPMAPLODBIAS, u32::from_le_bytes(bias)).unwrap();
        });
        let Some(Created::Sampler(sampler)) = draw.state.objects.get(draw.state.textures[0].sampler) else {
            panic!("no sampler")
        };
        sampler.gather
    };
    assert_eq!([*b"GET4", *b"GET1", [0; 4]].map(|bias| gather(D3DFMT_L8, bias)), [1, 0, 0]);
    // One channel is needed, and formats that compare have no such lookups.
    assert_eq!([D3DFMT_A8R8G8B8, D3DFMT_D24S8].map(|format| gather(format, *b"GET4")), [0, 0]);
    assert_eq!(gather(u32::from_le_bytes(*b"DF24"), *b"GET4"), 1);
    assert_eq!(gather(ati1, *b"GET4"), 0, "drivers have no four texels of blocks");
}

#[test]
fn software_vertex_processing_has_more_constants() {
    let set = |behavior| {
        let mut rig = Rig::with_behavior(behavior);
        rig.device.reset(&mut Rig::parameters(TRUE), Rig::window()).unwrap();
        let floats = rig.device.set_vertex_shader_constant_f(8191, &[[1.0; 4]]);
        let ints = rig.device.set_vertex_shader_constant_i(2047, &[[1; 4]]);
        let bools = rig.device.set_vertex_shader_constant_b(2047, &[1]);
        let mut back = [[0.0; 4]];
        let read = rig.device.vertex_shader_constant_f(8191, &mut back);
        assert_eq!(read.is_ok(), back == [[1.0; 4]]);
        assert!(rig.device.set_vertex_shader_constant_f(8191, &[[1.0; 4]; 2]).is_err());
        (floats.is_ok(), ints.is_ok(), bools.is_ok())
    };
    assert_eq!(set(D3DCREATE_HARDWARE_VERTEXPROCESSING), (false, false, false));
    assert_eq!(set(D3DCREATE_SOFTWARE_VERTEXPROCESSING), (true, true, true));
    assert_eq!(set(D3DCREATE_MIXED_VERTEXPROCESSING), (true, true, true));
}

#[test]
fn shaders_in_software_get_their_constants() {
    let mut rig = Rig::with_behavior(D3DCREATE_SOFTWARE_VERTEXPROCESSING);
    rig.log().keep_states = true;
    let text = "vs_2_sw\ndcl_position v0\nadd oPos, v0, c4000";
    let shader = rig.device.create_vertex_shader(&common::assemble(text)).unwrap();
    rig.device.set_vertex_shader(Some(shader)).unwrap();
    rig.device.set_fvf(D3DFVF_XYZ).unwrap();
    for value in [1.0, 2.0] {
        rig.device.set_vertex_shader_constant_f(3999, &[[value; 4]; 3]).unwrap();
        rig.device.draw_primitive_up(D3DPT_POINTLIST, 3, &[0; 3 * 12], 12).unwrap();
        rig.check();
        let bank = rig.log().draws.last().unwrap().bank(Bank::VertexFloat as usize)[4000];
        assert_eq!(bank.map(f32::from_bits), [value; 4]);
    }
}

#[test]
fn devices_in_software_take_more_constants_in_every_model() {
    // vs_2_0; dcl_position v0; add oPos, v0, c300
    let tokens = [
        0xFFFE_0200,
        0x0200_001F,
        0x8000_0000,
        0x900F_0000,
        0x0300_0002,
        0xC00F_0000,
        0x90E4_0000,
        0xA0E4_012C,
        0xFFFF,
    ];
    let takes = |behavior| Rig::with_behavior(behavior).device.create_vertex_shader(&tokens).is_ok();
    assert!(!takes(D3DCREATE_HARDWARE_VERTEXPROCESSING));
    assert!(takes(D3DCREATE_MIXED_VERTEXPROCESSING) && takes(D3DCREATE_SOFTWARE_VERTEXPROCESSING));
}

#[test]
fn hardware_takes_software_models_as_far_as_they_are_its_own() {
    let vertex = |version: &str, constant: &str| format!("{version}\ndcl_position v0\nadd oPos, v0, {constant}");
    let output =
        |version: &str, constant: &str| format!("{version}\ndcl_position v0\ndcl_position o0\nadd o0, v0, {constant}");
    let branch = |register: &str| format!("vs_2_sw\ndcl_position v0\nmov oPos, v0\n{register}\nmov oFog, c0.x\nend");
    for (text, in_hardware, in_software) in [
        (vertex("vs_2_sw", "c255"), true, true),
        (vertex("vs_2_sw", "c256"), false, true),
        (vertex("vs_2_sw", "c8191"), false, true),
        ("vs_2_sw\ndcl_position v0\nmova a0.x, c0.x\nadd oPos, v0, c[a0.x]".to_owned(), true, true),
        (branch("if b15") + "if", true, true),
        (branch("if b16") + "if", false, true),
        (branch("rep i15") + "rep", true, true),
        (branch("rep i2047") + "rep", false, true),
        (output("vs_3_sw", "c0"), false, true),
        (output("vs_3_0", "c255"), true, true),
        ("ps_2_sw\nmov oC0, c31".to_owned(), true, true),
        ("ps_2_sw\nmov oC0, c32".to_owned(), false, false),
        ("ps_3_sw\nmov oC0, c0".to_owned(), false, false),
    ] {
        let tokens = common::assemble(&text);
        let takes = |behavior| {
            let device = &mut Rig::with_behavior(behavior).device;
            match text.starts_with('v') {
                true => device.create_vertex_shader(&tokens).is_ok(),
                false => device.create_pixel_shader(&tokens).is_ok(),
            }
        };
        let software = [D3DCREATE_MIXED_VERTEXPROCESSING, D3DCREATE_SOFTWARE_VERTEXPROCESSING].map(takes);
        let found = (takes(D3DCREATE_HARDWARE_VERTEXPROCESSING), software);
        assert_eq!(found, (in_hardware, [in_software; 2]), "{text}");
    }
}

#[test]
fn mixed_devices_draw_what_needs_software_in_software() {
    let mut rig = Rig::with_behavior(D3DCREATE_MIXED_VERTEXPROCESSING);
    rig.log().keep_states = true;
    rig.device.set_fvf(D3DFVF_XYZ).unwrap();
    // The shader's own code, or none where the fixed stage is drawn with.
    fn draws(rig: &mut Rig, tokens: &[u32]) -> Option<bool> {
        rig.device.draw_primitive_up(D3DPT_POINTLIST, 3, &[0; 3 * 12], 12).ok()?;
        rig.check();
        let log = rig.log();
        let drawn = log.draws.last().unwrap().shaders.vertex;
        let (_, code) = log.uploads.iter().rfind(|(id, _)| *id == drawn).unwrap();
        Some(code.as_slice() == bytemuck::cast_slice::<u32, u8>(tokens))
    }
    for (text, needs_software) in [
        ("vs_2_sw\ndcl_position v0\nadd oPos, v0, c4000", true),
        ("vs_2_sw\ndcl_position v0\nmov oPos, v0", true),
        // Where an index points is known only when the shader runs.
        ("vs_2_0\ndcl_position v0\nmova a0.x, c0.x\nadd oPos, v0, c[a0.x]", false),
    ] {
        let tokens = common::assemble(text);
        let shader = rig.device.create_vertex_shader(&tokens).unwrap();
        let in_hardware = if needs_software { [None, Some(false), Some(false)] } else { [Some(true); 3] };
        for _ in 0..2 {
            rig.device.set_vertex_shader(Some(shader)).unwrap();
            assert_eq!([0, 1, 2].map(|_| draws(&mut rig, &tokens)), in_hardware, "{text}");
            rig.device.set_software_vertex_processing(true).unwrap();
            rig.device.set_vertex_shader_constant_f(300, &[[5.0; 4]]).unwrap();
            // It is drawn with as a shader of the software model, whose index reaches all constants.
            let tokens = [&[tokens[0] | 0xff], &tokens[1..]].concat();
            assert_eq!(draws(&mut rig, &tokens), Some(true), "{text}");
            if !needs_software {
                assert_eq!(rig.log().draws.last().unwrap().bank(Bank::VertexFloat as usize)[300], [5f32.to_bits(); 4]);
            }
            rig.device.set_software_vertex_processing(false).unwrap();
        }
    }
}

#[test]
fn states_without_meaning_make_no_other_shader() {
    let key = |states: &[(u32, u32)]| {
        let draw = drawn(D3DFVF_XYZ | D3DFVF_NORMAL, |device| {
            for (state, value) in states {
                device.set_render_state(*state, *value).unwrap();
            }
        });
        draw.vertex_key()
    };
    let unlit = (D3DRS_LIGHTING, 0);
    let plain = key(&[unlit]);
    for (state, value) in [
        (D3DRS_SPECULARENABLE, 1),
        (D3DRS_LOCALVIEWER, 0),
        (D3DRS_DIFFUSEMATERIALSOURCE, D3DMCS_COLOR2),
        (D3DRS_RANGEFOGENABLE, 1),
        (D3DRS_FOGVERTEXMODE, D3DFOG_EXP),
        (D3DRS_INDEXEDVERTEXBLENDENABLE, 1),
    ] {
        assert_eq!(key(&[unlit, (state, value)]), plain, "state {state}");
    }
    assert_ne!(key(&[(D3DRS_SPECULARENABLE, 1)]), key(&[]));
    let fog = [(D3DRS_FOGENABLE, 1), (D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR)];
    assert_ne!(key(&[fog[0], fog[1], (D3DRS_RANGEFOGENABLE, 1)]), key(&fog));
}
