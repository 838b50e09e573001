//! The Metal shaders compile and compute what the interpreter does.

use crate::judge::Judge;
use crate::world::{WORLDS, World};
use crate::{corpus, distinct, profile, shader};
use afterimage_interp::Environment;
use afterimage_shader::FloatRules;

#[test]
fn the_metal_shaders_compute_what_the_interpreter_does() {
    let start = std::time::Instant::now();
    let mut judge = Judge::new();
    let mut wrong = Vec::new();
    let profile = profile(FloatRules::Strict);
    for entry in distinct(corpus::all()) {
        let compiled = shader(&entry).and_then(|(shader, runtime)| {
            let module = shader.module(&profile, &runtime).map_err(|e| format!("compile: {e}"))?;
            let artifact = shader.compile_msl(&profile, &runtime).map_err(|e| format!("MSL: {e}"))?;
            Ok((module, artifact))
        });
        match compiled {
            Ok((module, artifact)) => {
                let world = |index| World::new(index, module.stage, index % World::quads(module.stage));
                let worlds: Vec<World> = (0..WORLDS).map(world).collect();
                let worlds: Vec<&dyn Environment> = worlds.iter().map(|world| world as &dyn Environment).collect();
                judge.add(&entry.name, &module, &artifact, &worlds);
            }
            Err(error) => wrong.push(format!("{}: {error}", entry.name)),
        }
    }
    let report = judge.run();
    let seconds = start.elapsed().as_secs_f32();
    println!(
        "metal: {} shaders in {} runs, {seconds:.1} s, {} fail",
        report.shaders,
        report.runs,
        report.failures.len()
    );
    assert!(wrong.is_empty(), "{} shaders are not translated to Metal\n{}", wrong.len(), wrong.join("\n"));
    report.assert();
    assert!(report.endless == 0 && report.diverged * 10 < report.runs, "too little was compared");
}
