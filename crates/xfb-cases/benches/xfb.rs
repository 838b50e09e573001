//! Captured vertices a second: the device's own transform feedback, and both lowered forms, for lists, strips and fans of all sizes.
//!
//! The shader does what vertex shaders do: it reads a position, multiplies it with a matrix, and captures the result and one number more.
//! `gather` has its numbers from the host, `prepared` from a buffer, through the `prepare` shader. What is measured is all from packets
//! to the end of the submission, per vertex of the draw; every draw is feedback of its own.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use afterimage_bench::Bench;
use afterimage_passes::feedback::Form;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, VertexFormat};
use afterimage_vulkan::{Options, Without};
use afterimage_xfb_cases::guest::Guest;

/// Bytes of a captured vertex.
const STRIDE: u64 = 20;
/// Vertices of the submissions that are measured, as far as draws are not larger.
const SUBMISSION: u32 = 20_000;
/// Most draws of a submission.
const MOST_DRAWS: u32 = 500;
/// How long any one measurement may take.
const LIMIT: Duration = Duration::from_secs(300);

const SHADER: &str = r#"vertex "bench" {
  input in0 "position" : f32x4 location 0 smooth
  input in1 : i32 vertex_index smooth
  output out0 : f32x4 position
  output out1 : i32 location 0
  feedback out0.xyzw buffer 0 stream 0 stride 20 offset 0
  feedback out1.x buffer 0 stream 0 stride 20 offset 16
  bank c0 "c" stage 0 [256]
  v0: f32x4 = load_input in0
  v1: f32x4 = load_const c0[0]
  v2: f32x4 = load_const c0[1]
  v3: f32x4 = load_const c0[2]
  v4: f32x4 = load_const c0[3]
  v5: f32 = fdot v0, v1
  v6: f32 = fdot v0, v2
  v7: f32 = fdot v0, v3
  v8: f32 = fdot v0, v4
  v9: f32x4 = construct v5, v6, v7, v8
  v10: i32 = load_input in1
  store_output out0, v9
  store_output out1, v10
  return
}"#;

/// A way to capture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Native,
    Gather,
    Prepared,
    Scatter,
}

impl Way {
    const ALL: [(Self, &str); 4] = [
        (Self::Native, "native"),
        (Self::Gather, "gather"),
        (Self::Prepared, "gather, prepared"),
        (Self::Scatter, "scatter"),
    ];
}

/// The topologies.
const TOPOLOGIES: [(Topology, &str); 3] =
    [(Topology::TriangleList, "list"), (Topology::TriangleStrip, "strip"), (Topology::TriangleFan, "fan")];

/// A renderer with everything bound.
struct Rig {
    guest: Guest,
    way: Way,
    arguments: ObjectId,
}

impl Rig {
    fn new(way: Way, vertices: u32) -> Result<Self, String> {
        let options = Options::from_env();
        let without = Without { transform_feedback: way != Way::Native, ..options.without };
        let feedback_form = if way == Way::Scatter { Form::Scatter } else { Form::Gather };
        let options =
            Options { cache_dir: None, validate: false, validate_if_there: false, without, feedback_form, ..options };
        let mut guest = Guest::open(options).map_err(|error| error.to_string())?;
        let vertex = guest.shader(SHADER);
        guest.encoder.push(&SetShaders { vertex, ..Default::default() });
        guest.encoder.push(&SetRaster { discard: 1, ..SetRaster::default() });
        let layout = guest.id(ObjectKind::VertexInput);
        let attribute = VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32A32_SFLOAT, 0);
        guest.encoder.push_tail(&CreateVertexInput { id: layout, count: 1 }, &[attribute]);
        guest.encoder.push(&SetVertexInput { id: layout, pad: 0 });
        let words: Vec<u32> = (0..4 * vertices).map(|n| (n as f32 * 0.25).to_bits()).collect();
        let source = guest.buffer(CreateBuffer::VERTEX, &words);
        guest.encoder.push_tail(
            &SetVertexBuffers { first: 0, count: 1 },
            &[VertexBuffer { source, stride: 16, offset: 0, size: 0 }],
        );
        let matrix = [[1.0, 0.5, 0.25, 0.0], [0.0, 1.0, 0.5, 0.25], [0.25, 0.0, 1.0, 0.5], [0.5, 0.25, 0.0, 1.0]];
        let matrix = matrix.map(|row: [f32; 4]| row.map(f32::to_bits));
        guest.encoder.push_tail(&SetConstants { bank: 0, first: 0, count: 4 }, &matrix);
        let size = u64::from(vertices) * 3 * STRIDE;
        let buffer = guest.room(CreateBuffer::STORAGE, size);
        let bound = FeedbackBuffer { buffer, pad: 0, offset: 0, size: 0 };
        guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &[bound]);
        let arguments = guest.buffer(CreateBuffer::STORAGE, &[vertices, 1, 0, 0]);
        guest.execute().map_err(|error| error.to_string())?;
        guest.uploads.clear();
        Ok(Self { guest, way, arguments })
    }

    /// Captures draws, and waits for them.
    fn capture(&mut self, topology: Topology, count: u32, draws: u32) {
        let encoder = &mut self.guest.encoder;
        let topology = topology as u32;
        for _ in 0..draws {
            encoder.push(&BeginFeedback::default());
            if self.way == Way::Prepared {
                let (buffer, offset) = (self.arguments, 0);
                encoder.push(&DrawIndirect { topology, indexed: 0, buffer, count: 1, offset, stride: 0, pad: 0 });
            } else {
                encoder.push(&Draw { topology, first: 0, count, instances: 1, first_instance: 0, pad: 0 });
            }
            encoder.push(&EndFeedback::default());
        }
        self.guest.end_frame();
        if let Err(error) = self.guest.execute() {
            panic!("{error}");
        }
    }
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("xfb");
    // On a thread of its own, so that a device that hangs is noticed.
    let (done, heard) = mpsc::channel();
    let most = std::env::var("AFTERIMAGE_XFB_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(10_000_000);
    let thread = std::thread::spawn(move || {
        let sizes = std::iter::successors(Some(10u32), |n| n.checked_mul(10)).take_while(|n| *n <= most);
        for n in sizes {
            let open = |way| Rig::new(way, n).inspect_err(|error| println!("skipped: {error}"));
            let mut rigs: Vec<(Rig, &str)> =
                Way::ALL.iter().filter_map(|(way, name)| Some((open(*way).ok()?, *name))).collect();
            for (topology, name) in TOPOLOGIES {
                bench.new_baseline();
                let draws = (SUBMISSION / n).clamp(1, MOST_DRAWS);
                for (rig, way) in &mut rigs {
                    bench.case(&format!("{name} of {n}, {way}"), (n * draws) as usize, || {
                        rig.capture(topology, n, draws);
                    });
                    let _ = done.send(());
                }
            }
        }
        bench
    });
    loop {
        match heard.recv_timeout(LIMIT) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => {
                eprintln!("no measurement ended within {} s: the device hangs", LIMIT.as_secs());
                std::process::exit(1);
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match thread.join() {
        Ok(bench) => bench.finish(),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
