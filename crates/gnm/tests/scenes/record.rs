//! Scenes as recordings, for the demo: `AFTERIMAGE_RECORD=FOLDER` has each scene written as FOLDER/standard/NAME.gcap and
//! FOLDER/private/NAME.gcap. A name that is there already stays as it is.

use crate::rig::{Encoding, MEMORY, SIZE, Scene, Target};
use afterimage_gnm::gcap::{Picture, Record, Submission, Writer};
use afterimage_gnm::memory::GuestMemory;
use std::fs::{File, create_dir_all};
use std::io::{BufWriter, ErrorKind};
use std::path::PathBuf;

/// What a scene is about to do: its memory, its commands, and the target that is shown.
pub(crate) fn records(name: &str, scene: &Scene, target: &Target) -> Vec<Record> {
    let mut records = Vec::new();
    for range in scene.memory.parts(MEMORY..MEMORY + SIZE) {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        scene.memory.read(range.start, &mut bytes).unwrap();
        records.push(Record::Memory { address: range.start, bytes });
    }
    let commands: Vec<u8> = scene.commands.iter().flat_map(|word| word.to_le_bytes()).collect();
    let at = scene.next.next_multiple_of(4);
    let size = commands.len() as u64;
    let shown = target.display();
    records.push(Record::Memory { address: at, bytes: commands });
    records.push(Record::Submit(Submission { queue: 0, draw: (at, size), constant: (0, 0) }));
    records.push(Record::Flip(Picture {
        address: shown.address,
        width: shown.width,
        height: shown.height,
        pitch: shown.pitch,
        format: shown.format,
        tiling: shown.tile_mode,
        name: name.to_owned(),
    }));
    records
}

/// Writes them, if somebody wants them.
pub(crate) fn write(name: &str, encoding: Encoding, records: &[Record]) {
    let Some(folder) = std::env::var_os("AFTERIMAGE_RECORD") else { return };
    let encoding = match encoding {
        Encoding::Standard => "standard",
        Encoding::Private => "private",
    };
    let folder = PathBuf::from(folder).join(encoding);
    create_dir_all(&folder).unwrap();
    let file = match File::create_new(folder.join(format!("{name}.gcap"))) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return,
        Err(error) => panic!("{}: {error}", folder.display()),
    };
    let mut writer = Writer::new(BufWriter::new(file)).unwrap();
    records.iter().for_each(|record| writer.record(record).unwrap());
    writer.finish().unwrap();
}
