//! Every form of word, split arguments, wraps, errors, and random push buffers against a walk that takes words one by one.

use crate::rig::{ALL, PUSH, Rig};
use afterimage_nv2a::machine::{Fault, Header, Limits, Step, Stop, What, Word, register};
use afterimage_nv2a::memory::{GuestMemory, Ram};
use afterimage_nv2a_types::method;
use afterimage_nv2a_types::registers::Registers;
use proptest::prelude::*;

const FACTOR: u16 = method::SET_COMBINER_FACTOR0;

fn header(method: u16, count: u16, increasing: bool) -> u32 {
    Header { method, subchannel: 0, count, increasing }.encode()
}

/// A rig whose Kelvin object is bound already.
fn bound() -> Rig {
    let mut rig = Rig::new();
    rig.finish();
    rig
}

#[test]
fn arguments_go_to_one_method_or_to_those_behind_it() {
    let mut rig = bound();
    rig.words = vec![header(FACTOR, 3, true), 1, 2, 3, 0, header(FACTOR + 16, 3, false), 4, 5, 6];
    rig.finish();
    assert_eq!([0, 4, 8, 12, 16, 20].map(|at| rig.get(FACTOR + at)), [1, 2, 3, 0, 6, 0]);
}

#[test]
fn jumps_calls_and_returns_are_followed() {
    let mut rig = bound();
    rig.write(0x1000, &[header(FACTOR, 1, true), 7, 0x0002_0000]);
    rig.write(0x2000, &[header(FACTOR + 4, 1, true), 8, (PUSH + 12) | 1]);
    rig.words = vec![0x1002, 0x2000_2000, 0xFFFF_FFFF, header(FACTOR + 8, 1, true), 9];
    rig.finish();
    assert_eq!([0, 4, 8].map(|at| rig.get(FACTOR + at)), [7, 8, 9]);
    assert_eq!(rig.machine.pusher().subroutine, None);
}

#[test]
fn arguments_may_come_later_than_their_header() {
    let mut rig = bound();
    rig.words = vec![header(FACTOR, 4, true), 1];
    rig.finish();
    assert_eq!(rig.machine.pusher().pending.count, 3);
    // A jump's form among the arguments is an argument.
    rig.words = vec![0x2000_0001, 3, 4];
    rig.finish();
    assert_eq!([0, 4, 8, 12].map(|at| rig.get(FACTOR + at)), [1, 0x2000_0001, 3, 4]);
    assert_eq!(rig.machine.pusher().pending.count, 0);
}

#[test]
fn put_may_lie_behind_get() {
    let mut rig = bound();
    rig.write(0x3000, &[header(FACTOR, 1, true), 5, 0x1001]);
    rig.write(0x1000, &[header(FACTOR + 4, 1, true), 6]);
    rig.machine.set_pusher(0x3000, 0x1008);
    assert_eq!(rig.go_on(), Ok(Stop::Idle));
    assert_eq!([0, 4].map(|at| rig.get(FACTOR + at)), [5, 6]);
}

#[test]
fn the_push_buffer_is_in_its_dma_object() {
    let mut rig = bound();
    rig.dma(9, 0x4000, 0xF);
    rig.write(0x4000, &[header(FACTOR, 3, true), 1, 2, 3, 4]);
    rig.register(register::PFIFO_CACHE1_DMA_INSTANCE, 0x1202);
    rig.machine.set_pusher(0, 0x10);
    assert_eq!(rig.go_on(), Ok(Stop::Idle));
    assert_eq!(rig.get(FACTOR + 8), 3);
    rig.machine.set_pusher(0, 0x20);
    let walked = rig.machine.walk(&rig.memory).last();
    let error = rig.go_on().unwrap_err();
    assert_eq!((error.address, error.fault), (0x10, Fault::Unmapped));
    assert_eq!(walked, Some(Err(error)));
}

#[test]
fn errors_name_the_word_and_leave_get_on_it() {
    for (words, at, fault) in [
        (vec![0xA000_0000], 0, Fault::Reserved),
        (vec![0, 0x0002_0000], 1, Fault::ReturnWithoutCall),
        (vec![(PUSH + 4) | 2, PUSH | 2], 1, Fault::NestedCall),
        (vec![0, 0, 3], 2, Fault::Reserved),
    ] {
        let mut rig = bound();
        rig.words = words;
        let error = rig.run().unwrap_err();
        assert_eq!((error.address, error.fault), (PUSH + 4 * at, fault));
        assert_eq!(error.state, rig.machine.pusher());
        assert_eq!(rig.machine.pusher().get, PUSH + 4 * at);
        assert_eq!(rig.go_on(), Err(error), "it stays where it is");
        assert_ne!(rig.machine.read_register(register::PFIFO_CACHE1_DMA_STATE) >> 29, 0);
        rig.register(register::PFIFO_INTR_EN_0, u32::MAX);
        assert_eq!(rig.machine.read_register(register::PMC_INTR_0), 1 << 8);
        rig.register(register::PFIFO_INTR_0, u32::MAX);
        assert_eq!(rig.machine.read_register(register::PMC_INTR_0), 0);
        let text = error.to_string();
        assert!(text.contains(&format!("{:#010x} at {:#010x}", error.word, error.address)), "{text}");
    }
}

#[test]
fn endless_loops_end() {
    let mut rig = bound();
    rig.words = vec![PUSH | 1];
    let words = std::mem::take(&mut rig.words);
    rig.write(PUSH, &words);
    rig.machine.set_pusher(PUSH, 0);
    let error = rig.go_on().unwrap_err();
    assert_eq!(error.fault, Fault::EndlessJumps(Limits::default().jumps));
    // A loop with arguments ends too.
    rig.machine.limits.words = 1000;
    rig.write(PUSH, &[header(FACTOR, 1, true), 1, PUSH | 1]);
    rig.machine.set_pusher(PUSH, 0);
    let error = rig.go_on().unwrap_err();
    assert_eq!(error.fault, Fault::TooManyWords(1000));
    assert!(error.to_string().contains("longer than 1000 words"));
    // The budget is that of a run: the next goes on.
    assert_eq!(rig.go_on().unwrap_err().fault, Fault::TooManyWords(1000));
}

#[test]
fn a_push_buffer_that_writes_itself_is_read_as_written() {
    let mut rig = bound();
    let target = PUSH + 4 * 5;
    rig.push(0, method::SET_CONTEXT_DMA_SEMAPHORE, &[ALL]);
    rig.push(0, method::SET_SEMAPHORE_OFFSET, &[target, header(FACTOR, 1, true)]);
    // The release is behind SET_SEMAPHORE_OFFSET: it writes a header over the no-op.
    assert_eq!(rig.words.len(), 5);
    rig.words.extend([0, 0x100]);
    rig.finish();
    assert_eq!(rig.get(FACTOR), 0x100);
}

#[test]
fn stops_do_not_renew_the_limits() {
    let mut rig = bound();
    rig.machine.limits.words = 10_000;
    rig.write(PUSH, &[header(method::NO_OPERATION, 1, true), 1, PUSH | 1]);
    rig.machine.set_pusher(PUSH, 0);
    let end = (0..100).find_map(|_| {
        rig.machine.acknowledge();
        rig.go_on().err()
    });
    assert_eq!(end.map(|error| error.fault), Some(Fault::TooManyWords(10_000)));
    // A new PUT is new work.
    rig.register(register::USER_DMA_PUT, 0);
    rig.machine.acknowledge();
    assert!(rig.go_on().is_ok());
}

#[test]
fn what_costs_more_than_a_word_counts_as_more() {
    let mut rig = bound();
    rig.machine.limits.words = 1000;
    rig.push(0, method::CLEAR_SURFACE, &[3]);
    rig.push(0, 0, &[crate::rig::KELVIN]);
    rig.push(0, method::SET_BEGIN_END, &[1]);
    rig.push(0, method::DRAW_ARRAYS, &[0]);
    rig.push(0, method::SET_BEGIN_END, &[0]);
    rig.finish();
    rig.push(0, method::CLEAR_SURFACE, &[3]);
    rig.push(0, method::CLEAR_SURFACE, &[3]);
    rig.push(0, method::CLEAR_SURFACE, &[3]);
    rig.push(0, method::GET_REPORT, &[0]);
    rig.push(0, method::CLEAR_SURFACE, &[3]);
    assert_eq!(rig.run().unwrap_err().fault, Fault::TooManyWords(1000));
}

/// What a run leaves, computed one word at a time.
fn reference(memory: &Ram, rig: &Rig) -> (Registers, Result<(), afterimage_nv2a::machine::PusherError>, [u32; 2]) {
    let mut registers = Registers::new();
    let mut walk = rig.machine.walk(memory);
    let mut result = Ok(());
    for step in walk.by_ref() {
        match step {
            Ok(Step { word, what: What::Argument { subchannel: 0, method, .. }, .. }) => registers.set(method, word),
            Ok(_) => {}
            Err(error) => result = Err(error),
        }
    }
    let state = walk.state();
    (registers, result, [state.get, u32::from(state.pending.count)])
}

/// A word of a push buffer that sets state, jumps around in 4 KiB, or is anything.
fn word() -> impl Strategy<Value = u32> {
    let within = (0u32..1024).prop_map(|at| at * 4);
    prop_oneof![
        6 => (0x0C0u16..0x100, 0u16..40, any::<bool>()).prop_map(|(at, count, increasing)| header(at * 4, count, increasing)),
        2 => within.clone().prop_map(|at| at | 1),
        1 => within.clone().prop_map(|at| at | 0x2000_0000),
        1 => within.prop_map(|at| at | 2),
        1 => Just(0x0002_0000),
        2 => Just(0),
        1 => 0u32..1 << 10,
        1 => Just(0xA000_0000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_push_buffers_run_as_if_word_by_word(words in prop::collection::vec(word(), 1024), put in 0u32..1024) {
        let mut rig = bound();
        rig.machine.limits = Limits { words: u64::MAX, jumps: 64 };
        rig.write(0, &words);
        rig.machine.set_pusher(0, put * 4);
        let memory = rig.memory.clone();
        // A loop with arguments in it would never end: those are not for this test.
        prop_assume!(rig.machine.walk(&memory).take(100_000).count() < 100_000);
        let (registers, result, state) = reference(&memory, &rig);
        prop_assert_eq!(rig.go_on().map(|_| ()), result);
        let pusher = rig.machine.pusher();
        prop_assert_eq!([pusher.get, u32::from(pusher.pending.count)], state);
        for at in (0x300..0x400).step_by(4) {
            prop_assert_eq!(rig.get(at), registers.get(at), "{:#x}", at);
        }
    }
}

#[test]
fn a_walk_says_what_each_word_is() {
    let mut memory = Ram::new(4096);
    memory.write(0, &header(FACTOR, 1, true).to_le_bytes()).unwrap();
    let mut rig = bound();
    rig.machine.set_pusher(0, 8);
    let steps: Vec<_> = rig.machine.walk(&memory).map(|step| step.unwrap().what).collect();
    let argument = What::Argument { subchannel: 0, method: FACTOR, left: 0 };
    assert!(matches!(steps[..], [What::Control(Word::Method(_)), last] if last == argument));
}
