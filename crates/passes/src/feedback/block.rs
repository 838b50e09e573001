//! What a lowered shader has to be told: the system values, as blocks in device memory. All are little-endian and laid out in
//! registers of 16 bytes, so that shaders read them as constant banks and C programs as structs (`include/afterimage_feedback.h`).

use super::table::{Provoking, Row};
use bytemuck::{Pod, Zeroable};

/// Buffers that feedback may have.
pub const BUFFERS: usize = 4;
/// Streams of vertices that a geometry shader may have; a vertex shader has the first alone.
pub const STREAMS: usize = 4;
/// Vertex buffers that a lowered shader may read.
pub const VERTEX_BUFFERS: usize = 32;
/// Lanes of a work group of every lowered shader.
pub const GROUP: u32 = 64;
/// Most work groups of a dispatch in x; further ones are rows in y.
pub const MOST_GROUPS: u32 = 65_535;

/// A field of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Type as Rust spells it.
    pub ty: &'static str,
    /// Bytes from the start of the block.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// What it means, in the words of its documentation.
    pub about: &'static str,
}

/// A block as a table: headers, listings and documentation derive from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Bytes.
    pub size: usize,
    /// Fields in their order.
    pub fields: &'static [Field],
}

/// Declares a block once: the struct, and the table of its fields.
macro_rules! block {
    ($(#[doc = $about:literal])* $name:ident, $table:ident {
        $($(#[doc = $meaning:literal])* $field:ident: $ty:ty,)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            $($(#[doc = $meaning])* pub $field: $ty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::zeroed()
            }
        }

        #[doc = concat!("The fields of [`", stringify!($name), "`].")]
        pub const $table: Block = Block {
            name: stringify!($name),
            about: concat!($($about),*),
            size: size_of::<$name>(),
            fields: &[$(Field {
                name: stringify!($field),
                ty: stringify!($ty),
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$ty>(),
                about: concat!($($meaning),*),
            }),*],
        };
    };
}

block! {
    /// Where a draw's captured vertices of one buffer go.
    Target, TARGET {
        /// Device address of the first byte that this draw may write: the bound range's start, and what was captured before.
        address: u64,
        /// Zero.
        pad: u64,
    }
}

block! {
    /// A vertex buffer that a lowered shader reads its attributes from.
    VertexBuffer, VERTEX_BUFFER {
        /// Device address of the first vertex. Attributes must come to lie as Vulkan has it: at multiples of their components' bytes,
        /// at most 4.
        address: u64,
        /// Bytes from vertex to vertex.
        stride: u32,
        /// Bytes that may be read from `address`; with 0 it is not looked at. What is read of the last word is up to 3 bytes more.
        /// Attributes that are not wholly inside are made of zeros.
        bytes: u32,
    }
}

block! {
    /// System values of one draw: bank `feedback` of lowered shaders.
    Draw, DRAW {
        /// [`Row::words`] of the topology.
        row: [u32; 4],
        /// Primitives of all instances that are captured: those for which every buffer has room.
        captured: u32,
        /// Primitives of an instance.
        primitives: u32,
        /// Bytes of an index: 1, 2 or 4; 0 for a draw without indices.
        index_bytes: u32,
        /// First vertex, or what is added to every index.
        first: u32,
        /// First instance.
        first_instance: u32,
        /// Vertices, or indices, of an instance.
        vertices: u32,
        /// Device address of the draw's first index, a multiple of the bytes of an index. Other than for vertices every index of the
        /// draw must be there, and what fills the last word.
        indices: u64,
        /// Device address of the list that `prepare` made of indices with restarts among them, or 0 (as without indices): for each primitive of an
        /// instance the position of its run's first index, and its number in the run.
        list: u64,
        /// Device address of a [`Request`], of which a lowered geometry shader reads where the buffers and the counters are. Nothing fills
        /// it in, and other shaders do not look at it.
        request: u64,
        /// Buffers, by number.
        targets: [Target; BUFFERS],
        /// Vertex buffers, by slot.
        vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    }
}

block! {
    /// How far feedback has come, in device memory: it begins as zeros, and everything that draws add is added there.
    Counters, COUNTERS {
        /// Bytes captured into each buffer, from the start of its bound range.
        bytes: [u32; BUFFERS],
        /// Primitives of each stream that there were.
        needed: [u64; STREAMS],
        /// Primitives of each stream that were captured.
        written: [u64; STREAMS],
    }
}

/// What [`Request::kind`] says about where a draw's parameters are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum DrawKind {
    /// In the request.
    Direct = 0,
    /// At [`Request::arguments`]: `VkDrawIndirectCommand`, or `VkDrawIndexedIndirectCommand` where there are indices.
    Indirect = 1,
    /// At [`Request::arguments`]: bytes that feedback has written; the vertices are those less [`Request::counter_offset`] (at least
    /// none), divided by [`Request::counter_stride`].
    ByteCount = 2,
}

block! {
    /// What the `prepare` shader is asked: bank `feedback` of that shader. It fills a [`Draw`], all but its vertex buffers; adds to
    /// [`Counters`]; and writes the work groups of the dispatch that captures.
    Request, REQUEST {
        /// [`Row::words`] of the topology.
        row: [u32; 4],
        /// [`DrawKind`]: 0 where the draw's parameters are here, 1 where they are in memory, 2 where feedback's bytes say how many vertices.
        kind: u32,
        /// First vertex, or the first index.
        first: u32,
        /// Vertices, or indices.
        count: u32,
        /// Added to every index.
        vertex_offset: u32,
        /// Instances.
        instances: u32,
        /// First instance.
        first_instance: u32,
        /// With [`DrawKind::ByteCount`], what is taken off the bytes.
        counter_offset: u32,
        /// With [`DrawKind::ByteCount`], bytes of a vertex; none are drawn with 0.
        counter_stride: u32,
        /// Device address, a multiple of 4, of what [`Request::kind`] says: `VkDrawIndirectCommand` or `VkDrawIndexedIndirectCommand`, or the
        /// 32-bit number of bytes.
        arguments: u64,
        /// Device address of the index buffer's first index.
        indices: u64,
        /// Bytes that may be read from there.
        index_size: u32,
        /// Bytes of an index: 1, 2 or 4; 0 for a draw without indices.
        index_bytes: u32,
        /// 1 where the greatest index begins a new run.
        restart: u32,
        /// Entries that [`Request::list`] has room for: as many as the index buffer has indices is always enough.
        list_room: u32,
        /// Device address of room for the list of primitives, 8 bytes each: needed with `restart` alone.
        list: u64,
        /// Device address of the feedback's [`Counters`].
        counters: u64,
        /// Device address of the [`Draw`] to fill.
        draw: u64,
        /// Device address of three words: the work groups of the dispatch.
        groups: u64,
        /// Device addresses of the bound ranges' starts; 0 for none.
        buffers: [u64; BUFFERS],
        /// Bytes of the bound ranges.
        sizes: [u32; BUFFERS],
        /// Bytes of a captured vertex in each buffer; 0 for a buffer that the shader does not write.
        strides: [u32; BUFFERS],
    }
}

/// Every block, each behind those that it holds.
pub const BLOCKS: [Block; 5] = [TARGET, VERTEX_BUFFER, DRAW, COUNTERS, REQUEST];

const _: () = assert!(size_of::<Draw>() == 16 * (8 + VERTEX_BUFFERS) && size_of::<Counters>() == 80);
const _: () = assert!(size_of::<Request>() == 16 * 11);

impl Draw {
    /// Of a topology, with nothing to draw.
    pub fn new(row: &Row, provoking: Provoking) -> Self {
        Self { row: row.words(provoking), ..Self::zeroed() }
    }
}
