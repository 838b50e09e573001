//! GCN code: words as they come, and programs of instructions of every row.
//!
//! What parses has text that assembles to the same words. Footers, fetch shaders and shader files are looked for in anything; text is
//! assembled, whatever it is.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_shader_gcn::binary::Binary;
use afterimage_shader_gcn::fetch::FetchShader;
use afterimage_shader_gcn::file::ShaderFile;
use afterimage_shader_gcn::io::HwStage;
use afterimage_shader_gcn::{Program, assemble, code_length, generate};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let options = input.byte();
    let stage = HwStage::ALL[usize::from(input.byte()) % HwStage::ALL.len()];
    let bytes = input.rest();
    // Anything behind the first word of a shader file's header.
    if let Ok(file) = ShaderFile::parse(&[&b"Shdr"[..], bytes].concat()) {
        let (_registers, _fetch) = (file.registers(), file.fetch());
        assert!(4 * file.words.len() <= bytes.len(), "code of the file");
    }
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let words = match options % 3 {
        0 => words,
        1 => generate::program(&words),
        _ => return drop(assemble(&String::from_utf8_lossy(bytes))),
    };
    let length = code_length(|n| words.get(n).copied());
    match Program::parse(&words, stage) {
        Ok(program) => {
            assert_eq!(length, Ok(program.words().len()), "both ways to the length agree");
            let text = program.to_string();
            assert_eq!(assemble(&text).as_deref(), Ok(program.words()), "the text assembles to the same words\n{text}");
            for inst in program.insts() {
                // What an instruction reads and writes lies within the register files.
                for registers in inst.reads().into_iter().chain(inst.writes()) {
                    assert!(registers.count <= 16, "{inst} has {registers:?}");
                }
            }
        }
        Err(error) => {
            assert_eq!(length, Err(error.clone()), "both ways to the length agree");
            assert!(error.to_string().contains("word"), "an error says where");
        }
    }
    if let Ok(fetch) = FetchShader::parse(&words) {
        let _ = fetch.write(options & 0xFC);
    }
    if let Ok(binary) = Binary::find(|n| words.get(n).copied()) {
        binary.slots.iter().for_each(|slot| assert!(!slot.to_string().is_empty()));
        let code = vec![0xBF81_0000; 1 + usize::from(options)];
        let again = binary.append_to(&code).expect("what is read can be written");
        let again = Binary::find(|n| again.get(n).copied()).expect("what is written is found");
        assert_eq!((again.slots, again.masks, again.hash), (binary.slots, binary.masks, binary.hash));
    }
});
