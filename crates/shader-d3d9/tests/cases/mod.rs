//! What instructions compute, worked out from the shader reference. The interpreter and the driver are held against it.
#![allow(dead_code, reason = "each test takes what it needs")]

/// c0 to c4.
pub(crate) const FLOATS: [[f32; 4]; 5] = [
    [1.0, 2.0, 3.0, 4.0],
    [0.5, -1.5, 0.0, 8.0],
    [-2.0, 0.25, 1.0, 0.0],
    [f32::INFINITY, 0.0, -0.0, 100.0],
    [f32::NEG_INFINITY, 0.0, 0.0, 0.0],
];

/// i0 and i1.
pub(crate) const INTS: [[i32; 4]; 2] = [[4, 1, 2, 0], [3, 0, 1, 0]];

/// b0 and b1.
pub(crate) const BOOLS: [bool; 2] = [false, true];

const MAX: f32 = f32::MAX;

/// Instructions, and what r0 holds after them.
pub(crate) const ARITHMETIC: &[(&str, [f32; 4])] = &[
    ("mov r0, c0.wzyx", [4.0, 3.0, 2.0, 1.0]),
    ("mov r0, -c1", [-0.5, 1.5, -0.0, -8.0]),
    ("mov r0, c1_abs", [0.5, 1.5, 0.0, 8.0]),
    ("mov r0, -c1_abs.y", [-1.5; 4]),
    ("mov_sat r0, c1", [0.5, 0.0, 0.0, 1.0]),
    ("mov r0, c0\nmov r0.yw, c1", [1.0, -1.5, 3.0, 8.0]),
    ("add r0, c0, c1", [1.5, 0.5, 3.0, 12.0]),
    ("sub r0, c0, c1", [0.5, 3.5, 3.0, -4.0]),
    ("mul r0, c0, c1", [0.5, -3.0, 0.0, 32.0]),
    // Zero times infinity is zero.
    ("mul r0, c3.x, c3.yzyz", [0.0; 4]),
    ("mad r0, c0, c1, c2", [-1.5, -2.75, 1.0, 32.0]),
    ("mad r0, c3.x, c3.y, c0", [1.0, 2.0, 3.0, 4.0]),
    ("dp3 r0, c0, c1", [-2.5; 4]),
    ("dp4 r0, c0, c1", [29.5; 4]),
    ("min r0, c0, c1", [0.5, -1.5, 0.0, 4.0]),
    ("max r0, c0, c1", [1.0, 2.0, 3.0, 8.0]),
    ("slt r0, c0, c1", [0.0, 0.0, 0.0, 1.0]),
    ("sge r0, c0, c0", [1.0; 4]),
    ("rcp r0, c0.w", [0.25; 4]),
    ("rcp r0, c3.y", [MAX; 4]),
    ("rsq r0, c0.w", [0.5; 4]),
    ("rsq r0, -c0.w", [0.5; 4]),
    ("rsq r0, c3.y", [MAX; 4]),
    ("exp r0, c0.z", [8.0; 4]),
    ("log r0, c1.w", [3.0; 4]),
    ("log r0, -c1.w", [3.0; 4]),
    ("log r0, c3.y", [-MAX; 4]),
    ("pow r0, c0.y, c0.z", [8.0; 4]),
    ("pow r0, c3.y, c3.y", [1.0; 4]),
    ("pow r0, c3.y, c0.x", [0.0; 4]),
    ("frc r0, c1", [0.5, 0.5, 0.0, 0.0]),
    ("abs r0, c2", [2.0, 0.25, 1.0, 0.0]),
    ("sgn r0, c1", [1.0, -1.0, 0.0, 1.0]),
    ("lrp r0, c1.x, c0, c2", [-0.5, 1.125, 2.0, 2.0]),
    ("mov r0, c3.y\ncrs r0.xyz, c0, c1", [4.5, 1.5, -2.5, 0.0]),
    ("nrm r0, c0.xxxw", [0.57735, 0.57735, 0.57735, 2.3094]),
    ("nrm r0, c3.y", [0.0; 4]),
    ("sincos r0.xy, c1.x", [0.877583, 0.479426, 0.0, 0.0]),
    ("lit r0, c0", [1.0, 1.0, 16.0, 1.0]),
    ("lit r0, c2", [1.0, 0.0, 0.0, 1.0]),
    ("lit r0, c0.xyzz", [1.0, 1.0, 8.0, 1.0]),
    ("dst r0, c0, c1", [1.0, -3.0, 3.0, 8.0]),
    ("m4x4 r0, c0, c0", [30.0, 29.5, 1.5, f32::INFINITY]),
    ("m4x3 r0.xyz, c0, c0", [30.0, 29.5, 1.5, 0.0]),
    ("m3x4 r0, c0, c0", [14.0, -2.5, 1.5, f32::INFINITY]),
    ("m3x3 r0.xyz, c0, c0", [14.0, -2.5, 1.5, 0.0]),
    ("m3x2 r0.xy, c0, c0", [14.0, -2.5, 0.0, 0.0]),
    ("setp_lt p0, c0, c1\nmov r0, c0\n(p0) mov r0, c2", [1.0, 2.0, 3.0, 0.0]),
    ("setp_lt p0, c0, c1\nmov r0, c0\n(!p0.w) mov r0, c2", [1.0, 2.0, 3.0, 4.0]),
    // 1.5 and 2.5 round to the even neighbour, so a0.x is 2 - the register after c0 is c2.
    ("mova a0.x, -c1.y\nmov r0, c[a0.x]", [-2.0, 0.25, 1.0, 0.0]),
    ("mova a0.y, c0.x\nmov r0, c[a0.y + 1]", [-2.0, 0.25, 1.0, 0.0]),
    ("def c9, 1.0, 2.0, 3.0, 4.0\nmova a0.x, c1.w\nmov r0, c[a0.x + 1]", [1.0, 2.0, 3.0, 4.0]),
    ("def c9, 5.0, 6.0, 7.0, -0.0\nmov r0, c9", [5.0, 6.0, 7.0, -0.0]),
    // "a0 - vs": all components can be indices. "mova - vs".
    ("mova a0, c0.yyyx\nmov r0, c[a0.w + 1]", [-2.0, 0.25, 1.0, 0.0]),
    // Matrix rows by an index.
    ("mova a0.x, c0.x\nm3x2 r0.xy, c0, c[a0.x]", [-2.5, 1.5, 0.0, 0.0]),
    // Largest finite numbers instead of infinities, by the pseudo code of "rcp - vs" and "log - vs".
    ("rcp r0, c3.x", [0.0; 4]),
    ("rcp r0, -c3.x", [0.0; 4]),
    ("rsq r0, c3.x", [0.0; 4]),
    ("log r0, c3.x", [MAX; 4]),
    ("exp r0, -c3.x", [0.0; 4]),
    // "pow - vs" takes the absolute value of the base.
    ("pow r0, -c0.y, c0.y", [4.0; 4]),
    ("pow r0, c0.y, -c0.x", [0.5; 4]),
    // "lit - vs": nothing shines where x or y is not positive; powers may be negative.
    ("lit r0, c1", [1.0, 0.5, 0.0, 1.0]),
    ("mov r1, c0\nmov r1.w, -c0.x\nlit r0, r1", [1.0, 1.0, 0.5, 1.0]),
    ("mov r0, c0\ncrs r0.y, c0, c1", [1.0, 1.5, 3.0, 4.0]),
    ("nrm r0.xyz, c3.yyx", [0.0, 0.0, 0.0, 0.0]),
    // Comparisons with NaN are false: "min - vs" is a < b ? a : b, "max - vs" a >= b ? a : b, "sge - vs" a >= b.
    ("add r1, c3.x, c4.x\nmin r0, r1, c0", [1.0, 2.0, 3.0, 4.0]),
    ("add r1, c3.x, c4.x\nmax r0, r1, c0", [1.0, 2.0, 3.0, 4.0]),
    ("add r1, c3.x, c4.x\nsge r0, r1, c0", [0.0; 4]),
    ("add r1, c3.x, c4.x\nslt r0, r1, c0", [0.0; 4]),
    // A predicate can be swizzled and negated, and chooses component by component.
    ("setp_ge p0, c1, c1.z\nmov r0, c0\n(p0.wzyx) add r0, r0, c0.x", [2.0, 3.0, 3.0, 5.0]),
    ("setp_eq p0.y, c0, c0\nmov r0, c0\n(!p0) mov r0.xy, c3.y", [0.0, 2.0, 3.0, 4.0]),
    // A predicated instruction leaves other components alone, and writes none where nothing is true.
    ("setp_gt p0, c0.x, c0.y\nmov r0, c0\n(p0.x) mul_sat r0, c0, c1", [1.0, 2.0, 3.0, 4.0]),
];

/// Instructions with flow control, and what r0.x holds after them.
pub(crate) const FLOW: &[(&str, f32)] = &[
    // Four rounds with aL 1, 3, 5, 7: c1.x + 0 + 0 + 0, since c3 on are other values.
    ("mov r0, c3.y\nloop aL, i0\nadd r0, r0, c0.x\nendloop", 4.0),
    ("mov r0, c3.y\nloop aL, i1\nadd r0, r0, c[aL].y\nendloop", 0.75),
    ("mov r0, c3.y\nrep i0\nadd r0, r0, c0.x\nendrep", 4.0),
    ("mov r0, c3.y\nrep i0\nadd r0, r0, c0.x\nbreak_ge r0.x, c0.y\nendrep", 2.0),
    ("mov r0, c3.y\nrep i0\nrep i1\nadd r0, r0, c0.x\nbreak\nendrep\nendrep", 4.0),
    ("defi i5, 2, 0, 0, 0\nmov r0, c3.y\nrep i5\nadd r0, r0, c0.x\nendrep", 2.0),
    ("if b1\nmov r0, c0.x\nelse\nmov r0, c0.y\nendif", 1.0),
    ("if !b1\nmov r0, c0.x\nelse\nmov r0, c0.y\nendif", 2.0),
    ("defb b3, true\nif b3\nmov r0, c0.z\nendif", 3.0),
    ("mov r0, c0.x\nif_gt c0.x, c0.y\nmov r0, c0.w\nendif", 1.0),
    ("setp_gt p0, c0.y, c0.x\nmov r0, c0.x\nif p0.x\nmov r0, c0.z\nendif", 3.0),
    ("setp_gt p0, c0.y, c0.x\nmov r0, c0.x\nrep i0\nadd r0, r0, c0.x\nbreakp p0.x\nendrep", 2.0),
    ("setp_gt p0, c0.y, c0.x\nmov r0, c0.x\nrep i0\nadd r0, r0, c0.x\nbreakp !p0.x\nendrep", 5.0),
    // "rep - vs", "loop - vs": counts of zero and less run no round, and there are at most 255.
    ("defi i2, 0, 0, 0, 0\nmov r0, c0.x\nrep i2\nmov r0, c0.y\nendrep", 1.0),
    ("defi i2, -3, 0, 0, 0\nmov r0, c0.x\nrep i2\nmov r0, c0.y\nendrep", 1.0),
    ("defi i2, 255, 0, 0, 0\nmov r0, c3.y\nrep i2\nadd r0, r0, c0.x\nendrep", 255.0),
    ("defi i2, 300, 0, 0, 0\nmov r0, c3.y\nrep i2\nadd r0, r0, c0.x\nendrep", 255.0),
    // Four deep.
    ("mov r0, c3.y\nrep i1\nrep i1\nrep i1\nrep i1\nadd r0, r0, c0.x\nendrep\nendrep\nendrep\nendrep", 81.0),
    // aL goes down from 2; the loop inside has its own, and the one outside goes on with its.
    ("defi i2, 3, 2, -1, 0\nmov r0, c3.y\nloop aL, i2\nadd r0, r0, c[aL].x\nendloop", -0.5),
    ("mov r0, c3.y\nloop aL, i1\nloop aL, i0\nendloop\nrep i0\nbreak\nendrep\nadd r0, r0, c[aL].y\nendloop", 0.75),
    // A break leaves the loop through the branches around it.
    ("mov r0, c3.y\nrep i0\nadd r0, r0, c0.x\nif b1\nif_ge r0.x, c0.z\nbreak\nendif\nendif\nendrep", 3.0),
    // All comparisons with NaN are false but "not equal".
    ("add r1, c3.x, c4.x\nmov r0, c0.x\nif_ge r1.x, r1.x\nmov r0, c0.y\nendif", 1.0),
    ("add r1, c3.x, c4.x\nmov r0, c0.x\nif_ne r1.x, r1.x\nmov r0, c0.y\nendif", 2.0),
    ("add r1, c3.x, c4.x\nmov r0, c0.x\nrep i0\nbreak_le r1.x, c0.x\nadd r0, r0, c0.x\nendrep", 5.0),
    ("add r1, c3.x, c4.x\nsetp_ne p0, r1, c0\nmov r0, c0.x\n(p0) mov r0, c0.y", 2.0),
];

/// Equal, but for the precision of the interpreter's and the driver's functions.
pub(crate) fn close(got: [f32; 4], expected: [f32; 4]) -> bool {
    got.iter().zip(expected).all(|(g, e)| (g - e).abs() <= 1e-5 * e.abs().max(1.0) || g.to_bits() == e.to_bits())
}

/// True for cases with what pixel shaders do not have: the address register, constants by it or by `aL`, some opcodes.
pub(crate) fn vertex_only(body: &str) -> bool {
    let opcodes = ["sgn ", "slt ", "sge ", "lit ", "dst "];
    body.contains("a0")
        || body.contains("c[aL")
        || body.lines().any(|line| opcodes.iter().any(|op| line.starts_with(op)))
}
