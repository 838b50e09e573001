//! SPIR-V as it comes, and as our own back end writes it with a few words damaged: vertex shaders with captures, geometry and pixel
//! shaders.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_ir::{Stage, generate};
use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};
use afterimage_shader_spirv::{Options, Program, lift};
use afterimage_spirv::{Bound, emit_bound};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let options = input.byte();
    if options & 1 == 0 {
        return survive(input.rest());
    }
    let damages: [[u32; 2]; 4] = input.value();
    let stage = if options & 2 == 0 { Stage::Vertex } else { Stage::Pixel };
    let module = generate(stage, input.rest()).to_string();
    let shader = Shader::new(Language::Ir, module.as_bytes()).expect("a generated module is valid");
    let profile = Profile { bindless: options & 0x80 != 0, ..Profile::default() };
    let mut words = shader.compile(&profile, &RuntimeInfo::default()).expect("a generated module can be written").words;
    for [place, word] in &damages[..usize::from(options >> 2) % 5] {
        let place = *place as usize % words.len();
        // Mostly another number near the one that is there, as ids are.
        words[place] = if word % 4 == 0 { *word } else { words[place].wrapping_add(word >> 2 & 15).wrapping_sub(7) };
    }
    survive(bytemuck::cast_slice(&words));
});

/// Lifts the module, in every stage; what comes out is written where it was bound, and lowered where it captures.
fn survive(bytes: &[u8]) {
    afterimage_shader_spirv::fuzz(bytes);
    let Ok(program) = Program::from_bytes(&bytes[..bytes.len() & !3]) else { return };
    for stage in [Stage::Vertex, Stage::Geometry, Stage::Pixel] {
        let Ok(lifted) = lift(&program, &Options { entry: None, stage: Some(stage) }) else { continue };
        let options = afterimage_spirv::Options {
            bindless: false,
            preserve: false,
            debug_names: false,
            features: afterimage_spirv::Features::ALL,
        };
        let bound = Bound { bindings: &lifted.bindings, feedback: None };
        if let Ok(artifact) = emit_bound(&lifted.module, &options, &bound) {
            Program::parse(&artifact.words).expect("what we write can be read");
        }
        if stage == Stage::Vertex
            && let Ok(lowered) = afterimage_passes::feedback::lower(&lifted.module, &Default::default())
        {
            assert_eq!(afterimage_ir::verify(&lowered), Ok(()), "what is lowered is valid");
        }
    }
}
