//! Every program in the recordings of an Xbox: parsed, printed, assembled, translated, and computed both ways.

use crate::{differences, interpret, recorded, scenery};
use afterimage_shader_nv2a::tables::Words;
use afterimage_shader_nv2a::{Program, assemble, lift, run};

#[test]
fn programs_of_recordings() {
    let Some(programs) = recorded::programs() else { return };
    eprintln!("{} distinct programs", programs.len());
    let (inputs, constants) = scenery();
    for (words, name) in &programs {
        let program = Program::parse(words, 0).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = program.to_string();
        assert_eq!(assemble(&text).as_ref(), Ok(&program), "{name}: {text}");
        let again: Vec<Words> = program.words().collect();
        assert_eq!(Program::parse(&again, 0).as_ref(), Ok(&program), "{name}");
        let module = lift(&program).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(afterimage_ir::verify(&module), Ok(()), "{name}");
        let expected = run(&program, &inputs, &mut constants.clone(), false);
        assert_eq!(differences(&interpret(&program, &inputs, &constants), &expected), [], "{name}: {text}");
    }
}
