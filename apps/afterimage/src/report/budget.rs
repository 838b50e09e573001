//! How much the page holds, and of what: pictures of frames first, then what calls left behind, evenly through the capture; details of
//! calls of whole frames, evenly.

/// Of what remains after the frames, what textures may have: one part of so many.
const TEXTURES: usize = 4;

/// What is left of the pictures that a page may hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    most: usize,
    /// Frames, and calls whose pictures are wanted.
    frames: Part,
    calls: Part,
    textures: Part,
}

/// Pictures of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// How many may take one.
    of: usize,
    /// Different pictures that were taken.
    taken: usize,
    /// Pictures that were not.
    refused: usize,
}

impl Budget {
    /// For a page with `most` different pictures, of so many frames and calls.
    pub(super) fn new(most: usize, frames: usize, calls: usize) -> Self {
        let part = |of| Part { of, ..Part::default() };
        Self { most, frames: part(frames), calls: part(calls), textures: Part::default() }
    }

    /// What frames may have: one each, where that is no more than half of all.
    fn for_frames(&self) -> usize {
        self.most.div_ceil(2).min(self.frames.of)
    }

    /// What is left for all else.
    fn rest(&self) -> usize {
        self.most - self.for_frames()
    }

    /// Whether the frame at a place may have a picture: each, or evenly as many as there may be.
    pub(super) fn frame(&self, place: usize) -> bool {
        self.frames.taken < share(self.for_frames(), place, self.frames.of)
    }

    /// Whether a picture may be taken behind the call at a place among those that are wanted. What calls before it did not need is
    /// its too.
    pub(super) fn call(&self, place: usize) -> bool {
        self.calls.taken < share(self.rest() - self.textures.taken, place, self.calls.of)
    }

    /// Whether a level or layer of a texture may be shown.
    pub(super) fn texture(&self) -> bool {
        self.textures.taken < self.rest().div_ceil(TEXTURES) && self.textures.taken + self.calls.taken < self.rest()
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
    pub(super) fn refuse_frame(&mut self) {
        self.frames.refused += 1;
    }

    /// A call lacks some or all.
    pub(super) fn refuse_call(&mut self) {
        self.calls.refused += 1;
    }

    /// A level or layer of a texture is not shown.
    pub(super) fn refuse_texture(&mut self) {
        self.textures.refused += 1;
    }

    /// What was left out, in words; nothing if nothing was.
    pub(super) fn left_out(&self) -> Option<String> {
        let parts: Vec<_> = [
            (self.frames.refused, "frames"),
            (self.calls.refused, "calls"),
            (self.textures.refused, "levels and layers of textures"),
        ]
        .into_iter()
        .filter(|(refused, _)| *refused > 0)
        .map(|(refused, what)| format!("{refused} {what}"))
        .collect();
        let joined = match parts.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        let most = self.most;
        Some(format!(
            "pictures of {joined} were left out, evenly: the page holds {most} different ones at most (--max-pictures)"
        ))
    }
}

/// Of how many of its first calls each frame has details, where frames have so many calls: of all, or of as many whole frames as there
/// may be, evenly. Only the last of these may be cut short.
pub(super) fn shown(frames: &[usize], most: usize) -> Vec<usize> {
    let all: usize = frames.iter().sum();
    let (mut before, mut taken) = (0usize, 0usize);
    let mut one = |count: usize| {
        let due = all <= most || taken as u128 * all as u128 <= most as u128 * before as u128;
        let shown = if due { count.min(most - taken) } else { 0 };
        (before, taken) = (before + count, taken + shown);
        shown
    };
    frames.iter().map(|count| one(*count)).collect()
}

/// How many of `all` the first `place + 1` of `of` have together.
fn share(all: usize, place: usize, of: usize) -> usize {
    if of == 0 {
        return 0;
    }
    ((place as u128 + 1) * all as u128).div_ceil(of as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::{Budget, shown};

    #[test]
    fn frames_come_first_and_calls_share_the_rest_evenly() {
        let mut budget = Budget::new(30, 10, 100);
        assert!((0..10).all(|place| {
            let may = budget.frame(place);
            budget.take_frame();
            may
        }));
        let taken: Vec<usize> = (0..100)
            .filter(|place| {
                let may = budget.call(*place);
                if may {
                    budget.take_call();
                } else {
                    budget.refuse_call();
                }
                may
            })
            .collect();
        assert_eq!(taken, (0..100).step_by(5).collect::<Vec<_>>());
        let said = budget.left_out().expect("80 were");
        assert!(said.contains("of 80 calls were") && said.contains("30 different"), "{said}");
    }

    #[test]
    fn whole_frames_have_details_evenly() {
        assert_eq!(shown(&[3, 4, 5], 12), [3, 4, 5]);
        let some = shown(&[10; 100], 200);
        assert_eq!(some.iter().sum::<usize>(), 200);
        assert!(
            some.iter().enumerate().all(|(place, count)| *count == if place % 5 == 0 { 10 } else { 0 }),
            "{some:?}"
        );
        assert_eq!(shown(&[0, 1000, 1000], 30), [0, 30, 0], "also of one that is larger");
        assert_eq!(shown(&[7, 7], 0), [0, 0]);
        assert!(shown(&[], 5).is_empty());
    }

    #[test]
    fn few_pictures_are_spread_over_the_frames() {
        let mut budget = Budget::new(5, 9, 50);
        let taken: Vec<usize> = (0..9)
            .filter(|place| {
                let may = budget.frame(*place);
                may.then(|| budget.take_frame());
                may
            })
            .collect();
        assert_eq!(taken, [0, 3, 6]);
        let calls = (0..50).filter(|place| budget.call(*place).then(|| budget.take_call()).is_some());
        assert_eq!(calls.count(), 2, "what frames leave to them");
        assert!(!budget.texture());
    }

    #[test]
    fn what_is_not_needed_is_left_to_those_behind() {
        let mut budget = Budget::new(10, 0, 10);
        for place in 0..9 {
            // What they left behind was there already.
            assert!(budget.call(place));
        }
        for _ in 0..10 {
            assert!(budget.call(9));
            budget.take_call();
        }
        assert!(!budget.call(9));
        assert_eq!(budget.left_out(), None);
    }

    #[test]
    fn textures_have_a_part_of_their_own() {
        let mut budget = Budget::new(8, 0, 4);
        for _ in 0..2 {
            assert!(budget.texture());
            budget.take_texture();
        }
        assert!(!budget.texture());
        let mut calls = 0;
        for place in 0..4 {
            while budget.call(place) {
                budget.take_call();
                calls += 1;
            }
        }
        assert_eq!(calls, 6, "all of the rest");
        assert!(!Budget::new(0, 3, 3).frame(2) && !Budget::new(0, 3, 3).call(2) && !Budget::new(0, 3, 3).texture());
    }
}
