//! Random modules, written as Metal shaders and run: they compute what the interpreter computes.

use crate::judge::Judge;
use crate::world::{Bytes, World};
use afterimage_ir::*;
use afterimage_msl::{Options, emit};
use afterimage_passes::{FloatRules, float_rules, optimize};

#[test]
fn random_shaders_agree() {
    let mut judge = Judge::new();
    let mut random = Bytes::new();
    for round in 0..400 {
        let mut module = generate(if round % 3 == 0 { Stage::Vertex } else { Stage::Pixel }, &random.take(2500));
        // As written by a front end, but for the float rules; or after the pipeline.
        match round % 4 {
            0 => float_rules::run(&mut module, FloatRules::Strict),
            1 => optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Relaxed }),
            _ => optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict }),
        }
        verify(&module).unwrap();
        let artifact = emit(&module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        judge.add(&format!("round {round}"), &module, &artifact, &[&World(0), &World(1), &World(round)]);
    }
    let report = judge.run();
    report.assert();
    assert!(report.diverged * 4 < report.runs, "too many runs were not compared");
}
