//! Kelvin's table of states: what is tracked is what everything dirty gives, and every edge of the table is missed by somebody.

mod rig;

use afterimage_nv2a_types::{Group, KelvinStates, method};
use afterimage_state::{Edge, Edges, Found, State, collect_missed};
use afterimage_stream::first_difference;
use proptest::prelude::*;
use rig::{Op, Rig, ops, streams};

/// Draws a stream, and returns what was missed on the way.
fn missed(edges: Option<&'static Edges>, ops: &[Op]) -> Vec<afterimage_state::Missed> {
    let mut rig = Rig::new();
    if let Some(edges) = edges {
        rig.kelvin.registers.tracker.follow(edges);
    }
    collect_missed(|| rig.run(ops, false)).1
}

/// The first draw that is another where everything is dirty at each.
fn difference(edges: Option<&'static Edges>, ops: &[Op]) -> Option<String> {
    let mut tracked = Rig::new();
    if let Some(edges) = edges {
        tracked.kelvin.registers.tracker.follow(edges);
    }
    let mut all = Rig::new();
    // What an apply function reads is not this test's business.
    let (tracked, _) = collect_missed(|| tracked.run(ops, false));
    let all = all.run(ops, true);
    first_difference(&tracked, &all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_is_tracked_is_what_everything_dirty_gives(ops in ops()) {
        prop_assert_eq!(difference(None, &ops), None);
    }
}

/// Every edge of the table, taken out: some stream has a group read what does not mark it, or keep what is out of date.
#[test]
#[cfg(debug_assertions)]
fn every_edge_is_missed_by_somebody() {
    let streams = streams();
    for stream in &streams {
        assert_eq!(missed(None, stream), []);
    }
    let unnoticed =
        Edge::<KelvinStates>::unnoticed(streams.len(), |without, at| !missed(Some(without), &streams[at]).is_empty());
    assert!(unnoticed.is_empty(), "nothing notices {unnoticed:?}");
}

/// One missing edge: noticed by what is read, by what is computed again, and by what the receiver has.
#[test]
fn a_missing_edge_is_noticed_in_three_ways() {
    let state = State::<KelvinStates>::of(u32::from(method::SET_BLEND_COLOR / 4));
    let without = Edges::without(Edge::<KelvinStates>::Reads { row: state.number, group: Group::Blend });
    let ops =
        [Op::Set(method::SET_BLEND_ENABLE, 1), Op::Draw(5), Op::Set(method::SET_BLEND_COLOR, 0x0102_0304), Op::Draw(5)];
    let missed = missed(Some(without), &ops);
    if cfg!(debug_assertions) {
        assert!(
            missed.iter().any(|missed| missed.found == Found::Undeclared("SET_BLEND_COLOR".to_owned())),
            "{missed:?}"
        );
        let stale = |found: &Found| matches!(found, Found::Stale { states, .. } if *states == ["SET_BLEND_COLOR"]);
        assert!(missed.iter().any(|missed| missed.group == "Blend" && stale(&missed.found)), "{missed:?}");
    }
    let difference = difference(Some(without), &ops).expect("another constant");
    assert!(difference.starts_with("draw 1: blend: "), "{difference}");
}
