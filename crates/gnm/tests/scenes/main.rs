//! The chain from end to end: calls of the library, command buffers in both encodings, rings, registers, fetch shaders, textures,
//! draws, pictures. Shaders are assembled here; those in `radv` are compiled.

mod captured;
mod compute;
mod corners;
mod corpus;
mod depth_copies;
mod draws;
mod formats;
mod geometry;
mod golden;
mod native;
mod on_chip;
mod pipeline;
mod play;
mod radv;
mod ranges;
mod record;
mod regions;
mod rig;
mod samplers;
mod samples;
mod saved;
mod share;
#[path = "../stages/mod.rs"]
mod stages;
mod states;
mod stream_out;
mod tables;
mod tessellation;
mod textures;

use rig::{Encoding, Ran, Scene, Target};

/// Runs a scene in both encodings; their pictures must be equal, and what the picture of that name is.
fn both(name: &str, build: impl Fn(&mut Scene) -> Target) {
    both_like(name, golden::same, build);
}

/// As [`both`], if the picture is of lines one pixel wide, many of which lie side by side.
fn both_wired(name: &str, build: impl Fn(&mut Scene) -> Target) {
    both_like(name, golden::wires, build);
}

fn both_like(name: &str, check: golden::Check, build: impl Fn(&mut Scene) -> Target) {
    let run = |encoding| {
        let mut scene = Scene::new(encoding);
        let target = build(&mut scene);
        let records = record::records(name, &scene, &target);
        record::write(name, encoding, &records);
        let replayed = (encoding == Encoding::Standard && scene.lacks.is_empty()).then(|| play::play(&records));
        let mut ran: Ran = scene.run();
        let picture = ran.picture(&target);
        ran.finish();
        if let Some(replayed) = replayed {
            assert!(
                replayed.faults.is_empty() && replayed.pictures == [picture.clone()],
                "{name}: the recording differs"
            );
        }
        ([target.width, target.height], picture)
    };
    let (size, standard) = run(Encoding::Standard);
    let (_, private) = run(Encoding::Private);
    assert!(standard == private, "{name}: the encodings differ");
    golden::check(name, size, &standard, check);
}
