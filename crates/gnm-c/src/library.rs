//! The calls of the console's `libSceGnmDriver`, by their names and in their calling convention: what a program, or an emulator's loader,
//! finds in place of the built-in library.
//!
//! Those that write words into a command buffer are made of the rows of `afterimage_gnm::library_calls`, and need no processor: without
//! one they write the hardware's packets. Those that submit are for the processor that `afterimage_gnm_use` named; any thread may make
//! them, and they take turns. Parameters and results: shadPS4, `src/core/libraries/gnmdriver/gnmdriver.h` and `gnm_error.h`
//! (numbers), and `docs/sources/gnm.md#the-library`.
#![allow(non_snake_case, reason = "the names are the console's")]

use crate::border::{Failure, argument, guarded, slice, slice_mut, text};
use crate::handles::with_used;
use crate::processor::Processor;
use crate::types::OK;
use afterimage_gnm::driver::{
    self as gnm, Call, CallError, Driver, Encoding, FlipRequest, QueueId, Stage, SubmitError,
};
use afterimage_gnm::machine::QueueError;
use std::ffi::c_char;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Results that are errors, by what the console's library calls them without `ORBIS_GNM_ERROR_`.
pub mod error {
    /// A call that writes words refuses a parameter.
    pub const REFUSED: i32 = -1;
    /// `FAILURE`: also of calls that nothing is behind.
    pub const FAILURE: i32 = 0x8EEE_00FF_u32 as i32;
    /// `SUBMISSION_FAILED_INVALID_ARGUMENT`.
    pub const SUBMISSION_ARGUMENT: i32 = 0x80D1_1000_u32 as i32;
    /// `SUBMISSION_NOT_ENOUGH_RESOURCES`.
    pub const SUBMISSION_RESOURCES: i32 = 0x80D1_1001_u32 as i32;
    /// `SUBMISSION_AND_FLIP_FAILED_INVALID_COMMAND_BUFFER`.
    pub const FLIP_COMMAND_BUFFER: i32 = 0x80D1_1080_u32 as i32;
    /// `SUBMISSION_AND_FLIP_FAILED_REQUEST_FAILED`.
    pub const FLIP_REQUEST: i32 = 0x80D1_1082_u32 as i32;
    /// `SUBMISSION_FAILED_INTERNAL_ERROR`: also where no processor is there.
    pub const SUBMISSION_INTERNAL: i32 = 0x80D1_10FF_u32 as i32;
    /// `COMPUTEQUEUE_INVALID_PIPE_ID`.
    pub const QUEUE_PIPE: i32 = 0x80D1_7000_u32 as i32;
    /// `COMPUTEQUEUE_INVALID_QUEUE_ID`.
    pub const QUEUE_ID: i32 = 0x80D1_7001_u32 as i32;
    /// `COMPUTEQUEUE_INVALID_RING_SIZE`.
    pub const QUEUE_RING_SIZE: i32 = 0x80D1_7002_u32 as i32;
    /// `COMPUTEQUEUE_INVALID_RING_BASE_ADDR`.
    pub const QUEUE_RING_ADDRESS: i32 = 0x80D1_7003_u32 as i32;
    /// `COMPUTEQUEUE_INVALID_READ_PTR_ADDR`.
    pub const QUEUE_READ_POINTER: i32 = 0x80D1_7004_u32 as i32;
    /// `COMPUTEQUEUE_INTERNAL`.
    pub const QUEUE_INTERNAL: i32 = 0x80D1_70FF_u32 as i32;
}

/// Command buffers of one submission at most: what the ring has room for.
const MOST: usize = 1 << 10;
/// Words that a call may be told to have.
const MOST_WORDS: usize = 1 << 20;

/// A parameter as the library has it.
pub trait Parameter: Sized {
    /// In C.
    type C;

    /// Of C's; none where it cannot be one.
    ///
    /// # Safety
    /// A pointer is null, or what it points at is there.
    unsafe fn of(c: Self::C) -> Option<Self>;
}

macro_rules! numbers {
    ($($type:ty)*) => { $(
        impl Parameter for $type {
            type C = $type;
            unsafe fn of(c: $type) -> Option<$type> {
                Some(c)
            }
        }
    )* };
}
numbers!(u32 u64);

impl Parameter for bool {
    type C = u32;
    unsafe fn of(c: u32) -> Option<Self> {
        (c <= 1).then_some(c == 1)
    }
}

impl Parameter for Stage {
    type C = u32;
    unsafe fn of(c: u32) -> Option<Self> {
        Self::ALL.get(c as usize).copied()
    }
}

impl<const N: usize> Parameter for [u32; N] {
    type C = *const u32;
    unsafe fn of(c: *const u32) -> Option<Self> {
        // SAFETY: the caller says that as many registers are there.
        unsafe { slice(c, N, N, "registers") }.ok()?.try_into().ok()
    }
}

/// What a call that writes words results in. Those of 256 words say how many they took; others 0 or -1.
fn result<C: Call>(code: u32) -> i32 {
    match (code == OK, C::WORDS == 256) {
        (true, true) => C::WORDS as i32,
        (false, true) | (true, false) => 0,
        (false, false) => error::REFUSED,
    }
}

/// Writes a call into the words at `cmd`.
///
/// # Safety
/// `cmd` is null or has `size` words.
unsafe fn write<C: Call>(
    cmd: *mut u32,
    size: u32,
    call: impl FnOnce(&Driver, &mut [u32]) -> Result<(), CallError>,
) -> i32 {
    let code = guarded(|| {
        // SAFETY: the caller says so.
        let mut cmd = unsafe { slice_mut(cmd, size as usize, MOST_WORDS, "cmd")? };
        // Those that set up everything take what they need of what there is.
        if C::WORDS == 256 && cmd.len() > 256 {
            cmd = &mut cmd[..256];
        }
        call(&driver(), cmd).map_err(argument)
    });
    result::<C>(code)
}

/// Whether calls become private packets, as the processor that is used was made.
static PRIVATE: AtomicBool = AtomicBool::new(false);

/// Has calls that write words do it as a processor was made.
pub(crate) fn write_as(encoding: Encoding) {
    PRIVATE.store(encoding == Encoding::Private, Ordering::Relaxed);
}

/// How calls are written.
fn driver() -> Driver {
    Driver::new(if PRIVATE.load(Ordering::Relaxed) { Encoding::Private } else { Encoding::Pm4 })
}

macro_rules! symbols {
    ($(
        $(#[$doc:meta])* $function:ident $symbol:ident $call:ident
        ( $( $parameter:ident: $type:ty ),* $(,)? ) { $($fields:tt)* }
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `cmd` is null or has `size` words, and what other pointers point at is there.
            #[unsafe(no_mangle)]
            pub unsafe extern "sysv64" fn $symbol(
                cmd: *mut u32,
                size: u32
                $(, $parameter: <$type as Parameter>::C)*
            ) -> i32 {
                // SAFETY: as above.
                $( let $parameter = unsafe { <$type as Parameter>::of($parameter) }; )*
                // SAFETY: as above.
                unsafe {
                    write::<gnm::$call>(cmd, size, |driver, cmd| {
                        $( let $parameter = $parameter.ok_or(CallError::Value { field: stringify!($parameter), value: 0 })?; )*
                        driver.$function(cmd $(, $parameter)*)
                    })
                }
            }
        )*

        /// Symbols of the calls that are rows: the symbol, and the call.
        const ROWS: &[(&str, &str)] = &[ $( (stringify!($symbol), stringify!($call)) ),* ];
    };
}
afterimage_gnm::library_calls!(symbols);

/// Says once that a call of older libraries is taken as that of newer ones.
fn newer(once: &'static Once, symbol: &str) {
    once.call_once(|| tracing::warn!("{symbol} writes what libraries from 3.50 on write"));
}

macro_rules! written {
    ($(
        $(#[$doc:meta])* $symbol:ident $call:ident ( $( $parameter:ident: $type:ty ),* $(,)? )
        |$driver:ident, $cmd:ident| $body:expr
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `cmd` is null or has `size` words, and what other pointers point at is there.
            #[unsafe(no_mangle)]
            pub unsafe extern "sysv64" fn $symbol(cmd: *mut u32, size: u32 $(, $parameter: $type)*) -> i32 {
                let call = |$driver: &Driver, $cmd: &mut [u32]| $body;
                // SAFETY: as above.
                unsafe { write::<gnm::$call>(cmd, size, call) }
            }
        )*

        /// Symbols of the calls that are written here: the symbol, and the call.
        const WRITTEN: &[(&str, &str)] = &[ $( (stringify!($symbol), stringify!($call)) ),* ];
    };
}

/// Registers that a pointer gives.
///
/// # Safety
/// `regs` is null or has as many words.
unsafe fn registers<const N: usize>(regs: *const u32) -> Result<[u32; N], CallError> {
    // SAFETY: the caller says so.
    unsafe { Parameter::of(regs) }.ok_or(CallError::Value { field: "registers", value: 0 })
}

written! {
    /// Sets the pixel shader; NULL for none, which leaves `CB_SHADER_MASK` as it is.
    sceGnmSetPsShader SetPsShader(regs: *const u32) |driver, cmd| if regs.is_null() {
        driver.write(cmd, &gnm::SetNoPsShader { shader_mask: u32::MAX })
    } else {
        // SAFETY: the caller says so.
        driver.set_ps_shader(cmd, Some(unsafe { registers(regs)? }))
    }

    /// Sets the pixel shader; NULL for none.
    sceGnmSetPsShader350 SetPsShader(regs: *const u32) |driver, cmd| if regs.is_null() {
        driver.set_ps_shader(cmd, None)
    } else {
        // SAFETY: the caller says so.
        driver.set_ps_shader(cmd, Some(unsafe { registers(regs)? }))
    }

    /// As `sceGnmUpdatePsShader`.
    sceGnmUpdatePsShader350 UpdatePsShader(regs: *const u32) |driver, cmd| {
        // SAFETY: the caller says so.
        driver.update_ps_shader(cmd, unsafe { registers(regs)? })
    }

    /// Sets the compute shader.
    sceGnmSetCsShader SetCsShader(regs: *const u32) |driver, cmd| {
        // SAFETY: the caller says so.
        driver.set_cs_shader(cmd, unsafe { registers(regs)? }, 0)
    }

    /// As `sceGnmDrawInitDefaultHardwareState350`, which is said.
    sceGnmDrawInitDefaultHardwareState175 DrawInitDefaultHardwareState() |driver, cmd| {
        static ONCE: Once = Once::new();
        newer(&ONCE, "sceGnmDrawInitDefaultHardwareState175");
        driver.draw_init_default_hardware_state(cmd)
    }

    /// As `sceGnmDrawInitDefaultHardwareState350`, which is said.
    sceGnmDrawInitDefaultHardwareState200 DrawInitDefaultHardwareState() |driver, cmd| {
        static ONCE: Once = Once::new();
        newer(&ONCE, "sceGnmDrawInitDefaultHardwareState200");
        driver.draw_init_default_hardware_state(cmd)
    }

    /// Puts the graphics ring into the state that the library begins with.
    sceGnmDrawInitDefaultHardwareState350 DrawInitDefaultHardwareState() |driver, cmd| {
        driver.draw_init_default_hardware_state(cmd)
    }
}

/// What a call that is no row of the table results in: 0, -1, or what it says.
fn other(refused: i32, call: impl FnOnce() -> Result<(), Failure>) -> i32 {
    if guarded(call) == OK { 0 } else { refused }
}

/// Waits until a buffer of a video output is shown no more.
///
/// # Safety
/// `cmd` is null or has `size` words.
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmInsertWaitFlipDone(cmd: *mut u32, size: u32, handle: u32, buffer: u32) -> i32 {
    other(error::REFUSED, || {
        // SAFETY: as above.
        let cmd = unsafe { slice_mut(cmd, size as usize, MOST_WORDS, "cmd")? };
        with_used(|processor| processor.driver.insert_wait_flip_done(cmd, handle, buffer).map_err(argument))
    })
}

/// Begins a scope that tools show.
///
/// # Safety
/// `cmd` is null or has `size` words, and `marker` is null or a text with its zero.
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmInsertPushMarker(cmd: *mut u32, size: u32, marker: *const c_char) -> i32 {
    other(error::REFUSED, || {
        // SAFETY: as above.
        let (cmd, marker) = unsafe { (slice_mut(cmd, size as usize, MOST_WORDS, "cmd")?, text(marker, "marker")?) };
        Driver::default().insert_push_marker(cmd, marker).map_err(argument)
    })
}

/// Marks a point that tools show.
///
/// # Safety
/// As of [`sceGnmInsertPushMarker`].
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmInsertSetMarker(cmd: *mut u32, size: u32, marker: *const c_char) -> i32 {
    other(error::REFUSED, || {
        // SAFETY: as above.
        let (cmd, marker) = unsafe { (slice_mut(cmd, size as usize, MOST_WORDS, "cmd")?, text(marker, "marker")?) };
        Driver::default().insert_set_marker(cmd, marker).map_err(argument)
    })
}

/// Ends a scope.
///
/// # Safety
/// `cmd` is null or has `size` words.
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmInsertPopMarker(cmd: *mut u32, size: u32) -> i32 {
    other(error::REFUSED, || {
        // SAFETY: as above.
        let cmd = unsafe { slice_mut(cmd, size as usize, MOST_WORDS, "cmd")? };
        Driver::default().insert_pop_marker(cmd).map_err(argument)
    })
}

/// What the library calls an error of a submission, or of a queue.
fn number(error: &SubmitError) -> i32 {
    match error {
        SubmitError::Nothing | SubmitError::Pairs { .. } | SubmitError::Unmapped(_) => error::SUBMISSION_ARGUMENT,
        SubmitError::NoFlip { .. } => error::FLIP_COMMAND_BUFFER,
        SubmitError::Call(_) => error::FLIP_REQUEST,
        SubmitError::Id(_) => error::QUEUE_INTERNAL,
        SubmitError::Queue(error) => match error {
            QueueError::Full(_) => error::SUBMISSION_RESOURCES,
            QueueError::Size { .. } => error::SUBMISSION_ARGUMENT,
            QueueError::Pipe(_) => error::QUEUE_PIPE,
            QueueError::Queue(_) => error::QUEUE_ID,
            QueueError::RingAddress(_) => error::QUEUE_RING_ADDRESS,
            QueueError::RingSize(_) => error::QUEUE_RING_SIZE,
            QueueError::ReadPointer(_) => error::QUEUE_READ_POINTER,
            QueueError::Mapped { .. } | QueueError::NotMapped { .. } | QueueError::Offset { .. } => {
                error::QUEUE_INTERNAL
            }
        },
    }
}

/// Makes a call of the processor that is used, whose error has a number of the library's; `without` is the result where no processor
/// can take it.
fn submitted(without: i32, call: impl FnOnce(&mut Processor) -> Result<i32, SubmitError>) -> i32 {
    let mut result = without;
    guarded(|| {
        with_used(|processor| {
            let answer = call(processor);
            result = match &answer {
                Ok(number) => *number,
                Err(error) => number(error),
            };
            answer.map(|_| ()).map_err(argument)
        })
        .inspect_err(|failure| tracing::warn!("{}", failure.message))
    });
    result
}

/// Command buffers: addresses, and bytes.
///
/// # Safety
/// Both pointers are null or have `count` values.
unsafe fn buffers(count: u32, addresses: *const u64, sizes: *const u32) -> Result<Vec<(u64, u64)>, Failure> {
    // SAFETY: the caller says so.
    let (addresses, sizes) = unsafe {
        (
            slice(addresses, count as usize, MOST, "addresses of command buffers")?,
            slice(sizes, count as usize, MOST, "sizes of command buffers")?,
        )
    };
    Ok(addresses.iter().zip(sizes).map(|(address, size)| (*address, u64::from(*size))).collect())
}

/// Submits command buffers, with a flip behind them or none, and runs.
///
/// # Safety
/// As of [`buffers`]; those of constants may both be null.
unsafe fn submit(
    count: u32,
    draws: (*const u64, *const u32),
    constants: (*const u64, *const u32),
    flip: Option<FlipRequest>,
) -> i32 {
    let mut lists = None;
    let code = guarded(|| {
        let none = constants.0.is_null() || constants.1.is_null();
        // SAFETY: as above.
        lists = Some(unsafe {
            (
                buffers(count, draws.0, draws.1)?,
                if none { Vec::new() } else { buffers(count, constants.0, constants.1)? },
            )
        });
        Ok(())
    });
    let Some((draws, constants)) = lists.filter(|_| code == OK) else { return error::SUBMISSION_ARGUMENT };
    submitted(error::SUBMISSION_INTERNAL, |processor| {
        let Processor { gpu, driver, .. } = processor;
        match flip {
            None => driver.submit_command_buffers(&mut gpu.machine, &draws, &constants)?,
            Some(flip) => {
                let (machine, memory) = (&mut gpu.machine, &mut gpu.memory);
                driver.submit_and_flip_command_buffers(machine, memory, &draws, &constants, flip)?;
            }
        }
        // What waits goes on with a later call.
        processor.run();
        Ok(0)
    })
}

/// Submits draw command buffers, and constant command buffers that go with them, or none; they run before this returns, up to what they
/// wait for.
///
/// # Safety
/// The pointers are null or have `count` values each.
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmSubmitCommandBuffers(
    count: u32,
    draws: *const u64,
    draw_sizes: *const u32,
    constants: *const u64,
    constant_sizes: *const u32,
) -> i32 {
    // SAFETY: as above.
    unsafe { submit(count, (draws, draw_sizes), (constants, constant_sizes), None) }
}

/// As [`sceGnmSubmitCommandBuffers`]; the workload is not told apart.
///
/// # Safety
/// As of [`sceGnmSubmitCommandBuffers`].
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmSubmitCommandBuffersForWorkload(
    _workload: u64,
    count: u32,
    draws: *const u64,
    draw_sizes: *const u32,
    constants: *const u64,
    constant_sizes: *const u32,
) -> i32 {
    // SAFETY: as above.
    unsafe { submit(count, (draws, draw_sizes), (constants, constant_sizes), None) }
}

/// As [`sceGnmSubmitCommandBuffers`], and a flip behind them.
///
/// # Safety
/// As of [`sceGnmSubmitCommandBuffers`].
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmSubmitAndFlipCommandBuffers(
    count: u32,
    draws: *const u64,
    draw_sizes: *const u32,
    constants: *const u64,
    constant_sizes: *const u32,
    handle: u32,
    buffer: u32,
    mode: u32,
    argument: u64,
) -> i32 {
    let flip = FlipRequest { handle, buffer, mode, argument };
    // SAFETY: as above.
    unsafe { submit(count, (draws, draw_sizes), (constants, constant_sizes), Some(flip)) }
}

/// As [`sceGnmSubmitAndFlipCommandBuffers`]; the workload is not told apart.
///
/// # Safety
/// As of [`sceGnmSubmitCommandBuffers`].
#[unsafe(no_mangle)]
pub unsafe extern "sysv64" fn sceGnmSubmitAndFlipCommandBuffersForWorkload(
    _workload: u64,
    count: u32,
    draws: *const u64,
    draw_sizes: *const u32,
    constants: *const u64,
    constant_sizes: *const u32,
    handle: u32,
    buffer: u32,
    mode: u32,
    argument: u64,
) -> i32 {
    let flip = FlipRequest { handle, buffer, mode, argument };
    // SAFETY: as above.
    unsafe { submit(count, (draws, draw_sizes), (constants, constant_sizes), Some(flip)) }
}

/// A frame is submitted: whatever can run runs.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmSubmitDone() -> i32 {
    submitted(error::SUBMISSION_INTERNAL, |processor| {
        processor.run();
        Ok(0)
    })
}

/// Whether something can be submitted: 1 or 0.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmAreSubmitsAllowed() -> i32 {
    with_used(|_| Ok(())).is_ok().into()
}

/// Nothing: what the program wrote is seen by the next submission.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmFlushGarlic() {}

fn map(pipe: u32, queue: u32, ring: u64, words: u32, read_pointer: u64) -> i32 {
    submitted(error::QUEUE_INTERNAL, |processor| {
        let machine = &mut processor.gpu.machine;
        let QueueId(id) = processor.driver.map_compute_queue(machine, pipe, queue, ring, words, read_pointer)?;
        Ok(id as i32)
    })
}

/// Maps a compute queue; the result is its number, from 1 on.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmMapComputeQueue(pipe: u32, queue: u32, ring: u64, words: u32, read_pointer: u64) -> i32 {
    map(pipe, queue, ring, words, read_pointer)
}

/// As [`sceGnmMapComputeQueue`]: queues take turns, whatever their priority.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmMapComputeQueueWithPriority(
    pipe: u32,
    queue: u32,
    ring: u64,
    words: u32,
    read_pointer: u64,
    _priority: u32,
) -> i32 {
    map(pipe, queue, ring, words, read_pointer)
}

/// Takes a compute queue away.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmUnmapComputeQueue(id: u32) -> i32 {
    submitted(error::QUEUE_INTERNAL, |processor| {
        processor.driver.unmap_compute_queue(&mut processor.gpu.machine, QueueId(id))?;
        Ok(0)
    })
}

fn ring_doorbell(id: u32, offset: u32) {
    submitted(error::QUEUE_INTERNAL, |processor| {
        processor.driver.ding_dong(&mut processor.gpu.machine, QueueId(id), offset)?;
        processor.run();
        Ok(0)
    });
}

/// The doorbell of a compute queue: commands are complete up to this word, and run.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmDingDong(id: u32, offset: u32) {
    ring_doorbell(id, offset);
}

/// As [`sceGnmDingDong`]; the workload is not told apart.
#[unsafe(no_mangle)]
pub extern "sysv64" fn sceGnmDingDongForWorkload(id: u32, offset: u32, _workload: u64) {
    ring_doorbell(id, offset);
}

/// Symbols that something is behind, and the call that they write, if it is one.
pub fn present() -> Vec<(&'static str, &'static str)> {
    let others = [
        ("sceGnmInsertWaitFlipDone", "InsertWaitFlipDone"),
        ("sceGnmInsertPushMarker", ""),
        ("sceGnmInsertSetMarker", ""),
        ("sceGnmInsertPopMarker", ""),
        ("sceGnmSubmitCommandBuffers", ""),
        ("sceGnmSubmitCommandBuffersForWorkload", ""),
        ("sceGnmSubmitAndFlipCommandBuffers", ""),
        ("sceGnmSubmitAndFlipCommandBuffersForWorkload", ""),
        ("sceGnmSubmitDone", ""),
        ("sceGnmAreSubmitsAllowed", ""),
        ("sceGnmFlushGarlic", ""),
        ("sceGnmMapComputeQueue", ""),
        ("sceGnmMapComputeQueueWithPriority", ""),
        ("sceGnmUnmapComputeQueue", ""),
        ("sceGnmDingDong", ""),
        ("sceGnmDingDongForWorkload", ""),
    ];
    ROWS.iter().chain(WRITTEN).copied().chain(others).collect()
}
