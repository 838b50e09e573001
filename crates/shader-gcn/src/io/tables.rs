//! Tables of descriptors out of which a program chooses while it runs.
//!
//! Nobody knows before which descriptors those are. So the guest looks through memory from where the table begins, and what looks like
//! a descriptor is bound.
//!
//! Where the receiver has tables that shaders look into ([`Registers::tables`](super::Registers)), all that is found goes into one, at
//! one of two places that its words say ([`tag`]). The program looks at both, with the words that it has in registers: wherever those
//! come from, through loops, lanes and spills, they say which descriptor it is, and nothing has to be followed.
//!
//! Elsewhere sixteen different ones are bound, and the program compares the words that it has with those of each.

use rustc_hash::FxHashSet;

use super::Scalars;

/// Bytes of memory that are looked through.
pub const BYTES: u64 = 16 << 10;
/// Most descriptors of a table that are found.
pub const MOST: usize = 16;
/// Most levels of images of a table, of all of them together, that are found: as many as there may be storage images.
pub const MOST_LEVELS: usize = super::MAX_STORAGE_IMAGES;
/// Words of an entry: T#, S#; or T#, which level it is, and T#'s fourth word with that as its first level.
pub const WORDS: usize = 12;
/// The words of a level.
pub const LEVEL: u8 = 8;
/// As above.
pub const OF_LEVEL: u8 = 9;
/// Bytes of what begins at multiples of them.
const STEP: usize = 16;

/// Bytes that are looked through for a table of the receiver's.
pub const REACH: u64 = 128 << 10;
/// Most images that are found for one.
pub const MOST_IMAGES: usize = 4096;
/// Most different samplers.
pub const MOST_SAMPLERS: usize = 256;

/// What an image's entry says of it, the guest's value of [`afterimage_abi::tables`]: [`ImageSpec::kind`](super::ImageSpec), which is in the
/// lowest bits and never 0, and which of a sampler's entries it is used with.
#[must_use]
pub const fn image_value(kind: u32, class: u32) -> u32 {
    kind & KIND | class << CLASS_BIT
}

/// Bits of an image's value that are its kind.
pub const KIND: u32 = 31;
/// First bit of its class.
pub const CLASS_BIT: u32 = 5;
/// Most classes, which samplers have an entry for each: what texels are to them, and the least level of their images.
pub const MOST_CLASSES: u32 = 16;
/// A sampler's value, with what else of it the program has to know.
pub const SAMPLER_VALUE: u32 = 1;
/// Its coordinates are in texels (`FORCE_UNNORMALIZED`).
pub const SAMPLER_IN_TEXELS: u32 = 2;
/// It decodes sRGB whatever the image says (`FORCE_DEGAMMA`): the entry behind an image's is the one.
pub const SAMPLER_DECODES: u32 = 4;

/// Of the samplers of a table, in [`TableSpec::samplers`](super::TableSpec): all have coordinates in texels, or some have
/// ([`SAMPLER_IN_TEXELS`] says which); some decode ([`SAMPLER_DECODES`]).
pub const ALL_IN_TEXELS: u32 = 1;
/// As above.
pub const SOME_IN_TEXELS: u32 = 2;
/// As above.
pub const SOME_DECODE: u32 = 4;

/// The word of a table's binding: the power of two of its places, and the entries at each: of samplers one for each class, of images none
/// where there is one, and else two: as their words say, and decoded from sRGB.
#[must_use]
pub const fn table_word(bits: u32, classes: u32) -> u32 {
    bits | classes << CLASSES_BIT
}

/// First bit of the number of classes.
pub const CLASSES_BIT: u32 = 8;

/// What a hash begins with and what it is multiplied with at each word, for each of its two halves.
pub const HASH: [[u32; 2]; 2] = [[0x165667b1, 0x9e3779b1], [0xc2b2ae3d, 0x85ebca77]];
/// By how many bits it is moved down then.
pub const HASH_SHIFT: u32 = 15;

/// What words are found by: two numbers, whose lowest bits are the places where they may be.
#[must_use]
pub fn tag(words: &[u32]) -> [u32; 2] {
    HASH.map(|[begin, by]| {
        words.iter().fold(begin, |hash, word| {
            let hash = (hash ^ word).wrapping_mul(by);
            hash ^ hash >> HASH_SHIFT
        })
    })
}

/// Where in a table everything lies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// The power of two of its places.
    pub bits: u32,
    /// Which of the tags lies at each place.
    pub held: Vec<Option<u32>>,
}

/// Gives each tag one of its two places. Of equal tags the first has one.
#[must_use]
pub fn places(tags: &[[u32; 2]]) -> Places {
    const MOST_BITS: u32 = 16;
    let mut bits = (2 * tags.len().max(1)).next_power_of_two().ilog2().min(MOST_BITS);
    loop {
        let held = try_places(tags, bits);
        if let Some(held) = held.or_else(|| (bits == MOST_BITS).then(Vec::new)) {
            return Places { bits, held };
        }
        bits += 1;
    }
}

/// The places in a table of a size, unless there are too few.
fn try_places(tags: &[[u32; 2]], bits: u32) -> Option<Vec<Option<u32>>> {
    // What is pushed out goes to its other place, and so on.
    const MOST_MOVES: usize = 64;
    let mask = (1u32 << bits) - 1;
    let mut held: Vec<Option<u32>> = vec![None; 1 << bits];
    let mut known = FxHashSet::default();
    for (number, tag) in (0..).zip(tags) {
        if !known.insert(*tag) {
            continue;
        }
        let [first, second] = tag.map(|half| (half & mask) as usize);
        let (mut moving, mut at) = (number, if held[first].is_none() { first } else { second });
        let mut moves = 0;
        while let Some(pushed) = held[at].replace(moving) {
            moves += 1;
            if moves > MOST_MOVES {
                return None;
            }
            moving = pushed;
            let [first, second] = tags[moving as usize].map(|half| (half & mask) as usize);
            at = if at == first { second } else { first };
        }
    }
    Some(held)
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// Images.
    Images,
    /// Samplers.
    Samplers,
    /// Images with the samplers behind them.
    Pairs,
    /// Images, each once for each of its levels.
    Levels,
}

impl What {
    /// Most entries that are bound.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            What::Levels => MOST_LEVELS,
            _ => MOST,
        }
    }
}

/// Whether eight words are an image's descriptor (T#): it has a type, a format and an address.
fn is_image(words: &[u32]) -> bool {
    // Formats behind these are those of fragment masks.
    const FORMATS: std::ops::RangeInclusive<u32> = 1..=43;
    let &[low, high, size, kind, _, _, _, last] = words else { return false };
    let has_address = low != 0 || high & 0xff != 0;
    kind >> 31 == 1 && has_address && FORMATS.contains(&(high >> 20 & 63)) && size != 0 && last == 0
}

/// Whether all fields of an image's descriptor have values that mean something, which what lies between descriptors hardly has.
fn is_whole(words: &[u32; 8]) -> bool {
    let &[_, format, _, kind, _, layers, rest, _] = words;
    // NUM_FORMAT, DST_SEL_X to W, BASE_LEVEL and LAST_LEVEL, BASE_ARRAY and LAST_ARRAY, and reserved bits.
    let selects = (0..4).all(|n| !matches!(kind >> (3 * n) & 7, 2 | 3));
    let levels = kind >> 12 & 15 <= kind >> 16 & 15;
    let slices = layers & 0x1fff <= layers >> 13 & 0x1fff && layers >> 26 == 0;
    format >> 26 & 15 <= 11 && selects && levels && slices && rest >> 21 == 0
}

/// Whether four words may be a sampler's descriptor (S#): those of a buffer have another size in its place, and reserved bits are 0.
fn is_sampler(words: &[u32]) -> bool {
    let &[clamp, lod, _, border] = words else { return false };
    // MIN_LOD, MAX_LOD: some level is there.
    (clamp | lod | border) != 0 && lod & 0xfff <= lod >> 12 & 0xfff && border & 0x3fff_f000 == 0
}

/// Everything that is found in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Descriptors {
    /// Different images' descriptors, [`MOST_IMAGES`] at most, if those are looked for.
    pub images: Vec<[u32; 8]>,
    /// Different samplers', [`MOST_SAMPLERS`] at most, if those are.
    pub samplers: Vec<[u32; 4]>,
    /// Whether there are more.
    pub more: bool,
    /// Words at which one begins, those that are there twice and those beyond the most that are found, too.
    pub at: Vec<u32>,
}

/// Whether there may be a descriptor anywhere in words of memory.
#[must_use]
pub fn may_have(words: &[u32], what: What) -> bool {
    let image = |words: &[u32]| what != What::Samplers && is_image(words);
    let sampler = |words: &[u32]| what != What::Images && is_sampler(words);
    words.windows(8).any(image) || words.windows(4).any(sampler)
}

/// Looks for descriptors in words of memory: at multiples of 16 bytes, and images at any word from where such multiples are counted then.
#[must_use]
pub fn scan(words: &[u32], what: What) -> Descriptors {
    let mut found = Descriptors::default();
    let (mut images, mut samplers) = (FxHashSet::default(), FxHashSet::default());
    // Which words begin a multiple of 16 bytes.
    let mut phase = 0;
    let mut at = 0;
    while let Some(four) = words.get(at..).and_then(<[u32]>::first_chunk::<4>) {
        let expected = at % 4 == phase;
        match words[at..].first_chunk::<8>() {
            Some(eight) if is_image(eight) && (expected || is_whole(eight)) => {
                if what != What::Samplers && images.insert(*eight) {
                    found.more |= found.images.len() == MOST_IMAGES;
                    if found.images.len() < MOST_IMAGES {
                        found.images.push(*eight);
                    }
                }
                found.at.push(at as u32);
                phase = at % 4;
                at += 8;
                continue;
            }
            _ => {}
        }
        if expected && what != What::Images && is_sampler(four) {
            if samplers.insert(*four) {
                found.more |= found.samplers.len() == MOST_SAMPLERS;
                if found.samplers.len() < MOST_SAMPLERS {
                    found.samplers.push(*four);
                }
            }
            found.at.push(at as u32);
            at += 4;
            continue;
        }
        at += 1;
    }
    found
}

/// An image's descriptor at each of its levels, as entries of [`What::Levels`].
fn levels(image: &[u32; 8]) -> impl Iterator<Item = [u32; WORDS]> {
    const SAMPLES: u32 = 14;
    let word = image[3];
    let (base, last) = (word >> 12 & 15, word >> 16 & 15);
    // Samples are no levels.
    let last = if word >> 28 >= SAMPLES { base } else { last };
    let image = *image;
    (base..=last).map(move |level| {
        let mut entry = [0; WORDS];
        entry[..8].copy_from_slice(&image);
        entry[usize::from(LEVEL)] = level - base;
        entry[usize::from(OF_LEVEL)] = word & !(15 << 12) | level << 12;
        entry
    })
}

/// What is found of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Its first different descriptors, [`What::most`].
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
    let (most, alone) = (what.most(), matches!(what, What::Images | What::Levels));
    while at + STEP / 4 <= words.len() && found.len() <= most {
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
                match what {
                    What::Images => {
                        entry[..8].copy_from_slice(here);
                        put(entry);
                    }
                    What::Levels => levels(&new).for_each(put),
                    What::Samplers | What::Pairs => image = Some(new),
                }
                at += 8;
                continue;
            }
            _ => {}
        }
        let here = &words[at..at + STEP / 4];
        if !alone && is_sampler(here) {
            let before = image.take();
            if what == What::Samplers || before.is_some() {
                entry[..8].copy_from_slice(&before.filter(|_| what == What::Pairs).unwrap_or_default());
                entry[8..].copy_from_slice(here);
                put(entry);
            }
        }
        at += STEP / 4;
    }
    let more = found.len() > most;
    found.truncate(most);
    Found { entries: found, more }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_found_at_any_word() {
        let image = |n: u32| [n, 10 << 20, 0x0000_c003, 0x9000_0fac, 7 << 13, 0, 0, 0];
        let sampler = [0, 0xfff << 12, 0x50_0000, 0];
        let mut words = vec![0; 4];
        words.extend(image(1));
        // From here on two words behind multiples of 16 bytes.
        words.extend([0; 2]);
        words.extend(image(2));
        words.extend(sampler);
        words.push(0x3f80_0000);
        words.extend(image(3));
        words.extend(image(2));
        let found = scan(&words, What::Pairs);
        assert_eq!(found.images, [image(1), image(2), image(3)]);
        assert_eq!((found.samplers, found.more), (vec![sampler], false));
        // What no sampler reads is found only where an image may be expected.
        let odd = |n: u32| [n, 10 << 20, 0x0000_c003, 0x9000_0fa2, 7 << 13, 0, 0, 0];
        let words = [&odd(1)[..], &[0], &odd(2)].concat();
        assert_eq!(scan(&words, What::Images).images, [odd(1)]);
    }

    #[test]
    fn everything_is_at_one_of_its_places() {
        for count in [0, 1, 2, 100, 4096] {
            let tags: Vec<[u32; 2]> = (0..count).map(|n| tag(&[n, 0x1234, 7 * n, 0, 0, 0, 0, 0])).collect();
            let Places { bits, held } = places(&tags);
            assert!(held.len() == 1 << bits && bits <= 14, "{count} tags: {bits} bits");
            for (number, tag) in (0..).zip(&tags) {
                let at = |half: u32| held[(half & ((1 << bits) - 1)) as usize] == Some(number);
                assert!(tag.iter().any(|half| at(*half)), "tag {number} of {count}");
            }
        }
        // Equal ones, as a stranger may make them, have one place.
        let same = places(&[[5, 9]; 100]);
        assert_eq!(same.held.iter().flatten().collect::<Vec<_>>(), [&0]);
        // Different ones that want the same places: there is an end.
        let crowded: Vec<[u32; 2]> = (0..100).map(|n| [n << 20, n << 24]).collect();
        assert!(places(&crowded).held.is_empty());
    }
}
