//! Small programs with the IR that comes of them. `AFTERIMAGE_BLESS=1` writes it anew.

use std::path::Path;

use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader_gcn::io::{BufferSpec, HwStage, Registers, Source};
use afterimage_shader_gcn::{assemble, lift, resources};

/// A raw buffer, components in their places.
const RAW: BufferSpec = BufferSpec { word1: 0, word3: 0x27FAC };

fn translate(text: &str) -> String {
    let code = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let registers = Registers { rsrc2: 16 << 1, num_thread: [64, 1, 1], ..Registers::default() };
    let mut source = Source {
        stage: HwStage::Cs,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let count = resources(&source).unwrap_or_else(|error| panic!("{error}\n{text}")).buffers.len();
    source.buffers = vec![RAW; count];
    let mut module = lift(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    optimize(&mut module, &Options { float_rules: FloatRules::Strict });
    module.to_string()
}

#[test]
fn programs_become_what_the_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scalar/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "gcn") {
            continue;
        }
        count += 1;
        let got = translate(&std::fs::read_to_string(&path).unwrap());
        let expected = path.with_extension("air");
        if bless {
            std::fs::write(&expected, got).unwrap();
        } else {
            let there = std::fs::read_to_string(&expected).unwrap_or_default();
            assert_eq!(got, there, "{} is not what comes of it", expected.display());
        }
    }
    assert!(count >= 6, "{count} files");
}
