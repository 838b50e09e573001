//! The header of a GLSL file: lines that begin with `//!` and say what the shader reads, writes and is drawn with.

use crate::expected::Relation;
use crate::format::Format;
use crate::pattern::Pattern;

/// How results are compared.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Compare {
    /// Bit for bit.
    #[default]
    Exact,
    /// As floats: equal, both NaN, or as near as this, relative to the larger one or (near zero) absolutely.
    Float(f32),
    /// As doubles, in the same way.
    Double(f64),
    /// With the translation in waves of the guest's size and not with the original: what is written depends on the size.
    Translated,
    /// Word by word, of which nothing is known: bit for bit, or as near as this where both are plausible floats.
    Near(f32),
}

/// An image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// Its shape.
    pub shape: Shape,
    /// Its texels.
    pub format: Format,
    /// Width, height and depth of its largest level.
    pub size: [u32; 3],
    /// Layers; six for each cube.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
}

/// Samples of a texel of [`Shape::D2Samples`].
pub const SAMPLES: u32 = 4;

/// Shapes of images, with the `TYPE` that a descriptor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shape {
    D1 = 8,
    D2 = 9,
    D3 = 10,
    Cube = 11,
    D1Array = 12,
    D2Array = 13,
    D2Samples = 14,
    D2SamplesArray = 15,
}

/// How a texture is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// Between texels and levels.
    pub linear: bool,
    /// Beyond the edges, as a descriptor's `CLAMP_X`: 0 repeats, 1 mirrors, 2 keeps the edge, 6 is the border (opaque white).
    pub address: u32,
    /// Whether samples are compared with a reference (less or equal).
    pub compare: bool,
}

/// What a resource is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A storage buffer.
    Buffer,
    /// A uniform buffer.
    Uniform,
    /// A buffer that is read as texels.
    TexelBuffer(Format),
    /// A buffer that is read and written as texels.
    TexelImage(Format),
    /// A storage image.
    Image(Image),
    /// A texture with its sampler.
    Texture(Image, Sampler),
    /// A texture without a sampler.
    Sampled(Image),
    /// A sampler alone.
    Sampler(Sampler),
    /// An input attachment.
    Input(Image),
    /// A vertex buffer: bytes from one vertex (or instance) to the next.
    Vertices {
        /// Bytes from one to the next.
        stride: u32,
        /// Whether it goes on with the instance and not with the vertex.
        instance: bool,
    },
}

/// Something in memory that a shader reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// The descriptor set.
    pub set: u32,
    /// Binding in the set, or number of the vertex buffer.
    pub binding: u32,
    /// Which of an array of descriptors; all of them are there, in order.
    pub element: u32,
    /// What it is.
    pub kind: Kind,
    /// Its size in bytes, a multiple of four.
    pub bytes: u32,
    /// What it holds before the shader runs.
    pub pattern: Pattern,
}

impl Resource {
    /// Set, binding and element.
    pub fn place(&self) -> (u32, u32, u32) {
        (self.set, self.binding, self.element)
    }
}

/// A vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// GLSL location.
    pub location: u32,
    /// Its format.
    pub format: Format,
    /// Number of its vertex buffer.
    pub binding: u32,
    /// Bytes into the vertex.
    pub offset: u32,
}

/// What a header says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// What the program is about, one sentence.
    pub about: String,
    /// The stage that a graphics program is about, by its extension; nothing said: all.
    pub tested: String,
    /// Workgroups of a dispatch.
    pub groups: [u32; 3],
    /// How results are compared.
    pub compare: Compare,
    /// Whether there is only ACO's code: RADV with LLVM crashes on it, or its addresses are those of the moment.
    pub no_llvm: bool,
    /// What it reads and writes, by binding; vertex buffers last.
    pub resources: Vec<Resource>,
    /// Push constants.
    pub push: Vec<u32>,
    /// Bindings whose addresses come in front of them, two words each.
    pub addresses: Vec<u32>,
    /// Specialisation constants: id and value.
    pub constants: Vec<(u32, u32)>,
    /// Vertex attributes.
    pub attributes: Vec<Attribute>,
    /// Formats of colour targets.
    pub targets: Vec<Format>,
    /// Whether there is a depth buffer.
    pub depth: bool,
    /// What is drawn: `points`, `lines`, `triangles`, `strip`, or nothing said: triangles, or patches with tessellation.
    pub topology: String,
    /// Corners of a patch.
    pub patch: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Whether the blending has two sources.
    pub dual_source: bool,
    /// Vertices, instances, first vertex, first instance of a draw.
    pub draw: [u32; 4],
    /// Resources that hold zeros but for some words.
    pub held: Vec<Held>,
    /// What a test expects of words behind a dispatch.
    pub expected: Vec<Expected>,
}

/// What a resource holds where a test sets it up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Set, binding and element of the resource.
    pub place: (u32, u32, u32),
    /// Numbers of words, and what they are.
    pub words: Vec<(u32, u32)>,
}

/// What a test expects of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// Set, binding and element of the resource.
    pub place: (u32, u32, u32),
    /// The number of the word.
    pub word: u32,
    /// How it is compared.
    pub relation: Relation,
    /// With what.
    pub value: u32,
}

/// A number as headers have it: decimal, hexadecimal, or (with a point) a float, as its bits.
pub(crate) fn number(text: &str) -> Result<u32, String> {
    let wrong = || format!("`{text}` is no number");
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).map_err(|_| wrong());
    }
    if text.contains('.') {
        return text.parse::<f32>().map(f32::to_bits).map_err(|_| wrong());
    }
    text.parse::<i64>().ok().filter(|n| (-(1 << 31)..1 << 32).contains(n)).map(|n| n as u32).ok_or_else(wrong)
}

impl Image {
    /// Width, height and depth of a level.
    pub fn level(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> level).max(1))
    }

    /// Texels from one line of the largest level to the next in guest memory: linear images have lines of whole 64 bytes, and of 8 texels
    /// at least.
    pub fn pitch(&self) -> u32 {
        self.size[0].next_multiple_of((64 / self.format.bytes).max(8))
    }

    /// Bytes of all levels and layers, one level after the other, without gaps, up to a whole word.
    pub fn bytes(&self) -> u32 {
        let samples = if matches!(self.shape, Shape::D2Samples | Shape::D2SamplesArray) { SAMPLES } else { 1 };
        let level = |level| self.level(level).iter().product::<u32>() * self.layers * self.format.bytes * samples;
        (0..self.levels).map(level).sum::<u32>().next_multiple_of(4)
    }
}

/// A binding, with its set in front (0 if that is not said) and its element behind: `3`, `1.3`, `1.3[2]`.
fn place(text: &str) -> Result<(u32, u32, u32), String> {
    let (text, element) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((text, element)) => (text, number(element)?),
        None => (text, 0),
    };
    let (set, binding) = text.split_once('.').unwrap_or(("0", text));
    Ok((number(set)?, number(binding)?, element))
}

/// Words of a line, taken one by one.
struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn text(&mut self, what: &str) -> Result<&'a str, String> {
        let word = self.words.get(self.at).copied().ok_or_else(|| format!("{what} is missing"))?;
        self.at += 1;
        Ok(word)
    }

    fn number(&mut self, what: &str) -> Result<u32, String> {
        number(self.text(what)?)
    }

    fn format(&mut self) -> Result<Format, String> {
        let name = self.text("a format")?;
        Format::named(name).ok_or_else(|| format!("there is no format `{name}`"))
    }

    fn image(&mut self) -> Result<Image, String> {
        let shape = match self.text("a shape")? {
            "1d" => Shape::D1,
            "2d" => Shape::D2,
            "3d" => Shape::D3,
            "cube" => Shape::Cube,
            "1darray" => Shape::D1Array,
            "2darray" => Shape::D2Array,
            "2dsamples" => Shape::D2Samples,
            "2dsamplesarray" => Shape::D2SamplesArray,
            other => return Err(format!("there is no shape `{other}`")),
        };
        let format = self.format()?;
        let mut size = [1; 3];
        for (at, part) in self.text("a size")?.split('x').enumerate() {
            *size.get_mut(at).ok_or("a size has three parts at most")? = number(part)?;
        }
        Ok(Image { shape, format, size, layers: self.number("the number of layers")?, levels: 1 })
    }

    fn sampler(&mut self) -> Result<Sampler, String> {
        let linear = match self.text("a filter")? {
            "linear" => true,
            "nearest" => false,
            other => return Err(format!("there is no filter `{other}`")),
        };
        let address = match self.text("an address mode")? {
            "repeat" => 0,
            "mirror" => 1,
            "edge" => 2,
            "border" => 6,
            other => return Err(format!("there is no address mode `{other}`")),
        };
        let compare = self.words.get(self.at) == Some(&"compare");
        self.at += usize::from(compare);
        Ok(Sampler { linear, address, compare })
    }

    /// All that is left.
    fn rest(&mut self) -> &[&'a str] {
        let rest = &self.words[self.at.min(self.words.len())..];
        self.at = self.words.len();
        rest
    }
}

impl Header {
    /// What a resource holds before a shader runs.
    pub(crate) fn contents(&self, resource: &Resource, seed: u32) -> Vec<u32> {
        let count = resource.bytes / 4;
        let Some(held) = self.held.iter().find(|held| held.place == resource.place()) else {
            return (0..count).map(|at| resource.pattern.word(seed, at)).collect();
        };
        let mut words = vec![0; count as usize];
        for (at, word) in &held.words {
            if let Some(place) = words.get_mut(*at as usize) {
                *place = *word;
            }
        }
        words
    }

    /// Whether what resources hold is what a test expects. `left`: of each resource, or nothing of those that are not known.
    ///
    /// # Errors
    /// In words, the first difference.
    pub fn meets(&self, left: &[Vec<u32>]) -> Result<(), String> {
        for Expected { place, word, relation, value } in &self.expected {
            let at = self.resources.iter().position(|resource| resource.place() == *place);
            let got = at.and_then(|at| left.get(at)?.get(*word as usize).copied());
            let name = relation.name();
            match got {
                Some(got) if relation.holds(got, *value) => {}
                Some(got) => {
                    return Err(format!("binding {} word {word} is {got:#x}, which is not {name} {value:#x}", place.1));
                }
                None => return Err(format!("binding {} has no word {word}", place.1)),
            }
        }
        Ok(())
    }

    /// The words of the push constants, of the address of each resource.
    pub fn pushed(&self, address: impl Fn(usize) -> u64) -> Vec<u32> {
        let bound = |binding: &u32| {
            self.resources.iter().position(|resource| resource.set == 0 && resource.binding == *binding)
        };
        let addresses = self.addresses.iter().filter_map(bound).map(address);
        let halves = addresses.flat_map(|address| [address as u32, (address >> 32) as u32]);
        halves.chain(self.push.iter().copied()).collect()
    }

    /// Adds what a GLSL file says.
    ///
    /// # Errors
    /// The number of the line that is wrong, and why.
    pub(crate) fn add(&mut self, text: &str) -> Result<(), (usize, String)> {
        for (at, line) in text.lines().enumerate() {
            if let Some(line) = line.strip_prefix("//!") {
                self.line(line.trim()).map_err(|why| (at + 1, why))?;
            }
        }
        self.resources.sort_by_key(|resource| {
            let vertices = matches!(resource.kind, Kind::Vertices { .. });
            (vertices, resource.set, resource.binding, resource.element)
        });
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = Words { words: line.split_whitespace().collect(), at: 0 };
        match words.text("a word")? {
            "about" => self.about = words.rest().join(" "),
            "tested" => self.tested = words.text("a stage")?.to_owned(),
            "groups" => {
                self.groups = [1; 3];
                for (at, word) in words.rest().iter().enumerate() {
                    *self.groups.get_mut(at).ok_or("there are three numbers of groups at most")? = number(word)?;
                }
            }
            "compare" => {
                let kind = words.text("a kind")?;
                let mut tolerance = || -> Result<f64, String> {
                    let text = words.text("a tolerance")?;
                    text.parse().map_err(|_| format!("`{text}` is no number"))
                };
                self.compare = match kind {
                    "exact" => Compare::Exact,
                    "float" => Compare::Float(tolerance()? as f32),
                    "double" => Compare::Double(tolerance()?),
                    "translated" => Compare::Translated,
                    "near" => Compare::Near(tolerance()? as f32),
                    other => return Err(format!("there is no comparison `{other}`")),
                };
            }
            "addresses" => self.addresses = words.rest().iter().map(|word| number(word)).collect::<Result<_, _>>()?,
            "push" => self.push = words.rest().iter().map(|word| number(word)).collect::<Result<_, _>>()?,
            "constant" => self.constants.push((words.number("an id")?, words.number("a value")?)),
            "attribute" => self.attributes.push(Attribute {
                location: words.number("a location")?,
                format: words.format()?,
                binding: words.number("a binding")?,
                offset: words.number("an offset")?,
            }),
            "target" => self.targets.push(words.format()?),
            "depth" => self.depth = true,
            "no_llvm" => self.no_llvm = true,
            "topology" => self.topology = words.text("a topology")?.to_owned(),
            "patch" => self.patch = words.number("the number of corners")?,
            "samples" => self.samples = words.number("the number of samples")?,
            "dual_source" => self.dual_source = true,
            "draw" => {
                for (at, word) in words.rest().iter().enumerate() {
                    *self.draw.get_mut(at).ok_or("a draw has four numbers at most")? = number(word)?;
                }
            }
            "holds" => {
                let place = place(words.text("a binding")?)?;
                let numbers: Vec<u32> = words.rest().iter().map(|word| number(word)).collect::<Result<_, _>>()?;
                let (pairs, []) = numbers.as_chunks::<2>() else { return Err("a word without its value".to_owned()) };
                self.held.push(Held { place, words: pairs.iter().map(|[at, value]| (*at, *value)).collect() });
            }
            "sized" => {
                let (place, bytes) = (place(words.text("a binding")?)?, words.number("a size")?);
                let resource = self.resources.iter_mut().find(|resource| resource.place() == place);
                resource.ok_or("there is no such resource in front of this line")?.bytes = bytes.next_multiple_of(4);
            }
            "expects" => self.expected.push(Expected {
                place: place(words.text("a binding")?)?,
                word: words.number("the number of a word")?,
                relation: Relation::named(words.text("a relation")?).ok_or("there is no such relation")?,
                value: words.number("a value")?,
            }),
            kind => self.resource(kind, &mut words)?,
        }
        match words.rest() {
            [] => Ok(()),
            rest => Err(format!("`{}` is too much", rest.join(" "))),
        }
    }

    fn resource(&mut self, kind: &str, words: &mut Words) -> Result<(), String> {
        let (set, binding, element) = place(words.text("a binding")?)?;
        let (kind, bytes) = match kind {
            "buffer" => (Kind::Buffer, words.number("a size")?),
            "uniform" => (Kind::Uniform, words.number("a size")?),
            "texels" | "texel_image" => {
                let format = words.format()?;
                let bytes = format.bytes * words.number("the number of texels")?;
                (if kind == "texels" { Kind::TexelBuffer(format) } else { Kind::TexelImage(format) }, bytes)
            }
            "image" => {
                let image = words.image()?;
                (Kind::Image(image), image.bytes())
            }
            "texture" => {
                let image = Image { levels: words.number("the number of levels")?, ..words.image()? };
                (Kind::Texture(image, words.sampler()?), image.bytes())
            }
            "sampled" | "input" => {
                let image = Image { levels: words.number("the number of levels")?, ..words.image()? };
                (if kind == "sampled" { Kind::Sampled(image) } else { Kind::Input(image) }, image.bytes())
            }
            // It has no contents, but a place like all others.
            "sampler" => (Kind::Sampler(words.sampler()?), 4),
            "vertices" => {
                let stride = words.number("a stride")?;
                let instance = match words.text("vertex or instance")? {
                    "vertex" => false,
                    "instance" => true,
                    other => return Err(format!("vertices go on with `vertex` or `instance`, not with `{other}`")),
                };
                (Kind::Vertices { stride, instance }, stride * words.number("their number")?)
            }
            other => return Err(format!("there is no `{other}`")),
        };
        if !bytes.is_multiple_of(4) {
            return Err(format!("{bytes} bytes are no whole words"));
        }
        let pattern = match kind {
            Kind::Sampler(_) => Pattern::Fill(0),
            _ => Pattern::parse(words.rest())?,
        };
        self.resources.push(Resource { set, binding, element, kind, bytes, pattern });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let mut header = Header::default();
        header
            .add("//! about Adds.\n#version 450\n//! groups 4 2\n//! buffer 1 64 iota\n//! compare float 1e-5\n//! texture 0 3 2d rgba8 8x4 1 linear border compare unit\n")
            .unwrap();
        assert_eq!((header.about.as_str(), header.groups), ("Adds.", [4, 2, 1]));
        assert_eq!(header.compare, Compare::Float(1e-5));
        let Kind::Texture(image, sampler) = header.resources[0].kind else { panic!("{header:?}") };
        assert_eq!((image.levels, image.level(2), sampler.compare), (3, [2, 1, 1], true));
        assert_eq!(header.resources[0].bytes, 4 * (32 + 8 + 2));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, line, why) in [
            ("//! buffer 0", 1, "a size is missing"),
            ("\n//! groups x", 2, "`x` is no number"),
            ("//! image 0 2d rgba9 4x4 1 zero", 1, "there is no format `rgba9`"),
            ("//! depth now", 1, "`now` is too much"),
        ] {
            assert_eq!(Header::default().add(text), Err((line, why.to_owned())));
        }
    }
}
