//! Smoothed edges: how many of a pixel's eight places a primitive covers, as a part of its alpha.
//!
//! Source: the pictures of a console (suite Smoothing control), whose alphas at edges are eighths; these places give their numbers.

use super::key::Key;
use super::shared::Lift;
use crate::io;
use afterimage_ir::{InputAt, Interp, Type, Value};

/// The places, in eighths of a pixel from its upper left corner across, and down: three times as far, around the edge.
const PLACES: [[f32; 2]; 8] = {
    let mut places = [[0.0; 2]; 8];
    let mut n = 0;
    while n < 8 {
        places[n] = [n as f32 / 8.0, (3 * n % 8) as f32 / 8.0];
        n += 1;
    }
    places
};

/// The colour with its alpha times the part of the pixel that is inside of all edges. Pixels outside are thrown away. Of two samples
/// of a pixel each has a pixel around it.
pub(super) fn coverage(lift: &mut Lift<'_>, color: Value) -> Value {
    let position = lift.frag_coord();
    let (x, y) = (lift.b.extract(position, 0), lift.b.extract(position, 1));
    // In columns, of which a pixel has two; what is drawn was moved to have its samples in their middles.
    let (width, moved) = match (lift.key.has(Key::CORNERS), lift.key.has(Key::CENTERS)) {
        (true, _) => (2.0, [0.5, 0.5]),
        (_, true) => (2.0, [0.5, 0.0]),
        _ => (1.0, [0.0, 0.0]),
    };
    let edges: [[Value; 3]; 4] = std::array::from_fn(|n| {
        let edge = lift.input("edge", InputAt::Location(io::EDGES + n as u8), Type::F32X4, Interp::Flat);
        // From the corner of the pixel.
        let corner = [-0.5 * width - moved[0], -0.5 - moved[1]].map(|step| lift.b.f32(step));
        let (left, top) = (lift.b.fadd(x, corner[0]), lift.b.fadd(y, corner[1]));
        let [across, down, rest] = [0, 1, 2].map(|lane| lift.b.extract(edge, lane));
        let value = lift.b.fmad(across, left, rest);
        [across, down, lift.b.fmad(down, top, value)]
    });
    let (zero, one) = (lift.b.f32(0.0), lift.b.f32(1.0 / PLACES.len() as f32));
    let mut covered = zero;
    for [px, py] in PLACES {
        let (px, py) = (lift.b.f32(px * width), lift.b.f32(py));
        let values = edges.map(|[across, down, value]| {
            let value = lift.b.fmad(across, px, value);
            lift.b.fmad(down, py, value)
        });
        let least = values[1..].iter().fold(values[0], |least, value| lift.b.fmin(least, *value));
        let inside = lift.b.flt(zero, least);
        let part = lift.b.select(inside, one, zero);
        covered = lift.b.fadd(covered, part);
    }
    let is_outside = lift.b.feq(covered, zero);
    lift.b.demote(is_outside);
    let alpha = lift.b.extract(color, 3);
    let alpha = lift.b.fmul(alpha, covered);
    let color = lift.b.resize(color, 3);
    lift.b.construct(&[color, alpha])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixel::{Key, lift};
    use afterimage_interp::{Environment, Interpreter, SampleArgs};
    use afterimage_ir::{BankDecl, InputDecl, TextureDecl};

    /// A pixel in some column of row 20, and one edge.
    struct Pixel([f32; 3], f32);

    impl Environment for Pixel {
        fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
            let [a, b, c] = self.0;
            let value = match decl.at {
                InputAt::FragCoord => [self.1 + 0.5, 20.5, 0.5, 1.0],
                InputAt::Location(io::EDGES) => [a, b, c, 0.0],
                InputAt::Location(at) if at > io::EDGES => [0.0, 0.0, 1.0, 0.0],
                _ => [1.0; 4],
            };
            value.map(f32::to_bits)
        }

        fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
            [0; 4]
        }

        fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
            [0.0; 4]
        }
    }

    #[test]
    fn alpha_is_times_the_eighths_inside() {
        // The final combiner: alpha is the diffuse colour's.
        let module = lift(&Key { flags: Key::SMOOTH, last: [4, 0x1400], ..Key::default() }).expect("a shader");
        let run = |edge| Interpreter::new(&module).expect("a module").run(&Pixel(edge, 10.0)).expect("an end");
        let alpha = |edge| f32::from_bits(run(edge).outputs[0][0][3]);
        assert_eq!(alpha([1.0, 0.0, -9.0]), 1.0);
        assert_eq!(alpha([1.0, 0.0, -10.5]), 0.375, "three places lie right of the centre");
        assert_eq!(alpha([0.0, -1.0, 20.3]), 0.375, "three places lie above 0.3");
        assert!(run([1.0, 0.0, -11.0]).demoted[0] && !run([1.0, 0.0, -10.8]).demoted[0]);
    }

    #[test]
    fn two_samples_have_pixels_of_two_columns_around_them() {
        let alpha = |columns, column, edge| {
            let flags = Key::SMOOTH | columns;
            let module = lift(&Key { flags, last: [4, 0x1400], ..Key::default() }).expect("a shader");
            let end = Interpreter::new(&module).expect("a module").run(&Pixel(edge, column)).expect("an end");
            (!end.demoted[0]).then(|| f32::from_bits(end.outputs[0][0][3]))
        };
        // The sample of column 10 is the corner at (10, 20), that of column 11 the middle at (11, 20.5).
        for (columns, column, from, top) in [(Key::CORNERS, 10.0, 9.0, 19.5), (Key::CENTERS, 11.0, 10.0, 20.0)] {
            assert_eq!(alpha(columns, column, [1.0, 0.0, -from - 1.0]), Some(0.375));
            assert_eq!(alpha(columns, column, [0.0, -1.0, top + 0.3]), Some(0.375));
            assert_eq!(alpha(columns, column + 1.0, [0.0, 0.0, 1.0]), None, "not its column");
        }
    }
}
