//! Keys of the fixed-function stages, and the state around any shader, which are bytes that guests decide.
#![no_main]

use afterimage_fuzz::{Input, compile};
use afterimage_shader::{Language, RuntimeInfo, Shader};
use afterimage_shader_d3d9::tables::Version;
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey, generate};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let choice = input.byte();
    let mut runtime: RuntimeInfo = input.value();
    let shader = match choice % 3 {
        0 => Shader::new(Language::FixedVertex, bytemuck::bytes_of(&input.value::<FixedVertexKey>())),
        1 => Shader::new(Language::FixedPixel, bytemuck::bytes_of(&input.value::<FixedPixelKey>())),
        _ => {
            let version = Version::ALL[usize::from(choice) % Version::ALL.len()];
            let tokens = generate(version, input.rest()).encode();
            Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens))
        }
    };
    let Ok(shader) = shader else { return };
    if choice & 0x80 != 0 {
        runtime.link = shader.own_link();
    }
    compile(&shader, &runtime, choice & 0x40 != 0, false);
});
