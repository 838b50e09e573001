//! What a SPIR-V module says of its interface: descriptors, push constants, inputs and outputs, as far as a test of somebody else's
//! shader has to provide them. After the SPIR-V specification, unified1.

use std::collections::HashMap;

/// Classes of the words of memory, by the scalars that lie there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Word {
    /// A 32-bit float, or padding.
    #[default]
    Float,
    /// An integer, or parts of narrow ones.
    Integer,
    /// Half of a double.
    Double,
    /// Two halves.
    Halves,
}

/// What memory of a type is made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// What comes once.
    pub fixed: Vec<Word>,
    /// What a runtime array repeats.
    pub repeated: Vec<Word>,
}

/// What a descriptor is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// A storage buffer.
    Buffer(Words),
    /// A uniform buffer.
    Uniform(Words),
    /// A sampler.
    Sampler,
    /// An image, and how it is bound.
    Image(Texels),
    /// An acceleration structure or something else that GCN does not have.
    Other,
}

/// `OpTypeImage`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texels {
    /// What a shader gets of a texel.
    pub scalar: Scalar,
    /// `Dim`: 0 to 2 dimensions less one, 3 cube, 5 buffer, 6 subpass.
    pub dim: u32,
    /// Whether samples are compared.
    pub depth: bool,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it has several samples.
    pub multisampled: bool,
    /// Whether it is a storage image.
    pub storage: bool,
    /// Whether its sampler is with it.
    pub combined: bool,
    /// `Image Format`.
    pub format: u32,
}

/// Scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    #[default]
    Float,
    Int,
    Uint,
    Double,
}

/// A descriptor or an array of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// How many; 0 of arrays without a length.
    pub count: u32,
    /// Of what.
    pub of: Bound,
    /// The binding of the atomic counters that glslang has made a buffer of, if it is one.
    pub counters: Option<u32>,
}

/// A part of a location of an input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Varying {
    /// The location.
    pub location: u32,
    /// The first component.
    pub component: u32,
    /// Scalars of it.
    pub scalar: Scalar,
    /// How many.
    pub count: u32,
    /// Of a patch and not of a vertex.
    pub patch: bool,
    /// Not interpolated.
    pub flat: bool,
    /// The second source of blending.
    pub second: bool,
}

/// A module's interface.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// `ExecutionModel` of its first entry point.
    pub model: u32,
    /// The entry point's name.
    pub entry: String,
    /// Threads of a workgroup.
    pub threads: [u32; 3],
    /// Execution modes, with their operands.
    pub modes: Vec<(u32, Vec<u32>)>,
    /// Capabilities.
    pub capabilities: Vec<u32>,
    /// Descriptors.
    pub descriptors: Vec<Descriptor>,
    /// The push constants.
    pub push: Vec<Word>,
    /// Inputs, by location.
    pub inputs: Vec<Varying>,
    /// Outputs, by location.
    pub outputs: Vec<Varying>,
    /// Whether samples are compared by some instruction.
    pub compares: bool,
    /// Whether it writes `gl_FragDepth`.
    pub depth: bool,
}

/// Words of memory that are looked at at most.
const MOST_WORDS: usize = 1 << 14;

#[derive(Clone, Debug)]
enum Type {
    Void,
    Int(u32, bool),
    Float(u32),
    Vector(u32, u32),
    Matrix(u32, u32),
    Array(u32, u32),
    Runtime(u32),
    Struct(Vec<u32>),
    Pointer(u32),
    Image(Texels),
    SampledImage(u32),
    Sampler,
    Other,
}

/// A module that is being read.
#[derive(Default)]
struct Module {
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u32>,
    decorations: HashMap<u32, Vec<(u32, u32)>>,
    members: HashMap<(u32, u32), Vec<(u32, u32)>>,
    variables: Vec<(u32, u32, u32)>,
    names: HashMap<u32, String>,
}

mod decoration {
    pub(super) const BUFFER_BLOCK: u32 = 3;
    pub(super) const ROW_MAJOR: u32 = 4;
    pub(super) const ARRAY_STRIDE: u32 = 6;
    pub(super) const MATRIX_STRIDE: u32 = 7;
    pub(super) const BUILT_IN: u32 = 11;
    pub(super) const FLAT: u32 = 14;
    pub(super) const PATCH: u32 = 15;
    pub(super) const LOCATION: u32 = 30;
    pub(super) const COMPONENT: u32 = 31;
    pub(super) const INDEX: u32 = 32;
    pub(super) const BINDING: u32 = 33;
    pub(super) const SET: u32 = 34;
    pub(super) const OFFSET: u32 = 35;
}

fn value(list: Option<&Vec<(u32, u32)>>, wanted: u32) -> Option<u32> {
    list?.iter().find(|(decoration, _)| *decoration == wanted).map(|(_, value)| *value)
}

impl Module {
    fn of(&self, id: u32, wanted: u32) -> Option<u32> {
        value(self.decorations.get(&id), wanted)
    }

    fn member(&self, id: u32, member: u32, wanted: u32) -> Option<u32> {
        value(self.members.get(&(id, member)), wanted)
    }

    fn kind(&self, id: u32) -> &Type {
        self.types.get(&id).unwrap_or(&Type::Other)
    }

    fn length(&self, id: u32) -> u32 {
        self.constants.get(&id).copied().unwrap_or(1)
    }

    /// Writes the classes of a type's words from a byte on; `stride` is of matrices. Runtime arrays are given back.
    fn lay(&self, id: u32, at: u32, stride: Option<(u32, bool)>, out: &mut Vec<Word>) -> Option<Vec<Word>> {
        let mut set = |at: u32, word: Word| {
            let at = at as usize / 4;
            if at < MOST_WORDS {
                if out.len() <= at {
                    out.resize(at + 1, Word::Float);
                }
                out[at] = word;
            }
        };
        match *self.kind(id) {
            Type::Int(bits, _) => (0..bits.div_ceil(32)).for_each(|n| set(at + 4 * n, Word::Integer)),
            Type::Float(16) => set(at, Word::Halves),
            Type::Float(64) => (0..2).for_each(|n| set(at + 4 * n, Word::Double)),
            Type::Float(_) => set(at, Word::Float),
            // An address.
            Type::Pointer(_) => (0..2).for_each(|n| set(at + 4 * n, Word::Integer)),
            Type::Vector(of, count) => {
                let size = self.scalar_bytes(of);
                (0..count).for_each(|n| drop(self.lay(of, at + n * size, None, out)));
            }
            Type::Matrix(column, columns) => {
                let (stride, row_major) = stride.unwrap_or((16, false));
                let Type::Vector(of, rows) = *self.kind(column) else { return None };
                let size = self.scalar_bytes(of);
                for column in 0..columns {
                    for row in 0..rows {
                        let (line, place) = if row_major { (row, column) } else { (column, row) };
                        self.lay(of, at + line * stride + place * size, None, out);
                    }
                }
            }
            Type::Array(of, length) => {
                let step = self.of(id, decoration::ARRAY_STRIDE).unwrap_or(16);
                for n in 0..self.length(length) {
                    let place = at.saturating_add(n.saturating_mul(step));
                    if place as usize / 4 >= MOST_WORDS {
                        break;
                    }
                    self.lay(of, place, stride, out);
                }
            }
            Type::Runtime(of) => {
                let step = self.of(id, decoration::ARRAY_STRIDE).unwrap_or(4);
                let mut element = Vec::new();
                self.lay(of, 0, stride, &mut element);
                element.resize((step as usize / 4).max(1), Word::Float);
                out.resize(out.len().max(at as usize / 4), Word::Float);
                return Some(element);
            }
            Type::Struct(ref members) => {
                let mut last = None;
                for (n, of) in (0..).zip(members) {
                    let offset = self.member(id, n, decoration::OFFSET).unwrap_or(0);
                    let row_major = self.member(id, n, decoration::ROW_MAJOR).is_some();
                    let stride = self.member(id, n, decoration::MATRIX_STRIDE).map(|stride| (stride, row_major));
                    last = last.or(self.lay(*of, at + offset, stride, out));
                }
                return last;
            }
            Type::Void | Type::Image(_) | Type::SampledImage(_) | Type::Sampler | Type::Other => {}
        }
        None
    }

    fn scalar_bytes(&self, id: u32) -> u32 {
        match self.kind(id) {
            Type::Int(bits, _) | Type::Float(bits) => bits / 8,
            _ => 4,
        }
    }

    fn words(&self, id: u32) -> Words {
        let mut words = Words::default();
        words.repeated = self.lay(id, 0, None, &mut words.fixed).unwrap_or_default();
        words
    }

    fn scalar(&self, id: u32) -> Scalar {
        match self.kind(id) {
            Type::Int(_, true) => Scalar::Int,
            Type::Int(_, false) => Scalar::Uint,
            Type::Float(64) => Scalar::Double,
            _ => Scalar::Float,
        }
    }

    fn descriptor(&self, variable: u32, pointee: u32, class: u32) -> Descriptor {
        let (mut of, mut count) = (pointee, 1u32);
        loop {
            match *self.kind(of) {
                Type::Array(element, length) => {
                    count = count.saturating_mul(self.length(length));
                    of = element;
                }
                Type::Runtime(element) => {
                    count = 0;
                    of = element;
                }
                _ => break,
            }
        }
        let bound = match self.kind(of) {
            Type::Struct(_) if class == class::STORAGE || self.of(of, decoration::BUFFER_BLOCK).is_some() => {
                Bound::Buffer(self.words(of))
            }
            Type::Struct(_) => Bound::Uniform(self.words(of)),
            Type::Sampler => Bound::Sampler,
            Type::Image(texels) => Bound::Image(*texels),
            Type::SampledImage(image) => match self.kind(*image) {
                Type::Image(texels) => Bound::Image(Texels { combined: true, ..*texels }),
                _ => Bound::Other,
            },
            _ => Bound::Other,
        };
        let [set, binding] = [decoration::SET, decoration::BINDING].map(|what| self.of(variable, what).unwrap_or(0));
        let counters = self.names.get(&of).and_then(|name| name.strip_prefix("gl_AtomicCounterBlock_"));
        let counters = counters.and_then(|binding| binding.parse().ok());
        Descriptor { set, binding, count, of: bound, counters }
    }

    /// Adds what a type takes of locations; gives the next location.
    fn vary(&self, id: u32, mut at: Varying, out: &mut Vec<Varying>) -> u32 {
        match *self.kind(id) {
            Type::Vector(of, count) => {
                let scalar = self.scalar(of);
                if scalar == Scalar::Double && count > 2 {
                    out.push(Varying { scalar, count: 2, ..at });
                    out.push(Varying { scalar, count: count - 2, location: at.location + 1, ..at });
                    return at.location + 2;
                }
                out.push(Varying { scalar, count, ..at });
                at.location + 1
            }
            Type::Matrix(column, columns) => {
                (0..columns).for_each(|_| at.location = self.vary(column, at, out));
                at.location
            }
            Type::Array(of, length) => {
                (0..self.length(length).min(32)).for_each(|_| at.location = self.vary(of, at, out));
                at.location
            }
            Type::Struct(ref members) => {
                for (n, of) in (0..).zip(members) {
                    let location = self.member(id, n, decoration::LOCATION).unwrap_or(at.location);
                    let component = self.member(id, n, decoration::COMPONENT).unwrap_or(0);
                    let flat = at.flat || self.member(id, n, decoration::FLAT).is_some();
                    let patch = at.patch || self.member(id, n, decoration::PATCH).is_some();
                    at.location = self.vary(*of, Varying { location, component, flat, patch, ..at }, out);
                }
                at.location
            }
            _ => {
                out.push(Varying { scalar: self.scalar(id), count: 1, ..at });
                at.location + 1
            }
        }
    }

    /// Whether a type is a block of built-in values.
    fn is_built_in(&self, id: u32) -> bool {
        match *self.kind(id) {
            Type::Array(of, _) | Type::Runtime(of) => self.is_built_in(of),
            Type::Struct(ref members) => {
                (0..members.len() as u32).any(|n| self.member(id, n, decoration::BUILT_IN).is_some())
            }
            _ => false,
        }
    }
}

mod class {
    pub(super) const UNIFORM_CONSTANT: u32 = 0;
    pub(super) const INPUT: u32 = 1;
    pub(super) const UNIFORM: u32 = 2;
    pub(super) const OUTPUT: u32 = 3;
    pub(super) const PUSH: u32 = 9;
    pub(super) const STORAGE: u32 = 12;
}

fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a module.
///
/// # Errors
/// In words, why it is none.
pub fn reflect(spirv: &[u32]) -> Result<Interface, String> {
    const MAGIC: u32 = 0x0723_0203;
    if spirv.first() != Some(&MAGIC) || spirv.len() < 5 {
        return Err("it does not begin as SPIR-V".to_owned());
    }
    let (mut module, mut out) = (Module::default(), Interface { threads: [1; 3], ..Interface::default() });
    let (mut at, mut built_group, mut local_ids) = (5, None, None);
    while let Some(&word) = spirv.get(at) {
        let end = at + (word >> 16).max(1) as usize;
        let body = spirv.get(at + 1..end).ok_or("an instruction goes beyond the end")?;
        at = end;
        let mut put = |id: u32, kind: Type| drop(module.types.insert(id, kind));
        match (word & 0xFFFF, body) {
            (5, [id, name @ ..]) => drop(module.names.insert(*id, text(name))),
            (15, [model, _, name @ ..]) if out.entry.is_empty() => (out.model, out.entry) = (*model, text(name)),
            (16, [_, mode, operands @ ..]) => {
                if let (17, &[x, y, z]) = (*mode, operands) {
                    out.threads = [x, y, z];
                }
                out.modes.push((*mode, operands.to_vec()));
            }
            (331, [_, 38, x, y, z]) => local_ids = Some([*x, *y, *z]),
            (17, [capability]) => out.capabilities.push(*capability),
            (19, [id]) => put(*id, Type::Void),
            (20, [id]) => put(*id, Type::Int(32, false)),
            (21, [id, bits, signed]) => put(*id, Type::Int(*bits, *signed != 0)),
            (22, [id, bits, ..]) => put(*id, Type::Float(*bits)),
            (23, [id, of, count]) => put(*id, Type::Vector(*of, *count)),
            (24, [id, of, count]) => put(*id, Type::Matrix(*of, *count)),
            (25, [id, of, dim, depth, arrayed, samples, sampled, format, ..]) => {
                let scalar = module.scalar(*of);
                let texels = Texels {
                    scalar,
                    dim: *dim,
                    depth: *depth == 1,
                    arrayed: *arrayed != 0,
                    multisampled: *samples != 0,
                    storage: *sampled == 2,
                    combined: false,
                    format: *format,
                };
                module.types.insert(*id, Type::Image(texels));
            }
            (26, [id]) => put(*id, Type::Sampler),
            (27, [id, image]) => put(*id, Type::SampledImage(*image)),
            (28, [id, of, length]) => put(*id, Type::Array(*of, *length)),
            (29, [id, of]) => put(*id, Type::Runtime(*of)),
            (30, [id, members @ ..]) => put(*id, Type::Struct(members.to_vec())),
            (32, [id, _, of]) => put(*id, Type::Pointer(*of)),
            (43 | 50, [_, id, value, ..]) => drop(module.constants.insert(*id, *value)),
            (44 | 51, [_, id, x, y, z]) if built_group == Some(*id) => {
                out.threads = [*x, *y, *z].map(|id| module.length(id));
            }
            (59, [pointer, id, class, ..]) => module.variables.push((*id, *pointer, *class)),
            (71, [id, decoration, operands @ ..]) => {
                let operand = operands.first().copied().unwrap_or(0);
                /// `WorkgroupSize`.
                const GROUP: u32 = 25;
                if (*decoration, operand) == (decoration::BUILT_IN, GROUP) {
                    built_group = Some(*id);
                }
                module.decorations.entry(*id).or_default().push((*decoration, operand));
            }
            (72, [id, member, decoration, operands @ ..]) => {
                let operand = operands.first().copied().unwrap_or(0);
                module.members.entry((*id, *member)).or_default().push((*decoration, operand));
            }
            // Samples and gathers with a reference.
            (89 | 90 | 93 | 94 | 97, _) => out.compares = true,
            _ => {}
        }
    }
    // The built-in value goes before the mode.
    if let Some(ids) = local_ids.filter(|_| built_group.is_none()) {
        out.threads = ids.map(|id| module.length(id));
    }
    collect(&module, &mut out);
    Ok(out)
}

fn collect(module: &Module, out: &mut Interface) {
    for &(id, pointer, class) in &module.variables {
        let Type::Pointer(pointee) = *module.kind(pointer) else { continue };
        match class {
            class::UNIFORM_CONSTANT | class::UNIFORM | class::STORAGE => {
                let new = module.descriptor(id, pointee, class);
                // Several variables may be of one descriptor.
                let same = |old: &&mut Descriptor| (old.set, old.binding) == (new.set, new.binding);
                match out.descriptors.iter_mut().find(same) {
                    Some(old) => {
                        old.counters = old.counters.filter(|_| old.counters == new.counters);
                        old.count = old.count.max(new.count);
                        if size(&new.of) > size(&old.of) {
                            old.of = new.of;
                        }
                    }
                    None => out.descriptors.push(new),
                }
            }
            class::PUSH => out.push = module.words(pointee).fixed,
            class::INPUT | class::OUTPUT => {
                /// `FragDepth`.
                const DEPTH: u32 = 22;
                let built_in = module.of(id, decoration::BUILT_IN);
                out.depth |= class == class::OUTPUT && built_in == Some(DEPTH);
                if built_in.is_some() || module.is_built_in(pointee) {
                    continue;
                }
                let has = |what| module.of(id, what).is_some();
                let number = |what| module.of(id, what).unwrap_or(0);
                let varying = Varying {
                    location: number(decoration::LOCATION),
                    component: number(decoration::COMPONENT),
                    scalar: Scalar::Float,
                    count: 0,
                    patch: has(decoration::PATCH),
                    flat: has(decoration::FLAT),
                    second: number(decoration::INDEX) == 1,
                };
                // Tessellation and geometry have one for each vertex.
                let arrayed = match (out.model, class) {
                    (1..=3, class::INPUT) | (1, class::OUTPUT) => !varying.patch,
                    _ => false,
                };
                let of = match *module.kind(pointee) {
                    Type::Array(of, _) | Type::Runtime(of) if arrayed => of,
                    _ => pointee,
                };
                let list = if class == class::INPUT { &mut out.inputs } else { &mut out.outputs };
                module.vary(of, varying, list);
            }
            _ => {}
        }
    }
    out.descriptors.sort_by_key(|descriptor| (descriptor.set, descriptor.binding));
    for list in [&mut out.inputs, &mut out.outputs] {
        list.sort_by_key(|varying| (varying.patch, varying.location, varying.component));
        list.dedup_by_key(|varying| (varying.patch, varying.location, varying.component, varying.second));
    }
}

fn size(of: &Bound) -> usize {
    match of {
        Bound::Buffer(words) | Bound::Uniform(words) => words.fixed.len() + words.repeated.len(),
        Bound::Sampler | Bound::Image(_) | Bound::Other => 0,
    }
}
