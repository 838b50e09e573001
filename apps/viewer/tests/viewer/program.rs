//! Programs that draw through shared memory, as this process or as one of their own.

use afterimage_ipc::ArenaConfig;
use afterimage_ipc::shared::{Options, SharedLink};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, Link, LinkError, ObjectId, ObjectKind, Reply, UploadRef, VertexFormat};
use bytemuck::Zeroable;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const TEXTURE: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
pub(crate) const TARGET: ObjectId = ObjectId::new(ObjectKind::Target, 1);

pub(crate) struct Program {
    pub(crate) link: SharedLink,
    pub(crate) stream: Encoder,
    pub(crate) epoch: u32,
    pub(crate) fresh: bool,
    pub(crate) target: PresentTarget,
    name: String,
    /// Edge of the picture in pixels.
    edge: u32,
}

impl Program {
    pub(crate) fn connect(directory: &Path) -> Self {
        Self::named(directory, "colours")
    }

    pub(crate) fn named(directory: &Path, name: &str) -> Self {
        let mut link = SharedLink::connect(&Options {
            directory: Some(directory.to_path_buf()),
            program: name.into(),
            wait: Duration::from_secs(60),
            arena: ArenaConfig::default(),
        })
        .unwrap();
        let epoch = link.epoch();
        let target = PresentTarget { id: TARGET, width: 8, height: 8, window_kind: 0, window: 0 };
        Self { link, stream: Encoder::new(), epoch, fresh: true, target, name: name.into(), edge: 8 }
    }

    /// Everything that a new viewer has to know.
    pub(crate) fn create(&mut self) {
        self.stream.restart();
        let name = self.name.as_bytes();
        self.stream.push_tail(&Init { version: Init::VERSION, count: name.len() as u32, process: 1, guest: 1 }, name);
        self.stream.push(&self.target);
        self.stream.push(&CreateTexture {
            usage: CreateTexture::TARGET,
            ..CreateTexture::plain(TEXTURE, Format::B8G8R8A8_UNORM, [self.edge, self.edge])
        });
        self.fresh = false;
    }

    pub(crate) fn frame(&mut self, frame: u64) -> Result<(), LinkError> {
        if self.fresh {
            self.create();
        }
        self.stream.push(&BeginFrame { frame });
        self.clear(TEXTURE, colour(frame));
        self.show(frame)
    }

    /// Presents the picture, and ends the frame.
    fn show(&mut self, frame: u64) -> Result<(), LinkError> {
        self.stream.push(&Present { frame, target: TARGET, texture: TEXTURE, ..Present::zeroed() });
        self.link.submit(self.stream.batch())?;
        self.link.end_frame(frame)?;
        while let Some(reply) = self.link.poll() {
            assert!(!matches!(reply, Reply::Error { .. }), "{reply:?}");
        }
        Ok(())
    }
}

pub(crate) fn colour(frame: u64) -> [u8; 3] {
    [frame as u8, 255 - frame as u8, (frame * 7) as u8]
}

/// The colour behind what [`Drawing`] draws.
pub(crate) const BEHIND: [u8; 3] = [10, 20, 30];

/// What [`Drawing`] renders to a texture.
pub(crate) fn inner(frame: u64) -> [u8; 3] {
    colour(frame).map(|channel| 255 - channel)
}

/// A program that draws, on a thread of its own. Each frame has five calls: it clears a texture to the frame's inner colour and
/// the picture to what lies behind, draws a texture with the frame's colour upon it, draws the first one in a corner, and presents.
pub(crate) struct Drawing {
    frames: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Drawing {
    /// Edge of its picture.
    const EDGE: u32 = 16;

    const VERTEX: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/plain.air");
    const PIXEL: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/texture.air");

    pub(crate) fn start(directory: &Path) -> Self {
        Self::named(directory, "colours", colour)
    }

    /// One with another name and other colours; with another target than the picture's size it is stretched.
    pub(crate) fn named(directory: &Path, name: &str, colour: fn(u64) -> [u8; 3]) -> Self {
        let mut program = Program::named(directory, name);
        program.edge = Self::EDGE;
        (program.target.width, program.target.height) = (320, 240);
        let (frames, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counter, end) = (Arc::clone(&frames), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            program.create_drawing();
            for frame in 1.. {
                if end.load(Ordering::SeqCst) || program.drawing(frame, colour(frame)).is_err() {
                    break;
                }
                counter.store(frame, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { frames, stop, thread }
    }

    /// The same as a process of its own, which can be killed.
    pub(crate) fn process(directory: &Path) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "program::child", "--test-threads=1"])
            .env(CHILD, directory)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub(crate) fn frame(&self) -> u64 {
        self.frames.load(Ordering::SeqCst)
    }

    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().unwrap();
    }
}

/// The directory in which the process draws that [`Drawing::process`] starts.
const CHILD: &str = "AFTERIMAGE_TEST_CHILD";

#[test]
fn child() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    Drawing::start(Path::new(&directory)).thread.join().unwrap();
}

/// How the process ends that [`ending`] starts.
const END: &str = "AFTERIMAGE_TEST_END";

/// A process that draws some frames and then ends in some way, its link open: `exit`, `return`, `abort`, `fault`, `kill`.
pub(crate) fn ending(directory: &Path, end: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "program::ends", "--test-threads=1"])
        .envs([(CHILD, directory.as_os_str()), (END, end.as_ref())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn ends() {
    let (Some(directory), Some(end)) = (std::env::var_os(CHILD), std::env::var(END).ok()) else { return };
    let mut program = Program::connect(Path::new(&directory));
    (1..=5).for_each(|frame| program.frame(frame).unwrap());
    let kill = |signal: &str| {
        let _killed = Command::new("kill").args([signal, &std::process::id().to_string()]).status();
        // The signal ends this.
        std::thread::sleep(Duration::from_secs(60));
    };
    match &*end {
        "exit" => std::process::exit(7),
        // Nobody closes the link, and the process ends as usual.
        "return" => std::mem::forget(program),
        "abort" => std::process::abort(),
        "fault" => kill("-ILL"),
        _ => kill("-KILL"),
    }
}

const UPLOADED: ObjectId = ObjectId::new(ObjectKind::Texture, 9);
const RENDERED: ObjectId = ObjectId::new(ObjectKind::Texture, 10);

impl Program {
    pub(crate) fn upload(&mut self, bytes: &[u8]) -> UploadRef {
        let range = self.link.alloc(bytes.len() as u32, 16).unwrap();
        self.link.write(&range, 0, bytes);
        range
    }

    fn clear(&mut self, texture: ObjectId, color: [u8; 3]) {
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = texture;
        self.stream.push(&targets);
        let [red, green, blue] = color.map(|byte| f32::from(byte) / 255.0);
        let color = [red, green, blue, 1.0];
        self.stream.push_tail(&Clear { flags: Clear::COLOR, color, depth: 1.0, ..Clear::zeroed() }, &[]);
    }

    pub(crate) fn create_drawing(&mut self) {
        self.create();
        let id = |kind, serial| ObjectId::new(kind, serial);
        let (vertex, pixel) = (id(ObjectKind::Shader, 9), id(ObjectKind::Shader, 8));
        for (id, stage, text) in [(vertex, Stage::Vertex, Drawing::VERTEX), (pixel, Stage::Pixel, Drawing::PIXEL)] {
            let code = self.upload(text.as_bytes());
            self.stream.push(&CreateShader { id, stage: stage as u32, language: Language::Ir as u32, pad: 0, code });
        }
        self.stream.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        let attribute = VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32_SFLOAT, 0);
        let input = id(ObjectKind::VertexInput, 9);
        self.stream.push_tail(&CreateVertexInput { id: input, count: 1 }, &[attribute]);
        self.stream.push(&SetVertexInput { id: input, pad: 0 });
        for (id, edge, usage) in [(UPLOADED, 2, 0), (RENDERED, 4, CreateTexture::TARGET)] {
            self.stream
                .push(&CreateTexture { usage, ..CreateTexture::plain(id, Format::R8G8B8A8_UNORM, [edge, edge]) });
        }
        self.stream.push(&CreateSampler { id: id(ObjectKind::Sampler, 9), ..CreateSampler::zeroed() });
    }

    /// Draws a texture on a square of the picture that begins at its upper left.
    fn square(&mut self, texture: ObjectId, edge: f32) {
        let binding = TextureBinding { texture, sampler: ObjectId::new(ObjectKind::Sampler, 9) };
        self.stream.push_tail(&SetTextures { first: 0, count: 1 }, &[binding]);
        self.stream.push(&SetViewport { width: edge, height: edge, max_depth: 1.0, ..SetViewport::default() });
        let corners = [[-1.0f32, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
        let data = self.upload(bytemuck::cast_slice(&corners));
        let source = ObjectId::new(ObjectKind::Upload, data.slot);
        let buffer = VertexBuffer { source, stride: 8, offset: data.offset, size: data.size.into() };
        self.stream.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[buffer]);
        let topology = Topology::TriangleList as u32;
        self.stream.push(&Draw { topology, first: 0, count: 6, instances: 1, first_instance: 0, pad: 0 });
    }

    pub(crate) fn drawing(&mut self, frame: u64, color: [u8; 3]) -> Result<(), LinkError> {
        self.stream.push(&BeginFrame { frame });
        let [red, green, blue] = color;
        let data = self.upload(&[red, green, blue, 255].repeat(4));
        let zero = UpdateTexture::zeroed();
        self.stream.push(&UpdateTexture { id: UPLOADED, width: 2, height: 2, depth: 1, row_pitch: 8, data, ..zero });
        self.clear(RENDERED, inner(frame));
        self.clear(TEXTURE, BEHIND);
        self.square(UPLOADED, Drawing::EDGE as f32);
        self.square(RENDERED, Drawing::EDGE as f32 / 4.0);
        self.show(frame)
    }
}
