//! Images: MIMG.
//!
//! The words of an address come in the order of AMD's "Sea Islands Instruction Set Architecture", section 8.2: offsets, bias,
//! reference, derivatives, coordinates, level or its clamp. One dimension is two of height one. A cube's coordinates are what
//! `v_cube*` gives, divided by the major axis and moved by 1.5, and the number of the face (plus eight for each layer): here they
//! become a direction again.

use afterimage_ir::{
    Builder, Component, Dim, Image, ImageDecl, ImageFormat, Kind, Level, Offset, Stage, TextureDecl, TextureRef, Type,
    Value,
};
use smallvec::SmallVec;

use super::atomics::{atomic_op, split};
use super::format::{Format, extract, words};
use super::levels::{Moved, gathered, moved, nearest_level, wide};
use super::memory::and_exec;
use super::vector::notation::ir;
use super::{ImageRef, Lifter, Reason, tables};
use crate::inst::{self, Inst, Operand};
use crate::io::Texels;
use crate::resources::{Choice, Named, Use};
use crate::tables::{Atomic, Kind as Sort, Op, SampleForm, TexelForm, Ty};

/// Added to the type of a cube with layers ([`ImageSpec::kind`](crate::io::ImageSpec)).
const LAYERS: u32 = crate::io::CUBE_LAYERS;
/// Data formats of one and of two 32-bit components.
const FORMAT_32: u32 = 4;
const FORMAT_32_32: u32 = 11;
/// Number formats of integers.
const UINT: u32 = 4;
const SINT: u32 = 5;

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    let Some(fields) = inst.image() else { return };
    if fields.tfe {
        l.warn("the residency of what is loaded");
    }
    let analysis = l.analysis;
    match &analysis.uses[l.at] {
        Use::Table(choices) => return choose(l, inst, fields, choices),
        &Use::Tables { image, sampler } => return tables::lift(l, inst, fields, image, sampler),
        _ => {}
    }
    let Some(image) = l.image() else { return l.fail(Reason::unresolved("the image", inst.srsrc())) };
    let image = tables::beyond_slots(l, image);
    access(l, inst, fields, image);
}

/// An access of an image out of a table: that whose words the registers have. If none is, it reads as zero, as one that is none.
fn choose(l: &mut Lifter, inst: &Inst, fields: inst::Image, choices: &[Choice]) {
    let has = |choices: &[Choice], of: fn(&Choice) -> Option<u32>| choices.iter().any(|choice| of(choice).is_some());
    let words = |l: &mut Lifter, wanted: bool, operand: Operand, count: u8| -> SmallVec<[Value; 2]> {
        if !wanted {
            return SmallVec::new();
        }
        let words = l.read_words(operand, count);
        words
            .chunks(4)
            .map(|four| {
                let four = l.b.construct(four);
                l.b.cast(four, Kind::Int)
            })
            .collect()
    };
    let image = words(l, has(choices, |choice| choice.image), inst.srsrc(), 8);
    let sampler = words(l, has(choices, |choice| choice.sampler), inst.ssamp(), 4);
    let mut open = 0;
    for choice in choices {
        let Some(reference) = l.image_of(choice.slot, choice.storage) else { continue };
        let Some(shape) = Shape::new(reference.spec.kind) else { continue };
        // A table has others beside those that the instruction is for.
        if !suits(inst, reference, shape) {
            continue;
        }
        let mut is = None;
        for (first, has) in [(choice.image, &image), (choice.sampler, &sampler)] {
            let Some(first) = first else { continue };
            for (n, &has) in (0..).zip(has) {
                let wanted = l.delivered_four(first / 4 + n);
                let b = &mut l.b;
                let same = b.ieq(has, wanted);
                let same = b.all(same);
                is = Some(is.map_or(same, |is| b.band(is, same)));
            }
        }
        // Samples have one.
        if let Some(level) = choice.level.filter(|_| !shape.dim.is_multisampled()) {
            let mut address = Address { next: inst.vaddr(), shape, layered: fields.da };
            let _ = address.texel(l);
            let named = address.word(l);
            let level = match level {
                Named::Level(level) => l.b.i32(level.into()),
                Named::Word(word) => l.delivered(word),
            };
            let b = &mut l.b;
            let [named, level] = [named, level].map(|word| b.cast(word, Kind::Int));
            let same = b.ieq(named, level);
            is = Some(is.map_or(same, |is| b.band(is, same)));
        }
        let Some(is) = is else { continue };
        l.b.begin_if(is);
        access(l, inst, fields, reference);
        l.b.begin_else();
        open += 1;
    }
    none(l, inst, fields);
    (0..open).for_each(|_| l.b.end_if());
}

/// Whether an instruction can access such an image.
fn suits(inst: &Inst, image: ImageRef, shape: Shape) -> bool {
    let is_plain = image.spec.format >> 16 & 3 == 0;
    match inst.kind() {
        Sort::Atomic(op) => atomic_words(inst, image, op).is_some(),
        Sort::Sample(_) | Sort::ImageLod if shape.dim.is_multisampled() => false,
        Sort::Gather(_) if shape.dim.is_multisampled() || shape.dim == Dim::D3 => false,
        Sort::ImageLoad(form) | Sort::ImageStore(form) if form.packed() && format_of(image).is_none() => false,
        Sort::ImageLoad(_) if !image.storage && shape.dim.is_cube() => false,
        _ => !image.compare || is_plain && shape.dim != Dim::D3,
    }
}

/// An access of an image that is none: it reads as zero.
pub(super) fn none(l: &mut Lifter, inst: &Inst, fields: inst::Image) {
    let zero = l.b.i32(0);
    match inst.kind() {
        Sort::ImageStore(_) => {}
        Sort::Atomic(_) if !inst.returns() => {}
        Sort::Gather(_) => result(l, inst, inst::Image { dmask: 15, ..fields }, &[zero; 4]),
        Sort::Atomic(_) => {
            if let Operand::Vgpr(n) = inst.dst {
                let count = inst.dst_dwords().min(4);
                l.set_vgprs(n, &SmallVec::<[Value; 4]>::from_elem(zero, count.into()));
            }
        }
        _ => result(l, inst, fields, &[zero; 4]),
    }
}

/// The first data format of fragment masks, and samples and fragments of each.
const FIRST_MASK: u32 = 44;
const MASKS: [[u32; 2]; 13] =
    [[2, 1], [4, 1], [8, 1], [2, 2], [4, 2], [4, 4], [16, 1], [8, 2], [16, 2], [8, 4], [8, 8], [16, 4], [16, 8]];

/// A fragment mask has four bits for each sample: the number of the fragment with its colour. Images of the host have a colour for each
/// of the fragments, which are samples there.
fn fragment_mask(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef) {
    let row = (image.spec.format & 0xFF).checked_sub(FIRST_MASK).and_then(|row| MASKS.get(row as usize).copied());
    let (Sort::ImageLoad(_), Some([samples, fragments])) = (inst.kind(), row) else { return none(l, inst, fields) };
    let word = |first: u32| {
        (first..samples.min(first + 8)).fold(0, |word, sample| word | (sample % fragments) << (4 * (sample - first)))
    };
    let [low, high, zero, one] = [word(0), word(8), 0, 1].map(|word: u32| l.b.i32(word.cast_signed()));
    let texel: SmallVec<[Value; 4]> = (0..4)
        .map(|n| match selected(image, n) {
            1 => one,
            4 => low,
            5 => high,
            _ => zero,
        })
        .collect();
    result(l, inst, fields, &texel);
}

/// An access of an image.
pub(super) fn access(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef) {
    if image.spec.format & crate::io::FRAGMENT_MASK != 0 {
        return fragment_mask(l, inst, fields, image);
    }
    l.kept.present = image.present;
    of_image(l, inst, fields, image);
    l.kept.present = None;
}

fn of_image(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef) {
    let Some(shape) = Shape::new(image.spec.kind) else { return none(l, inst, fields) };
    let mut address = Address { next: inst.vaddr(), shape, layered: fields.da };
    match inst.kind() {
        Sort::Sample(_) | Sort::Gather(_) | Sort::ImageLod if image.storage => {
            l.fail(Reason::Unsupported("sampling a storage image"));
        }
        Sort::Sample(form) => sample(l, inst, fields, image, &mut address, form, false),
        Sort::Gather(form) => sample(l, inst, fields, image, &mut address, form, true),
        Sort::ImageLod if shape.dim.is_multisampled() => {
            l.fail(Reason::Unsupported("the level of a multisampled image"));
        }
        Sort::ImageLod => {
            let coord = address.coordinates(l, in_texels(fields, image));
            let Some(texture) = texture(l, image, shape) else { return };
            let lod = if is_pixel(l) { l.b.query_lod(texture, coord) } else { zeros(&mut l.b, 2) };
            let lod = [0, 1, 0, 1].map(|n| l.b.extract(lod, n));
            result(l, inst, fields, &lod);
        }
        Sort::ImageSize => size(l, inst, fields, image, shape),
        Sort::ImageLoad(form) => load(l, inst, fields, image, &mut address, form),
        Sort::ImageStore(form) => store(l, inst, fields, image, &mut address, form),
        Sort::Atomic(op) => atomic(l, inst, image, &mut address, op),
        _ => l.fail(Reason::Unsupported("this access of an image")),
    }
}

/// The image where the instruction or the sampler says that coordinates are in its texels, or may say so.
fn in_texels(fields: inst::Image, image: ImageRef) -> Option<ImageRef> {
    if fields.unorm || image.spec.format & crate::io::IN_TEXELS != 0 {
        return Some(ImageRef { in_texels: None, ..image });
    }
    image.in_texels.map(|_| image)
}

/// The type of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) dim: Dim,
    /// One dimension, which is two here.
    line: bool,
}

impl Shape {
    /// Of the `TYPE` of a T#.
    pub(super) fn new(kind: u32) -> Option<Shape> {
        let (dim, line) = match kind {
            8 => (Dim::D2, true),
            9 => (Dim::D2, false),
            10 => (Dim::D3, false),
            11 => (Dim::Cube, false),
            12 => (Dim::D2Array, true),
            13 => (Dim::D2Array, false),
            14 => (Dim::D2Ms, false),
            15 => (Dim::D2MsArray, false),
            _ if kind == LAYERS + 11 => (Dim::CubeArray, false),
            _ => return None,
        };
        Some(Shape { dim, line })
    }

    /// Coordinates that derivatives are of.
    pub(super) fn dimensions(self) -> usize {
        match self.dim {
            Dim::D3 => 3,
            _ if self.line => 1,
            _ => 2,
        }
    }
}

/// The words of an address, taken one after the other.
#[derive(Clone, Copy)]
pub(super) struct Address {
    next: Option<u8>,
    pub(super) shape: Shape,
    /// The instruction says that a slice or face is there.
    layered: bool,
}

impl Address {
    fn word(&mut self, l: &mut Lifter) -> Value {
        match self.next {
            Some(n) => {
                self.next = n.checked_add(1);
                l.vgpr(n)
            }
            None => l.b.i32(0),
        }
    }

    pub(super) fn words(&mut self, l: &mut Lifter, count: usize) -> SmallVec<[Value; 3]> {
        (0..count).map(|_| self.word(l)).collect()
    }

    /// Behind coordinates that come next, the face of a cube; 0 elsewhere.
    pub(super) fn face(&self, l: &mut Lifter) -> Value {
        let behind = self.next.and_then(|n| n.checked_add(2)).filter(|_| self.shape.dim.is_cube() && self.layered);
        match behind {
            Some(n) => l.vgpr(n),
            None => l.b.f32(0.0),
        }
    }

    /// Whole-numbered coordinates, with the slice or face.
    fn texel(&mut self, l: &mut Lifter) -> Value {
        let mut parts = self.words(l, self.shape.dimensions());
        if self.shape.line {
            parts.push(l.b.i32(0));
        }
        if self.shape.dim.texel_coords() as usize > parts.len() {
            let layer = if self.layered { self.word(l) } else { l.b.i32(0) };
            parts.push(layer);
        }
        let parts: SmallVec<[Value; 3]> = parts.into_iter().map(|part| l.b.cast(part, Kind::Int)).collect();
        l.b.construct(&parts)
    }

    /// Coordinates to sample at. `texels` is the image if they are in texels, or may be.
    fn coordinates(&mut self, l: &mut Lifter, texels: Option<ImageRef>) -> Value {
        let mut parts = self.words(l, self.shape.dimensions());
        for part in &mut parts {
            *part = l.b.cast(*part, Kind::Float);
        }
        if let Some(image) = texels
            && let Some(texture) = texture(l, image, self.shape)
        {
            let level = l.b.i32(0);
            let size = l.b.texture_size(texture, level);
            for (n, part) in parts.iter_mut().enumerate() {
                let b = &mut l.b;
                let extent = b.extract(size, n as u8);
                let (value, extent) = (*part, b.u2f(extent));
                *part = b.fdiv(value, extent);
                if let Some(in_texels) = image.in_texels {
                    *part = b.select(in_texels, *part, value);
                }
            }
        }
        if self.shape.dim.is_cube() {
            let face = if self.layered { self.word(l) } else { l.b.f32(0.0) };
            return Cube::new(&mut l.b, face).coordinates(&mut l.b, self.shape.dim, parts[0], parts[1]);
        }
        if self.shape.line {
            parts.push(l.b.f32(0.5));
        }
        if self.shape.dim.is_array() {
            let layer = if self.layered { self.word(l) } else { l.b.f32(0.0) };
            parts.push(l.b.cast(layer, Kind::Float));
        }
        l.b.construct(&parts)
    }
}

/// The face of a cube that coordinates are on.
pub(super) struct Cube {
    /// One of the axes x, y, z, as truth values.
    axes: [Value; 3],
    /// 1 or -1.
    sign: Value,
    /// The layer, a float.
    layer: Value,
}

impl Cube {
    pub(super) fn new(b: &mut Builder, face: Value) -> Cube {
        let number = ir!(b, f2i(fround(face)));
        let face = ir!(b, iand(number, 7));
        let axis = ir!(b, ushr(face, 1));
        let axes = [0, 1, 2].map(|n| ir!(b, ieq(axis, { b.i32(n) })));
        let minus = b.f32(-1.0);
        let sign = ir!(b, select(ine(iand(face, 1), 0), minus, 1.0));
        let layer = ir!(b, i2f(ishr(number, 3)));
        Cube { axes, sign, layer }
    }

    /// A direction of twice the coordinates to the right and down, and `forward` to the face.
    fn direction(&self, b: &mut Builder, s: Value, t: Value, forward: Value) -> [Value; 3] {
        let [on_x, on_y, _] = self.axes;
        let (s, t) = (ir!(b, fmul(s, 2.0)), ir!(b, fmul(t, 2.0)));
        let major = ir!(b, fmul({ self.sign }, forward));
        let turned_s = ir!(b, fmul({ self.sign }, s));
        let turned_t = ir!(b, fmul({ self.sign }, t));
        let up = b.fneg(t);
        [
            ir!(b, select(on_x, major, select(on_y, s, turned_s))),
            ir!(b, select(on_y, major, up)),
            ir!(b, select(on_x, fneg(turned_s), select(on_y, turned_t, major))),
        ]
    }

    pub(super) fn coordinates(&self, b: &mut Builder, dim: Dim, s: Value, t: Value) -> Value {
        let (s, t) = (ir!(b, fsub(s, 1.5)), ir!(b, fsub(t, 1.5)));
        let one = b.f32(1.0);
        let [x, y, z] = self.direction(b, s, t, one);
        if dim == Dim::CubeArray { b.construct(&[x, y, z, self.layer]) } else { b.construct(&[x, y, z]) }
    }

    fn derivative(&self, b: &mut Builder, s: Value, t: Value) -> Value {
        let none = b.f32(0.0);
        let parts = self.direction(b, s, t, none);
        b.construct(&parts)
    }
}

/// Whether lanes have neighbours.
fn is_pixel(l: &Lifter) -> bool {
    l.b.module().stage == Stage::Pixel
}

fn zeros(b: &mut Builder, lanes: u8) -> Value {
    b.const_bits(Type::new(Kind::Float, lanes), [0; 4])
}

/// The texture of a slot, declared when it is first used.
fn texture(l: &mut Lifter, image: ImageRef, shape: Shape) -> Option<TextureRef> {
    let component = tables::component(image);
    if image.compare && (component != Component::Float || shape.dim.is_multisampled() || shape.dim == Dim::D3) {
        l.fail(Reason::Unsupported("comparing integers, samples or a volume"));
        return None;
    }
    if image.word.is_some() {
        return tables::texture(l, image, shape);
    }
    if let Some(known) = l.kept.textures.iter().find(|known| known.0 == image.slot) {
        return Some(known.1.into());
    }
    let (first, count) = match l.b.module().stage {
        Stage::Pixel => (0, 16),
        Stage::Vertex | Stage::Geometry => (16, 4),
        Stage::Compute => (u32::from(afterimage_ir::TEXTURE_SLOTS), u32::from(afterimage_ir::COMPUTE_TEXTURE_SLOTS)),
    };
    if image.slot >= count {
        l.fail(Reason::TooMany { what: "textures", most: count as usize });
        return None;
    }
    let decl = TextureDecl { slot: (first + image.slot) as u8, dim: shape.dim, shadow: image.compare, component };
    let texture = l.b.texture(decl);
    l.kept.textures.push((image.slot, texture));
    Some(texture.into())
}

/// The storage image of a slot, declared when it is first used.
fn storage(l: &mut Lifter, image: ImageRef, shape: Shape) -> Option<Image> {
    if let Some(known) = l.kept.images.iter().find(|known| known.0 == image.slot) {
        return Some(known.1);
    }
    if image.slot >= afterimage_ir::IMAGE_SLOTS.into() {
        l.fail(Reason::TooMany { what: "storage images", most: afterimage_ir::IMAGE_SLOTS.into() });
        return None;
    }
    let number = image.spec.format >> 8 & 0xff;
    let (raw, long) = (is_raw(image), is_long(image));
    let component = match number {
        _ if long => Component::Uint,
        UINT => Component::Uint,
        SINT => Component::Sint,
        _ => Component::Float,
    };
    let format = match (raw, long) {
        (true, _) => ImageFormat::R32,
        (_, true) => ImageFormat::R64,
        _ => ImageFormat::Any,
    };
    let decl = ImageDecl { slot: image.slot as u8, dim: shape.dim, component, format };
    let declared = l.b.image(decl);
    l.kept.images.push((image.slot, declared));
    Some(declared)
}

/// Writes the components that `dmask` chooses.
fn result(l: &mut Lifter, inst: &Inst, fields: inst::Image, components: &[Value]) {
    let mask = if fields.dmask == 0 { 1 } else { fields.dmask };
    let mut chosen: SmallVec<[Value; 5]> =
        components.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, &value)| value).collect();
    if let Some(present) = l.kept.present {
        let b = &mut l.b;
        let zero = b.i32(0);
        for value in &mut chosen {
            let word = b.cast(*value, Kind::Int);
            *value = b.select(present, word, zero);
        }
    }
    if fields.tfe {
        chosen.push(l.b.i32(0));
    }
    if let Operand::Vgpr(n) = inst.dst {
        l.set_vgprs(n, &chosen);
    }
}

fn sample(
    l: &mut Lifter,
    inst: &Inst,
    fields: inst::Image,
    image: ImageRef,
    address: &mut Address,
    form: SampleForm,
    gather: bool,
) {
    let shape = address.shape;
    let Some(texture) = texture(l, image, shape) else { return };
    if shape.dim.is_multisampled() {
        return l.fail(Reason::Unsupported("sampling a multisampled image"));
    }
    if gather && shape.dim == Dim::D3 {
        return l.fail(Reason::Unsupported("four texels of a volume"));
    }
    let known = form.offset().then(|| constant_before(l, address.next)).flatten();
    let offset = form.offset().then(|| address.word(l));
    let bias = form.bias().then(|| address.word(l));
    let reference = form.compare().then(|| address.word(l));
    let derivatives = form.derivatives().then(|| {
        let count = shape.dimensions();
        [address.words(l, count), address.words(l, count)]
    });
    let place = *address;
    let coord = address.coordinates(l, in_texels(fields, image));
    let lod = form.level().then(|| address.word(l));
    let least = form.clamp().then(|| address.word(l));
    let derivatives = derivatives.map(|by| {
        let face = place.face(l);
        let by = by.map(|parts| parts.into_iter().map(|part| l.b.cast(part, Kind::Float)).collect());
        let by = if let Some(least) = least { wide(&mut l.b, texture, by, least) } else { by };
        by.map(|parts| derivative(&mut l.b, shape, face, parts))
    });

    let implicit = is_pixel(l);
    let b = &mut l.b;
    let level = match (lod, bias, derivatives) {
        (Some(lod), ..) => Level::Lod(lod),
        _ if form.level_zero() => Level::Lod(b.f32(0.0)),
        (None, _, Some([dx, dy])) => Level::Grad(dx, dy),
        // Beside the pixel stage there are no neighbours.
        (None, bias, None) if !implicit => Level::Lod(bias.unwrap_or_else(|| b.f32(0.0))),
        (None, Some(bias), None) => Level::Bias(bias),
        (None, None, None) => Level::Implicit,
    };
    let level = match (least, level) {
        // Derivatives are wide enough.
        (None, level) | (Some(_), level @ Level::Grad(..)) => level,
        (Some(least), Level::Lod(lod)) => Level::Lod(b.fmax(lod, least)),
        (Some(least), Level::Implicit | Level::Bias(_)) => {
            let lod = b.query_lod(texture, coord);
            let lod = b.extract(lod, 1);
            let lod = match bias {
                Some(bias) => b.fadd(lod, bias),
                None => lod,
            };
            Level::Lod(b.fmax(lod, least))
        }
    };
    // Gathers are of the first level, but for those that say which.
    let says = lod.is_some() || bias.is_some() || least.is_some();
    let of_level = (gather && says).then(|| nearest_level(&mut l.b, texture, coord, level));
    let known = known.map(|word| Offset([0, 8, 16].map(|bit| ((word >> bit << 2) as i8) >> 2)));
    let (coord, offset) = match (known, offset) {
        (Some(known), _) if known.0.iter().all(|part| Offset::RANGE.contains(part)) => {
            (coord, Offset(std::array::from_fn(|n| if n < shape.dimensions() { known.0[n] } else { 0 })))
        }
        (_, Some(word)) if !shape.dim.is_cube() => {
            let zero = l.b.i32(0);
            let level = if gather { Moved::By(of_level.unwrap_or(zero)) } else { Moved::At(level) };
            (moved(l, texture, shape, coord, word, level), Offset::default())
        }
        _ => (coord, Offset::default()),
    };
    if gather {
        let component = fields.dmask.trailing_zeros().min(3) as u8;
        let texels = match of_level {
            Some(level) => gathered(l, texture, place, coord, level, component, offset, reference),
            None => {
                let texels = l.b.gather_at(texture, coord, component, offset, reference);
                words(&mut l.b, texels)
            }
        };
        return result(l, inst, inst::Image { dmask: 15, ..fields }, &texels);
    }
    let b = &mut l.b;
    let texel = b.sample_at(texture, coord, level, offset, reference);
    let texel = words(b, texel);
    result(l, inst, fields, &texel);
}

/// Derivatives by one direction of the screen, in the coordinates of the texture.
fn derivative(b: &mut Builder, shape: Shape, face: Value, mut parts: SmallVec<[Value; 3]>) -> Value {
    if shape.dim.is_cube() {
        return Cube::new(b, face).derivative(b, parts[0], parts[1]);
    }
    if shape.line {
        parts.push(b.f32(0.0));
    }
    b.construct(&parts)
}

/// The constant that was moved into a register in front of the instruction, in the same block.
fn constant_before(l: &Lifter, register: Option<u8>) -> Option<u32> {
    let register = Operand::Vgpr(register?);
    let flow = l.flow;
    let block = flow.blocks.partition_point(|block| block.first <= l.at).checked_sub(1)?;
    let writer = flow.insts.get(flow.blocks[block].first..l.at)?.iter().rev().find(|inst| {
        inst.writes().any(|written| (0..written.count).any(|n| written.first.word(n) == Some(register)))
    })?;
    if writer.op != Op::VMovB32 {
        return None;
    }
    writer.src[0].constant(Ty::B32).map(|bits| bits as u32)
}

fn size(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef, shape: Shape) {
    let level = inst.vaddr().map(|n| l.vgpr(n));
    let (size, levels) = if image.storage {
        let Some(image) = storage(l, image, shape) else { return };
        (l.b.image_size(image), l.b.i32(1))
    } else {
        let Some(texture) = texture(l, image, shape) else { return };
        let level = match level {
            Some(level) if !shape.dim.is_multisampled() => level,
            _ => l.b.i32(0),
        };
        let levels = l.b.texture_levels(texture);
        (l.b.texture_size(texture, level), levels)
    };
    let b = &mut l.b;
    let mut parts = words(b, size);
    if parts.len() < 3 {
        parts.push(b.i32(1));
    }
    if shape.dim.is_cube() {
        parts[2] = ir!(b, imul({ parts[2] }, 6));
    }
    parts.push(levels);
    result(l, inst, fields, &parts);
}

/// The level behind the coordinates, or the sample of a multisampled image.
fn level_or_sample(l: &mut Lifter, address: &mut Address, form: TexelForm) -> Value {
    if form.mip() || address.shape.dim.is_multisampled() { address.word(l) } else { l.b.i32(0) }
}

fn load(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef, address: &mut Address, form: TexelForm) {
    let shape = address.shape;
    let coord = address.texel(l);
    let which = level_or_sample(l, address, form);
    if !image.storage {
        // Cubes are layers where there is no sampler; a stranger's source may say otherwise.
        if shape.dim.is_cube() {
            return l.fail(Reason::Unsupported("a texel of a cube"));
        }
        let Some(texture) = texture(l, image, shape) else { return };
        let texel = l.b.fetch(texture, coord, which, Offset::default());
        let texel = words(&mut l.b, texel);
        return result(l, inst, fields, &texel);
    }
    let Some(declared) = storage(l, image, shape) else { return };
    let sample = shape.dim.is_multisampled().then_some(which);
    let b = &mut l.b;
    let texel = b.image_load(declared, coord, sample);
    if form.packed() {
        let texel = words(b, texel);
        let Some(format) = format_of(image) else {
            return l.fail(Reason::Unsupported("the bits of a texel whose components are no whole bytes"));
        };
        let mut bits = format.pack(b, &texel);
        if form.signed() && format.bytes() < 4 {
            bits[0] = extract(b, bits[0], 0, 8 * format.bytes(), true);
        }
        let zero = b.i32(0);
        bits.resize(4, zero);
        return result(l, inst, fields, &bits);
    }
    let (texel, one) = (words(b, texel), if b.ty(texel).kind == Kind::Float { b.f32(1.0) } else { b.i32(1) });
    let zero = b.i32(0);
    let texel: SmallVec<[Value; 4]> = (0..4)
        .map(|n| match selected(image, n) {
            1 => one,
            select @ 4..=7 => texel[select as usize - 4],
            _ => zero,
        })
        .collect();
    result(l, inst, fields, &texel);
}

/// What `DST_SEL` says of a component of a storage image; those without one are as they lie.
fn selected(image: ImageRef, component: u32) -> u32 {
    if image.spec.select == 0 { component + 4 } else { image.spec.select >> (3 * component) & 7 }
}

/// Whether a texel is made of integers, in a data format.
fn has_integers(image: ImageRef, data: u32) -> bool {
    image.storage && image.spec.format & 0xff == data && matches!(image.spec.format >> 8 & 0xff, UINT | SINT)
}

/// Whether a texel is one integer of 32 bits.
fn is_raw(image: ImageRef) -> bool {
    has_integers(image, FORMAT_32)
}

/// Whether a texel is changed as one number of 64 bits.
fn is_long(image: ImageRef) -> bool {
    image.texels == Texels::Words && has_integers(image, FORMAT_32_32)
}

/// Words of the number that an atomic operation changes in a texel. An instruction that changes two says so by its mask of components, as
/// the manual has it in the same section: it has twice as many words of data.
fn atomic_words(inst: &Inst, image: ImageRef, op: Atomic) -> Option<u8> {
    let operands = atomic_op(op)?.operands() as u8;
    match (is_raw(image), is_long(image)) {
        (true, _) => Some(1),
        (_, true) if inst.src_dwords(3) == 2 * operands => Some(2),
        _ => None,
    }
}

/// The format of a storage image's texels in memory.
fn format_of(image: ImageRef) -> Option<Format> {
    Format::new(image.spec.format & 0xff, image.spec.format >> 8 & 0xff)
}

fn store(l: &mut Lifter, inst: &Inst, fields: inst::Image, image: ImageRef, address: &mut Address, form: TexelForm) {
    if !image.storage {
        return l.fail(Reason::Unsupported("a store to an image that is sampled"));
    }
    let shape = address.shape;
    let coord = address.texel(l);
    let sample = shape.dim.is_multisampled().then(|| address.word(l));
    let Some(declared) = storage(l, image, shape) else { return };
    let mask = if fields.dmask == 0 { 1 } else { fields.dmask };
    let data = l.read_words(inst.src[3], mask.count_ones() as u8);
    let zero = l.b.i32(0);
    let zero = l.b.cast(zero, Kind::Bits);
    let mut texel = [zero; 4];
    let enabled = (0..4).filter(|n| mask >> n & 1 != 0);
    if form.packed() {
        let Some(format) = format_of(image) else {
            return l.fail(Reason::Unsupported("the bits of a texel whose components are no whole bytes"));
        };
        let mut bits = [zero; 4];
        enabled.zip(data).for_each(|(word, value): (u32, Value)| bits[word as usize] = value);
        let bits = bits.map(|word| l.b.cast(word, Kind::Int));
        let components = format.unpack(&mut l.b, &bits);
        components.into_iter().zip(&mut texel).for_each(|(value, to)| *to = value);
        let value = l.b.construct(&texel);
        return l.when_active(|l| l.b.image_store(declared, coord, sample, value));
    }
    for (component, value) in enabled.zip(data) {
        // What a load takes from a place, a store puts there.
        if let select @ 4..=7 = selected(image, component) {
            texel[select as usize - 4] = value;
        }
    }
    let value = l.b.construct(&texel);
    l.when_active(|l| l.b.image_store(declared, coord, sample, value));
}

fn atomic(l: &mut Lifter, inst: &Inst, image: ImageRef, address: &mut Address, op: Atomic) {
    let shape = address.shape;
    let (Some(words), Some(op)) = (atomic_words(inst, image, op), atomic_op(op)) else {
        return l
            .fail(Reason::Unsupported("an atomic operation on an image whose texels are not one number of its width"));
    };
    let coord = address.texel(l);
    let sample = shape.dim.is_multisampled().then(|| address.word(l));
    let Some(declared) = storage(l, image, shape) else { return };
    let data = l.read_words(inst.src[3], words * op.operands() as u8);
    let data = l.b.construct(&data);
    let operands = split(&mut l.b, data, words);
    let yes = l.b.bool(true);
    let condition = and_exec(l, yes);
    let act = |b: &mut Builder| b.image_atomic(op, declared, coord, sample, &operands);
    let none = |b: &mut Builder| if words == 2 { b.const_bits(Type::I32X2, [0; 4]) } else { b.i32(0) };
    let old = if l.exec_known() { act(&mut l.b) } else { l.b.if_else(condition, act, none) };
    if inst.returns()
        && let Operand::Vgpr(n) = inst.dst
    {
        let old: SmallVec<[Value; 4]> = (0..words).map(|word| l.b.extract(old, word)).collect();
        l.set_vgprs(n, &old);
    }
}
