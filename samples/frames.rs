//! What the consoles' samples share: their arguments, and the frames that they write.

use afterimage_vulkan::FrameSet;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// What the command line asks for.
pub(crate) struct Frames {
    pub(crate) count: u32,
    shots: Option<FrameSet>,
    folder: PathBuf,
}

impl Frames {
    /// Begins the sample of this name, which draws by `means`; its log goes to the standard error output. A command line that it does
    /// not understand ends it.
    pub(crate) fn begin(name: &str, means: &str) -> Result<Self, Box<dyn Error>> {
        tracing_subscriber::fmt()
            .with_writer(std::io::stderr)
            .with_max_level(tracing::Level::WARN)
            .without_time()
            .init();
        let Some(frames) = Self::parse() else {
            eprintln!(
                "usage: {name} [--frames N] [--shots A,B,C-D] DIR

Draws N frames (60) of a scene by {means}, and writes those named by --shots (all), as the display
would show them, as DIR/frame-NNNNNN.png. The variables of `afterimage run` hold here, too: AFTERIMAGE_CAPTURE_FRAMES and
AFTERIMAGE_CAPTURE_FILE make a capture for `afterimage replay`."
            );
            std::process::exit(2);
        };
        std::fs::create_dir_all(&frames.folder)?;
        Ok(frames)
    }

    fn parse() -> Option<Self> {
        let (mut count, mut shots, mut folder) = (60, None, None);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--frames" => count = words.next()?.parse().ok()?,
                "--shots" => shots = Some(FrameSet::parse(&words.next()?)?),
                _ if word.starts_with('-') || folder.is_some() => return None,
                _ => folder = Some(PathBuf::from(word)),
            }
        }
        Some(Self { count, shots, folder: folder? })
    }

    /// Whether a frame is to be written.
    pub(crate) fn wants(&self, frame: u32) -> bool {
        self.shots.as_ref().is_none_or(|shots| shots.contains(frame.into()))
    }

    /// Writes a frame.
    pub(crate) fn write(&self, frame: u32, [width, height]: [u32; 2], rgba: &[u8]) -> Result<(), Box<dyn Error>> {
        let file = BufWriter::new(File::create(self.folder.join(format!("frame-{frame:06}.png")))?);
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(rgba)?;
        Ok(writer.finish()?)
    }

    /// Ends the sample, whose render thread has told how many messages the validation layer had.
    pub(crate) fn end(messages: std::thread::Result<u64>) -> Result<(), Box<dyn Error>> {
        match messages {
            Ok(0) => Ok(()),
            Ok(messages) => Err(format!("the validation layer had {messages} messages").into()),
            Err(_) => Err("the render thread broke off".into()),
        }
    }
}
