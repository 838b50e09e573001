//! A handler that Windows asks before the program's own: it knows the faults of the patches, and passes on all others.

use core::ptr::null;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use afterimage_config::CrashPatch;
use windows_sys::Win32::Foundation::EXCEPTION_ACCESS_VIOLATION;
use windows_sys::Win32::System::Diagnostics::Debug::{
    AddVectoredExceptionHandler, CONTEXT, EXCEPTION_CONTINUE_EXECUTION, EXCEPTION_CONTINUE_SEARCH, EXCEPTION_POINTERS,
};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;

use super::{Machine, mended};
use crate::crash;

/// A patch, and whether it was told that it has acted.
struct Watched {
    patch: CrashPatch,
    told: AtomicBool,
}

/// What is looked for. Set before the handler is there.
struct Watch {
    base: usize,
    patches: Vec<Watched>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// Has us asked about faults first. This library then stays loaded.
pub(super) fn watch(patches: Vec<CrashPatch>) {
    // SAFETY: asks for the program itself.
    let base = unsafe { GetModuleHandleW(null()) }.addr();
    for patch in &patches {
        tracing::info!("crash_patch: the program goes on at {patch}");
    }
    let patches = patches.into_iter().map(|patch| Watched { patch, told: AtomicBool::new(false) }).collect();
    if WATCH.set(Watch { base, patches }).is_err() {
        return;
    }
    crash::stay_loaded();
    const FIRST: u32 = 1;
    // SAFETY: a function that lives as long as the process, since the library does now.
    if unsafe { AddVectoredExceptionHandler(FIRST, Some(handler)) }.is_null() {
        tracing::warn!("crash_patch: Windows takes no handler: {}", std::io::Error::last_os_error());
    }
}

unsafe extern "system" fn handler(pointers: *mut EXCEPTION_POINTERS) -> i32 {
    // SAFETY: the system passes both, and nobody else uses them meanwhile.
    let (record, context) = unsafe { (&*(*pointers).ExceptionRecord, &mut *(*pointers).ContextRecord) };
    let access = record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record.NumberParameters >= 2;
    let Some(watch) = WATCH.get().filter(|_| access) else { return EXCEPTION_CONTINUE_SEARCH };
    let (machine, touched) = (machine(context), record.ExceptionInformation[1]);
    for Watched { patch, told } in &watch.patches {
        let Some(after) = mended(patch, watch.base, touched, machine, &crash::read_memory) else { continue };
        set(context, after);
        // The program was in its own code, so it has none of our locks.
        if !told.swap(true, Ordering::Relaxed) {
            tracing::warn!("crash_patch: the program followed a null pointer, and goes on: {patch}");
        }
        return EXCEPTION_CONTINUE_EXECUTION;
    }
    EXCEPTION_CONTINUE_SEARCH
}

#[cfg(target_arch = "x86")]
fn machine(context: &CONTEXT) -> Machine {
    Machine { instruction: context.Eip as usize, stack: context.Esp as usize, result: context.Eax as usize }
}

#[cfg(target_arch = "x86")]
fn set(context: &mut CONTEXT, machine: Machine) {
    (context.Eip, context.Esp, context.Eax) = (machine.instruction as u32, machine.stack as u32, machine.result as u32);
}

#[cfg(target_arch = "x86_64")]
fn machine(context: &CONTEXT) -> Machine {
    Machine { instruction: context.Rip as usize, stack: context.Rsp as usize, result: context.Rax as usize }
}

#[cfg(target_arch = "x86_64")]
fn set(context: &mut CONTEXT, machine: Machine) {
    (context.Rip, context.Rsp, context.Rax) = (machine.instruction as u64, machine.stack as u64, machine.result as u64);
}
