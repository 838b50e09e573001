//! The GPU's table of states: what is tracked is what everything dirty gives, and every edge of the table is missed by somebody.

mod rig;

use afterimage_gnm_types::{GnmStates, Group, reg};
use afterimage_state::{Edge, Edges, Found, collect_missed};
use afterimage_stream::first_difference;
use proptest::prelude::*;
use rig::{Op, Rig, ops, streams};

/// Draws a stream, and returns what was missed on the way.
fn missed(edges: Option<&'static Edges>, ops: &[Op]) -> Vec<afterimage_state::Missed> {
    let mut rig = Rig::new(edges);
    collect_missed(|| rig.run(ops, false)).1
}

/// The first draw that is another where everything is dirty at each.
fn difference(edges: Option<&'static Edges>, ops: &[Op]) -> Option<String> {
    // What an apply function reads is not this test's business.
    let (tracked, _) = collect_missed(|| Rig::new(edges).run(ops, false));
    let all = Rig::new(None).run(ops, true);
    first_difference(&tracked, &all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

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
        Edge::<GnmStates>::unnoticed(streams.len(), |without, at| !missed(Some(without), &streams[at]).is_empty());
    assert!(unnoticed.is_empty(), "nothing notices {unnoticed:?}");
}

/// One missing edge: noticed by what is read, by what is computed again, and by what the receiver has.
#[test]
fn a_missing_edge_is_noticed_in_three_ways() {
    let state = GnmStates::register(reg::CB_BLEND_RED).expect("a register");
    let without = Edges::without(Edge::<GnmStates>::Reads { row: state.number, group: Group::Blend });
    let ops = [Op::Draw, Op::Draw, Op::Set(reg::CB_BLEND_RED, 1f32.to_bits()), Op::Draw];
    let missed = missed(Some(without), &ops);
    if cfg!(debug_assertions) {
        assert!(missed.iter().any(|missed| missed.found == Found::Undeclared("CB_BLEND_RED".to_owned())), "{missed:?}");
        let stale = |found: &Found| matches!(found, Found::Stale { states, .. } if *states == ["CB_BLEND_RED"]);
        assert!(missed.iter().any(|missed| missed.group == "Blend" && stale(&missed.found)), "{missed:?}");
    }
    let difference = difference(Some(without), &ops).expect("another constant");
    assert!(difference.starts_with("draw 2: blend: "), "{difference}");
}

/// A draw that is not done, as its stages do not go together, does not leave the next one to be done like the last that was.
#[test]
fn what_is_left_out_stays_left_out() {
    let ops = [Op::Draw, Op::Draw, Op::Set(reg::VGT_SHADER_STAGES_EN, 1), Op::Draw, Op::Draw];
    assert_eq!(difference(None, &ops), None);
    assert_eq!(Rig::new(None).run(&ops, false).len(), 2);
}
