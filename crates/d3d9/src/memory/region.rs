//! Boxes of texels.

use afterimage_d3d9_types::{D3DBOX, RECT};

/// A box of texels; empty where it has no width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
}

impl Region {
    pub(crate) fn whole([width, height, depth]: [u32; 3]) -> Self {
        Self { x: 0, y: 0, z: 0, width, height, depth }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// A rectangle that is not empty and lies inside of `extent`.
    pub(crate) fn from_rect(rect: &RECT, extent: [u32; 3]) -> Option<Self> {
        let (left, top) = (u32::try_from(rect.left).ok()?, u32::try_from(rect.top).ok()?);
        let (right, bottom) = (u32::try_from(rect.right).ok()?, u32::try_from(rect.bottom).ok()?);
        (left < right && top < bottom && right <= extent[0] && bottom <= extent[1]).then(|| Self {
            x: left,
            y: top,
            z: 0,
            width: right - left,
            height: bottom - top,
            depth: 1,
        })
    }

    /// A box that is not empty and lies inside of `extent`.
    pub(crate) fn from_box(b: &D3DBOX, extent: [u32; 3]) -> Option<Self> {
        let inside = b.Left < b.Right && b.Top < b.Bottom && b.Front < b.Back;
        (inside && b.Right <= extent[0] && b.Bottom <= extent[1] && b.Back <= extent[2]).then(|| Self {
            x: b.Left,
            y: b.Top,
            z: b.Front,
            width: b.Right - b.Left,
            height: b.Bottom - b.Top,
            depth: b.Back - b.Front,
        })
    }

    /// The smallest box around both.
    pub(crate) fn union(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let join = |a: u32, al: u32, b: u32, bl: u32| {
            let first = a.min(b);
            (first, (a + al).max(b + bl) - first)
        };
        let (x, width) = join(self.x, self.width, other.x, other.width);
        let (y, height) = join(self.y, self.height, other.y, other.height);
        let (z, depth) = join(self.z, self.depth, other.z, other.depth);
        Self { x, y, z, width, height, depth }
    }

    /// The part inside of `extent`.
    pub(crate) fn clip(self, extent: [u32; 3]) -> Self {
        let cut = |first: u32, length: u32, edge: u32| {
            let first = first.min(edge);
            (first, length.min(edge - first))
        };
        let (x, width) = cut(self.x, self.width, extent[0]);
        let (y, height) = cut(self.y, self.height, extent[1]);
        let (z, depth) = cut(self.z, self.depth, extent[2]);
        Self { x, y, z, width, height, depth }
    }

    /// Grown to whole blocks, without leaving `extent`.
    pub(crate) fn aligned(self, block: [u32; 2], extent: [u32; 3]) -> Self {
        if block == [1, 1] {
            return self;
        }
        let grow = |first: u32, length: u32, block: u32, edge: u32| {
            let start = first / block * block;
            (start, ((first + length).div_ceil(block) * block).min(edge) - start)
        };
        let (x, width) = grow(self.x, self.width, block[0], extent[0]);
        let (y, height) = grow(self.y, self.height, block[1], extent[1]);
        Self { x, y, width, height, ..self }
    }

    /// Whether it is made of whole blocks, but for those at the edges of `extent`.
    pub(crate) fn is_aligned(self, block: [u32; 2], extent: [u32; 3]) -> bool {
        let whole = |first: u32, length: u32, block: u32, edge: u32| {
            first.is_multiple_of(block) && (length.is_multiple_of(block) || first + length == edge)
        };
        whole(self.x, self.width, block[0], extent[0]) && whole(self.y, self.height, block[1], extent[1])
    }

    /// The texels of level `by` under this box of level 0.
    pub(crate) fn scaled_down(self, by: u8) -> Self {
        let shrink = |first: u32, length: u32| {
            let start = first >> by;
            let end = (first + length).div_ceil(1 << by);
            (start, end.max(start + 1) - start)
        };
        let (x, width) = shrink(self.x, self.width);
        let (y, height) = shrink(self.y, self.height);
        let (z, depth) = shrink(self.z, self.depth);
        Self { x, y, z, width, height, depth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_outside_are_refused() {
        let rect = |left, top, right, bottom| RECT { left, top, right, bottom };
        assert!(Region::from_rect(&rect(0, 0, 4, 4), [4, 4, 1]).is_some());
        for bad in [rect(-1, 0, 4, 4), rect(0, 0, 5, 4), rect(2, 0, 2, 4), rect(3, 0, 1, 4)] {
            assert_eq!(Region::from_rect(&bad, [4, 4, 1]), None);
        }
    }

    #[test]
    fn regions_join_scale_and_align() {
        let a = Region { x: 1, y: 2, z: 0, width: 2, height: 2, depth: 1 };
        let b = Region { x: 8, y: 0, z: 0, width: 1, height: 1, depth: 1 };
        assert_eq!(a.union(b), Region { x: 1, y: 0, z: 0, width: 8, height: 4, depth: 1 });
        assert_eq!(Region::default().union(b), b);
        assert_eq!(a.scaled_down(1), Region { x: 0, y: 1, z: 0, width: 2, height: 1, depth: 1 });
        assert_eq!(a.aligned([4, 4], [6, 6, 1]), Region { x: 0, y: 0, z: 0, width: 4, height: 4, depth: 1 });
        assert_eq!(b.aligned([4, 4], [10, 6, 1]), Region { x: 8, y: 0, z: 0, width: 2, height: 4, depth: 1 });
        assert_eq!(a.aligned([2, 1], [10, 6, 1]), Region { x: 0, y: 2, z: 0, width: 4, height: 2, depth: 1 });
        assert!(!a.is_aligned([2, 1], [10, 6, 1]) && a.is_aligned([1, 2], [10, 6, 1]));
        assert!(Region { x: 4, width: 5, ..b }.is_aligned([4, 1], [9, 6, 1]), "the last block is cut by the edge");
    }
}
