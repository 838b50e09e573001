//! What is tracked is what is computed: random streams against a renderer that applies everything for each draw, and every edge of
//! the table taken out once.

#[path = "../tests/common/mod.rs"]
mod common;

use crate::pipeline::key::Key;
use crate::pipeline::pipelines::Pipelines;
use crate::pipeline::raster::Raster;
use crate::{Renderer, Without};
use afterimage_state::{Edge, Edges, Group as _, Missed, collect_missed};
use afterimage_stream::{Group, Host, ObjectId};
use common::streams::{Op, Scene, ops, walk};
use common::*;
use proptest::prelude::*;
use std::cell::Cell;

/// What Vulkan has at a draw, without handles.
#[derive(Debug, PartialEq)]
struct Effective {
    key: Option<(Key, String, Option<Raster>)>,
    recorded: String,
    textures: Vec<(ObjectId, u32)>,
    vertices: Vec<String>,
    blocks: Vec<Option<Vec<u8>>>,
    system: Option<[[u32; 4]; 30]>,
    images: bool,
    captures: bool,
}

impl Effective {
    fn of(r: &Renderer) -> Self {
        let recorded = &r.bound.recorded;
        let system = recorded.system.filter(|_| r.needs_system());
        let words = (0..20).filter(|slot| r.bound.shading.used >> slot & 1 != 0).map(|slot| match &recorded.slot_key {
            Some(key) => key.words[slot],
            None => r.bound.push[crate::resources::descriptors::PUSH_TEXTURES + slot],
        });
        // Numbers of descriptors go to others when the GPU is done with them, so they may differ; what they mean may not.
        let textures = words.map(|word| {
            let index = word & 0xf_ffff;
            let named = |t: &&crate::resources::texture::Texture| t.index == index || t.srgb_index == index;
            (r.resources.textures.iter().find(named).map_or(ObjectId::NONE, |t| t.desc.id), word >> 20)
        });
        // Guesses ask for numbers of layouts, formats and blend states, too, when their shaders are translated: likewise.
        let key = recorded.key.map(|(key, back)| {
            let Pipelines { inputs, targets, blends, .. } = &r.programs.pipelines;
            let meant = (inputs.get(key.input), targets.get(key.targets), blends.get(key.blend));
            (Key { input: 0, targets: 0, blend: 0, ..key }, format!("{meant:?}"), back)
        });
        Self {
            key,
            recorded: format!(
                "{:?}",
                (
                    recorded.topology,
                    recorded.restart,
                    (recorded.viewport, &recorded.viewports, recorded.depth_bounds),
                    (recorded.scissor, &recorded.scissors),
                    recorded.raster,
                    recorded.tests,
                    recorded.blend.clone().map(|blend| blend.effective()),
                )
            ),
            textures: textures.collect(),
            vertices: (0..16)
                .filter(|slot| r.bound.input.slots >> slot & 1 != 0)
                .map(|slot| recorded.vertices[slot].map_or_else(String::new, |bound| bound.shape()))
                .chain([format!("{:?}", (r.bound.vertex_limit, r.bound.index_limit))])
                .collect(),
            blocks: r
                .bound
                .blocks
                .iter()
                .take(2)
                .map(|b| b.as_ref().map(|b| without_addresses(r, b.bytes())))
                .collect(),
            system,
            images: r.bound.shading.reach.images && recorded.image_key.is_some(),
            captures: r.is_feedback_open(),
        }
    }
}

/// A block of constants; where a shader has the addresses of buffers there, only that it has them.
fn without_addresses(r: &Renderer, block: &[u8]) -> Vec<u8> {
    let buffers =
        r.bound.shading.vertex.iter().chain(&r.bound.shading.pixel).any(|variant| !variant.buffers.is_empty());
    if buffers { vec![block.len() as u8] } else { block.to_vec() }
}

/// Runs a stream; what there is at each draw that is not dropped, and the picture.
fn run(guest: &mut Guest, ops: &[Op]) -> (Vec<Option<Effective>>, Vec<[u8; 4]>) {
    let scene = Scene::new(guest);
    let mut draws = Vec::new();
    for op in ops {
        let draws_now = scene.encode(guest, *op);
        let skipped = guest.renderer.skipped_draws();
        // What cannot be done costs what was being done, in both ways alike.
        let refused = guest.try_run().is_err();
        if draws_now {
            let drawn = !refused && guest.renderer.skipped_draws() == skipped;
            draws.push(drawn.then(|| Effective::of(&guest.renderer)));
        }
    }
    (draws, guest.pixels_or_errors())
}

fn profiles() -> [Without; 2] {
    [Without::default(), Without { bindless: true, dynamic_state3: true, ..Without::default() }]
}

/// The renderer of a guest, for the next.
fn restarted(guest: Guest) -> Renderer {
    let mut renderer = guest.renderer;
    renderer.restart(&mut |_| {}).unwrap();
    renderer
}

#[test]
fn what_is_tracked_is_what_is_computed() {
    for without in profiles() {
        let renderers = [Cell::new(None), Cell::new(None)];
        let both = |ops: &[Op]| {
            [false, true].map(|everything| {
                let place = &renderers[usize::from(everything)];
                let mut renderer = place.take().unwrap_or_else(|| Guest::with(without).renderer);
                renderer.apply_everything(everything);
                let mut guest = Guest::over(renderer);
                let result = run(&mut guest, ops);
                assert_eq!(guest.renderer.validation_messages(), 0, "see the log");
                place.set(Some(restarted(guest)));
                result
            })
        };
        let [tracked, all] = both(&walk());
        for (draw, (tracked, all)) in tracked.0.iter().zip(&all.0).enumerate() {
            assert_eq!(tracked, all, "draw {draw}");
        }
        assert!(tracked == all, "the pictures differ");
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 24,
            failure_persistence: None,
            ..Default::default()
        });
        let checked = runner.run(&ops(), |ops| {
            let [tracked, all] = both(&ops);
            prop_assert_eq!(tracked, all);
            Ok(())
        });
        checked.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// What is missed first in a walk, where marks follow these edges.
fn missed(renderer: Renderer, edges: &'static Edges) -> (Renderer, Vec<Missed>) {
    let mut guest = Guest::over(renderer);
    guest.renderer.state.tracker.follow(edges);
    let mut found = Vec::new();
    let (scene, at_once) = collect_missed(|| Scene::new(&mut guest));
    found.extend(at_once);
    for op in walk() {
        if !found.is_empty() {
            break;
        }
        scene.encode(&mut guest, op);
        let (_, missed) = collect_missed(|| guest.try_run());
        found.extend(missed);
    }
    (restarted(guest), found)
}

#[test]
#[cfg(debug_assertions)]
fn every_edge_is_missed_by_somebody() {
    let mut edges = Edge::<Host>::all();
    assert!(edges.len() > 100);
    // Tables of textures are in tests of their own.
    let tables = Host::TABLES.only().number;
    edges.retain(|edge| !matches!(edge, Edge::Reads { row, .. } if *row == tables));
    for without in profiles() {
        let mut renderer = Some(Guest::with(without).renderer);
        edges.retain(|edge| {
            let (back, missed) = missed(renderer.take().expect("it comes back"), Edges::without(*edge));
            renderer = Some(back);
            missed.is_empty()
        });
    }
    assert!(edges.is_empty(), "nobody misses {edges:?}");
}

/// Without `VIEWPORT => Viewport` each of the checks says so by itself.
#[test]
#[cfg(debug_assertions)]
fn a_missing_edge_is_noticed_in_each_way() {
    let row = Host::VIEWPORT.only().number;
    let edges = Edges::without(Edge::<Host>::Reads { row, group: Group::Viewport });
    let stream = [Op(28, 3, 0), Op(1, 1, 0), Op(21, 0, 0), Op(28, 3, 0)];
    let mut guest = Guest::new();
    guest.renderer.state.tracker.follow(edges);
    let (tracked, missed) = collect_missed(|| run(&mut guest, &stream));
    let told: Vec<_> = missed.iter().map(ToString::to_string).collect();
    let says = |what: &str| assert!(told.iter().any(|told| told.contains(what)), "{what}: {told:?}");
    says("group Viewport reads viewport, which does not mark it");
    says("group Viewport was clean, but its result is another");
    says("changed since: viewport");
    let mut guest = Guest::new();
    guest.renderer.apply_everything(true);
    let all = run(&mut guest, &stream);
    assert_eq!(tracked.0[0], all.0[0]);
    assert_ne!(tracked.0[1], all.0[1]);
    assert_ne!(tracked.1, all.1, "another viewport is another picture");
}

#[test]
fn calls_that_set_what_there_is_are_not_made() {
    let mut guest = Guest::new();
    let scene = Scene::new(&mut guest);
    for n in 0..20 {
        scene.encode(&mut guest, Op(3, n % 2, 0));
        scene.encode(&mut guest, Op(28, 3, 0));
    }
    guest.run();
    let calls = guest.renderer.stats.calls;
    assert!(calls.made < 80 && calls.saved() > 15 * calls.of_draw && calls.of_draw > 20, "{calls:?}");
    let figures = guest.renderer.state_figures();
    assert_eq!(figures.draws, 20);
    assert!(figures.applied > 0 && figures.applied < 20 * Group::ALL.len() as u64 / 4, "{figures:?}");
    guest.finish();
}
