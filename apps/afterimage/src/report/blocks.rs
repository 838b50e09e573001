//! What lies behind the page's index: blocks of JSON and pictures, each a script element of text. They are packed by some threads and wait in a
//! file, so that there may be more of them than memory.

use super::image::{Changed, Image};
use super::room::{Of, Room};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Pictures that have to be unpacked for one at most.
const CHAIN: usize = 64;
/// Last pictures of targets that are kept in memory, to store what changed.
const HEADS: usize = 24;
/// Threads that pack at most.
const PACKERS: usize = 8;

/// A part of the page on its way to a thread, and from there to whoever writes it.
type Job = (Box<dyn FnOnce() -> io::Result<Vec<u8>> + Send>, SyncSender<io::Result<Vec<u8>>>);

/// A part that is on its way: what it is of, and the most bytes that it can take.
type Pending = (Of, usize, Receiver<io::Result<Vec<u8>>>);

/// The last picture of a target.
struct Head {
    id: String,
    image: Arc<Image>,
    used: u64,
}

/// What lies behind the index, on its way into the page.
pub(super) struct Blocks {
    file: BufWriter<File>,
    /// Of each picture that is stored, the pictures that it needs.
    stored: HashMap<String, usize>,
    heads: HashMap<String, Head>,
    uses: u64,
    jobs: Option<Sender<Job>>,
    packers: Vec<JoinHandle<()>>,
    /// In the order of the file.
    pending: VecDeque<Pending>,
    room: Room,
}

impl Blocks {
    /// None yet; they wait in a file without a name in a folder, or where such files are on this machine. Together they take so many bytes
    /// at most.
    pub(super) fn new(folder: &Path, most: u64) -> io::Result<Self> {
        let (jobs, from) = channel::<Job>();
        let from = Arc::new(Mutex::new(from));
        let packer = || {
            let from = Arc::clone(&from);
            std::thread::Builder::new().name("packer".into()).spawn(move || {
                loop {
                    let job = from.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((pack, to)) = job else { return };
                    // Nobody waits for it when writing has failed.
                    let _unwanted = to.send(pack());
                }
            })
        };
        let packers = (0..crate::pool::workers(0, PACKERS)).map(|_| packer()).collect::<io::Result<_>>()?;
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile())?),
            stored: HashMap::new(),
            heads: HashMap::new(),
            uses: 0,
            jobs: Some(jobs),
            packers,
            pending: VecDeque::new(),
            room: Room::new(most),
        })
    }

    /// Who has how many bytes.
    pub(super) fn room(&self) -> &Room {
        &self.room
    }

    /// From here on all parts together may have so many bytes.
    pub(super) fn bound(&mut self, most: u64) {
        self.room.bound(most);
    }

    /// Adds a block; whether there is room for it.
    pub(super) fn add(&mut self, of: Of, name: &str, value: Value) -> io::Result<bool> {
        self.add_text(of, name, value.to_string())
    }

    /// Adds a block of JSON's text; whether there is room for it.
    pub(super) fn add_text(&mut self, of: Of, name: &str, text: String) -> io::Result<bool> {
        let start = format!("id=\"block-{name}\"");
        self.push(of, worst(text.len()), move || {
            let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
            packed.write_all(text.as_bytes())?;
            Ok(script(&start, &packed.finish()?))
        })
    }

    /// Whether a picture is there.
    pub(super) fn has(&self, id: &str) -> bool {
        self.stored.contains_key(id)
    }

    /// Adds a picture if it is not there yet; whether it is there then. It is the next one of what `chain` names, where anything is named:
    /// mostly little has changed since the one before.
    pub(super) fn picture(&mut self, of: Of, id: &str, image: Arc<Image>, chain: Option<&str>) -> io::Result<bool> {
        let head = chain.and_then(|chain| self.heads.get(chain));
        if !self.stored.contains_key(id) {
            let pixels = image.width as usize * image.height as usize;
            let before = head.and_then(|head| {
                let needs = 1 + self.stored.get(&head.id)?;
                let changed = image.changed(&head.image)?;
                let little = needs < CHAIN && changed.count < pixels / 4 * 3;
                little.then(|| (head.id.clone(), needs, Arc::clone(&head.image), changed))
            });
            let needs = before.as_ref().map_or(0, |(_, needs, ..)| *needs);
            let count = before.as_ref().map_or(pixels, |(.., changed)| changed.count);
            let bytes = worst(count * 4 + if before.is_some() { pixels / 8 } else { 0 });
            let (name, image) = (id.to_owned(), Arc::clone(&image));
            let before = before.map(|(base, _, image, changed)| (base, image, changed));
            if !self.push(of, bytes, move || packed(&name, &image, &before))? {
                return Ok(false);
            }
            self.stored.insert(id.to_owned(), needs);
        }
        let Some(chain) = chain else { return Ok(true) };
        self.uses += 1;
        self.heads.insert(chain.to_owned(), Head { id: id.to_owned(), image, used: self.uses });
        if self.heads.len() > HEADS
            && let Some(oldest) = self.heads.iter().min_by_key(|(_, head)| head.used).map(|(of, _)| of.clone())
        {
            self.heads.remove(&oldest);
        }
        Ok(true)
    }

    /// Packs a part that takes so many bytes at most; whether there is room for it.
    fn push(
        &mut self,
        of: Of,
        worst: usize,
        pack: impl FnOnce() -> io::Result<Vec<u8>> + Send + 'static,
    ) -> io::Result<bool> {
        if !self.room.fits(worst) {
            // Where it is not certain, it is found out.
            self.settle()?;
            if !self.room.fits(worst) {
                let packed = pack()?;
                let fits = self.room.fits(packed.len());
                if fits {
                    self.room.wait(of, worst);
                    self.room.arrive(of, worst, packed.len());
                    self.file.write_all(&packed)?;
                }
                return Ok(fits);
            }
        }
        let (to, result) = sync_channel(1);
        if let Some(jobs) = &self.jobs {
            jobs.send((Box::new(pack), to)).map_err(|_| lost())?;
        }
        self.pending.push_back((of, worst, result));
        self.room.wait(of, worst);
        while self.pending.len() > 2 * self.packers.len() || self.room.is_new(of) {
            self.write()?;
        }
        Ok(true)
    }

    /// Writes the oldest part that is not written yet.
    fn write(&mut self) -> io::Result<()> {
        let Some((of, worst, result)) = self.pending.pop_front() else { return Ok(()) };
        let packed = result.recv().map_err(|_| lost())??;
        self.room.arrive(of, worst, packed.len());
        self.file.write_all(&packed)
    }

    /// Writes all parts that are not written yet.
    fn settle(&mut self) -> io::Result<()> {
        while !self.pending.is_empty() {
            self.write()?;
        }
        Ok(())
    }

    /// Everything, as it stands in the page.
    pub(super) fn finish(mut self) -> io::Result<File> {
        self.settle()?;
        self.jobs = None;
        for packer in self.packers.drain(..) {
            packer.join().map_err(|_| lost())?;
        }
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn lost() -> io::Error {
    io::Error::other("a thread that packs the page's parts has failed")
}

/// The most bytes that an element takes which holds so many.
fn worst(bytes: usize) -> usize {
    // Where nothing compresses, deflate adds 5 bytes to every 16 KiB or less; the rest are the element's tags.
    (bytes + bytes / 1000) / 3 * 4 + 512
}

/// The element of a picture.
fn packed(id: &str, image: &Image, before: &Option<(String, Arc<Image>, Changed)>) -> io::Result<Vec<u8>> {
    let (columns, rows) = image.rectangle(before.as_ref().map(|(_, _, changed)| changed));
    let mut start = format!(
        "id=\"picture-{id}\" data-size=\"{} {} {} {} {} {}\"",
        image.width,
        image.height,
        columns.start,
        rows.start,
        columns.len(),
        rows.len()
    );
    if let Some((base, ..)) = before {
        start += &format!(" data-before=\"{base}\"");
    }
    let bytes = image.coded(before.as_ref().map(|(_, image, changed)| (&**image, changed)));
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&bytes)?;
    Ok(script(&start, &packed.finish()?))
}

fn script(attributes: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = format!("<script type=\"application/octet-stream\" {attributes}>").into_bytes();
    base64(bytes, &mut out);
    out.extend_from_slice(b"</script>\n");
    out
}

/// Bytes as text. Source: RFC 4648.
pub(crate) fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |word: u32, at: u32| LETTERS[(word >> (18 - 6 * at)) as usize & 63];
    out.reserve(bytes.len().div_ceil(3) * 4);
    let (whole, rest) = bytes.as_chunks::<3>();
    for &[first, second, third] in whole {
        let word = u32::from_be_bytes([0, first, second, third]);
        out.extend_from_slice(&[letter(word, 0), letter(word, 1), letter(word, 2), letter(word, 3)]);
    }
    let word = |second| u32::from_be_bytes([0, rest[0], second, 0]);
    match *rest {
        [_] => out.extend_from_slice(&[letter(word(0), 0), letter(word(0), 1), b'=', b'=']),
        [_, second] => {
            let word = word(second);
            out.extend_from_slice(&[letter(word, 0), letter(word, 1), letter(word, 2), b'=']);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, CHAIN, base64, worst};
    use crate::report::image::Image;
    use crate::report::room::Of;
    use serde_json::json;
    use std::io::{Read, Seek};
    use std::sync::Arc;

    fn text(blocks: Blocks) -> String {
        let (mut file, mut text) = (blocks.finish().expect("written"), String::new());
        file.rewind().expect("back");
        file.read_to_string(&mut text).expect("text");
        text
    }

    #[test]
    fn bytes_are_text_as_rfc_4648_says() {
        let said = |bytes: &[u8]| {
            let mut out = Vec::new();
            base64(bytes, &mut out);
            String::from_utf8(out).expect("letters")
        };
        let texts =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (bytes, text) in texts {
            assert_eq!(said(bytes.as_bytes()), text);
        }
        assert_eq!(said(&[0xFB, 0xEF, 0xFF]), "++//");
    }

    /// Black, with the first `on` pixels white.
    fn counted(on: usize) -> Arc<Image> {
        let mut rgba = [0, 0, 0, 255].repeat(64 * 64);
        rgba[..on * 4].fill(255);
        Arc::new(Image { width: 64, height: 64, rgba })
    }

    #[test]
    fn equal_pictures_are_stored_once_and_others_as_what_changed() {
        let mut blocks = Blocks::new(&std::env::temp_dir(), u64::MAX).expect("a file");
        for image in [counted(0), counted(1), counted(0), counted(2), counted(64 * 60)] {
            blocks.picture(Of::Calls, &image.id(), image.clone(), Some("color")).expect("stored");
        }
        blocks.picture(Of::Calls, &counted(9).id(), counted(9), None).expect("stored");
        let text = text(blocks);
        let [black, one, two, most, alone] = [0, 1, 2, 64 * 60, 9].map(|on| counted(on).id());
        let mut lines = text.lines();
        for start in [
            format!("id=\"picture-{black}\" data-size=\"64 64 0 0 64 64\">"),
            format!("id=\"picture-{one}\" data-size=\"64 64 0 0 1 1\" data-before=\"{black}\">"),
            format!("id=\"picture-{two}\" data-size=\"64 64 0 0 2 1\" data-before=\"{black}\">"),
            format!("id=\"picture-{most}\" data-size=\"64 64 0 0 64 64\">"),
            format!("id=\"picture-{alone}\" data-size=\"64 64 0 0 64 64\">"),
        ] {
            assert!(lines.next().is_some_and(|line| line.contains(&start)), "{start}\n{text}");
        }
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn few_pictures_are_needed_for_one() {
        let mut blocks = Blocks::new(&std::env::temp_dir(), u64::MAX).expect("a file");
        for on in 0..3 * CHAIN {
            let image = counted(on);
            blocks.picture(Of::Calls, &image.id(), image, Some("color")).expect("stored");
        }
        let text = text(blocks);
        assert_eq!(text.lines().filter(|line| !line.contains("data-before")).count(), 3);
    }

    #[test]
    fn what_many_targets_held_is_forgotten() {
        let mut blocks = Blocks::new(&std::env::temp_dir(), u64::MAX).expect("a file");
        for target in 0..200 {
            blocks
                .picture(Of::Calls, &counted(target).id(), counted(target), Some(&target.to_string()))
                .expect("stored");
        }
        assert_eq!(blocks.heads.len(), super::HEADS);
        assert!(blocks.heads.contains_key("199"), "not the last one");
    }

    #[test]
    fn parts_stand_in_the_order_in_which_they_came() {
        let mut blocks = Blocks::new(&std::env::temp_dir(), u64::MAX).expect("a file");
        for number in 0..500 {
            blocks.add(Of::Details, &number.to_string(), json!({ "number": number })).expect("added");
        }
        let text = text(blocks);
        for (number, line) in text.lines().enumerate() {
            assert!(line.contains(&format!("id=\"block-{number}\"")), "{line}");
        }
        assert_eq!(text.lines().count(), 500);
    }

    /// Bytes that do not compress.
    fn noise(count: usize) -> Vec<u8> {
        let mut word = 7u32;
        let bytes = std::iter::repeat_with(|| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (word >> 24) as u8
        });
        bytes.take(count).collect()
    }

    #[test]
    fn there_are_no_more_bytes_than_there_may_be() {
        const MOST: usize = 100_000;
        let mut blocks = Blocks::new(&std::env::temp_dir(), MOST as u64).expect("a file");
        let image = |edge: u32| Arc::new(Image { width: edge, height: edge, rgba: noise((edge * edge * 4) as usize) });
        assert!(!blocks.picture(Of::Frames, "large", image(200), Some("color")).expect("packed"));
        assert!(!blocks.has("large"));
        let stored: Vec<u32> = (20..60)
            .filter(|edge| blocks.picture(Of::Calls, &edge.to_string(), image(*edge), Some("color")).expect("packed"))
            .collect();
        assert!(stored.len() > 10 && stored.len() < 40, "{stored:?}");
        // What compresses well still fits.
        assert!(blocks.add(Of::Lists, "list", json!({ "text": " ".repeat(MOST) })).expect("packed"));
        let text = text(blocks);
        assert!((MOST - 20_000..=MOST).contains(&text.len()), "{}", text.len());
        for edge in 20..60 {
            let is = text.contains(&format!("id=\"picture-{edge}\""));
            assert_eq!(is, stored.contains(&edge), "{edge}");
        }
        assert!(text.contains("block-list"));
    }

    #[test]
    fn no_part_takes_more_than_the_most_it_can() {
        for count in [0, 1, 1000, 100_000] {
            let edge = f64::from(count).sqrt() as u32;
            let image = Image { width: edge, height: edge, rgba: noise((edge * edge * 4) as usize) };
            let bytes = super::packed("0123456789abcdef", &image, &None).expect("packed");
            assert!(bytes.len() <= worst(image.rgba.len()), "{count}: {} bytes", bytes.len());
        }
    }
}
