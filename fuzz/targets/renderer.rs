//! The renderer, with streams of programs that were changed: whatever they hold, it goes on, and the next program finds it as if it were
//! new.
//!
//! lavapipe runs what it is told to its end, so draws are kept small and shaders that loop, unless they are the scenes' own, are refused
//! here; ending those is the watchdog's work. With AFTERIMAGE_VALIDATE=1 the validation layer must have nothing to say.
#![no_main]

use afterimage_fuzz::mutate::{batch, mutate};
use afterimage_fuzz::scenes::{Scene, all};
use afterimage_fuzz::{Input, Slot, tame};
use afterimage_stream::{Executor, Reader, Reply};
use afterimage_vulkan::{Options, Renderer};
use std::cell::RefCell;

/// Inputs after which a scene must look as it did at first.
const CHECK_EVERY: u64 = 16;
/// Inputs after which there is a new renderer.
const RENEW_EVERY: u64 = 512;

struct Host {
    renderer: Option<Renderer>,
    scenes: Vec<Scene>,
    /// What each scene leaves in its arena.
    expected: Vec<Vec<u8>>,
    inputs: u64,
}

impl Host {
    fn new() -> Self {
        let scenes = all(&open(&[]).device_info());
        let mut host = Self { renderer: None, scenes, expected: Vec::new(), inputs: 0 };
        for scene in host.scenes.clone() {
            let (left, errors) = host.run(&scene);
            assert!(errors.is_empty(), "a scene is right: {errors:#?}");
            host.expected.push(left);
        }
        host
    }

    /// Runs a stream to its end; what is in the arena then, and the packets that could not be executed.
    fn run(&mut self, scene: &Scene) -> (Vec<u8>, Vec<String>) {
        let renderer = self.renderer.get_or_insert_with(|| open(&self.scenes));
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
        assert_eq!(renderer.validation_messages(), 0, "the validation layer has nothing to say");
        let packets: Vec<_> = Reader::new(&words).flatten().collect();
        let packet = |sequence: u32| packets.get((sequence as usize).wrapping_sub(1)).map(|located| located.packet);
        (
            arena.0.into_inner(),
            errors.into_iter().map(|sequence| format!("{sequence}: {:?}", packet(sequence))).collect(),
        )
    }
}

fn open(scenes: &[Scene]) -> Renderer {
    // Runs as one call, which software devices would draw one by one.
    let options = Options { cache_dir: None, validate_if_there: false, merge_draws: Some(true), ..Options::from_env() };
    if options.validate {
        // What the validation layer says. Renderers are opened again and again: only the first one starts the log.
        let log = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::ERROR);
        drop(log.with_writer(std::io::stderr).try_init());
    }
    let mut renderer = Renderer::new(options).expect("a Vulkan device: run `cargo xtask setup`");
    let own: Vec<_> = scenes.iter().flat_map(Scene::shaders).collect();
    renderer.set_shader_replacer(Some(Box::new(move |body, code| tame::replace(&own, body, code))));
    renderer
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::new(Host::new());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    HOST.with_borrow_mut(|host| {
        let mut input = Input(bytes);
        let which = usize::from(input.byte()) % host.scenes.len();
        let mut scene = host.scenes[which].clone();
        mutate(&mut scene, &mut input);
        tame::tame(&mut scene);
        host.run(&scene);
        host.inputs += 1;
        if host.inputs % CHECK_EVERY == 0 {
            let scene = host.scenes[which].clone();
            let (left, errors) = host.run(&scene);
            assert!(errors.is_empty(), "the next program is not disturbed: {errors:#?}");
            assert!(left == host.expected[which], "the next program finds the renderer as if it were new");
        }
        if host.inputs % RENEW_EVERY == 0 {
            host.renderer = None;
        }
    });
});
