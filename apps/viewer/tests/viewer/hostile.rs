//! Hostile programs beside a well-behaved one: each ends alone, and the other one loses no frame.
//!
//! `AFTERIMAGE_ROUNDS=100` tries as many; the suite has a round of each kind.

use super::at_work::wait_until_drawing;
use super::check_picture;
use super::program::{Program, TARGET};
use afterimage_stream::packets::*;
use afterimage_stream::{Link, LinkError, ObjectId, ObjectKind};
use bytemuck::Zeroable;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a hostile program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It draws with a shader that does not end.
    Endless,
    /// It sends packets that are none.
    Flood,
    /// It cuts its shared file short.
    Cut,
    /// Its renderer crashes.
    Crash,
}

const KINDS: [(Kind, &str); 4] =
    [(Kind::Endless, "endless"), (Kind::Flood, "flood"), (Kind::Cut, "cut"), (Kind::Crash, "crash")];

/// The environment of a process that [`start`] starts: what it is, and where the viewer's directory is.
const ROLE: &str = "AFTERIMAGE_TEST_ROLE";
const DIRECTORY: &str = "AFTERIMAGE_TEST_DIRECTORY";
/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Seconds that a submission may take. A frame of the other program takes longer than one second on a busy machine of two cores.
const TIMEOUT: &str = "4";

/// A process that ends with the test at the latest.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

fn start(role: &str, directory: &Path) -> Ends {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hostile::role", "--test-threads=1", "--nocapture"])
        .envs([(ROLE, role.as_ref()), (DIRECTORY, directory.as_os_str())])
        .stdout(Stdio::null())
        .spawn();
    Ends(child.unwrap())
}

/// The file by which the well-behaved program is told to end, and by which it says which frame was its last.
fn end_file(directory: &Path) -> PathBuf {
    directory.join("end")
}

#[test]
fn role() {
    let (Some(directory), Ok(role)) = (std::env::var_os(DIRECTORY), std::env::var(ROLE)) else { return };
    let directory = Path::new(&directory);
    let mut program = Program::named(directory, &role);
    match KINDS.iter().find(|(_, name)| *name == role).map(|(kind, _)| *kind) {
        None => steady(&mut program, directory),
        Some(Kind::Endless) => endless(&mut program),
        Some(Kind::Flood) => flood(&mut program),
        Some(Kind::Cut) => cut(&mut program, directory),
        // Whoever started it sees to that; it is told that its device is lost.
        Some(Kind::Crash) => {
            (1..=3).for_each(|frame| program.frame(frame).unwrap());
            std::fs::write(directory.join("drawn"), "").unwrap();
            wait_for_another_renderer(&mut program);
        }
    }
}

/// Draws until it is told to end; a frame that is not taken is a failure.
fn steady(program: &mut Program, directory: &Path) {
    let mut frame = 0;
    while !end_file(directory).exists() {
        frame += 1;
        program.frame(frame).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(program.link.epoch(), program.epoch, "another renderer than at the beginning");
    std::fs::write(directory.join("last"), frame.to_string()).unwrap();
}

/// Draws frames until somebody else than at the beginning is there to draw them.
fn wait_for_another_renderer(program: &mut Program) {
    let since = Instant::now();
    for frame in 4.. {
        if program.link.epoch() != program.epoch || program.frame(frame) == Err(LinkError::Lost) {
            break;
        }
        assert!(since.elapsed() < PATIENCE, "nobody was told that the device is lost");
        std::thread::sleep(Duration::from_millis(10));
    }
    while program.link.epoch() == program.epoch {
        assert!(since.elapsed() < PATIENCE, "there is no other renderer");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A pixel shader of loops in loops, none of which ends. Some drivers leave a loop after 65,536 rounds.
const ENDLESS: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/endless.air");

/// Draws with a shader that does not end, and is told that its device is lost.
fn endless(program: &mut Program) {
    program.create_drawing();
    let code = program.upload(ENDLESS.as_bytes());
    let id = |kind, serial| ObjectId::new(kind, serial);
    let (vertex, pixel) = (id(ObjectKind::Shader, 9), id(ObjectKind::Shader, 7));
    program.stream.push(&CreateShader {
        id: pixel,
        stage: Stage::Pixel as u32,
        language: Language::Ir as u32,
        pad: 0,
        code,
    });
    program.stream.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    // Of all that it sends, the first frame never ends.
    let _lost = program.drawing(1, [1, 2, 3]);
    let since = Instant::now();
    while program.link.epoch() == program.epoch {
        assert!(since.elapsed() < PATIENCE, "nobody was told that the device is lost");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends packets that are none: 2 MiB of noise in batches, each of which begins like a packet.
fn flood(program: &mut Program) {
    program.create();
    let mut word = 11u64;
    for _ in 0..64 {
        let noise = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word ^ word >> 29
        };
        let mut words: Vec<u64> = std::iter::repeat_with(noise).take(4096).collect();
        if program.link.submit(&mut words).is_err() {
            return;
        }
        while program.link.poll().is_some() {}
    }
    // What is right is drawn all the same, or the program has been disconnected.
    program.stream.restart();
    program.stream.push(&Present { frame: 1, target: TARGET, texture: ObjectId::NONE, ..Present::zeroed() });
    let _either = program.link.submit(program.stream.batch());
}

/// Cuts its file short in the middle of things.
fn cut(program: &mut Program, directory: &Path) {
    (1..=3).for_each(|frame| program.frame(frame).unwrap());
    let file = shared_file(directory, "cut").expect("its shared file");
    // Mapped memory of ours is gone as well: nothing of it is touched any more.
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    // It lives until its renderer has ended, which whoever started it sees.
    std::fs::write(directory.join("cut"), file.as_os_str().as_encoded_bytes()).unwrap();
    wait_for("leave to end", || (!directory.join("cut").exists()).then_some(()));
    std::process::exit(0);
}

/// The shared file of a program of this name.
pub(crate) fn shared_file(directory: &Path, name: &str) -> Option<PathBuf> {
    let begin = format!("{name}-");
    let mut files = std::fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    files.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin)))
}

/// The process, other than the viewer and the program, that has a file open.
fn renderer_of(viewer: u32, file: &Path) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // Behind the name in parentheses: state and parent.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        let files = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        let has = |mut files: Box<dyn Iterator<Item = std::fs::DirEntry>>| {
            files.any(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == file))
        };
        parent == Some(viewer) && has(Box::new(files))
    })
}

/// Waits for something to be there.
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn hostile_programs_end_alone() {
    let rounds = std::env::var("AFTERIMAGE_ROUNDS").map_or(KINDS.len(), |rounds| rounds.parse().unwrap());
    let temp = tempfile::tempdir().unwrap();
    let (directory, pictures) = (temp.path().join("run"), temp.path().join("pictures"));
    let viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .args(["--headless", "--once", "-o"])
        .arg(&pictures)
        .arg("--directory")
        .arg(&directory)
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(temp.path().join("cache")))
        .env("AFTERIMAGE_GPU_TIMEOUT_S", TIMEOUT)
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(temp.path().join("log")).unwrap())
        .spawn();
    let mut viewer = Ends(viewer.unwrap());
    wait_for("directory", || directory.exists().then_some(()));
    let mut steady = start("steady", &directory);
    wait_for("picture", || pictures.join("frame-000001.png").exists().then_some(()));
    for round in 0..rounds {
        let (kind, name) = KINDS[round % KINDS.len()];
        let before = std::fs::read_dir(&pictures).unwrap().count();
        let mut hostile = start(name, &directory);
        if kind == Kind::Crash {
            wait_for("picture of the hostile program", || directory.join("drawn").exists().then_some(()));
            std::fs::remove_file(directory.join("drawn")).unwrap();
            let file = wait_for("shared file", || shared_file(&directory, name));
            let renderer = wait_for("renderer", || renderer_of(viewer.0.id(), &file));
            assert!(Command::new("kill").args(["-ILL", &renderer.to_string()]).status().unwrap().success());
        }
        if kind == Kind::Cut {
            let path = || std::fs::read_to_string(directory.join("cut")).ok().filter(|path| !path.is_empty());
            let file = PathBuf::from(wait_for("file that was cut", path));
            wait_for("end of its renderer", || renderer_of(viewer.0.id(), &file).is_none().then_some(()));
            std::fs::remove_file(directory.join("cut")).unwrap();
        }
        let ended = wait_for("end of the hostile program", || hostile.0.try_wait().unwrap());
        assert!(ended.success(), "round {round}: {name} {ended}");
        assert_eq!(steady.0.try_wait().unwrap(), None, "round {round}: {name}");
        wait_for("further picture of the other program", || {
            (std::fs::read_dir(&pictures).unwrap().count() > before).then_some(())
        });
    }
    std::fs::write(end_file(&directory), "").unwrap();
    assert!(wait_for("end of the other program", || steady.0.try_wait().unwrap()).success());
    let last: u64 = std::fs::read_to_string(directory.join("last")).unwrap().parse().unwrap();
    wait_for("end of the viewer", || viewer.0.try_wait().unwrap());
    assert!(last > 10);
    (1..=last).for_each(|frame| check_picture(&pictures, frame));
    let log = std::fs::read_to_string(temp.path().join("log")).unwrap();
    println!("{rounds} rounds, {last} frames of the other program");
    let says = |words: &str| log.lines().any(|line| words.split('|').all(|word| line.contains(word)));
    assert!(says("endless|did not|shader"), "who did not end is named:\n{log}");
    assert!(says("crash|SIGILL|frame"), "who crashed is named:\n{log}");
    assert!(log.len() < 1 << 20, "{} bytes of log", log.len());
}

#[test]
fn the_viewer_ends_in_time_whatever_the_gpu_does() {
    let temp = tempfile::tempdir().unwrap();
    let directory = temp.path().join("run");
    let viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .args(["--headless", "--directory"])
        .arg(&directory)
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(temp.path().join("cache")))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut viewer = Ends(viewer.unwrap());
    wait_for("directory", || directory.exists().then_some(()));
    let hostile = start("endless", &directory);
    let file = wait_for("shared file", || shared_file(&directory, "endless"));
    let renderer = wait_for("renderer", || renderer_of(viewer.0.id(), &file));
    wait_until_drawing(&renderer.to_string());
    assert!(Command::new("kill").args(["-TERM", &viewer.0.id().to_string()]).status().unwrap().success());
    wait_for("end of the viewer", || viewer.0.try_wait().unwrap());
    drop(hostile);
    assert!(!Path::new(&format!("/proc/{renderer}")).exists(), "the renderer is left behind");
}
