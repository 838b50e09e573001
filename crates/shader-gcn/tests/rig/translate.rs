//! A shader of the corpus through all of the translation, and what its constant banks hold in a world.

use afterimage_gcn_corpus::{Program, Shader, World};
use afterimage_ir::{Module, Segment};
use afterimage_passes::{FloatRules, optimize};
use afterimage_shader_gcn::io::{
    BufferAt, BufferSpec, HwStage, ImageSpec, Registers, Resources, Scalars, Source, Values, bank,
};
use afterimage_shader_gcn::{lift, resources};

/// A translated shader.
pub(crate) struct Translated {
    /// Its IR, after all passes.
    pub(crate) module: Module,
    pub(crate) resources: Resources,
    pub(crate) values: Values,
}

/// A buffer that a shader accesses, as its descriptor says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// The guest's address.
    pub(crate) address: u64,
    /// Bytes, as far as the descriptor says; none of pointers.
    pub(crate) bytes: Option<u64>,
    /// `NUM_RECORDS`.
    pub(crate) records: u32,
}

/// User data and memory.
struct Guest<'a> {
    world: &'a World,
    user: [u32; 16],
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

/// Translates a shader.
///
/// # Errors
/// In words, what cannot be translated.
pub(crate) fn translate(program: &Program, shader: &Shader, world: &World) -> Result<Translated, String> {
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
        rings: ["esgs_ring_itemsize", "gsvs_ring_itemsize", "gs_vert_itemsize", "gs_max_vert_out"].map(register),
        ..Registers::default()
    };
    let code = shader.words();
    let mut source = Source { stage, code, fetch: Vec::new(), registers, buffers: Vec::new(), images: Vec::new() };
    let found = resources(&source).map_err(|error| error.to_string())?;
    let values = found.evaluate(&guest);
    if let Some(address) = values.fault {
        return Err(format!("it reads {address:#x}, where nothing is"));
    }
    source.buffers = found.buffers.iter().map(|buffer| buffer_spec(buffer.at, &values)).collect();
    source.images = (0..)
        .zip(&found.images)
        .map(|(at, image)| {
            let words = values.all(image.descriptor);
            let number = words[1] >> 26 & 15;
            let compare = found.textures.iter().any(|texture| texture.image == at && texture.compare);
            let (format, select) = match image.storage {
                true => (words[1] >> 20 & 63 | number << 8, words[3] & 0xfff),
                false => (kind(number) << 16, 0),
            };
            ImageSpec { kind: words[3] >> 28, format, select, compare: if compare { LESS_OR_EQUAL + 1 } else { 0 } }
        })
        .collect();
    let mut module = lift(&source).map_err(|error| error.to_string())?;
    optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    Ok(Translated { module, resources: found, values })
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
        BufferAt::Pointer(_) => BufferSpec::default(),
    }
}

impl Translated {
    /// The buffers in order.
    pub(crate) fn buffers(&self) -> Vec<Bound> {
        let bound = |at| match at {
            BufferAt::Descriptor(words) => {
                let words = self.values.all(words);
                let stride = u64::from(words[1] >> 16 & 0x3fff).max(1);
                let address = u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32;
                Bound { address, bytes: Some(u64::from(words[2]) * stride), records: words[2] }
            }
            BufferAt::Pointer(halves) => Bound { address: self.values.address(halves), bytes: None, records: 0 },
        };
        self.resources.buffers.iter().map(|buffer| bound(buffer.at)).collect()
    }

    /// The guest's address of an image.
    pub(crate) fn image_address(&self, image: u32) -> u64 {
        let words = self.values.all(self.resources.images[image as usize].descriptor);
        u64::from(words[0]) << 8 | u64::from(words[1] & 0xff) << 40
    }

    /// A constant register; `place` says where a buffer lies for the shader, and how many bytes it may access.
    pub(crate) fn constant(&self, bank_id: u8, index: u32, place: &dyn Fn(Bound) -> (u64, u32)) -> [u32; 4] {
        match bank_id {
            bank::WORDS => {
                let word = |at| self.resources.words.get(at).map_or(0, |word| self.values.get(*word));
                std::array::from_fn(|n| word(index as usize * 4 + n))
            }
            bank::BUFFERS => self.buffers().get(index as usize).map_or([0; 4], |&bound| {
                let (address, bytes) = place(bound);
                [address as u32, (address >> 32) as u32, bytes, bound.records]
            }),
            _ => [0; 4],
        }
    }

    /// Registers of all segments, as they lie behind the stage's address.
    pub(crate) fn constants(&self, segments: &[Segment], place: &dyn Fn(Bound) -> (u64, u32)) -> Vec<[u32; 4]> {
        let all = segments.iter().flat_map(|segment| (0..segment.count).map(|n| (segment.bank, segment.first + n)));
        all.map(|(bank, index)| self.constant(bank, index, place)).collect()
    }
}
