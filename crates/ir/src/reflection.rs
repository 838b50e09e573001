//! What a shader uses of its surroundings, and where its constants lie: the same for every back end.

use smallvec::SmallVec;

use crate::feedback::{FEEDBACK_BUFFERS, FeedbackDecl, FeedbackUse};
use crate::geometry::GeometryDecl;
use crate::module::{BankSource, Component, Dim, ImageDecl, Imm, InputAt, Module, OutputAt, Semantic, Stage};
use crate::opcode::Op;
use crate::types::{Kind, Type};

/// A run of constant registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segment {
    /// The front end's number of the bank.
    pub bank: u8,
    /// First register.
    pub first: u32,
    /// Number of registers, at least 1.
    pub count: u32,
}

/// A register that the shader itself defines and may read by a dynamic index: the renderer writes it over the application's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConstDef {
    /// The front end's number of the bank.
    pub bank: u8,
    /// Register.
    pub index: u32,
    /// Its value.
    pub bits: [u32; 4],
}

/// A texture that is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureUse {
    /// Slot, as in the push constants.
    pub slot: u8,
    /// Shape.
    pub dim: Dim,
    /// Whether it is sampled with a compare sampler.
    pub shadow: bool,
    /// What its texels are.
    pub component: Component,
}

/// A storage image that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageUse {
    /// As declared.
    pub decl: ImageDecl,
    /// Whether it is read, also by atomic operations.
    pub read: bool,
    /// Whether it is written, also by atomic operations.
    pub written: bool,
}

/// An input that is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InputUse {
    /// Where it comes from.
    pub at: InputAt,
    /// Its type in the shader.
    pub ty: Type,
    /// The guest's name for it.
    pub semantic: Option<Semantic>,
}

/// An output that is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutputUse {
    /// Where it goes.
    pub at: OutputAt,
    /// Its type in the shader.
    pub ty: Type,
    /// The guest's name for it.
    pub semantic: Option<Semantic>,
}

/// A specialisation constant that the code reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpecUse {
    /// Number by which it is set.
    pub id: u32,
    /// Kind of its value: a float, an integer or a truth value.
    pub kind: Kind,
    /// Bits of the value that it has unless it is set.
    pub default: u32,
}

/// What a shader uses of its surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflection {
    /// Stage.
    pub stage: Stage,
    /// Constant registers, in the order in which they lie behind the stage's address.
    pub segments: Vec<Segment>,
    /// Registers to overwrite, for banks that are indexed dynamically.
    pub const_defs: Vec<ConstDef>,
    /// Whether the system block is read.
    pub system: bool,
    /// Whether system values of a lowered transform feedback are read.
    pub feedback: bool,
    /// Textures of slots that are sampled.
    pub textures: Vec<TextureUse>,
    /// Bit per table of descriptors ([`Dim::table`]) out of which textures are taken that the shader names itself.
    pub tables: u8,
    /// Storage images that are accessed.
    pub images: Vec<ImageUse>,
    /// Lanes of a work group in each direction.
    pub group: [u32; 3],
    /// Bytes of a work group's memory.
    pub shared: u32,
    /// Inputs that are read.
    pub inputs: Vec<InputUse>,
    /// Outputs that are written.
    pub outputs: Vec<OutputUse>,
    /// What a geometry shader takes and gives.
    pub geometry: Option<GeometryDecl>,
    /// What transform feedback records of the declared outputs.
    pub feedback_outputs: Vec<FeedbackUse>,
    /// Specialisation constants that are read.
    pub specs: Vec<SpecUse>,
    /// Whether pixels may be thrown away.
    pub demotes: bool,
    /// Whether memory behind device addresses is read.
    pub loads: bool,
    /// Whether it is written.
    pub stores: bool,
    /// Whether pixels at the same place wait for each other.
    pub interlocks: bool,
}

impl Reflection {
    /// Registers of all segments together: the size of the stage's constants in units of 16 bytes.
    pub fn const_registers(&self) -> u32 {
        self.segments.iter().map(|s| s.count).sum()
    }

    /// Where register `index` of `bank` lies behind the stage's address, in registers.
    pub fn const_offset(&self, bank: u8, index: u32) -> Option<u32> {
        let mut at = 0;
        for s in &self.segments {
            if s.bank == bank && (s.first..s.first + s.count).contains(&index) {
                return Some(at + index - s.first);
            }
            at += s.count;
        }
        None
    }

    /// Bit per slot that is sampled with this shape.
    pub fn texture_mask(&self, dim: Dim) -> u32 {
        self.textures.iter().filter(|t| t.dim == dim).fold(0, |mask, t| mask | 1 << t.slot)
    }

    /// Whether the pixel's depth is written.
    pub fn writes_depth(&self) -> bool {
        self.outputs.iter().any(|o| o.at == OutputAt::FragDepth)
    }

    /// Whether the point size is written.
    pub fn writes_point_size(&self) -> bool {
        self.outputs.iter().any(|o| o.at == OutputAt::PointSize)
    }

    /// Bit per colour target, or varying, that is written.
    pub fn location_mask(&self) -> u64 {
        self.outputs.iter().fold(0, |mask, o| match o.at {
            OutputAt::Location(n) => mask | 1 << (n & 63),
            _ => mask,
        })
    }

    /// Bytes of a captured vertex in each buffer; 0 for a buffer that nothing is captured into.
    pub fn feedback_strides(&self) -> [u32; FEEDBACK_BUFFERS as usize] {
        let mut strides = [0; FEEDBACK_BUFFERS as usize];
        for output in &self.feedback_outputs {
            strides[usize::from(output.buffer % FEEDBACK_BUFFERS)] = output.stride;
        }
        strides
    }

    /// Number of clip distances written.
    pub fn clip_distances(&self) -> u8 {
        self.distances(|at| match at {
            OutputAt::ClipDistance(n) => Some(n),
            _ => None,
        })
    }

    /// Number of cull distances written.
    pub fn cull_distances(&self) -> u8 {
        self.distances(|at| match at {
            OutputAt::CullDistance(n) => Some(n),
            _ => None,
        })
    }

    fn distances(&self, first: impl Fn(OutputAt) -> Option<u8>) -> u8 {
        self.outputs.iter().filter_map(|o| Some(first(o.at)? + o.ty.lanes)).max().unwrap_or(0)
    }
}

/// Registers that lie closer than this are one segment: copying a few more costs less than another piece.
const MERGE_GAP: u32 = 3;

/// Uses of each declaration, by its index in the module: what a back end needs to know before it writes.
pub struct Uses {
    /// Whether the input is read.
    pub inputs: SmallVec<[bool; 16]>,
    /// Whether the output is written.
    pub outputs: SmallVec<[bool; 16]>,
    /// Whether the texture is sampled.
    pub textures: SmallVec<[bool; 16]>,
    /// Whether the specialisation constant is read.
    pub specs: SmallVec<[bool; 4]>,
    /// Whether the storage image is read, and written.
    pub images: SmallVec<[[bool; 2]; 8]>,
    /// Whether the variable occurs.
    pub vars: SmallVec<[bool; 32]>,
    /// Per bank where it begins behind the stage's address, in registers (dynamically indexed banks).
    pub bank_base: SmallVec<[u32; 4]>,
    /// Number of instructions.
    pub instructions: usize,
    /// Whether vertices are emitted into other streams than the first.
    pub streams: bool,
    /// Whether the order in which others see stores matters (`memory_barrier`, interlocks).
    pub ordered: bool,
    /// The same for the outside.
    pub reflection: Reflection,
}

/// Walks the module, which must be verified, once.
pub fn uses(m: &Module) -> Uses {
    let mut inputs = SmallVec::from_elem(false, m.inputs.len());
    let mut outputs = SmallVec::from_elem(false, m.outputs.len());
    let mut textures = SmallVec::from_elem(false, m.textures.len());
    let mut images: SmallVec<[[bool; 2]; 8]> = SmallVec::from_elem([false; 2], m.images.len());
    let mut accessed: SmallVec<[bool; 8]> = SmallVec::from_elem(false, m.images.len());
    let mut specs = SmallVec::from_elem(false, m.specs.len());
    let mut vars = SmallVec::from_elem(false, m.vars.len());
    let mut dynamic: SmallVec<[bool; 4]> = SmallVec::from_elem(false, m.banks.len());
    let mut registers: Vec<(u32, u32)> = Vec::new();
    let (mut demotes, mut system, mut feedback, mut ordered, mut instructions) = (false, false, false, false, 0);
    let (mut loads, mut stores, mut streams, mut interlocks) = (false, false, false, false);
    m.for_each_inst(|_, data| {
        instructions += 1;
        demotes |= data.op == Op::Demote;
        interlocks |= data.op == Op::BeginInterlock;
        ordered |= matches!(data.op, Op::MemoryBarrier | Op::BeginInterlock);
        loads |= matches!(data.op, Op::LoadGlobal | Op::AtomicGlobal);
        stores |= matches!(data.op, Op::StoreGlobal | Op::AtomicGlobal);
        match data.imm {
            Imm::Input(input) => inputs[input.index()] = true,
            Imm::Output(output) => outputs[output.index()] = true,
            Imm::Texture(texture, _) | Imm::Gather(texture, ..) => textures[texture.index()] = true,
            Imm::Image(image) | Imm::ImageAtomic(image, _) => {
                accessed[image.index()] = true;
                let [read, written] = &mut images[image.index()];
                *read |= matches!(data.op, Op::ImageLoad | Op::ImageAtomic);
                *written |= matches!(data.op, Op::ImageStore | Op::ImageAtomic);
            }
            Imm::Spec(spec) => specs[spec.index()] = true,
            Imm::Stream(stream) => streams |= stream != 0,
            Imm::Var(var) | Imm::VarMask(var, _) => vars[var.index()] = true,
            Imm::Bank(bank, index) => match m.banks[bank.index()].source {
                BankSource::Storage => {}
                BankSource::System => system = true,
                BankSource::Feedback => feedback = true,
                BankSource::Stage if data.op == Op::LoadConstDyn => dynamic[bank.index()] = true,
                BankSource::Stage => registers.push((bank.0, index as u32)),
            },
            _ => {}
        }
    });
    registers.sort_unstable();
    let mut segments: Vec<Segment> = Vec::new();
    let mut const_defs = Vec::new();
    let mut bank_base = SmallVec::from_elem(0, m.banks.len());
    let mut at = 0;
    for (i, decl) in m.banks.iter().enumerate() {
        bank_base[i] = at;
        let begin = segments.len();
        if dynamic[i] {
            segments.push(Segment { bank: decl.id, first: 0, count: decl.size });
            const_defs.extend(decl.defs.iter().map(|&(index, bits)| ConstDef { bank: decl.id, index, bits }));
        } else {
            for &(_, index) in registers.iter().filter(|r| r.0 == i as u32) {
                match segments[begin..].last_mut() {
                    Some(s) if index < s.first + s.count + MERGE_GAP => s.count = s.count.max(index - s.first + 1),
                    _ => segments.push(Segment { bank: decl.id, first: index, count: 1 }),
                }
            }
        }
        at += segments[begin..].iter().map(|s| s.count).sum::<u32>();
    }
    let used = |flags: &[bool], i: usize| flags[i];
    let reflection = Reflection {
        stage: m.stage,
        segments,
        const_defs,
        system,
        feedback,
        textures: (0..m.textures.len())
            .filter(|&i| used(&textures, i) && !m.textures[i].in_tables())
            .map(|i| {
                let t = m.textures[i];
                TextureUse { slot: t.slot, dim: t.dim, shadow: t.shadow, component: t.component }
            })
            .collect(),
        tables: (0..m.textures.len())
            .filter(|&i| used(&textures, i) && m.textures[i].in_tables())
            .fold(0, |mask, i| mask | 1 << m.textures[i].dim.table() as u8),
        images: (0..m.images.len())
            .filter(|&i| accessed[i])
            .map(|i| ImageUse { decl: m.images[i], read: images[i][0], written: images[i][1] })
            .collect(),
        group: m.group,
        shared: m.shared,
        inputs: (0..m.inputs.len())
            .filter(|&i| used(&inputs, i))
            .map(|i| InputUse { at: m.inputs[i].at, ty: m.inputs[i].ty, semantic: m.inputs[i].semantic })
            .collect(),
        outputs: (0..m.outputs.len())
            .filter(|&i| used(&outputs, i))
            .map(|i| OutputUse { at: m.outputs[i].at, ty: m.outputs[i].ty, semantic: m.outputs[i].semantic })
            .collect(),
        geometry: m.geometry,
        feedback_outputs: m.feedback.iter().map(|decl: &FeedbackDecl| decl.in_use(m)).collect(),
        specs: (0..m.specs.len())
            .filter(|&i| used(&specs, i))
            .map(|i| SpecUse { id: m.specs[i].id, kind: m.specs[i].kind, default: m.specs[i].default })
            .collect(),
        demotes,
        loads,
        stores,
        interlocks,
    };
    Uses { inputs, outputs, textures, images, specs, vars, bank_base, instructions, streams, ordered, reflection }
}
