//! The tables against Microsoft's metadata of the Windows API (`Windows.Win32.winmd`, as the `windows-default` crate
//! ships it): names, types, order, offsets, sizes and values.

use afterimage_d3d9_types::{CONSTANTS, ENUMS, Field, STRUCTS, Struct};
use windows_metadata::reader::{File, Index, TypeDef};
use windows_metadata::{HasAttributes, Type, Value};

const NAMESPACE: &str = "Windows.Win32";

fn metadata() -> Index {
    Index::new(vec![File::new(windows_default::WIN32.to_vec()).expect("the metadata is readable")])
}

/// Bit of this build's architecture in `SupportedArchitectureAttribute`.
const ARCHITECTURE: i32 = if cfg!(target_arch = "x86") {
    1
} else if cfg!(target_arch = "x86_64") {
    2
} else {
    4
};

/// The definition of `name` for this build's architecture.
fn definition<'a>(index: &'a Index, name: &str) -> TypeDef<'a> {
    let supports = |def: &TypeDef| {
        def.attributes().filter(|a| a.name() == "SupportedArchitectureAttribute").all(|a| match &a.value()[0].1 {
            Value::I32(bits) => bits & ARCHITECTURE != 0,
            Value::EnumValue(_, bits) => matches!(**bits, Value::I32(bits) if bits & ARCHITECTURE != 0),
            other => panic!("{name}: unexpected architecture {other:?}"),
        })
    };
    index.get(NAMESPACE, name).find(supports).unwrap_or_else(|| panic!("{name} is not in the metadata"))
}

/// The type in our tables' spelling.
fn spelling(ty: &Type) -> String {
    match ty {
        Type::U8 => "u8".into(),
        Type::I8 => "i8".into(),
        Type::U16 => "u16".into(),
        Type::I16 => "i16".into(),
        Type::U32 => "u32".into(),
        Type::I32 => "i32".into(),
        Type::I64 => "i64".into(),
        Type::F32 => "f32".into(),
        Type::Void => "c_void".into(),
        Type::ValueName(name) => name.name.clone(),
        Type::PtrMut(to, 1) => format!("*mut {}", spelling(to)),
        Type::ArrayFixed(of, len) => format!("[{}; {len}]", spelling(of)),
        other => panic!("a type that no table uses: {other:?}"),
    }
}

/// Size and alignment in bytes, by C's rules.
fn layout(index: &Index, ty: &Type) -> (usize, usize) {
    match ty {
        Type::U8 | Type::I8 => (1, 1),
        Type::U16 | Type::I16 => (2, 2),
        Type::U32 | Type::I32 | Type::F32 => (4, 4),
        Type::I64 => (8, align_of::<i64>()),
        Type::PtrMut(..) | Type::PtrConst(..) => (size_of::<usize>(), size_of::<usize>()),
        Type::ArrayFixed(of, len) => {
            let (size, align) = layout(index, of);
            (size * len, align)
        }
        Type::ValueName(name) => {
            let def = definition(index, &name.name);
            if let Some(underlying) = def.underlying_type().filter(|_| def.fields().any(|f| f.constant().is_some())) {
                return layout(index, &underlying);
            }
            let (offsets, size, align) = struct_layout(index, def);
            assert!(!offsets.is_empty(), "{} has fields", name.name);
            (size, align)
        }
        other => panic!("a type that no table uses: {other:?}"),
    }
}

/// Offsets of the fields, size and alignment of a structure.
fn struct_layout(index: &Index, def: TypeDef) -> (Vec<usize>, usize, usize) {
    let pack = def.class_layout().map_or(8, |l| l.packing_size() as usize);
    let (mut offsets, mut end, mut widest) = (Vec::new(), 0usize, 1);
    for field in def.fields() {
        let (size, align) = layout(index, &field.ty());
        let align = align.min(pack);
        end = end.next_multiple_of(align);
        offsets.push(end);
        end += size;
        widest = widest.max(align);
    }
    (offsets, end.next_multiple_of(widest), widest)
}

/// A definition that the metadata replaces by another of the same layout, or has under another name.
fn compared(s: &Struct) -> bool {
    // The metadata spells D3DMATRIX as the numerics type Matrix4x4, which is no structure of its own.
    s.name != "D3DMATRIX"
}

#[test]
fn structures_are_the_published_ones() {
    let index = metadata();
    for s in STRUCTS.iter().filter(|s| compared(s)) {
        let def = definition(&index, s.name);
        let (offsets, size, _) = struct_layout(&index, def);
        let published: Vec<_> = def.fields().map(|f| (f.name().to_string(), spelling(&f.ty()))).collect();
        let ours: Vec<_> = s.fields.iter().map(|f: &Field| (f.name.to_string(), f.ty.to_string())).collect();
        assert_eq!(ours, published, "fields of {}", s.name);
        assert_eq!(s.fields.iter().map(|f| f.offset).collect::<Vec<_>>(), offsets, "offsets of {}", s.name);
        assert_eq!(s.size, size, "size of {}", s.name);
        let packed_somewhere = index.get(NAMESPACE, s.name).any(|d| d.class_layout().is_some());
        assert_eq!(s.packed4_on_x86, packed_somewhere, "packing of {}", s.name);
    }
}

#[test]
fn a_matrix_is_sixteen_floats() {
    let matrix = STRUCTS.iter().find(|s| s.name == "D3DMATRIX").expect("the matrix is in the table");
    assert_eq!((matrix.size, matrix.fields[0].ty), (64, "[[f32; 4]; 4]"));
}

#[test]
fn enumerations_are_the_published_ones() {
    let index = metadata();
    for e in ENUMS {
        let published: Vec<_> = definition(&index, e.name)
            .fields()
            .filter_map(|f| Some((f.name().to_string(), number(&f.constant()?.value()))))
            .collect();
        let ours: Vec<_> = e.items.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        assert_eq!(ours, published, "items of {}", e.name);
    }
}

#[test]
fn constants_are_the_published_ones() {
    let index = metadata();
    let apis = definition(&index, "Apis");
    let published: std::collections::HashMap<_, _> = apis.fields().map(|f| (f.name(), f)).collect();
    for constant in CONSTANTS.iter().flat_map(|(_, group)| group.iter()) {
        let field = published.get(constant.name).unwrap_or_else(|| panic!("{} is not published", constant.name));
        let value = field.constant().unwrap_or_else(|| panic!("{} has no value", constant.name)).value();
        assert_eq!(constant.value, number(&value), "value of {}", constant.name);
    }
}

fn number(value: &Value) -> u32 {
    match value {
        Value::U32(v) => *v,
        Value::I32(v) => *v as u32,
        other => panic!("not a 32-bit number: {other:?}"),
    }
}
