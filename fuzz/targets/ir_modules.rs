//! Valid modules of the IR: through text, passes, interpreter and both back ends; and their text with a few bytes damaged.
#![no_main]

use afterimage_fuzz::{Input, compile};
use afterimage_ir::{Stage, fuzz, generate};
use afterimage_shader::{Language, RuntimeInfo, Shader};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let options = input.byte();
    let damages: [[u16; 2]; 4] = input.value();
    let stage = if options & 1 == 0 { Stage::Vertex } else { Stage::Pixel };
    let mut text = generate(stage, input.rest()).to_string().into_bytes();
    let shader = Shader::new(Language::Ir, &text).expect("a generated module is valid");
    compile(&shader, &RuntimeInfo::default(), options & 2 != 0, true);
    for [place, byte] in &damages[..usize::from(options >> 2) % 5] {
        let place = usize::from(*place) % text.len();
        text[place] = byte.to_le_bytes()[0];
    }
    fuzz(&text);
    if let Ok(shader) = Shader::new(Language::Ir, &text) {
        compile(&shader, &RuntimeInfo::default(), options & 2 != 0, false);
    }
});
