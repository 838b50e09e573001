//! The passes may not change what the interpreter computes for Direct3D 9 shaders, generated ones above all.

#[path = "kept/mod.rs"]
mod kept;

use afterimage_shader::{Language, PixelOps, RuntimeInfo, Shader, VertexOps};
use afterimage_shader_d3d9::tables::{Opcode, Version};
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey, generate};
use proptest::collection::vec;
use proptest::prelude::*;

fn same(shader: &Shader, runtime: &RuntimeInfo) -> Result<(), TestCaseError> {
    let Ok(lifted) = shader.lift(runtime) else { return Ok(()) };
    kept::kept(&lifted).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn passes_keep_the_meaning_of_shaders(version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000)) {
        let mut program = generate(Version::ALL[version], &bytes);
        // Derivatives where the lanes of a quad go different ways may be anything.
        program.instructions.retain(|i| !matches!(i.op, Opcode::Dsx | Opcode::Dsy));
        let tokens = program.encode();
        let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens));
        let shader = shader.map_err(|error| TestCaseError::fail(error.to_string()))?;
        same(&shader, &RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() })?;
    }

    #[test]
    fn passes_keep_the_meaning_of_fixed_stages(bytes in any::<[u8; 200]>(), fog in 0..5u8, compare in 0..8u8) {
        let keys = [
            (Language::FixedVertex, &bytes[..size_of::<FixedVertexKey>()]),
            (Language::FixedPixel, &bytes[..size_of::<FixedPixelKey>()]),
        ];
        for (language, code) in keys {
            let shader = Shader::new(language, code).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let runtime = RuntimeInfo {
                link: shader.own_link(),
                pixel_ops: PixelOps { alpha_compare: compare, fog, ..PixelOps::default() },
                vertex_ops: VertexOps { point_size: 1, clip_planes: bytes[0], ..VertexOps::default() },
                ..RuntimeInfo::default()
            };
            same(&shader, &runtime)?;
        }
    }
}
