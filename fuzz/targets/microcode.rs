//! NV2A transform microcode: program memory as it comes, and programs that parse.
//!
//! What parses has text and code that read back to it, runs on the CPU, and compiles.
#![no_main]

use afterimage_fuzz::{Input, compile};
use afterimage_shader::{Language, RuntimeInfo, Shader};
use afterimage_shader_nv2a::{Program, assemble, generate, parse, run};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let options = input.byte();
    let start = usize::from(input.byte());
    let bytes = input.rest();
    let program = if options & 1 == 0 {
        let _ = Program::from_bytes(bytes);
        let memory = parse::memory_from_bytes(&bytes[..bytes.len() & !15]).expect("whole instructions");
        match Program::parse(&memory, start) {
            Ok(program) if program.instructions.len() <= 136 => program,
            Ok(_) => return,
            Err(error) => return assert!(error.to_string().contains("slot"), "an error says where"),
        }
    } else {
        generate(bytes)
    };
    let program = program.with_flags(u32::from(options) >> 1);
    assert_eq!(Program::from_bytes(&program.to_bytes()).as_ref(), Ok(&program), "the code reads back");
    let text = assemble(&program.to_string()).expect("the text assembles");
    assert_eq!(text.instructions, program.instructions, "the text reads back");
    let inputs = [[0.5, -0.0, f32::INFINITY, f32::NAN]; 16];
    run(&program, &inputs, &mut [[0x7F80_0000, 0, 0x8000_0001, 0x4000_0000]; 192], options & 2 != 0);
    let shader = Shader::new(Language::Nv2aProgram, &program.to_bytes()).expect("what parses can be translated");
    compile(&shader, &RuntimeInfo::default(), false, true);
});
