//! What the driver's calls draw and leave in memory, through machine, translator and renderer, with the validation layer
//! watching.
#![allow(dead_code, reason = "the example uses all of its modules; a test only a part")]

#[path = "../../examples/scene/console.rs"]
mod console;
#[path = "../../examples/scene/scene.rs"]
mod scene;
#[path = "../../examples/scene/shapes.rs"]
mod shapes;

mod captured;
mod d3d9;
mod memory;
mod paths;
mod perspective;

use afterimage_nv2a::driver::{Device, DriverError};
use afterimage_nv2a::machine::Picture;
use afterimage_nv2a::memory::GuestMemory;
use afterimage_vulkan::{Gpu, Options, Renderer, Wishes};
use console::Console;
use std::sync::{Arc, OnceLock};

/// The device, opened once: opening takes longer than most tests.
fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| {
        Gpu::open(&options()).unwrap_or_else(|error| {
            panic!("{error}\n\nThese tests need a Vulkan driver and the validation layer: run `cargo xtask setup`.")
        })
    })
}

fn options() -> Options {
    Options { validate: true, cache_dir: None, wishes: Wishes::default(), ..Options::from_env() }
}

fn renderer() -> Renderer {
    Renderer::on(Arc::clone(gpu()), options()).expect("a renderer")
}

/// Draws with a device on a console of its own. Any message of the validation layer is a failure.
fn on_console<T>(draw: impl FnOnce(&mut Console, &mut Device) -> T) -> T {
    let mut console = Console::new(renderer(), "driver_pictures");
    let mut device = console.device().expect("a device");
    let result = draw(&mut console, &mut device);
    console.finish().expect("the render thread");
    assert_eq!(gpu().instance.validation_messages(), 0, "the validation layer reported something: see the log");
    result
}

/// Arguments to a method and those after it, as a program writes them by itself.
fn raw(device: &mut Device, method: u16, arguments: &[u32]) -> Result<(), DriverError> {
    device.begin_push()?;
    device.end_push(&[&[(arguments.len() as u32) << 18 | u32::from(method)], arguments].concat())
}

/// A word of memory, after what was drawn there has arrived.
fn word(console: &mut Console, address: u32) -> u32 {
    console.nv2a.write_back(address, 4);
    console.nv2a.memory.word(address).expect("inside of memory")
}

fn write(console: &mut Console, address: u32, bytes: &[u8]) {
    console.nv2a.memory.write(address, bytes).expect("inside of memory");
}

/// How many pixels differ by more than `levels` in red, green or blue.
fn differing(a: &Picture, b: &Picture, levels: u8) -> usize {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pixels = a.rgba.chunks_exact(4).zip(b.rgba.chunks_exact(4));
    pixels.filter(|(a, b)| (0..3).any(|channel| a[channel].abs_diff(b[channel]) > levels)).count()
}

#[test]
fn frames_of_the_example_differ_and_come_again() {
    let draw = |frames: &[u32]| {
        on_console(|console, device| {
            let mut scene = scene::Scene::new(console, device).expect("resources");
            let mut draw = |&frame: &u32| {
                scene.draw(console, device, frame).expect("a frame");
                console.picture(scene.buffer(frame), scene::SIZE, scene::PITCH).expect("inside of memory")
            };
            frames.iter().map(&mut draw).collect::<Vec<_>>()
        })
    };
    let frames = draw(&[1, 2, 20]);
    assert!(differing(&frames[0], &frames[2], 16) > 10_000, "it moves");
    assert_eq!(draw(&[2])[0], frames[1], "a frame does not depend on those before it");
}
