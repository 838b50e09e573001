use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn mesh(domain: Domain, mode: u32, factors: &[f32]) -> Mesh {
    Mesh::new(domain, Partitioning::of(mode).unwrap(), Output::Triangles, factors).unwrap()
}

/// Twice the area of each triangle, in whole units of fixed point.
fn areas(mesh: &Mesh) -> Vec<i64> {
    let at = |index: u32| mesh.points[index as usize].map(|x| (x * ONE as f32) as i64);
    let area = |&[a, b, c]: &[u32; 3]| {
        let ([ax, ay], [bx, by], [cx, cy]) = (at(a), at(b), at(c));
        (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    };
    mesh.indices.as_chunks().0.iter().map(area).collect()
}

/// Every edge that is not on the outline belongs to two triangles, which walk it in opposite directions; none turns the wrong way;
/// together they are as large as the domain. So every point of the domain is covered once.
fn covers_once(mesh: &Mesh, domain: Domain) -> Result<(), TestCaseError> {
    let areas = areas(mesh);
    // Rounding to fixed point may turn slivers over by a unit in each direction.
    prop_assert!(areas.iter().all(|&area| area >= -2 * i64::from(ONE)), "{:?}", mesh);
    let whole = i64::from(ONE) * i64::from(ONE) * if domain == Domain::Quads { 2 } else { 1 };
    prop_assert_eq!(areas.iter().sum::<i64>(), whole);
    let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
    for &[a, b, c] in mesh.indices.as_chunks().0 {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *edges.entry([from, to]).or_default() += 1;
        }
    }
    for (&[from, to], &count) in &edges {
        prop_assert_eq!(count, 1);
        if !edges.contains_key(&[to, from]) {
            let [p, q] = [from, to].map(|index| mesh.points[index as usize]);
            let sum = |p: [f32; 2]| p[0] + p[1];
            let outline = |n: usize| p[n] == q[n] && (p[n] == 0.0 || p[n] == 1.0 && domain == Domain::Quads);
            let on_w = domain == Domain::Triangles && sum(p) == 1.0 && sum(q) == 1.0;
            prop_assert!(outline(0) || outline(1) || on_w, "{:?} to {:?} has one side", p, q);
        }
    }
    prop_assert!(mesh.points.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
    Ok(())
}

proptest! {
    #[test]
    fn triangles_cover_the_domain_once(mode in 0u32..4, factors in proptest::array::uniform4(0.1f32..66.0)) {
        covers_once(&mesh(Domain::Triangles, mode, &factors), Domain::Triangles)?;
    }

    #[test]
    fn quads_cover_the_domain_once(mode in 0u32..4, factors in proptest::array::uniform6(0.1f32..66.0)) {
        covers_once(&mesh(Domain::Quads, mode, &factors), Domain::Quads)?;
    }

    #[test]
    fn small_factors_cover_the_domain_once(mode in 0u32..4, factors in proptest::array::uniform6(0.1f32..4.0)) {
        covers_once(&mesh(Domain::Quads, mode, &factors), Domain::Quads)?;
        covers_once(&mesh(Domain::Triangles, mode, &factors), Domain::Triangles)?;
    }

    /// Whatever the patches on both sides have besides.
    #[test]
    fn edges_with_one_factor_have_the_same_points(
        mode in 0u32..4,
        shared in 0.1f32..66.0,
        others in proptest::array::uniform6(0.1f32..66.0),
    ) {
        // Inner factors close to 1 have points that fall onto edges.
        let [a, b, c, d, e, _] = others.map(|factor| factor.max(2.0));
        let along = |mesh: Mesh, on: fn([f32; 2]) -> bool, n: usize, back: bool| {
            let points = mesh.points.into_iter().filter(|&point| on(point));
            let mut along: Vec<u32> = points.map(|point| (if back { 1.0 - point[n] } else { point[n] }).to_bits()).collect();
            along.sort_unstable();
            along
        };
        let first = along(mesh(Domain::Triangles, mode, &[shared, a, b, c]), |[u, _]| u == 0.0, 1, false);
        let v = along(mesh(Domain::Triangles, mode, &[a, shared, d, e]), |[_, v]| v == 0.0, 0, true);
        let w = along(mesh(Domain::Triangles, mode, &[b, c, shared, e]), |[u, v]| u + v == 1.0, 1, false);
        let quad = along(mesh(Domain::Quads, mode, &[a, b, shared, c, d, e]), |[u, _]| u == 1.0, 1, true);
        prop_assert_eq!(&first, &v);
        prop_assert_eq!(&first, &w);
        prop_assert_eq!(&first, &quad);
    }

    #[test]
    fn hostile_factors_make_no_harm(domain in 0u32..3, mode in 0u32..4, bits in proptest::array::uniform6(any::<u32>())) {
        let factors = bits.map(f32::from_bits);
        let partitioning = Partitioning::of(mode).unwrap();
        if let Some(mesh) = Mesh::new(Domain::of(domain).unwrap(), partitioning, Output::Triangles, &factors) {
            prop_assert!(mesh.points.len() <= 65 * 65);
            prop_assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.points.len()));
        }
    }
}

#[test]
fn counts_are_those_of_the_specification() {
    let counts = |domain, factors: &[f32]| {
        let mesh = mesh(domain, 0, factors);
        (mesh.points.len(), mesh.indices.len() / 3)
    };
    assert_eq!(counts(Domain::Triangles, &[1.0; 4]), (3, 1));
    assert_eq!(counts(Domain::Triangles, &[2.0; 4]), (7, 6));
    assert_eq!(counts(Domain::Triangles, &[3.0; 4]), (12, 13));
    assert_eq!(counts(Domain::Triangles, &[4.0; 4]), (19, 24));
    // An inner factor of 1 is 2 where an edge has more than one segment.
    assert_eq!(counts(Domain::Triangles, &[2.0, 1.0, 1.0, 1.0]), (5, 4));
    for n in 1..=64 {
        assert_eq!(counts(Domain::Quads, &[n as f32; 6]), ((n + 1) * (n + 1), 2 * n * n));
    }
    assert_eq!(counts(Domain::Quads, &[1.0, 1.0, 1.0, 1.0, 1.0, 3.0]), (6, 6));
}

#[test]
fn lines_and_points() {
    let lines = Mesh::new(Domain::Isolines, Partitioning::Integer, Output::Lines, &[3.0, 2.5]).unwrap();
    assert_eq!((lines.points.len(), lines.indices.len()), (4 * 3, 2 * 3 * 3));
    assert!(lines.points.iter().all(|[_, v]| *v < 1.0));
    let points = Mesh::new(Domain::Quads, Partitioning::Integer, Output::Points, &[2.0; 6]).unwrap();
    assert_eq!((points.points.len(), points.indices.len()), (9, 9));
}

#[test]
fn patches_without_a_factor_are_gone() {
    for bad in [0.0, -1.0, f32::NAN] {
        assert_eq!(Mesh::new(Domain::Triangles, Partitioning::Odd, Output::Triangles, &[1.0, bad, 1.0, 1.0]), None);
        assert!(Mesh::new(Domain::Triangles, Partitioning::Odd, Output::Triangles, &[1.0, 1.0, 1.0, bad]).is_some());
    }
}
