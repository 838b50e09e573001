//! The NV2A: methods of the Kelvin class, through the machine's registers and the translator.

use crate::watch::{Seen, watch};
use crate::{missing, report};
use afterimage_inspect::terms::Term;
use afterimage_nv2a::machine::{Attributes, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_nv2a_types::enumerations::ENUMERATIONS;
use afterimage_nv2a_types::method;
use afterimage_nv2a_types::methods::METHODS;
use afterimage_shader_nv2a::Program;
use afterimage_stream::packets::Init;
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};

pub(crate) type Writes = &'static [(u16, u32)];

/// Surfaces, and a triangle that is filled.
const START: Writes = &[
    (method::SET_COLOR_MASK, 0x0101_0101),
    (method::SET_SURFACE_FORMAT, 0x128),
    (method::SET_SURFACE_CLIP_HORIZONTAL, 64 << 16),
    (method::SET_SURFACE_CLIP_VERTICAL, 64 << 16),
    (method::SET_SURFACE_PITCH, 256 << 16 | 256),
    (method::SET_SURFACE_ZETA_OFFSET, 0x10_0000),
    (method::SET_FRONT_POLYGON_MODE, 0x1B02),
    (method::SET_BACK_POLYGON_MODE, 0x1B02),
    (method::SET_CLIP_MAX, 0x4B7F_FFFF),
    (method::SET_SHADE_MODEL, 0x1D01),
    (method::SET_CONTROL0, 0x0010_0001),
    (method::SET_STENCIL_MASK, 0xFF),
    // A texture of 32 by 32 texels in stage 0, which the texture shader looks up.
    (method::SET_TEXTURE_FORMAT, 0x0552_0629),
    (method::SET_TEXTURE_OFFSET, 0x20_0000),
    (method::SET_TEXTURE_CONTROL0, 0x4003_FFC0),
    (method::SET_TEXTURE_ADDRESS, 0x0001_0101),
    (method::SET_TEXTURE_FILTER, 0x0202_0000),
    (method::SET_SHADER_STAGE_PROGRAM, 1),
    (method::SET_COMBINER_CONTROL, 1),
];

pub(crate) struct Rig {
    pub(crate) kelvin: Kelvin,
    memory: Ram,
    graphics: Translator,
    seen: Seen,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let mut info = DeviceInfo { max_texture_2d: 4096, max_anisotropy: 16.0, markers: 1, ..DeviceInfo::default() };
        info.formats = [FormatFeatures::SAMPLED | FormatFeatures::LINEAR; Format::ALL.len() + 1]
            .into_iter()
            .chain(std::iter::repeat(0))
            .take(info.formats.len())
            .collect::<Vec<_>>()
            .try_into()
            .expect("as many formats");
        let (link, seen) = watch(info);
        let mut kelvin = Kelvin::default();
        let object =
            Some(DmaObject { class: DmaClass::ReadWrite, target: DmaTarget::Nvm, address: 0, limit: (4 << 20) - 1 });
        (kelvin.dma.color, kelvin.dma.zeta, kelvin.dma.a, kelvin.dma.b) = (object, object, object, object);
        for (slot, words) in Program::pass_through().words().enumerate() {
            (0..4).for_each(|word| kelvin.registers.set_program(slot, word, words[word]));
        }
        START.iter().for_each(|(method, value)| kelvin.registers.set(*method, *value));
        Self { kelvin, memory: Ram::new(4 << 20), graphics: Translator::new(link, "terms"), seen }
    }

    pub(crate) fn draw(&mut self) -> Vec<Term> {
        self.draw_as(PrimitiveKind::Triangles)
    }

    /// Draws three vertices as this.
    pub(crate) fn draw_as(&mut self, kind: PrimitiveKind) -> Vec<Term> {
        let corner = |x: f32, y: f32| {
            let mut attributes = Attributes::default();
            attributes[0] = [x, y, 0.5, 1.0];
            attributes
        };
        let corners = vec![corner(4.0, 4.0), corner(40.0, 8.0), corner(44.0, 50.0)];
        let primitive = Primitive { kind, parts: vec![Part::Immediate(corners)] };
        self.graphics.draw(&mut self.kelvin, &mut self.memory, &primitive);
        self.graphics.flush();
        self.seen.terms(Init::NV2A)
    }
}

/// Sets methods behind each other, and draws.
pub(crate) fn with(writes: &[(u16, u32)]) -> Vec<Term> {
    let mut rig = Rig::new();
    writes.iter().for_each(|(method, value)| rig.kelvin.registers.set(*method, *value));
    rig.draw()
}

fn name(method: u16) -> String {
    let row = METHODS.iter().find(|row| row.offset == method).expect("a method");
    format!("NV097_{}", row.name)
}

/// What has to be on for an enumeration's method to matter; none for those that are not the host's state.
fn gates(of: u16) -> Option<Writes> {
    Some(match of {
        method::SET_ALPHA_FUNC => &[(method::SET_ALPHA_TEST_ENABLE, 1)],
        method::SET_DEPTH_FUNC => &[(method::SET_DEPTH_TEST_ENABLE, 1)],
        method::SET_STENCIL_FUNC
        | method::SET_STENCIL_OP_FAIL
        | method::SET_STENCIL_OP_ZFAIL
        | method::SET_STENCIL_OP_ZPASS => &[(method::SET_STENCIL_TEST_ENABLE, 1)],
        method::SET_BLEND_FUNC_SFACTOR | method::SET_BLEND_FUNC_DFACTOR | method::SET_BLEND_EQUATION => {
            &[(method::SET_BLEND_ENABLE, 1)]
        }
        method::SET_CULL_FACE => &[(method::SET_CULL_FACE_ENABLE, 1)],
        method::SET_FRONT_FACE | method::SET_SHADE_MODEL => &[],
        _ => return None,
    })
}

#[test]
fn every_enumeration_is_said_by_name_and_number() {
    let mut failures = Vec::new();
    for table in ENUMERATIONS {
        for &method in table.methods {
            // Outlines are drawn as triangles: the mode is not in the host's state.
            let Some(gates) = gates(method) else {
                assert!(matches!(method, method::SET_FRONT_POLYGON_MODE | method::SET_BACK_POLYGON_MODE));
                continue;
            };
            for (value, _) in table.values {
                if (method, *value) == (method::SET_CULL_FACE, 0x408) {
                    // Nothing is drawn.
                    continue;
                }
                let mut writes = gates.to_vec();
                writes.push((method, *value));
                failures.extend(missing(&with(&writes), &name(method), &format!("{value:#x}")));
            }
        }
    }
    for (value, _) in afterimage_nv2a_types::enums::LOGIC_OP {
        let terms = with(&[(method::SET_LOGIC_OP_ENABLE, 1), (method::SET_LOGIC_OP, *value)]);
        failures.extend(missing(&terms, "NV097_SET_LOGIC_OP", &format!("{value:#x}")));
    }
    report(failures);
}

#[test]
fn switches_and_numbers_are_said() {
    const STENCIL: Writes = &[(method::SET_STENCIL_TEST_ENABLE, 1)];
    const OFFSET: Writes = &[(method::SET_POLY_OFFSET_FILL_ENABLE, 1)];
    let mut failures = Vec::new();
    let mut check = |gates: Writes, method: u16, value: u32, expected: &str| {
        let mut writes = gates.to_vec();
        writes.push((method, value));
        failures.extend(missing(&with(&writes), &name(method), expected));
    };
    for (switch, gates) in [
        (method::SET_DEPTH_TEST_ENABLE, &[][..]),
        (method::SET_DEPTH_MASK, &[(method::SET_DEPTH_TEST_ENABLE, 1)]),
        (method::SET_STENCIL_TEST_ENABLE, &[]),
        (method::SET_BLEND_ENABLE, &[]),
        (method::SET_LOGIC_OP_ENABLE, &[]),
        (method::SET_CULL_FACE_ENABLE, &[(method::SET_CULL_FACE, 0x405)]),
        (method::SET_POLY_OFFSET_FILL_ENABLE, &[]),
        (method::SET_ALPHA_TEST_ENABLE, &[(method::SET_ALPHA_FUNC, 0x201)]),
    ] {
        check(gates, switch, 0, "V_FALSE");
        check(gates, switch, 1, "V_TRUE");
    }
    check(STENCIL, method::SET_STENCIL_FUNC_REF, 0x5a, "0x5a");
    check(STENCIL, method::SET_STENCIL_FUNC_MASK, 0x3c, "0x3c");
    check(STENCIL, method::SET_STENCIL_MASK, 0x0f, "0xf");
    check(&[(method::SET_BLEND_ENABLE, 1)], method::SET_BLEND_COLOR, 0x8040_20ff, "0x804020ff");
    check(&[], method::SET_COLOR_MASK, 0x0001_0100, "0x00010100");
    check(&[], method::SET_COLOR_MASK, 0x0100_0001, "0x01000001");
    check(OFFSET, method::SET_POLYGON_OFFSET_SCALE_FACTOR, (-1.5f32).to_bits(), "-1.5");
    check(OFFSET, method::SET_POLYGON_OFFSET_BIAS, 4096f32.to_bits(), "4096.0");
    check(&[], method::SET_FOG_COLOR, 0xFF00_20FF, "0xff0020ff");
    let terms = with(&[(method::SET_COMBINER_COLOR_ICW, 0x0421_1234)]);
    failures.extend(missing(&terms, "NV097_SET_COMBINER_COLOR_ICW[0]", "0x04211234"));
    report(failures);
}

#[test]
fn samplers_are_said_by_name_and_number() {
    let mut failures = Vec::new();
    let mut check = |method: u16, value: u32, name: &str, expected: &str| {
        failures.extend(missing(&with(&[(method, value)]), name, expected));
    };
    for (axis, shift) in [("U", 0), ("V", 8), ("P", 16)] {
        for (value, _) in afterimage_nv2a_types::enums::ADDRESS {
            let word = 0x0001_0101 & !(0xF << shift) | value << shift;
            let name = format!("NV097_SET_TEXTURE_ADDRESS[0].{axis}");
            check(method::SET_TEXTURE_ADDRESS, word, &name, &value.to_string());
        }
    }
    for (value, _) in afterimage_nv2a_types::enums::MIN_FILTER {
        let word = 2 << 24 | value << 16;
        check(method::SET_TEXTURE_FILTER, word, "NV097_SET_TEXTURE_FILTER[0].MIN", &value.to_string());
    }
    for (value, _) in afterimage_nv2a_types::enums::MAG_FILTER {
        let word = value << 24 | 2 << 16;
        check(method::SET_TEXTURE_FILTER, word, "NV097_SET_TEXTURE_FILTER[0].MAG", &value.to_string());
    }
    let bias = "NV097_SET_TEXTURE_FILTER[0].MIPMAP_LOD_BIAS";
    check(method::SET_TEXTURE_FILTER, 0x0202_1F00, bias, "-1.0");
    let control = 1 << 30 | 0x080 << 18 | 0x480 << 6 | 2 << 4;
    check(method::SET_TEXTURE_CONTROL0, control, "NV097_SET_TEXTURE_CONTROL0[0].MIN_LOD_CLAMP", "0.5");
    check(method::SET_TEXTURE_CONTROL0, control, "NV097_SET_TEXTURE_CONTROL0[0].MAX_LOD_CLAMP", "4.5");
    check(method::SET_TEXTURE_CONTROL0, control, "NV097_SET_TEXTURE_CONTROL0[0].LOG_MAX_ANISO", "2");
    report(failures);
}

#[test]
fn surfaces_and_textures_have_names() {
    let terms = with(&[(method::SET_DEPTH_TEST_ENABLE, 1)]);
    let expected = [
        ("NV097_SET_SURFACE_COLOR_OFFSET", "A8R8G8B8 surface at 0x0"),
        ("NV097_SET_SURFACE_ZETA_OFFSET", "Z24S8 surface at 0x100000"),
        ("NV097_SET_TEXTURE_OFFSET[0]", "texture at 0x200000"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
}

#[test]
fn matrices_are_said_by_their_methods() {
    let mut failures = Vec::new();
    for window in afterimage_nv2a_types::context::WINDOWS {
        let row = METHODS.iter().find(|row| (row.offset..row.offset + row.count * row.stride).contains(&window.method));
        let row = row.expect("a method");
        let instance = (window.method - row.offset) / row.stride;
        for slot in 0..window.slots {
            let writes: Vec<_> = (0..4)
                .map(|word| (window.method + 16 * u16::from(slot) + 4 * word, (f32::from(word) + 0.5).to_bits()))
                .collect();
            let mut name = format!("NV097_{}", row.name);
            if row.count > 1 {
                name.push_str(&format!("[{instance}]"));
            }
            if window.slots > 1 {
                name.push_str(&format!(" row {slot}"));
            }
            // Three words are there of some.
            let words = row.words.min(4);
            let expected = ["0.5", "1.5", "2.5", "3.5"][..usize::from(words)].join(", ");
            failures.extend(missing(&with(&writes[..usize::from(words)]), &name, &expected));
        }
    }
    report(failures);
}

#[test]
fn stages_of_textures_are_said() {
    let mut failures = Vec::new();
    let mut check = |writes: &[(u16, u32)], name: &str, expected: &str| {
        failures.extend(missing(&with(writes), name, expected));
    };
    for mode in 0..=4 {
        check(&[(method::SET_SHADER_STAGE_PROGRAM, mode)], "NV097_SET_SHADER_STAGE_PROGRAM[0]", &format!("{mode:#x}"));
    }
    check(&[(method::SET_STIPPLE_ENABLE, 1)], "NV097_SET_STIPPLE_ENABLE", "V_TRUE");
    check(&[(method::SET_STIPPLE_ENABLE, 0)], "NV097_SET_STIPPLE_ENABLE", "V_FALSE");
    check(&[(method::SET_COMBINER_CONTROL, 0x1101)], "NV097_SET_COMBINER_CONTROL", "FACTOR0_EACH_STAGE");
    check(&[(method::SET_COMBINER_CONTROL, 0x0103)], "NV097_SET_COMBINER_CONTROL", "3 combiners | MUX_SELECT_MSB");
    check(&[(method::SET_TEXTURE_FILTER, 0x1202_0000)], "NV097_SET_TEXTURE_FILTER[0].SIGNED", "ASIGNED");
    report(failures);
}
