//! The states around a shader that change its code: each gives valid SPIR-V, what the cache key leaves out makes no difference,
//! and no key and no random or damaged program does harm. With the shaders that are written by hand and the fixed-function
//! stages.

use crate::corpus::{Entry, assembled};
use crate::judges;
use afterimage_shader::{
    CompileError, Features, FloatRules, Language, PixelOps, Profile, RuntimeInfo, Shader, Stage, VertexOps, bound,
    decode_artifact, encode_artifact,
};
use afterimage_shader_d3d9::tables::Version;
use afterimage_shader_d3d9::{
    FixedPixelKey, FixedStage, FixedVertexKey, LiftError, LiftErrorKind, TexCoordKey, generate,
};
use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The shaders, with names.
fn shaders() -> Vec<(String, Shader)> {
    let mut shaders = Vec::new();
    for Entry { name, tokens, .. } in assembled() {
        let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens));
        shaders.push((name.clone(), shader.unwrap_or_else(|error| panic!("{name}: {error}"))));
    }
    assert!(shaders.len() >= 7, "the shaders are gone");
    let coords =
        |transform, generation| TexCoordKey { used: 1, set: 0, generation, transform, components: 2, pad: [0; 3] };
    let flags = FixedVertexKey::LIGHTING | FixedVertexKey::NORMALIZE_NORMALS | FixedVertexKey::SPECULAR;
    let vertex = [
        FixedVertexKey::default(),
        FixedVertexKey { flags: FixedVertexKey::PRETRANSFORMED, inputs: !0, ..Default::default() },
        FixedVertexKey {
            flags: flags | FixedVertexKey::LOCAL_VIEWER | FixedVertexKey::RANGE_FOG,
            inputs: !0,
            diffuse_source: 1,
            specular_source: 2,
            fog_mode: 1,
            lights: [3, 1, 2, 3, 1, 2, 3, 1],
            tex_coords: [0, 1, 2, 3, 4, 0, 0, 0].map(|generation| coords(0x80 | 3, generation)),
            ..Default::default()
        },
        FixedVertexKey {
            flags: FixedVertexKey::INDEXED_BLEND | FixedVertexKey::TWEENING | FixedVertexKey::POINT_SCALE,
            inputs: !0,
            blend_weights: 3,
            ..Default::default()
        },
    ];
    for (index, key) in vertex.iter().enumerate() {
        let shader = Shader::new(Language::FixedVertex, bytemuck::bytes_of(key)).expect("a key");
        shaders.push((format!("fixed vertex {index}"), shader));
    }
    for texture in 0..4 {
        // Four keys run through all operations, eight a key.
        let mut key = FixedPixelKey { flags: FixedPixelKey::SPECULAR, ..Default::default() };
        for (index, stage) in key.stages.iter_mut().enumerate() {
            let op = 2 + (index as u8 + texture * 8) % 25;
            let args = [3, 2 | 0x10, (index as u8 % 7) | 0x20];
            *stage = FixedStage {
                color_op: op,
                color_args: args,
                alpha_op: op,
                alpha_args: args,
                texture,
                projected: texture,
                result_temp: u8::from(index == 3),
                pad: 0,
            };
        }
        let shader = Shader::new(Language::FixedPixel, bytemuck::bytes_of(&key)).expect("a key");
        shaders.push((format!("fixed pixel {texture}"), shader));
    }
    shaders
}

/// States that change the code.
fn runtimes(shader: &Shader) -> Vec<RuntimeInfo> {
    let alone = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
    let mut runtimes = vec![RuntimeInfo::default(), alone, RuntimeInfo { records: 1, ..alone }];
    match shader.stage() {
        Stage::Vertex => {
            runtimes.push(RuntimeInfo {
                vertex_ops: VertexOps { point_size: 1, clip_planes: 0x3F, ..VertexOps::default() },
                ..alone
            });
        }
        _ => {
            for (alpha_compare, fog) in [(0, 0), (1, 1), (5, 2), (7, 3), (6, 4)] {
                let pixel_ops =
                    PixelOps { alpha_compare, fog, flat: fog & 1, point_sprite: fog >> 1 & 1, ..Default::default() };
                let textures = [bound::SHADOW | (fog % 4); 20];
                runtimes.push(RuntimeInfo { pixel_ops, textures, ..alone });
            }
            let pixel_ops = PixelOps { generic: 1, srgb_write: 0xF, ..Default::default() };
            let textures = [bound::FETCH4 | bound::PROJECTED; 20];
            runtimes.push(RuntimeInfo { pixel_ops, textures, ..alone });
        }
    }
    runtimes
}

const PROFILES: [Profile; 3] = [
    Profile {
        bindless: false,
        float_rules: FloatRules::Strict,
        preserve: true,
        debug_names: true,
        wave: 8,
        clip_varyings: None,
        features: Features::ALL,
    },
    Profile {
        bindless: true,
        float_rules: FloatRules::Strict,
        preserve: false,
        debug_names: false,
        wave: 32,
        clip_varyings: None,
        features: Features::ALL,
    },
    Profile {
        bindless: true,
        float_rules: FloatRules::Relaxed,
        preserve: false,
        debug_names: false,
        wave: 32,
        clip_varyings: Some(29),
        features: Features::ALL,
    },
];

#[test]
fn every_state_gives_valid_spirv() {
    if !judges::are_there() {
        return;
    }
    for (name, shader) in shaders() {
        let mut seen = std::collections::HashSet::new();
        for runtime in runtimes(&shader) {
            for profile in &PROFILES {
                if !seen.insert(shader.key(profile, &runtime)) {
                    continue;
                }
                let artifact = shader.compile(profile, &runtime).unwrap_or_else(|error| panic!("{name}: {error}"));
                // Runtime arrays, and draws by their number, which MoltenVK does not get.
                let beyond = profile.bindless || runtime.records != 0;
                let judge = if beyond { judges::validate } else { judges::judge };
                judge(&artifact.words).unwrap_or_else(|e| panic!("{name} with {profile:?}, {runtime:?}: {e}"));
                assert_eq!(decode_artifact(&encode_artifact(&artifact)), Ok(artifact));
            }
        }
    }
}

/// What the key leaves out makes no difference.
#[test]
fn equal_keys_mean_equal_code() {
    for (name, shader) in shaders() {
        let mut by_key = std::collections::HashMap::new();
        for runtime in runtimes(&shader) {
            let artifact = shader.compile(&PROFILES[0], &runtime).expect("compiles");
            let normal = shader.compile(&PROFILES[0], &shader.normalized(&runtime)).expect("compiles");
            assert_eq!(artifact, normal, "{name}: {runtime:?}");
            let known = by_key.entry(shader.key(&PROFILES[0], &runtime)).or_insert_with(|| artifact.clone());
            assert_eq!(*known, artifact, "{name}: {runtime:?}");
        }
    }
}

fn program(version: usize, bytes: &[u8]) -> Vec<u32> {
    generate(Version::ALL[version], bytes).encode()
}

/// Compiles, and tells what cannot be translated yet from what is wrong.
fn compile(tokens: &[u32]) -> Result<Option<Vec<u32>>, TestCaseError> {
    let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(tokens));
    let Ok(shader) = shader else { return Ok(None) };
    let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
    match shader.compile(&PROFILES[0], &runtime) {
        Ok(artifact) => Ok(Some(artifact.words)),
        Err(CompileError::Lift(LiftError::Instruction { kind: LiftErrorKind::TooComplex, .. })) => Ok(None),
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_shaders_compile(version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000)) {
        compile(&program(version, &bytes))?;
    }

    #[test]
    fn damaged_shaders_do_no_harm(
        version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000), at in any::<prop::sample::Index>(), bit in 0..32u32,
    ) {
        let mut tokens = program(version, &bytes);
        let at = at.index(tokens.len());
        tokens[at] ^= 1 << bit;
        compile(&tokens)?;
        afterimage_shader::fuzz_tokens(bytemuck::cast_slice(&tokens));
    }

    #[test]
    fn any_key_compiles(bytes in any::<[u8; 200]>()) {
        let vertex = &bytes[..size_of::<FixedVertexKey>()];
        let pixel = &bytes[..size_of::<FixedPixelKey>()];
        for (language, code) in [(Language::FixedVertex, vertex), (Language::FixedPixel, pixel)] {
            let shader = Shader::new(language, code).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
            let compiled = shader.compile(&PROFILES[0], &runtime);
            prop_assert!(compiled.is_ok(), "{:?}", compiled);
        }
    }
}

#[test]
fn generated_shaders_are_valid_spirv() {
    if !judges::are_there() {
        return;
    }
    let mut checked = 0;
    for index in 0..400u32 {
        let bytes: Vec<u8> = (0..300u32).map(|at| xxh3_64_with_seed(&at.to_le_bytes(), index.into()) as u8).collect();
        let tokens = program(index as usize % Version::ALL.len(), &bytes);
        if tokens.len() < 60
            && let Ok(Some(words)) = compile(&tokens)
        {
            judges::judge(&words).unwrap_or_else(|e| panic!("seed {index}: {e}"));
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} of the generated shaders could be translated");
}
