//! Replays: captures drawn from their start to their end, and how long their frames take.

pub(crate) mod look;
pub(crate) mod step;
pub(crate) mod times;

use crate::error::Error;
use crate::renderer::Renderer;
use afterimage_capture::{CaptureError, Reader};
use afterimage_stream::packets::Present;
use afterimage_stream::{Arena, Executor, ObjectId, Packet, Reply};
use std::io::Read;
use std::time::{Duration, Instant};

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file is damaged; what could be read was drawn.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The renderer cannot go on.
    #[error(transparent)]
    Renderer(#[from] Error),
}

/// What a replay has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Frames presented.
    pub frames: u64,
    /// Draws asked for.
    pub draws: u64,
    /// Packets that were rejected or could not be executed.
    pub errors: u64,
    /// Whether whoever watched ended it.
    pub stopped: bool,
}

/// How long a frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTime {
    /// The frame's number.
    pub frame: u64,
    /// For its packets on the CPU, waiting for the GPU included once three frames are under way. Reading the file is not.
    pub cpu: Duration,
    /// From the first of its commands to the last on the GPU; uploads made before are not included. Zero where the device does not tell the time.
    pub gpu: Duration,
}

/// Where a replay is: before a frame, or at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The number of the frame that comes next; `None` at the end of the capture.
    pub frame: Option<u64>,
    /// When it began where the capture was made, see [`Reader::time`].
    pub time: Option<Duration>,
    /// Pictures shown so far.
    pub shown: u64,
}

/// What a replay is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Go on.
    On,
    /// Show the last pictures once more, and ask again: a window has another size, or its contents are gone.
    Again,
    /// End.
    End,
}

/// What a replay tells about itself.
pub struct Watch<'a> {
    /// Called before each frame and at the end.
    pub ahead: &'a mut dyn FnMut(&Ahead) -> Go,
    /// The times of the frames go there.
    pub times: Option<&'a mut Vec<FrameTime>>,
    /// Whether windows are drawn to, by the surfaces of [`Renderer::set_surface_factory`].
    pub windows: bool,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("windows", &self.windows).finish_non_exhaustive()
    }
}

/// Times that are being taken. Every frame asks the GPU twice, with its number here in the token.
#[derive(Default)]
struct Clock {
    times: Vec<FrameTime>,
    /// The GPU's time at the beginning of each.
    begun: Vec<u64>,
    /// Whether a frame is open.
    open: bool,
}

impl Clock {
    fn begin(&mut self, frame: u64) -> u64 {
        self.open = true;
        self.times.push(FrameTime { frame, ..FrameTime::default() });
        self.begun.push(0);
        (self.times.len() as u64 - 1) << 1
    }

    fn end(&mut self) -> u64 {
        self.open = false;
        ((self.times.len() as u64 - 1) << 1) | 1
    }

    /// A time of the GPU has come.
    fn answer(&mut self, reply: &Reply) {
        let Reply::Query { id: ObjectId::NONE, token, value } = *reply else { return };
        let at = (token >> 1) as usize;
        let (Some(time), Some(begun)) = (self.times.get_mut(at), self.begun.get_mut(at)) else { return };
        match token & 1 {
            0 => *begun = value,
            _ => time.gpu = Duration::from_nanos(value.saturating_sub(*begun)),
        }
    }
}

/// What a replay needs to know from batch to batch.
struct Play<'a> {
    ahead: &'a mut dyn FnMut(&Ahead) -> Go,
    errors: u64,
    clock: Option<Clock>,
    /// When the present frame began where the capture was made.
    time: Option<Duration>,
    /// Pictures shown before.
    before: u64,
    /// The last one of each target.
    shown: Vec<Present>,
}

impl Play<'_> {
    /// Counts errors, and takes times.
    fn answer(&mut self, reply: &Reply) {
        self.errors += u64::from(matches!(reply, Reply::Error { .. }));
        if let Some(clock) = &mut self.clock {
            clock.answer(reply);
        }
    }
}

impl Renderer {
    /// Draws a capture. Pictures go where the options say; windows that the capture names are not used.
    ///
    /// # Errors
    /// Where the file is damaged (what can be read is drawn, and the first damage told), or the device is lost.
    pub fn replay<R: Read>(&mut self, reader: &mut Reader<R>) -> Result<Replayed, ReplayError> {
        self.replay_watched(reader, Watch { ahead: &mut |_| Go::On, times: None, windows: false })
    }

    /// The same with somebody watching.
    ///
    /// # Errors
    /// As [`Renderer::replay`].
    pub fn replay_watched<R: Read>(
        &mut self,
        reader: &mut Reader<R>,
        watch: Watch<'_>,
    ) -> Result<Replayed, ReplayError> {
        self.presenter.pictures.headless = !watch.windows;
        self.stats.program.clone_from(&reader.info().program);
        self.recall();
        let (frames, draws) = (self.stats.frames, self.recorder.draws);
        let mut play = Play {
            ahead: watch.ahead,
            errors: 0,
            clock: watch.times.is_some().then(Clock::default),
            time: None,
            before: frames,
            shown: Vec::new(),
        };
        let mut damage = None;
        let stopped = loop {
            match reader.next() {
                Ok(Some(batch)) => {
                    play.time = reader.time();
                    self.captures.replayed = Some(play.time);
                    let goes_on = self.replay_batch(&batch.words, reader.arena(), &mut play);
                    self.captures.replayed = None;
                    if !goes_on? {
                        break true;
                    }
                }
                Ok(None) => {
                    play.time = None;
                    break !self.ask(None, &mut play)?;
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    self.validator.resume();
                    damage.get_or_insert(error);
                }
            }
            if let Some(error) = self.take_loss() {
                return Err(error.into());
            }
        };
        self.finish(&mut |reply| play.answer(&reply))?;
        if let (Some(times), Some(clock)) = (watch.times, play.clock) {
            // A frame that did not end was not shown.
            let whole = clock.times.len() - usize::from(clock.open);
            times.extend_from_slice(&clock.times[..whole]);
        }
        let errors = play.errors;
        match damage {
            Some(error) => Err(error.into()),
            None => {
                Ok(Replayed { frames: self.stats.frames - frames, draws: self.recorder.draws - draws, errors, stopped })
            }
        }
    }

    /// Executes a batch, and asks before each frame whether to go on; false where not. Where times are taken, the GPU is asked behind
    /// the beginning of each frame and before its end.
    fn replay_batch(&mut self, words: &[u64], arena: &dyn Arena, play: &mut Play<'_>) -> crate::Result<bool> {
        let mut from = 0;
        for located in afterimage_stream::Reader::new(words).flatten() {
            match located.packet {
                Packet::BeginFrame(body) => {
                    self.replay_words(&words[from..located.at], arena, play);
                    from = located.at;
                    if !self.ask(Some(body.frame), play)? {
                        return Ok(false);
                    }
                    if let Some(token) = play.clock.as_mut().map(|clock| clock.begin(body.frame)) {
                        self.ask_time(token)?;
                    }
                }
                Packet::Present(body) => {
                    if !body.shows_nothing() {
                        play.shown.retain(|shown| shown.target != body.target);
                        play.shown.push(*body);
                    }
                    let clock = play.clock.as_mut().filter(|clock| clock.open);
                    if let Some(token) = clock.map(Clock::end) {
                        self.replay_words(&words[from..located.at], arena, play);
                        from = located.at;
                        self.ask_time(token)?;
                    }
                }
                _ => {}
            }
        }
        self.replay_words(&words[from..], arena, play);
        Ok(true)
    }

    fn replay_words(&mut self, words: &[u64], arena: &dyn Arena, play: &mut Play<'_>) {
        if words.is_empty() {
            return;
        }
        let start = Instant::now();
        // Rejected packets are counted by their replies.
        drop(self.execute(words, arena, &mut |reply| play.answer(&reply)));
        if let Some(time) = play.clock.as_mut().and_then(|clock| clock.times.last_mut()) {
            time.cpu += start.elapsed();
        }
    }

    /// Whether to go on.
    fn ask(&mut self, frame: Option<u64>, play: &mut Play<'_>) -> crate::Result<bool> {
        loop {
            let ahead = Ahead { frame, time: play.time, shown: self.stats.frames - play.before };
            match (play.ahead)(&ahead) {
                Go::On => return Ok(true),
                Go::End => return Ok(false),
                Go::Again => {
                    for body in &play.shown {
                        self.presenter.make_anew(body.target);
                        self.show(body)?;
                    }
                }
            }
        }
    }
}
