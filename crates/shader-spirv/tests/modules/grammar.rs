//! The tables of SPIR-V against Khronos' grammar, as the crate `spirv` is generated from it.

use afterimage_shader_spirv::tables;

#[test]
fn instructions_have_the_grammar_s_numbers() {
    for row in tables::INSTRUCTIONS {
        let known = spirv::Op::from_u32(row.opcode.into()).map(|op| format!("Op{op:?}"));
        assert_eq!(known.as_deref(), Some(row.name), "{}", row.opcode);
    }
    assert!(tables::INSTRUCTIONS.len() > 200);
}

#[test]
fn extended_instructions_have_the_grammar_s_numbers() {
    for (name, number) in tables::glsl::ALL {
        let known = spirv::GlslStd450Op::from_u32(*number).map(|op| format!("{op:?}"));
        assert_eq!(known.as_deref(), Some(*name), "{number}");
    }
    assert!(tables::glsl::ALL.len() > 70);
}

macro_rules! enumerants {
    ($($test:ident: $table:ident of $of:ident, $prefix:literal, at least $least:literal;)*) => {$(
        #[test]
        fn $test() {
            for (name, number) in tables::$table::ALL {
                let known = format!("{}{name}", $prefix).parse::<spirv::$of>();
                assert_eq!(known.map(|known| known as u32), Ok(*number), "{name}");
            }
            assert!(tables::$table::ALL.len() >= $least);
        }
    )*};
}

enumerants! {
    capabilities: capability of Capability, "", at least 60;
    storage_classes: storage of StorageClass, "", at least 10;
    decorations: decoration of Decoration, "", at least 30;
    built_ins: builtin of BuiltIn, "", at least 30;
    execution_models: model of ExecutionModel, "", at least 6;
    execution_modes: mode of ExecutionMode, "", at least 25;
    dimensions: dim of Dim, "Dim", at least 6;
    image_formats: format of ImageFormat, "", at least 35;
    addressing_models: addressing of AddressingModel, "", at least 3;
    source_languages: language of SourceLanguage, "", at least 4;
}
