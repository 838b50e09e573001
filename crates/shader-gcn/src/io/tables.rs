//! Tables of descriptors out of which a program chooses while it runs.
//!
//! Nobody knows before which descriptors those are. So the guest looks through memory from where the table begins, and what looks like
//! an image's descriptor is bound; the program compares the words that it has with those of what is bound.

use rustc_hash::FxHashSet;

use super::Scalars;

/// Bytes of memory that are looked through.
pub const BYTES: u64 = 16 << 10;
/// Most descriptors of a table that are found.
pub const MOST: usize = 16;
/// Words of an entry: T#, S#.
pub const WORDS: usize = 12;
/// Bytes of what begins at multiples of them.
const STEP: usize = 16;

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// Images.
    Images,
    /// Samplers.
    Samplers,
    /// Images with the samplers behind them.
    Pairs,
}

/// Whether eight words are an image's descriptor (T#): it has a type, a format and an address.
fn is_image(words: &[u32]) -> bool {
    // Formats behind these are those of fragment masks.
    const FORMATS: std::ops::RangeInclusive<u32> = 1..=43;
    let &[low, high, size, kind, _, _, _, last] = words else { return false };
    let has_address = low != 0 || high & 0xff != 0;
    kind >> 31 == 1 && has_address && FORMATS.contains(&(high >> 20 & 63)) && size != 0 && last == 0
}

/// Whether four words may be a sampler's descriptor (S#): those of a buffer have another size in its place, and reserved bits are 0.
fn is_sampler(words: &[u32]) -> bool {
    let &[clamp, lod, _, border] = words else { return false };
    // MIN_LOD, MAX_LOD: some level is there.
    (clamp | lod | border) != 0 && lod & 0xfff <= lod >> 12 & 0xfff && border & 0x3fff_f000 == 0
}

/// What is found of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Its first [`MOST`] different descriptors.
    pub entries: Vec<[u32; WORDS]>,
    /// Whether it has more of them.
    pub more: bool,
}

/// Looks for descriptors from an address on, as far as memory is mapped.
pub fn find(scalars: &dyn Scalars, address: u64, what: What) -> Found {
    let address = address & !3;
    let words: Vec<u32> = (0..BYTES / 4).map_while(|n| scalars.word(address.checked_add(4 * n)?)).collect();
    let mut found: Vec<[u32; WORDS]> = Vec::new();
    let mut seen = FxHashSet::default();
    // The image whose sampler has not come yet.
    let mut image: Option<[u32; 8]> = None;
    let mut at = 0;
    while at + STEP / 4 <= words.len() && found.len() <= MOST {
        let mut entry = [0; WORDS];
        let mut put = |entry: [u32; WORDS]| {
            if seen.insert(entry) {
                found.push(entry);
            }
        };
        match words.get(at..at + 8) {
            Some(here) if is_image(here) => {
                if let Some(before) = image.take().filter(|_| what == What::Pairs) {
                    entry[..8].copy_from_slice(&before);
                    put(entry);
                }
                let mut new = [0; 8];
                new.copy_from_slice(here);
                if what == What::Images {
                    entry[..8].copy_from_slice(here);
                    put(entry);
                } else {
                    image = Some(new);
                }
                at += 8;
                continue;
            }
            _ => {}
        }
        let here = &words[at..at + STEP / 4];
        if what != What::Images && is_sampler(here) {
            let before = image.take();
            if what == What::Samplers || before.is_some() {
                entry[..8].copy_from_slice(&before.filter(|_| what == What::Pairs).unwrap_or_default());
                entry[8..].copy_from_slice(here);
                put(entry);
            }
        }
        at += STEP / 4;
    }
    let more = found.len() > MOST;
    found.truncate(MOST);
    Found { entries: found, more }
}
