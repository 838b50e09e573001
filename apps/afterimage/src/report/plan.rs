//! What of a capture the page tells: which frames, details of which calls, and behind which there are pictures.

use super::{Args, budget};
use crate::Failure;
use afterimage_inspect::{Call, CallKind, Capture, Frame};
use std::collections::HashMap;
use std::ops::Range;

/// What the page tells.
pub(super) struct Plan<'a> {
    capture: &'a Capture,
    /// The frames that are asked for.
    pub(super) frames: Vec<&'a Frame>,
    /// Of how many of its first calls each of them has details.
    shown: Vec<usize>,
    /// Calls behind which pictures are asked for, in order.
    pub(super) wanted: Vec<Call>,
    /// Places of frames around the first with a packet that is rejected, and of their calls among those that are wanted.
    pub(super) wrong: [Range<usize>; 2],
}

impl<'a> Plan<'a> {
    /// What is asked for, and for how many calls there is room.
    pub(super) fn new(args: &Args, capture: &'a Capture) -> Result<Self, Failure> {
        let all = capture.frames();
        let frames: Vec<&Frame> =
            all.iter().filter(|frame| args.frames.as_ref().is_none_or(|some| some.contains(frame.number))).collect();
        if let (Some(_), true) = (&args.frames, frames.is_empty()) {
            let span = all.first().zip(all.last()).map(|(a, b)| format!("{} to {}", a.number, b.number));
            return Err(Failure::new(format!(
                "{} has none of these frames; it has {}",
                args.file.display(),
                span.unwrap_or_else(|| "no whole frame".into())
            )));
        }
        let wants =
            |call: &Call| call.kind != CallKind::Query && args.calls.as_ref().is_none_or(|set| set.contains(call));
        let wrong =
            capture.problems().first().and_then(|problem| frames.iter().position(|f| f.number == problem.frame));
        let wrong = wrong.map_or(0..0, |place| place.saturating_sub(1)..frames.len().min(place + 2));
        let mut plan = Self { capture, frames, shown: Vec::new(), wanted: Vec::new(), wrong: [wrong, 0..0] };
        // Frames with none of the calls whose pictures are asked for have no details either.
        let count = |calls: &[Call]| if calls.iter().any(wants) { calls.len() } else { 0 };
        let counts: Vec<usize> = (0..plan.frames.len()).map(|place| count(plan.calls(place))).collect();
        plan.shown = budget::shown(&counts, args.max_calls, &plan.wrong[0]);
        let mut starts = Vec::with_capacity(plan.frames.len() + 1);
        for place in 0..plan.frames.len() {
            starts.push(plan.wanted.len());
            let calls: Vec<Call> = plan.detailed(place).iter().filter(|call| wants(call)).copied().collect();
            plan.wanted.extend(calls);
        }
        starts.push(plan.wanted.len());
        plan.wrong[1] = starts[plan.wrong[0].start]..starts[plan.wrong[0].end];
        Ok(plan)
    }

    /// The calls of the frame at a place.
    pub(super) fn calls(&self, place: usize) -> &'a [Call] {
        let calls = &self.frames[place].calls;
        &self.capture.calls()[calls.start as usize..calls.end as usize]
    }

    /// Those of them that have details.
    pub(super) fn detailed(&self, place: usize) -> &'a [Call] {
        &self.calls(place)[..self.shown[place]]
    }

    /// Calls of all frames.
    pub(super) fn all_calls(&self) -> usize {
        (0..self.frames.len()).map(|place| self.calls(place).len()).sum()
    }

    /// Calls that have details.
    pub(super) fn all_detailed(&self) -> usize {
        self.shown.iter().sum()
    }

    /// The places of the frames by their numbers.
    pub(super) fn places(&self) -> HashMap<u64, usize> {
        self.frames.iter().enumerate().map(|(place, frame)| (frame.number, place)).collect()
    }
}
