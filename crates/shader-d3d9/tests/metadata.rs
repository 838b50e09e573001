//! The tables against Microsoft's metadata of the Windows API (`Windows.Win32.winmd`, as `windows-default` ships it).

use afterimage_shader_d3d9::tables::{
    COMMENT, Comparison, END, Opcode, REGISTERS, SourceModifier, TextureDimension, Usage,
};
use windows_metadata::Value;
use windows_metadata::reader::{File, Index};

/// The published items of an enumeration, their common prefix cut off.
fn published(name: &str, prefix: &str) -> Vec<(String, u32)> {
    let index = Index::new(vec![File::new(windows_default::WIN32.to_vec()).expect("the metadata is readable")]);
    let def = index.get("Windows.Win32", name).next().unwrap_or_else(|| panic!("{name} is not in the metadata"));
    let items: Vec<_> = def
        .fields()
        .filter_map(|field| {
            let value = match field.constant()?.value() {
                Value::I32(value) => value.cast_unsigned(),
                Value::U32(value) => value,
                other => panic!("{name}: {other:?}"),
            };
            Some((field.name().strip_prefix(prefix)?.to_owned(), value))
        })
        .filter(|(item, _)| item != "FORCE_DWORD")
        .collect();
    assert!(!items.is_empty(), "{name}");
    items
}

#[test]
fn opcodes_have_the_published_numbers() {
    let published = published("D3DSHADER_INSTRUCTION_OPCODE_TYPE", "D3DSIO_");
    for (name, number) in &published {
        let rows: Vec<_> = Opcode::TABLE.iter().filter(|row| u32::from(row.number) == *number).collect();
        match name.as_str() {
            // No model ever had these two.
            "TEXM3x3DIFF" | "RESERVED0" => assert!(rows.is_empty()),
            "COMMENT" => assert_eq!(*number, u32::from(COMMENT)),
            "END" => assert_eq!(*number, END),
            name => {
                let same = |op: Opcode| format!("{op:?}").eq_ignore_ascii_case(name);
                assert!(rows.iter().any(|row| same(row.op)), "{name} = {number}: {rows:?}");
            }
        }
    }
    for row in Opcode::TABLE {
        assert!(published.iter().any(|(_, number)| *number == u32::from(row.number)), "{row:?}");
    }
}

#[test]
fn registers_have_the_published_numbers() {
    let published = published("D3DSHADER_PARAM_REGISTER_TYPE", "D3DSPR_");
    for row in REGISTERS {
        let name = match format!("{:?}", row.ty).to_uppercase().as_str() {
            "ADDRESS" => "ADDR".to_owned(),
            "TEXCOORDOUT" => "TEXCRDOUT".to_owned(),
            "MISC" => "MISCTYPE".to_owned(),
            name => name.to_owned(),
        };
        assert!(published.contains(&(name.clone(), row.number.into())), "{name} = {}", row.number);
    }
}

#[test]
fn modifiers_usages_and_comparisons_have_the_published_numbers() {
    let modifiers = published("D3DSHADER_PARAM_SRCMOD_TYPE", "D3DSPSM_");
    for (modifier, _) in SourceModifier::ALL {
        let name = match modifier {
            SourceModifier::Complement => "COMP".to_owned(),
            other => format!("{other:?}").to_uppercase(),
        };
        assert!(modifiers.contains(&(name.clone(), (*modifier as u32) << 24)), "{name}");
    }
    let usages = published("D3DDECLUSAGE", "D3DDECLUSAGE_");
    assert_eq!(usages.len(), Usage::ALL.len());
    for (usage, text) in Usage::ALL {
        assert!(usages.contains(&(text.to_uppercase(), *usage as u32)), "{text}");
    }
    let comparisons = published("D3DSHADER_COMPARISON", "D3DSPC_");
    for (comparison, text) in Comparison::ALL {
        assert!(comparisons.contains(&(text.to_uppercase(), *comparison as u32)), "{text}");
    }
    let textures = published("D3DSAMPLER_TEXTURE_TYPE", "D3DSTT_");
    for (dimension, text) in TextureDimension::ALL {
        assert!(textures.contains(&(text.to_uppercase(), (*dimension as u32) << 27)), "{text}");
    }
}
