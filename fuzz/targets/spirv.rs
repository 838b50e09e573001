//! SPIR-V as it comes, and as our own back end writes it with a few words damaged.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_ir::{Stage, generate};
use afterimage_shader::{Language, Profile, RuntimeInfo, Shader};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let options = input.byte();
    if options & 1 == 0 {
        return afterimage_shader_spirv::fuzz(input.rest());
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
    afterimage_shader_spirv::fuzz(bytemuck::cast_slice(&words));
});
