//! How many bytes the page has, and who has them.
//!
//! Parts of the page are packed while others are made, so what one takes is known only later: until then a mean stands for it where
//! bytes are shared out, and the most that it can take where the page's bound is kept.

/// What parts of the page are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Pictures of frames.
    Frames,
    /// Pictures behind calls.
    Calls,
    /// Pictures of textures.
    Textures,
    /// Lists of the calls of frames.
    Lists,
    Shaders,
    /// State, changes and vertices of calls.
    Details,
}

/// Bytes that parts of the page have, and may have.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: u64,
    kinds: [Kind; 6],
}

/// Parts of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    /// Those that are packed, and their bytes.
    packed: u64,
    bytes: u64,
    /// Those that are not yet, and the most that they can take.
    waiting: u64,
    worst: u64,
}

impl Kind {
    fn spent(&self) -> u64 {
        match self.bytes.checked_div(self.packed) {
            Some(mean) => self.bytes + self.waiting * mean,
            None => self.worst,
        }
    }
}

impl Room {
    /// For so many bytes.
    pub(super) fn new(most: u64) -> Self {
        Self { most, kinds: [Kind::default(); 6] }
    }

    /// From here on all parts together may have so many bytes.
    pub(super) fn bound(&mut self, most: u64) {
        self.most = most;
    }

    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Bytes that nothing has yet, about.
    pub(super) fn left(&self) -> u64 {
        self.most.saturating_sub(self.kinds.iter().map(Kind::spent).sum())
    }

    /// Bytes that parts of a kind have, about.
    pub(super) fn spent(&self, of: Of) -> u64 {
        self.kinds[of as usize].spent()
    }

    /// Whether a part is certain to find room that can take so many bytes.
    pub(super) fn fits(&self, worst: usize) -> bool {
        let taken: u64 = self.kinds.iter().map(|kind| kind.bytes + kind.worst).sum();
        taken.saturating_add(worst as u64) <= self.most
    }

    /// Whether nothing is known yet of how much parts of a kind take.
    pub(super) fn is_new(&self, of: Of) -> bool {
        self.kinds[of as usize].packed == 0
    }

    /// A part is being packed that can take so many bytes.
    pub(super) fn wait(&mut self, of: Of, worst: usize) {
        let kind = &mut self.kinds[of as usize];
        kind.waiting += 1;
        kind.worst += worst as u64;
    }

    /// It is packed.
    pub(super) fn arrive(&mut self, of: Of, worst: usize, bytes: usize) {
        let kind = &mut self.kinds[of as usize];
        kind.waiting -= 1;
        kind.worst -= worst as u64;
        kind.packed += 1;
        kind.bytes += bytes as u64;
    }
}

/// One part of so many bytes that is given out at once, so that what costs much in the beginning takes nothing from what follows.
const AHEAD: u64 = 8;

/// How many of so many bytes the first `place + 1` of `of` have together: the more of them there were, the more.
pub(super) fn due(bytes: u64, place: usize, of: usize) -> u64 {
    if place >= of {
        return bytes;
    }
    let ahead = bytes / AHEAD;
    ahead + ((bytes - ahead) as u128 * (place as u128 + 1) / of as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::{Of, Room, due};

    #[test]
    fn what_is_not_packed_yet_counts_as_the_mean_or_at_most() {
        let mut room = Room::new(1000);
        room.wait(Of::Calls, 400);
        assert_eq!((room.spent(Of::Calls), room.left()), (400, 600));
        assert!(room.is_new(Of::Calls) && room.fits(600) && !room.fits(601));
        room.arrive(Of::Calls, 400, 100);
        room.wait(Of::Calls, 500);
        assert_eq!((room.spent(Of::Calls), room.left()), (200, 800), "as many as the first one");
        assert!(!room.is_new(Of::Calls) && room.fits(400) && !room.fits(401), "it can take more");
        room.arrive(Of::Calls, 500, 450);
        assert_eq!((room.spent(Of::Calls), room.spent(Of::Frames)), (550, 0));
        room.bound(600);
        assert_eq!((room.most(), room.left()), (600, 50));
        assert!(!room.fits(usize::MAX));
    }

    #[test]
    fn bytes_are_given_out_evenly_but_for_some_ahead() {
        assert_eq!([0, 1, 3, 4].map(|place| due(800, place, 4)), [275, 450, 800, 800]);
        assert_eq!(due(800, 0, 0), 800, "to nobody");
        assert_eq!(due(u64::MAX, usize::MAX - 1, usize::MAX), u64::MAX);
    }
}
