//! Stepping through a capture: a renderer stands behind any call, and what its textures hold can be looked at.
//!
//! Calls are the packets that do something (`afterimage_stream::Kind::is_call`), numbered from 0 through the capture; packets of the
//! keyframe are none, nor are those that the validator rejects. Going on is executing what lies between; going back is beginning again at the nearest state that was kept.

use crate::texels::Texels;
use afterimage_capture::{CaptureError, MemoryArena, Reader, Uses};
use afterimage_stream::packets::{Clear, Effect, Header, Part, Stage, View};
use afterimage_stream::{Arena, Budgets, Executor, Kind, ObjectId, ObjectKind, Reply, State, Validator, renumber};
use rustc_hash::FxHashSet;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A renderer that can stand behind any call.
pub trait Steps: Executor {
    /// Why it cannot do something, or cannot go on.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Times of calls that are being taken.
    type Laps: Default;

    /// A capture of this program's is replayed from here on: windows that it names are not used.
    fn begin_replay(&mut self, program: &str);

    /// Ends the stream, and makes room for another.
    ///
    /// # Errors
    /// The device is lost.
    fn restart(&mut self) -> Result<(), Self::Error>;

    /// Waits until everything executed so far is done, and answers it.
    ///
    /// # Errors
    /// The device is lost.
    fn finish(&mut self, replies: &mut dyn FnMut(Reply)) -> Result<(), Self::Error>;

    /// Everything that the stream has set so far.
    fn state(&self) -> &State;

    /// What the stream may ask for.
    fn budgets(&self) -> &Budgets;

    /// Packets are missing behind what was executed: their numbers go on somewhere.
    fn resume(&mut self);

    /// Packets that build the present state from nothing, with contents, and the arena that they refer to.
    ///
    /// # Errors
    /// The GPU does not give the contents out.
    fn snapshot(&mut self) -> Result<(Vec<u64>, MemoryArena), Self::Error>;

    /// What a subresource holds after everything executed so far. Of several samples, colours are averaged and of depth and integers the
    /// first is taken. `None` where there is no such subresource, or nothing can read it.
    ///
    /// # Errors
    /// The device is lost, or has no memory left.
    fn look(&mut self, view: View) -> Result<Option<Texels>, Self::Error>;

    /// Why it draws no more, if so.
    fn take_loss(&mut self) -> Option<Self::Error>;

    /// Times of calls are about to be taken, or have been. False where the device does not tell the time.
    fn take_times(&mut self, on: bool) -> bool;

    /// A call begins, whose time is taken: nothing of it may begin before everything is done.
    ///
    /// # Errors
    /// The device is lost.
    fn begin_lap(&mut self, laps: &mut Self::Laps) -> Result<(), Self::Error>;

    /// It has been executed.
    ///
    /// # Errors
    /// The device is lost.
    fn end_lap(&mut self, laps: &mut Self::Laps) -> Result<(), Self::Error>;

    /// An answer has come, which may be a time.
    fn answer_lap(laps: &mut Self::Laps, reply: &Reply);

    /// How long each took, once everything is done; `None` where that is not told.
    fn durations(laps: Self::Laps) -> Vec<Option<Duration>>;
}

/// Frames between two states that are kept, at first.
const KEEP_EVERY: u64 = 32;

/// Bytes of kept states together; beyond, every second one goes.
const KEEP_BYTES: usize = 512 << 20;

/// Where the capture is read from, as often as is needed.
enum Source {
    File(PathBuf),
    Bytes(Arc<[u8]>),
}

type Input = Box<dyn Read + Send>;

impl Source {
    fn input(&self) -> Result<Input, CaptureError> {
        Ok(match self {
            Self::File(path) => {
                let what = format!("opening {}", path.display());
                let file = File::open(path).map_err(|source| CaptureError::Io { what, source })?;
                Box::new(BufReader::new(file))
            }
            Self::Bytes(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        })
    }

    fn reader(&self, uses: &Arc<Uses>) -> Result<Reader<Input>, CaptureError> {
        Ok(Reader::new(self.input()?)?.with_uses(Arc::clone(uses)))
    }
}

/// A place in the capture: batches that were read, and the word in the last of them that comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    batches: u64,
    word: usize,
    /// Calls before it.
    calls: u64,
}

/// A state that was kept at the beginning of a frame.
struct Snapshot {
    place: Place,
    words: Vec<u64>,
    arena: MemoryArena,
    bytes: usize,
}

/// Which of the current targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A colour target by number.
    Color(u8),
    /// The depth-stencil target.
    Depth,
}

/// Why a stepper cannot do what is asked.
#[derive(Debug, thiserror::Error)]
pub enum StepError<E: std::error::Error + 'static> {
    /// There is no such call.
    #[error("there is no call {call}: the capture has {calls}")]
    NoCall {
        /// The number asked for.
        call: u64,
        /// Calls of the capture.
        calls: u64,
    },
    /// The file cannot be read, or is no capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The renderer cannot go on.
    #[error("{0}")]
    Renderer(#[source] E),
}

/// What comes of going somewhere.
type Stepped<R, T = ()> = Result<T, StepError<<R as Steps>::Error>>;

/// An error of the renderer's.
fn failed<E: std::error::Error>(error: E) -> StepError<E> {
    StepError::Renderer(error)
}

/// Drives a renderer through a capture, call by call.
pub struct Stepper<R: Steps> {
    renderer: R,
    source: Source,
    /// What its reader has to keep.
    uses: Arc<Uses>,
    reader: Reader<Input>,
    words: Vec<u64>,
    keyframe: bool,
    place: Place,
    calls: u64,
    /// Packets that look like calls: batch, from 1, and word.
    rejected: FxHashSet<(u64, usize)>,
    damage: Option<String>,
    /// The view that shows what the last call did.
    shown: Option<View>,
    errors: u64,
    snapshots: Vec<Snapshot>,
    keep_every: u64,
    /// Frames begun since a state was kept.
    frames: u64,
    /// Whether nothing is left to execute.
    at_end: bool,
}

impl<R: Steps> std::fmt::Debug for Stepper<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepper").field("place", &self.place).field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<R: Steps> Stepper<R> {
    /// Opens a capture. The renderer is one that has executed nothing, or was [restarted](Steps::restart).
    ///
    /// # Errors
    /// The file is no capture. Of one that is damaged, what can be read is drawn, see [`Stepper::damage`].
    pub fn open(renderer: R, path: &Path) -> Stepped<R, Self> {
        Self::of(renderer, Source::File(path.to_owned()))
    }

    /// The same of a capture in memory.
    ///
    /// # Errors
    /// As [`Stepper::open`].
    pub fn from_bytes(renderer: R, bytes: impl Into<Arc<[u8]>>) -> Stepped<R, Self> {
        Self::of(renderer, Source::Bytes(bytes.into()))
    }

    /// Calls of the capture. Packets that the validator rejects are none.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// What is damaged in the file, a line for each place; behind the first of them packets and data may be missing.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Keeps the state of every so many frames, for ways back; 32 if nothing is said. What is kept together has at most
    /// 512 MiB. Who only goes on keeps none: `u64::MAX`.
    pub fn keep_every(&mut self, frames: u64) {
        self.keep_every = frames.max(1);
    }

    /// How many states are kept for ways back.
    #[must_use]
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }

    /// Number of the call that comes next: as many have been executed.
    #[must_use]
    pub fn next_call(&self) -> u64 {
        self.place.calls
    }

    /// Packets of the way here that were rejected or could not be executed.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The renderer, as it is behind the last call.
    pub fn renderer(&mut self) -> &mut R {
        &mut self.renderer
    }

    /// The renderer, for something else.
    #[must_use]
    pub fn into_renderer(self) -> R {
        self.renderer
    }

    /// The state behind the last call.
    #[must_use]
    pub fn state(&self) -> &State {
        self.renderer.state()
    }

    /// Goes to the place right behind a call, forward or back.
    ///
    /// # Errors
    /// There is no such call, or the device is lost.
    pub fn run_to(&mut self, call: u64) -> Stepped<R> {
        if call >= self.calls {
            return Err(StepError::NoCall { call, calls: self.calls });
        }
        let at = self.place.calls;
        // Going on costs what lies between; a state that was kept costs itself, as much as a frame or so.
        let snapshots = self
            .snapshots
            .iter()
            .rposition(|snapshots| snapshots.place.calls <= call && (at > call + 1 || snapshots.place.calls > at));
        match snapshots {
            Some(snapshots) => self.restore(snapshots)?,
            None if at > call + 1 || self.at_end => self.rewind()?,
            None => {}
        }
        self.advance(call + 1)
    }

    /// Executes what is left of the capture, which is more than its last call.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run_to_end(&mut self) -> Stepped<R> {
        self.advance(u64::MAX)
    }

    /// Goes to the beginning: nothing has been executed.
    ///
    /// # Errors
    /// The file is gone, or the device is lost.
    pub fn rewind(&mut self) -> Stepped<R> {
        self.renderer.restart().map_err(failed)?;
        self.begin()
    }

    fn begin(&mut self) -> Stepped<R> {
        self.reader = self.source.reader(&self.uses)?;
        self.words.clear();
        (self.place, self.keyframe, self.shown, self.errors) = (Place::default(), false, None, 0);
        (self.frames, self.at_end) = (0, false);
        Ok(())
    }

    /// The targets that are set behind the last call, where they are views of textures that live.
    #[must_use]
    pub fn targets(&self) -> Vec<(Target, View)> {
        let state = self.renderer.state();
        let set = &state.render_targets;
        let colors = set.color.iter().enumerate().map(|(index, view)| (Target::Color(index as u8), *view));
        let all = colors.chain([(Target::Depth, set.depth)]);
        all.filter(|(_, view)| state.objects.texture(view.texture).is_some()).collect()
    }

    /// Goes behind a call: the targets that are set there.
    ///
    /// # Errors
    /// As [`Stepper::run_to`].
    pub fn targets_after(&mut self, call: u64) -> Stepped<R, Vec<(Target, View)>> {
        self.run_to(call)?;
        Ok(self.targets())
    }

    /// What best shows what the last call did: a draw's or clear's first target, a copy's destination, a dispatch's first
    /// image, the texture that is presented. `None` for calls that leave nothing to be seen.
    #[must_use]
    pub fn shown(&self) -> Option<View> {
        self.shown.filter(|view| self.renderer.state().objects.texture(view.texture).is_some())
    }

    /// What a subresource of a texture holds behind the last call. Of several samples, colours are averaged and of depth
    /// the first one is taken. `None` where there is no such texture or it cannot be read.
    ///
    /// # Errors
    /// The device is lost, or has no memory left.
    pub fn picture(&mut self, view: View) -> Stepped<R, Option<Texels>> {
        self.renderer.look(view).map_err(failed)
    }

    /// What [`Stepper::shown`] names, behind each of these calls, in one replay. Calls that show nothing are left out.
    ///
    /// # Errors
    /// As [`Stepper::run_to`].
    pub fn pictures(&mut self, calls: impl IntoIterator<Item = u64>, mut each: impl FnMut(u64, &Texels)) -> Stepped<R> {
        let mut calls: Vec<u64> = calls.into_iter().collect();
        calls.sort_unstable();
        calls.dedup();
        for call in calls {
            self.run_to(call)?;
            if let Some(view) = self.shown()
                && let Some(look) = self.picture(view)?
            {
                each(call, &look);
            }
        }
        Ok(())
    }
}

impl<R: Steps> Stepper<R> {
    /// How long each of these calls takes on the GPU, in the order of the calls; the stepper is behind the last of them then. `None`
    /// where the device does not tell the time, and for calls that wait for their own answer: presents, ends of queries and read backs.
    ///
    /// Each call is timed alone: nothing else is done before and behind it, so that draws do not overlap as they do when the frame is drawn
    /// whole. The sum is thus more than the frame takes, and the times are good for comparing calls with each other. What a call's data
    /// takes to arrive is not in it. The calls are executed once before they are timed, since the first use of a shader takes longer.
    ///
    /// # Errors
    /// As [`Stepper::run_to`].
    pub fn times(&mut self, calls: impl IntoIterator<Item = u64>) -> Stepped<R, Vec<(u64, Option<Duration>)>> {
        let mut calls: Vec<u64> = calls.into_iter().collect();
        calls.sort_unstable();
        calls.dedup();
        let Some(&last) = calls.last() else { return Ok(Vec::new()) };
        self.run_to(last)?;
        if !self.renderer.take_times(true) {
            return Ok(calls.into_iter().map(|call| (call, None)).collect());
        }
        let laps = self.laps(&calls);
        self.renderer.take_times(false);
        Ok(calls.into_iter().zip(R::durations(laps?)).collect())
    }

    fn laps(&mut self, calls: &[u64]) -> Stepped<R, R::Laps> {
        let mut laps = R::Laps::default();
        for &call in calls {
            if self.place.calls != call {
                // Going elsewhere may begin anew, where answers are lost.
                self.renderer.finish(&mut |reply| R::answer_lap(&mut laps, &reply)).map_err(failed)?;
                match call.checked_sub(1) {
                    Some(before) => self.run_to(before)?,
                    None => self.rewind()?,
                }
            }
            self.advance_watched(call + 1, Some(&mut laps))?;
        }
        self.renderer.finish(&mut |reply| R::answer_lap(&mut laps, &reply)).map_err(failed)?;
        Ok(laps)
    }
}

/// How far to go at once.
struct Piece {
    end: usize,
    calls: u64,
    /// Word of the last call in it.
    last: Option<usize>,
}

impl<R: Steps> Stepper<R> {
    fn of(mut renderer: R, source: Source) -> Stepped<R, Self> {
        let uses = Arc::new(Uses::of(source.input()?)?);
        let reader = source.reader(&uses)?;
        renderer.begin_replay(&reader.info().program);
        let mut stepper = Self {
            renderer,
            source,
            uses,
            reader,
            words: Vec::new(),
            keyframe: false,
            place: Place::default(),
            calls: 0,
            rejected: FxHashSet::default(),
            damage: None,
            shown: None,
            errors: 0,
            snapshots: Vec::new(),
            keep_every: KEEP_EVERY,
            frames: 0,
            at_end: false,
        };
        stepper.count();
        stepper.begin()?;
        Ok(stepper)
    }

    /// Reads the capture once for the number of its calls, and for the packets that look like calls and are none, since the
    /// validator rejects them.
    fn count(&mut self) {
        let (mut validator, mut state) = (Validator::new(*self.renderer.budgets()), State::default());
        let mut batches = 0;
        let mut damages = Vec::new();
        loop {
            match self.reader.next() {
                Ok(Some(batch)) => {
                    batches += 1;
                    for located in afterimage_stream::Reader::new(&batch.words).flatten() {
                        let good = validator.check(&state, &located, self.reader.arena()).is_ok();
                        if good {
                            state.apply(&located.packet);
                        }
                        match located.packet.kind().is_call() && !batch.keyframe {
                            true if good => self.calls += 1,
                            true => drop(self.rejected.insert((batches, located.at))),
                            false => {}
                        }
                    }
                }
                Ok(None) => break,
                // What lies behind damage may be good; what cannot be read never ends.
                Err(error) => {
                    validator.resume();
                    damages.push(error.to_string());
                    if matches!(error, CaptureError::Io { .. }) {
                        break;
                    }
                }
            }
        }
        self.damage = (!damages.is_empty()).then(|| damages.join("\n"));
    }

    /// Reads the next batch; false at the end.
    fn next_batch(&mut self) -> bool {
        loop {
            match self.reader.next() {
                Ok(Some(batch)) => {
                    (self.words, self.keyframe) = (batch.words, batch.keyframe);
                    self.place.batches += 1;
                    self.place.word = 0;
                    return true;
                }
                Ok(None) | Err(CaptureError::Io { .. }) => return false,
                // What the damage is was said when the calls were counted.
                Err(_) => self.renderer.resume(),
            }
        }
    }

    /// Executes until so many calls have been.
    fn advance(&mut self, calls: u64) -> Stepped<R> {
        self.advance_watched(calls, None)
    }

    /// The same; the time of the last call is taken.
    fn advance_watched(&mut self, calls: u64, mut laps: Option<&mut R::Laps>) -> Stepped<R> {
        while self.place.calls < calls && !self.at_end {
            if self.place.word >= self.words.len() {
                self.at_end = !self.next_batch();
                continue;
            }
            if self.keep_due() {
                self.keep()?;
            }
            let piece = self.piece(calls);
            let timed = piece.last.filter(|_| self.place.calls + piece.calls == calls);
            match (timed, laps.as_deref_mut()) {
                (Some(last), Some(laps)) => {
                    self.execute(self.place.word..last, Some(laps));
                    self.renderer.begin_lap(laps).map_err(failed)?;
                    self.execute(last..piece.end, Some(laps));
                    self.renderer.end_lap(laps).map_err(failed)?;
                }
                (_, laps) => self.execute(self.place.word..piece.end, laps),
            }
            if let Some(last) = piece.last {
                self.shown = shown_by(&self.words[last..], self.renderer.state());
            }
            self.place.calls += piece.calls;
            self.place.word = piece.end;
            if let Some(error) = self.renderer.take_loss() {
                return Err(failed(error));
            }
        }
        Ok(())
    }

    /// Executes words of the batch. Rejected packets are counted by their replies.
    fn execute(&mut self, words: Range<usize>, mut laps: Option<&mut R::Laps>) {
        let mut count = |reply| {
            self.errors += u64::from(matches!(reply, Reply::Error { .. }));
            if let Some(laps) = &mut laps {
                R::answer_lap(laps, &reply);
            }
        };
        drop(self.renderer.execute(&self.words[words], self.reader.arena(), &mut count));
    }

    /// What to execute next: up to a call, or the beginning of the frame after this one's, or the batch's end.
    fn piece(&mut self, calls: u64) -> Piece {
        let from = self.place.word;
        let mut piece = Piece { end: self.words.len(), calls: 0, last: None };
        for located in afterimage_stream::Reader::new(&self.words[from..]).flatten() {
            let kind = located.packet.kind();
            if kind == Kind::BeginFrame && !self.keyframe {
                if located.at > 0 {
                    piece.end = from + located.at;
                    break;
                }
                self.frames += 1;
            }
            let rejected = || self.rejected.contains(&(self.place.batches, from + located.at));
            if kind.is_call() && !self.keyframe && !rejected() {
                piece.calls += 1;
                piece.last = Some(from + located.at);
                if self.place.calls + piece.calls == calls {
                    piece.end = from + located.at + usize::from(located.header.units);
                    break;
                }
            }
        }
        piece
    }

    fn begins_frame(&self) -> bool {
        let first = afterimage_stream::Reader::new(&self.words[self.place.word..]).next();
        matches!(first, Some(Ok(located)) if located.packet.kind() == Kind::BeginFrame)
    }

    fn keep_due(&self) -> bool {
        self.frames >= self.keep_every
            && !self.keyframe
            && self.snapshots.last().is_none_or(|snapshots| snapshots.place.calls < self.place.calls)
            && self.begins_frame()
    }

    /// Keeps the present state, to which going back is possible then.
    fn keep(&mut self) -> Stepped<R> {
        self.frames = 0;
        let (mut words, arena) = self.renderer.snapshot().map_err(failed)?;
        let header: Header = bytemuck::cast(self.words[self.place.word]);
        renumber(&mut words, header.sequence);
        let bytes = words.len() * 8 + arena.slot_size(0).unwrap_or(0) as usize;
        self.snapshots.push(Snapshot { place: self.place, words, arena, bytes });
        while self.snapshots.iter().map(|snapshots| snapshots.bytes).sum::<usize>() > KEEP_BYTES {
            let mut number = 0;
            self.snapshots.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.keep_every = self.keep_every.saturating_mul(2);
        }
        Ok(())
    }

    fn restore(&mut self, snapshots: usize) -> Stepped<R> {
        self.rewind()?;
        let Some(snapshots) = self.snapshots.get(snapshots) else { return Ok(()) };
        drop(self.renderer.execute(&snapshots.words, &snapshots.arena, &mut |_| {}));
        let place = snapshots.place;
        while self.place.batches < place.batches && self.next_batch() {}
        self.place = place;
        Ok(())
    }
}

/// The view that shows what a call did, which is the first packet of the words.
fn shown_by(words: &[u64], state: &State) -> Option<View> {
    let Some(Ok(located)) = afterimage_stream::Reader::new(words).next() else { return None };
    let targets = &state.render_targets;
    let there = |view: &&View| !view.texture.is_none();
    let color = || targets.color.iter().find(there).copied();
    let depth = || Some(targets.depth).filter(|view| there(&view));
    let whole = |id: ObjectId| View { texture: id, level: 0, layer: 0 };
    let texture =
        |part: Part| (part.id.kind() == Some(ObjectKind::Texture)).then(|| part.view.unwrap_or(whole(part.id)));
    let (mut shown, mut read) = (None, None);
    located.packet.effects(|effect| match effect {
        Effect::Draws { .. } => shown = color().or_else(depth),
        Effect::Clears(body, _) if body.flags & Clear::COLOR != 0 => shown = color().or_else(depth),
        Effect::Clears(..) => shown = depth().or_else(color),
        Effect::Dispatches(_) => {
            shown = state.storage_images(Stage::Compute).iter().map(|image| image.view).find(|v| there(&v));
        }
        Effect::Reads(part) => read = texture(part),
        Effect::Writes(part, _) => shown = texture(part),
        // A window shows what was read for it; a query shows nothing.
        Effect::Outputs(_) => shown = read,
        Effect::Creates { .. }
        | Effect::Declares(_)
        | Effect::Describes(_)
        | Effect::Destroys(_)
        | Effect::Uploads(_)
        | Effect::Answers(_)
        | Effect::Binds { .. }
        | Effect::Feedback { .. } => {}
    });
    shown
}
