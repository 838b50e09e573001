//! An image in guest memory, whichever way its texels are ordered.

use crate::Error;
use crate::swizzle::{Morton, Pitch, Region, short};

/// How texels are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Rows that begin this many bytes apart.
    Pitch(u32),
    /// Morton order.
    Swizzled(Morton),
}

/// Texels of 1, 2 or 4 bytes in guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// Bytes of a texel.
    pub bytes: u32,
    /// Width, height and depth in texels. By pitch there is one slice.
    pub size: [u32; 3],
    /// The order in memory.
    pub order: Order,
}

impl Plane {
    /// Bytes from the first texel to behind the last one.
    #[must_use]
    pub fn span(&self) -> u64 {
        if self.size.contains(&0) {
            return 0;
        }
        match self.order {
            Order::Pitch(pitch) => {
                u64::from(pitch) * u64::from(self.size[1] - 1) + u64::from(self.size[0]) * u64::from(self.bytes)
            }
            Order::Swizzled(morton) => u64::from(morton.texels()) * u64::from(self.bytes),
        }
    }

    /// Copies a box of texels out of `memory`, which begins with the image, into `rows`, which begins with the box.
    ///
    /// # Errors
    /// If the box leaves the image, or memory or `rows` is too short.
    pub fn read(&self, memory: &[u8], region: Region, rows: &mut [u8], to: Pitch) -> Result<(), Error> {
        match self.order {
            Order::Swizzled(morton) => morton.unswizzle(self.bytes, memory, region, rows, to),
            Order::Pitch(pitch) => {
                let Some(lines) = self.lines(region, pitch, memory.len(), rows.len(), to)? else { return Ok(()) };
                for (guest, host) in lines.places {
                    rows[host..host + lines.bytes].copy_from_slice(&memory[guest..guest + lines.bytes]);
                }
                Ok(())
            }
        }
    }

    /// Copies a box of texels from `rows`, which begins with the box, into `memory`, which begins with the image.
    ///
    /// # Errors
    /// If the box leaves the image, or memory or `rows` is too short.
    pub fn write(&self, rows: &[u8], from: Pitch, memory: &mut [u8], region: Region) -> Result<(), Error> {
        match self.order {
            Order::Swizzled(morton) => morton.swizzle(self.bytes, rows, from, memory, region),
            Order::Pitch(pitch) => {
                let Some(lines) = self.lines(region, pitch, memory.len(), rows.len(), from)? else { return Ok(()) };
                for (guest, host) in lines.places {
                    memory[guest..guest + lines.bytes].copy_from_slice(&rows[host..host + lines.bytes]);
                }
                Ok(())
            }
        }
    }

    /// The lines of a box in an image by pitch, if there are any: checked, so that they can be copied.
    fn lines(
        &self,
        region: Region,
        pitch: u32,
        memory: usize,
        rows: usize,
        host: Pitch,
    ) -> Result<Option<Lines<impl Iterator<Item = (usize, usize)>>>, Error> {
        region.check([self.size[0], self.size[1], 1])?;
        if region.is_empty() {
            return Ok(None);
        }
        let [x, y, _] = region.origin.map(u64::from);
        let [width, height, _] = region.size.map(u64::from);
        let (texel, pitch) = (u64::from(self.bytes), u64::from(pitch));
        short("an image by pitch", (y + height - 1) * pitch + (x + width) * texel, memory)?;
        host.check(region.size, self.bytes, rows)?;
        let places = (0..height).map(move |line| (((y + line) * pitch + x * texel) as usize, line as usize * host.row));
        Ok(Some(Lines { bytes: (width * texel) as usize, places }))
    }
}

/// Lines to copy.
struct Lines<I> {
    /// Bytes of each.
    bytes: usize,
    /// Where each is in guest memory and in rows.
    places: I,
}

#[cfg(test)]
mod tests {
    use super::{Order, Plane};
    use crate::swizzle::{Morton, Pitch, Region};

    #[test]
    fn a_rectangle_goes_out_and_in_again() {
        let memory: Vec<u8> = (0..=255).collect();
        let swizzled = Order::Swizzled(Morton::new([3, 3, 0]).expect("small"));
        for (order, size) in [(Order::Pitch(20), [8, 8, 1]), (swizzled, [8, 8, 1])] {
            let plane = Plane { bytes: 2, size, order };
            let region = Region::rectangle(3, 2, 4, 5);
            let pitch = Pitch { row: 9, slice: 0 };
            let mut rows = vec![0; 4 * 9 + 8];
            plane.read(&memory, region, &mut rows, pitch).expect("inside");
            let mut again = memory.clone();
            plane.write(&rows, pitch, &mut again, region).expect("inside");
            assert_eq!(again, memory, "{order:?}");
            assert_ne!(rows[..8], [0; 8]);
        }
    }

    #[test]
    fn memory_that_ends_early_is_an_error() {
        let plane = Plane { bytes: 4, size: [16, 16, 1], order: Order::Pitch(u32::MAX) };
        let region = Region::all(plane.size);
        let mut rows = vec![0; 1024];
        assert!(plane.read(&[0; 4096], region, &mut rows, Pitch::tight(16, 16, 4)).is_err());
        assert!(plane.write(&rows, Pitch::tight(16, 16, 4), &mut [0; 4096], region).is_err());
        assert_eq!(plane.span(), 15 * u64::from(u32::MAX) + 64);
    }
}
