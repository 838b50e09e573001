//! The shared file between real processes: this test program starts itself as the other side.
#![cfg(unix)]
#![allow(missing_docs)]

use afterimage_ipc::shared::{
    Channel, Claim, ConnectError, Found, Host, HostError, Life, Options, SharedLink, running,
};
use afterimage_ipc::{ArenaConfig, PROCESSOR_SLOT, Pump, Receiver as _, SlotImporter, SlotMemory, serve};
use afterimage_stream::{Arena, DeviceFeatures, DeviceInfo, Executor, Link, LinkError, Reply, StreamError, UploadRef};
use std::collections::VecDeque;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROLE: &str = "AFTERIMAGE_TEST_ROLE";
const DIRECTORY: &str = "AFTERIMAGE_TEST_DIRECTORY";

/// How long anything may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(100);

// The test's own language: a word with one of these tags in its top byte, or else the next number of a count.
const FRAME: u64 = 1 << 56;
const UPLOAD: u64 = 2 << 56;
const START: u64 = 3 << 56;
const TAG: u64 = 0xff << 56;

/// Checks all that arrives.
#[derive(Default)]
struct Checker {
    next: u64,
    frames: u64,
    uploads: u64,
    largest_slot: u32,
    done: VecDeque<u64>,
}

impl Executor for Checker {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        let mut words = batch.iter();
        while let Some(&word) = words.next() {
            match word & TAG {
                START => self.next = 0,
                FRAME => {
                    self.frames += 1;
                    self.done.push_back(word & !TAG);
                }
                UPLOAD => {
                    let (slot, size) = ((word & 0xff) as u32, (word >> 8) as u32);
                    let range = UploadRef { slot, size, offset: *words.next().unwrap() };
                    let mut bytes = vec![0; size as usize];
                    assert!(arena.copy_out(&range, 0, &mut bytes), "{range:?}");
                    let value = *words.next().unwrap() as u8;
                    assert!(bytes.iter().all(|&byte| byte == value), "{range:?} is not filled with {value}");
                    self.uploads += 1;
                    self.largest_slot = self.largest_slot.max(slot);
                    assert!(arena.copy_in(&range, 0, &[!value]));
                    replies(Reply::ReadBack { token: u64::from(value), ok: true });
                }
                _ => {
                    assert_eq!(word, self.next);
                    self.next += 1;
                }
            }
        }
        Ok(())
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        while let Some(frame) = self.done.pop_front() {
            replies(Reply::FrameDone { frame });
        }
    }
}

fn options(directory: &Path) -> Options {
    let arena = ArenaConfig { frames: 3, slot_bytes: 1 << 20, first_slot_bytes: 256 << 10, limit_bytes: 8 << 20 };
    Options { directory: Some(directory.to_path_buf()), program: "test program".into(), wait: PATIENCE, arena }
}

/// Sends frames `from..to`; answers the first frame that was not sent completely.
fn send(link: &mut SharedLink, from: u64, to: u64, count: &mut u64) -> Result<(), u64> {
    for frame in from..to {
        let mut send = || {
            let mut batch = Vec::new();
            if *count == 0 {
                batch.push(START);
            }
            // Some of these are larger than the ring.
            for size in [1u64, 300, if frame % 16 == 3 { 700_000 } else { 5000 }] {
                batch.extend(*count..*count + size);
                *count += size;
                link.submit(&mut batch)?;
            }
            for (index, size) in [100u32, 60_000, if frame % 4 == 1 { 500_000 } else { 7 }].into_iter().enumerate() {
                let value = (frame as u8).wrapping_mul(3).wrapping_add(index as u8);
                let range = link.alloc(size, 16)?;
                link.write(&range, 0, &vec![value; size as usize]);
                batch.extend([UPLOAD | u64::from(size) << 8 | u64::from(range.slot), range.offset, u64::from(value)]);
                if index == 1 {
                    link.submit(&mut batch)?;
                    loop {
                        if let Reply::ReadBack { token, ok: true } = link.wait()?
                            && token == u64::from(value)
                        {
                            break;
                        }
                    }
                    let mut back = [0];
                    link.read(&range, 0, &mut back);
                    assert_eq!(back[0], !value);
                }
            }
            batch.push(FRAME | frame);
            link.submit(&mut batch)?;
            link.end_frame(frame)?;
            while link.poll().is_some() {}
            Ok::<_, LinkError>(())
        };
        match send() {
            Ok(()) => {}
            Err(LinkError::Lost) => return Err(frame),
            Err(other) => panic!("{other}"),
        }
    }
    Ok(())
}

fn device() -> DeviceInfo {
    let mut device = DeviceInfo::default();
    device.name[..4].copy_from_slice(b"test");
    device
}

/// What a child process of these tests does.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let directory = std::env::var(DIRECTORY).unwrap();
    let directory = Path::new(&directory);
    match role.as_str() {
        "guest" => {
            let mut link = SharedLink::connect(&options(directory)).unwrap();
            assert_eq!(link.device().name(), "test");
            send(&mut link, 1, 60, &mut 0).unwrap();
        }
        "endless guest" => {
            let mut link = SharedLink::connect(&options(directory)).unwrap();
            let _killed = send(&mut link, 1, u64::MAX, &mut 0);
        }
        "viewer" => {
            let mut host = Host::open(Some(directory)).unwrap();
            let (_claim, mut channel) = wait_for_program(&mut host);
            channel.accept(&device());
            serve(&mut channel, &mut Checker::default());
        }
        other => panic!("{other}"),
    }
}

fn start(role: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--test-threads=1"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_for_program(host: &mut Host) -> (Claim, Channel) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match host.scan().unwrap().pop() {
            Some(Found::Program(claim)) => {
                let channel = claim.open().unwrap();
                return (claim, channel);
            }
            Some(Found::Refused(error)) => panic!("{error}"),
            None => {}
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no program came");
}

fn shared_files(directory: &Path) -> usize {
    std::fs::read_dir(directory)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "aft"))
        .count()
}

#[test]
fn everything_crosses_in_order_and_the_file_goes_away() {
    let temp = tempfile::tempdir().unwrap();
    let mut guest = start("guest", temp.path());
    let mut host = Host::open(Some(temp.path())).unwrap();
    let (claim, mut channel) = wait_for_program(&mut host);
    assert_eq!((claim.program(), claim.pointer_bits()), ("test program", usize::BITS));
    assert_eq!((channel.program(), claim.process()), ("test program", guest.id()));
    channel.accept(&device());
    let mut checker = Checker::default();
    serve(&mut channel, &mut checker);
    assert!(guest.wait().unwrap().success());
    assert_eq!((checker.frames, checker.uploads), (59, 59 * 3));
    assert_eq!(checker.next, 59 * 301 + 4 * 700_000 + 55 * 5000);
    // Beside the first one, which is smaller than some uploads; how many more there are goes by who is faster.
    assert!(checker.largest_slot >= 1, "the arena has grown");
    assert_eq!((channel.failure(), channel.life()), (None, Life::Closed));
    drop((channel, claim));
    assert_eq!(shared_files(temp.path()), 0);
}

#[test]
fn two_programs_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let mut host = Host::open(Some(temp.path())).unwrap();
    let mut guests = [start("guest", temp.path()), start("guest", temp.path())];
    let (mut channels, mut claims) = (Vec::new(), Vec::new());
    while channels.len() < 2 {
        for found in host.scan().unwrap() {
            let Found::Program(claim) = found else { panic!("{found:?}") };
            let mut channel = claim.open().unwrap();
            channel.accept(&device());
            channels.push((channel, Checker::default(), Pump::default(), true));
            claims.push(claim);
        }
    }
    while channels.iter().any(|(.., open)| *open) {
        for (channel, checker, pump, open) in &mut channels {
            *open = *open && pump.step(channel, checker, Duration::from_micros(100));
        }
    }
    assert!(guests.iter_mut().all(|guest| guest.wait().unwrap().success()));
    assert!(channels.iter().all(|(_, checker, ..)| checker.frames == 59));
    assert_ne!(claims[0].family(), claims[1].family(), "programs of one process alone may share images");
}

#[test]
fn a_killed_guest_is_noticed_and_cleaned_up() {
    let temp = tempfile::tempdir().unwrap();
    let mut host = Host::open(Some(temp.path())).unwrap();
    let mut guest = start("endless guest", temp.path());
    let (claim, mut channel) = wait_for_program(&mut host);
    channel.accept(&device());
    let (mut checker, mut pump) = (Checker::default(), Pump::default());
    while checker.frames < 20 {
        assert!(pump.step(&mut channel, &mut checker, Duration::from_millis(1)));
    }
    assert_eq!(channel.life(), Life::Running);
    guest.kill().unwrap();
    guest.wait().unwrap();
    assert_eq!(channel.life(), Life::Died);
    let killed = Instant::now();
    while pump.step(&mut channel, &mut checker, Duration::from_millis(1)) {
        assert!(killed.elapsed() < PATIENCE);
    }
    drop((channel, claim));
    assert_eq!(shared_files(temp.path()), 0);
}

#[test]
fn a_killed_viewer_is_noticed_and_the_next_one_gets_everything_anew() {
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = start("viewer", temp.path());
    let mut link = SharedLink::connect(&options(temp.path())).unwrap();
    let first = link.epoch();
    let mut count = 0;
    send(&mut link, 1, 20, &mut count).unwrap();
    viewer.kill().unwrap();
    viewer.wait().unwrap();
    let stopped = send(&mut link, 20, 1000, &mut count).expect_err("nobody is there");
    assert!(stopped < 30);
    assert_eq!(link.epoch(), first, "no new viewer yet");
    assert_eq!(link.submit(&mut vec![1]), Err(LinkError::Lost));
    for generation in 0..2 {
        let before = link.epoch();
        let mut viewer = start("viewer", temp.path());
        let waited = Instant::now();
        while link.epoch() == before {
            assert!(waited.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(1));
        }
        // The checker of the new viewer fails unless it gets a whole stream from its start.
        count = 0;
        send(&mut link, stopped, stopped + 20, &mut count).unwrap();
        if generation == 1 {
            drop(link);
            assert!(viewer.wait().unwrap().success());
            break;
        }
        viewer.kill().unwrap();
        viewer.wait().unwrap();
        send(&mut link, 500, 1000, &mut count).expect_err("nobody is there");
    }
    assert_eq!(shared_files(temp.path()), 0);
}

#[test]
fn a_waiting_guest_learns_of_the_viewer_s_death() {
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = start("viewer", temp.path());
    let mut link = SharedLink::connect(&options(temp.path())).unwrap();
    let killer = std::thread::spawn(move || {
        // The guest waits by then, which nobody can see; it learns the same if not.
        std::thread::sleep(Duration::from_millis(200));
        viewer.kill().unwrap();
        viewer.wait().unwrap();
    });
    assert_eq!(link.wait(), Err(LinkError::Lost));
    killer.join().unwrap();
}

/// Both ends in this process, with slots of the default sizes.
fn both_ends(directory: &Path, device: DeviceInfo, importer: Box<dyn SlotImporter>) -> (SharedLink, Channel, Claim) {
    let mut host = Host::open(Some(directory)).unwrap();
    let options = Options { arena: ArenaConfig::default(), ..options(directory) };
    let program = std::thread::spawn(move || SharedLink::connect(&options).unwrap());
    let (claim, mut channel) = wait_for_program(&mut host);
    channel.import_slots(importer);
    channel.accept(&device);
    (program.join().unwrap(), channel, claim)
}

/// Notes the sizes of slots. No device is here to copy out of them, and every second is refused, as by one that cannot.
#[derive(Clone, Debug, Default)]
struct Importer(Arc<Mutex<Vec<u64>>>);

impl SlotImporter for Importer {
    fn import(&mut self, slot: SlotMemory) -> SlotMemory {
        let mut sizes = self.0.lock().unwrap();
        sizes.push(slot.bytes());
        if sizes.len().is_multiple_of(2) {
            return slot;
        }
        let (pointer, bytes, token) = (slot.pointer(), slot.bytes(), 100 + sizes.len() as u64);
        // SAFETY: the slot that is kept keeps its memory.
        unsafe { SlotMemory::new(pointer, bytes, Some(token), Box::new(slot)) }
    }
}

#[test]
fn slots_are_ready_before_a_packet_names_them() {
    let temp = tempfile::tempdir().unwrap();
    let importer = Importer::default();
    let mut device = device();
    device.features = DeviceFeatures::PROCESSOR;
    let (mut link, mut channel, claim) = both_ends(temp.path(), device, Box::new(importer.clone()));
    assert_eq!(link.frame_bytes(), PROCESSOR_SLOT + PROCESSOR_SLOT / 2, "smaller slots for this device");
    let (first, second) = (link.alloc(3 << 20, 16).unwrap(), link.alloc(3 << 20, 16).unwrap());
    assert_eq!((first.slot, second.slot), (0, 1));
    link.write(&first, 7, &[9; 100]);
    channel.next(Duration::ZERO);
    assert_eq!(*importer.0.lock().unwrap(), [PROCESSOR_SLOT; 2], "nothing was sent yet");
    assert_eq!((channel.source_slot(0), channel.device_slot(0)), (Some(101), None), "for copies alone");
    assert_eq!((channel.source_slot(1), channel.source_slot(2)), (None, None));
    let mut byte = [0];
    assert!(channel.copy_out(&first, 7, &mut byte) && channel.copy_out(&second, 0, &mut [1; 9]));
    assert_eq!(byte, [9]);
    drop((link, channel, claim));
}

#[test]
fn a_program_does_not_make_the_viewer_map_what_nobody_uses() {
    let temp = tempfile::tempdir().unwrap();
    let importer = Importer::default();
    let (mut link, mut channel, claim) = both_ends(temp.path(), device(), Box::new(importer.clone()));
    link.alloc(1, 1).unwrap();
    let shared = std::fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().path());
    let shared = shared.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "aft")).unwrap();
    let file = std::fs::File::options().write(true).open(shared).unwrap();
    // Sixty slots more, each of a gigabyte that was never written.
    let start = file.metadata().unwrap().len().next_multiple_of(64 << 10);
    file.set_len(start + (1 << 30)).unwrap();
    for slot in 1..61u64 {
        file.write_all_at(&[start.to_le_bytes(), (1u64 << 30).to_le_bytes()].concat(), 2048 + slot * 16).unwrap();
    }
    file.write_all_at(&61u32.to_le_bytes(), 1024 + 3 * 64).unwrap();
    channel.next(Duration::ZERO);
    assert_eq!(*importer.0.lock().unwrap(), [8 << 20]);
    // Whoever names one has it read, and by copies.
    let range = UploadRef { slot: 60, size: 1, offset: (1 << 30) - 1 };
    assert!(channel.copy_out(&range, 0, &mut [1]));
    assert_eq!((channel.slot_size(60), channel.source_slot(60)), (Some(1 << 30), None));
    assert_eq!(importer.0.lock().unwrap().len(), 1);
    drop((link, channel, claim));
}

#[test]
fn nobody_there_is_an_error_that_says_what_to_do() {
    let temp = tempfile::tempdir().unwrap();
    let error = SharedLink::connect(&Options { wait: Duration::from_millis(20), ..options(temp.path()) }).unwrap_err();
    assert!(matches!(error, ConnectError::NoViewer { .. }));
    assert!(error.to_string().contains("afterimage view"), "{error}");
    assert_eq!(shared_files(temp.path()), 0);
}

#[test]
fn one_viewer_per_directory() {
    let temp = tempfile::tempdir().unwrap();
    assert_eq!(running(temp.path()), None);
    let host = Host::open(Some(temp.path())).unwrap();
    assert_eq!(running(temp.path()), Some(std::process::id()));
    let error = Host::open(Some(temp.path())).unwrap_err();
    assert!(matches!(error, HostError::Running { pid, .. } if pid == std::process::id()), "{error}");
    drop(host);
    assert_eq!(running(temp.path()), None);
    Host::open(Some(temp.path())).unwrap();
}

/// A guest in this process whose file a test then damages.
fn damaged(damage: impl FnOnce(&std::fs::File)) -> String {
    let temp = tempfile::tempdir().unwrap();
    let directory = temp.path().to_path_buf();
    let mut host = Host::open(Some(temp.path())).unwrap();
    let guest = std::thread::spawn(move || {
        let mut link = SharedLink::connect(&options(&directory)).unwrap();
        send(&mut link, 1, 5, &mut 0).unwrap();
        // Until the viewer lets go.
        while link.wait() != Err(LinkError::Lost) {}
    });
    let (claim, mut channel) = wait_for_program(&mut host);
    channel.accept(&device());
    let (mut checker, mut pump) = (Checker::default(), Pump::default());
    while checker.frames < 4 {
        assert!(pump.step(&mut channel, &mut checker, Duration::from_millis(1)));
    }
    let path = std::fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().path());
    let path = path.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "aft")).unwrap();
    damage(&std::fs::File::options().read(true).write(true).open(path).unwrap());
    let start = Instant::now();
    while pump.step(&mut channel, &mut checker, Duration::from_millis(1)) {
        assert!(start.elapsed() < PATIENCE, "the damage was not noticed");
    }
    let failure = channel.failure().expect("a reason");
    drop((channel, claim));
    guest.join().unwrap();
    failure
}

#[test]
fn a_position_that_cannot_be_disconnects_that_program() {
    // The layout's COMMAND_HEAD.
    let failure = damaged(|file| file.write_all_at(&u64::MAX.to_le_bytes(), 1024 + 8 * 64).unwrap());
    assert!(failure.contains("packet ring"), "{failure}");
}

#[test]
fn a_file_cut_short_disconnects_that_program() {
    let failure = damaged(|file| file.set_len(65536 + 4096).unwrap());
    assert!(failure.contains("cut short") || failure.contains("packet ring"), "{failure}");
}

#[test]
fn a_file_of_another_version_is_refused_with_both_versions() {
    let temp = tempfile::tempdir().unwrap();
    let directory = temp.path().to_path_buf();
    let guest = std::thread::spawn(move || SharedLink::connect(&options(&directory)).map(drop));
    // The magic, which is written last, says that the header is whole.
    let whole = |path: &Path| std::fs::read(path).is_ok_and(|bytes| bytes.len() > 8 && bytes[..8] != [0; 8]);
    let start = Instant::now();
    let path = loop {
        assert!(start.elapsed() < PATIENCE, "the program makes no file");
        let path = std::fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().path()).next();
        if let Some(path) = path.filter(|path| whole(path)) {
            break path;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(&77u32.to_le_bytes(), 8).unwrap();
    let mut host = Host::open(Some(temp.path())).unwrap();
    let found = host.scan().unwrap();
    let [Found::Refused(error)] = &found[..] else { panic!("{found:?}") };
    assert!(error.to_string().contains("77"), "{error}");
    assert!(matches!(guest.join().unwrap(), Err(ConnectError::Version { .. })));
}
