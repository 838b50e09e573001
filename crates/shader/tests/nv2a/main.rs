//! Shaders of the NV2A as the judges see them: `spirv-val` and `spirv-cross` take the SPIR-V of each, and its Metal shader compiles and
//! computes what the interpreter does. Transform programs with every opcode, those of the tests, random ones, and those of the
//! recordings that lie beside the tree; fixed-function transform and pixel shaders of random registers, and of keys that nobody
//! would send.
#![allow(unreachable_pub, dead_code, reason = "modules of other tests, of which this one uses a part")]

#[path = "../../../msl/tests/judge/mod.rs"]
mod judge;
#[path = "../../../spirv/tests/judges/mod.rs"]
mod judges;
#[path = "../../../shader-nv2a/tests/microcode/recorded.rs"]
mod recorded;

#[path = "../../../shader-nv2a/tests/fixed_function"]
mod transform {
    pub mod random;
}
#[path = "../../../shader-nv2a/tests/pixel"]
mod pixel {
    pub mod random;
    pub mod scene;
}

mod corpus;

use afterimage_interp::Environment;
use afterimage_shader::{FloatRules, Profile, RuntimeInfo, Stage, VertexOps};
use corpus::Entry;
use judge::Judge;
use std::collections::HashSet;

const PROFILE: Profile = Profile {
    bindless: false,
    float_rules: FloatRules::Strict,
    preserve: true,
    debug_names: false,
    clip_varyings: None,
    wave: 32,
    features: afterimage_shader::Features::ALL,
};

/// The states around a shader that change its code.
fn runtimes(entry: &Entry) -> Vec<RuntimeInfo> {
    let points =
        RuntimeInfo { vertex_ops: VertexOps { point_size: 1, ..VertexOps::default() }, ..RuntimeInfo::default() };
    match entry.shader.stage() {
        Stage::Vertex => vec![RuntimeInfo::default(), points],
        _ => vec![RuntimeInfo::default()],
    }
}

/// Does something with each module that is different from those before.
fn each_module(mut act: impl FnMut(&Entry, &RuntimeInfo)) {
    let mut seen = HashSet::new();
    for entry in corpus::all() {
        for runtime in runtimes(&entry) {
            if seen.insert(entry.shader.key(&PROFILE, &runtime)) {
                act(&entry, &runtime);
            }
        }
    }
}

#[test]
fn metal_shaders_compute_what_the_interpreter_does() {
    let (mut judge, mut wrong) = (Judge::new(), Vec::new());
    each_module(|entry, runtime| {
        let module = entry.shader.module(&PROFILE, runtime).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        match entry.shader.compile_msl(&PROFILE, runtime) {
            Ok(artifact) => {
                let worlds: Vec<&dyn Environment> = entry.worlds.iter().map(|world| &**world).collect();
                judge.add(&entry.name, &module, &artifact, &worlds);
            }
            Err(error) => wrong.push(format!("{}: {error}", entry.name)),
        }
    });
    let report = judge.run();
    println!("{} shaders in {} runs, {} fail", report.shaders, report.runs, report.failures.len());
    assert!(wrong.is_empty(), "{} shaders are not translated to Metal\n{}", wrong.len(), wrong.join("\n"));
    report.assert();
    assert_eq!(report.endless, 0);
    assert!(report.diverged * 10 < report.runs, "too little was compared");
}

#[test]
fn other_peoples_tools_take_the_spirv() {
    if !judges::are_there() {
        return;
    }
    each_module(|entry, runtime| {
        let artifact =
            entry.shader.compile(&PROFILE, runtime).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        judges::judge(&artifact.words).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    });
}
