//! What no host does of samples as the instruction says it: the least level of derivatives, gathers of a level, and offsets that are
//! not known before the program runs.

use afterimage_ir::{Builder, Kind, Level, Offset, TextureRef, Value};
use smallvec::SmallVec;

use super::Lifter;
use super::format::words;
use super::image::{Address, Cube, Shape};
use super::vector::notation::ir;

/// Derivatives that lead to a level that is not below the least one: where they would, those of squares as large as its texels are in their
/// place.
pub(super) fn wide(
    b: &mut Builder,
    texture: TextureRef,
    by: [SmallVec<[Value; 3]>; 2],
    least: Value,
) -> [SmallVec<[Value; 3]>; 2] {
    let zero = b.i32(0);
    let size = b.texture_size(texture, zero);
    let least = b.cast(least, Kind::Float);
    let side = b.fexp2(least);
    let extents: SmallVec<[Value; 3]> = (0..by[0].len() as u8)
        .map(|n| {
            let extent = b.extract(size, n);
            b.u2f(extent)
        })
        .collect();
    let squares = by.clone().map(|parts| {
        let squares = parts.iter().zip(&extents).map(|(&part, &extent)| {
            let texels = b.fmul(part, extent);
            b.fmul(texels, texels)
        });
        let squares: SmallVec<[Value; 3]> = squares.collect();
        squares.into_iter().reduce(|sum, square| b.fadd(sum, square))
    });
    let [Some(first), Some(second)] = squares else { return by };
    let narrow = ir!(b, flt(fmax(first, second), fmul(side, side)));
    let mut direction = 0;
    by.map(|mut parts| {
        for (n, (part, &extent)) in parts.iter_mut().zip(&extents).enumerate() {
            let other = if n == direction { b.fdiv(side, extent) } else { b.f32(0.0) };
            *part = b.select(narrow, other, *part);
        }
        direction += 1;
        parts
    })
}

/// The level that a sample with these words takes, the nearest of those that there are.
pub(super) fn nearest_level(b: &mut Builder, texture: TextureRef, coord: Value, level: Level) -> Value {
    let lod = match level {
        Level::Lod(lod) => lod,
        Level::Bias(bias) => {
            let lod = b.query_lod(texture, coord);
            ir!(b, fadd({ b.extract(lod, 1) }, bias))
        }
        Level::Implicit | Level::Grad(..) => b.f32(0.0),
    };
    let levels = b.texture_levels(texture);
    ir!(b, imin(imax(f2i(fround(lod)), 0), isub(levels, 1)))
}

/// Four texels of a level, which no host gathers: samples in their middles. `place`: the address where coordinates begin.
#[allow(clippy::too_many_arguments, reason = "what a gather has")]
pub(super) fn gathered(
    l: &mut Lifter,
    texture: TextureRef,
    place: Address,
    coord: Value,
    level: Value,
    component: u8,
    offset: Offset,
    reference: Option<Value>,
) -> SmallVec<[Value; 4]> {
    let shape = place.shape;
    let face = place.face(l);
    // Where on a face coordinates are, which a direction does not say.
    let [s, t] = if shape.dim.is_cube() {
        let mut place = place;
        let parts = place.words(l, 2);
        [0, 1].map(|n| l.b.cast(parts[n], Kind::Float))
    } else {
        [0, 1].map(|n| l.b.extract(coord, n))
    };
    let b = &mut l.b;
    let size = b.texture_size(texture, level);
    let extents = [0, 1].map(|n| {
        let extent = b.extract(size, n);
        b.u2f(extent)
    });
    let at = |b: &mut Builder, axis: usize, by: f32| {
        let first = ir!(b, ffloor(fsub(fmul({ [s, t][axis] }, { extents[axis] }), 0.5)));
        ir!(b, fdiv(fadd(first, { b.f32(by + 0.5) }), { extents[axis] }))
    };
    let lod = b.i2f(level);
    [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
        .into_iter()
        .map(|by: [f32; 2]| {
            let (s, t) = (at(b, 0, by[0]), at(b, 1, by[1]));
            let coord = if shape.dim.is_cube() {
                Cube::new(b, face).coordinates(b, shape.dim, s, t)
            } else {
                let rest: SmallVec<[Value; 2]> = (2..b.ty(coord).lanes).map(|n| b.extract(coord, n)).collect();
                let parts: SmallVec<[Value; 4]> = [s, t].into_iter().chain(rest).collect();
                b.construct(&parts)
            };
            let texel = b.sample_at(texture, coord, Level::Lod(lod), offset, reference);
            words(b, texel)[usize::from(component)]
        })
        .collect()
}

/// Of which level texels are that coordinates are moved by.
pub(super) enum Moved {
    By(Value),
    At(Level),
}

/// Coordinates moved by texels that are not known before the program runs: six bits each.
pub(super) fn moved(
    l: &mut Lifter,
    texture: TextureRef,
    shape: Shape,
    coord: Value,
    word: Value,
    level: Moved,
) -> Value {
    let b = &mut l.b;
    let level = match level {
        Moved::By(level) => level,
        Moved::At(Level::Lod(lod)) => ir!(b, imax(f2i(fround(lod)), 0)),
        Moved::At(Level::Implicit | Level::Bias(_)) => {
            let lod = b.query_lod(texture, coord);
            ir!(b, f2i(fround({ b.extract(lod, 0) })))
        }
        Moved::At(Level::Grad(..)) => b.i32(0),
    };
    let size = b.texture_size(texture, level);
    let mut parts = SmallVec::<[Value; 4]>::new();
    for n in 0..b.ty(coord).lanes {
        let part = b.extract(coord, n);
        parts.push(if usize::from(n) < shape.dimensions() {
            let texels = ir!(b, i2f(ishr(ishl(word, { b.i32(26 - 8 * i32::from(n)) }), 26)));
            let extent = b.extract(size, n);
            ir!(b, fadd(part, fdiv(texels, u2f(extent))))
        } else {
            part
        });
    }
    b.construct(&parts)
}
