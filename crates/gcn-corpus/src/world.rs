//! Memory as a compiled shader expects to find it: descriptor set, contents, and what its user SGPRs point to.
//!
//! How RADV lays out a descriptor set, and what it puts into descriptors on gfx7: Mesa's radv_descriptor_set.c and
//! ac_descriptors.c; fields of descriptors: AMD's Sea Islands register reference.

use crate::compiled::Shader;
use crate::format::Format;
use crate::header::{Header, Image, Kind, Resource, SAMPLES, Sampler, Shape};
use crate::pattern::mixed;

/// Descriptor set 0: below 4 GiB, since the code supplies a high half of zero.
const SET: u64 = 0x0010_0000;
/// From one set to the next.
const SET_STEP: u64 = 0x1_0000;
/// The addresses of the sets, where there is no room for them in user SGPRs.
const SET_TABLE: u64 = 0x0068_0000;
/// Sets at most.
const SETS: u32 = 16;
/// The three numbers of workgroups.
const GROUPS: u64 = 0x0020_0000;
/// Push constants.
const PUSH: u64 = 0x0030_0000;
/// Descriptors of vertex buffers.
const VERTEX_TABLE: u64 = 0x0040_0000;
/// The table of rings whose first entry is scratch memory.
const RINGS: u64 = 0x0050_0000;
/// Descriptors of the stream-out buffers.
const STREAM_TABLE: u64 = 0x0060_0000;
/// Where the code lies.
const CODE: u64 = 0x0070_0000;
/// Words of push constants; what no header gives is 0.
const PUSH_WORDS: usize = 32;
/// Where the rings of geometry and tessellation begin, and bytes of each.
const FIRST_RING: u64 = 0x20_0000_0000;
const RING_BYTES: u32 = 0x10_0000;
/// The first resource; addresses need more than 32 bits.
const RESOURCES: u64 = 0x12_3400_0000;
/// Between one resource and the next at least.
const GAP: u64 = 0x1000;

/// A piece of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its guest address.
    pub address: u64,
    /// What it holds.
    pub words: Vec<u32>,
    /// The entry of [`Header::resources`] whose contents it is.
    pub resource: Option<usize>,
}

/// Bytes that parts of a world lie behind where they would otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shift {
    /// Of tables that user SGPRs point to, a multiple of 4.
    pub tables: u64,
    /// Of resources, a multiple of 4; images go on to the next multiple of 256.
    pub resources: u64,
    /// Of the code, a multiple of 256.
    pub code: u64,
}

/// All memory of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct World {
    /// Its pieces; those of resources come first and in their order.
    pub places: Vec<Place>,
    /// Scratch memory's address, if a shader has any.
    pub scratch: u64,
    shift: Shift,
    groups: [u32; 3],
    push: Vec<u32>,
    draw: [u32; 4],
    samples: u32,
}

/// Words of a V# without its address.
fn buffer(stride: u32, records: u32, word3: u32) -> [u32; 4] {
    [0, stride << 16, records, word3]
}

fn texels(format: Format, bytes: u32) -> [u32; 4] {
    let word3 = format.select | (format.channel as u32) << 12 | format.data << 15;
    buffer(format.bytes, bytes / format.bytes, word3)
}

/// A T# of a linear image without its address.
fn image(image: Image) -> [u32; 8] {
    let pitch = image.pitch();
    let Image { shape, format, size: [width, height, depth], layers, levels } = image;
    /// `LINEAR_ALIGNED` in the table of tiling modes.
    const LINEAR: u32 = 8;
    let depth = match shape {
        Shape::D3 => depth,
        Shape::Cube => layers / 6,
        _ => layers,
    };
    let samples = matches!(shape, Shape::D2Samples | Shape::D2SamplesArray);
    let last_level = if samples { SAMPLES.ilog2() } else { levels - 1 };
    let last = if shape == Shape::D3 { 0 } else { layers - 1 };
    [
        0,
        format.data << 20 | (format.channel as u32) << 26,
        (width - 1) | (height - 1) << 14,
        format.select | last_level << 16 | LINEAR << 20 | (shape as u32) << 28,
        (depth - 1) | (pitch - 1) << 13,
        last << 13,
        0,
        0,
    ]
}

fn sampler(sampler: Sampler) -> [u32; 4] {
    let Sampler { linear, address, compare } = sampler;
    /// Less or equal.
    const COMPARE: u32 = 3;
    /// The largest level, in 4.8 fixed point.
    const MAX_LOD: u32 = 0xf00;
    /// Opaque white.
    const BORDER: u32 = 2;
    let filter = u32::from(linear);
    [
        (address * 0o111) | if compare { COMPARE << 12 } else { 0 },
        MAX_LOD << 12,
        filter << 20 | filter << 22 | (1 + filter) << 26,
        BORDER << 30,
    ]
}

impl Resource {
    /// The image that it is, if it is one.
    pub fn image(&self) -> Option<Image> {
        match self.kind {
            Kind::Image(image) | Kind::Texture(image, _) | Kind::Sampled(image) | Kind::Input(image) => Some(image),
            Kind::Buffer
            | Kind::Uniform
            | Kind::TexelBuffer(_)
            | Kind::TexelImage(_)
            | Kind::Sampler(_)
            | Kind::Vertices { .. } => None,
        }
    }

    /// Bytes of its descriptor in a set, and whether it begins at a multiple of 32.
    fn room(&self) -> Option<(usize, bool)> {
        match self.kind {
            Kind::Buffer | Kind::Uniform | Kind::TexelBuffer(_) | Kind::TexelImage(_) => Some((16, false)),
            Kind::Image(_) => Some((32, true)),
            Kind::Texture(..) => Some((96, true)),
            Kind::Sampled(_) | Kind::Input(_) => Some((64, true)),
            Kind::Sampler(_) => Some((16, false)),
            Kind::Vertices { .. } => None,
        }
    }

    /// The words of its descriptor, when its contents lie at an address.
    fn descriptor(&self, address: u64) -> Vec<u32> {
        let pointed = |mut words: [u32; 4]| {
            words[0] = address as u32;
            words[1] |= (address >> 32) as u32 & 0xffff;
            words.to_vec()
        };
        let imaged = |shape: Image| {
            let mut words = image(shape);
            words[0] = (address >> 8) as u32;
            words[1] |= (address >> 40) as u32 & 0xff;
            words.to_vec()
        };
        /// 32-bit floats, as they come.
        const PLAIN: u32 = 0x2_7fac;
        /// The format is the instruction's.
        const VERTICES: u32 = 0x2_4fac;
        match self.kind {
            Kind::Buffer | Kind::Uniform => pointed(buffer(0, self.bytes, PLAIN)),
            Kind::TexelBuffer(format) | Kind::TexelImage(format) => pointed(texels(format, self.bytes)),
            Kind::Image(shape) => imaged(shape),
            Kind::Sampled(shape) | Kind::Input(shape) => {
                let mut words = imaged(shape);
                words.resize(16, 0);
                words
            }
            Kind::Sampler(how) => sampler(how).to_vec(),
            Kind::Texture(shape, how) => {
                let mut words = imaged(shape);
                words.resize(20, 0);
                words.extend(sampler(how));
                words
            }
            Kind::Vertices { stride, .. } => pointed(buffer(stride, self.bytes / stride, VERTICES)),
        }
    }
}

/// The table that graphics stages find their rings in: scratch memory's first two words, then a V# for each ring. Which there are and
/// how they are swizzled: Mesa's radv_queue.c.
fn rings(scratch: u64) -> Vec<u32> {
    /// 32-bit floats, four bytes an element, 64 lanes side by side, the lane's number added.
    const LANES: u32 = 0x2_7fac | 1 << 19 | 3 << 21 | 1 << 23;
    /// The same, 16 lanes side by side.
    const LANES_16: u32 = 0x2_7fac | 1 << 19 | 1 << 21 | 1 << 23;
    const PLAIN: u32 = 0x2_7fac;
    const SWIZZLED: u32 = 1 << 31;
    // ES writes, GS reads; the copy shader reads, GS writes; tessellation factors, what is between hull and domain shader.
    let rows = [(SWIZZLED, LANES), (0, PLAIN), (0, PLAIN), (SWIZZLED, LANES_16), (0, PLAIN), (0, PLAIN)];
    let mut words = vec![scratch as u32, (scratch >> 32) as u32 | SWIZZLED, 0, 0];
    for (at, (word1, word3)) in (0..).zip(rows) {
        // Each pair of views is of one ring.
        let ring = [0, 0, 1, 1, 2, 3][at as usize];
        let address = FIRST_RING + u64::from(RING_BYTES) * ring;
        words.extend([address as u32, (address >> 32) as u32 | word1, RING_BYTES, word3]);
    }
    words.resize(words.len() + 16, 0);
    words
}

/// The byte of its set that the descriptor of each resource begins at; 0 of vertex buffers. RADV goes over the bindings twice, once
/// for those that want 32 bytes and once for the others; which comes first depends on the last binding.
pub fn layout(resources: &[Resource]) -> Vec<usize> {
    let mut at = vec![0; resources.len()];
    for set in 0..SETS {
        let of = |resource: &Resource| resource.room().filter(|_| resource.set == set);
        let Some((_, last)) = resources.iter().filter_map(of).next_back() else { continue };
        let mut offset = 0usize;
        for wanted in [!last, last] {
            for (resource, at) in resources.iter().zip(&mut at) {
                let Some((bytes, large)) = of(resource).filter(|(_, large)| *large == wanted) else { continue };
                *at = offset.next_multiple_of(if large { 32 } else { 16 });
                offset = *at + bytes;
            }
        }
    }
    at
}

impl World {
    /// The memory of a program before it runs. Equal names and seeds have equal contents.
    pub fn new(name: &str, header: &Header, seed: u32) -> World {
        Self::shifted(name, header, seed, Shift::default())
    }

    /// The same, elsewhere.
    pub fn shifted(name: &str, header: &Header, seed: u32, shift: Shift) -> World {
        let name = name.bytes().fold(0, |hash, byte| mixed(hash ^ u32::from(byte)));
        let mut places = Vec::new();
        let mut address = RESOURCES + shift.resources;
        for (at, resource) in header.resources.iter().enumerate() {
            let vertices = u32::from(matches!(resource.kind, Kind::Vertices { .. }));
            let at_set = mixed(resource.set << 16 | resource.element);
            let at_set = if resource.set | resource.element == 0 { 0 } else { at_set };
            let seed = mixed(seed ^ name ^ at_set ^ mixed(resource.binding << 1 | vertices));
            let words = header.contents(resource, seed);
            if resource.image().is_some() {
                address = address.next_multiple_of(256);
            }
            places.push(Place { address, words, resource: Some(at) });
            address = (address + u64::from(resource.bytes)).next_multiple_of(GAP) + GAP + shift.resources;
        }
        let scratch = address;
        let offsets = layout(&header.resources);
        let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut table = Vec::new();
        for ((resource, place), offset) in header.resources.iter().zip(&places).zip(offsets) {
            let words = resource.descriptor(place.address);
            if resource.room().is_none() {
                table.extend(words);
                continue;
            }
            let number = resource.set.min(SETS - 1) as usize;
            if sets.len() <= number {
                sets.resize(number + 1, Vec::new());
            }
            let set = &mut sets[number];
            let end = offset / 4 + words.len();
            if set.len() < end {
                set.resize(end, 0);
            }
            set[offset / 4..end].copy_from_slice(&words);
        }
        let given = header.pushed(|at| places[at].address);
        let mut push = given.clone();
        push.resize(PUSH_WORDS, 0);
        let addresses = (0..SETS as u64).map(|set| (SET + SET_STEP * set + shift.tables) as u32).collect();
        let sets = (0..).zip(sets).map(|(number, words)| (SET + SET_STEP * number, words));
        let tables = [
            (SET_TABLE, addresses),
            (GROUPS, header.groups.to_vec()),
            (PUSH, push.clone()),
            (VERTEX_TABLE, table),
            (RINGS, rings(scratch)),
            (STREAM_TABLE, vec![0; 16]),
        ];
        let place = |(address, words)| Place { address: address + shift.tables, words, resource: None };
        places.extend(sets.chain(tables).map(place));
        World { places, scratch, shift, groups: header.groups, push: given, draw: header.draw, samples: header.samples }
    }

    /// The same with the code of a shader, and what lies behind it.
    pub fn with_code(&self, shader: &Shader) -> World {
        let mut world = self.clone();
        world.places.push(Place { address: self.code(), words: shader.words(), resource: None });
        world
    }

    /// Where [`World::with_code`] puts the code.
    pub fn code(&self) -> u64 {
        CODE + self.shift.code
    }

    /// The word at an address, if anything is there.
    pub fn word(&self, address: u64) -> Option<u32> {
        self.places.iter().find_map(|place| {
            let offset = address.checked_sub(place.address)?;
            place.words.get(usize::try_from(offset / 4).ok()?).copied()
        })
    }

    /// The user SGPRs of a shader.
    ///
    /// # Errors
    /// The name of what there is no value for.
    pub fn user(&self, shader: &Shader) -> Result<[u32; 16], String> {
        let mut user = [0; 16];
        for data in &shader.user {
            let pair = |address: u64| vec![(address + self.shift.tables) as u32, (address >> 32) as u32];
            let words = match data.value.as_str() {
                "ring_offsets" if shader.stage == "cs" => {
                    vec![self.scratch as u32, (self.scratch >> 32) as u32 | 1 << 31]
                }
                "ring_offsets" => pair(RINGS),
                "indirect_sets" => pair(SET_TABLE),
                value if value.starts_with("set") => {
                    let number: u64 = value[3..].parse().map_err(|_| value.to_owned())?;
                    pair(SET + SET_STEP * number)
                }
                // Views of multiview, and what a hull shader is told of its patches: as few as there can be.
                "view_index" => vec![0],
                "push" => pair(PUSH),
                "inline_push" => {
                    let dwords = (0..64).filter(|bit| shader.inline_push >> bit & 1 != 0);
                    dwords.map(|dword| self.push.get(dword).copied().unwrap_or(0)).collect()
                }
                "groups" if data.count == 3 => self.groups.to_vec(),
                "groups" => pair(GROUPS),
                "streamout_buffers" => pair(STREAM_TABLE),
                "ps_state" => vec![self.samples],
                "vertex_buffers" => pair(VERTEX_TABLE),
                "vertex_offsets" => match data.count {
                    3 => vec![self.draw[2], 0, self.draw[3]],
                    _ => vec![self.draw[2], self.draw[3]],
                },
                other => return Err(other.to_owned()),
            };
            for at in 0..data.count as usize {
                if let Some(user) = user.get_mut(data.first as usize + at) {
                    *user = words.get(at).copied().unwrap_or(0);
                }
            }
        }
        Ok(user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_lie_where_radv_puts_them() {
        let mut header = Header::default();
        let lines = "//! buffer 0 16 zero\n//! image 1 2d r32ui 4x4 1 zero\n//! buffer 3 16 zero";
        header.add(lines).unwrap();
        // The last binding is small, so large ones come first.
        assert_eq!(layout(&header.resources), [32, 0, 48]);
        header.resources.pop();
        assert_eq!(layout(&header.resources), [0, 32]);
        let world = World::new("test", &header, 1);
        assert_eq!(world.places[0].address as u32, world.word(SET).unwrap());
        assert_eq!((world.places[1].address >> 8) as u32, world.word(SET + 32).unwrap());
        assert_eq!(world.word(SET + 8), Some(16));
    }
}
