//! Shaders that Mesa compiled for gfx7 (`tests/radv`, whose README has the format): every instruction has the length and the
//! name of Mesa's listing, and every program comes back from its text.

use afterimage_shader_gcn::io::HwStage;
use afterimage_shader_gcn::{Inst, Program, assemble};
use std::path::{Path, PathBuf};

/// A hardware stage of a listing.
struct Shader {
    name: String,
    stage: HwStage,
    /// Words and name of each instruction.
    insts: Vec<(Vec<u32>, String)>,
}

fn listings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/radv/gcn");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths
}

fn shaders() -> Vec<Shader> {
    let mut out: Vec<Shader> = Vec::new();
    for path in listings() {
        let text = std::fs::read_to_string(&path).expect("a listing");
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        for line in text.lines() {
            if let Some(shader) = line.strip_prefix("shader ") {
                let stage = shader.split(' ').next().unwrap_or_default();
                let stage = HwStage::ALL.into_iter().find(|known| known.name() == stage).expect("a hardware stage");
                out.push(Shader { name: format!("{file}, {shader}"), stage, insts: Vec::new() });
            } else if let Some(inst) = line.strip_prefix("  ") {
                let mut parts: Vec<_> = inst.split_whitespace().collect();
                let name = parts.pop().expect("a name").to_owned();
                let words = parts.into_iter().map(|word| u32::from_str_radix(word, 16).expect("a word")).collect();
                out.last_mut().expect("a shader in front").insts.push((words, name));
            }
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
    assert!(!shaders.is_empty());
    let mut count = 0;
    for shader in &shaders {
        for (at, (words, name)) in shader.insts.iter().enumerate() {
            let place = format!("{}, instruction {at}, {name}", shader.name);
            let inst = Inst::decode(words, 0).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(usize::from(inst.words), words.len(), "{place}");
            assert_eq!(inst.op.name(), amd_name(name), "{place}");
            count += 1;
        }
    }
    println!("{count} instructions of {} shaders", shaders.len());
}

#[test]
fn every_program_is_found_and_comes_back_from_its_text() {
    for shader in shaders() {
        let words: Vec<u32> = shader.insts.iter().flat_map(|(words, _)| words).copied().collect();
        let program = Program::parse(&words, shader.stage).unwrap_or_else(|error| panic!("{}: {error}", shader.name));
        let text = program.to_string();
        let again = assemble(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", shader.name));
        assert_eq!(again, program.words(), "{}\n{text}", shader.name);
        let mut at = 0;
        for (words, _) in &shader.insts {
            if let Some(number) = program.at(at) {
                assert_eq!(usize::from(program.insts()[number].words), words.len(), "{}", shader.name);
            }
            at += words.len() as u32;
        }
    }
}
