//! The groups that a draw, a clear or a dispatch needs, as sets.

use afterimage_gnm_types::{Group, Groups};

const fn level(groups: &[Group]) -> Groups {
    let (mut bits, mut at) = (0, 0);
    while at < groups.len() {
        bits |= 1 << groups[at] as u64;
        at += 1;
    }
    Groups::of_bits(bits)
}

/// All groups of draws.
const ALL: u64 = (2 << Group::PixelKey as u64) - 1;
/// What is asked before anything is done for a draw.
pub(super) const PLAN: Groups = level(&[Group::Plan]);
pub(super) const VERTEX_STAGE: Groups = level(&[Group::VertexStage]);
pub(super) const STAGES: Groups = level(&[Group::VertexStage, Group::PixelStage]);
pub(super) const DESCRIPTION: Groups = level(&[Group::Targets]);
/// What clears and whatever else is about targets alone needs.
pub(super) const TARGETS: Groups = level(&[Group::Targets, Group::Surfaces]);
/// What needs stages and targets.
pub(super) const STATES: Groups = Groups::of_bits((1 << Group::PixelKey as u64) - (1 << Group::Viewport as u64));
pub(super) const PIXEL_KEY: Groups = level(&[Group::PixelKey]);
/// All that a draw without a pixel stage needs.
pub(super) const DRAW: Groups = Groups::of_bits(ALL & !(1 << Group::PixelStage as u64 | 1 << Group::PixelKey as u64));
/// All that a draw with a pixel stage needs.
pub(super) const DRAW_PIXELS: Groups = Groups::of_bits(ALL);
/// All that a dispatch needs.
pub(super) const DISPATCH: Groups = level(&[Group::ComputeStage, Group::ComputeKey]);
