//! What a shader has to do with the world: where its descriptors come from, and what its translation depends on.
//!
//! Three parties agree on this file. `resources` finds [`Resources`] in a program. The guest's `translate` evaluates their
//! expressions against guest memory at every draw ([`Resources::evaluate`]), makes host objects of the descriptors, and sends
//! the program with what its translation depends on as a [`Source`]. The lifter turns a `Source` into IR whose constant banks
//! and slots are numbered as the `Resources` are.

use afterimage_abi::{Bank, slots};
use std::fmt;

mod bytes;
pub mod tables;

pub use bytes::SourceError;

/// Constant banks of a GCN stage: the `id` of `BankDecl`s, and, by stage, the banks of the stream.
pub mod bank {
    use afterimage_abi::GcnBank;

    /// Words from user data and scalar loads: word `n` of [`Resources::words`](super::Resources) is component `n % 4` of
    /// register `n / 4`. The guest writes them with `SetConstants`.
    pub const WORDS: u8 = GcnBank::Words as u8;
    /// Buffers: register `n` is that of [`Resources::buffers`](super::Resources) entry `n`, as the renderer fills it from
    /// `SetStorage`: low and high half of the device address, bytes that may be accessed from there, and a word of the
    /// guest's (the draw's `NUM_RECORDS`).
    pub const BUFFERS: u8 = GcnBank::Buffers as u8;
    /// What the draw says, as the guest writes it: register 0 is {first vertex, stream that is rasterised, which viewports are mirrored
    /// ([`position::MIRRORS`](super::position::MIRRORS)), size of points as a float}, where points are drawn.
    ///
    /// In tessellation, whose dispatches have a group for each patch, it is {first vertex, instance, first patch of the dispatch,
    /// 0} of local programs, and {off-chip bytes of a thread group, bytes of its tessellation factors, first patch of the dispatch,
    /// 0} of hull and domain programs.
    ///
    /// Compute programs whose translation says so ([`groups`](super::groups)) have {number of the first group in x, y, z, lanes of the last
    /// groups ([`groups::lanes`](super::groups::lanes))}, and in register 1 {groups less one in x, y, z, 0}.
    pub const DRAW: u8 = GcnBank::Draw as u8;
}

/// Hardware stages, by the registers that they are set up with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u32)]
pub enum HwStage {
    /// Pixel.
    Ps = 0,
    /// Vertex: the last stage before rasterisation, whatever it does (vertex, domain, or copy shader).
    Vs = 1,
    /// Geometry.
    Gs = 2,
    /// Export: the vertex stage in front of a geometry shader.
    Es = 3,
    /// Hull.
    Hs = 4,
    /// Local: the vertex stage in front of a hull shader.
    Ls = 5,
    /// Compute.
    Cs = 6,
}

impl HwStage {
    /// Every stage.
    pub const ALL: [HwStage; 7] =
        [HwStage::Ps, HwStage::Vs, HwStage::Gs, HwStage::Es, HwStage::Hs, HwStage::Ls, HwStage::Cs];

    /// AMD's two letters, in lower case.
    pub fn name(self) -> &'static str {
        ["ps", "vs", "gs", "es", "hs", "ls", "cs"][self as usize]
    }
}

/// What export and geometry shaders, and vertex shaders that capture ([`Source::captures`]), have from the guest beside their own
/// resources. They run as compute shaders.
///
/// Lanes are numbered through the draw: an export or vertex shader's vertices of one instance after the other; a geometry shader's
/// invocations of a primitive, primitives of an instance, instances. Bank [`DRAW`](bank::DRAW), register 0: {off-chip bytes of a
/// thread group, stream that is captured, vertices or primitives of an instance, lanes}; register 1, for geometry shaders: {vertices
/// of an instance, invocations, 0, 0}; for vertex shaders: for each buffer of stream-out the word at which the draw's first vertex
/// goes; then register 2: the topology's row of transform feedback's table as words, by which the vertices of an instance lie in its
/// run; register 3: {what is added to indices, bytes of an index in the list: 1, 2, 4; 0 without indices, 0, 0}.
///
/// On-chip export and geometry shaders ([`Source::is_on_chip`]) run for one subgroup after the other, each of which has whole waves
/// and a window of the data share. Register 0: {off-chip bytes of a thread group, 0, subgroups of an instance, lanes of a subgroup}; register 1: {vertices or
/// primitives that a subgroup has in the list, invocations, 0, 0}. In the list, the number of vertices or primitives of each subgroup
/// comes first; places of vertices are those in the subgroup. A copy shader's index, drawn or captured, counts words of all windows:
/// the subgroup is what the words of a window go into it.
pub mod geometry {
    /// Lanes of a work group, which is a wave of the guest.
    pub const LANES: u32 = 64;
    /// Registers of bank BUFFERS behind those of the program's buffers.
    pub const OWN: u32 = 2;
    /// The first of them, a list of words. Export: the index of each vertex of an instance, or of a point of the tessellator. Vertex: the
    /// indices of a run, of as many bytes as the draw says. Geometry: of each primitive of an instance, [`VERTICES`] places in that list, and its number.
    pub const LIST: u32 = 0;
    /// The second, for geometry shaders: for each lane [`record`] words for each stream. The first is the number of vertices that it
    /// put out; bit n of the others, from the lowest on, says that its strip ends behind vertex n.
    pub const LOG: u32 = 1;
    /// Vertices that the hardware hands to a geometry shader; those that a primitive does not have may be anything.
    pub const VERTICES: u32 = 6;
    /// Words of a primitive in the list.
    pub const PRIMITIVE: u32 = VERTICES + 1;
    /// Lanes whose vertices lie side by side in the ring of the geometry shader's outputs.
    pub const ROW: u32 = 16;
    /// Most groups of a dispatch.
    pub const MOST_GROUPS: u32 = 65_535;
    /// Streams that a geometry shader can have.
    pub const STREAMS: usize = 4;

    /// What a geometry shader says at a time.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Message {
        /// Of which stream.
        pub stream: u8,
        /// A vertex is put out.
        pub emits: bool,
        /// The strip ends, after that.
        pub cuts: bool,
    }

    /// The record of lanes that say this, for one stream.
    #[must_use]
    pub fn recorded(messages: &[Message], stream: u8, max_vert_out: u32) -> Vec<u32> {
        let mut recorded = vec![0u32; record(max_vert_out) as usize];
        for message in messages.iter().filter(|message| message.stream == stream) {
            if message.emits {
                recorded[0] = (recorded[0] + 1).min(most_vertices(max_vert_out));
            }
            if message.cuts
                && let Some(last) = recorded[0].checked_sub(1)
            {
                recorded[1 + last as usize / 32] |= 1 << (last % 32);
            }
        }
        recorded
    }

    /// Most vertices of a lane, of `VGT_GS_MAX_VERT_OUT`.
    #[must_use]
    pub fn most_vertices(max_vert_out: u32) -> u32 {
        max_vert_out.clamp(1, 1024)
    }

    /// Words of a lane's record in the log for one stream, of `VGT_GS_MAX_VERT_OUT`.
    #[must_use]
    pub fn record(max_vert_out: u32) -> u32 {
        1 + most_vertices(max_vert_out).div_ceil(32)
    }
}

/// Index of an expression in [`Resources::exprs`].
pub type ExprId = u32;

/// A 32-bit scalar value that is known at the draw, whatever the lanes do. Operands come before what uses them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// User SGPR of this number (0 to 15).
    User(u8),
    /// A constant.
    Const(u32),
    /// Address of the program's first word: 0 the low half, 1 the high half.
    Program(u8),
    /// The word at a guest address: low half, high half (of which 16 bits count), plus bytes.
    Load {
        /// Low and high half of the base address.
        base: [ExprId; 2],
        /// Added to the base, as a byte offset that is a multiple of four.
        offset: ExprId,
    },
    /// The word at a byte offset into a buffer (V#), 0 beyond its end.
    LoadBuffer {
        /// The four words of the descriptor.
        descriptor: [ExprId; 4],
        /// Byte offset.
        offset: ExprId,
    },
    /// Scalar arithmetic on others.
    Binary(BinaryOp, ExprId, ExprId),
    /// A word of a descriptor out of a table: what is found from an address on ([`tables`]), 0 where there are fewer.
    Table {
        /// Low and high half of the address.
        base: [ExprId; 2],
        /// What is looked for.
        what: tables::What,
        /// Which of those that are found.
        entry: u8,
        /// Which of its words: of T# 0 to 7, of S# 8 to 11; of a level [`tables::LEVEL`], [`tables::OF_LEVEL`].
        word: u8,
    },
}

/// Scalar arithmetic, as the SALU does it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    /// The carry of an addition, 0 or 1.
    Carry,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    AndNot,
    Shl,
    Shr,
    Ashr,
}

/// A buffer (V#) that the program reads or writes through, or a bare pointer that is read at a dynamic offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferUse {
    /// Where the descriptor comes from.
    pub at: BufferAt,
    /// Whether the program stores through it or has atomic operations on it.
    pub written: bool,
    /// Whether its format matters: typed loads and stores whose format is the descriptor's.
    pub typed: bool,
}

/// Where a buffer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BufferAt {
    /// A V#: its four words.
    Descriptor([ExprId; 4]),
    /// A pointer: low and high half. Reads beyond what is mapped give 0.
    Pointer([ExprId; 2]),
    /// The data share of stages that have it in common, those of tessellation and of on-chip geometry shaders. They run one after
    /// the other and so have it in memory: a window for each thread group of the hardware. The register's last word is a window's
    /// bytes.
    SharedMemory,
    /// What the tessellator gives to a stage: to the local stage the number of each patch's vertices, a word each, patch by
    /// patch; to the domain stage its points, [`DomainPoint`]s by vertex index.
    Tessellator,
    /// The global data share, [`GLOBAL_SHARE`] bytes that the whole console has in common.
    GlobalShare,
    /// One of the [`WINDOWS`] of a program that accesses memory by its guest address (FLAT): a part of what is mapped. They come
    /// one behind the other and rise; those that are not needed are as the last that is. The register's last word is the page of
    /// [`WINDOW_PAGE`] bytes that the window begins with.
    Window(u32),
}

/// Windows of guest memory that a program has, if it has any: a power of two.
pub const WINDOWS: u32 = 16;
/// Windows begin at multiples of this.
pub const WINDOW_PAGE: u64 = 4096;

/// Bytes of the global data share.
pub const GLOBAL_SHARE: usize = 64 << 10;

/// A vertex that the tessellator made, as the domain shader's program gets it.
#[derive(Clone, Copy, PartialEq, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct DomainPoint {
    /// Where it lies in its patch.
    pub at: [f32; 2],
    /// Bits 7:0 the patch's number in its thread group, bits 31:8 the thread group's number in its dispatch.
    pub patch_in_group: u32,
    /// The patch's number in its instance.
    pub patch: u32,
}

/// An image (T#).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageUse {
    /// The eight words of the descriptor (four-word descriptors have constants 0 behind).
    pub descriptor: [ExprId; 8],
    /// Whether it is accessed without a sampler by stores or atomic operations: then it is a storage image.
    pub storage: bool,
    /// Whether the program stores to it.
    pub written: bool,
    /// Whether it is accessed without a sampler only, where faces of cubes are layers.
    pub layers: bool,
    /// Which level it is of the descriptor's, of storage images; they have one each.
    pub level: u8,
    /// Whether its texels are converted.
    pub texels: Texels,
}

/// What the texels of a storage image are to a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Texels {
    /// What the descriptor's format makes of them.
    #[default]
    Converted,
    /// The same, but for those of one word or two, which are integers: atomic operations change them as one number.
    Words,
    /// Bits as they lie in memory, the number format of integers in the place of the descriptor's.
    Bits,
}

/// Data formats whose components are whole, so that there are integers of them: 8, 16, 8_8, 32, 16_16, 10_10_10_2, 2_10_10_10,
/// 8_8_8_8, 32_32, 16_16_16_16, 32_32_32 and 32_32_32_32.
const WHOLE: u32 = 0b111_1111_0011_1110;

impl ImageUse {
    /// The descriptor as this use sees it: cubes as arrays of their faces where they are so, one level of several where it is of one, none
    /// where the image does not have that.
    #[must_use]
    pub fn seen(&self, mut words: [u32; 8]) -> [u32; 8] {
        const CUBE: u32 = 11;
        const ARRAY: u32 = 13;
        const SAMPLES: u32 = 14;
        const DATA_32: u32 = 4;
        const DATA_32_32: u32 = 11;
        const NUM_UINT: u32 = 4;
        const NUM_SINT: u32 = 5;
        let kind = words[3] >> 28;
        let data = words[1] >> 20 & 0x3f;
        let as_integers = match self.texels {
            Texels::Converted => false,
            Texels::Words => {
                matches!(data, DATA_32 | DATA_32_32) && !matches!(words[1] >> 26 & 15, NUM_UINT | NUM_SINT)
            }
            Texels::Bits => data < 32 && WHOLE >> data & 1 != 0,
        };
        if as_integers {
            words[1] = words[1] & !(15 << 26) | NUM_UINT << 26;
        }
        if self.layers && kind == CUBE {
            words[3] = words[3] & 0x0fff_ffff | ARRAY << 28;
        }
        if self.level > 0 {
            let (base, last) = (words[3] >> 12 & 15, words[3] >> 16 & 15);
            let level = base + u32::from(self.level);
            if level > last || kind >= SAMPLES {
                return [0; 8];
            }
            words[3] = words[3] & !(15 << 12) | level << 12;
        }
        words
    }
}

/// A sampler (S#).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SamplerUse {
    /// The four words of the descriptor.
    pub descriptor: [ExprId; 4],
}

/// A combination of image and sampler as the stream binds them: a texture slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextureUse {
    /// Index in [`Resources::images`], of one that is no storage image.
    pub image: u32,
    /// Index in [`Resources::samplers`]; none for loads.
    pub sampler: Option<u32>,
    /// Whether samples are compared with a reference value.
    pub compare: bool,
}

/// A table of the receiver's that the program looks into by itself, at register [`FIRST_TABLE`] and its number of the bank of buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TableUse {
    /// What is in it.
    pub of: TableOf,
    /// Of images, whether they are accessed without a sampler, where faces of cubes are layers.
    pub layers: bool,
    /// Whether samples are compared.
    pub compare: bool,
}

/// What a table has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TableOf {
    /// The images' descriptors that are found in memory behind a pointer ([`tables::scan`]), low and high half.
    Images([ExprId; 2]),
    /// One image, whose descriptor is known.
    Image([ExprId; 8]),
    /// The samplers' descriptors that are found in memory, each with an entry for each class.
    Samplers([ExprId; 2]),
    /// One sampler, likewise.
    Sampler([ExprId; 4]),
    /// The textures behind those that have slots, in order: entry n is texture n behind the last of [`texture_slots`].
    Textures,
}

/// First register of tables in the bank of buffers.
pub const FIRST_TABLE: u32 = slots::FIRST_TABLE as u32;
/// Most tables of a program.
pub const MAX_TABLES: usize = slots::TABLES;

/// Textures of a stage that have slots.
#[must_use]
pub const fn texture_slots(stage: HwStage) -> usize {
    match stage {
        HwStage::Ps => slots::PIXEL_TEXTURES,
        HwStage::Vs => slots::VERTEX_TEXTURES,
        // Those in front of the vertex stage run as compute shaders.
        _ => slots::COMPUTE_SLOTS,
    }
}

/// What a program reads from outside. Everything is found once per program; draws only evaluate expressions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    /// Expressions, operands first.
    pub exprs: Vec<Expr>,
    /// Words that the program's scalar registers get from user data and scalar loads with known addresses.
    pub words: Vec<ExprId>,
    /// Buffers, at most [`MAX_BUFFERS`].
    pub buffers: Vec<BufferUse>,
    /// Images.
    pub images: Vec<ImageUse>,
    /// Samplers.
    pub samplers: Vec<SamplerUse>,
    /// Texture slots in order: the nth is slot n of a pixel or compute shader, slot 16 + n of a vertex shader.
    pub textures: Vec<TextureUse>,
    /// Indices in `images` of storage images in order: the nth is storage image n.
    pub storage_images: Vec<u32>,
    /// Tables that the program looks into, if the receiver has such.
    pub tables: Vec<TableUse>,
    /// Indices in `tables` of images, and of the samplers that they are used with.
    pub table_pairs: Vec<[u32; 2]>,
    /// Guest address of the fetch shader that the program calls (`s_swappc_b64`): low and high half.
    pub fetch: Option<[ExprId; 2]>,
    /// What a geometry shader says, if it is the same for each lane: then nobody has to look into the log.
    pub messages: Option<Vec<geometry::Message>>,
}

/// Most buffers of a program.
pub const MAX_BUFFERS: usize = slots::STORAGE_BUFFERS;
/// Most words that are delivered to a program.
pub const MAX_WORDS: usize = 4 * Bank::GcnVertexWords.registers() as usize;
/// Most storage images of a program.
pub const MAX_STORAGE_IMAGES: usize = slots::STORAGE_IMAGES;

/// What expressions are evaluated against.
pub trait Scalars {
    /// User SGPR `n` (0 to 15).
    fn user(&self, n: u8) -> u32;
    /// The word at a guest address, or none where nothing is mapped.
    fn word(&self, address: u64) -> Option<u32>;
    /// Guest address of the program's first word, for programs that find constants beside their code.
    fn program(&self) -> u64;
}

/// Values of all expressions of a program at a draw.
#[derive(Clone, Debug, Default)]
pub struct Values {
    values: Vec<u32>,
    /// First address that was read and is not mapped; the words there count as 0.
    pub fault: Option<u64>,
    /// First table with more descriptors than are bound, and how many those are ([`tables::What::most`]); what a program chooses of the
    /// others reads as 0.
    pub crowded: Option<(u64, usize)>,
}

impl Values {
    /// The value of an expression.
    pub fn get(&self, id: ExprId) -> u32 {
        self.values.get(id as usize).copied().unwrap_or(0)
    }

    /// The values of several.
    pub fn all<const N: usize>(&self, ids: [ExprId; N]) -> [u32; N] {
        ids.map(|id| self.get(id))
    }

    /// The 48-bit address of two halves.
    pub fn address(&self, [low, high]: [ExprId; 2]) -> u64 {
        u64::from(self.get(low)) | u64::from(self.get(high) & 0xffff) << 32
    }
}

impl Resources {
    /// Computes every expression, in one pass over them.
    pub fn evaluate(&self, scalars: &dyn Scalars) -> Values {
        let mut out = Values { values: Vec::with_capacity(self.exprs.len()), ..Values::default() };
        // What was found, by address.
        let mut found: Vec<(u64, tables::What, tables::Found)> = Vec::new();
        for expr in &self.exprs {
            let read = |address: u64, fault: &mut Option<u64>| {
                scalars.word(address & !3).unwrap_or_else(|| {
                    fault.get_or_insert(address);
                    0
                })
            };
            let value = match *expr {
                Expr::User(n) => scalars.user(n),
                Expr::Const(value) => value,
                Expr::Program(half) => (scalars.program() >> (32 * u32::from(half & 1))) as u32,
                Expr::Load { base, offset } => {
                    let address = out.address(base).wrapping_add(u64::from(out.get(offset)));
                    read(address, &mut out.fault)
                }
                Expr::LoadBuffer { descriptor, offset } => {
                    let words = out.all(descriptor);
                    let base = u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32;
                    let stride = u64::from(words[1] >> 16 & 0x3fff);
                    let bytes = u64::from(words[2]) * stride.max(1);
                    let at = u64::from(out.get(offset) & !3);
                    if at + 4 <= bytes { read(base.wrapping_add(at), &mut out.fault) } else { 0 }
                }
                Expr::Binary(op, a, b) => op.compute(out.get(a), out.get(b)),
                Expr::Table { base, what, entry, word } => {
                    let address = out.address(base);
                    let known = found.iter().position(|known| (known.0, known.1) == (address, what));
                    let known = known.unwrap_or_else(|| {
                        found.push((address, what, tables::find(scalars, address, what)));
                        found.len() - 1
                    });
                    let table = &found[known].2;
                    if table.more {
                        out.crowded.get_or_insert((address, what.most()));
                    }
                    let entry = table.entries.get(usize::from(entry));
                    entry.and_then(|words| words.get(usize::from(word))).copied().unwrap_or(0)
                }
            };
            out.values.push(value);
        }
        out
    }
}

impl BinaryOp {
    /// What it gives.
    pub fn compute(self, a: u32, b: u32) -> u32 {
        match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Carry => a.overflowing_add(b).1.into(),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::AndNot => a & !b,
            BinaryOp::Shl => a << (b & 31),
            BinaryOp::Shr => a >> (b & 31),
            BinaryOp::Ashr => ((a as i32) >> (b & 31)) as u32,
        }
    }
}

macro_rules! words_struct {
    ($(#[$doc:meta])+ $name:ident { $($(#[$fdoc:meta])+ $field:ident: $ty:ty,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub struct $name { $($(#[$fdoc])+ pub $field: $ty,)+ }
    };
}

words_struct! {
    /// Registers that a translation depends on, as the hardware has them; those that the stage does not have are 0. The
    /// guest zeroes every bit that makes no difference to the program, so that equal code is translated once.
    Registers {
        /// `SPI_SHADER_PGM_RSRC1_xx` or `COMPUTE_PGM_RSRC1`.
        rsrc1: u32,
        /// `SPI_SHADER_PGM_RSRC2_xx` or `COMPUTE_PGM_RSRC2`.
        rsrc2: u32,
        /// Compute: `COMPUTE_NUM_THREAD_X/Y/Z`, full groups.
        num_thread: [u32; 3],
        /// Compute: what is special about the groups, [`groups`]' bits.
        groups: u32,
        /// Pixel: `SPI_PS_INPUT_ENA`.
        ps_input_ena: u32,
        /// Pixel: `SPI_PS_INPUT_ADDR`.
        ps_input_addr: u32,
        /// Pixel: `SPI_PS_IN_CONTROL`.
        ps_in_control: u32,
        /// Pixel: `SPI_BARYC_CNTL`.
        baryc_cntl: u32,
        /// Pixel: `SPI_PS_INPUT_CNTL_n`.
        ps_input_cntl: [u32; 32],
        /// Pixel: `SPI_SHADER_Z_FORMAT`.
        z_format: u32,
        /// Pixel: `SPI_SHADER_COL_FORMAT`.
        col_format: u32,
        /// Pixel: `DB_SHADER_CONTROL`.
        db_shader_control: u32,
        /// Pixel: four bits for each target, what its format wants of the shader ([`TargetKind`]).
        targets: u32,
        /// Vertex: `SPI_VS_OUT_CONFIG`.
        vs_out_config: u32,
        /// Vertex: `SPI_SHADER_POS_FORMAT`.
        pos_format: u32,
        /// Vertex: `PA_CL_VS_OUT_CNTL`.
        vs_out_cntl: u32,
        /// Vertex: what becomes of the position, [`position`]'s bits.
        position: u32,
        /// Geometry and tessellation: `VGT_GS_MODE`, `VGT_SHADER_STAGES_EN`, `VGT_LS_HS_CONFIG`, `VGT_TF_PARAM`.
        vgt: [u32; 4],
        /// Geometry: `VGT_ESGS_RING_ITEMSIZE`, `VGT_GSVS_RING_ITEMSIZE`, how many streams there are (0 is 1),
        /// `VGT_GS_MAX_VERT_OUT`.
        rings: [u32; 4],
        /// `VGT_INSTANCE_STEP_RATE_0/1`.
        step_rates: [u32; 2],
        /// Vertex: 1 where the program runs as a compute shader that stores what stream-out captures, and exports nothing.
        captures: u32,
        /// 1 where the receiver has tables of textures that shaders look into ([`tables`]).
        tables: u32,
        /// Words of private memory that a lane has (`WAVESIZE` of the stage's `TMPRING_SIZE`, times four); 0 where nobody says.
        scratch: u32,
    }
}

/// Bits of [`Registers::groups`].
pub mod groups {
    /// Numbers of groups begin elsewhere than at 0.
    pub const START: u32 = 1;
    /// The last group of an axis has fewer lanes.
    pub const PARTIAL: u32 = 2;
    /// Bits of an axis in [`lanes`].
    pub const LANE_BITS: u32 = 10;

    /// Where the lanes of an axis lie in [`lanes`].
    #[must_use]
    pub const fn lanes_at(axis: u8) -> u32 {
        LANE_BITS * axis as u32
    }

    /// Lanes of the last group of each axis, 1 to 1024, less one, in a word.
    #[must_use]
    pub fn lanes(of: [u32; 3]) -> u32 {
        let one = |axis: u8| (of[usize::from(axis)].wrapping_sub(1) & ((1 << LANE_BITS) - 1)) << lanes_at(axis);
        one(0) | one(1) | one(2)
    }
}

/// Bits of [`Registers::position`].
pub mod position {
    /// The viewport's y scale is positive: clip space y points down.
    pub const Y_DOWN: u32 = 1;
    /// Depth runs from -w to w.
    pub const DEPTH_FROM_MINUS_W: u32 = 2;
    /// x and y are in pixels already (`PA_CL_VTE_CNTL` without scale): the draw's bank has the viewport in register 1,
    /// {2 / width, 2 / height, -x, -y}.
    pub const IN_PIXELS: u32 = 4;
    /// Points are drawn: those whose size the program does not export have the one in the draw's bank, register 0, w.
    pub const POINTS: u32 = 8;
    /// The viewport's x scale is negative: clip space x points left.
    pub const X_LEFT: u32 = 16;
    /// Viewports are not all mirrored alike: of the draw's bank, register 0, bit n of z says that x points the other way in viewport n, and
    /// bit 16 + n that y does.
    pub const MIRRORS: u32 = 32;
}

/// What a colour target wants of the shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TargetKind {
    Float = 0,
    Uint = 1,
    Sint = 2,
}

words_struct! {
    /// What a translation depends on in a buffer's descriptor.
    BufferSpec {
        /// Word 1 of the V#: stride, cache swizzle, swizzle enable. Of the address the lowest two bits, in the place of others: the
        /// buffer that is bound begins with the word that they lie in.
        word1: u32,
        /// Word 3 of the V#: selects, formats, element size, index stride, add-tid. 0 for pointers.
        word3: u32,
    }
}

/// Added to [`ImageSpec::kind`] of a cube that has more than six faces.
pub const CUBE_LAYERS: u32 = 16;

/// Added to [`ImageSpec::format`] of an image whose samplers all say that coordinates are in texels.
pub const IN_TEXELS: u32 = 1 << 24;

/// Added to [`ImageSpec::format`] of a fragment mask.
pub const FRAGMENT_MASK: u32 = 1 << 25;

words_struct! {
    /// What a translation depends on in an image's descriptor.
    ImageSpec {
        /// `TYPE` of the T# (8 to 15). A cube with layers has [`CUBE_LAYERS`] more.
        kind: u32,
        /// `DATA_FORMAT` | `NUM_FORMAT` << 8, of storage images; of others only whether it reads as float, uint or sint
        /// ([`TargetKind`]) << 16, and [`IN_TEXELS`]; `DATA_FORMAT` of fragment masks.
        format: u32,
        /// `DST_SEL_X..W`, 12 bits, of storage images and fragment masks. Of others, whose views have it, bit n: of those of
        /// [`Resources::textures`] that sample it the nth has coordinates in texels, where not all have.
        select: u32,
        /// Compare function of depth samples plus one; 0 without.
        compare: u32,
    }
}

words_struct! {
    /// What a translation depends on in a table.
    TableSpec {
        /// Bit n: it has images of [`ImageSpec::kind`] n that read as floats.
        floats: u32,
        /// As unsigned integers.
        uints: u32,
        /// As signed integers.
        sints: u32,
        /// What its samplers say that code depends on: [`tables::ALL_IN_TEXELS`] and those behind it.
        samplers: u32,
    }
}

/// A program with all that its translation depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// The stage it runs in.
    pub stage: HwStage,
    /// Its code, from the entry to the last instruction that can be reached.
    pub code: Vec<u32>,
    /// The fetch shader's code, or nothing.
    pub fetch: Vec<u32>,
    /// Registers.
    pub registers: Registers,
    /// Of each entry of [`Resources::buffers`].
    pub buffers: Vec<BufferSpec>,
    /// Of each entry of [`Resources::images`].
    pub images: Vec<ImageSpec>,
    /// Of each entry of [`Resources::tables`].
    pub tables: Vec<TableSpec>,
}

/// Indices of [`Registers::vgt`].
pub mod vgt {
    /// `VGT_GS_MODE`, of which [`ON_CHIP`] counts.
    pub const GS_MODE: usize = 0;
    /// `VGT_SHADER_STAGES_EN`.
    pub const STAGES: usize = 1;
    /// `VGT_LS_HS_CONFIG`.
    pub const LS_HS: usize = 2;
    /// `VGT_GS_MODE.ONCHIP` where both rings of a geometry shader lie in the data share.
    pub const ON_CHIP: u32 = 3 << 21;
}

impl Source {
    /// Whether this is a vertex shader's pass that stores what stream-out captures ([`geometry`]).
    #[must_use]
    pub fn captures(&self) -> bool {
        self.stage == HwStage::Vs && self.registers.captures != 0
    }

    /// Whether the program runs for vertices that the tessellator made.
    pub fn is_domain(&self) -> bool {
        let stages = self.registers.vgt[vgt::STAGES];
        match self.stage {
            // VS_EN, or ES_EN, is the domain stage.
            HwStage::Vs => stages >> 6 & 3 == 1,
            HwStage::Es => stages >> 3 & 3 == 1,
            _ => false,
        }
    }

    /// Whether the program runs in tessellation: local, hull and domain programs.
    pub fn tessellates(&self) -> bool {
        matches!(self.stage, HwStage::Ls | HwStage::Hs) || self.is_domain()
    }

    /// Whether the program is an export, geometry or copy shader whose rings lie in the data share.
    pub fn is_on_chip(&self) -> bool {
        let is_stage = matches!(self.stage, HwStage::Es | HwStage::Gs | HwStage::Vs);
        is_stage && self.registers.vgt[vgt::GS_MODE] & vgt::ON_CHIP == vgt::ON_CHIP
    }

    /// Whether the program's data share is also that of other stages, and so lies in memory ([`BufferAt::SharedMemory`]).
    pub fn shares_memory(&self) -> bool {
        self.tessellates() || self.is_on_chip()
    }
}

impl fmt::Display for HwStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_follow_loads_through_memory() {
        struct World;
        impl Scalars for World {
            fn user(&self, n: u8) -> u32 {
                [0x1000, 0x2][usize::from(n)]
            }
            fn word(&self, address: u64) -> Option<u32> {
                (address == 0x2_0000_1008).then_some(77)
            }
            fn program(&self) -> u64 {
                0
            }
        }
        let exprs = vec![
            Expr::User(0),
            Expr::User(1),
            Expr::Const(8),
            Expr::Load { base: [0, 1], offset: 2 },
            Expr::Binary(BinaryOp::Add, 3, 2),
            Expr::Load { base: [0, 1], offset: 4 },
        ];
        let resources = Resources { exprs, ..Resources::default() };
        let values = resources.evaluate(&World);
        assert_eq!((values.get(3), values.get(4), values.get(5)), (77, 85, 0));
        assert_eq!(values.fault, Some(0x2_0000_1055));
    }
}
