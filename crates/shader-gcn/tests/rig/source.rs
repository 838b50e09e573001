//! A shader of the corpus, and what its translation depends on.

use afterimage_gcn_corpus::{Program, Shader, Stage, World};
use afterimage_ir::MAX_WAVE;
use afterimage_shader_gcn::io::{
    BufferAt, BufferSpec, HwStage, ImageSpec, Registers, Resources, Scalars, Source, Values,
};
use afterimage_shader_gcn::resources;

/// User data and memory.
pub(super) struct Guest<'a> {
    pub(super) world: &'a World,
    pub(super) user: [u32; 16],
}

impl Scalars for Guest<'_> {
    fn user(&self, n: u8) -> u32 {
        self.user[usize::from(n)]
    }

    fn word(&self, address: u64) -> Option<u32> {
        self.world.word(address)
    }

    fn program(&self) -> u64 {
        self.world.code()
    }
}

/// A shader as it is translated in a world, with what it reads.
///
/// # Errors
/// In words, what is not there.
pub(crate) fn source(program: &Program, shader: &Shader, world: &World) -> Result<(Source, Resources, Values), String> {
    let stage = HwStage::ALL.into_iter().find(|stage| stage.name() == shader.stage).ok_or("there is no such stage")?;
    let guest = Guest { world, user: world.user(shader).map_err(|name| format!("user data `{name}` has no value"))? };
    let register = |name: &str| shader.register(name);
    let registers = Registers {
        rsrc1: register("rsrc1"),
        rsrc2: register("rsrc2"),
        num_thread: shader.threads,
        ps_input_ena: register("ps_input_ena"),
        ps_input_addr: register("ps_input_addr"),
        ps_in_control: register("ps_in_control"),
        ps_input_cntl: std::array::from_fn(|n| register(&format!("ps_input_cntl_{n}"))),
        z_format: register("z_format"),
        col_format: register("col_format"),
        db_shader_control: register("db_shader_control"),
        vs_out_config: register("vs_out_config"),
        pos_format: register("pos_format"),
        vs_out_cntl: register("vs_out_cntl"),
        targets: targets(program),
        rings: [
            register("esgs_ring_itemsize"),
            register("gsvs_ring_itemsize"),
            streams(shader),
            register("gs_max_vert_out"),
        ],
        vgt: vgt(program),
        scratch: shader.scratch / 4 / MAX_WAVE,
        ..Registers::default()
    };
    let code = shader.words();
    let mut source = Source {
        stage,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let found = resources(&source).map_err(|error| error.to_string())?;
    let values = found.evaluate(&guest);
    if let Some(address) = values.fault {
        return Err(format!("it reads {address:#x}, where nothing is"));
    }
    source.buffers = found.buffers.iter().map(|buffer| buffer_spec(buffer.at, &values)).collect();
    source.images = (0..)
        .zip(&found.images)
        .map(|(at, image)| {
            let words = image.seen(values.all(image.descriptor));
            let number = words[1] >> 26 & 15;
            let compare = found.textures.iter().any(|texture| texture.image == at && texture.compare);
            let (format, select) = match image.storage {
                true => (words[1] >> 20 & 63 | number << 8, words[3] & 0xfff),
                false => (kind(number) << 16, 0),
            };
            ImageSpec { kind: words[3] >> 28, format, select, compare: if compare { LESS_OR_EQUAL + 1 } else { 0 } }
        })
        .collect();
    Ok((source, found, values))
}

/// Streams of a geometry shader: those whose vertices have a size.
fn streams(shader: &Shader) -> u32 {
    (1..4).filter(|n| shader.register(&format!("gs_vert_itemsize_{n}")) != 0).max().unwrap_or(0) + 1
}

/// What the registers of a pipeline with tessellation say: eight patches in a thread group. The hull shaders of the corpus have as
/// many control points as their patches have corners.
fn vgt(program: &Program) -> [u32; 4] {
    let corners = program.header.patch;
    if !program.stages.contains(&Stage::Tesc) {
        return [0; 4];
    }
    // LS_EN, HS_EN; then ES_EN as the domain stage and GS_EN with a copy shader, or VS_EN as the domain stage.
    let behind = if program.stages.contains(&Stage::Geom) { 1 << 3 | 1 << 5 | 2 << 6 } else { 1 << 6 };
    // NUM_PATCHES, HS_NUM_INPUT_CP, HS_NUM_OUTPUT_CP.
    [0, 1 | 1 << 2 | behind, 8 | corners << 8 | corners << 14, 0]
}

/// The comparison of every shadow sampler of the corpus.
const LESS_OR_EQUAL: u32 = 3;

/// [`TargetKind`](afterimage_shader_gcn::io::TargetKind) of a `NUM_FORMAT`.
fn kind(number: u32) -> u32 {
    match number {
        4 => 1,
        5 => 2,
        _ => 0,
    }
}

fn targets(program: &Program) -> u32 {
    let kinds = (0..).zip(&program.header.targets).map(|(at, format)| kind(format.channel as u32) << (4 * at));
    kinds.fold(0, |all, kind| all | kind)
}

fn buffer_spec(at: BufferAt, values: &Values) -> BufferSpec {
    match at {
        BufferAt::Descriptor(words) => {
            let words = values.all(words);
            BufferSpec { word1: words[1] & 0xffff_0000, word3: words[3] }
        }
        _ => BufferSpec::default(),
    }
}
