//! The table of states without one of its edges: whichever that is, it is noticed. By reads that are not declared, by results
//! that are out of date, or by the receiver's state at a draw.
#![cfg_attr(not(debug_assertions), allow(dead_code, reason = "reads are noted with debug assertions"))]

use crate::world::{self, Call, World};
use afterimage_d3d9::{DeviceState, Group};
use afterimage_d3d9_types::*;
use afterimage_state::{Edge, Edges, Found, Missed, collect_missed};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};

/// States that make a scene, and others, one by one with a draw behind each.
fn walk(mixed: bool, scene: &[Call], steps: &[Call]) -> (bool, Vec<Call>) {
    let mut calls = scene.to_vec();
    calls.push(Call::Draw);
    calls.extend(steps.iter().flat_map(|step| [step.clone(), Call::Draw]));
    (mixed, calls)
}

/// Every render, stage and sampler state turned off and set to something else.
fn each_state() -> Vec<Call> {
    let numbers =
        |name: &str| ENUMS.iter().find(|e| e.name == name).into_iter().flat_map(|e| e.items.iter().map(|i| i.1));
    let real = |state: &u32| *state < 256;
    let render =
        numbers("D3DRENDERSTATETYPE").filter(real).flat_map(|state| [0, 2].map(|value| Call::Render(state, value)));
    let stage = numbers("D3DTEXTURESTAGESTATETYPE")
        .filter(real)
        .flat_map(|state| [1, 3].map(|value| Call::Stage(0, state, value)));
    let sampler = numbers("D3DSAMPLERSTATETYPE")
        .filter(real)
        .flat_map(|state| [0, 2].map(|value| Call::Sampler(0, state, value)));
    render.chain(stage).chain(sampler).collect()
}

/// Whatever else a program sets, set to something else.
fn each_other() -> Vec<Call> {
    let mut calls = vec![
        Call::Texture(0, Some(1)),
        Call::Texture(0, Some(2)),
        Call::Lock(2),
        Call::Stream(0, true, 16),
        Call::Frequency(1, 2),
        Call::Indices(true),
        Call::Fvf(1),
        Call::Fvf(2),
        Call::Fvf(0),
        Call::Light(0, true),
        Call::SetLight(0, D3DLIGHT_POINT, 0.5),
        Call::Material(0.5),
        Call::ClipPlane(0, 0.5),
        Call::Viewport(1, 9),
        Call::Scissor(1, 9),
        Call::Target(Some(1)),
        Call::Target(Some(2)),
        Call::Depth(false),
        Call::Filtering(4),
    ];
    calls.extend([2, 3, 16, 256, 257, 300].map(|state| Call::Transform(state, 1.5)));
    for shader in 0..4 {
        calls.push(Call::VertexShader(Some(shader)));
        calls.push(Call::VertexConstants(9, vec![[shader as f32 + 1.0; 4]]));
        calls.push(Call::Whole(true, shader as u32, true));
        calls.push(Call::PixelShader(Some(shader)));
        calls.push(Call::PixelConstants(7, vec![[shader as f32 + 1.0; 4]]));
        calls.push(Call::Whole(false, shader as u32, true));
        calls.push(Call::VertexShader(None));
        calls.push(Call::PixelShader(None));
    }
    calls
}

/// Streams that reach every read: first those that are made for it, then some at random.
fn corpus() -> Vec<(bool, Vec<Call>)> {
    let on = |states: &[u32]| states.iter().map(|state| Call::Render(*state, 1)).collect::<Vec<_>>();
    let textured = [Call::Texture(0, Some(0)), Call::Stream(0, true, 0)];
    let lit = [
        on(&[D3DRS_LIGHTING, D3DRS_SPECULARENABLE, D3DRS_COLORVERTEX, D3DRS_CLIPPLANEENABLE, D3DRS_FOGENABLE]),
        vec![Call::Fvf(1), Call::Light(0, true), Call::Render(D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR)],
    ]
    .concat();
    let tested = [
        on(&[
            D3DRS_ALPHATESTENABLE,
            D3DRS_ALPHABLENDENABLE,
            D3DRS_SEPARATEALPHABLENDENABLE,
            D3DRS_STENCILENABLE,
            D3DRS_TWOSIDEDSTENCILMODE,
            D3DRS_SCISSORTESTENABLE,
            D3DRS_FOGENABLE,
        ]),
        vec![
            Call::Render(D3DRS_FOGTABLEMODE, D3DFOG_EXP),
            Call::Render(D3DRS_ADAPTIVETESS_Y, fourcc(*b"ATOC")),
            Call::PixelShader(Some(2)),
            Call::Sampler(0, D3DSAMP_ADDRESSU, D3DTADDRESS_BORDER),
            Call::Sampler(0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR),
            Call::Sampler(0, D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC),
        ],
        textured.to_vec(),
    ]
    .concat();
    let blended = [
        on(&[D3DRS_INDEXEDVERTEXBLENDENABLE, D3DRS_VERTEXBLEND, D3DRS_CLIPPLANEENABLE]),
        vec![Call::Fvf(3), Call::Stream(0, true, 0), Call::Target(Some(2)), Call::Render(D3DRS_MULTISAMPLEMASK, 1)],
    ]
    .concat();
    let refused = [Call::Fvf(0), Call::VertexShader(Some(3))];
    let mut corpus = vec![
        walk(false, &textured, &each_other()),
        walk(false, &lit, &each_state()),
        walk(false, &tested, &each_state()),
        walk(false, &lit, &each_other()),
        walk(false, &blended, &each_other()),
        walk(false, &blended, &[Call::Render(D3DRS_POINTSIZE, fourcc(*b"A2M1"))]),
        walk(true, &refused, &[Call::Draw, Call::Software(true), Call::Software(false), Call::VertexShader(None)]),
    ];
    let mut runner = TestRunner::deterministic();
    let stream = (prop::bool::weighted(0.2), prop::collection::vec(world::call(), 60..120));
    corpus.extend((0..20).filter_map(|_| Some(stream.new_tree(&mut runner).ok()?.current())));
    corpus
}

/// What a stream's checks miss on a device that follows these edges.
fn missed(mixed: bool, calls: &[Call], edges: Option<&'static Edges>) -> Vec<Missed> {
    let run = || {
        let mut world = World::new(mixed);
        if let Some(edges) = edges {
            world.rig.device.tracker().follow(edges);
        }
        calls.iter().for_each(|call| world.call(call));
    };
    collect_missed(run).1
}

#[test]
#[cfg(debug_assertions)]
fn every_edge_is_missed() {
    let corpus = corpus();
    for (mixed, calls) in &corpus {
        assert_eq!(missed(*mixed, calls, None), []);
    }
    let survivors = Edge::<DeviceState>::unnoticed(corpus.len(), |edges, index| {
        let (mixed, calls) = &corpus[index];
        !missed(*mixed, calls, Some(edges)).is_empty() || world::difference(*mixed, calls, Some(edges)).is_some()
    });
    assert!(survivors.is_empty(), "nothing notices that these are missing: {survivors:#?}");
}

/// `viewport => Viewport`, which the tests below do without.
fn seeded() -> &'static Edges {
    let edge = Edge::<DeviceState>::Reads { row: DeviceState::VIEWPORT.only().number, group: Group::Viewport };
    assert_eq!(format!("{edge:?}"), "viewport => Viewport");
    Edges::without(edge)
}

#[test]
fn a_result_that_is_out_of_date_is_named() {
    let missed = missed(false, &[Call::Draw, Call::Viewport(3, 9), Call::Draw], Some(seeded()));
    let stale = |missed: &Missed| match &missed.found {
        // The states are known in builds with debug assertions.
        Found::Stale { what, states } => {
            missed.group == "Viewport" && what.contains("x: 3.5") && states.iter().all(|state| state == "viewport")
        }
        Found::Undeclared(_) => false,
    };
    assert!(missed.iter().any(stale), "{missed:#?}");
}

#[test]
#[cfg(debug_assertions)]
fn a_read_that_is_not_declared_is_named() {
    let missed = missed(false, &[Call::Draw], Some(seeded()));
    let with_overrides: Vec<_> = missed.iter().map(ToString::to_string).collect();
    assert_eq!(with_overrides, ["group Viewport reads viewport, which does not mark it"]);
}

#[test]
fn a_random_stream_draws_otherwise_and_shrinks() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, random);
    let edges = seeded();
    let found = runner.run(&prop::collection::vec(world::call(), 1..120), |calls| {
        // The checks inside of the device are not asked.
        let (difference, _) = collect_missed(|| world::difference(false, &calls, Some(edges)));
        difference.map_or(Ok(()), |difference| Err(TestCaseError::fail(difference)))
    });
    let Err(TestError::Fail(reason, calls)) = found else { panic!("{found:?}") };
    assert!(reason.message().contains("SetViewport"), "{reason}");
    // A viewport, a draw, what changes the viewport, a draw.
    assert!(calls.len() <= 4, "{calls:#?}");
}

#[test]
fn states_have_numbers_and_names() {
    let found = DeviceState::RENDER.only().plus(D3DRS_FOGSTART);
    assert_eq!(format!("{found:?}"), "D3DRS_FOGSTART");
    assert_eq!(DeviceState::RENDER.place(found), Some((0, D3DRS_FOGSTART)));
    assert!(!DeviceState::SAMPLER.contains(found));
    assert_eq!(format!("{:?}", DeviceState::SAMPLER.at(3).plus(D3DSAMP_MINFILTER)), "sampler 3 D3DSAMP_MINFILTER");
    assert_eq!(format!("{:?}", DeviceState::TARGET.at(1)), "target 1");
}
