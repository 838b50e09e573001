//! The ways by which a guest's packets and data come to the renderer: a link with its two ends, and a capture that is replayed.

use super::{ARENA, Guest};
use afterimage_capture::{Info, Reader, Writer};
use afterimage_ipc::shared::{Found, Host, Options, SharedLink};
use afterimage_ipc::{ArenaConfig, Received, Receiver, SlotImporter};
use afterimage_output::Output;
use afterimage_stream::{Arena, DeviceInfo, Executor, Link};
use std::time::Duration;

/// A link with both of its ends.
pub struct Ends {
    pub link: Box<dyn Link>,
    pub receiver: Box<dyn Receiver>,
    /// Where the shared file is.
    _directory: Option<tempfile::TempDir>,
}

impl Ends {
    pub fn new(link: impl Link + 'static, receiver: impl Receiver + 'static) -> Self {
        Self { link: Box::new(link), receiver: Box::new(receiver), _directory: None }
    }

    /// The memory that a program and the viewer share; both are this process here. The device copies out of it itself.
    pub fn shared(device: &DeviceInfo, importer: impl SlotImporter + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut host = Host::open(Some(directory.path())).unwrap();
        let options = Options {
            directory: Some(directory.path().to_path_buf()),
            program: "a stranger".into(),
            wait: Duration::from_secs(100),
            arena: ArenaConfig { first_slot_bytes: ARENA as u64, ..ArenaConfig::default() },
        };
        let program = std::thread::spawn(move || SharedLink::connect(&options).unwrap());
        let claim = loop {
            match host.scan().unwrap().pop() {
                Some(Found::Program(claim)) => break claim,
                Some(other) => panic!("{other:?}"),
                None => std::thread::yield_now(),
            }
        };
        let mut channel = claim.open().unwrap();
        channel.import_slots(Box::new(importer));
        channel.accept(device);
        Self { _directory: Some(directory), ..Self::new(program.join().unwrap(), channel) }
    }

    /// Sends a batch; what comes out at the other end.
    pub fn cross(&mut self, mut batch: Vec<u64>) -> Vec<u64> {
        let words = batch.len();
        self.link.submit(&mut batch).unwrap();
        let mut out = Vec::new();
        while out.len() < words {
            match self.receiver.next(Duration::from_millis(1)) {
                Received::Batch(batch) => {
                    out.extend(&batch);
                    self.receiver.recycle(batch);
                }
                Received::Idle => {}
                Received::Closed => panic!("the link is closed"),
            }
        }
        out
    }
}

/// What a renderer has refused and not drawn so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    shaders: f64,
    draws: u64,
}

impl Tally {
    pub fn of(guest: &Guest) -> Self {
        guest.renderer.finish_workers();
        Self { shaders: guest.figure("shader_failures"), draws: guest.renderer.skipped_draws() }
    }
}

/// A capture of everything that a guest sends, with what became of each batch.
pub struct Filed {
    writer: Writer<Output>,
    tallies: Vec<Tally>,
    directory: tempfile::TempDir,
}

impl Filed {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let writer = Writer::create(&directory.path().join("strange.aftercap"), &Info::default()).unwrap();
        Self { writer, tallies: Vec::new(), directory }
    }

    pub fn batch(&mut self, words: &[u64], arena: &dyn Arena) {
        self.writer.batch(words, arena).unwrap();
    }

    pub fn tally(&mut self, tally: Tally) {
        self.tallies.push(tally);
    }

    /// Replays the capture with another renderer, which does and refuses the same at each step.
    pub fn replays(self, mut guest: Guest) {
        self.writer.finish().unwrap();
        let mut reader = Reader::open(&self.directory.path().join("strange.aftercap")).unwrap();
        for (step, tally) in self.tallies.into_iter().enumerate() {
            let batch = reader.next().unwrap().expect("as many batches as were sent");
            guest.renderer.execute(&batch.words, reader.arena(), &mut |_| {}).unwrap();
            assert_eq!(Tally::of(&guest), tally, "batch {step} of the capture");
        }
        assert_eq!(reader.next().unwrap(), None);
        guest.finish();
    }
}
