//! Recordings as a user plays them, with a look at the shaders that are sent.

use afterimage_gnm::gcap::{Event, Player, Reader};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::Translator;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_stream::{Arena, Executor, Packet, Reader as Packets, Reply, StreamError};
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What came of a recording.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Memory at each dump, zeros where nothing is mapped.
    pub(crate) dumps: Vec<Vec<u8>>,
    /// What was sent of shaders: each one's language's bytes.
    pub(crate) shaders: Vec<Vec<u8>>,
    /// What was logged and what could not be done, in a line.
    pub(crate) log: String,
    /// Whether the device was lost over it.
    pub(crate) lost: bool,
}

/// Where the log goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A renderer, and a list of the shaders that come to it.
struct Watched {
    renderer: Renderer,
    shaders: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Executor for Watched {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        for packet in Packets::new(batch).filter_map(Result::ok).map(|located| located.packet) {
            let Packet::CreateShader(shader) = packet else { continue };
            let mut bytes = vec![0; shader.code.size as usize];
            if arena.copy_out(&shader.code, 0, &mut bytes) {
                self.shaders.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
            }
        }
        self.renderer.execute(batch, arena, replies)
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        self.renderer.poll(replies);
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.renderer.wait(timeout)
    }
}

fn options() -> Options {
    Options { cache_dir: None, validate: cfg!(test), ..Options::from_env() }
}

/// The device of all recordings; another when it is lost.
fn device() -> Result<Arc<Gpu>, String> {
    static DEVICE: Mutex<Option<Arc<Gpu>>> = Mutex::new(None);
    let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gpu) = device.as_ref().filter(|gpu| !gpu.is_lost()) {
        return Ok(Arc::clone(gpu));
    }
    let gpu = Gpu::open(&options()).map_err(|why| why.to_string())?;
    Ok(Arc::clone(device.insert(gpu)))
}

/// Plays a recording.
///
/// # Errors
/// In words, what keeps it from being played.
pub(crate) fn play(file: Vec<u8>) -> Result<Played, String> {
    let log = Log::default();
    let to = log.clone();
    let level = tracing_subscriber::filter::LevelFilter::WARN;
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).without_time();
    let subscriber = subscriber.with_target(false).with_writer(move || to.clone()).finish();
    let mut played = tracing::subscriber::with_default(subscriber, || run(file))?;
    let text = String::from_utf8_lossy(&log.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
    let lines = text.lines().map(|line| line.trim().trim_start_matches("WARN ").to_owned());
    let all: Vec<String> = lines.chain((!played.log.is_empty()).then(|| played.log.clone())).collect();
    played.log = all.join("; ");
    Ok(played)
}

fn run(file: Vec<u8>) -> Result<Played, String> {
    let device = device()?;
    let renderer = Renderer::on(Arc::clone(&device), options()).map_err(|why| why.to_string())?;
    // Of the device, so of everything that was played on it.
    let before = renderer.validation_messages();
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let shaders = Arc::new(Mutex::new(Vec::new()));
    let mut watched = Watched { renderer, shaders: Arc::clone(&shaders) };
    let thread = std::thread::spawn(move || {
        in_process::serve(&mut receiver, &mut watched);
        watched.renderer.validation_messages() - before
    });
    let mut translator = Translator::new(Box::new(link), "corpus");
    let mut player = Player::new(Reader::new(Cursor::new(file)).map_err(|why| why.to_string())?);
    let mut played = Played::default();
    let mut faults = Vec::new();
    while let Some(event) = player.step(&mut translator).map_err(|why| why.to_string())? {
        match event {
            Event::Ran { faults: some, .. } => faults.extend(some.iter().map(ToString::to_string)),
            Event::Flip(_) => {}
            Event::Dump(dump) => {
                let mut bytes = vec![0; dump.size as usize];
                for part in player.memory.parts(dump.address..dump.address + dump.size) {
                    let [first, end] = [part.start, part.end].map(|at| (at - dump.address) as usize);
                    player.memory.read(part.start, &mut bytes[first..end]).map_err(|why| why.to_string())?;
                }
                played.dumps.push(bytes);
            }
            Event::Refused(why) => faults.push(why.to_string()),
            Event::Write(why) => faults.push(why.to_string()),
        }
    }
    drop(translator);
    let messages = thread.join().map_err(|_| "the renderer's thread ended".to_owned())?;
    if messages > 0 {
        faults.push(format!("{messages} messages of the validation layer"));
    }
    played.log = faults.join("; ");
    played.lost = device.is_lost();
    played.shaders = std::mem::take(&mut *shaders.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(played)
}
