//! A state that is saved in the middle of a command buffer goes on in another processor, to the same picture.

use crate::draws::triangle_state;
use crate::rig::{Encoding, Scene, Target, receiver};
use afterimage_gnm::Gpu;
use afterimage_gnm::machine::{StateError, Stop};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm_types::{op, reg, value::*};

/// Lines from one on, of a target that is 128 wide.
fn lines(scene: &mut Scene, first: u32, end: u32) {
    scene.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31 | first << 16, end << 16 | 128]);
}

/// A triangle's upper half; a wait until the word at an address is 7; the lower half. Also a value in GDS from before the wait, which is
/// stored after it, and a compute ring that has nothing to do but wait for the same word.
struct Waiting {
    scene: Scene,
    target: Target,
    label: u64,
    stored: u64,
    ring: u64,
}

fn waiting() -> Waiting {
    let mut scene = Scene::new(Encoding::Standard);
    let target = scene.target(128, 96);
    let (label, stored, ring) = (scene.room(4), scene.room(4), scene.alloc(64, 256));
    let wait = [0x13, label as u32, (label >> 32) as u32, 7, u32::MAX, 10];
    triangle_state(&mut scene, &target);
    lines(&mut scene, 0, 48);
    scene.draw(DI_PT_TRILIST, 3);
    // DMA_DATA: a word of data to GDS, and from there to memory.
    scene.packet(op::DMA_DATA, &[2 << 29 | 1 << 20, 0x1234_5678, 0, 0x40, 0, 4]);
    scene.packet(op::WAIT_REG_MEM, &wait);
    lines(&mut scene, 48, 96);
    scene.draw(DI_PT_TRILIST, 3);
    scene.packet(op::DMA_DATA, &[1 << 29, 0x40, 0, stored as u32, (stored >> 32) as u32, 4]);
    let words: Vec<u32> = [0xC005_3C00].into_iter().chain(wait).collect();
    scene.memory_at(ring, &words);
    Waiting { scene, target, label, stored, ring }
}

fn word(gpu: &mut Gpu<Regions>, address: u64) -> Option<u32> {
    gpu.write_back(address, 4);
    gpu.memory.word(address)
}

#[test]
fn a_saved_state_goes_on_in_another_processor() {
    let Waiting { mut scene, target, label, stored, ring } = waiting();
    let commands = std::mem::take(&mut scene.commands);
    let at = scene.put(&commands);
    let submission = (at, 4 * commands.len() as u64);
    let begin = |memory: Regions| {
        let (link, thread) = receiver(&[]);
        (Gpu::new(memory, Box::new(link), "saved"), thread)
    };

    // Without an interruption.
    let (mut gpu, thread) = begin(scene.memory.clone());
    gpu.memory.write(label, &7u32.to_le_bytes()).unwrap();
    gpu.submit(submission, None).unwrap();
    assert_eq!(gpu.run(), Stop::Idle);
    let expected = gpu.picture(&target.display()).unwrap().rgba;
    assert_eq!(word(&mut gpu, stored), Some(0x1234_5678));
    drop(gpu);
    assert_eq!(thread.join().unwrap(), 0);

    // With one.
    let (mut gpu, thread) = begin(scene.memory);
    gpu.machine.map_queue(1, 2, ring, 16, 0).unwrap();
    gpu.machine.set_write_pointer(1, 2, 7).unwrap();
    gpu.register_display(3, 1, target.display());
    gpu.submit(submission, None).unwrap();
    let Stop::Waiting(waits) = gpu.run() else { panic!("it waits") };
    assert_eq!(waits.len(), 2, "{waits:?}");
    let saved = gpu.save();
    let memory = gpu.memory.clone();
    drop(gpu);
    assert_eq!(thread.join().unwrap(), 0);

    let (mut gpu, thread) = begin(memory);
    for cut in [0, 7, 8, 100, saved.len() / 2, saved.len() - 1] {
        let error = gpu.load(&saved[..cut]).unwrap_err();
        assert_eq!(matches!(error, StateError::Magic), cut < 8, "{cut}: {error}");
    }
    let longer: Vec<u8> = saved.iter().chain(&[0]).copied().collect();
    assert_eq!(gpu.load(&longer), Err(StateError::TooLong(1)));
    assert!(gpu.machine.is_idle(), "nothing was loaded");
    gpu.load(&saved).unwrap();
    assert_eq!(gpu.save(), saved, "it is the same state");
    assert_eq!(gpu.run(), Stop::Waiting(waits));
    gpu.memory.write(label, &7u32.to_le_bytes()).unwrap();
    assert_eq!(gpu.run(), Stop::Idle);
    assert_eq!(gpu.faults(), []);
    assert!(gpu.picture(&target.display()).unwrap().rgba == expected, "the picture is another");
    assert_eq!(word(&mut gpu, stored), Some(0x1234_5678));
    assert_eq!(gpu.machine.set_write_pointer(1, 2, 7), Ok(()), "the ring is mapped");
    drop(gpu);
    assert_eq!(thread.join().unwrap(), 0);
}
