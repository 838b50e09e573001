//! Every recording runs to its end.

use afterimage_nv2a::kcap::{Event, Player, Reader};
use afterimage_nv2a::machine::{Graphics, Interrupt, Kelvin, Part, Primitive};
use afterimage_nv2a::memory::GuestMemory;
use std::path::{Path, PathBuf};

/// Draws nothing and counts.
#[derive(Debug, Default)]
struct Count {
    draws: usize,
    vertices: usize,
    clears: usize,
}

impl Graphics for Count {
    fn draw(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, primitive: &Primitive) {
        self.draws += 1;
        self.vertices += primitive
            .parts
            .iter()
            .map(|part| match part {
                Part::Arrays { count, .. } => *count as usize,
                Part::Elements(elements) => elements.len(),
                Part::Inline(words) => words.len(),
                Part::Immediate(vertices) => vertices.len(),
                Part::EdgeFlag(_) => 0,
            })
            .sum::<usize>();
    }

    fn clear(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, _flags: u32) {
        self.clears += 1;
    }

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, _address: u32, _size: u32) {}

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        0
    }

    fn flush(&mut self) {}
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures/nv2a");
    let Ok(suites) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there are no recordings in {}", folder.display());
        return Vec::new();
    };
    let files = suites.flatten().filter_map(|suite| std::fs::read_dir(suite.path()).ok()).flat_map(Iterator::flatten);
    let mut files: Vec<_> =
        files.map(|file| file.path()).filter(|path| path.extension() == Some("gz".as_ref())).collect();
    files.sort();
    files
}

#[test]
fn every_recording_runs_to_its_end() {
    let (mut count, mut frames) = (Count::default(), 0);
    let files = recordings();
    for path in &files {
        let mut player = Player::new(Reader::open(path).expect("a recording"));
        let mut raised = None;
        loop {
            match player.step(&mut count).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
                Some(Event::Ran(interrupt)) => raised = interrupt,
                Some(Event::Fault(error)) => panic!("{}: {error}", path.display()),
                Some(Event::Software { code, parameters }) => match raised {
                    Some(Interrupt::Software { code: seen, parameters: left, .. }) => {
                        assert_eq!((seen, left), (code, parameters), "{}", path.display());
                    }
                    other => panic!("{}: {other:?} where software method {code:#x} was recorded", path.display()),
                },
                Some(Event::Frame(frame)) => {
                    frames += 1;
                    frame.picture(&player.memory).expect("inside of memory");
                }
                None => break,
            }
        }
    }
    if !files.is_empty() {
        eprintln!("{} recordings, {frames} frames, {count:?}", files.len());
        assert!(frames >= files.len() && count.draws > files.len());
    }
}
