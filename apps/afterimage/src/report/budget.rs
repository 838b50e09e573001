//! How much the page holds, and of what: pictures of frames first, then what calls left behind, evenly through the capture; details of
//! calls of whole frames, evenly. Where something went wrong more is told.

use super::room::{Of, Room, due};
use std::ops::Range;

/// Of what remains after the frames, what textures may have: one part of so many.
const TEXTURES: usize = 4;

/// What there is no room for, and which option makes more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// Different pictures.
    Pictures,
    /// Bytes of the page.
    Size,
}

impl Full {
    /// The option that makes more room.
    pub(super) const fn option(self) -> &'static str {
        match self {
            Self::Pictures => "--max-pictures",
            Self::Size => "--max-size",
        }
    }
}

/// What is left of the pictures that a page may hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    most: usize,
    /// Frames, and calls whose pictures are wanted.
    frames: Part,
    calls: Part,
    textures: Part,
    /// Frames whose turn has come.
    seen: usize,
    /// Places of frames, and of calls among those that are wanted, around the first thing that went wrong.
    wrong: [Range<usize>; 2],
}

/// Pictures of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// How many may take one.
    of: usize,
    /// Different pictures that were taken.
    taken: usize,
    /// Pictures that were not: for their number, and for the page's size.
    refused: [usize; 2],
}

impl Budget {
    /// For a page with `most` different pictures, of so many frames and calls. Frames and calls around what went wrong first, by their places,
    /// do not wait until it is their turn.
    pub(super) fn new(most: usize, frames: usize, calls: usize, wrong: [Range<usize>; 2]) -> Self {
        let part = |of| Part { of, ..Part::default() };
        Self { most, frames: part(frames), calls: part(calls), textures: Part::default(), seen: 0, wrong }
    }

    /// What frames may have: one each, where that is no more than half of all.
    fn for_frames(&self) -> usize {
        self.most.div_ceil(2).min(self.frames.of)
    }

    /// What is left for all else.
    fn rest(&self) -> usize {
        self.most - self.for_frames()
    }

    /// Whether the frame at a place may have a picture: each, or evenly as many as there may be, in half of the bytes.
    pub(super) fn frame(&mut self, place: usize, room: &Room) -> Result<(), Full> {
        self.seen = self.seen.max(place + 1);
        let last = if self.wrong[0].contains(&place) { self.frames.of } else { place };
        let bytes = due(room.most() / 2, last, self.frames.of);
        may(self.frames.taken < share(self.for_frames(), last, self.frames.of), room.spent(Of::Frames) < bytes)
    }

    /// Whether a picture may be taken behind the call at a place among those that are wanted. What calls and frames before it did not need
    /// is its too.
    pub(super) fn call(&self, place: usize, room: &Room) -> Result<(), Full> {
        let last = if self.wrong[1].contains(&place) { self.calls.of } else { place };
        let half = room.most() / 2;
        let bytes =
            due(half, last, self.calls.of).saturating_add(due(half, self.seen.saturating_sub(1), self.frames.of));
        let spent = [Of::Frames, Of::Calls, Of::Textures].iter().map(|of| room.spent(*of)).sum::<u64>();
        may(self.calls.taken < share(self.rest() - self.textures.taken, last, self.calls.of), spent < bytes)
    }

    /// Whether a level or layer of a texture may be shown.
    pub(super) fn texture(&self, room: &Room) -> Result<(), Full> {
        let count = self.textures.taken < self.rest().div_ceil(TEXTURES);
        let bytes = room.most() / 2 / TEXTURES as u64;
        may(count && self.textures.taken + self.calls.taken < self.rest(), room.spent(Of::Textures) < bytes)
    }

    /// A frame's picture is new.
    pub(super) fn take_frame(&mut self) {
        self.frames.taken += 1;
    }

    /// A call's picture is new.
    pub(super) fn take_call(&mut self) {
        self.calls.taken += 1;
    }

    /// A texture's picture is new.
    pub(super) fn take_texture(&mut self) {
        self.textures.taken += 1;
    }

    /// A frame has none.
    pub(super) fn refuse_frame(&mut self, why: Full) {
        self.frames.refused[why as usize] += 1;
    }

    /// A call lacks some or all.
    pub(super) fn refuse_call(&mut self, why: Full) {
        self.calls.refused[why as usize] += 1;
    }

    /// A level or layer of a texture is not shown.
    pub(super) fn refuse_texture(&mut self, why: Full) {
        self.textures.refused[why as usize] += 1;
    }

    /// What was left out for its number, or for the page's size, in words; nothing if nothing was.
    pub(super) fn left_out(&self, why: Full) -> Option<String> {
        let parts: Vec<_> =
            [(&self.frames, "frames"), (&self.calls, "calls"), (&self.textures, "levels and layers of textures")]
                .into_iter()
                .map(|(part, what)| (part.refused[why as usize], what))
                .filter(|(refused, _)| *refused > 0)
                .map(|(refused, what)| format!("{refused} {what}"))
                .collect();
        let joined = match parts.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        let bound = match why {
            Full::Pictures => format!("holds {} different ones at most", self.most),
            Full::Size => "would be too large".into(),
        };
        Some(format!("pictures of {joined} were left out, evenly: the page {bound} ({})", why.option()))
    }
}

/// Whether neither the number nor the bytes are used up.
fn may(count: bool, bytes: bool) -> Result<(), Full> {
    match (count, bytes) {
        (false, _) => Err(Full::Pictures),
        (true, false) => Err(Full::Size),
        (true, true) => Ok(()),
    }
}

/// Of how many of its first calls each frame has details, where frames have so many calls: of all, or of as many whole frames as there
/// may be: those around what went wrong, the others evenly. Only the last of each of these may be cut short.
pub(super) fn shown(frames: &[usize], most: usize, wrong: &Range<usize>) -> Vec<usize> {
    let mut left = most;
    let mut shown: Vec<usize> = frames
        .iter()
        .enumerate()
        .map(|(place, count)| {
            let shown = if wrong.contains(&place) { left.min(*count) } else { 0 };
            left -= shown;
            shown
        })
        .collect();
    let others = || frames.iter().enumerate().filter(|(place, _)| !wrong.contains(place));
    let all: usize = others().map(|(_, count)| count).sum();
    let (mut before, mut taken) = (0usize, 0usize);
    for (place, count) in others() {
        let due = all <= left || taken as u128 * all as u128 <= left as u128 * before as u128;
        shown[place] = if due { (*count).min(left - taken) } else { 0 };
        (before, taken) = (before + count, taken + shown[place]);
    }
    shown
}

/// How many of `all` the first `place + 1` of `of` have together.
fn share(all: usize, place: usize, of: usize) -> usize {
    if of == 0 {
        return 0;
    }
    if place >= of {
        return all;
    }
    ((place as u128 + 1) * all as u128).div_ceil(of as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::{Budget, Full, shown};
    use crate::report::room::{Of, Room};

    /// A page of any size.
    fn any() -> Room {
        Room::new(u64::MAX)
    }

    fn budget(most: usize, frames: usize, calls: usize) -> Budget {
        Budget::new(most, frames, calls, [0..0, 0..0])
    }

    /// Offers a picture of so many bytes behind each call; the calls that have one.
    fn calls(budget: &mut Budget, room: &mut Room, count: usize, bytes: usize) -> Vec<usize> {
        let may = |place: &usize| match budget.call(*place, room) {
            Ok(()) => {
                budget.take_call();
                room.wait(Of::Calls, 2 * bytes);
                room.arrive(Of::Calls, 2 * bytes, bytes);
                true
            }
            Err(why) => {
                budget.refuse_call(why);
                false
            }
        };
        (0..count).filter(may).collect()
    }

    /// The same of frames.
    fn frames(budget: &mut Budget, room: &mut Room, count: usize, bytes: usize) -> Vec<usize> {
        let may = |place: &usize| match budget.frame(*place, room) {
            Ok(()) => {
                budget.take_frame();
                room.wait(Of::Frames, 2 * bytes);
                room.arrive(Of::Frames, 2 * bytes, bytes);
                true
            }
            Err(why) => {
                budget.refuse_frame(why);
                false
            }
        };
        (0..count).filter(may).collect()
    }

    #[test]
    fn frames_come_first_and_calls_share_the_rest_evenly() {
        let mut budget = budget(30, 10, 100);
        assert_eq!(frames(&mut budget, &mut any(), 10, 5).len(), 10);
        let taken = calls(&mut budget, &mut any(), 100, 5);
        assert_eq!(taken, (0..100).step_by(5).collect::<Vec<_>>());
        let said = budget.left_out(Full::Pictures).expect("80 were");
        assert!(said.contains("of 80 calls were") && said.contains("30 different"), "{said}");
        assert_eq!(budget.left_out(Full::Size), None);
    }

    #[test]
    fn bytes_are_shared_as_pictures_are() {
        let (mut budget, mut room) = (budget(10_000, 100, 1000), Room::new(8000));
        // Half is for frames, of which an eighth may be had at once.
        let taken = frames(&mut budget, &mut room, 100, 100);
        assert_eq!(taken[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(taken[9..].windows(2).all(|pair| (2..=3).contains(&(pair[1] - pair[0]))), "{taken:?}");
        assert_eq!(taken.len(), 40);
        let taken = calls(&mut budget, &mut room, 1000, 10);
        assert_eq!(taken.len(), 400, "the other half");
        assert!(taken.windows(2).all(|pair| pair[1] - pair[0] <= 3), "{taken:?}");
        assert_eq!(room.left(), 0);
        let said = budget.left_out(Full::Size).expect("some were");
        assert!(said.contains("60 frames and 600 calls") && said.contains("--max-size"), "{said}");
        assert_eq!(budget.left_out(Full::Pictures), None);
    }

    #[test]
    fn calls_have_the_bytes_that_frames_do_not_need() {
        let (mut budget, mut room) = (budget(10_000, 10, 100), Room::new(8000));
        assert_eq!(frames(&mut budget, &mut room, 10, 10).len(), 10);
        assert_eq!(calls(&mut budget, &mut room, 100, 100).len(), 79);
    }

    #[test]
    fn where_something_went_wrong_nothing_waits_for_its_turn() {
        let mut budget = Budget::new(40, 100, 100, [50..53, 60..70]);
        let taken = frames(&mut budget, &mut any(), 100, 1);
        assert!([50, 51, 52].iter().all(|place| taken.contains(place)) && taken.len() == 20, "{taken:?}");
        let taken = calls(&mut budget, &mut any(), 100, 1);
        assert!((60..68).all(|place| taken.contains(&place)) && taken.len() == 20, "{taken:?}");
        let some = shown(&[10; 100], 200, &(50..53));
        assert_eq!((some.iter().sum::<usize>(), &some[50..53]), (200, [10; 3].as_slice()));
        assert!(some[..50].contains(&10) && some[53..].contains(&10), "{some:?}");
        assert_eq!(shown(&[10; 4], 15, &(1..4)), [0, 10, 5, 0]);
    }

    #[test]
    fn whole_frames_have_details_evenly() {
        assert_eq!(shown(&[3, 4, 5], 12, &(0..0)), [3, 4, 5]);
        let some = shown(&[10; 100], 200, &(0..0));
        assert_eq!(some.iter().sum::<usize>(), 200);
        assert!(
            some.iter().enumerate().all(|(place, count)| *count == if place % 5 == 0 { 10 } else { 0 }),
            "{some:?}"
        );
        assert_eq!(shown(&[0, 1000, 1000], 30, &(0..0)), [0, 30, 0], "also of one that is larger");
        assert_eq!(shown(&[7, 7], 0, &(0..0)), [0, 0]);
        assert!(shown(&[], 5, &(0..0)).is_empty());
    }

    #[test]
    fn few_pictures_are_spread_over_the_frames() {
        let mut budget = budget(5, 9, 50);
        assert_eq!(frames(&mut budget, &mut any(), 9, 1), [0, 3, 6]);
        assert_eq!(calls(&mut budget, &mut any(), 50, 1).len(), 2, "what frames leave to them");
        assert_eq!(budget.texture(&any()), Err(Full::Pictures));
    }

    #[test]
    fn what_is_not_needed_is_left_to_those_behind() {
        let mut budget = budget(10, 0, 10);
        for place in 0..9 {
            // What they left behind was there already.
            assert_eq!(budget.call(place, &any()), Ok(()));
        }
        for _ in 0..10 {
            assert_eq!(budget.call(9, &any()), Ok(()));
            budget.take_call();
        }
        assert_eq!(budget.call(9, &any()), Err(Full::Pictures));
        assert_eq!(budget.left_out(Full::Pictures), None);
    }

    #[test]
    fn textures_have_a_part_of_their_own() {
        let mut budget = budget(8, 0, 4);
        let mut room = Room::new(8000);
        for _ in 0..2 {
            assert_eq!(budget.texture(&room), Ok(()));
            budget.take_texture();
        }
        assert_eq!(budget.texture(&room), Err(Full::Pictures));
        let mut calls = 0;
        for place in 0..4 {
            while budget.call(place, &any()).is_ok() {
                budget.take_call();
                calls += 1;
            }
        }
        assert_eq!(calls, 6, "all of the rest");
        let mut none = Budget::new(0, 3, 3, [0..0, 0..0]);
        assert!(none.frame(2, &any()).is_err() && none.call(2, &any()).is_err() && none.texture(&any()).is_err());
        room.wait(Of::Textures, 1000);
        assert_eq!(Budget::new(8, 0, 4, [0..0, 0..0]).texture(&room), Err(Full::Size));
    }
}
