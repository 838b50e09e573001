//! What the shaders of the corpus read, the same for the interpreter and for the driver: varyings that change evenly over the
//! pixels, vertices, constants, textures.

use afterimage_interp::{Environment, Lod, SampleArgs};
use afterimage_ir::{BankDecl, Dim, InputAt, InputDecl, Interp, Stage, TextureDecl};
use afterimage_shader_d3d9::SystemRegister;
use std::cell::Cell;

/// Worlds that there are.
pub(crate) const WORLDS: u32 = 4;
/// Pixels in a row; there are two rows.
pub(crate) const WIDTH: u32 = 8;
/// Vertices of a draw.
pub(crate) const VERTICES: u32 = 16;
/// Depth of all pixels.
pub(crate) const DEPTH: f32 = 0.25;
/// Texels along each side of the first level.
pub(crate) const SIZE: u32 = 16;
/// Levels of textures that have levels.
const LEVELS: u32 = 5;

/// Away from the borders of texels.
const WITHIN: f32 = 3.0 / 256.0;

/// Four pixels or four vertices in a world.
pub(crate) struct World {
    /// Which constants and inputs: 0 and 1 are ordinary numbers, 2 has colours, 3 the edges of floats.
    pub(crate) index: u32,
    /// The stage.
    pub(crate) stage: Stage,
    /// Number of the quad, or of the group of four vertices.
    pub(crate) quad: u32,
    /// A texture was sampled where nobody says which texel is the right one: at a border of texels, of faces, or of levels.
    pub(crate) ambiguous: Cell<bool>,
    /// Lookups with derivatives so far, and the level of the last.
    levels: Cell<(u32, u32)>,
}

fn mix(seed: u32) -> u32 {
    let mut x = seed.wrapping_mul(0x9E37_79B1) ^ 0x5bd1_e995;
    x = (x ^ x >> 15).wrapping_mul(0x85EB_CA6B);
    x = (x ^ x >> 13).wrapping_mul(0xC2B2_AE35);
    x ^ x >> 16
}

/// A multiple of a sixteenth between -4 and 4, never zero.
fn ordinary(seed: u32) -> f32 {
    let step = (mix(seed) % 64) as f32 + 1.0;
    if mix(seed ^ 0x1234) & 1 == 0 { step / 16.0 } else { -step / 16.0 }
}

const EDGES: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    0.5,
    f32::MAX,
    f32::MIN_POSITIVE,
    f32::NAN,
    2.0,
    f32::NEG_INFINITY,
    -2.5,
    1e10,
    -f32::MAX,
    127.5,
    3.0,
];

impl World {
    /// The world with the edges of floats.
    pub(crate) const EDGES: u32 = 3;

    pub(crate) fn new(index: u32, stage: Stage, quad: u32) -> Self {
        Self { index, stage, quad, ambiguous: Cell::new(false), levels: Cell::new((0, 0)) }
    }

    /// Quads of a draw in that stage.
    pub(crate) fn quads(stage: Stage) -> u32 {
        if stage == Stage::Vertex { VERTICES / 4 } else { WIDTH / 2 }
    }

    /// Place of a lane's pixel.
    pub(crate) fn pixel(&self, lane: usize) -> (u32, u32) {
        (self.quad * 2 + (lane as u32 & 1), lane as u32 >> 1)
    }

    /// Whether the pixels are those of a front face.
    pub(crate) fn is_front(index: u32) -> bool {
        index != 1
    }

    /// A varying at a place in pixels. All terms are binary fractions, so interpolation has nothing to round.
    pub(crate) fn varying(index: u32, location: u8, x: f32, y: f32) -> [f32; 4] {
        [0, 1, 2, 3].map(|component| {
            let seed = index * 4096 + u32::from(location) * 16 + component * 4;
            let base = (mix(seed) % 32) as f32 / 16.0 - if index == 0 { 0.0 } else { 0.5 };
            // Part of a texel to the next pixel, which calls for the first level; in one world four texels of one coordinate, which
            // calls for the third.
            let slope = |seed: u32| [1.0, 0.5, -1.0, -0.5][(mix(seed) % 4) as usize] / 64.0;
            let first = if index == 1 && component == 0 { 0.25 } else { slope(seed + 1) };
            base + first * x + slope(seed + 2) * y + WITHIN
        })
    }

    /// A vertex's attribute.
    pub(crate) fn attribute(index: u32, location: u8, vertex: u32) -> [u32; 4] {
        [0, 1, 2, 3].map(|component| {
            let seed = 77_777 + index * 4096 + u32::from(location) * 256 + vertex * 4 + component;
            match index {
                Self::EDGES if mix(seed).is_multiple_of(3) => EDGES[(mix(seed) >> 8) as usize % EDGES.len()],
                2 => (mix(seed) % 256) as f32 / 255.0,
                _ => ordinary(seed) + WITHIN,
            }
            .to_bits()
        })
    }

    /// A register of a bank.
    pub(crate) fn register(index: u32, bank: u8, register: u32) -> [u32; 4] {
        let seed = 555_555 + index * 65_536 + u32::from(bank) * 8192 + register * 4;
        match bank {
            // Counts, first values and steps of loops.
            1 | 4 => [mix(seed) % 4, mix(seed + 1) % 3, 1 + mix(seed + 2) % 2, 0],
            2 | 5 => [(index + register) & 1, 0, 0, 0],
            // Alpha test and fog of generic modules.
            8 if register == u32::from(SystemRegister::PixelOps.register()) => [2 * index, index + 1, 0, 0],
            // Half texels.
            8 if register >= u32::from(SystemRegister::HalfTexel.register()) => [(0.5 / SIZE as f32).to_bits(); 4],
            _ => [0, 1, 2, 3].map(|component| {
                match index {
                    Self::EDGES => EDGES[mix(seed + component) as usize % EDGES.len()],
                    2 => (mix(seed + component) % 256) as f32 / 255.0,
                    // Sums with varyings stay away from borders too.
                    _ => ordinary(seed + component) + WITHIN * 5.0 / 12.0,
                }
                .to_bits()
            }),
        }
    }

    /// A texel of a slot's texture; cubes and volumes are the same in all slots. `layer` is the face of a cube.
    pub(crate) fn texel(dim: Dim, slot: u32, level: u32, layer: u32, [x, y, z]: [u32; 3]) -> [f32; 4] {
        let seed =
            99_999 + dim as u32 * 1_000_003 + slot * 1009 + level * 100_003 + layer * 10_007 + (z * 64 + y) * 64 + x;
        [0, 1, 2, 3].map(|component| ((mix(seed * 4 + component) % 255) as f32 + 1.0) / 256.0)
    }

    /// Levels of a slot's texture: many in the first slot of each stage, which is where shaders of the corpus choose levels; one
    /// in the others, so that lookups at places that other lookups give have only one to take.
    pub(crate) fn levels(dim: Dim, slot: u32) -> u32 {
        if dim == Dim::D2 && slot.is_multiple_of(16) { LEVELS } else { 1 }
    }

    /// Depth of a shadow texture's texel.
    pub(crate) fn depth_texel(x: u32, y: u32) -> f32 {
        (mix(4242 + y * 64 + x) % 15 + 1) as f32 / 16.0
    }

    fn nearest(&self, at: f32, size: u32) -> u32 {
        // Whole numbers are borders too, but those that no arithmetic misses.
        if at.fract() == 0.0 && at.abs() < 4096.0 {
            return 0;
        }
        let place = at * size as f32;
        let within = place - place.floor();
        // How far a driver's arithmetic may be off.
        if !(place.abs() < 4096.0 && (0.02..0.98).contains(&within)) {
            self.ambiguous.set(true);
            return 0;
        }
        (place.floor() as i64).rem_euclid(i64::from(size)) as u32
    }

    fn level(&self, lod: Lod, dims: usize, levels: u32) -> u32 {
        if levels == 1 {
            return 0;
        }
        let level_at = |lod: f32| {
            let lod = lod.clamp(0.0, (levels - 1) as f32);
            // Half way the lower level counts.
            (lod + 0.5).ceil() as u32 - 1
        };
        let (low, high) = match lod {
            Lod::Level(lod) => (lod - 0.02, lod + 0.02),
            Lod::Gradient { dx, dy, bias } => {
                // Drivers may take anything between the greatest component and the sum of all.
                let texels = |d: [f32; 3]| d.map(|d| d.abs() * SIZE as f32);
                let (x, y) = (texels(dx), texels(dy));
                let greatest = x[..dims].iter().chain(&y[..dims]).fold(0f32, |most, d| most.max(*d));
                let sum = |d: [f32; 3]| d[..dims].iter().sum::<f32>();
                (greatest.log2() + bias - 0.1, sum(x).max(sum(y)).log2() + bias + 0.1)
            }
        };
        if !(low.is_finite() || low == f32::NEG_INFINITY) || high.is_nan() || level_at(low) != level_at(high) {
            self.ambiguous.set(true);
            return 0;
        }
        let level = level_at(low);
        if let Lod::Gradient { .. } = lod {
            // Drivers may take one level for the whole quad, whose lanes look up one after the other.
            let (count, last) = self.levels.replace((self.levels.get().0 + 1, level));
            if count % 4 != 0 && last != level {
                self.ambiguous.set(true);
            }
        }
        level
    }

    fn cube(&self, [x, y, z]: [f32; 3]) -> [f32; 4] {
        let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
        let mut sorted = [ax, ay, az];
        sorted.sort_by(f32::total_cmp);
        if !(sorted[2].is_finite() && sorted[2] > 1e-6 && sorted[1] < sorted[2] * 0.99) {
            self.ambiguous.set(true);
            return [0.0; 4];
        }
        let (face, s, t, major) = if ax == sorted[2] {
            if x > 0.0 { (0, -z, -y, ax) } else { (1, z, -y, ax) }
        } else if ay == sorted[2] {
            if y > 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
        } else if z > 0.0 {
            (4, x, -y, az)
        } else {
            (5, -x, -y, az)
        };
        let place = |c: f32| self.nearest((c / major + 1.0) / 2.0, SIZE);
        Self::texel(Dim::Cube, 0, 0, face, [place(s), place(t), 0])
    }
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let (x, y) = self.pixel(lane);
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        match (decl.at, self.stage) {
            (InputAt::Location(location), Stage::Vertex) => {
                Self::attribute(self.index, location, self.quad * 4 + lane as u32)
            }
            // The first corner's.
            (InputAt::Location(location), _) if decl.interp == Interp::Flat => {
                Self::varying(self.index, location, 0.0, 0.0).map(f32::to_bits)
            }
            (InputAt::Location(location), _) => Self::varying(self.index, location, x, y).map(f32::to_bits),
            // The worlds are drawn below each other.
            (InputAt::FragCoord, _) => [x, y + 2.0 * self.index as f32, DEPTH, 1.0].map(f32::to_bits),
            (InputAt::FrontFacing, _) => [Self::is_front(self.index).into(), 0, 0, 0],
            (InputAt::VertexIndex, _) => [self.quad * 4 + lane as u32, 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        Self::register(self.index, bank.id, index)
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let [x, y, z] = args.coord;
        if texture.shadow {
            let (x, y) = (self.nearest(x, SIZE), self.nearest(y, SIZE));
            let (texel, reference) = (Self::depth_texel(x, y), args.reference.unwrap_or(0.0));
            if (texel - reference).abs() < 1e-4 || reference.is_nan() {
                self.ambiguous.set(true);
            }
            return [if reference <= texel { 1.0 } else { 0.0 }; 4];
        }
        match texture.dim {
            Dim::Cube => self.cube(args.coord),
            dim => {
                let dims = usize::from(dim.coords());
                let level = self.level(args.lod, dims, Self::levels(dim, texture.slot.into()));
                let size = SIZE >> level;
                let third = if dim == Dim::D3 { self.nearest(z, size) } else { 0 };
                let slot = if dim == Dim::D2 { u32::from(texture.slot) } else { 0 };
                Self::texel(dim, slot, level, 0, [self.nearest(x, size), self.nearest(y, size), third])
            }
        }
    }

    fn gather(&self, texture: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        // The four texels whose middles surround the place.
        let step = 1.0 / SIZE as f32;
        let [left, top] = [0, 1].map(|at| self.nearest(coord[at] - step / 2.0, SIZE));
        let [right, bottom] = [left, top].map(|at| (at + 1) % SIZE);
        let texel = |x, y| Self::texel(Dim::D2, u32::from(texture.slot), 0, 0, [x, y, 0])[0];
        [texel(left, bottom), texel(right, bottom), texel(right, top), texel(left, top)]
    }
}
