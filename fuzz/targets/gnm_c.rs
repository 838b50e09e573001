//! The C interface, `include/afterimage_gnm.h`, called in any order with wrong arguments: processors that are there, gone, or never were;
//! pointers that are NULL or not aligned; sizes, addresses and numbers of all kinds; callbacks that refuse, and that call back; another
//! thread. Every call gives a code that the header has, and a message where it fails.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_gnm_c::types::{
    BUG, CONSTANTS, Display, OK, Options, REENTERED, Range, SCANOUT_DMA_BUF, SCANOUT_NONE, Scanout, VERSION,
};
use afterimage_gnm_c::*;
use afterimage_gnm_types::packets::{Header, PACKETS};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

/// Where memory begins.
const MEMORY: u64 = 0x10_0000_0000;
/// How much there is.
const BYTES: usize = 1 << 20;
/// Inputs after which there are new processors: each opens a device.
const RENEW_EVERY: u32 = 64;

/// What callbacks find: the embedder's memory, and how they behave.
struct Embedder {
    memory: RefCell<Vec<u8>>,
    generation: Cell<u64>,
    /// Bits of what goes wrong, one for each call.
    refuses: Cell<u64>,
    /// The processor that is called back.
    own: Cell<*mut Gnm>,
    /// Whether a call back was told of.
    reentered: Cell<bool>,
}

impl Embedder {
    fn refuses(&self) -> bool {
        let bits = self.refuses.get();
        self.refuses.set(bits.rotate_right(1));
        if bits & 2 != 0 && !self.own.get().is_null() {
            let code = afterimage_gnm_skip_waits(self.own.get());
            self.reentered.set(self.reentered.get() | (code == REENTERED));
            assert_ne!(code, OK, "a callback calls nothing");
        }
        bits & 1 != 0
    }

    fn part(&self, address: u64, size: usize) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address.checked_sub(MEMORY)?).ok()?;
        (start.checked_add(size)? <= BYTES).then_some(start..start + size)
    }
}

/// What is behind `user`.
///
/// # Safety
/// It is an [`Embedder`].
unsafe fn embedder<'a>(user: *mut c_void) -> &'a Embedder {
    // SAFETY: as above.
    unsafe { &*user.cast::<Embedder>() }
}

unsafe extern "C" fn read(user: *mut c_void, address: u64, out: *mut c_void, size: usize) -> i32 {
    // SAFETY: the user is ours, and the library has room for so many bytes.
    unsafe {
        let embedder = embedder(user);
        let Some(part) = embedder.part(address, size).filter(|_| !embedder.refuses()) else { return 0 };
        embedder.memory.borrow()[part].as_ptr().cast::<c_void>().copy_to(out, size);
    }
    1
}

unsafe extern "C" fn write(user: *mut c_void, address: u64, bytes: *const c_void, size: usize) -> i32 {
    // SAFETY: as above.
    unsafe {
        let embedder = embedder(user);
        let Some(part) = embedder.part(address, size).filter(|_| !embedder.refuses()) else { return 0 };
        embedder.generation.set(embedder.generation.get() + 1);
        bytes.copy_to(embedder.memory.borrow_mut()[part].as_mut_ptr().cast::<c_void>(), size);
    }
    1
}

unsafe extern "C" fn next_range(user: *mut c_void, address: u64, range: *mut Range) -> i32 {
    // SAFETY: as above.
    unsafe {
        let wrong = embedder(user).refuses();
        let end = MEMORY + BYTES as u64;
        // Ranges that are none, too.
        *range = if wrong { Range { start: end, end: MEMORY } } else { Range { start: MEMORY, end } };
        i32::from(address < end)
    }
}

unsafe extern "C" fn generation(user: *mut c_void, _: u64, _: u64) -> u64 {
    // SAFETY: as above.
    let embedder = unsafe { embedder(user) };
    if embedder.refuses() { 0 } else { embedder.generation.get() }
}

unsafe extern "C" fn told(user: *mut c_void, what: u32, text: *const c_char) {
    // SAFETY: as above; the text is one.
    unsafe {
        embedder(user).refuses();
        assert!(what < 2 && !CStr::from_ptr(text).is_empty());
    }
}

unsafe extern "C" fn interrupted(user: *mut c_void, _: u32) {
    // SAFETY: as above.
    unsafe { embedder(user) }.refuses();
}

/// Two processors, one on memory of ours, and one that is gone.
struct Host {
    embedder: Box<Embedder>,
    ours: *mut Gnm,
    theirs: *mut Gnm,
    gone: *mut Gnm,
    inputs: u32,
}

fn options(embedder: Option<&Embedder>) -> Options {
    let user = embedder.map_or(null_mut(), |embedder| std::ptr::from_ref(embedder).cast_mut().cast());
    let has = embedder.is_some();
    Options {
        size: size_of::<Options>(),
        user,
        read: has.then_some(read as _),
        write: has.then_some(write as _),
        next_range: has.then_some(next_range as _),
        generation: has.then_some(generation as _),
        flipped: None,
        interrupted: has.then_some(interrupted as _),
        told: has.then_some(told as _),
        name: c"fuzz".as_ptr(),
        scanout: SCANOUT_NONE,
        encoding: 0,
    }
}

fn create(options: &Options) -> *mut Gnm {
    let mut gnm = null_mut();
    // SAFETY: options and room are there.
    let code = unsafe { afterimage_gnm_create(VERSION, options, &mut gnm) };
    assert_eq!(code, OK, "{}", message());
    gnm
}

fn message() -> String {
    // SAFETY: it is never NULL, and a text.
    unsafe { CStr::from_ptr(afterimage_gnm_message()) }.to_string_lossy().into_owned()
}

impl Host {
    fn new() -> Self {
        let embedder = Box::new(Embedder {
            memory: RefCell::new(vec![0; BYTES]),
            generation: Cell::new(1),
            refuses: Cell::new(0),
            own: Cell::new(null_mut()),
            reentered: Cell::new(false),
        });
        let (ours, theirs) = (create(&options(Some(&embedder))), create(&options(None)));
        assert_eq!(afterimage_gnm_map(theirs, MEMORY, BYTES as u64), OK);
        embedder.own.set(ours);
        let gone = create(&options(None));
        assert_eq!(afterimage_gnm_destroy(gone), OK);
        Self { embedder, ours, theirs, gone, inputs: 0 }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.embedder.refuses.set(0);
        for gnm in [self.ours, self.theirs] {
            afterimage_gnm_destroy(gnm);
        }
    }
}

/// A processor, or what is none.
fn any(host: &Host, input: &mut Input<'_>) -> *mut Gnm {
    match input.byte() % 8 {
        0..3 => host.ours,
        3..6 => host.theirs,
        6 => [null_mut(), host.gone][usize::from(input.byte() & 1)],
        _ => input.value::<u64>() as usize as *mut Gnm,
    }
}

/// An address in memory, near its ends, or anywhere.
fn address(input: &mut Input<'_>) -> u64 {
    let at = input.value::<u64>();
    match input.byte() % 6 {
        0..3 => MEMORY + at % BYTES as u64 / 256 * 256,
        3 => MEMORY + at % BYTES as u64,
        4 => MEMORY + BYTES as u64 - at % 64,
        _ => at,
    }
}

fn count(input: &mut Input<'_>) -> u64 {
    match input.byte() % 5 {
        0..4 => u64::from(input.value::<u16>() & 0xFFFC),
        _ => input.value(),
    }
}

fn display(input: &mut Input<'_>) -> Display {
    let side = |input: &mut Input<'_>| if input.byte() % 8 == 0 { input.value() } else { u32::from(input.byte() % 65) };
    Display {
        address: address(input),
        width: side(input),
        height: side(input),
        pitch: side(input),
        format: if input.byte() & 1 == 0 { 10 } else { input.byte().into() },
        blue_first: input.byte().into(),
        tile_mode: if input.byte() & 1 == 0 { 8 } else { u32::from(input.byte()) % 33 },
    }
}

/// Packets that there are, with anything in them.
fn commands(input: &mut Input<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    for _ in 0..input.byte() % 12 {
        let packet = &PACKETS[usize::from(input.byte()) % PACKETS.len()];
        let body: Vec<u32> = (0..1 + input.byte() % 8)
            .map(|_| match input.byte() % 3 {
                0 => input.byte().into(),
                1 => (address(input) >> if input.byte() & 1 == 0 { 0 } else { 8 }) as u32,
                _ => input.value(),
            })
            .collect();
        words.push(Header::packet(packet.opcode, body.len() as u32));
        words.extend(body);
    }
    words
}

/// One call.
fn call(host: &mut Host, input: &mut Input<'_>, bytes: &mut [u64]) -> u32 {
    let which = input.byte() % 30;
    let gnm = any(host, input);
    let queue = |input: &mut Input<'_>| {
        let wild = input.byte() % 8 == 0;
        if wild { (input.value(), input.value()) } else { (u32::from(input.byte()) % 8, u32::from(input.byte()) % 9) }
    };
    let room = bytes.len() * 8;
    // NULL, not aligned, or as it should be; with a size that is there.
    let place = bytes.as_mut_ptr().cast::<u8>();
    let (pointer, size) = match input.byte() % 6 {
        0 => (null_mut(), input.value::<u16>().into()),
        1 => (place.wrapping_add(1), usize::from(input.value::<u16>()) % room),
        2 => (place, usize::MAX - usize::from(input.byte())),
        _ => (place, usize::from(input.value::<u16>()) % (room + 1)),
    };
    // What is beyond the room is refused before it is touched.
    let fits = size <= room;
    let pointer = if fits || pointer.is_null() { pointer } else { null_mut() };
    let of = display(input);
    let of = if input.byte() % 16 == 0 { null() } else { std::ptr::from_ref(&of) };
    let (at, bytes_of) = (address(input), count(input));
    // SAFETY: pointers are NULL or have room for what the call is told.
    unsafe {
        match which {
            0 => afterimage_gnm_write(gnm, at, pointer, size),
            1 => afterimage_gnm_read(gnm, at, pointer, size),
            2 => afterimage_gnm_write_back(gnm, at, bytes_of),
            3 => afterimage_gnm_cpu_wrote(gnm, at, bytes_of),
            4..8 => {
                let words = commands(input);
                afterimage_gnm_write(gnm, at, words.as_ptr().cast(), words.len() * 4);
                afterimage_gnm_submit(gnm, at, words.len() as u64 * 4, address(input), count(input) % 64)
            }
            8 => {
                let (pipe, queue) = queue(input);
                afterimage_gnm_submit_compute(gnm, pipe, queue, at, bytes_of)
            }
            9 => {
                let (pipe, queue) = queue(input);
                afterimage_gnm_map_queue(gnm, pipe, queue, at, 1u32.wrapping_shl(input.byte().into()), address(input))
            }
            10 => {
                let (pipe, queue) = queue(input);
                afterimage_gnm_unmap_queue(gnm, pipe, queue)
            }
            11 => {
                let (pipe, queue) = queue(input);
                afterimage_gnm_doorbell(gnm, pipe, queue, input.value::<u16>().into())
            }
            12 => afterimage_gnm_set_time(gnm, input.value()),
            13..17 => afterimage_gnm_run(gnm, if fits { pointer.cast() } else { null_mut() }),
            17 => afterimage_gnm_skip_waits(gnm),
            18 => afterimage_gnm_register_display(gnm, input.byte().into(), input.value(), of),
            19 => afterimage_gnm_register_labels(gnm, input.byte().into(), at),
            20 => afterimage_gnm_flip(gnm, of),
            21 => afterimage_gnm_picture(gnm, of, pointer, size),
            22 => afterimage_gnm_scanout(gnm, if room >= size_of::<Scanout>() { pointer.cast() } else { null_mut() }),
            23 => afterimage_gnm_release(gnm, input.value()),
            24 => {
                let mut size_of_state = 0;
                afterimage_gnm_save(
                    gnm,
                    pointer,
                    if pointer.is_null() { size } else { size.min(room) },
                    &mut size_of_state,
                )
            }
            25 => afterimage_gnm_load(gnm, pointer, size),
            26 => afterimage_gnm_adopt(gnm),
            27 => afterimage_gnm_use(gnm),
            28 => {
                let mut wrong = Options { size: usize::from(input.byte()), ..options(None) };
                if input.byte() & 1 == 0 {
                    // Half of the memory's callbacks, scanout that there is not.
                    wrong = Options { size: size_of::<Options>(), read: Some(read), ..wrong };
                    wrong.scanout = SCANOUT_DMA_BUF + 1 + u32::from(input.byte());
                }
                let mut made = null_mut();
                let code = afterimage_gnm_create(VERSION + u32::from(input.byte() & 1), &wrong, &mut made);
                assert!(code != OK && made.is_null(), "{code}");
                code
            }
            _ => afterimage_gnm_capture(
                gnm,
                [null(), c"/nonexistent/of/fuzz".as_ptr()][usize::from(input.byte() & 1)],
                1,
            ),
        }
    }
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    HOST.with_borrow_mut(|held| {
        let host = held.get_or_insert_with(Host::new);
        let mut input = Input(data);
        host.embedder.refuses.set(if input.byte() & 1 == 0 { 0 } else { input.value() });
        let mut bytes = vec![0u64; 2048];
        for _ in 0..24 {
            if input.0.is_empty() {
                break;
            }
            let code = call(host, &mut input, &mut bytes);
            let known = CONSTANTS.iter().any(|(_, value)| *value == code);
            assert!(known && code != BUG, "{code}: {}", message());
            assert!(code == OK || !message().is_empty(), "what failed says why");
        }
        // Another thread has none of it.
        let gnm = host.ours as usize;
        if input.byte() % 8 == 0 {
            let code = std::thread::spawn(move || afterimage_gnm_skip_waits(gnm as *mut Gnm)).join().expect("no panic");
            assert_ne!(code, BUG);
            assert_eq!(afterimage_gnm_adopt(host.ours), OK, "{}", message());
        }
        host.inputs += 1;
        if host.inputs == RENEW_EVERY {
            *held = None;
        }
    });
});
