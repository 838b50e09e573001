//! The watchdog of renderers with a process of their own: what hangs is blamed by name, and nothing else is.
//!
//! What hangs cannot be ended but with its process, so those tests run themselves again as one.
#![cfg(target_os = "linux")]

mod common;

use afterimage_ipc::{Journal, Task};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, Kind, ObjectId};
use afterimage_vulkan::{Hang, OwnProcess};
use common::code::{Code, bind_storage};
use common::*;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// Says to a process that it is the one to hang.
const HANGS: &str = "AFTERIMAGE_TEST_HANGS";
/// Its exit status when the watchdog has ended it.
const HUNG: i32 = 124;

const PASS: &str = "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0";
const GREEN_PIXELS: &str = "ps_3_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0";
/// Legal, and at it for 4 billion rounds a pixel. lavapipe leaves loops after 65,535 rounds, so there must be many pixels, too.
const ENDLESS: &str = "ps_3_0\n\
    defi i0, 255, 0, 0, 0\n\
    def c0, 0.5, 0.999, 0.001, 1\n\
    mov r0, c0\n\
    rep i0\n rep i0\n rep i0\n rep i0\n\
    mad r0, r0, c0.y, c0.z\n\
    sincos r1.xy, r0.x\n\
    add r0.y, r0.y, r1.x\n\
    endrep\n endrep\n endrep\n endrep\n\
    mov oC0, r0";

/// In the test's own process: runs the test again and tells what that said before the watchdog ended it. `None` in the other.
fn hung(test: &str) -> Option<String> {
    if std::env::var_os(HANGS).is_some() {
        // SAFETY: no preconditions. Ends the process if the watchdog does not.
        unsafe { libc::alarm(300) };
        return None;
    }
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    let output = command.args(["--exact", test, "--nocapture", "--test-threads", "1"]).env(HANGS, "1").output();
    let output = output.expect("this program runs again");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let (code, signal) = (output.status.code(), output.status.signal());
    assert_eq!((code, signal), (Some(HUNG), None), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
    Some(said)
}

/// Ends the process and says why.
fn ending(gpu_timeout: Duration) -> OwnProcess {
    let on_hang = |hang: &Hang| {
        let _nobody_reads = writeln!(std::io::stderr(), "{hang}\nmeanwhile: {}", hang.doing);
        // SAFETY: no preconditions. Nothing of the driver's may run any more, as it would at an orderly end.
        unsafe { libc::_exit(HUNG) };
    };
    OwnProcess { journal: None, gpu_timeout, opened: None, on_hang: Arc::new(on_hang) }
}

/// Remembers what was blamed.
fn remembering(gpu_timeout: Duration) -> (OwnProcess, Arc<Mutex<Vec<Hang>>>, Arc<Journal>) {
    let (hangs, journal) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Journal::local()));
    let blamed = Arc::clone(&hangs);
    let on_hang = Arc::new(move |hang: &Hang| blamed.lock().unwrap().push(hang.clone()));
    (OwnProcess { journal: Some(Arc::clone(&journal)), gpu_timeout, opened: None, on_hang }, hangs, journal)
}

fn bind_shaders(guest: &mut Guest, vertex: ObjectId, pixel: ObjectId) {
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
}

/// What tools call a shader of assembly text.
fn hash(text: &str) -> String {
    let tokens = afterimage_shader_d3d9::assemble(text).expect("a right shader");
    format!("{:016x}", (xxh3_128(bytemuck::cast_slice(&tokens)) >> 64) as u64)
}

#[test]
fn an_endless_pixel_shader_is_blamed_by_name() {
    if let Some(said) = hung("an_endless_pixel_shader_is_blamed_by_name") {
        let wanted = format!(
            "the GPU did not finish a submission within 1 s: frame 3, draw 1 to 3, pixel shader Shader#3 {} (4 loops, 4 deep)",
            hash(ENDLESS)
        );
        assert!(said.lines().any(|line| line == wanted), "{wanted}\n{said}");
        return;
    }
    let mut guest = Guest::with_own_process(ending(Duration::from_secs(1)));
    let target = guest.target(Format::R8G8B8A8_UNORM, 1024, 1024);
    guest.layout();
    let vertex = guest.d3d9_shader(Stage::Vertex, PASS);
    let pixel = guest.d3d9_shader(Stage::Pixel, GREEN_PIXELS);
    let endless = guest.d3d9_shader(Stage::Pixel, ENDLESS);
    for _ in 0..2 {
        bind_shaders(&mut guest, vertex, pixel);
        guest.draw_now(&full(0.5, RED));
        guest.present(target);
        guest.run();
    }
    guest.draw_now(&full(0.5, RED));
    bind_shaders(&mut guest, vertex, endless);
    guest.draw_now(&full(0.5, RED));
    bind_shaders(&mut guest, vertex, pixel);
    // Not over all of it: drivers leave out what nobody will see.
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 0.0], 0.5, RED));
    guest.present(target);
    guest.run();
    guest.finish();
}

#[test]
fn an_endless_compute_shader_is_blamed_by_name() {
    if let Some(said) = hung("an_endless_compute_shader_is_blamed_by_name") {
        let wanted = "the GPU did not finish a submission within 1 s: frame 1, draw 1 to 2, compute shader Shader#1 ";
        let line = said.lines().find(|line| line.starts_with(wanted));
        assert!(line.is_some_and(|line| line.ends_with(" (4 loops, 4 deep)")), "{wanted}\n{said}");
        return;
    }
    let mut guest = Guest::with_own_process(ending(Duration::from_secs(1)));
    let shader = |guest: &mut Guest, loops: usize| {
        let mut code = Code::compute(64);
        let lane = code.lane(64);
        let (sum, rounds) = (code.b.var("sum", afterimage_ir::Type::I32), code.b.i32(60_000));
        let (one, three) = (code.b.i32(1), code.b.i32(3));
        let counters: Vec<_> = (0..loops).map(|_| code.b.var("round", afterimage_ir::Type::I32)).collect();
        for counter in &counters {
            let zero = code.b.i32(0);
            code.b.store(*counter, zero);
            code.b.begin_loop();
            let round = code.b.load(*counter);
            let done = code.b.ilt(rounds, round);
            code.b.break_if(done);
            let next = code.b.iadd(round, one);
            code.b.store(*counter, next);
        }
        let old = code.b.load(sum);
        let product = code.b.imul(old, three);
        let new = code.b.iadd(product, lane);
        code.b.store(sum, new);
        counters.iter().for_each(|_| code.b.end_loop());
        let (place, value) = (code.word(0, lane), code.b.load(sum));
        code.b.store_global(place, value);
        code.create(guest)
    };
    let (endless, short) = (shader(&mut guest, 4), shader(&mut guest, 0));
    let out = guest.words(&[0; 4096]);
    bind_storage(&mut guest, Stage::Compute, &[out]);
    guest.dispatch(short, [64, 1, 1]);
    guest.dispatch(endless, [64, 1, 1]);
    guest.read_words(out, 0, 1);
}

#[test]
fn a_packet_without_end_is_blamed() {
    if let Some(said) = hung("a_packet_without_end_is_blamed") {
        let wanted = "a packet took longer than 1 s: frame 1, packet CreateShader (sequence ";
        assert!(said.lines().any(|line| line.starts_with(wanted)), "{wanted}\n{said}");
        return;
    }
    let mut guest = Guest::with_own_process(ending(Duration::from_millis(100)));
    guest.renderer.set_shader_replacer(Some(Box::new(|_, _| {
        loop {
            std::thread::park();
        }
    })));
    guest.d3d9_shader(Stage::Pixel, GREEN_PIXELS);
    guest.run();
}

/// A packet, such as a large shader's, may take more than the GPU may.
#[test]
fn what_takes_its_time_but_ends_is_not_blamed() {
    let limit = Duration::from_secs(1);
    let (own, hangs, journal) = remembering(limit);
    let mut guest = Guest::with_own_process(own);
    guest.renderer.set_shader_replacer(Some(Box::new(move |_, _| {
        // This is what takes its time.
        std::thread::sleep(limit * 2);
        None
    })));
    guest.d3d9_shader(Stage::Pixel, GREEN_PIXELS);
    guest.run();
    assert!(hangs.lock().unwrap().is_empty());
    assert!(journal.read().busy > Duration::ZERO, "the watchdog has seen it");
    guest.finish();
}

#[test]
fn a_scene_that_behaves_is_not_blamed_and_its_journal_says_what_it_did() {
    let (own, hangs, journal) = remembering(OwnProcess::AUTOMATIC);
    let mut guest = Guest::with_own_process(own);
    let target = guest.target(Format::R8G8B8A8_UNORM, 64, 64);
    guest.layout();
    let vertex = guest.d3d9_shader(Stage::Vertex, PASS);
    let pixel = guest.d3d9_shader(Stage::Pixel, GREEN_PIXELS);
    bind_shaders(&mut guest, vertex, pixel);
    guest.run();
    for _ in 0..50 {
        guest.arena.rewind();
        guest.draw_now(&full(0.5, RED));
        guest.draw_now(&full(0.5, RED));
        guest.present(target);
        guest.run();
    }
    guest.draw_now(&full(0.5, RED));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 64 * 64);
    let doing = journal.read();
    assert_eq!((doing.frame, doing.draw, doing.packet), (Some(51), 1, None), "{doing}");
    assert!(doing.tasks.is_empty() || doing.tasks.iter().all(|(task, _)| *task == Task::Pipeline), "{doing}");
    assert_eq!(doing.in_flight, [], "what was read back is completed");
    let work = journal.work(journal.submitted()).expect("the last submission");
    assert_eq!((work.frames, work.draws), ([51, 51], [1, 1]));
    let named: Vec<_> = work.suspects.iter().map(|suspect| (suspect.loops, format!("{:016x}", suspect.hash))).collect();
    assert!(named.iter().all(|name| [(0, hash(PASS)), (0, hash(GREEN_PIXELS))].contains(name)), "{named:?}");
    assert_eq!(named.len(), 1, "without loops, what has the most code");
    assert!(hangs.lock().unwrap().is_empty());
    guest.finish();
}

/// Devices of one program are in one process.
#[test]
fn two_renderers_with_one_journal_do_not_mix_up_their_work() {
    let (own, hangs, journal) = remembering(OwnProcess::AUTOMATIC);
    let mut guests = [Guest::with_own_process(own.clone()), Guest::with_own_process(own.clone())];
    for guest in &mut guests {
        let target = guest.target(Format::R8G8B8A8_UNORM, 16, 16);
        guest.present(target);
        guest.run();
    }
    let [mut first, second] = guests;
    second.finish();
    first.pixels();
    assert_eq!(journal.read().frame, Some(2), "the first one's, which goes on");
    let submitted = journal.submitted();
    assert!(submitted > 0 && journal.completed() == submitted);
    first.finish();
    let third = Guest::with_own_process(own);
    assert_eq!((journal.read().frame, journal.submitted()), (None, 0), "it is the next one's");
    third.finish();
    assert!(hangs.lock().unwrap().is_empty());
}

/// What a renderer does is there for whoever looks, in the middle of it.
#[test]
fn the_journal_names_the_packet_that_is_executed() {
    let (own, _, journal) = remembering(Duration::ZERO);
    let mut guest = Guest::with_own_process(own);
    let (seen, other) = (Arc::new(Mutex::new(None)), Arc::clone(&journal));
    let see = Arc::clone(&seen);
    guest.renderer.set_shader_replacer(Some(Box::new(move |_, _| {
        *see.lock().unwrap() = Some(other.read());
        None
    })));
    guest.d3d9_shader(Stage::Pixel, GREEN_PIXELS);
    guest.run();
    let doing = seen.lock().unwrap().take().expect("it was asked");
    let (kind, sequence) = doing.packet.expect("a packet");
    assert_eq!((doing.frame, kind), (Some(1), Kind::CreateShader));
    assert_eq!(doing.to_string(), format!("frame 1, packet CreateShader (sequence {sequence})"));
    assert_eq!(journal.read().packet, None, "it is done");
    guest.finish();
}
