//! GLSL shaders, as the compiler leaves them and optimised, become modules that all passes and the back end take.

use crate::judges;
use std::path::Path;
use std::process::Command;

use crate::shaders::{self, Version, has, versions};
use afterimage_ir::{FeedbackDecl, OutputAt};
use afterimage_passes::FloatRules;
use afterimage_shader_spirv::{Options, Program, disassemble, lift};

#[test]
fn every_shader_is_translated_and_valid() {
    let validate = has("spirv-val");
    for path in shaders::all() {
        for Version { name, bytes } in versions(&path) {
            let program = Program::from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let lifted = lift(&program, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut module = lifted.module;
            afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
            let options = afterimage_spirv::Options {
                bindless: true,
                preserve: true,
                debug_names: true,
                features: afterimage_spirv::Features::ALL,
            };
            let artifact = afterimage_spirv::emit(&module, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            if validate {
                judges::validate(&artifact.words).unwrap_or_else(|why| panic!("{name}: {why}\n{module}"));
            }
        }
    }
}

/// Each `filetests/NAME.air` is what `glsl/NAME` is lifted to, before any pass.
#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let program = Program::from_bytes(&shaders::shader(&name)).unwrap();
        let found = lift(&program, &Options::default()).unwrap().module.to_string();
        let expected = std::fs::read_to_string(&path).unwrap();
        count += 1;
        if found != expected && bless {
            std::fs::write(&path, found).unwrap();
        } else if found != expected {
            wrong.push(format!("{name}: expected:\n{expected}\nfound:\n{found}"));
        }
    }
    assert!(count >= 6, "the file tests are missing");
    assert!(wrong.is_empty(), "{}\n(`cargo xtask bless` accepts what was found)", wrong.join("\n"));
}

#[test]
fn captures_are_listed() {
    let program = Program::from_bytes(&shaders::shader("captured.vert")).unwrap();
    let module = lift(&program, &Options::default()).unwrap().module;
    let found = |c: &FeedbackDecl| (module.outputs[c.output.index()].at, c.lanes, c.buffer, c.stride, c.offset);
    let captures: Vec<_> = module.feedback.iter().map(found).collect();
    let expected = [
        (OutputAt::Location(0), 4, 0, 48, 0),
        (OutputAt::Location(2), 2, 1, 32, 4),
        (OutputAt::Location(3), 2, 1, 32, 12),
        (OutputAt::Position, 4, 0, 48, 16),
    ];
    assert_eq!(captures.len(), expected.len(), "{captures:?}");
    expected.iter().for_each(|wanted| assert!(captures.contains(wanted), "{wanted:?} is not among {captures:?}"));
}

/// The text of each module is what SPIRV-Tools write, but for what ids are called.
#[test]
fn the_disassembly_says_what_the_usual_one_says() {
    if !has("spirv-dis") {
        return;
    }
    let bare = |line: &str| {
        let word = |word: &str| match word.parse::<f32>() {
            _ if word.starts_with('%') => "%".to_owned(),
            // The shortest text that means a number is not theirs.
            Ok(number) if word.contains(['.', 'e']) => format!("{number:?}"),
            _ => word.to_owned(),
        };
        line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
    };
    for path in shaders::all() {
        for Version { name, bytes } in versions(&path) {
            let text = disassemble(&afterimage_shader_spirv::words_from_bytes(&bytes).unwrap()).unwrap();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            let out =
                Command::new("spirv-dis").args(["--raw-id", "--no-header", "--no-color"]).arg(file.path()).output();
            let theirs = String::from_utf8(out.unwrap().stdout).unwrap();
            let ours: Vec<String> = text.lines().filter(|line| !line.starts_with(';')).map(bare).collect();
            let theirs: Vec<String> = theirs.lines().map(bare).collect();
            assert_eq!(ours.len(), theirs.len(), "{name}");
            ours.iter().zip(&theirs).for_each(|(ours, theirs)| assert_eq!(ours, theirs, "{name}"));
        }
    }
}
