//! Higher-order surfaces: rectangular and triangular patches, tessellated here and drawn as strips of inline vertices.
//!
//! Source: Direct3D 8's documentation of `D3DRECTPATCH_INFO` and `D3DTRIPATCH_INFO`; `docs/sources/nv2a.md#direct3d-calls` says
//! that the Xbox's driver turns them into push-buffer draws.

use super::declaration::{Declaration, ElementType};
use super::{Channel, Device, DriverError, StreamSource};
use crate::machine::PrimitiveKind;
use afterimage_nv2a_types::{ATTRIBUTES, method};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most segments of an edge, so that a patch's vertices stay in bounds.
const MAX_SEGMENTS: u32 = 256;
/// Most patches in a mesh of control points.
const MAX_PATCHES: u32 = 1024;
/// Most vertices of a tessellated mesh: sixteen attributes of them fill 64 MiB.
const MAX_VERTICES: u64 = 1 << 18;

/// How control points become a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Bezier: neighbouring patches share their edge's control points.
    Bezier,
    /// Uniform cubic B-spline.
    BSpline,
    /// Catmull-Rom: goes through the inner control points.
    CatmullRom,
}

/// Degree of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Order {
    /// 1.
    Linear = 1,
    /// 2.
    Quadratic = 2,
    /// 3.
    Cubic = 3,
    /// 5.
    Quintic = 5,
}

/// `D3DRECTPATCH_INFO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RectPatch {
    /// First column of control points.
    pub first_column: u32,
    /// First row of control points.
    pub first_row: u32,
    /// Control points in a row.
    pub width: u32,
    /// Rows of control points.
    pub height: u32,
    /// Control points from one row to the next in the streams.
    pub stride: u32,
    /// Basis.
    pub basis: Basis,
    /// Order; B-splines and Catmull-Rom surfaces are cubic.
    pub order: Order,
}

/// `D3DTRIPATCH_INFO`; always Bezier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TriPatch {
    /// First control point.
    pub first: u32,
    /// Order: 3 control points for linear, 6 quadratic, 10 cubic, 21 quintic.
    pub order: Order,
}

/// Tessellated patches by their handle.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    patches: FxHashMap<u32, Rc<[u32]>>,
}

type Vertex = [[f32; 4]; ATTRIBUTES];

/// Weights of the control points that a parameter from 0 to 1 has.
fn weights(basis: Basis, order: Order, t: f32) -> Vec<f32> {
    match basis {
        Basis::Bezier => {
            let n = order as usize;
            let mut weights = vec![0.0; n + 1];
            weights[0] = 1.0;
            // De Casteljau's scheme on unit vectors.
            for degree in 1..=n {
                for i in (0..=degree).rev() {
                    let left = if i > 0 { weights[i - 1] } else { 0.0 };
                    weights[i] = weights[i] * (1.0 - t) + left * t;
                }
            }
            weights
        }
        Basis::BSpline => {
            let s = 1.0 - t;
            vec![
                s * s * s / 6.0,
                (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
                (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
                t * t * t / 6.0,
            ]
        }
        Basis::CatmullRom => {
            let (t2, t3) = (t * t, t * t * t);
            vec![
                (-t3 + 2.0 * t2 - t) / 2.0,
                (3.0 * t3 - 5.0 * t2 + 2.0) / 2.0,
                (-3.0 * t3 + 4.0 * t2 + t) / 2.0,
                (t3 - t2) / 2.0,
            ]
        }
    }
}

fn blend(points: impl Iterator<Item = (f32, Vertex)>) -> Vertex {
    let mut out = [[0.0; 4]; ATTRIBUTES];
    for (weight, point) in points {
        for (sum, value) in out.as_flattened_mut().iter_mut().zip(point.as_flattened()) {
            *sum += weight * value;
        }
    }
    out
}

/// An attribute in memory as four floats.
fn decode(ty: ElementType, bytes: &[u8]) -> [f32; 4] {
    let mut out = [0.0, 0.0, 0.0, 1.0];
    let components = (ty as u8 >> 4) as usize;
    let short = |i: usize| f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
    match ty {
        ElementType::Color => out = [bytes[2], bytes[1], bytes[0], bytes[3]].map(|b| f32::from(b) / 255.0),
        ElementType::NormPacked3 => {
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as i32;
            let parts = [(word << 21 >> 21, 1023.0), (word << 10 >> 21, 1023.0), (word >> 22, 511.0)];
            (0..3).for_each(|i| out[i] = (parts[i].0 as f32 / parts[i].1).max(-1.0));
        }
        _ => {
            for (i, value) in out.iter_mut().enumerate().take(components) {
                *value = match ty as u8 & 0xF {
                    1 => (short(i) / 32767.0).max(-1.0),
                    2 => f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]),
                    4 => f32::from(bytes[i]) / 255.0,
                    _ => short(i),
                };
            }
        }
    }
    out
}

/// Segments of an edge: at least one, whole.
fn segments(wanted: f32) -> Result<u32, DriverError> {
    let whole = wanted.ceil().max(1.0);
    if whole <= MAX_SEGMENTS as f32 {
        Ok(whole as u32)
    } else {
        Err(DriverError::Patch("an edge has more than 256 segments"))
    }
}

impl Device {
    /// `DrawRectPatch`. `segments` are those of the four edges; opposite edges get the larger number of the two, so that no
    /// cracks open inside of the patch. With a `handle` other than 0 the tessellation is kept, and `None` draws it again.
    ///
    /// # Errors
    /// [`DriverError::Patch`] for control point counts that do not fit the basis and order, and for handles that nothing is
    /// kept under; [`DriverError::Memory`] for control points beyond the memory.
    pub fn draw_rect_patch(
        &mut self,
        handle: u32,
        edges: [f32; 4],
        patch: Option<&RectPatch>,
        channel: &mut dyn Channel,
    ) -> Result<(), DriverError> {
        let make = |device: &Self, patch: &RectPatch, channel: &mut dyn Channel| {
            let (u, v) = (segments(edges[0].max(edges[2]))?, segments(edges[1].max(edges[3]))?);
            device.tessellate_rect(patch, u, v, channel)
        };
        self.draw_patch(handle, patch, channel, make)
    }

    /// `DrawTriPatch`. All edges get the largest of the three numbers of segments.
    ///
    /// # Errors
    /// As [`Device::draw_rect_patch`].
    pub fn draw_tri_patch(
        &mut self,
        handle: u32,
        edges: [f32; 3],
        patch: Option<&TriPatch>,
        channel: &mut dyn Channel,
    ) -> Result<(), DriverError> {
        let make = |device: &Self, patch: &TriPatch, channel: &mut dyn Channel| {
            let count = segments(edges.into_iter().fold(1.0, f32::max))?;
            device.tessellate_tri(patch, count, channel)
        };
        self.draw_patch(handle, patch, channel, make)
    }

    /// `DeletePatch`: forgets what is kept under a handle.
    pub fn delete_patch(&mut self, handle: u32) {
        self.patches.patches.remove(&handle);
    }

    fn draw_patch<P>(
        &mut self,
        handle: u32,
        patch: Option<&P>,
        channel: &mut dyn Channel,
        make: impl FnOnce(&Self, &P, &mut dyn Channel) -> Result<Vec<u32>, DriverError>,
    ) -> Result<(), DriverError> {
        self.outside_immediate()?;
        let words = match patch {
            Some(patch) => {
                let words: Rc<[u32]> = make(self, patch, channel)?.into();
                if handle != 0 {
                    self.patches.patches.insert(handle, words.clone());
                }
                words
            }
            None => {
                let kept = self.patches.patches.get(&handle).cloned();
                kept.ok_or(DriverError::Patch("nothing is kept under this handle, and no patch is given"))?
            }
        };
        self.apply();
        self.packets.append(&words);
        self.forget_arrays();
        Ok(())
    }

    /// A control point, all attributes as floats.
    fn control_point(&self, index: u32, channel: &mut dyn Channel) -> Result<Vertex, DriverError> {
        let (declaration, streams) = self.vertex.current();
        let mut vertex = [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES];
        for element in declaration.elements() {
            let StreamSource { address, stride } = streams[usize::from(element.stream)];
            let at = u64::from(address) + u64::from(stride) * u64::from(index) + u64::from(element.offset);
            let mut bytes = [0; 16];
            let bytes = &mut bytes[..element.ty.bytes() as usize];
            channel.memory().read(u32::try_from(at).unwrap_or(u32::MAX), bytes)?;
            vertex[usize::from(element.attribute)] = decode(element.ty, bytes);
        }
        Ok(vertex)
    }

    fn tessellate_rect(
        &self,
        patch: &RectPatch,
        u: u32,
        v: u32,
        channel: &mut dyn Channel,
    ) -> Result<Vec<u32>, DriverError> {
        let order = patch.order as u32;
        // How many control points a patch has on a side, and how far the next one's are.
        let (side, step) = match patch.basis {
            Basis::Bezier => (order + 1, order),
            Basis::BSpline | Basis::CatmullRom if patch.order == Order::Cubic => (4, 1),
            Basis::BSpline | Basis::CatmullRom => {
                return Err(DriverError::Patch("B-spline and Catmull-Rom patches are cubic"));
            }
        };
        let along = |points: u32| points.checked_sub(side).filter(|rest| rest % step == 0).map(|rest| rest / step + 1);
        let (Some(columns), Some(rows)) = (along(patch.width), along(patch.height)) else {
            return Err(DriverError::Patch("width and height do not hold whole patches of this basis and order"));
        };
        if columns.saturating_mul(rows) > MAX_PATCHES {
            return Err(DriverError::Patch("more than 1024 patches in one mesh"));
        }
        if u64::from(columns * rows) * u64::from(2 * (u + 1) * v) > MAX_VERTICES {
            return Err(DriverError::Patch("more than 262144 vertices in one mesh: fewer segments or patches"));
        }
        let (declaration, _) = self.vertex.current();
        let mut strip = Strips::new(&declaration);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let mut points = Vec::with_capacity((side * side) as usize);
            for (j, i) in (0..side).flat_map(|j| (0..side).map(move |i| (j, i))) {
                let index = patch
                    .first_row
                    .saturating_add(row * step + j)
                    .saturating_mul(patch.stride)
                    .saturating_add(patch.first_column)
                    .saturating_add(column * step + i);
                points.push(self.control_point(index, channel)?);
            }
            let at = |i: u32, j: u32| {
                let (across, down) = (
                    weights(patch.basis, patch.order, i as f32 / u as f32),
                    weights(patch.basis, patch.order, j as f32 / v as f32),
                );
                blend(
                    points
                        .iter()
                        .enumerate()
                        .map(|(n, point)| (across[n % side as usize] * down[n / side as usize], *point)),
                )
            };
            for j in 0..v {
                strip.add((0..=u).flat_map(|i| [at(i, j), at(i, j + 1)]));
            }
        }
        Ok(strip.words)
    }

    fn tessellate_tri(&self, patch: &TriPatch, count: u32, channel: &mut dyn Channel) -> Result<Vec<u32>, DriverError> {
        let order = patch.order as u32;
        let mut points = Vec::new();
        for n in 0..(order + 1) * (order + 2) / 2 {
            points.push(self.control_point(patch.first.saturating_add(n), channel)?);
        }
        let (declaration, _) = self.vertex.current();
        let mut strip = Strips::new(&declaration);
        // Control points go row by row from the first corner; row r has r + 1 of them.
        let at = |row: u32, column: u32| {
            let (v, w) = ((row - column) as f32 / count as f32, column as f32 / count as f32);
            let u = 1.0 - row as f32 / count as f32;
            let places = (0..=order).flat_map(|r| (0..=r).map(move |c| (order - r, r - c, c)));
            blend(places.zip(&points).map(|((i, j, k), point)| {
                let ways = factorial(order) / (factorial(i) * factorial(j) * factorial(k));
                (ways * u.powi(i as i32) * v.powi(j as i32) * w.powi(k as i32), *point)
            }))
        };
        for row in 0..count {
            let last = at(row + 1, row + 1);
            strip.add((0..=row).flat_map(|c| [at(row + 1, c), at(row, c)]).chain([last]));
        }
        Ok(strip.words)
    }
}

fn factorial(n: u32) -> f32 {
    (1..=n).map(|n| n as f32).product()
}

/// Packets of triangle strips whose vertices are inline, four floats an attribute.
struct Strips {
    slots: Vec<usize>,
    words: Vec<u32>,
}

impl Strips {
    fn new(declaration: &Declaration) -> Self {
        const NONE: u32 = 0x02;
        let mut packets = super::push::Packets::default();
        let slots: Vec<usize> = declaration.elements().map(|e| e.attribute.into()).collect();
        let mut formats = [NONE; ATTRIBUTES];
        slots.iter().for_each(|&slot| formats[slot] = (16 * slots.len() as u32) << 8 | ElementType::Float4 as u32);
        packets.method(method::SET_VERTEX_DATA_ARRAY_FORMAT, &formats);
        Self { slots, words: packets.take() }
    }

    fn add(&mut self, vertices: impl Iterator<Item = Vertex>) {
        let mut packets = super::push::Packets::default();
        packets.method(method::SET_BEGIN_END, &[PrimitiveKind::TriangleStrip as u32]);
        let words: Vec<u32> = vertices
            .flat_map(|vertex| {
                self.slots.iter().flat_map(move |&slot| vertex[slot].map(f32::to_bits)).collect::<Vec<_>>()
            })
            .collect();
        packets.repeat(method::INLINE_ARRAY, words.into_iter());
        packets.method(method::SET_BEGIN_END, &[0]);
        self.words.append(&mut packets.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_ends_are_control_points() {
        for (basis, order) in [
            (Basis::Bezier, Order::Linear),
            (Basis::Bezier, Order::Quadratic),
            (Basis::Bezier, Order::Cubic),
            (Basis::Bezier, Order::Quintic),
            (Basis::BSpline, Order::Cubic),
            (Basis::CatmullRom, Order::Cubic),
        ] {
            for t in [0.0, 0.25, 0.5, 1.0] {
                let sum: f32 = weights(basis, order, t).iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{basis:?} {order:?} {t}");
            }
        }
        assert_eq!(weights(Basis::Bezier, Order::Cubic, 0.0), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(weights(Basis::CatmullRom, Order::Cubic, 1.0), [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn every_type_decodes_its_components() {
        for &ty in ElementType::ALL {
            let value = decode(ty, &[0; 16][..ty.bytes() as usize]);
            let w = if ty as u8 >> 4 == 4 { 0.0 } else { 1.0 };
            assert_eq!(value, [0.0, 0.0, 0.0, w], "{ty:?}");
        }
        assert_eq!(decode(ElementType::Color, &[0, 0, 255, 255]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(decode(ElementType::NormPacked3, &0x8000_03FFu32.to_le_bytes())[..3], [1.0, 0.0, -1.0]);
    }
}
