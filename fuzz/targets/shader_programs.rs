//! Direct3D 9 shaders that are mostly right: generated from the opcode tables, and now and then damaged.
//!
//! The first bytes choose version, options and damage; the rest chooses instructions.
#![no_main]

use afterimage_fuzz::{Input, compile};
use afterimage_shader::{Language, RuntimeInfo, Shader, fuzz_tokens};
use afterimage_shader_d3d9::tables::{Opcode, Version};
use afterimage_shader_d3d9::{Program, generate};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let version = Version::ALL[usize::from(input.byte()) % Version::ALL.len()];
    let options = input.byte();
    let damages: [[u32; 2]; 2] = input.value();
    let mut tokens = generate(version, input.rest()).encode();
    for [place, token] in &damages[..usize::from(options & 3).saturating_sub(1)] {
        let place = *place as usize % tokens.len();
        // Every fourth damage is another token, the others a few bits of the one that is there.
        tokens[place] = if place % 4 == 0 { *token } else { tokens[place] ^ 1 << (token & 31) };
    }
    let code: &[u8] = bytemuck::cast_slice(&tokens);
    fuzz_tokens(code);
    if let (Ok(shader), Ok(program)) = (Shader::new(Language::D3d9, code), Program::parse(&tokens)) {
        let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
        // Derivatives where the pixels of a quad go different ways may be anything.
        let exact = !program.instructions.iter().any(|i| matches!(i.op, Opcode::Dsx | Opcode::Dsy));
        compile(&shader, &runtime, options & 4 != 0, exact);
    }
});
