//! What is committed is whole: every source has its SPIR-V and its code, and the files say what their types say.

use std::collections::BTreeSet;

use afterimage_gcn_corpus::{World, folder, programs};

/// First word of a SPIR-V module.
const MAGIC: u32 = 0x0723_0203;
/// `s_endpgm`.
const END: u32 = 0xbf81_0000;

#[test]
fn every_source_is_compiled() {
    let programs = programs().unwrap_or_else(|e| panic!("{e}"));
    let (mut shaders, mut stages, mut files) = (0, BTreeSet::new(), BTreeSet::new());
    for program in &programs {
        assert!(!program.header.about.is_empty(), "{} does not say what it is about", program.name);
        for &stage in &program.stages {
            let words = program.spirv(stage).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(words[0], MAGIC, "{} {stage:?}", program.name);
        }
        let world = World::new(&program.name, &program.header, 1);
        for &compiler in program.compilers() {
            let compiled = program.compiled(compiler).unwrap_or_else(|e| panic!("{e}"));
            let path = program.compiled_file(compiler);
            assert_eq!(compiled.to_string(), std::fs::read_to_string(&path).unwrap(), "{}", path.display());
            files.insert(path.file_name().unwrap().to_owned());
            for shader in compiled.shaders {
                let words: Vec<u32> = shader.listing.iter().flat_map(|listed| &listed.words).copied().collect();
                assert_eq!(words.len(), shader.code_words());
                assert!(words.contains(&END), "{}.{compiler} {} does not end", program.name, shader.stage);
                assert!(world.user(&shader).is_ok(), "{}.{compiler} {}: user data", program.name, shader.stage);
                stages.insert(shader.stage);
                shaders += 1;
            }
        }
    }
    assert!(shaders >= 300, "only {shaders} shaders are there");
    assert_eq!(stages.into_iter().collect::<Vec<_>>(), ["cs", "es", "gs", "hs", "ls", "ps", "vs"]);
    let there = std::fs::read_dir(folder().join("gcn")).unwrap();
    let there: BTreeSet<_> = there.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, files, "files without a source, or sources without a file");
}
