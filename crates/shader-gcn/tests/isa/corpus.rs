//! Shaders that Mesa compiled for gfx7 (`tests/radv`): every instruction has the length and the name of Mesa's listing, and
//! every program comes back from its text.

use afterimage_gcn_corpus::{Compiler, Shader, programs};
use afterimage_shader_gcn::io::HwStage;
use afterimage_shader_gcn::{Inst, Program, assemble};

/// Every shader, with what to call it.
fn shaders() -> Vec<(String, Shader)> {
    let mut out = Vec::new();
    for program in programs().expect("the corpus") {
        for &compiler in program.compilers() {
            let compiled = program.compiled(compiler).expect("a listing");
            let name = |shader: &Shader| format!("{}, {compiler}, {}", program.name, shader.stage);
            out.extend(compiled.shaders.into_iter().map(|shader| (name(&shader), shader)));
        }
    }
    out
}

/// AMD's name for gfx7 of an instruction that Mesa's compiler ACO calls as later hardware does.
fn amd_name(mesa: &str) -> String {
    let name = mesa.trim_end_matches("_e32").trim_end_matches("_e64");
    match name {
        "v_add_co_u32" | "v_sub_co_u32" | "v_subrev_co_u32" => name.replace("_co_u32", "_i32"),
        "v_addc_co_u32" | "v_subb_co_u32" | "v_subbrev_co_u32" => name.replace("_co_u32", "_u32"),
        _ if name.starts_with("v_cmp") && !name.ends_with("_f32") && !name.ends_with("_f64") => {
            name.replace("_lg_", "_ne_").replace("_tru_", "_t_")
        }
        _ => name.to_owned(),
    }
}

#[test]
fn every_instruction_has_mesas_length_and_name() {
    let shaders = shaders();
    let mut count = 0;
    for (name, shader) in &shaders {
        for (at, listed) in shader.listing.iter().enumerate() {
            let place = format!("{name}, instruction {at}, {}", listed.mnemonic);
            let inst = Inst::decode(&listed.words, 0).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(usize::from(inst.words), listed.words.len(), "{place}");
            assert_eq!(inst.op.name(), amd_name(&listed.mnemonic), "{place}");
            count += 1;
        }
    }
    println!("{count} instructions of {} shaders", shaders.len());
    assert!(shaders.len() >= 150, "there are {} shaders", shaders.len());
    assert!(shaders.iter().any(|(name, _)| name.ends_with(&format!("{}, cs", Compiler::Llvm))));
}

#[test]
fn every_program_is_found_and_comes_back_from_its_text() {
    for (name, shader) in shaders() {
        let stage = HwStage::ALL.into_iter().find(|stage| stage.name() == shader.stage).expect("a hardware stage");
        let program = Program::parse(&shader.words(), stage).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = program.to_string();
        let again = assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(again, program.words(), "{name}\n{text}");
        let mut at = 0;
        for listed in &shader.listing {
            if let Some(number) = program.at(at) {
                assert_eq!(usize::from(program.insts()[number].words), listed.words.len(), "{name}");
            }
            at += listed.words.len() as u32;
        }
        assert!(program.words().len() <= shader.code_words(), "{name}: data is no code");
    }
}
