//! GNM, what the code of the bound programs tells: the registers that a translation depends on, and where words, buffers (V#), images
//! (T#) and samplers (S#) come from and what they are.

use super::gnm::name;
use super::*;
use afterimage_abi::slots::FIRST_VERTEX_TEXTURE;
use afterimage_gnm_types::descriptors::{Bits, buffer, image};
use afterimage_shader::Language;
use afterimage_shader_gcn::fetch::{Attribute, Descriptor, FetchShader};
use afterimage_shader_gcn::io::{BufferAt, Expr, ExprId, HwStage, Resources, Source, groups};
use afterimage_shader_gcn::resources;
use afterimage_stream::packets::Stage;
use afterimage_stream::{Bank, GcnBank};

/// Adds what the programs of a draw tell.
pub(super) fn terms(state: &State, code: Code<'_>, out: &mut Vec<Term>) {
    for (id, stage) in [
        (state.shaders.vertex, Stage::Vertex),
        (state.shaders.geometry, Stage::Geometry),
        (state.shaders.pixel, Stage::Pixel),
    ] {
        program(state, id, stage, code, out);
    }
}

/// Adds what the program of a dispatch tells.
pub(super) fn dispatched(state: &State, id: ObjectId, code: Code<'_>, out: &mut Vec<Term>) {
    program(state, id, Stage::Compute, code, out);
}

/// Longest text of where something comes from.
const LONGEST: usize = 160;
/// Expressions in each other that are written out.
const DEPTH: u32 = 4;

fn program(state: &State, id: ObjectId, stage: Stage, code: Code<'_>, out: &mut Vec<Term>) {
    let Some(Created::Shader(shader)) = state.objects.get(id) else { return };
    if Language::from_number(shader.language) != Some(Language::Gcn) {
        return;
    }
    let Some(source) = code(id).and_then(|bytes| Source::from_bytes(bytes).ok()) else { return };
    let (group, letters) = match source.stage {
        HwStage::Ps => ("Program of PS", "PS"),
        HwStage::Vs => ("Program of VS", "VS"),
        HwStage::Gs => ("Program of GS", "GS"),
        HwStage::Es => ("Program of ES", "ES"),
        HwStage::Hs => ("Program of HS", "HS"),
        HwStage::Ls => ("Program of LS", "LS"),
        HwStage::Cs => ("Program of CS", "CS"),
    };
    let mut put = |name: String, value: String, note: &'static str, host: String| {
        out.push(Term { group: group.into(), name: name.into(), value, note: note.into(), host: host.into() });
    };
    let host = match stage {
        Stage::Vertex => "shaders.vertex",
        Stage::Geometry => "shaders.geometry",
        Stage::Pixel => "shaders.pixel",
        Stage::Compute => "dispatch.shader",
    };
    let register = |name: &str| match source.stage {
        HwStage::Cs => format!("COMPUTE_PGM_{name}"),
        _ => format!("SPI_SHADER_PGM_{name}_{letters}"),
    };
    put(register("LO"), format!("{id}, {} words of code", source.code.len()), "", host.to_owned());
    for (name, value) in registers(&source, register) {
        put(name, format!("{value:#x}"), "of the bits that matter to the program", format!("{id} code"));
    }
    let found = match resources(&source) {
        Ok(found) => found,
        Err(error) => return put("resources".into(), format!("not known: {error}"), "", format!("{id} code")),
    };
    for attribute in attributes(&source) {
        let used = found.buffers.iter().position(|used| reads(&found, used.at, &attribute));
        let layout =
            used.and_then(|at| source.buffers.get(at)).map(|spec| fields(&[0, spec.word1, 0, spec.word3], BUFFER));
        let host = used.map_or_else(String::new, |at| format!("vertex_storage[{at}]"));
        let name = attribute.to_string();
        let (name, from) = name.split_once(" = ").unwrap_or((&name, ""));
        put(format!("attribute {name}"), format!("{from}{}", layout.unwrap_or_default()), "", host);
    }
    // Compute has slots of its own; those of vertices come behind the pixels'.
    let (slots, first) = match stage {
        Stage::Compute => ("compute_textures", 0),
        Stage::Pixel => ("textures", 0),
        Stage::Vertex | Stage::Geometry => ("textures", FIRST_VERTEX_TEXTURE),
    };
    let bank = Bank::gcn(stage, GcnBank::Words);
    let words = state.bank(bank as usize);
    for (at, (ids, value)) in found.words.chunks(4).zip(words).enumerate() {
        put(span(&found, ids), self::register(*value), "", format!("{}[{at}]", bank.name()));
    }
    let name = ["vertex", "pixel", "compute"][stage.bindings() as usize % 3];
    for (at, used) in found.buffers.iter().enumerate() {
        let Some(binding) = state.storage(stage).get(at) else { break };
        let (place, spec) = (place(state, binding.buffer, binding.offset), source.buffers.get(at));
        let (from, value) = match used.at {
            BufferAt::Descriptor(ids) => {
                let spec = spec.copied().unwrap_or_default();
                let words = [0, spec.word1, binding.word, spec.word3];
                (format!("V# {}", span(&found, &ids)), format!("{place}{}", fields(&words, BUFFER)))
            }
            BufferAt::Pointer(ids) => (format!("pointer {}", span(&found, &ids)), place),
            BufferAt::SharedMemory => ("data share".to_owned(), place),
            BufferAt::Tessellator => ("what the tessellator gives".to_owned(), place),
            BufferAt::GlobalShare => ("global data share".to_owned(), place),
            BufferAt::Window(n) => (format!("memory, window {n}"), place),
        };
        let note = if used.typed { "" } else { "without a format of its own: that of the instructions counts" };
        put(from, value, note, format!("{name}_storage[{at}]"));
    }
    let bound = if stage == Stage::Compute { state.compute_textures.all() } else { state.textures.all() };
    for (at, texture) in found.textures.iter().enumerate() {
        let slot = first + at;
        let Some(binding) = bound.get(slot) else { break };
        if let Some(image) = found.images.get(texture.image as usize) {
            let spec = source.images.get(texture.image as usize).copied().unwrap_or_default();
            let words = [0, 0, 0, (spec.kind & 15) << 28];
            let is = if binding.texture.is_none() { "none".into() } else { texture_text(state, binding.texture) };
            let value = format!("slot {slot}: {is}{}", fields(&words, &[image::TYPE]));
            put(format!("T# {}", span(&found, &image.descriptor)), value, "", format!("{slots}[{slot}].texture"));
        }
        if let Some(sampler) = texture.sampler.and_then(|sampler| found.samplers.get(sampler as usize)) {
            let value = format!("slot {slot}: {}", binding.sampler);
            put(format!("S# {}", span(&found, &sampler.descriptor)), value, "", format!("{slots}[{slot}].sampler"));
        }
    }
    for (at, number) in found.storage_images.iter().enumerate() {
        let Some(bound) = state.storage_images(stage).get(at) else { break };
        let Some(used) = found.images.get(*number as usize) else { continue };
        let spec = source.images.get(*number as usize).copied().unwrap_or_default();
        let format = (spec.format & 0x3F) << 20 | (spec.format >> 8 & 15) << 26;
        let words = [0, format, 0, (spec.kind & 15) << 28 | spec.select & 0xFFF];
        let is = view(state, bound.view).map_or_else(|| "none".to_owned(), |said| said.value);
        let value = format!("image {at}: {is}{}", fields(&words, IMAGE));
        put(format!("T# {}", span(&found, &used.descriptor)), value, "", format!("{name}_images[{at}]"));
    }
    let bank = Bank::gcn(stage, GcnBank::Draw);
    let (bank_name, draw) = (bank.name(), state.bank(bank as usize));
    match (source.stage, draw) {
        (HwStage::Vs, [[first, stream, _, size], ..]) if !source.captures() && !source.is_domain() => {
            put("first vertex".into(), format!("{first}"), "", format!("{bank_name}[0]"));
            if *stream != 0 {
                put(name!(VGT_STRMOUT_CONFIG.RAST_STREAM).into(), format!("{stream}"), "", format!("{bank_name}[0]"));
            }
            if *size != 0 {
                let size = f32::from_bits(*size);
                put(name!(PA_SU_POINT_SIZE).into(), format!("{size:?} pixels"), "", format!("{bank_name}[0]"));
            }
        }
        (HwStage::Cs, [[x, y, z, lanes], ..]) => {
            if source.registers.groups & groups::START != 0 {
                put("COMPUTE_START_X, Y, Z".into(), format!("{x}, {y}, {z}"), "", format!("{bank_name}[0]"));
            }
            if source.registers.groups & groups::PARTIAL != 0 {
                let axis = |axis| (lanes >> groups::lanes_at(axis) & ((1 << groups::LANE_BITS) - 1)) + 1;
                let value = format!("{}, {}, {}", axis(0), axis(1), axis(2));
                put("COMPUTE_NUM_THREAD_X, Y, Z.PARTIAL".into(), value, "", format!("{bank_name}[0]"));
            }
        }
        (_, draw) => {
            for (at, value) in draw.iter().enumerate().filter(|(_, value)| **value != [0; 4]) {
                put(format!("what the draw says [{at}]"), self::register(*value), "", format!("{bank_name}[{at}]"));
            }
        }
    }
}

/// What the program's fetch shader loads, if it has one that can be told.
fn attributes(source: &Source) -> Vec<Attribute> {
    if source.fetch.is_empty() { Vec::new() } else { FetchShader::parse(&source.fetch).unwrap_or_default().attributes }
}

/// Whether a buffer is the one that an attribute is loaded from.
fn reads(found: &Resources, at: BufferAt, attribute: &Attribute) -> bool {
    let BufferAt::Descriptor([first, ..]) = at else { return false };
    let get = |id: ExprId| found.exprs.get(id as usize);
    match (get(first), attribute.descriptor) {
        (Some(Expr::User(register)), Descriptor::Registers(wanted)) => *register == wanted,
        (Some(Expr::Load { base: [low, _], offset: by }), Descriptor::Table { pointer, offset }) => {
            get(*low) == Some(&Expr::User(pointer)) && get(*by) == Some(&Expr::Const(4 * offset))
        }
        _ => false,
    }
}

/// Fields of a V# that matter beside the address.
const BUFFER: &[Bits] = &[
    buffer::STRIDE,
    buffer::SWIZZLE_ENABLE,
    buffer::NUM_RECORDS,
    buffer::DST_SEL_X,
    buffer::DST_SEL_Y,
    buffer::DST_SEL_Z,
    buffer::DST_SEL_W,
    buffer::NUM_FORMAT,
    buffer::DATA_FORMAT,
    buffer::ELEMENT_SIZE,
    buffer::INDEX_STRIDE,
    buffer::ADD_TID_ENABLE,
];

/// Fields of a storage image's T#.
const IMAGE: &[Bits] = &[
    image::TYPE,
    image::DATA_FORMAT,
    image::NUM_FORMAT,
    image::DST_SEL_X,
    image::DST_SEL_Y,
    image::DST_SEL_Z,
    image::DST_SEL_W,
];

/// Fields by name, those that are not zero; numbers in words where they have any.
fn fields(words: &[u32], fields: &[Bits]) -> String {
    let mut text = String::new();
    for field in fields {
        let value = field.of(words);
        match field.names.and_then(|names| names.rows.iter().find(|(number, _)| *number == value)) {
            Some((_, name)) if value != 0 => text.push_str(&format!(", {} {name}", field.name)),
            None if value != 0 => text.push_str(&format!(", {} {value:#x}", field.name)),
            _ => {}
        }
    }
    text
}

/// Where a buffer's bytes are.
pub(super) fn place(state: &State, id: ObjectId, offset: u64) -> String {
    if id.is_none() {
        return "nothing".into();
    }
    let Some(name) = state.objects.name(id) else { return format!("{id} + {offset:#x}") };
    // Buffers of guest memory are named by their address.
    let start = name.strip_prefix("memory at 0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    match start.and_then(|start| start.checked_add(offset)) {
        Some(address) => format!("BASE_ADDRESS {address:#x} ({id} + {offset:#x})"),
        None => format!("{id} \"{name}\" + {offset:#x}"),
    }
}

/// The registers that a translation depends on, those that are not zero.
fn registers(source: &Source, program: impl Fn(&str) -> String) -> Vec<(String, u32)> {
    let r = &source.registers;
    let mut all = vec![(program("RSRC1"), r.rsrc1), (program("RSRC2"), r.rsrc2)];
    let mut own = |names: &[(&str, u32)]| all.extend(names.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    match source.stage {
        HwStage::Ps => {
            own(&[
                (name!(SPI_PS_INPUT_ENA), r.ps_input_ena),
                (name!(SPI_PS_INPUT_ADDR), r.ps_input_addr),
                (name!(SPI_PS_IN_CONTROL), r.ps_in_control),
                (name!(SPI_BARYC_CNTL), r.baryc_cntl),
                (name!(SPI_SHADER_Z_FORMAT), r.z_format),
                (name!(SPI_SHADER_COL_FORMAT), r.col_format),
                (name!(DB_SHADER_CONTROL), r.db_shader_control),
            ]);
            let inputs = r.ps_input_cntl.iter().enumerate();
            all.extend(inputs.map(|(n, value)| (format!("SPI_PS_INPUT_CNTL_{n}"), *value)));
        }
        HwStage::Cs => own(&[
            (name!(COMPUTE_NUM_THREAD_X), r.num_thread[0]),
            (name!(COMPUTE_NUM_THREAD_Y), r.num_thread[1]),
            (name!(COMPUTE_NUM_THREAD_Z), r.num_thread[2]),
        ]),
        _ => own(&[
            (name!(SPI_VS_OUT_CONFIG), r.vs_out_config),
            (name!(SPI_SHADER_POS_FORMAT), r.pos_format),
            (name!(PA_CL_VS_OUT_CNTL), r.vs_out_cntl),
            (name!(VGT_GS_MODE), r.vgt[0]),
            (name!(VGT_SHADER_STAGES_EN), r.vgt[1]),
            (name!(VGT_LS_HS_CONFIG), r.vgt[2]),
            (name!(VGT_TF_PARAM), r.vgt[3]),
            (name!(VGT_ESGS_RING_ITEMSIZE), r.rings[0]),
            (name!(VGT_GSVS_RING_ITEMSIZE), r.rings[1]),
            (name!(VGT_GS_MAX_VERT_OUT), r.rings[3]),
            (name!(VGT_INSTANCE_STEP_RATE_0), r.step_rates[0]),
            (name!(VGT_INSTANCE_STEP_RATE_1), r.step_rates[1]),
        ]),
    }
    all.retain(|(_, value)| *value != 0);
    all
}

/// Where words come from: `user[4:7]`, `[user[2:3] + 0x10]`.
fn span(found: &Resources, ids: &[ExprId]) -> String {
    let get = |id: ExprId| found.exprs.get(id as usize);
    let constant = |id: ExprId| match get(id) {
        Some(Expr::Const(value)) => Some(*value),
        _ => None,
    };
    // Descriptors of four words have zeros behind them.
    let end = ids.iter().rposition(|id| constant(*id) != Some(0)).map_or(ids.len().min(1), |last| last + 1);
    let mut text = String::new();
    let mut at = 0;
    while let Some(id) = ids[..end].get(at) {
        // Words that lie side by side are said together.
        let follows = |n: usize| {
            let (Some(first), Some(next)) = (get(*id), ids[..end].get(at + n).and_then(|id| get(*id))) else {
                return false;
            };
            match (first, next) {
                (Expr::User(a), Expr::User(b)) => usize::from(*b) == usize::from(*a) + n,
                (Expr::Load { base, offset: a }, Expr::Load { base: same, offset: b }) => {
                    let step = constant(*a).zip(constant(*b));
                    base == same && step.is_some_and(|(a, b)| a.checked_add(4 * n as u32) == Some(b))
                }
                _ => false,
            }
        };
        let count = (1..).take_while(|n| follows(*n)).count() + 1;
        if !text.is_empty() {
            text.push_str(", ");
        }
        match get(*id) {
            Some(Expr::User(first)) if count > 1 => {
                text.push_str(&format!("user[{first}:{}]", usize::from(*first) + count - 1));
            }
            _ if count > 1 => text.push_str(&format!("{} of {count}", expression(found, *id, 0))),
            _ => text.push_str(&expression(found, *id, 0)),
        }
        at += count;
    }
    text.truncate(text.floor_char_boundary(LONGEST));
    text
}

fn expression(found: &Resources, id: ExprId, depth: u32) -> String {
    let Some(expr) = found.exprs.get(id as usize).filter(|_| depth < DEPTH) else { return "..".into() };
    let inner = |id: ExprId| expression(found, id, depth + 1);
    match *expr {
        Expr::User(n) => format!("user[{n}]"),
        Expr::Const(value) => format!("{value:#x}"),
        Expr::Program(0) => "program".into(),
        Expr::Program(_) => "program (high half)".into(),
        Expr::Load { base: [low, high], offset } => {
            let base = match (found.exprs.get(low as usize), found.exprs.get(high as usize)) {
                (Some(Expr::User(a)), Some(Expr::User(b))) if a + 1 == *b => format!("user[{a}:{b}]"),
                _ => inner(low),
            };
            format!("[{base} + {}]", inner(offset))
        }
        Expr::Table { base, entry, word, .. } => format!("table({})[{entry}].{word}", inner(base[0])),
        Expr::LoadBuffer { descriptor, offset } => format!("V#({})[{}]", inner(descriptor[0]), inner(offset)),
        Expr::Binary(op, a, b) => format!("{op:?}({}, {})", inner(a), inner(b)),
    }
}
