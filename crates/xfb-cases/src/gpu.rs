//! Cases on a device, natively or lowered: packets of a command stream, as any guest sends them, many captures a submission.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Reply};
use afterimage_vulkan::Options;

use crate::case::{BUFFERS, Case, FILL, Kind, Layout, Ran, STRIDE, memory_words};
use crate::guest::{Guest, GuestError};
use crate::interp::packed;
use crate::shader;

/// Bytes of captured memory of a batch, unless one case has more.
const BATCH_BYTES: u64 = 32 << 20;

/// Why cases have no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No device, or none that can do it.
    #[error("{0}")]
    Device(String),
    /// The renderer refused something.
    #[error("case {id}: the renderer refused a packet; its log says why")]
    Refused {
        /// The case's `id`.
        id: String,
    },
    /// Something else is wrong with the outcome.
    #[error("{0}")]
    Outcome(String),
    /// The device did not come to an end.
    #[error(
        "no answer from the device within {seconds} s; cases with ids {ids} were running. With `--batch 1` each has \
         its own submission, and the one that hangs is the one that is named"
    )]
    Hung {
        /// The time limit.
        seconds: u64,
        /// Ids of the cases.
        ids: String,
    },
}

type Outcome = Result<Vec<Ran>, GpuError>;

/// A renderer on a thread of its own, so that no case can make anybody wait for longer than a while.
pub struct Device {
    name: String,
    batch: usize,
    limit: Duration,
    jobs: Sender<Vec<Case>>,
    done: Receiver<Outcome>,
    /// Whether a case hangs: nothing can be had any more.
    hung: bool,
    /// The thread that draws.
    thread: JoinHandle<()>,
}

impl Device {
    /// Opens a device. `batch` cases share a submission; each submission may take as long as `limit`.
    ///
    /// # Errors
    /// [`GpuError::Device`], [`GpuError::Hung`].
    pub fn open(options: Options, batch: usize, limit: Duration) -> Result<Self, GpuError> {
        let (jobs, todo) = mpsc::channel::<Vec<Case>>();
        let (outcomes, done) = mpsc::channel();
        let (opened, open) = mpsc::channel();
        let work = move || {
            let mut worker = match Worker::open(options) {
                Ok(worker) => {
                    let _ = opened.send(Ok(worker.guest.renderer.gpu().profile.name.clone()));
                    worker
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                    return;
                }
            };
            for cases in todo {
                if outcomes.send(worker.run(&cases)).is_err() {
                    break;
                }
            }
            // An outcome that is no longer waited for: what the validation layer said.
            let _ = outcomes.send(worker.finish());
        };
        let thread = std::thread::Builder::new()
            .name("device".to_owned())
            .spawn(work)
            .map_err(|e| GpuError::Device(e.to_string()))?;
        let name = match open.recv_timeout(limit) {
            Ok(name) => name?,
            Err(_) => return Err(GpuError::Device(format!("the device was not open within {} s", limit.as_secs()))),
        };
        Ok(Self { name, batch: batch.max(1), limit, jobs, done, hung: false, thread })
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs cases; `progress` hears how many are done.
    ///
    /// # Errors
    /// Those of the first case that has one. After [`GpuError::Hung`] there is nothing else.
    pub fn run(&mut self, cases: &[Case], progress: &mut dyn FnMut(usize)) -> Outcome {
        let mut ran = Vec::with_capacity(cases.len());
        while ran.len() < cases.len() {
            let rest = &cases[ran.len()..];
            let mut bytes = 0;
            let fits = rest.iter().take(self.batch).take_while(|case| {
                bytes += case.memory();
                bytes <= BATCH_BYTES
            });
            let batch = &rest[..fits.count().max(1)];
            if self.hung || self.jobs.send(batch.to_vec()).is_err() {
                return Err(self.hangs(batch));
            }
            let outcome = match self.done.recv_timeout(self.limit) {
                Ok(outcome) => outcome?,
                Err(RecvTimeoutError::Timeout) => return Err(self.hangs(batch)),
                Err(RecvTimeoutError::Disconnected) => {
                    self.hung = true;
                    return Err(GpuError::Outcome(format!("the renderer panicked in cases with ids {}", ids(batch))));
                }
            };
            ran.extend(outcome);
            progress(ran.len());
        }
        Ok(ran)
    }

    /// Closes the device.
    ///
    /// # Errors
    /// When the validation layer had something to say.
    pub fn close(self) -> Result<(), GpuError> {
        drop(self.jobs);
        match self.done.recv_timeout(self.limit) {
            Ok(outcome) => {
                // Its last words are said; what is left is the driver's end.
                let _ = self.thread.join();
                outcome.map(drop)
            }
            Err(_) => Err(GpuError::Hung { seconds: self.limit.as_secs(), ids: "(the end)".to_owned() }),
        }
    }

    fn hangs(&mut self, batch: &[Case]) -> GpuError {
        self.hung = true;
        GpuError::Hung { seconds: self.limit.as_secs(), ids: ids(batch) }
    }
}

fn ids(cases: &[Case]) -> String {
    match cases {
        [] => "none".to_owned(),
        [only] => only.id.to_string(),
        [first, .., last] => format!("{} to {}", first.id, last.id),
    }
}

/// The guest on the device's thread.
struct Worker {
    guest: Guest,
    shaders: HashMap<Option<Layout>, ObjectId>,
}

/// Where what a case needs lies in the batch's buffers, in bytes, and who answers its queries.
struct Placed {
    /// Each buffer's memory, from what lies before the range on.
    memory: [u64; BUFFERS],
    /// A word per buffer, and the byte count of [`Kind::ByteCount`].
    counters: u64,
    indices: u64,
    arguments: u64,
    queries: [ObjectId; 2],
    /// Sequence numbers of its packets.
    packets: Range<u32>,
}

impl Worker {
    fn open(options: Options) -> Result<Self, GpuError> {
        let guest = Guest::open(options).map_err(|error| GpuError::Device(error.to_string()))?;
        Ok(Self { guest, shaders: HashMap::new() })
    }

    fn shader(&mut self, case: &Case) -> Result<ObjectId, GpuError> {
        if let Some(id) = self.shaders.get(&case.layout) {
            return Ok(*id);
        }
        let module = shader::vertex(case).map_err(|error| GpuError::Outcome(format!("our own shader: {error}")))?;
        let id = self.guest.shader(&module.to_string());
        self.shaders.insert(case.layout.clone(), id);
        Ok(id)
    }

    /// Runs cases, all in one frame.
    fn run(&mut self, cases: &[Case]) -> Outcome {
        self.guest.uploads.clear();
        // What each case needs, one after the other.
        let (mut memory, mut counters, mut indices, mut arguments) = (0u64, Vec::new(), Vec::new(), Vec::new());
        let mut placed = Vec::with_capacity(cases.len());
        for case in cases {
            let strides = case.strides();
            let mut at = [0; BUFFERS];
            for n in (0..BUFFERS).filter(|&n| strides[n] != 0) {
                at[n] = memory;
                memory += 4 * u64::from(memory_words(case.ranges[n]));
            }
            let place = Placed {
                memory: at,
                counters: 4 * counters.len() as u64,
                // First indices lie anywhere in a word.
                indices: place_indices(case, &mut indices),
                arguments: 4 * arguments.len() as u64,
                queries: [0; 2].map(|_| self.guest.id(ObjectKind::Query)),
                packets: 0..0,
            };
            counters.extend([0, 0, 0, 0, case.count]);
            let count = case.vertices();
            match case.kind {
                Kind::Indirect => arguments.extend([count, case.instances, case.first, case.first_instance]),
                Kind::IndexedIndirect => arguments.extend([count, case.instances, 0, case.first, case.first_instance]),
                Kind::Draw | Kind::Indexed | Kind::ByteCount => {}
            }
            placed.push(place);
        }
        indices.resize(indices.len().next_multiple_of(4).max(4), 0);
        let memory = memory.max(4);
        let index_words: Vec<u32> = indices.as_chunks::<4>().0.iter().map(|b| u32::from_ne_bytes(*b)).collect();
        let storage = CreateBuffer::STORAGE;
        let objects = Objects {
            memory: self.guest.room(storage, memory),
            counters: self.guest.buffer(storage, &counters),
            indices: self.guest.buffer(CreateBuffer::INDEX, &index_words),
            arguments: self.guest.buffer(storage, &arguments),
        };
        self.guest.encoder.push(&FillBuffer { id: objects.memory, value: FILL, offset: 0, size: memory });
        for (case, place) in cases.iter().zip(&mut placed) {
            let first = self.guest.encoder.sequence().wrapping_add(1);
            self.capture(case, place, &objects)?;
            place.packets = first..self.guest.encoder.sequence().wrapping_add(1);
        }
        let memory = self.guest.read(objects.memory, memory);
        let counters = self.guest.read(objects.counters, 4 * counters.len().max(1) as u64);
        let queries = placed.iter().flat_map(|place| place.queries);
        let all = queries.chain([objects.memory, objects.counters, objects.indices, objects.arguments]);
        all.for_each(|id| self.guest.encoder.push(&Destroy { id, pad: 0 }));
        self.guest.end_frame();
        let replies = self.guest.execute().map_err(|error| match error {
            GuestError::Refused(sequence) => {
                let of = placed.iter().position(|place| place.packets.contains(&sequence));
                GpuError::Refused { id: of.map_or_else(|| "(all)".to_owned(), |n| cases[n].id.to_string()) }
            }
            GuestError::Device(why) => GpuError::Outcome(why),
        })?;
        let answers = answers(&replies);
        let (memory, counters) = (self.guest.uploads.words(&memory), self.guest.uploads.words(&counters));
        let outcome = |(n, (case, place)): (usize, (&Case, &Placed))| {
            let query = |k: usize| {
                let none = || GpuError::Outcome(format!("case {}: no answer to a query", case.id));
                answers.get(&(2 * n as u64 + k as u64)).copied().ok_or_else(none)
            };
            let mut ran = Ran { needed: query(0)?, written: query(1)?, ..Ran::default() };
            let strides = case.strides();
            for b in (0..BUFFERS).filter(|&b| strides[b] != 0) {
                let first = place.memory[b] as usize / 4;
                ran.memory[b] = memory[first..first + memory_words(case.ranges[b]) as usize].to_vec();
                ran.counters[b] = counters[place.counters as usize / 4 + b];
            }
            Ok(ran)
        };
        cases.iter().zip(&placed).enumerate().map(outcome).collect()
    }

    /// The packets of a case.
    fn capture(&mut self, case: &Case, place: &Placed, objects: &Objects) -> Result<(), GpuError> {
        let vertex = self.shader(case)?;
        self.guest.encoder.push(&SetShaders { vertex, ..Default::default() });
        let provoking = if case.last { Provoking::Last } else { Provoking::First };
        self.guest.encoder.push(&SetRaster { provoking: provoking as u8, discard: 1, ..SetRaster::default() });
        let strides = case.strides();
        let buffers: [FeedbackBuffer; BUFFERS] = std::array::from_fn(|n| match strides[n] {
            0 => FeedbackBuffer::default(),
            // A size of 0 would be all the rest; nothing fits into a byte.
            _ => FeedbackBuffer {
                buffer: objects.memory,
                pad: 0,
                offset: place.memory[n] + u64::from(case.ranges[n].offset),
                size: case.ranges[n].bytes.max(1).into(),
            },
        });
        self.guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: BUFFERS as u32 }, &buffers);
        if case.kind.is_indexed() {
            let size = u64::from(case.vertices() * case.index_type.bytes());
            // A size of 0 would be all the rest here too; none of those are drawn.
            let (index_bytes, restart) = (case.index_type.bytes() as u16, case.restart.into());
            let (source, offset) = (objects.indices, place.indices);
            self.guest.encoder.push(&SetIndexBuffer { source, index_bytes, restart, offset, size });
        }
        for (id, kind) in place.queries.into_iter().zip([QueryKind::Needed0, QueryKind::Written0]) {
            self.guest.encoder.push(&CreateQuery { id, kind: kind as u32 });
            self.guest.encoder.push(&BeginQuery { id, pad: 0 });
        }
        let counters: [CounterRef; BUFFERS] = std::array::from_fn(|n| match strides[n] {
            0 => CounterRef::default(),
            _ => CounterRef { buffer: objects.counters, pad: 0, offset: place.counters + 4 * n as u64 },
        });
        self.guest.encoder.push(&BeginFeedback::default());
        for rep in 0..case.reps {
            if rep > 0 && case.resume {
                self.guest.encoder.push(&EndFeedback { counters });
                self.guest.encoder.push(&BeginFeedback { counters });
            }
            self.draw(case, place, objects);
        }
        self.guest.encoder.push(&EndFeedback { counters });
        for (id, k) in place.queries.into_iter().zip(0..) {
            let n = self.queried(place, k);
            self.guest.encoder.push(&EndQuery { id, pad: 0, token: n });
        }
        Ok(())
    }

    /// The token of a query.
    fn queried(&self, place: &Placed, k: u64) -> u64 {
        // Each case has five words of counters.
        2 * (place.counters / 20) + k
    }

    fn draw(&mut self, case: &Case, place: &Placed, objects: &Objects) {
        let topology = topology(case.topology) as u32;
        let (instances, first_instance) = (case.instances, case.first_instance);
        match case.kind {
            Kind::Draw => {
                let (first, count) = (case.first, case.count);
                self.guest.encoder.push(&Draw { topology, first, count, instances, first_instance, pad: 0 });
            }
            Kind::Indexed => {
                let (count, base_vertex) = (case.vertices(), case.first as i32);
                self.guest.encoder.push(&DrawIndexed {
                    topology,
                    first: 0,
                    count,
                    instances,
                    base_vertex,
                    first_instance,
                });
            }
            Kind::Indirect | Kind::IndexedIndirect => {
                let indexed = case.kind.is_indexed().into();
                let (buffer, offset) = (objects.arguments, place.arguments);
                self.guest.encoder.push(&DrawIndirect {
                    topology,
                    indexed,
                    buffer,
                    count: 1,
                    offset,
                    stride: 0,
                    pad: 0,
                });
            }
            Kind::ByteCount => self.guest.encoder.push(&DrawByteCount {
                topology,
                instances,
                first_instance,
                counter: objects.counters,
                offset: place.counters + 16,
                counter_offset: case.first,
                stride: STRIDE,
            }),
        }
    }

    /// Ends, and asks whether the validation layer was content.
    fn finish(mut self) -> Outcome {
        self.guest.renderer.finish(&mut |_| {}).map_err(|error| GpuError::Outcome(error.to_string()))?;
        match self.guest.renderer.validation_messages() {
            0 => Ok(Vec::new()),
            n => Err(GpuError::Outcome(format!("the validation layer has reported {n} times: see the log"))),
        }
    }
}

/// A batch's buffers.
struct Objects {
    memory: ObjectId,
    counters: ObjectId,
    indices: ObjectId,
    arguments: ObjectId,
}

/// Puts a case's indices behind those of others; where they begin, in bytes.
fn place_indices(case: &Case, all: &mut Vec<u8>) -> u64 {
    if !case.kind.is_indexed() {
        return 0;
    }
    let bytes = case.index_type.bytes();
    all.resize(all.len().next_multiple_of(bytes as usize), 0xaa);
    let at = all.len();
    let words = packed(&case.indices, bytes, 0);
    let indices: &[u8] = bytemuck::cast_slice(&words);
    all.extend_from_slice(&indices[..case.indices.len() * bytes as usize]);
    // Something of it must be there to be bound.
    if case.indices.is_empty() {
        all.extend_from_slice(&[0xcc; 4][..bytes as usize]);
    }
    at as u64
}

/// The stream's number of Vulkan's topology.
fn topology(number: u32) -> Topology {
    [
        Topology::PointList,
        Topology::LineList,
        Topology::LineStrip,
        Topology::TriangleList,
        Topology::TriangleStrip,
        Topology::TriangleFan,
        Topology::LineListAdjacency,
        Topology::LineStripAdjacency,
        Topology::TriangleListAdjacency,
        Topology::TriangleStripAdjacency,
    ][number as usize % 10]
}

/// Answers of queries by their tokens.
fn answers(replies: &[Reply]) -> HashMap<u64, u64> {
    let answer = |reply: &Reply| match *reply {
        Reply::Query { token, value, .. } => Some((token, value)),
        _ => None,
    };
    replies.iter().filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_vulkan::Without;

    #[test]
    fn what_does_not_come_to_an_end_is_named() {
        let without = Without { transform_feedback: true, ..Without::default() };
        let options = Options { cache_dir: None, without, ..Options::from_env() };
        let mut device = Device::open(options, 2, Duration::from_secs(120)).unwrap_or_else(|error| panic!("{error}"));
        let cases: Vec<Case> =
            (0..3).map(|n| Case { id: (40 + n).into(), ..Case::new(4, false, 100_000, 1) }).collect();
        device.limit = Duration::ZERO;
        let hung = GpuError::Hung { seconds: 0, ids: "40 to 41".to_owned() };
        assert_eq!(device.run(&cases, &mut |_| {}).unwrap_err(), hung);
        // Nothing more is asked of a device that hangs.
        assert_eq!(
            device.run(&cases[2..], &mut |_| {}).unwrap_err(),
            GpuError::Hung { seconds: 0, ids: "42".to_owned() }
        );
        // The process must not end while a driver draws: some crash then.
        drop(device.jobs);
        device.thread.join().unwrap();
    }
}
