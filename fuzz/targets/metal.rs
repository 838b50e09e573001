//! The renderer on Metal, with streams of programs that were changed, over a device that does nothing, and at times has no memory: whatever
//! they hold, it goes on, takes no memory without bound, shows pictures in windows, and the next program finds it as if it were new.
//!
//! Nothing is drawn, so draws may be of any size and shaders may loop.
#![no_main]

use afterimage_fuzz::mutate::{batch, mutate};
use afterimage_fuzz::scenes::{Scene, all};
use afterimage_fuzz::{Input, Slot};
use afterimage_metal::{Options, Renderer};
use afterimage_metal_calls::{Family, null};
use afterimage_stream::{Executor, Reader, Reply};
use std::cell::RefCell;

/// Inputs after which a scene must be executed as it was at first.
const CHECK_EVERY: u64 = 16;
/// Inputs after which there are new renderers.
const RENEW_EVERY: u64 = 512;
/// What Apple's own processors have and Macs by Intel have not, and the other way round.
const FAMILIES: [Family; 2] = [Family::Apple7, Family::Mac2];

/// What a stream comes to.
#[derive(PartialEq)]
struct Outcome {
    /// What is in the arena.
    left: Vec<u8>,
    /// Draws that were asked for, and that were dropped.
    draws: [u64; 2],
    /// The packets that could not be executed.
    errors: Vec<String>,
}

struct Host {
    renderers: Vec<Renderer<null::Device>>,
    scenes: Vec<Scene>,
    /// What each scene comes to, by renderer and scene.
    expected: Vec<Vec<Outcome>>,
    inputs: u64,
}

fn open() -> Vec<Renderer<null::Device>> {
    let open = |family| {
        let mut renderer =
            Renderer::new(null::Device::new(family), Options::default()).expect("a device that does nothing");
        // Every other target has a window.
        renderer.set_layer_factory(Box::new(|target| (target.id.0 & 1 == 0).then_some(Ok(null::Empty))));
        renderer
    };
    FAMILIES.map(open).into()
}

impl Host {
    fn new() -> Self {
        let renderers = open();
        let scenes = all(&renderers[0].device_info());
        let mut host = Self { renderers, scenes, expected: Vec::new(), inputs: 0 };
        for on in 0..host.renderers.len() {
            let expected = host.scenes.clone().iter().map(|scene| host.run(on, scene)).collect();
            host.expected.push(expected);
        }
        host
    }

    /// Runs a stream to its end.
    fn run(&mut self, on: usize, scene: &Scene) -> Outcome {
        let renderer = &mut self.renderers[on];
        let before = [renderer.draws(), renderer.skipped_draws()];
        let arena = Slot(RefCell::new(scene.uploads.clone()));
        let mut errors = Vec::new();
        let mut reply = |reply| {
            if let Reply::Error { sequence } = reply {
                errors.push(sequence);
            }
        };
        let words = batch(scene);
        drop(renderer.execute(&words, &arena, &mut reply));
        renderer.restart(&mut reply).expect("the device is there");
        assert!(renderer.lost().is_none(), "the renderer goes on");
        let packets: Vec<_> = Reader::new(&words).flatten().collect();
        let packet = |sequence: u32| packets.get((sequence as usize).wrapping_sub(1)).map(|located| located.packet);
        Outcome {
            left: arena.0.into_inner(),
            draws: [renderer.draws() - before[0], renderer.skipped_draws() - before[1]],
            errors: errors.into_iter().map(|sequence| format!("{sequence}: {:?}", packet(sequence))).collect(),
        }
    }
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::new(Host::new());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    HOST.with_borrow_mut(|host| {
        let mut input = Input(bytes);
        let choice = usize::from(input.byte());
        let (which, choice) = (choice % host.scenes.len(), choice / host.scenes.len());
        let (on, rest) = (choice % host.renderers.len(), choice / host.renderers.len());
        let mut scene = host.scenes[which].clone();
        mutate(&mut scene, &mut input);
        // In some runs there is no memory for every third object, every sixth, and so on.
        host.renderers[on].device().refuse_every(3 * rest as u64);
        host.run(on, &scene);
        host.renderers[on].device().refuse_every(0);
        host.inputs += 1;
        if host.inputs % CHECK_EVERY == 0 {
            let scene = host.scenes[which].clone();
            let outcome = host.run(on, &scene);
            let expected = &host.expected[on][which];
            assert_eq!(outcome.errors, expected.errors, "the next program is not disturbed");
            assert!(outcome == *expected, "the next program finds the renderer as if it were new");
        }
        if host.inputs % RENEW_EVERY == 0 {
            host.renderers = open();
        }
    });
});
