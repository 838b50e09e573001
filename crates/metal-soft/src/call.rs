//! Calls of compiled functions: the structures that `cpp/run.h` has, too, and what shaders ask of the host meanwhile.

use std::ffi::c_void;
use std::sync::Arc;

use crate::memory::{MOST_LANES, Memory, STACK, Turn};

/// Words that a lane is given: attributes, or what vertices gave.
pub(crate) const IN: usize = 32;
/// Words that a lane gives: varyings, or colours with the second source at 8.
pub(crate) const OUT: usize = 36;

/// Memory that shaders may reach.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Range {
    begin: u64,
    end: u64,
    writable: u64,
}

/// A lookup of a texture.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Lookup {
    pub(crate) texture: u32,
    /// Of the table, or all bits for `state`.
    pub(crate) sampler: u32,
    pub(crate) state: u64,
    /// 0 a level, 1 by gradients, 2 gathers.
    pub(crate) kind: u32,
    pub(crate) compares: u32,
    pub(crate) component: u32,
    pub(crate) layer: u32,
    pub(crate) offset: [i32; 3],
    pub(crate) coord: [f32; 3],
    pub(crate) dx: [f32; 3],
    pub(crate) dy: [f32; 3],
    /// Of the quad, which the level of detail comes of.
    pub(crate) quad_dx: [f32; 3],
    pub(crate) quad_dy: [f32; 3],
    /// Level, or bias.
    pub(crate) lod: f32,
    pub(crate) least: f32,
    pub(crate) reference: f32,
}

/// A texel.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Texel {
    pub(crate) texture: u32,
    pub(crate) at: [u32; 3],
    pub(crate) layer: u32,
    pub(crate) level: u32,
    pub(crate) sample: u32,
    /// 0 writes, 1 changes atomically.
    pub(crate) operation: u32,
    pub(crate) value: [u32; 4],
}

/// What an invocation has and gives.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Lane {
    pub(crate) position: [f32; 4],
    pub(crate) clip: [f32; 8],
    pub(crate) point_size: f32,
    pub(crate) point_coord: [f32; 2],
    pub(crate) depth: f32,
    pub(crate) vertex_id: u32,
    pub(crate) instance_id: u32,
    pub(crate) base_vertex: u32,
    pub(crate) base_instance: u32,
    pub(crate) primitive_id: u32,
    pub(crate) sample_id: u32,
    pub(crate) sample_mask_in: u32,
    pub(crate) front_facing: u32,
    pub(crate) stencil: u32,
    pub(crate) sample_mask: u32,
    pub(crate) layer: u32,
    pub(crate) viewport: u32,
    /// No pixel of the primitive, or thrown away.
    pub(crate) helper: u32,
    /// It was ended.
    pub(crate) killed: u32,
    pub(crate) local: [u32; 3],
    pub(crate) padding: u32,
    pub(crate) color_in: [[u32; 4]; 8],
    pub(crate) input: [[u32; 4]; IN],
    pub(crate) output: [[u32; 4]; OUT],
}

impl Lane {
    pub(crate) const ZERO: Self = Self {
        position: [0.0; 4],
        clip: [0.0; 8],
        point_size: 1.0,
        point_coord: [0.0; 2],
        depth: 0.0,
        vertex_id: 0,
        instance_id: 0,
        base_vertex: 0,
        base_instance: 0,
        primitive_id: 0,
        sample_id: 0,
        sample_mask_in: !0,
        front_facing: 0,
        stencil: 0,
        sample_mask: !0,
        layer: 0,
        viewport: 0,
        helper: 0,
        killed: 0,
        local: [0; 3],
        padding: 0,
        color_in: [[0; 4]; 8],
        input: [[0; 4]; IN],
        output: [[0; 4]; OUT],
    };
}

/// What a run reads and writes.
#[repr(C)]
struct Run {
    user: *const c_void,
    sample: unsafe extern "C" fn(*const c_void, *const Lookup, *mut [u32; 4]),
    read: unsafe extern "C" fn(*const c_void, *mut Texel),
    write: unsafe extern "C" fn(*const c_void, *mut Texel),
    query: unsafe extern "C" fn(*const c_void, u32, u32, u32) -> u32,
    buffers: [u64; 31],
    ranges: *const Range,
    range_count: u64,
    lanes: *mut Lane,
    stacks: *mut u8,
    stack_size: u64,
    steps: u64,
    group_size: [u32; 3],
    group_id: [u32; 3],
    group_count: [u32; 3],
    /// Whether the lanes are those of a quad.
    quad: u32,
    fault: u32,
    fault_address: u64,
    fault_size: u64,
}

/// What shaders ask of textures.
pub(crate) trait Host {
    /// A lookup with a sampler.
    fn sample(&self, lookup: &Lookup) -> [u32; 4];
    /// A texel.
    fn read(&self, texel: &Texel) -> [u32; 4];
    /// Writes a texel, or changes it; the value that was there.
    fn write(&self, texel: &Texel) -> [u32; 4];
    /// 0 width, 1 height, 2 depth, 3 layers, 4 levels, 5 samples.
    fn query(&self, texture: u32, what: u32, level: u32) -> u32;
}

/// The host as the other side has it: a pointer to a pointer with a table.
struct User<'a>(&'a dyn Host);

unsafe extern "C" fn sample(user: *const c_void, lookup: *const Lookup, texel: *mut [u32; 4]) {
    // SAFETY: these are what `Call::run` gave to the function, and variables on the stack of the shader's lane.
    let (user, lookup, texel) = unsafe { (&*user.cast::<User<'_>>(), &*lookup, &mut *texel) };
    *texel = user.0.sample(lookup);
}

unsafe extern "C" fn read(user: *const c_void, texel: *mut Texel) {
    // SAFETY: as above.
    let (user, texel) = unsafe { (&*user.cast::<User<'_>>(), &mut *texel) };
    texel.value = user.0.read(texel);
}

unsafe extern "C" fn write(user: *const c_void, texel: *mut Texel) {
    // SAFETY: as above.
    let (user, texel) = unsafe { (&*user.cast::<User<'_>>(), &mut *texel) };
    texel.value = user.0.write(texel);
}

unsafe extern "C" fn query(user: *const c_void, texture: u32, what: u32, level: u32) -> u32 {
    // SAFETY: as above.
    let user = unsafe { &*user.cast::<User<'_>>() };
    user.0.query(texture, what, level)
}

/// Sizes of the structures, as the other side must have them.
const SIZES: [u32; 2] = [size_of::<Lane>() as u32, size_of::<Run>() as u32];

/// `soft_run` of a library.
type Entry = unsafe extern "C" fn(*mut c_void, u32, u32);

/// What a function is called with, apart from its lanes.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    /// Addresses of buffers.
    buffers: [u64; 31],
    /// What may be reached.
    ranges: Vec<Range>,
    /// So that it stays.
    _kept: Vec<Arc<Memory>>,
}

impl Bound {
    /// Binds a buffer of the table, from an offset on.
    pub(crate) fn bind(&mut self, index: u32, buffer: &Arc<Memory>, offset: u64, writable: bool) {
        if let Some(at) = self.buffers.get_mut(index as usize) {
            *at = buffer.address() + offset.min(buffer.length());
        }
        self.reach(buffer, writable);
    }

    /// Lets shaders reach a buffer.
    pub(crate) fn reach(&mut self, buffer: &Arc<Memory>, writable: bool) {
        let begin = buffer.address();
        self.ranges.push(Range { begin, end: begin + buffer.length(), writable: u64::from(writable) });
        self._kept.push(Arc::clone(buffer));
    }
}

/// Lanes of a simdgroup, as on Apple's GPUs.
const SIMD: u32 = 32;

/// What lanes are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// They have nothing to do with each other.
    Vertices,
    /// Two by two pixels.
    Quad,
    /// A threadgroup, in simdgroups.
    Threads,
}

/// The threadgroup that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    pub(crate) size: [u32; 3],
    pub(crate) id: [u32; 3],
    pub(crate) count: [u32; 3],
}

/// Why lanes were ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stopped {
    #[error("reads {size} bytes at {address:#x}, where nothing is bound or resident")]
    Read { address: u64, size: u64 },
    #[error("writes {size} bytes at {address:#x}, where nothing that may be written is bound or resident")]
    Write { address: u64, size: u64 },
    #[error("does not end: timeout")]
    Endless,
    #[error("has a barrier that not all threads of a threadgroup reach")]
    Barrier,
    #[error("has no stack: out of memory")]
    Memory,
}

/// Runs a function in so many lanes, at most [`MOST_LANES`]; `steps` are the blocks that
/// may run; what is left of them is there afterwards.
///
/// # Errors
/// Why lanes were ended: the first reason.
#[expect(clippy::too_many_arguments, reason = "what a call of a shader has")]
pub(crate) fn run(
    of: &Loaded,
    turn: &Turn,
    bound: &Bound,
    host: &dyn Host,
    group: Group,
    lanes: &mut [Lane],
    lanes_are: Lanes,
    steps: &mut u64,
) -> Result<(), Stopped> {
    let (exchanging, quad) = match lanes_are {
        Lanes::Vertices => (1, false),
        Lanes::Quad => (4, true),
        Lanes::Threads => (SIMD, false),
    };
    let stacks = turn.stacks().ok_or(Stopped::Memory)?;
    let user = User(host);
    let count = lanes.len().min(MOST_LANES) as u32;
    let mut run = Run {
        user: std::ptr::from_ref(&user).cast(),
        sample,
        read,
        write,
        query,
        buffers: bound.buffers,
        ranges: bound.ranges.as_ptr(),
        range_count: bound.ranges.len() as u64,
        lanes: lanes.as_mut_ptr(),
        stacks,
        stack_size: STACK as u64,
        steps: *steps,
        group_size: group.size,
        group_id: group.id,
        group_count: group.count,
        quad: u32::from(quad),
        fault: 0,
        fault_address: 0,
        fault_size: 0,
    };
    // SAFETY: the library was made of `cpp/run.h`, whose structures have the sizes of ours (`load`). What the structure points to lives until
    // the call returns, lanes and stacks are as many as it is told, and it has the turn. What the function itself reaches is looked at by
    // the code that clang adds to it, and must be in a range: memory of buffers that `bound` keeps.
    unsafe { (of.entry)(std::ptr::from_mut(&mut run).cast(), count, exchanging) };
    *steps = run.steps;
    let (address, size) = (run.fault_address, run.fault_size);
    match run.fault {
        0 => Ok(()),
        1 => Err(Stopped::Read { address, size }),
        2 => Err(Stopped::Write { address, size }),
        3 => Err(Stopped::Endless),
        _ => Err(Stopped::Barrier),
    }
}

/// What is in a library, and where [`run`] finds it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// `soft_run`; the library stays.
    entry: Entry,
    /// Bytes and alignment of what each buffer argument is.
    pub(crate) pointees: Vec<[u32; 2]>,
    _library: libloading::Library,
}

/// Loads a library that was made of `cpp/run.h`.
pub(crate) fn load(path: &std::path::Path, buffers: usize) -> Result<Loaded, String> {
    // SAFETY: it was just compiled from our own headers and the text of a shader; what runs when it is loaded are beginnings of variables.
    let library = unsafe { libloading::Library::new(path) }.map_err(|e| e.to_string())?;
    // SAFETY: `cpp/run.h` declares the function with this type.
    let entry = *unsafe { library.get::<Entry>(b"soft_run\0") }.map_err(|e| e.to_string())?;
    // SAFETY: `text/wrap.rs` writes so many words.
    let sizes = unsafe { library.get::<*const u32>(b"soft_sizes\0") }.map_err(|e| e.to_string())?;
    // The symbol's address is that of the array.
    let at = *sizes;
    // SAFETY: as above; the array is constant, and stays as long as the library.
    let words = unsafe { std::slice::from_raw_parts(at, buffers * 2 + 2) };
    let (pointees, sizes) = words.split_at(buffers * 2);
    if sizes != SIZES {
        return Err(format!("the structures of the runner have {sizes:?} bytes, not {SIZES:?}"));
    }
    let pointees = pointees.as_chunks().0.to_vec();
    Ok(Loaded { entry, pointees, _library: library })
}
