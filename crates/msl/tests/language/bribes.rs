//! The judge finds what is wrong: sources that are not what the module says are not let through.

use crate::judge::{Judge, Report};
use crate::world::World;
use afterimage_ir::{Module, parse, verify};
use afterimage_msl::{Artifact, Options, emit};

fn example() -> (Module, Artifact) {
    let module = parse(
        "pixel {
          input in0 \"t0\" : f32x4 location 0 smooth
          output out0 \"oC0\" : f32x4 location 0
          texture t0 slot 0 2d
          v0: f32x4 = load_input in0
          v1: f32x2 = swizzle v0.xy
          v2: f32x4 = sample t0, v1
          v3: f32x4 = ddx v0
          v4: f32x4 = fadd v2, v3
          v5: f32 = swizzle v0.w
          v6: f32 = const 0.0
          v7: bool = flt v5, v6
          demote v7
          store_output out0, v4
          return
        }",
    )
    .unwrap();
    verify(&module).unwrap();
    let artifact = emit(&module, &Options::default()).unwrap();
    (module, artifact)
}

fn judged(change: impl Fn(&str) -> String) -> Report {
    let (module, mut artifact) = example();
    artifact.source = change(&artifact.source);
    let mut judge = Judge::new();
    judge.add("example", &module, &artifact, &[&World(1), &World(2), &World(3)]);
    judge.run()
}

#[test]
fn what_is_wrong_is_found() {
    let right = judged(str::to_owned);
    right.assert();
    if right.shaders == 0 {
        // Without clang, which the judge has said.
        return;
    }
    assert_eq!(right.runs, 3);
    let bribes = [
        ("v2 + v3", "v2 - v3", "oC0 in lane"),
        ("dfdx", "dfdy", "oC0 in lane"),
        ("in.t0.xy", "in.t0.yx", "a lookup in slot 0 that the interpreter did not make"),
        (") discard_fragment();", ") out.oC0 = float4(0.0f);", "pixels thrown away"),
        ("[[texture(0)]]", "[[texture(1)]]", "but the bindings are"),
        ("float4 v2", "float3 v2", "clang refuses"),
        ("float4 v2", "uint4 v2", "clang refuses"),
        ("v2 + v3", "v2 + v3 * (1 << int(in.t0.x + 1000.0f))", "the program ended"),
    ];
    for (from, to, message) in bribes {
        let report = judged(|source| {
            assert!(source.contains(from), "{from}\n{source}");
            source.replace(from, to)
        });
        assert!(report.failures.iter().any(|f| f.contains(message)), "{from} to {to}: {:?}", report.failures);
    }
}
