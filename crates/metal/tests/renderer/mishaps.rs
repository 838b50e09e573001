//! What goes wrong with devices: memory that is not there, devices that go, that hang, shaders that do not end. Whatever it is costs what
//! it must, is said by name, and everybody who waits is answered.

use crate::common::everything::everything;
use crate::common::*;
use afterimage_metal::{Error, Options, Renderer};
use afterimage_metal_calls::Family;
use afterimage_metal_soft::{Mishaps, SoftDevice};
use afterimage_stream::packets::*;
use afterimage_stream::{Executor, Format, ObjectId, Reply};
use std::sync::{Arc, Mutex};

/// Pictures that were shown.
type Shown = Arc<Mutex<Vec<Vec<u8>>>>;

/// The stream of [`everything`], for renderers on other devices.
struct Stream {
    words: Vec<u64>,
    arena: TestArena,
}

impl Stream {
    fn new() -> Self {
        let mut guest = everything();
        let words = std::mem::take(guest.encoder.batch());
        Self { words, arena: guest.arena }
    }

    fn run(&self, renderer: &mut Renderer<SoftDevice>) -> Vec<Reply> {
        let mut replies = Vec::new();
        self.execute(renderer, &mut replies);
        let _there = renderer.finish(&mut |reply| replies.push(reply));
        replies
    }

    fn execute(&self, renderer: &mut Renderer<SoftDevice>, replies: &mut Vec<Reply>) {
        renderer.execute(&self.words, &self.arena, &mut |reply| replies.push(reply)).expect("the stream is right");
    }
}

fn options() -> Options {
    Options { raw_addresses: true, ..Options::default() }
}

/// A renderer on a device with these mishaps, if there can be one, and what it shows.
fn renderer(mishaps: Mishaps) -> (Result<Renderer<SoftDevice>, Error>, Shown) {
    let (shown, device) = (Shown::default(), SoftDevice::new(Family::Apple7).with_mishaps(mishaps));
    let sink = Arc::clone(&shown);
    let renderer = Renderer::new(device, options()).map(|mut renderer| {
        renderer.set_picture_sink(Some(Box::new(move |picture| sink.lock().unwrap().push(picture.rgba.to_vec()))));
        renderer
    });
    (renderer, shown)
}

/// What the stream shows where nothing goes wrong, and the device.
fn reference(stream: &Stream) -> (Vec<u8>, SoftDevice) {
    let (renderer, shown) = renderer(Mishaps::default());
    let mut renderer = renderer.unwrap();
    let replies = stream.run(&mut renderer);
    assert!(!replies.iter().any(|reply| matches!(reply, Reply::Error { .. })), "{replies:?}");
    assert_eq!((renderer.faults(), renderer.skipped_draws()), ((&[][..], 0), 0));
    let shown = shown.lock().unwrap();
    let [picture] = &shown[..] else { panic!("{} pictures", shown.len()) };
    (picture.clone(), renderer.device().clone())
}

/// Answers to what the stream waits for: the query, the picture that is read, its second frame.
fn all_is_answered(replies: &[Reply]) -> bool {
    let query = replies.iter().any(|reply| matches!(reply, Reply::Query { token: 7, .. }));
    let read = replies.iter().any(|reply| matches!(reply, Reply::ReadBack { token: 1, .. }));
    let frame = replies.iter().any(|reply| matches!(reply, Reply::FrameDone { frame: 2 }));
    query && read && frame
}

#[test]
fn memory_that_is_not_there_costs_what_asked_for_it() {
    let stream = Stream::new();
    let (picture, device) = reference(&stream);
    let asked = device.memory_asked();
    assert!(asked > 20, "{asked}");
    let mut refused = 0;
    for number in 0..asked {
        let (renderer, shown) = renderer(Mishaps { no_memory: number..number + 1, ..Mishaps::default() });
        let mut renderer = match renderer {
            Ok(renderer) => renderer,
            Err(error) => {
                assert!(error.to_string().ends_with("out of memory"), "{error}");
                refused += 1;
                continue;
            }
        };
        let replies = stream.run(&mut renderer);
        assert!(renderer.lost().is_none() && all_is_answered(&replies), "{number}: {replies:?}");
        assert_eq!(renderer.faults().0, [], "{number}");
        // What was not there is there again: all is drawn as if nothing had been.
        renderer.restart(&mut |_| {}).unwrap();
        shown.lock().unwrap().clear();
        let (draws, skipped) = (renderer.draws(), renderer.skipped_draws());
        let replies = stream.run(&mut renderer);
        assert!(!replies.iter().any(|reply| matches!(reply, Reply::Error { .. })), "{number}: {replies:?}");
        assert_eq!(renderer.skipped_draws(), skipped, "{number}: of {draws}");
        assert_eq!(&shown.lock().unwrap()[..], std::slice::from_ref(&picture), "{number}");
    }
    assert!(refused + 10 < asked, "{refused} of {asked} renderers could not be made");
}

#[test]
fn without_any_memory_everybody_is_answered() {
    let stream = Stream::new();
    let (_, device) = reference(&stream);
    for number in 0..device.memory_asked() {
        let (renderer, _) = renderer(Mishaps { no_memory: number..u64::MAX, ..Mishaps::default() });
        let Ok(mut renderer) = renderer else { continue };
        let replies = stream.run(&mut renderer);
        assert!(renderer.lost().is_none() && all_is_answered(&replies), "{number}: {replies:?}");
    }
}

#[test]
fn a_device_that_goes_is_said_and_nobody_waits() {
    let stream = Stream::new();
    let (_, device) = reference(&stream);
    let calls = device.calls();
    assert!(calls > 50, "{calls}");
    let mut unheard = 0;
    for after in 0..calls {
        let (renderer, _) = renderer(Mishaps { lost_after: Some(after), ..Mishaps::default() });
        let Ok(mut renderer) = renderer else { continue };
        let mut replies = Vec::new();
        stream.execute(&mut renderer, &mut replies);
        renderer.poll(&mut |reply| replies.push(reply));
        // Where nothing was committed after it had gone, nobody has heard of it.
        let Err(error) = renderer.finish(&mut |reply| replies.push(reply)) else {
            unheard += 1;
            assert!(renderer.lost().is_none() && all_is_answered(&replies), "{after}: {replies:?}");
            continue;
        };
        assert!(matches!(renderer.lost(), Some(Error::DeviceLost(_))), "{after}: {:?}", renderer.lost());
        assert!(all_is_answered(&replies), "{after}: {replies:?}");
        assert!(!renderer.wait(std::time::Duration::from_secs(60)), "nothing is waited for");
        assert!(error.to_string().starts_with("the Metal device was lost: command buffer: "), "{error}");
    }
    assert!(unheard < 5, "{unheard}");
}

#[test]
fn a_gpu_that_hangs_is_said_with_what_it_was_given() {
    let stream = Stream::new();
    let (renderer, _) = renderer(Mishaps { hangs_after: Some(0), ..Mishaps::default() });
    let mut renderer = renderer.unwrap();
    let mut replies = Vec::new();
    stream.execute(&mut renderer, &mut replies);
    let lost = renderer.lost().expect("it was waited for").to_string();
    assert!(lost.starts_with("the GPU has not answered for 60 seconds: frame 1, draw 1 to "), "{lost}");
    assert!(all_is_answered(&replies), "{replies:?}");
}

/// Adds the constant's first component until the sum is more than its second: both are zeros.
const ENDLESS: &str = r#"pixel "endless" {
  output out0 "oC0" : f32x4 location 0
  bank c0 "c" stage 3 [224]
  v0: f32x4 = load_const c0[0]
  v1: f32 = swizzle v0.x
  v2: f32 = swizzle v0.y
  v7: f32 = loop (v3: f32 = v1) {
    v4: bool = flt v2, v3
    if v4 {
      break v3
    } else {
      yield
    }
    v5: f32 = fadd v3, v1
    continue v5
  }
  v8: f32x4 = construct v7, v7, v7, v7
  store_output out0, v8
  return
}
"#;

#[test]
fn a_shader_that_does_not_end_is_named_and_the_next_draw_is_drawn() {
    let mut guest = Guest::with_options(SoftDevice::new(Family::Apple7).with_steps(100_000), options());
    let shown = Shown::default();
    let sink = Arc::clone(&shown);
    guest.renderer.set_picture_sink(Some(Box::new(move |picture| sink.lock().unwrap().push(picture.rgba.to_vec()))));
    let target = guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.shaders(VERTEX, COLOR);
    guest.draw(Topology::TriangleList, 0, 3);
    guest.shaders(VERTEX, ENDLESS);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.present(ObjectId::NONE);
    guest.try_run().unwrap();
    let (faults, count) = guest.renderer.faults();
    assert_eq!(count, 1, "{faults:?}");
    let text = faults[0].to_string();
    assert!(text.starts_with("command buffer: ") && text.contains("does not end: timeout"), "{text}");
    assert!(text.contains("; it is frame 1, draw 1 to 2, pixel shader Shader#4 "), "{text}");
    assert!(text.ends_with(" (1 loop)"), "{text}");
    assert!(guest.renderer.lost().is_none());
    // Another command buffer has time of its own.
    guest.shaders(VERTEX, COLOR);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.present(target);
    guest.try_run().unwrap();
    guest.renderer.finish(&mut |_| {}).unwrap();
    assert_eq!(shown.lock().unwrap()[..], [rgba(GREEN).repeat(256)]);
    assert_eq!(guest.renderer.faults().1, 1);
}
