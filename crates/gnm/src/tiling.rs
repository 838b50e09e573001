//! Copies between tiled surfaces and rows of elements as compute shaders, in IR: the surface in one buffer, rows in another.
//! [`Layout::detile`] and [`Layout::tile`] are the same copies on the processor.
//!
//! A module depends on the tile mode, the size of an element and the samples; everything else is in three registers of
//! constants ([`Copy::parameters`]). Of elements of less than four bytes a lane copies as many as fill a word of what it writes, so that
//! no two lanes write the same word. The memory for rows begins at a word, and its pitches are multiples of four.

use afterimage_ir::{
    Bank, BankDecl, BankSource, BuildError, Builder, Input, InputAt, InputDecl, Interp, Kind, Module, Stage, Type,
    Value,
};
use afterimage_texture::gnm::{self, Arrangement, EDGE, Layout, Level, MacroTiles, Pitch, Slices};

/// Why there is no shader for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A level, slice or sample that is not there.
    #[error(transparent)]
    Layout(#[from] gnm::Error),
    /// Into the surface, of elements of less than four bytes: a word has elements of several samples.
    #[error("words of the surface have elements of {0} samples")]
    Samples(u32),
    /// Lines that end inside of a word: a lane writes whole ones.
    #[error("{what} of {bytes} bytes do not end at words of four")]
    Words {
        /// Lines or slices, of the surface or of rows.
        what: &'static str,
        /// Bytes from one to the next.
        bytes: u64,
    },
    /// The module could not be built, which is a fault of ours.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Out of the surface.
    Detile,
    /// Into the surface.
    Tile,
}

/// The numbers that a module's banks have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Banks {
    /// Registers of [`Copy::parameters`].
    pub parameters: u8,
    /// Register 0 is the surface, register 1 the rows: low and high half of the address, bytes.
    pub buffers: u8,
}

/// A copy that one dispatch does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Constants: three registers.
    pub parameters: [[u32; 4]; 3],
    /// Work groups in each direction.
    pub groups: [u32; 3],
}

/// Lanes of a work group across and down.
const GROUP: u32 = 8;

/// Elements that a lane copies, across and down: as many as lie together in the word that is written.
fn block(way: Way, level: &Level, element: u32) -> [u32; 2] {
    let count = 4 / element.min(4);
    let tiled = way == Way::Tile && level.arrangement != Arrangement::Linear;
    match (count, &level.element_bits(element)[..2]) {
        (4, [(0, 0), (1, 0)]) if tiled => [2, 2],
        _ => [count, 1],
    }
}

/// `bytes` as a constant, if it is a multiple of four.
fn words(what: &'static str, bytes: usize) -> Result<u32, Error> {
    let whole = u32::try_from(bytes).ok().filter(|bytes| bytes.is_multiple_of(4));
    whole.ok_or(Error::Words { what, bytes: bytes as u64 })
}

/// What a dispatch of [`module`] needs for a part of a surface, whose rows have this pitch.
///
/// # Errors
/// A level, slice or sample that is not there; pitches that are no multiples of four bytes; and, into the surface,
/// small elements whose lines or samples meet in a word.
pub fn dispatch(layout: &Layout, way: Way, part: &Slices, pitch: Pitch) -> Result<Copy, Error> {
    let level = layout.level_at(part.level)?;
    if part.slices.end > level.slices || part.slices.is_empty() {
        return Err(gnm::Error::Part("slice", part.slices.end.max(part.slices.start)).into());
    }
    if part.sample >= layout.samples {
        return Err(gnm::Error::Part("sample", part.sample).into());
    }
    if way == Way::Tile && layout.samples_inside && layout.samples > 1 && layout.element < 4 {
        return Err(Error::Samples(layout.samples));
    }
    if way == Way::Tile {
        words("lines of the surface", (level.pitch * layout.element) as usize)?;
    }
    let (line, slice) = (words("lines of rows", pitch.line)?, words("slices of rows", pitch.slice)?);
    let slices = part.slices.len() as u32;
    let block = block(way, level, layout.element);
    Ok(Copy {
        parameters: [
            [level.width, level.height, part.slices.start, slices],
            [line, slice, level.pitch, level.lines],
            [level.offset as u32, part.sample, level.slices, 0],
        ],
        groups: [
            level.width.div_ceil(block[0]).div_ceil(GROUP),
            level.height.div_ceil(block[1]).div_ceil(GROUP),
            slices,
        ],
    })
}

/// The compute shader that copies parts of a level. It is the same for every level of the same arrangement.
///
/// # Errors
/// A level that is not there, or a module that could not be built.
pub fn module(layout: &Layout, way: Way, level: u32, banks: Banks) -> Result<Module, Error> {
    let level = layout.level_at(level)?;
    Ok(Writer::new(layout, level, banks).write(way)?)
}

struct Writer<'a> {
    b: Builder,
    layout: &'a Layout,
    level: &'a Level,
    parameters: Bank,
    buffers: Bank,
    local: Input,
    group: Input,
}

/// What a lane knows of its element.
#[derive(Clone, Copy)]
struct At {
    x: Value,
    y: Value,
    z: Value,
    sample: Value,
}

impl<'a> Writer<'a> {
    fn new(layout: &'a Layout, level: &'a Level, banks: Banks) -> Self {
        let mut b = Builder::new(Stage::Compute);
        b.work_group([GROUP, GROUP, 1], 0);
        let mut bank = |name: &str, id, size| {
            b.bank(BankDecl { name: name.to_owned(), source: BankSource::Stage, id, size, defs: Vec::new() })
        };
        let (parameters, buffers) = (bank("parameters", banks.parameters, 3), bank("buffers", banks.buffers, 2));
        let mut input = |name: &str, at| {
            b.input(InputDecl {
                name: name.to_owned(),
                ty: Type::new(Kind::Int, 3),
                at,
                interp: Interp::Smooth,
                semantic: None,
            })
        };
        let (local, group) = (input("local", InputAt::LocalId), input("group", InputAt::WorkgroupId));
        Self { b, layout, level, parameters, buffers, local, group }
    }

    fn n(&mut self, value: u32) -> Value {
        self.b.i32(value as i32)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.b.iadd(a, b)
    }

    fn mul(&mut self, a: Value, by: u32) -> Value {
        let by = self.n(by);
        self.b.imul(a, by)
    }

    /// `a / by`, which is a power of two.
    fn over(&mut self, a: Value, by: u32) -> Value {
        let by = self.n(by.ilog2());
        self.b.ushr(a, by)
    }

    /// `a` modulo a power of two.
    fn rest(&mut self, a: Value, of: u32) -> Value {
        let mask = self.n(of - 1);
        self.b.iand(a, mask)
    }

    /// Bit `n` of `a`.
    fn bit(&mut self, a: Value, n: u32) -> Value {
        let moved = self.over(a, 1 << n);
        self.rest(moved, 2)
    }

    fn shl(&mut self, a: Value, by: u32) -> Value {
        let by = self.n(by);
        self.b.ishl(a, by)
    }

    /// The exclusive or of bits, each moved to its place.
    fn bits(&mut self, bits: &[(Value, u32, u32)]) -> Value {
        let mut sum = self.n(0);
        for &(value, bit, place) in bits {
            let bit = self.bit(value, bit);
            let bit = self.shl(bit, place);
            sum = self.b.ixor(sum, bit);
        }
        sum
    }

    fn parameter(&mut self, register: u32, component: u8) -> Value {
        let register = self.b.load_const_as(Kind::Int, self.parameters, register);
        self.b.extract(register, component)
    }

    /// Address of byte `at` of a buffer.
    fn address(&mut self, buffer: u32, at: Value) -> Value {
        let register = self.b.load_const_as(Kind::Int, self.buffers, buffer);
        let (low, high) = (self.b.extract(register, 0), self.b.extract(register, 1));
        let sum = self.b.iadd(low, at);
        let carry = self.b.ult(sum, low);
        let carry = self.b.cast(carry, Kind::Int);
        let high = self.b.iadd(high, carry);
        self.b.construct(&[sum, high])
    }

    /// Byte of the surface at which an element lies: [`Layout::offset_of`] as a shader.
    fn place(&mut self, at: At) -> Value {
        let (layout, level) = (self.layout, self.level);
        let (element, samples, thickness) = (layout.element, layout.samples, level.thickness);
        let pitch = self.parameter(1, 2);
        let lines = self.parameter(1, 3);
        let offset = self.parameter(2, 0);
        if level.arrangement == Arrangement::Linear {
            let slices = self.parameter(2, 2);
            let line = self.b.imul(at.sample, slices);
            let line = self.add(line, at.z);
            let line = self.b.imul(line, lines);
            let line = self.add(line, at.y);
            let line = self.b.imul(line, pitch);
            let index = self.add(line, at.x);
            let bytes = self.mul(index, element);
            return self.add(offset, bytes);
        }
        let mut index = self.n(0);
        for (place, (axis, bit)) in level.element_bits(element).into_iter().enumerate() {
            let bit = self.bit([at.x, at.y, at.z][axis], bit);
            let bit = self.shl(bit, place as u32);
            index = self.b.ior(index, bit);
        }
        let inside = if layout.samples_inside {
            let index = self.mul(index, samples);
            self.add(index, at.sample)
        } else {
            let ahead = self.mul(at.sample, EDGE * EDGE * thickness);
            self.add(ahead, index)
        };
        let inside = self.mul(inside, element);
        let (x, y, slab) = (self.over(at.x, EDGE), self.over(at.y, EDGE), self.over(at.z, thickness));
        let tile = EDGE * EDGE * thickness * element * samples;
        let bytes = match level.arrangement {
            Arrangement::Macro(tiles) => {
                let [select, offset] = self.spread(&tiles, [x, y, slab], [pitch, lines], inside);
                let rules = tiles.rules();
                let select = self.shl(select, rules.interleave_bits);
                let low = self.rest(offset, 1 << rules.interleave_bits);
                let high = self.over(offset, 1 << rules.interleave_bits);
                let high = self.shl(high, rules.interleave_bits + rules.select_bits);
                let low = self.b.ior(low, select);
                self.b.ior(low, high)
            }
            _ => {
                let across = self.over(pitch, EDGE);
                let number = self.b.imul(y, across);
                let number = self.add(number, x);
                let down = self.over(lines, EDGE);
                let slices = self.b.imul(across, down);
                let ahead = self.b.imul(slab, slices);
                let number = self.add(number, ahead);
                let number = self.mul(number, tile);
                self.add(number, inside)
            }
        };
        self.add(offset, bytes)
    }

    /// Pipe and bank, and offset in them, of byte `inside` of a tile: [`MacroTiles`]' sums as a shader.
    fn spread(
        &mut self,
        tiles: &MacroTiles,
        [x, y, slab]: [Value; 3],
        [pitch, lines]: [Value; 2],
        inside: Value,
    ) -> [Value; 2] {
        let rules = tiles.rules();
        let (across, down) = (tiles.width / EDGE, tiles.height / EDGE);
        let (near_x, near_y) = if rules.repeats { (self.rest(x, across), self.rest(y, down)) } else { (x, y) };
        let split = self.over(inside, tiles.tile_bytes);
        let inside = self.rest(inside, tiles.tile_bytes);
        let mut select = self.bits(&rules.column.map(|(bit, place)| (near_x, bit, place)));
        let rows = self.rest(near_y, 8);
        select = self.b.ixor(select, rows);
        let (far_x, far_y) = (self.over(near_x, rules.bank_column), self.over(near_y, rules.bank_row));
        let bank_bits: Vec<_> =
            rules.banks.iter().map(|&(of_row, bit, place)| (if of_row { far_y } else { far_x }, bit, place)).collect();
        let mut bank = self.bits(&bank_bits);
        let mut turned = self.mul(slab, rules.slice_turn);
        if rules.turns_pipes {
            let pipe = self.rest(turned, 8);
            select = self.b.ixor(select, pipe);
            turned = self.over(turned, 8);
        }
        let swizzle = self.n(rules.bank_swizzle);
        let turned = self.add(turned, swizzle);
        bank = self.b.ixor(bank, turned);
        let turned = self.mul(split, rules.split_turn);
        bank = self.b.ixor(bank, turned);
        bank = self.rest(bank, rules.bank_count);
        let bank = self.shl(bank, 3);
        select = self.b.ior(select, bank);

        let (macro_x, macro_y) = (self.over(x, across), self.over(y, down));
        let per_row = self.over(pitch, tiles.width);
        let per_slice = self.over(lines, tiles.height);
        let per_slice = self.b.imul(per_row, per_slice);
        let slice = self.mul(slab, tiles.splits);
        let slice = self.add(slice, split);
        let number = self.b.imul(slice, per_slice);
        let row = self.b.imul(macro_y, per_row);
        let number = self.add(number, row);
        let number = self.add(number, macro_x);
        let number = self.mul(number, rules.macro_bytes);
        let row = self.rest(y, rules.bank_row);
        let column = self.over(x, 8);
        let column = self.rest(column, rules.bank_width);
        let row = self.mul(row, rules.bank_width);
        let within = self.add(row, column);
        let within = self.mul(within, tiles.tile_bytes);
        let offset = self.add(number, within);
        [select, self.add(offset, inside)]
    }

    /// Byte of the rows at which an element lies.
    fn row(&mut self, at: At) -> Value {
        let (line, slice, first) = (self.parameter(1, 0), self.parameter(1, 1), self.parameter(0, 2));
        let z = self.b.isub(at.z, first);
        let z = self.b.imul(z, slice);
        let y = self.b.imul(at.y, line);
        let x = self.mul(at.x, self.layout.element);
        let sum = self.add(z, y);
        self.add(sum, x)
    }

    fn write(mut self, way: Way) -> Result<Module, BuildError> {
        let block = block(way, self.level, self.layout.element);
        let (local, group) = (self.b.load_input(self.local), self.b.load_input(self.group));
        let corner = |writer: &mut Self, lane: u8| {
            let (local, group) = (writer.b.extract(local, lane), writer.b.extract(group, lane));
            if lane == 2 {
                return group;
            }
            let first = writer.mul(group, GROUP);
            let unit = writer.add(first, local);
            writer.mul(unit, block[lane as usize])
        };
        let [x, y, z] = [0, 1, 2].map(|lane| corner(&mut self, lane));
        let first = self.parameter(0, 2);
        let z = self.add(z, first);
        let at = At { x, y, z, sample: self.parameter(2, 1) };
        let inside = self.inside(at);
        self.b.begin_if(inside);
        if self.layout.element >= 4 {
            self.copy_element(way, at);
        } else {
            self.copy_word(way, at, block);
        }
        self.b.end_if();
        self.b.finish()
    }

    fn inside(&mut self, at: At) -> Value {
        let (width, height) = (self.parameter(0, 0), self.parameter(0, 1));
        let across = self.b.ult(at.x, width);
        let down = self.b.ult(at.y, height);
        self.b.band(across, down)
    }

    /// An element of whole words.
    fn copy_element(&mut self, way: Way, at: At) {
        let (surface, rows) = (self.place(at), self.row(at));
        let (surface, rows) = (self.address(0, surface), self.address(1, rows));
        let (from, to) = match way {
            Way::Detile => (surface, rows),
            Way::Tile => (rows, surface),
        };
        let words = self.b.load_global(from, (self.layout.element / 4) as u8);
        self.b.store_global(to, words);
    }

    /// The bits of a small element, out of the word that it lies in.
    fn load_small(&mut self, buffer: u32, byte: Value) -> Value {
        let bits = self.layout.element * 8;
        let mask = self.n(!3);
        let word = self.b.iand(byte, mask);
        let address = self.address(buffer, word);
        let word = self.b.load_global(address, 1);
        let at = self.rest(byte, 4);
        let at = self.mul(at, 8);
        let value = self.b.ushr(word, at);
        self.rest(value, 1 << bits)
    }

    /// The word that the elements of a block make.
    fn copy_word(&mut self, way: Way, at: At, block: [u32; 2]) {
        let element = self.layout.element;
        let to = match way {
            Way::Detile => self.row(at),
            Way::Tile => self.place(at),
        };
        let to = match way {
            Way::Detile => self.address(1, to),
            Way::Tile => self.address(0, to),
        };
        // What is beside the level's elements stays.
        let word = self.b.var("word", Type::I32);
        let old = self.b.load_global(to, 1);
        self.b.store(word, old);
        for n in 0..4 / element {
            let (right, down) = (n % block[0], n / block[0]);
            let (right, down) = (self.n(right), self.n(down));
            let one = At { x: self.add(at.x, right), y: self.add(at.y, down), ..at };
            let inside = self.inside(one);
            self.b.begin_if(inside);
            let value = match way {
                Way::Detile => {
                    let byte = self.place(one);
                    self.load_small(0, byte)
                }
                Way::Tile => {
                    let byte = self.row(one);
                    self.load_small(1, byte)
                }
            };
            let shift = n * element * 8;
            let keep = self.n(!(((1_u64 << (element * 8)) - 1) as u32).rotate_left(shift));
            let old = self.b.load(word);
            let kept = self.b.iand(old, keep);
            let value = self.shl(value, shift);
            let new = self.b.ior(kept, value);
            self.b.store(word, new);
            self.b.end_if();
        }
        let word = self.b.load(word);
        self.b.store_global(to, word);
    }
}
