//! Code made to be slow to compile: as deep as it may be nested, with everything carried through everything. What counts is that the
//! passes come to an end soon, and that the result is valid.

use afterimage_ir::*;
use afterimage_passes::{FloatRules, Options, optimize};

/// Loops and branches around each other, each with stores to all variables that depend on one another.
fn nest(depth: usize, vars: usize, loops: bool) -> Module {
    let mut b = Builder::new(Stage::Pixel);
    let at = OutputAt::Location(0);
    let out = b.output(OutputDecl { name: String::new(), ty: Type::F32X4, at, semantic: None });
    let (at, interp) = (InputAt::Location(0), Interp::Smooth);
    let input = b.input(InputDecl { name: String::new(), ty: Type::F32X4, at, interp, semantic: None });
    let vars: Vec<Var> = (0..vars).map(|n| b.var(format!("r{n}"), Type::B32X4)).collect();
    for level in 0..depth {
        let value = b.load_input(input);
        let cond = b.flt(value, value);
        if loops {
            b.begin_loop();
            b.break_if(cond);
        } else {
            b.begin_if(cond);
        }
        // Each component comes from the next component of the next variable, so that what is needed is found bit by bit.
        for (n, &var) in vars.iter().enumerate() {
            let next = b.load(vars[(n + 1) % vars.len()]);
            let turned = b.swizzle(next, Swizzle::new(&[1, 2, 3, 0]));
            let sum = b.fmadz(turned, value, turned);
            b.store_masked(var, Mask(1 << (level % 4) | 8), sum);
        }
    }
    for _ in 0..depth {
        if loops {
            b.end_loop();
        } else {
            b.end_if();
        }
    }
    let result = b.load(vars[0]);
    let one = b.extract(result, 0);
    b.store_output(out, one);
    b.finish().unwrap()
}

#[test]
fn deep_nests_end() {
    for loops in [false, true] {
        for (depth, vars) in [(MAX_DEPTH - 3, 8), (24, 64), (4, 400)] {
            // A loop holds a branch of its own.
            let mut module = nest(if loops { depth.min(MAX_DEPTH - 4) } else { depth }, vars, loops);
            verify(&module).unwrap();
            optimize(&mut module, &Options { float_rules: FloatRules::Strict });
            assert_eq!(verify(&module), Ok(()), "{depth} levels, {vars} variables");
        }
    }
}
