//! Pictures on their way out: who wants them, files of them, and what is drawn over them.

use crate::hud::log::{HudLog, Slow};
use crate::hud::notices::Notices;
use crate::hud::times::Times;
use crate::hud::{Counters, Hud, Rectangle, layout};
use crate::wishes::Wishes;
use crate::workers::{Urgency, Workers};
use afterimage_config::FrameSet;
use afterimage_output::{Channels, Failures};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Corner, Overlay};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A presented picture in CPU memory.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The target it was presented to.
    pub target: ObjectId,
    /// Frame number.
    pub frame: u64,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Rows from the top, red, green, blue and alpha in a byte each.
    pub rgba: &'a [u8],
}

/// Receives presented pictures.
pub type PictureSink = Box<dyn FnMut(&Picture<'_>) + Send>;

/// A file that a picture is written to.
#[derive(Debug)]
pub struct PictureFile {
    path: PathBuf,
    /// Somebody waits for it: that it is there is said on the picture.
    by_hand: bool,
}

/// A log of figures that is being written.
struct Logged {
    path: PathBuf,
    log: HudLog,
    /// What was counted when it was last told of the GPU, and when.
    counted: Option<(Instant, Counters)>,
}

/// Who wants pictures, and what is drawn over them.
pub struct Pictures {
    screenshots: Option<PathBuf>,
    screenshot_frames: Option<FrameSet>,
    /// Names for the next picture, which somebody wants besides.
    kept: Vec<PathBuf>,
    /// What is said on pictures in windows.
    pub notices: Arc<Notices>,
    /// A line of figures for each frame goes there.
    logged: Option<Logged>,
    /// Who gets them all.
    pub sink: Option<PictureSink>,
    writers: Option<Workers>,
    /// Files that could not be written.
    pub failures: Arc<Failures>,
    /// Windows are not drawn to: a replay.
    pub headless: bool,
    /// Which guest presents, see [`afterimage_stream::packets::Init::guest`].
    pub guest: u32,
    /// Figures over pictures, where they are wanted.
    pub hud: Option<Box<Hud>>,
}

impl std::fmt::Debug for Pictures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pictures").field("screenshots", &self.screenshots).finish_non_exhaustive()
    }
}

/// What is said of a file that somebody waits for.
pub fn saved<T, E: Display>(path: &Path, written: &Result<T, E>) -> String {
    let name = path.file_name().unwrap_or_default().display();
    written.as_ref().map_or_else(|error| format!("{name}: {error}"), |_| format!("saved {name}"))
}

impl Pictures {
    /// As the user wishes. `device` and `driver` are what the log of figures says of the machine.
    #[must_use]
    pub fn new(wishes: &Wishes, device: &str, driver: &str) -> Self {
        let failures = Arc::new(Failures::default());
        if let Some(folder) = &wishes.screenshots
            && let Some(why) = failures.note(folder, std::fs::create_dir_all(folder))
        {
            tracing::error!("{why}");
        }
        let mut pictures = Self {
            screenshots: wishes.screenshots.clone(),
            screenshot_frames: wishes.screenshot_frames.clone(),
            kept: Vec::new(),
            notices: Arc::default(),
            logged: None,
            sink: None,
            writers: None,
            failures,
            headless: false,
            guest: 0,
            hud: None,
        };
        if let Some(path) = &wishes.hud_log {
            match HudLog::create(path, device, driver) {
                Ok(log) => pictures.logged = Some(Logged { path: path.clone(), log, counted: None }),
                Err(error) => pictures.failed(path, error),
            }
        }
        pictures
    }

    /// Notes a file that cannot be written, and says so.
    fn failed(&self, path: &Path, error: io::Error) {
        if let Some(why) = self.failures.note(path, Err::<(), _>(error)) {
            tracing::error!("{why}");
        }
    }

    /// What is drawn over pictures of this size in windows (or, where `picture`, over those for the CPU).
    #[must_use]
    pub fn figures(&self, picture: bool, size: [u32; 2]) -> Vec<Rectangle> {
        if self.headless {
            return Vec::new();
        }
        let shown = |hud: &&Hud| !picture || hud.overlay.items & Overlay::PICTURES != 0;
        let hud = self.hud.as_deref();
        let mut rectangles = hud.filter(shown).map_or_else(Vec::new, |hud| hud.rectangles(size));
        if !picture {
            // Not where the figures are.
            let overlay = hud.map_or_else(Overlay::default, |hud| hud.overlay);
            let corner = match Corner::of(overlay.corner) {
                Corner::BottomLeft => Corner::TopLeft,
                _ => Corner::BottomLeft,
            };
            let overlay = Overlay { corner: corner as u8, ..overlay };
            rectangles.extend(layout::rectangles(&overlay, &self.notices.lines(), &Times::default(), size));
        }
        rectangles
    }

    /// Writes the next picture to a file of this name and its number.
    pub fn keep_next(&mut self, name: PathBuf) {
        self.kept.push(name);
    }

    /// Where a frame's picture is to be written to.
    pub fn files(&mut self, frame: u64) -> Vec<PictureFile> {
        let named = |mut name: PathBuf| {
            name.as_mut_os_string().push(format!("-frame-{frame:06}.png"));
            PictureFile { path: name, by_hand: true }
        };
        let mut files: Vec<PictureFile> = self.kept.drain(..).map(named).collect();
        if let Some(folder) = &self.screenshots
            && self.screenshot_frames.as_ref().is_none_or(|set| set.contains(frame))
        {
            files.push(PictureFile { path: folder.join(format!("frame-{frame:06}.png")), by_hand: false });
        }
        files
    }

    /// Hands out a picture that has arrived, and has it written.
    pub fn deliver(&mut self, picture: &Picture<'_>, files: Vec<PictureFile>) {
        if let Some(sink) = &mut self.sink {
            sink(picture);
        }
        for PictureFile { path, by_hand } in files {
            let writers = self.writers.get_or_insert_with(|| Workers::new("pictures"));
            let size = [picture.width, picture.height];
            let rgb: Vec<u8> = picture.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            let (failures, notices) = (Arc::clone(&self.failures), Arc::clone(&self.notices));
            writers.run(Urgency::Soon, move || {
                let written = afterimage_output::png(&path, size, Channels::Rgb, &rgb);
                if by_hand {
                    notices.say(&saved(&path, &written));
                }
                if let Some(why) = failures.note(&path, written) {
                    tracing::error!("{why}");
                }
            });
        }
    }

    /// Waits until every picture that was delivered is on disk.
    pub fn finish_files(&self) {
        if let Some(writers) = &self.writers {
            writers.finish();
        }
    }

    /// Whether there is a log of figures.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.logged.is_some()
    }

    /// A frame is presented: its line in the log of figures, if there is one. `gpu_bytes` is how much of the device's memory is used.
    pub fn log_frame(&mut self, counted: &Counters, gpu_bytes: impl FnOnce() -> u64) {
        let Some(Logged { path, log, counted: before }) = &mut self.logged else { return };
        let slow = || {
            let now = (Instant::now(), *counted);
            let before = before.replace(now);
            let load = before.and_then(|(since, before)| now.1.gpu_since(&before, now.0 - since));
            Slow { gpu_load: load.map_or(0.0, |(_, share)| share), gpu_bytes: gpu_bytes() }
        };
        if let Err(error) = log.frame(slow) {
            let path = path.clone();
            self.logged = None;
            self.failed(&path, error);
        }
    }

    /// The log of figures ends.
    pub fn finish_log(&mut self) {
        if let Some(Logged { path, mut log, .. }) = self.logged.take()
            && let Err(error) = log.finish()
        {
            self.failed(&path, error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn pictures_go_to_who_asks_and_into_the_files_that_are_wanted() {
        let temp = tempfile::tempdir().unwrap();
        let wishes = Wishes {
            screenshots: Some(temp.path().join("shots")),
            screenshot_frames: FrameSet::parse("2"),
            ..Wishes::default()
        };
        let mut pictures = Pictures::new(&wishes, "a device", "its driver");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        pictures.sink = Some(Box::new(move |picture| sink.lock().unwrap().push(picture.frame)));
        pictures.keep_next(temp.path().join("mine"));
        for frame in 1..=3 {
            let files = pictures.files(frame);
            let target = ObjectId::NONE;
            pictures.deliver(&Picture { target, frame, width: 1, height: 2, rgba: &[9; 8] }, files);
        }
        pictures.finish_files();
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
        let there = |name: &str| temp.path().join(name).is_file();
        assert!(there("mine-frame-000001.png") && there("shots/frame-000002.png"));
        assert_eq!(std::fs::read_dir(temp.path().join("shots")).unwrap().count(), 1);
        assert_eq!(
            (pictures.notices.lines().len(), pictures.failures.count()),
            (1, 0),
            "of the one that was asked for"
        );
        // One that cannot be written is counted.
        pictures.keep_next(temp.path().join("shots/frame-000002.png/in-a-file"));
        let files = pictures.files(4);
        pictures.deliver(&Picture { target: ObjectId::NONE, frame: 4, width: 1, height: 1, rgba: &[0; 4] }, files);
        pictures.finish_files();
        assert_eq!(pictures.failures.count(), 1);
    }

    #[test]
    fn the_log_of_figures_is_written_until_it_ends() {
        let temp = tempfile::tempdir().unwrap();
        let wishes = Wishes { hud_log: Some(temp.path().join("log.csv")), ..Wishes::default() };
        let mut pictures = Pictures::new(&wishes, "a device", "its driver");
        assert!(pictures.is_logged());
        (0..3).for_each(|_| pictures.log_frame(&Counters::default(), || 7));
        pictures.finish_log();
        assert!(!pictures.is_logged());
        let text = std::fs::read_to_string(temp.path().join("log.csv")).unwrap();
        assert_eq!(text.lines().count(), 3 + 2);
        let wishes = Wishes { hud_log: Some(temp.path().to_owned()), ..Wishes::default() };
        assert_eq!(Pictures::new(&wishes, "", "").failures.count(), 1);
    }
}
