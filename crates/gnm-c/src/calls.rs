//! The functions of the header.

use crate::border::{Failure, argument, get, guarded, put, said, slice, slice_mut, text};
use crate::handles::{self, Gnm, with};
use crate::log;
use crate::memory::Memory;
use crate::processor::Processor;
use crate::types::{Display, IDLE, NOTHING, Options, REFUSED, Scanout, UNMAPPED, VERSION, VERSION_MISMATCH, WAITING};
use afterimage_gnm::machine::{Graphics as _, Stop};
use afterimage_gnm::memory::{ADDRESS_BITS, GuestMemory as _};
use afterimage_gnm::translate;
use std::ffi::c_char;
use std::path::Path;
use std::ptr;

/// Bytes of one read, write, picture or state at most.
const MOST: usize = 1 << 30;

fn refused(error: impl ToString) -> Failure {
    Failure::new(REFUSED, error)
}

/// A display's buffer as C has it.
fn display(of: &Display) -> Result<translate::Display, Failure> {
    let Display { address, width, height, pitch, format, blue_first, tile_mode } = *of;
    let sides = [("width", width), ("height", height), ("pitch", pitch)];
    if let Some((what, side)) = sides.iter().find(|(_, side)| !(1..=16384).contains(side)) {
        return Err(argument(format!("display: {what} is {side}; 1 to 16384 are possible")));
    }
    if address >> ADDRESS_BITS != 0 {
        return Err(argument(format!("display: address {address:#x} has more than 48 bits")));
    }
    if tile_mode > 31 {
        return Err(argument(format!("display: tile mode {tile_mode} is none of 0 to 31")));
    }
    Ok(translate::Display { address, width, height, pitch, format, blue_first: blue_first != 0, tile_mode })
}

/// A range of guest memory, which must not reach beyond 48 bits.
fn range(address: u64, size: u64) -> Result<(), Failure> {
    let end = address.checked_add(size).filter(|end| *end <= 1 << ADDRESS_BITS);
    end.map(|_| ()).ok_or_else(|| argument(format!("{size:#x} bytes at {address:#x} reach beyond 48 bits")))
}

/// `afterimage_gnm_version`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_version() -> u32 {
    VERSION
}

/// `afterimage_gnm_message`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_message() -> *const c_char {
    said()
}

/// `afterimage_gnm_create`.
///
/// # Safety
/// `options` is NULL or all that it points at is there, and its callbacks are as the header says; `gnm` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_create(version: u32, options: *const Options, gnm: *mut *mut Gnm) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        unsafe { put(gnm, ptr::null_mut(), "gnm")? };
        if version != VERSION {
            let message = format!("the header is of version {version}, and the library of {VERSION}");
            return Err(Failure::new(VERSION_MISMATCH, message));
        }
        // SAFETY: as above.
        let options = unsafe { get(options, "options")? };
        log::start();
        // SAFETY: as above.
        let processor = unsafe { Processor::new(options)? };
        // SAFETY: as above.
        unsafe { put(gnm, handles::insert(processor), "gnm") }
    })
}

/// `afterimage_gnm_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_destroy(gnm: *mut Gnm) -> u32 {
    guarded(|| {
        if !gnm.is_null() {
            drop(handles::remove(gnm)?);
        }
        Ok(())
    })
}

/// `afterimage_gnm_adopt`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_adopt(gnm: *mut Gnm) -> u32 {
    guarded(|| handles::adopt(gnm))
}

/// `afterimage_gnm_use`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_use(gnm: *mut Gnm) -> u32 {
    guarded(|| {
        let encoding = handles::use_for_library(gnm)?;
        #[cfg(target_arch = "x86_64")]
        crate::library::write_as(encoding);
        #[cfg(not(target_arch = "x86_64"))]
        let _ = encoding;
        Ok(())
    })
}

/// `afterimage_gnm_map`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_map(gnm: *mut Gnm, address: u64, size: u64) -> u32 {
    guarded(|| {
        with(gnm, |processor| match &mut processor.gpu.memory {
            Memory::Ours(regions) => regions.map(address, size).map_err(argument),
            Memory::Theirs(_) => Err(argument("the memory is yours: next_range says what is mapped")),
        })
    })
}

/// `afterimage_gnm_write`.
///
/// # Safety
/// `bytes` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_write(gnm: *mut Gnm, address: u64, bytes: *const u8, size: usize) -> u32 {
    guarded(|| {
        range(address, size as u64)?;
        // SAFETY: as above.
        let bytes = unsafe { slice(bytes, size, MOST, "bytes")? };
        with(gnm, |processor| {
            let gpu = &mut processor.gpu;
            // What shaders stored beside it in the same words stays.
            gpu.write_back(address, size as u64);
            gpu.memory.write(address, bytes).map_err(|error| Failure::new(UNMAPPED, error))?;
            gpu.graphics.cpu_wrote(address, size as u64);
            Ok(())
        })
    })
}

/// `afterimage_gnm_read`.
///
/// # Safety
/// `out` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_read(gnm: *mut Gnm, address: u64, out: *mut u8, size: usize) -> u32 {
    guarded(|| {
        range(address, size as u64)?;
        // SAFETY: as above.
        let out = unsafe { slice_mut(out, size, MOST, "out")? };
        with(gnm, |processor| {
            processor.gpu.write_back(address, size as u64);
            processor.gpu.memory.read(address, out).map_err(|error| Failure::new(UNMAPPED, error))
        })
    })
}

/// `afterimage_gnm_write_back`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_write_back(gnm: *mut Gnm, address: u64, size: u64) -> u32 {
    guarded(|| {
        range(address, size)?;
        with(gnm, |processor| {
            processor.gpu.write_back(address, size);
            Ok(())
        })
    })
}

/// `afterimage_gnm_cpu_wrote`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_cpu_wrote(gnm: *mut Gnm, address: u64, size: u64) -> u32 {
    guarded(|| {
        range(address, size)?;
        with(gnm, |processor| {
            processor.gpu.graphics.cpu_wrote(address, size);
            Ok(())
        })
    })
}

/// `afterimage_gnm_submit`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_submit(
    gnm: *mut Gnm,
    draw_address: u64,
    draw_bytes: u64,
    constant_address: u64,
    constant_bytes: u64,
) -> u32 {
    guarded(|| {
        range(draw_address, draw_bytes)?;
        range(constant_address, constant_bytes)?;
        with(gnm, |processor| {
            let constant = (constant_bytes != 0).then_some((constant_address, constant_bytes));
            processor.gpu.submit((draw_address, draw_bytes), constant).map_err(refused)
        })
    })
}

/// `afterimage_gnm_submit_compute`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_submit_compute(gnm: *mut Gnm, pipe: u32, queue: u32, address: u64, bytes: u64) -> u32 {
    guarded(|| {
        range(address, bytes)?;
        with(gnm, |processor| processor.gpu.machine.submit_compute(pipe, queue, (address, bytes)).map_err(refused))
    })
}

/// `afterimage_gnm_map_queue`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_map_queue(
    gnm: *mut Gnm,
    pipe: u32,
    queue: u32,
    ring: u64,
    words: u32,
    read_pointer: u64,
) -> u32 {
    guarded(|| {
        range(ring, 4 * u64::from(words))?;
        range(read_pointer, 4)?;
        with(gnm, |processor| processor.gpu.machine.map_queue(pipe, queue, ring, words, read_pointer).map_err(refused))
    })
}

/// `afterimage_gnm_unmap_queue`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_unmap_queue(gnm: *mut Gnm, pipe: u32, queue: u32) -> u32 {
    guarded(|| with(gnm, |processor| processor.gpu.machine.unmap_queue(pipe, queue).map_err(refused)))
}

/// `afterimage_gnm_doorbell`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_doorbell(gnm: *mut Gnm, pipe: u32, queue: u32, offset: u32) -> u32 {
    guarded(|| with(gnm, |processor| processor.gpu.machine.set_write_pointer(pipe, queue, offset).map_err(refused)))
}

/// `afterimage_gnm_set_time`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_set_time(gnm: *mut Gnm, ticks: u64) -> u32 {
    guarded(|| {
        with(gnm, |processor| {
            processor.gpu.machine.set_time(ticks);
            Ok(())
        })
    })
}

/// `afterimage_gnm_run`.
///
/// # Safety
/// `stop` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_run(gnm: *mut Gnm, stop: *mut u32) -> u32 {
    guarded(|| {
        let stopped = with(gnm, |processor| Ok(processor.run()))?;
        let number = match stopped {
            Stop::Idle => IDLE,
            Stop::Waiting(_) => WAITING,
        };
        // SAFETY: as above.
        if stop.is_null() { Ok(()) } else { unsafe { put(stop, number, "stop") } }
    })
}

/// `afterimage_gnm_skip_waits`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_skip_waits(gnm: *mut Gnm) -> u32 {
    guarded(|| {
        with(gnm, |processor| {
            processor.gpu.machine.skip_waits();
            Ok(())
        })
    })
}

/// `afterimage_gnm_register_display`.
///
/// # Safety
/// `of` is NULL or a display.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_register_display(
    gnm: *mut Gnm,
    handle: u32,
    buffer: u32,
    of: *const Display,
) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let of = display(unsafe { get(of, "display")? })?;
        with(gnm, |processor| {
            processor.gpu.register_display(handle, buffer, of);
            Ok(())
        })
    })
}

/// `afterimage_gnm_register_labels`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_register_labels(gnm: *mut Gnm, handle: u32, labels: u64) -> u32 {
    guarded(|| {
        range(labels, 8)?;
        with(gnm, |processor| {
            processor.driver.register_output(handle, labels);
            Ok(())
        })
    })
}

/// `afterimage_gnm_flip`.
///
/// # Safety
/// `of` is NULL or a display.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_flip(gnm: *mut Gnm, of: *const Display) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let of = display(unsafe { get(of, "display")? })?;
        with(gnm, |processor| {
            processor.gpu.flip(&of);
            Ok(())
        })
    })
}

/// `afterimage_gnm_picture`.
///
/// # Safety
/// `of` is NULL or a display, and `rgba` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_picture(gnm: *mut Gnm, of: *const Display, rgba: *mut u8, size: usize) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let of = display(unsafe { get(of, "display")? })?;
        let wanted = 4 * of.width as usize * of.height as usize;
        if size != wanted {
            return Err(argument(format!("rgba: {size} bytes are there, and the picture has {wanted}")));
        }
        // SAFETY: as above.
        let rgba = unsafe { slice_mut(rgba, size, MOST << 2, "rgba")? };
        with(gnm, |processor| {
            let picture = processor.gpu.picture(&of).map_err(refused)?;
            rgba.copy_from_slice(&picture.rgba);
            Ok(())
        })
    })
}

/// `afterimage_gnm_scanout`.
///
/// # Safety
/// `scanout` is NULL or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_scanout(gnm: *mut Gnm, scanout: *mut Scanout) -> u32 {
    guarded(|| {
        // SAFETY: as above; what it says cannot be taken for a picture.
        unsafe { put(scanout.cast::<i32>(), -1, "scanout")? };
        let taken = with(gnm, |processor| processor.scanout())?;
        let taken = taken.ok_or_else(|| Failure::new(NOTHING, "nothing was shown since the last picture was taken"))?;
        // SAFETY: as above.
        unsafe { put(scanout, taken, "scanout") }
    })
}

/// `afterimage_gnm_release`.
#[unsafe(no_mangle)]
pub extern "C" fn afterimage_gnm_release(gnm: *mut Gnm, image: u64) -> u32 {
    guarded(|| with(gnm, |processor| processor.release(image)))
}

/// `afterimage_gnm_save`.
///
/// # Safety
/// `bytes` has room for `room` bytes or is NULL with none, and `size` has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_save(gnm: *mut Gnm, bytes: *mut u8, room: usize, size: *mut usize) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        unsafe { put(size, 0, "size")? };
        // SAFETY: as above.
        let out = unsafe { slice_mut(bytes, room, MOST, "bytes")? };
        let saved = with(gnm, |processor| Ok(processor.gpu.save()))?;
        // SAFETY: as above.
        unsafe { put(size, saved.len(), "size")? };
        if out.is_empty() {
            return Ok(());
        }
        let wanted = saved.len();
        let short = || argument(format!("bytes: there is room for {room}, and the state has {wanted}"));
        out.get_mut(..wanted).ok_or_else(short)?.copy_from_slice(&saved);
        Ok(())
    })
}

/// `afterimage_gnm_load`.
///
/// # Safety
/// `bytes` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_load(gnm: *mut Gnm, bytes: *const u8, size: usize) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let bytes = unsafe { slice(bytes, size, MOST, "bytes")? };
        with(gnm, |processor| processor.gpu.load(bytes).map_err(refused))
    })
}

/// `afterimage_gnm_capture`.
///
/// # Safety
/// `path` is NULL or a text with its zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afterimage_gnm_capture(gnm: *mut Gnm, path: *const c_char, frames: u64) -> u32 {
    guarded(|| {
        // SAFETY: as above.
        let path = unsafe { text(path, "path")? };
        if path.is_empty() || frames == 0 {
            return Err(argument("a capture needs a path, and at least one frame"));
        }
        with(gnm, |processor| {
            let taken = processor.gpu.capture_frames(Path::new(path), frames);
            if taken { Ok(()) } else { Err(refused("whoever draws takes no requests for captures")) }
        })
    })
}
