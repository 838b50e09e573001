//! What crosses the border to C: constants and structs, as `include/afterimage_gnm.h` has them. A test compares the two.

use std::ffi::{c_char, c_void};

/// A field of a struct, for the header's test.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// First byte.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

/// A struct, for the header's test.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// Name without `AfterimageGnm`.
    pub name: &'static str,
    /// Bytes.
    pub size: usize,
    /// Its fields.
    pub fields: &'static [Field],
}

macro_rules! structs {
    ($( $(#[doc = $about:literal])* $name:ident { $($(#[doc = $meaning:literal])* $field:ident: $ty:ty,)* } )*) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Copy, Debug)]
            #[repr(C)]
            pub struct $name { $($(#[doc = $meaning])* pub $field: $ty,)* }
        )*

        /// Every struct of the header.
        pub const STRUCTS: &[Struct] = &[$(Struct {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: &[$(Field {
                name: stringify!($field),
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$ty>(),
            }),*],
        }),*];
    };
}

macro_rules! constants {
    ($($(#[doc = $about:literal])* $name:ident = $value:expr;)*) => {
        $($(#[doc = $about])* pub const $name: u32 = $value;)*

        /// Every constant of the header: name without `AFTERIMAGE_GNM_`, and value.
        pub const CONSTANTS: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

constants! {
    /// Version of the header.
    VERSION = 1;
    /// Result: done.
    OK = 0;
    /// Result: an argument is wrong.
    ARGUMENT = 1;
    /// Result: the header is of another version than the library.
    VERSION_MISMATCH = 2;
    /// Result: no such processor, or not any more.
    GONE = 3;
    /// Result: the processor belongs to another thread.
    THREAD = 4;
    /// Result: a callback called what runs it.
    REENTERED = 5;
    /// Result: there is no device, or it lacks what was asked for.
    DEVICE = 6;
    /// Result: the machine refuses it.
    REFUSED = 7;
    /// Result: memory is not mapped.
    UNMAPPED = 8;
    /// Result: there is nothing new.
    NOTHING = 9;
    /// Result: a bug of Afterimage.
    BUG = 10;
    /// How a run stopped: everything is done.
    IDLE = 0;
    /// How a run stopped: some queue waits for memory.
    WAITING = 1;
    /// What is told: something could not be done.
    FAULT = 0;
    /// What is told: what a queue waits for.
    WAIT = 1;
    /// Encoding: the hardware's packets.
    PM4 = 0;
    /// Encoding: private packets that carry calls.
    PRIVATE = 1;
    /// Scanout: none.
    SCANOUT_NONE = 0;
    /// Scanout: opaque file descriptors.
    SCANOUT_OPAQUE_FD = 1;
    /// Scanout: dma-bufs.
    SCANOUT_DMA_BUF = 2;
    /// Queue: the graphics ring.
    GRAPHICS = 0;
    /// Queue: the graphics ring's constant engine.
    CONSTANT = 0x100;
}

/// Reads memory; not 0 where all of it is mapped.
pub type Read = unsafe extern "C" fn(user: *mut c_void, address: u64, out: *mut c_void, size: usize) -> i32;
/// Writes memory; not 0 where all of it is mapped.
pub type Write = unsafe extern "C" fn(user: *mut c_void, address: u64, bytes: *const c_void, size: usize) -> i32;
/// Gives the mapped range that an address is in, or the first behind it; 0 where there is none.
pub type NextRange = unsafe extern "C" fn(user: *mut c_void, address: u64, range: *mut Range) -> i32;
/// Gives the newest generation of a range's pages.
pub type Generation = unsafe extern "C" fn(user: *mut c_void, address: u64, size: u64) -> u64;
/// A flip that came with the commands.
pub type Flipped = unsafe extern "C" fn(user: *mut c_void, flip: *const Flip);
/// An interrupt of a queue.
pub type Interrupted = unsafe extern "C" fn(user: *mut c_void, queue: u32);
/// Something is told.
pub type Told = unsafe extern "C" fn(user: *mut c_void, what: u32, text: *const c_char);

structs! {
    /// A range of memory: first byte, and the byte behind the last.
    Range {
        /// First byte.
        start: u64,
        /// Behind the last.
        end: u64,
    }

    /// A flip that came with the commands.
    Flip {
        /// Handle of the video output.
        handle: u32,
        /// Index of the buffer.
        buffer: u32,
        /// When.
        mode: u32,
        /// Zero.
        pad: u32,
        /// What the program wants to hear again.
        argument: u64,
    }

    /// A buffer that the display can show.
    Display {
        /// Guest address of its first byte.
        address: u64,
        /// Columns.
        width: u32,
        /// Lines.
        height: u32,
        /// Pixels from one line to the next.
        pitch: u32,
        /// Data format, as of T# descriptors.
        format: u32,
        /// Not 0: blue comes first in memory.
        blue_first: u32,
        /// Index in the table of tile modes.
        tile_mode: u32,
    }

    /// How a processor is made.
    Options {
        /// Bytes of this struct.
        size: usize,
        /// Given to every callback.
        user: *mut c_void,
        /// Reads memory.
        read: Option<Read>,
        /// Writes memory.
        write: Option<Write>,
        /// Says what is mapped.
        next_range: Option<NextRange>,
        /// Says when pages were written.
        generation: Option<Generation>,
        /// Is told of flips.
        flipped: Option<Flipped>,
        /// Is told of interrupts.
        interrupted: Option<Interrupted>,
        /// Is told of faults and waits.
        told: Option<Told>,
        /// The program's name.
        name: *const c_char,
        /// Kind of scanout.
        scanout: u32,
        /// What calls of the library become.
        encoding: u32,
    }

    /// A picture in an image of the device's memory.
    Scanout {
        /// Its memory.
        fd: i32,
        /// What kind of descriptor.
        kind: u32,
        /// Number of the image.
        image: u64,
        /// Number of the frame.
        frame: u64,
        /// Columns.
        width: u32,
        /// Lines.
        height: u32,
        /// `VkFormat`.
        format: u32,
        /// `VkImageUsageFlags`.
        usage: u32,
        /// Bytes of the memory.
        bytes: u64,
        /// Index of its type.
        memory_type: u32,
        /// Zero.
        pad: u32,
        /// Of a dma-buf, first byte of the image.
        offset: u64,
        /// Of a dma-buf, bytes from line to line.
        pitch: u64,
        /// `deviceUUID`.
        device_uuid: [u8; 16],
        /// `driverUUID`.
        driver_uuid: [u8; 16],
    }
}
