//! A capture in memory: packets, calls, and the state at any place.

use crate::data::Data;
use crate::limits::Limits;
use crate::resources::{self, Resource, Resources};
use crate::shaders::{self, ShaderCode, Shaders};
use crate::walk::{Bound, bind};
use crate::{Access, Accesses, Call, CallSet, Change, Frame, Place, Walk};
use afterimage_capture::{Batch, CaptureError, Info, Reader, Sizes, Uses};
use afterimage_stream::packets::TableEntry;
use afterimage_stream::{Created, ObjectId, Packet, State, Validator};
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A packet that a renderer refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// The frame that was open.
    pub frame: u64,
    /// The call that comes next.
    pub call: u64,
    /// What is wrong with it.
    pub text: String,
}

/// Where a capture comes from, to be read again.
#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Bytes(Arc<[u8]>),
}

impl AsRef<[u8]> for Source {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::File(_) => &[],
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// State at a place; `call` is the number of the call that comes next.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) call: u64,
    pub(crate) place: Place,
    pub(crate) state: State,
    pub(crate) bound: Bound,
}

/// Packets that are not refused, with their places. See [`Capture::packets`].
#[derive(Debug)]
pub struct Packets<'a> {
    capture: &'a Capture,
    batch: u32,
    /// Word of the batch that the reader began at.
    start: u32,
    reader: afterimage_stream::Reader<'a>,
}

impl<'a> Iterator for Packets<'a> {
    type Item = (Place, Packet<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next() {
                Some(Ok(located)) => {
                    let place = Place { batch: self.batch, word: self.start + located.at as u32 };
                    if !self.capture.is_rejected(place) {
                        return Some((place, located.packet));
                    }
                }
                Some(Err(_)) => {}
                None => {
                    let batch = self.batch.checked_add(1)?;
                    let words = &self.capture.batches.get(batch as usize)?.words;
                    (self.batch, self.start, self.reader) = (batch, 0, afterimage_stream::Reader::new(words));
                }
            }
        }
    }
}

/// A capture. See the crate's documentation.
#[derive(Debug)]
pub struct Capture {
    source: Source,
    info: Info,
    sizes: Sizes,
    guest: u32,
    batches: Vec<Batch>,
    calls: Vec<Call>,
    frames: Vec<Frame>,
    /// Places of all rejected packets.
    rejected: Vec<Place>,
    problems: Vec<Problem>,
    damage: Option<String>,
    snapshots: Vec<Snapshot>,
    pub(crate) data: Data,
    resources: OnceLock<Resources>,
    shaders: Shaders,
}

/// Problems that are kept with their text.
const PROBLEMS: usize = 1000;
/// Damaged places behind which a file is still read.
const DAMAGES: usize = 100;
/// Calls between snapshots at first; twice as many when their memory is used up.
const SNAPSHOT_CALLS: u64 = 64;
/// Bytes that are taken for what is known of an object: its description, where its id is, its name, its code.
const OBJECT: usize = 400;
/// Bytes that are taken for a note of data.
const NOTE: usize = 128;

impl Capture {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be opened, is no capture, or one of another version. Damage behind that is no error: see [`Capture::damage`].
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        let bytes = path.metadata().map_or(0, |about| about.len());
        Self::open_with(path, &Limits::of_file(bytes), |_, _| {})
    }

    /// Opens a file; `progress` is told of bytes of packets that were read, and the bytes of the file.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn open_with(path: &Path, limits: &Limits, mut progress: impl FnMut(u64, u64)) -> Result<Self, CaptureError> {
        let io = |source| CaptureError::Io { what: format!("opening {}", path.display()), source };
        let file = File::open(path).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        let read = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = Counted { input: BufReader::new(file), read: std::rc::Rc::clone(&read) };
        let reader = Reader::new(counted)?.with_uses(Arc::new(Uses::open(path)?));
        Self::read(Source::File(path.to_owned()), reader, limits, || progress(read.get(), bytes))
    }

    /// Opens a capture in memory.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Result<Self, CaptureError> {
        let bytes = bytes.into();
        let limits = Limits::of_file(bytes.len() as u64);
        Self::from_bytes_with(bytes, &limits)
    }

    /// Opens a capture in memory, within limits.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn from_bytes_with(bytes: impl Into<Arc<[u8]>>, limits: &Limits) -> Result<Self, CaptureError> {
        let source = Source::Bytes(bytes.into());
        let uses = Uses::of(Cursor::new(source.clone()))?;
        let reader = Reader::new(Cursor::new(source.clone()))?.with_uses(Arc::new(uses));
        Self::read(source, reader, limits, || {})
    }

    fn read<R: Read>(
        source: Source,
        mut reader: Reader<R>,
        limits: &Limits,
        mut progress: impl FnMut(),
    ) -> Result<Self, CaptureError> {
        let mut open = Opening::new(limits);
        let mut damages = Vec::new();
        loop {
            match reader.next() {
                Ok(None) => break,
                // What lies behind damage may be good; what cannot be read never ends.
                Err(error) => {
                    let ends = matches!(error, CaptureError::Io { .. });
                    damages.push(error.to_string());
                    open.validator.resume();
                    if ends || damages.len() == DAMAGES {
                        break;
                    }
                }
                Ok(Some(batch)) => {
                    if !open.batch(batch, reader.arena()) {
                        damages.push(format!(
                            "more than {} bytes of packets and notes of them: the rest is left out; `afterimage replay` draws all of it",
                            limits.packets
                        ));
                        break;
                    }
                    progress();
                }
            }
        }
        let damage = (!damages.is_empty()).then(|| damages.join("\n"));
        let Opening { guest, mut batches, calls, mut frames, rejected, problems, snapshots, data, shaders, .. } = open;
        batches.shrink_to_fit();
        if let Some(frame) = frames.last_mut() {
            frame.calls.end = calls.len() as u64;
        }
        Ok(Self {
            source,
            info: reader.info().clone(),
            sizes: reader.sizes().clone(),
            guest,
            batches,
            calls,
            frames,
            rejected,
            problems,
            damage,
            snapshots,
            data,
            resources: OnceLock::new(),
            shaders,
        })
    }

    /// What the capture says about itself.
    #[must_use]
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// How large the parts of the file are.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The guest that made it, as in [`Init::guest`](afterimage_stream::packets::Init); 0 where nothing tells.
    #[must_use]
    pub fn guest(&self) -> u32 {
        self.guest
    }

    /// What is damaged in the file, a line for each place; behind the first of them packets and data may be missing.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Packets that a renderer refuses, the first thousand of them.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many packets a renderer refuses.
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.rejected.len()
    }

    /// Whether the packet at a place is refused.
    #[must_use]
    pub fn is_rejected(&self, place: Place) -> bool {
        self.rejected.binary_search(&place).is_ok()
    }

    /// The batches, as they are in the file: those of the keyframe first.
    #[must_use]
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// Every call, by number. Rejected packets are no calls, nor are those of the keyframe.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// A call.
    #[must_use]
    pub fn call(&self, number: u64) -> Option<&Call> {
        self.calls.get(usize::try_from(number).ok()?)
    }

    /// Every frame.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The frame with a number of the guest's.
    #[must_use]
    pub fn frame(&self, number: u64) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.number == number)
    }

    /// The capture from its start, to be replayed: batches as they are with the arena of each, within bounded memory.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn reader(&self) -> Result<Reader<Box<dyn Read + Send>>, CaptureError> {
        let input = || -> Result<Box<dyn Read + Send>, CaptureError> {
            Ok(match &self.source {
                Source::Bytes(_) => Box::new(Cursor::new(self.source.clone())),
                Source::File(path) => {
                    let io = |source| CaptureError::Io { what: format!("opening {}", path.display()), source };
                    Box::new(BufReader::new(File::open(path).map_err(io)?))
                }
            })
        };
        Ok(Reader::new(input()?)?.with_uses(Arc::new(Uses::of(input()?)?)))
    }

    /// The packet at a place.
    #[must_use]
    pub fn packet(&self, place: Place) -> Option<Packet<'_>> {
        let words = self.batches.get(place.batch as usize)?.words.get(place.word as usize..)?;
        Some(afterimage_stream::Reader::new(words).next()?.ok()?.packet)
    }

    /// Every packet from a place on that is not refused.
    #[must_use]
    pub fn packets(&self, from: Place) -> Packets<'_> {
        let words = self.batches.get(from.batch as usize).map_or(&[][..], |batch| &batch.words);
        let words = words.get(from.word as usize..).unwrap_or_default();
        Packets { capture: self, batch: from.batch, start: from.word, reader: afterimage_stream::Reader::new(words) }
    }

    /// The packets that belong to a call: those behind the call before it, up to the call itself.
    pub fn packets_of(&self, call: u64) -> impl Iterator<Item = (Place, Packet<'_>)> {
        let end = self.call(call).map(|call| call.place);
        let from = match call.checked_sub(1).and_then(|before| self.call(before)) {
            Some(before) => before.place,
            None => Place::default(),
        };
        let skip = usize::from(call > 0);
        self.packets(from).skip(skip).take_while(move |(place, _)| end.is_some_and(|end| *place <= end))
    }

    /// Goes through the calls in order, or to any of them: what there is to be told of many calls is told much faster so.
    #[must_use]
    pub fn walk(&self) -> Walk<'_> {
        Walk::new(self, 0)
    }

    /// The state in which a call is done; of a number behind the last call, the state at the end.
    #[must_use]
    pub fn state_before(&self, call: u64) -> State {
        let mut walk = Walk::new(self, call);
        walk.to(call);
        walk.into_state()
    }

    /// Calls `each` with calls one after the other and the state in which each is done.
    pub fn states(&self, calls: Range<u64>, mut each: impl FnMut(&Call, &State)) {
        let mut walk = Walk::new(self, calls.start);
        while let Some(call) = walk.next().filter(|call| call.number < calls.end) {
            each(call, walk.state());
        }
    }

    /// The last snapshot that is not behind a call.
    pub(crate) fn snapshot_before(&self, call: u64) -> Option<&Snapshot> {
        let at = self.snapshots.partition_point(|snapshot| snapshot.call <= call);
        self.snapshots.get(at.checked_sub(1)?)
    }

    /// What differs in the state from the call before; of the first call, from a state that nothing was set in.
    #[must_use]
    pub fn changes(&self, call: u64) -> Vec<Change> {
        let mut walk = Walk::new(self, call.saturating_sub(1));
        walk.to(call);
        walk.changes()
    }

    /// What a call writes. Buffers and images that a shader may store to count, whether it does or not.
    #[must_use]
    pub fn writes(&self, call: u64) -> Vec<Access> {
        self.accesses(call).writes
    }

    /// What a call reads. Textures count where the shaders look them up (all that are bound, where that cannot be told).
    #[must_use]
    pub fn reads(&self, call: u64) -> Vec<Access> {
        self.accesses(call).reads
    }

    fn accesses(&self, call: u64) -> Accesses {
        let mut walk = self.walk();
        walk.to(call).map_or_else(Accesses::default, |_| walk.accesses())
    }

    /// Every object that lives in the capture, in the order of creation.
    pub fn resources(&self) -> &[Resource] {
        &self.resources.get_or_init(|| resources::find(self)).all
    }

    /// The object that an id names when a call is done.
    #[must_use]
    pub fn resource(&self, id: ObjectId, call: u64) -> Option<&Resource> {
        let resources = self.resources.get_or_init(|| resources::find(self));
        let places = resources.places.get(&id)?;
        let created = places.partition_point(|at| resources.all[*at].created.is_before(call));
        resources.all.get(*places.get(created.checked_sub(1)?)?).filter(|resource| resource.lives_at(call))
    }

    /// Every shader that was created, in order; equal code is listed once for each creation.
    #[must_use]
    pub fn shaders(&self) -> &[ShaderCode] {
        &self.shaders.all
    }

    /// The shader that an id names when a call is done.
    #[must_use]
    pub fn shader(&self, id: ObjectId, call: u64) -> Option<&ShaderCode> {
        self.shaders.at(id, call)
    }

    /// The calls of a set.
    pub fn among<'a>(&'a self, set: &'a CallSet) -> impl Iterator<Item = &'a Call> {
        set.among(&self.calls)
    }
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    read: std::rc::Rc<std::cell::Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(out)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// A capture while it is read.
struct Opening<'a> {
    limits: &'a Limits,
    guest: u32,
    validator: Validator,
    state: State,
    batches: Vec<Batch>,
    calls: Vec<Call>,
    frames: Vec<Frame>,
    rejected: Vec<Place>,
    problems: Vec<Problem>,
    snapshots: Vec<Snapshot>,
    /// Bytes of packets.
    packets: usize,
    /// Calls between snapshots now.
    spacing: u64,
    /// Bytes of a copy of the state now, at most.
    weight: Weight,
    data: Data,
    shaders: Shaders,
    /// What is bound now.
    bound: Bound,
}

/// How large a state's tables may be.
#[derive(Default)]
struct Weight {
    serials: [usize; 16],
    attributes: usize,
    /// Objects that were created so far.
    objects: usize,
}

impl Weight {
    fn add(&mut self, packet: &Packet<'_>) {
        self.attributes += match packet {
            Packet::CreateVertexInput(_, attributes) => attributes.len() * 8,
            Packet::SetGamma(..) => 2048,
            Packet::CreateTable(table) => table.entries as usize * size_of::<TableEntry>(),
            _ => 0,
        };
        let Some(id) = packet.created() else { return };
        self.objects += 1;
        let slot = (id.0 >> 24) as usize & 15;
        self.serials[slot] = self.serials[slot].max(id.serial() as usize + 1);
    }

    /// Bytes of the tables of objects as they are.
    fn tables(&self) -> usize {
        self.serials.iter().sum::<usize>() * size_of::<Created>() + self.attributes
    }

    /// Bytes of a copy of the state.
    fn bytes(&self) -> usize {
        // Constants, a table's entries, and what some of them hold in boxes.
        (512 << 10) + self.serials.iter().sum::<usize>() * 128 + self.attributes
    }
}

impl<'a> Opening<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            guest: 0,
            validator: Validator::default(),
            state: State::default(),
            batches: Vec::new(),
            calls: Vec::new(),
            frames: Vec::new(),
            rejected: Vec::new(),
            problems: Vec::new(),
            snapshots: Vec::new(),
            packets: 0,
            spacing: SNAPSHOT_CALLS,
            weight: Weight::default(),
            data: Data::new(limits.data),
            shaders: Shaders::default(),
            bound: Bound::default(),
        }
    }

    /// Bytes of memory that the packets take so far, and what is noted of them.
    fn noted(&self) -> usize {
        self.packets
            + self.calls.len() * size_of::<Call>()
            + self.frames.len() * size_of::<Frame>()
            + self.rejected.len() * size_of::<Place>()
            + self.weight.objects * OBJECT
            + self.data.notes() * NOTE
            + self.weight.tables()
    }

    /// Takes a batch, or as much of it as there may be: false if there is more.
    fn batch(&mut self, mut batch: Batch, arena: &afterimage_capture::ReplayArena) -> bool {
        let number = self.batches.len() as u32;
        let mut most = batch.words.len();
        for located in afterimage_stream::Reader::new(&batch.words) {
            let checked = located.map_err(|error| (error.offset / 8, error)).and_then(|located| {
                match self.validator.check(&self.state, &located, arena) {
                    Ok(()) => Ok(located),
                    Err(error) => Err((located.at, error)),
                }
            });
            let word = checked.as_ref().map_or_else(|(word, _)| *word, |located| located.at);
            if self.noted() + word * 8 >= self.limits.packets {
                most = word;
                break;
            }
            match checked {
                Ok(located) => {
                    let place = Place { batch: number, word: located.at as u32 };
                    self.packet(place, batch.keyframe, located.header.sequence, &located.packet, arena);
                }
                Err((word, error)) => {
                    let place = Place { batch: number, word: word as u32 };
                    self.rejected.push(place);
                    if self.problems.len() < PROBLEMS {
                        let (frame, call) = (self.state.frame, self.calls.len() as u64);
                        self.problems.push(Problem { place, frame, call, text: error.to_string() });
                    }
                }
            }
        }
        let whole = most == batch.words.len();
        batch.words.truncate(most);
        self.packets += most * 8;
        self.batches.push(batch);
        whole
    }

    fn packet(
        &mut self,
        place: Place,
        keyframe: bool,
        sequence: u32,
        packet: &Packet<'_>,
        arena: &afterimage_capture::ReplayArena,
    ) {
        let next = self.calls.len() as u64;
        match packet {
            Packet::Init(body, _) => self.guest = body.guest,
            Packet::BeginFrame(body) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.calls.end = next;
                }
                self.frames.push(Frame { number: body.frame, calls: next..next, place, complete: false });
            }
            Packet::Present(_) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.complete = true;
                }
            }
            Packet::CreateShader(body) => {
                if self.guest == 0 {
                    self.guest = shaders::guest_of_language(body.language).unwrap_or(0);
                }
                let code = self.data.bytes(arena, body.code);
                self.shaders.push(body, code, crate::Moment::at(self.frames.is_empty(), next));
            }
            _ => self.data.packet(place, packet, arena, &self.state),
        }
        // Those of the keyframe build the state up, and nobody asked for them.
        if let Some(kind) = packet.kind().call().filter(|_| !keyframe) {
            self.snapshot(place);
            let (frame, first) = self.frames.last().map_or((0, 0), |frame| (frame.number, frame.calls.start));
            let in_frame = next - first;
            self.calls.push(Call { number: next, frame, in_frame, kind, packet: packet.kind(), sequence, place });
        }
        bind(&mut self.bound, place, packet);
        self.weight.add(packet);
        self.state.apply(packet);
    }

    /// Keeps the state in which a call is done, now and then.
    fn snapshot(&mut self, place: Place) {
        let call = self.calls.len() as u64;
        if !call.is_multiple_of(self.spacing) {
            return;
        }
        let most = (self.limits.snapshots / self.weight.bytes()).max(1);
        while self.snapshots.len() >= most {
            self.spacing *= 2;
            let spacing = self.spacing;
            self.snapshots.retain(|snapshot| snapshot.call.is_multiple_of(spacing));
            if !call.is_multiple_of(spacing) || most == 1 {
                return;
            }
        }
        self.snapshots.push(Snapshot { call, place, state: self.state.clone(), bound: self.bound });
    }
}
