//! Every packet in words.

use afterimage_stream::describe::{Field, Value, fields};
use afterimage_stream::packets::*;
use afterimage_stream::{Header, ObjectId, ObjectKind, Reader};

/// Names of the fields of a body as `Debug` writes them.
fn declared(debug: &str) -> Vec<String> {
    let mut depth = 0;
    let mut names = vec![String::new()];
    let body = &debug[debug.find('{').map_or(debug.len(), |at| at + 1)..];
    for letter in body.chars() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth == 0 => break,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => names.push(String::new()),
            _ if depth == 0 => names.last_mut().unwrap().push(letter),
            _ => {}
        }
    }
    names.iter().filter_map(|field| Some(field.split_once(':')?.0.trim().to_owned())).collect()
}

#[test]
fn every_field_of_every_kind_has_its_name() {
    for kind in Kind::ALL {
        let units = 1 + kind.body_bytes() / 8;
        let mut words = vec![0; units];
        words[0] = bytemuck::cast(Header { kind: *kind as u16, units: units as u16, sequence: 1 });
        let located = Reader::new(&words).next().unwrap().unwrap();
        let debug = format!("{:?}", located.packet);
        let skipped = ["pad", "pad2", "count"];
        // Of draws it is what is drawn, of others the length of the tail.
        let counts = matches!(kind, Kind::Draw | Kind::DrawIndexed | Kind::DrawIndirect);
        let expected: Vec<String> = declared(&debug)
            .into_iter()
            .filter(|name| !skipped.contains(&name.as_str()) || counts && name == "count")
            .collect();
        let mut names: Vec<String> = fields(&located.packet).into_iter().map(|field| field.name).collect();
        let tail = names.split_off(expected.len().min(names.len()));
        assert_eq!(names, expected, "{}", kind.name());
        assert!(tail.len() <= 1 && tail.iter().all(|name| !expected.contains(name)), "{}: {tail:?}", kind.name());
    }
}

fn said(fields: &[Field], name: &str) -> String {
    fields.iter().find(|field| field.name == name).map_or_else(|| "missing".into(), |field| field.value.to_string())
}

#[test]
fn values_are_in_words() {
    let body = CreateTexture {
        id: ObjectId::new(ObjectKind::Texture, 3),
        format: 8,
        width: 640,
        height: 480,
        depth: 1,
        levels: 1,
        layers: 6,
        dimension: 1,
        samples: 4,
        usage: 1 | 32 | 64,
        pad: 0,
        swizzle: [0, 1, 2, 5],
        shared: 0,
    };
    let texture = fields(&Packet::CreateTexture(&body));
    for (name, value) in [
        ("id", "Texture#3"),
        ("format", "B8G8R8A8_UNORM"),
        ("dimension", "Cube"),
        ("usage", "TARGET | SAMPLED | 0x40"),
        ("swizzle", "[Red, Green, Blue, One]"),
    ] {
        assert_eq!(said(&texture, name), value);
    }
    let bad = CreateTexture { format: 12345, dimension: 9, usage: 0, ..body };
    let texture = fields(&Packet::CreateTexture(&bad));
    assert_eq!((said(&texture, "format"), said(&texture, "dimension")), ("unknown 12345".into(), "unknown 9".into()));
    assert_eq!(said(&texture, "usage"), "none");

    let registers = [[1.5f32.to_bits(), 0, 0, (-1.0f32).to_bits()]];
    let set = |bank| SetConstants { bank, first: 7, count: 1 };
    let constants = fields(&Packet::SetConstants(&set(0), &registers));
    assert_eq!((said(&constants, "bank"), said(&constants, "first")), ("vertex float".into(), "7".into()));
    assert_eq!(said(&constants, "registers"), "[[1.5, 0, 0, -1]]");
    let constants = fields(&Packet::SetConstants(&set(1), &[[1, u32::MAX, 0, 0]]));
    assert_eq!(said(&constants, "registers"), "[[1, -1, 0, 0]]");
    let constants = fields(&Packet::SetConstants(&set(999), &[]));
    assert_eq!(said(&constants, "bank"), "unknown 999");

    let marker = Marker { action: Marker::BEGIN, count: 6, color: 0xFF00_FF00, pad: 0 };
    let marker = fields(&Packet::Marker(&marker, b"sky\n\"x"));
    assert_eq!((said(&marker, "action"), said(&marker, "text")), ("begin".into(), r#""sky\n\"x""#.into()));
    assert_eq!(said(&marker, "color"), "0xff00ff00");
    let buffer = VertexBuffer { source: ObjectId::new(ObjectKind::Upload, 2), stride: 12, offset: 8, size: 0 };
    let buffers = fields(&Packet::SetVertexBuffers(&SetVertexBuffers { first: 0, count: 1 }, &[buffer]));
    assert_eq!(said(&buffers, "buffers"), "[{ source: upload 2, stride: 12, offset: 8, size: 0 }]");
}

#[test]
fn the_leaves_of_a_value_have_paths() {
    let face = StencilFace { compare: 3, ..StencilFace::default() };
    let body = SetDepthStencil { front: face, ..SetDepthStencil::default() };
    let packet = Packet::SetDepthStencil(&body);
    let mut leaves = Vec::new();
    Value::Fields(fields(&packet)).leaves("depth_stencil", &mut |path, value| {
        leaves.push(format!("{path} {value}"));
    });
    assert!(leaves.contains(&"depth_stencil.front.compare LessEqual".to_owned()), "{leaves:?}");
    let packet = SetRenderTargets::default();
    let mut leaves = Vec::new();
    Value::Fields(fields(&Packet::SetRenderTargets(&packet))).leaves("", &mut |path, _| leaves.push(path.to_owned()));
    assert_eq!(leaves[..4], ["color[0].texture", "color[0].level", "color[0].layer", "color[1].texture"]);
}

/// What compares values asks what changed, and what is no number does not change by itself.
#[test]
fn values_are_equal_by_their_bits() {
    let list = |float| Value::List(vec![Value::Float(float), Value::Text("a".into())]);
    assert_eq!(list(f32::NAN), list(f32::NAN));
    assert_ne!(list(0.0), list(-0.0));
    assert_ne!(Value::Word("a".into()), Value::Text("a".into()));
}
