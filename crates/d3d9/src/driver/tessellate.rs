//! Rectangle and triangle patches to triangles.
//!
//! The surfaces are those of "Higher-Order Primitives" of the Direct3D documentation (`D3DBASISTYPE`, `D3DDEGREETYPE`,
//! `D3DDECLMETHOD`). What that leaves open is so here:
//! * u goes along the width of a rectangle patch, v along its height; both from 0 to 1 over the whole patch. Its edges are
//!   v = 0, u = 1, v = 1, u = 0.
//! * The vertices of a triangle patch are rows of one, two, three and so on. Its corners are the first vertex (a) and the
//!   ends of the last row (b, c); u goes from a to c, v from a to b. Its edges are a b, b c, c a.
//! * Numbers of segments are rounded up. The inside has as many as the finest edge; a coarser edge has no vertices but its
//!   own, so that two patches that agree on an edge leave no gap.
//! * The front of a patch is where the product of its tangents (u, then v) points to.

use crate::error::{Error, Result};
use afterimage_d3d9_types::*;

/// Most segments of an edge.
const MAX_SEGMENTS: f32 = 128.0;
/// Most vertices that control a patch.
const MAX_CONTROL: u64 = 65_536;
/// Vertices of a curve's piece, of the highest degree.
const MAX_ORDER: usize = 6;

/// Degree of curves as a number.
fn degree_of(degree: D3DDEGREETYPE) -> Result<usize> {
    match degree {
        D3DDEGREE_LINEAR | D3DDEGREE_QUADRATIC | D3DDEGREE_CUBIC | D3DDEGREE_QUINTIC => Ok(degree as usize),
        _ => Err(Error::InvalidCall),
    }
}

/// Curves through a row of control vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curve {
    basis: D3DBASISTYPE,
    degree: usize,
    /// Curves that follow each other.
    pieces: usize,
}

/// Weights of the control vertices of a place on a curve, and of its tangent there.
#[derive(Clone, Copy, Debug)]
struct Weights {
    first: usize,
    value: [f32; MAX_ORDER],
    slope: [f32; MAX_ORDER],
}

impl Curve {
    /// The curves of so many vertices in a row; vertices that make no whole curve are left over.
    fn new(basis: D3DBASISTYPE, degree: D3DDEGREETYPE, vertices: u32) -> Result<Self> {
        let degree = degree_of(degree)?;
        let vertices = vertices as usize;
        let pieces = match basis {
            D3DBASIS_BEZIER => vertices.saturating_sub(1) / degree,
            D3DBASIS_BSPLINE => vertices.saturating_sub(degree),
            D3DBASIS_CATMULL_ROM if degree == 3 => vertices.saturating_sub(degree),
            _ => 0,
        };
        if pieces == 0 { Err(Error::InvalidCall) } else { Ok(Self { basis, degree, pieces }) }
    }

    /// The weights of a place from 0 to 1 along all curves.
    fn weights(&self, at: f32) -> Weights {
        let along = at * self.pieces as f32;
        let piece = (along as usize).min(self.pieces - 1);
        let t = along - piece as f32;
        let (value, slope) = match self.basis {
            D3DBASIS_CATMULL_ROM => catmull_rom(t),
            basis => {
                let below = spline(basis, self.degree - 1, t);
                let scale = if basis == D3DBASIS_BEZIER { self.degree as f32 } else { 1.0 };
                // The tangent's weights are differences of those of one degree less.
                let slope = std::array::from_fn(|i| {
                    let before = if i > 0 { below[i - 1] } else { 0.0 };
                    scale * (before - below[i])
                });
                (spline(basis, self.degree, t), slope)
            }
        };
        let first = piece * if self.basis == D3DBASIS_BEZIER { self.degree } else { 1 };
        Weights { first, value, slope: slope.map(|weight: f32| weight * self.pieces as f32) }
    }
}

/// Weights of a Bezier curve or of a uniform B-spline, each degree made of the one below it (de Casteljau, Cox and
/// de Boor).
fn spline(basis: D3DBASISTYPE, degree: usize, t: f32) -> [f32; MAX_ORDER] {
    let mut weights = [0.0; MAX_ORDER];
    weights[0] = 1.0;
    for degree in 1..=degree {
        for i in (0..=degree).rev() {
            let (stay, pass) = if basis == D3DBASIS_BEZIER {
                (1.0 - t, t)
            } else {
                let n = degree as f32;
                ((i as f32 + 1.0 - t) / n, (n - i as f32 + t) / n)
            };
            let before = if i > 0 { weights[i - 1] } else { 0.0 };
            weights[i] = stay * weights[i] + pass * before;
        }
    }
    weights
}

/// Weights of a cubic through its two inner vertices, and of its tangent.
fn catmull_rom(t: f32) -> ([f32; MAX_ORDER], [f32; MAX_ORDER]) {
    let (t2, t3) = (t * t, t * t * t);
    let value = [-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2];
    let slope = [-3.0 * t2 + 4.0 * t - 1.0, 9.0 * t2 - 10.0 * t, -9.0 * t2 + 8.0 * t + 1.0, 3.0 * t2 - 2.0 * t];
    let halves = |weights: [f32; 4]| std::array::from_fn(|i| weights.get(i).map_or(0.0, |weight| weight / 2.0));
    (halves(value), halves(slope))
}

/// A value on a patch and its tangents along u and v.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) value: [f32; 4],
    pub(super) along_u: [f32; 4],
    pub(super) along_v: [f32; 4],
}

fn add(to: &mut [f32; 4], value: [f32; 4], weight: f32) {
    for (to, value) in to.iter_mut().zip(value) {
        *to += value * weight;
    }
}

/// The surface of a patch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Of control vertices in rows of `width`.
    Rect {
        /// Along a row.
        u: Curve,
        /// From row to row.
        v: Curve,
        /// Control vertices of a row.
        width: usize,
    },
    /// Of control vertices in rows of one, two and so on.
    Tri {
        /// Degree of the surface.
        degree: usize,
    },
}

/// A grid of places on a patch, and the triangles between them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Grid {
    /// u and v of each vertex.
    pub(super) places: Vec<[f32; 2]>,
    /// Three per triangle.
    pub(super) indices: Vec<u32>,
}

/// Segments of an edge as a number of lines.
fn lines(segments: f32) -> u32 {
    // NaN is none as a whole number, so one.
    (segments.clamp(1.0, MAX_SEGMENTS).ceil() as u32).max(1)
}

/// Where the vertex `at` of `count` lines lies on an edge of `own` lines.
fn on_edge(at: u32, count: u32, own: u32) -> f32 {
    (at as f32 * own as f32 / count as f32).round() / own as f32
}

impl Shape {
    /// A rectangle patch of `width` times `height` control vertices.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for too few or too many vertices, and for a basis that does not have the degree.
    pub(super) fn rect(info: &D3DRECTPATCH_INFO) -> Result<Self> {
        if u64::from(info.Width) * u64::from(info.Height) > MAX_CONTROL {
            return Err(Error::InvalidCall);
        }
        Ok(Self::Rect {
            u: Curve::new(info.Basis, info.Degree, info.Width)?,
            v: Curve::new(info.Basis, info.Degree, info.Height)?,
            width: info.Width as usize,
        })
    }

    /// A triangle patch.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for another basis than Bezier's and a number of vertices that is not the degree's.
    pub(super) fn tri(info: &D3DTRIPATCH_INFO) -> Result<Self> {
        let degree = degree_of(info.Degree)?;
        let vertices = (degree + 1) * (degree + 2) / 2;
        if info.Basis != D3DBASIS_BEZIER || info.NumVertices as usize != vertices {
            return Err(Error::InvalidCall);
        }
        Ok(Self::Tri { degree })
    }

    /// The vertices of its triangles, of so many segments per edge (a triangle patch has three edges).
    pub(super) fn grid(&self, segments: [f32; 4]) -> Grid {
        let edges = segments.map(lines);
        match self {
            Self::Rect { .. } => rect_grid(edges),
            Self::Tri { .. } => tri_grid([edges[0], edges[1], edges[2]]),
        }
    }

    /// The surface through control values (missing ones are zero) at a place.
    pub(super) fn evaluate(&self, control: &[[f32; 4]], [u, v]: [f32; 2]) -> Place {
        let control = |index: usize| control.get(index).copied().unwrap_or_default();
        let mut place = Place::default();
        match self {
            Self::Rect { u: across, v: down, width } => {
                let (columns, rows) = (across.weights(u), down.weights(v));
                for row in 0..=down.degree {
                    for column in 0..=across.degree {
                        let value = control((rows.first + row) * width + columns.first + column);
                        add(&mut place.value, value, rows.value[row] * columns.value[column]);
                        add(&mut place.along_u, value, rows.value[row] * columns.slope[column]);
                        add(&mut place.along_v, value, rows.slope[row] * columns.value[column]);
                    }
                }
            }
            Self::Tri { degree } => {
                let n = *degree;
                let at = |[a, _, c]: [usize; 3]| {
                    let row = n - a;
                    control(row * (row + 1) / 2 + c)
                };
                let parts = [1.0 - u - v, v, u];
                for_each_term(n, parts, |term, weight| add(&mut place.value, at(term), weight));
                for_each_term(n - 1, parts, |[a, b, c], weight| {
                    let weight = weight * n as f32;
                    add(&mut place.along_u, at([a, b, c + 1]), weight);
                    add(&mut place.along_u, at([a + 1, b, c]), -weight);
                    add(&mut place.along_v, at([a, b + 1, c]), weight);
                    add(&mut place.along_v, at([a + 1, b, c]), -weight);
                });
            }
        }
        place
    }
}

/// The terms of Bernstein's polynomial of a degree over a triangle: powers of the three parts, and their product with
/// the coefficient.
fn for_each_term(degree: usize, [a, b, c]: [f32; 3], mut each: impl FnMut([usize; 3], f32)) {
    let factorial = |n: usize| (1..=n).product::<usize>() as f32;
    for i in 0..=degree {
        for j in 0..=degree - i {
            let k = degree - i - j;
            let coefficient = factorial(degree) / (factorial(i) * factorial(j) * factorial(k));
            each([i, j, k], coefficient * a.powi(i as i32) * b.powi(j as i32) * c.powi(k as i32));
        }
    }
}

fn rect_grid([top, right, bottom, left]: [u32; 4]) -> Grid {
    let (columns, rows) = (top.max(bottom), left.max(right));
    let mut grid = Grid::default();
    for y in 0..=rows {
        for x in 0..=columns {
            let u = match y {
                0 => on_edge(x, columns, top),
                _ if y == rows => on_edge(x, columns, bottom),
                _ => x as f32 / columns as f32,
            };
            let v = match x {
                0 => on_edge(y, rows, left),
                _ if x == columns => on_edge(y, rows, right),
                _ => y as f32 / rows as f32,
            };
            grid.places.push([u, v]);
        }
    }
    for y in 0..rows {
        for x in 0..columns {
            let at = |x: u32, y: u32| y * (columns + 1) + x;
            let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
            grid.indices.extend([a, b, c, a, c, d]);
        }
    }
    grid
}

fn tri_grid([a_b, b_c, c_a]: [u32; 3]) -> Grid {
    let rows = a_b.max(b_c).max(c_a);
    let mut grid = Grid::default();
    for row in 0..=rows {
        for column in 0..=row {
            let place = if row == rows {
                let u = on_edge(column, rows, b_c);
                [u, 1.0 - u]
            } else if column == 0 {
                [0.0, on_edge(row, rows, a_b)]
            } else if column == row {
                [on_edge(row, rows, c_a), 0.0]
            } else {
                [column as f32 / rows as f32, (row - column) as f32 / rows as f32]
            };
            grid.places.push(place);
        }
    }
    for row in 0..rows {
        let (this, next) = (row * (row + 1) / 2, (row + 1) * (row + 2) / 2);
        for column in 0..=row {
            let [a, b, c] = [this + column, next + column, next + column + 1];
            grid.indices.extend([a, c, b]);
            if column < row {
                grid.indices.extend([a, a + 1, c]);
            }
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(basis: D3DBASISTYPE, degree: D3DDEGREETYPE, width: u32, height: u32) -> D3DRECTPATCH_INFO {
        D3DRECTPATCH_INFO { Width: width, Height: height, Basis: basis, Degree: degree, ..Default::default() }
    }

    fn near(a: [f32; 4], b: [f32; 4]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
    }

    /// Each basis at its degrees, with control vertices for two pieces along u and one along v.
    fn surfaces() -> Vec<(Shape, usize, usize)> {
        let mut out = Vec::new();
        for degree in [D3DDEGREE_LINEAR, D3DDEGREE_QUADRATIC, D3DDEGREE_CUBIC, D3DDEGREE_QUINTIC] {
            for basis in [D3DBASIS_BEZIER, D3DBASIS_BSPLINE, D3DBASIS_CATMULL_ROM] {
                if basis == D3DBASIS_CATMULL_ROM && degree != D3DDEGREE_CUBIC {
                    continue;
                }
                let width = if basis == D3DBASIS_BEZIER { 2 * degree + 1 } else { degree + 2 };
                let shape = Shape::rect(&rect(basis, degree, width, degree + 1)).unwrap();
                out.push((shape, width as usize, degree as usize + 1));
            }
        }
        out
    }

    #[test]
    fn a_flat_net_is_a_flat_surface_with_even_tangents() {
        for (shape, width, height) in surfaces() {
            let Shape::Rect { u, .. } = &shape else { panic!() };
            let control: Vec<[f32; 4]> =
                (0..width * height).map(|at| [(at % width) as f32, (at / width) as f32, 2.0, 1.0]).collect();
            let (start, end) = (shape.evaluate(&control, [0.0; 2]).value, shape.evaluate(&control, [1.0; 2]).value);
            for place in [[0.0, 0.0], [0.25, 0.5], [0.5, 0.75], [0.9, 0.1], [1.0, 1.0]] {
                let got = shape.evaluate(&control, place);
                let [x, y] = [0, 1].map(|axis| start[axis] + (end[axis] - start[axis]) * place[axis]);
                assert!(near(got.value, [x, y, 2.0, 1.0]), "{shape:?} {place:?} {got:?}");
                assert!(near(got.along_u, [end[0] - start[0], 0.0, 0.0, 0.0]), "{shape:?} {place:?} {got:?}");
                assert!(near(got.along_v, [0.0, end[1] - start[1], 0.0, 0.0]), "{shape:?} {place:?} {got:?}");
            }
            assert_eq!(u.pieces, 2, "{shape:?}");
        }
    }

    #[test]
    fn tangents_are_what_the_surface_does() {
        for (shape, width, height) in surfaces() {
            let control: Vec<[f32; 4]> =
                (0..width * height).map(|at| [(at * at % 7) as f32, (at * 5 % 11) as f32, 0.0, 0.0]).collect();
            let (at, step) = ([0.3, 0.6], 1e-3);
            let here = shape.evaluate(&control, at);
            for (tangent, to) in [(here.along_u, [at[0] + step, at[1]]), (here.along_v, [at[0], at[1] + step])] {
                let there = shape.evaluate(&control, to);
                for axis in 0..2 {
                    let measured = (there.value[axis] - here.value[axis]) / step;
                    assert!((measured - tangent[axis]).abs() < 0.5, "{shape:?} {measured} {tangent:?}");
                }
            }
        }
    }

    #[test]
    fn curves_go_where_their_basis_says() {
        let value = |basis, degree, control: &[f32], at| {
            let curve = Curve::new(basis, degree, control.len() as u32).unwrap();
            let weights = curve.weights(at);
            (0..=curve.degree).map(|i| weights.value[i] * control[weights.first + i]).sum::<f32>()
        };
        // A Bezier curve goes through the ends of its pieces, a Catmull-Rom curve through all but the first and last.
        let control = [1.0, 5.0, 2.0, 8.0, 3.0, 9.0, 4.0];
        assert_eq!(value(D3DBASIS_BEZIER, D3DDEGREE_CUBIC, &control, 0.0), 1.0);
        assert_eq!(value(D3DBASIS_BEZIER, D3DDEGREE_CUBIC, &control, 0.5), 8.0);
        assert_eq!(value(D3DBASIS_BEZIER, D3DDEGREE_CUBIC, &control, 1.0), 4.0);
        assert_eq!(value(D3DBASIS_BEZIER, D3DDEGREE_QUADRATIC, &control[..3], 0.5), 3.25);
        assert_eq!(value(D3DBASIS_CATMULL_ROM, D3DDEGREE_CUBIC, &control, 0.0), 5.0);
        assert_eq!(value(D3DBASIS_CATMULL_ROM, D3DDEGREE_CUBIC, &control, 0.25), 2.0);
        assert_eq!(value(D3DBASIS_CATMULL_ROM, D3DDEGREE_CUBIC, &control, 1.0), 9.0);
        // A uniform cubic B-spline starts at a sixth, two thirds and a sixth of its first three.
        let expected = (control[0] + 4.0 * control[1] + control[2]) / 6.0;
        assert!((value(D3DBASIS_BSPLINE, D3DDEGREE_CUBIC, &control, 0.0) - expected).abs() < 1e-6);
    }

    #[test]
    fn a_triangle_patch_has_its_corners_and_bernsteins_middle() {
        for degree in [D3DDEGREE_LINEAR, D3DDEGREE_QUADRATIC, D3DDEGREE_CUBIC, D3DDEGREE_QUINTIC] {
            let count = (degree + 1) * (degree + 2) / 2;
            let info =
                D3DTRIPATCH_INFO { StartVertexOffset: 0, NumVertices: count, Basis: D3DBASIS_BEZIER, Degree: degree };
            let shape = Shape::tri(&info).unwrap();
            let control: Vec<[f32; 4]> = (0..count).map(|at| [at as f32, 0.0, 0.0, 1.0]).collect();
            let at = |place| shape.evaluate(&control, place).value;
            assert_eq!(at([0.0, 0.0])[0], 0.0);
            assert_eq!(at([0.0, 1.0])[0], (count - degree - 1) as f32);
            assert_eq!(at([1.0, 0.0])[0], (count - 1) as f32);
            assert!((at([0.3, 0.3])[3] - 1.0).abs() < 1e-5, "the weights are one together");
        }
        let wrong =
            D3DTRIPATCH_INFO { NumVertices: 9, Basis: D3DBASIS_BEZIER, Degree: D3DDEGREE_CUBIC, ..Default::default() };
        assert_eq!(Shape::tri(&wrong), Err(Error::InvalidCall));
        let wrong = D3DTRIPATCH_INFO { NumVertices: 10, Basis: D3DBASIS_BSPLINE, ..wrong };
        assert_eq!(Shape::tri(&wrong), Err(Error::InvalidCall));
    }

    #[test]
    fn coarse_edges_have_no_vertices_but_their_own() {
        let grid = rect_grid([2, 4, 4, 1]);
        let edge = |of: usize, at: f32| {
            let mut places: Vec<f32> =
                grid.places.iter().filter(|place| place[of] == at).map(|place| place[1 - of]).collect();
            places.sort_by(f32::total_cmp);
            places.dedup();
            places
        };
        assert_eq!(edge(1, 0.0), [0.0, 0.5, 1.0]);
        assert_eq!(edge(1, 1.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(edge(0, 0.0), [0.0, 1.0]);
        assert_eq!(edge(0, 1.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
        let grid = tri_grid([1, 3, 3]);
        assert!(grid.places.iter().filter(|place| place[0] == 0.0).all(|place| place[1] == 0.0 || place[1] == 1.0));
        // Whatever the segments are: the triangles cover the patch once, and all turn the same way.
        for segments in [[1.0, 1.0, 1.0, 1.0], [3.0, 5.0, 2.0, 0.0], [f32::NAN, -1.0, 1e9, 2.5]] {
            let shapes = [Shape::rect(&rect(D3DBASIS_BEZIER, D3DDEGREE_LINEAR, 2, 2)), Ok(Shape::Tri { degree: 1 })];
            for (shape, area) in shapes.into_iter().zip([1.0, 0.5]) {
                let grid = shape.unwrap().grid(segments);
                let mut sum = 0.0;
                for triangle in grid.indices.chunks(3) {
                    let [a, b, c] = [0, 1, 2].map(|corner| grid.places[triangle[corner] as usize]);
                    let turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
                    assert!(turn > -1e-6);
                    sum += turn / 2.0;
                }
                assert!((sum - area).abs() < 1e-3, "{segments:?} {sum}");
            }
        }
    }

    #[test]
    fn nets_that_make_no_surface_are_refused() {
        for (basis, degree, width, height) in [
            (D3DBASIS_BEZIER, D3DDEGREE_CUBIC, 3, 4),
            (D3DBASIS_BEZIER, D3DDEGREE_CUBIC, 4, 0),
            (D3DBASIS_BEZIER, 4, 5, 5),
            (D3DBASIS_BEZIER, 0, 5, 5),
            (D3DBASIS_CATMULL_ROM, D3DDEGREE_QUINTIC, 6, 6),
            (9, D3DDEGREE_CUBIC, 4, 4),
            (D3DBASIS_BSPLINE, D3DDEGREE_LINEAR, u32::MAX, u32::MAX),
        ] {
            assert_eq!(Shape::rect(&rect(basis, degree, width, height)), Err(Error::InvalidCall));
        }
    }
}
