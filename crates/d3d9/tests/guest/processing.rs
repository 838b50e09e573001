//! `ProcessVertices` as packets: who does the work, and when the bytes come back.

use crate::common::Rig;
use afterimage_d3d9::*;
use afterimage_d3d9_types::*;

const FVF: u32 = D3DFVF_XYZ | D3DFVF_DIFFUSE;
const PROCESSED: u32 = D3DFVF_XYZRHW | D3DFVF_DIFFUSE;
/// Vertices that are enough for the GPU, and bytes of them.
const MANY: u32 = 8;
const BYTES: u32 = MANY * 20;
/// Vertices that are enough even where the program looks at them.
const VERY_MANY: u32 = 64;

struct Bench {
    rig: Rig,
    target: BufferId,
}

impl Bench {
    fn new() -> Self {
        let mut rig = Rig::new();
        let d = &mut rig.device;
        let source = d.create_vertex_buffer(16 * 4096, 0, FVF, D3DPOOL_DEFAULT).unwrap();
        let target = d.create_vertex_buffer(20 * 4096, 0, PROCESSED, D3DPOOL_SYSTEMMEM).unwrap();
        d.set_fvf(FVF).unwrap();
        d.set_stream_source(0, Some(source), 0, 16).unwrap();
        Self { rig, target }
    }

    fn process(&mut self, count: u32) -> Vec<String> {
        self.packets(|d, target| d.process_vertices(0, 0, count, target, None, 0).unwrap())
    }

    /// The names of packets that calls become.
    fn packets(&mut self, calls: impl FnOnce(&mut Device, BufferId)) -> Vec<String> {
        self.rig.packets();
        calls(&mut self.rig.device, self.target);
        let name = |line: &String| line.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
        self.rig.packets().iter().map(name).collect()
    }

    fn lock(&mut self, offset: u32, size: u32, flags: u32) -> Vec<String> {
        self.packets(|d, target| {
            d.lock_buffer(target, offset, size, flags).unwrap();
            d.unlock_buffer(target).unwrap();
        })
    }
}

fn has(packets: &[String], name: &str) -> bool {
    packets.iter().any(|packet| packet == name)
}

#[test]
fn many_vertices_are_the_gpus_work_and_come_back_when_they_are_locked() {
    let mut bench = Bench::new();
    let few = bench.process(MANY - 1);
    assert!(has(&few, "UpdateBuffer") && !has(&few, "Draw"), "{few:?}");
    let many = bench.process(MANY);
    let captured = ["SetFeedbackBuffers", "BeginFeedback", "Draw", "EndFeedback", "SetFeedbackBuffers"];
    assert_eq!(many[many.len() - 5..], captured);
    assert!(has(&many, "CreateShader") && has(&many, "CreateVertexInput"));
    // The second time everything is there.
    let again = bench.process(MANY);
    assert_eq!(again[again.len() - 5..], captured);
    assert!(!again.iter().any(|packet| packet.starts_with("Create")), "{again:?}");
    // Draws need nothing of it here.
    let drawn = bench.packets(|d, target| {
        d.set_fvf(PROCESSED).unwrap();
        d.set_stream_source(0, Some(target), 0, 20).unwrap();
        d.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).unwrap();
    });
    assert!(has(&drawn, "Draw") && has(&drawn, "SetRaster") && !has(&drawn, "ReadBuffer"), "{drawn:?}");
    let locked = bench.lock(BYTES - 4, 4, D3DLOCK_READONLY);
    assert!(has(&locked, "ReadBuffer") && !has(&locked, "UpdateBuffer"), "{locked:?}");
    assert!(!has(&bench.lock(0, 4, 0), "ReadBuffer"), "it is here now");
    bench.rig.check();
}

#[test]
fn who_looks_at_vertices_makes_them_where_that_is_sooner() {
    let mut bench = Bench::new();
    assert!(has(&bench.process(MANY), "BeginFeedback"));
    assert!(has(&bench.lock(0, 0, D3DLOCK_READONLY), "ReadBuffer"));
    assert!(!has(&bench.process(MANY), "BeginFeedback"), "they were looked at");
    assert!(has(&bench.process(VERY_MANY), "BeginFeedback"), "those are very many");
    // A program that has stopped to look goes on so.
    (0..6).for_each(|_| assert!(!has(&bench.process(MANY), "BeginFeedback")));
    assert!(has(&bench.process(MANY), "BeginFeedback"), "nobody has looked at the last eight");
    bench.rig.check();
}

#[test]
fn clip_codes_come_back_when_somebody_asks() {
    let mut bench = Bench::new();
    bench.rig.log().read_value = 0x12;
    assert!(!has(&bench.process(MANY), "ReadBuffer"));
    assert_eq!(bench.rig.device.clip_status().unwrap().ClipIntersection, 0x1212_1212);
    // Those that nobody wants any more are never read.
    bench.process(MANY);
    bench.rig.device.set_clip_status(&D3DCLIPSTATUS9 { ClipUnion: 1, ClipIntersection: 3 });
    assert_eq!(bench.rig.device.clip_status().unwrap(), D3DCLIPSTATUS9 { ClipUnion: 1, ClipIntersection: 3 });
    // Without clipping there are none.
    bench.rig.device.set_render_state(D3DRS_CLIPPING, 0).unwrap();
    bench.process(MANY);
    let asked = bench.packets(|d, _| _ = d.clip_status().unwrap());
    assert!(!has(&asked, "ReadBuffer"), "{asked:?}");
    bench.rig.check();
}

#[test]
fn a_buffer_that_is_read_or_locked_is_processed_here() {
    let mut bench = Bench::new();
    let target = bench.target;
    let d = &mut bench.rig.device;
    d.lock_buffer(target, 0, 0, 0).unwrap();
    assert!(!has(&bench.process(MANY), "BeginFeedback"), "it is locked");
    bench.rig.device.unlock_buffer(target).unwrap();
    assert!(has(&bench.process(VERY_MANY), "BeginFeedback"));
    // In place: the bytes come here first.
    let d = &mut bench.rig.device;
    d.set_fvf(PROCESSED).unwrap();
    d.set_stream_source(0, Some(target), 0, 20).unwrap();
    let own = bench.process(MANY);
    assert!(has(&own, "ReadBuffer") && has(&own, "UpdateBuffer") && !has(&own, "BeginFeedback"), "{own:?}");
    bench.rig.check();
}

#[test]
fn what_only_a_lost_receiver_had_is_gone() {
    let mut bench = Bench::new();
    bench.lock(0, 0, 0);
    bench.process(MANY);
    bench.rig.log().kill();
    assert_eq!(bench.rig.present(), Err(Error::DeviceLost));
    // Meanwhile the interpreter does everything.
    bench.rig.device.process_vertices(0, 0, MANY, bench.target, None, 0).unwrap();
    bench.rig.log().restart();
    assert_eq!(bench.rig.device.test_cooperative_level(), Ok(()));
    let locked = bench.lock(0, 0, D3DLOCK_READONLY);
    assert!(!has(&locked, "ReadBuffer"), "{locked:?}");
    // Shader and layout are made again.
    let again = bench.process(VERY_MANY);
    assert!(has(&again, "BeginFeedback"), "{again:?}");
    bench.rig.present().unwrap();
    bench.rig.check();
}
