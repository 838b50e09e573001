//! Image blit (classes 0x5F and 0x9F): copies a rectangle between the two surfaces, through an operation.

use super::surfaces::Format;
use super::{Context, Rectangle, References, Refused, halves};
use crate::machine::{Bus, HEAVY, Handles};

/// Writing it performs the blit.
pub(super) const SIZE: u16 = 0x0308;

/// What blits, lines and copies say that cannot do what they are to do.
pub(super) const NO_OPERATION: Refused = Refused::Argument("is no operation; the one before stays");
pub(super) const NO_SURFACES: Refused = Refused::Argument("has no surfaces object: nothing is drawn");
pub(super) const NO_FORMAT: Refused = Refused::Argument("has surfaces without a colour format: nothing is drawn");
pub(super) const OUTSIDE: Refused = Refused::Argument("leaves its DMA objects or memory: lines outside are left out");

/// What is done with source and destination; the value of `SET_OPERATION`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Operation {
    /// The source. Colour keys of the 2D classes, which it would heed, are not there.
    SourceCopyAnd,
    /// A raster operation of source, destination and pattern.
    RopAnd,
    /// Source and destination by one factor.
    BlendAnd,
    /// The source.
    #[default]
    SourceCopy,
    /// The source times a factor for each channel.
    SourceCopyPremultiplied,
    /// That, and the destination times what the source's alpha leaves.
    BlendPremultiplied,
}

impl Operation {
    pub(super) fn of(word: u32) -> Option<Self> {
        use Operation::*;
        let all = [SourceCopyAnd, RopAnd, BlendAnd, SourceCopy, SourceCopyPremultiplied, BlendPremultiplied];
        all.get(word as usize).copied()
    }

    /// What is written for a source and a destination pixel at a place of the destination.
    pub(super) fn pixel(
        self,
        format: &Format,
        source: u32,
        destination: u32,
        at: (u32, u32),
        context: &Context,
    ) -> u32 {
        let blend = |channels: &dyn Fn(usize, u32, u32) -> u32| {
            let (s, d) = (format.unpack(source), format.unpack(destination));
            let mixed = std::array::from_fn(|i| channels(i, s[i], d[i]).min(0xFF));
            format.pack(mixed, source)
        };
        let beta4 = context.beta4.unwrap_or(u32::MAX);
        // Red, green, blue.
        let factor = |i: usize| beta4 >> (16 - 8 * i) & 0xFF;
        match self {
            Self::SourceCopy | Self::SourceCopyAnd => source,
            Self::RopAnd => {
                let pattern = context.pattern.as_ref().map_or(u32::MAX, |pattern| pattern.at(at.0, at.1));
                ternary(context.rop.unwrap_or(0xCC), pattern, source, destination)
            }
            Self::BlendAnd => {
                let beta = u32::from(context.beta.unwrap_or(0xFF));
                blend(&|_, s, d| (s * beta + d * (0xFF - beta)) / 0xFF)
            }
            Self::SourceCopyPremultiplied => blend(&|i, s, _| s * factor(i) / 0xFF),
            Self::BlendPremultiplied => {
                let alpha = if format.bytes == 4 { source >> 24 } else { 0xFF };
                let left = 0xFF - alpha * (beta4 >> 24) / 0xFF;
                blend(&|i, s, d| s * factor(i) / 0xFF + d * left / 0xFF)
            }
        }
    }
}

/// One of the 256 raster operations, bit for bit. The bits of `rop` are its values for pattern, source and destination.
fn ternary(rop: u8, pattern: u32, source: u32, destination: u32) -> u32 {
    let mut result = 0;
    for case in 0..8 {
        if rop >> case & 1 == 1 {
            let take = |bit: u32, value: u32| if case >> bit & 1 == 1 { value } else { !value };
            result |= take(2, pattern) & take(1, source) & take(0, destination);
        }
    }
    result
}

/// The object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blit {
    pub(super) references: References,
    operation: Operation,
    from: (u16, u16),
    to: (u16, u16),
    size: (u16, u16),
}

impl Blit {
    pub(super) fn method(&mut self, method: u16, word: u32, handles: Handles<'_>) -> Result<(), Refused> {
        const NULL: u8 = 0x30;
        match method {
            0x0184 => {
                let class = handles.find(word).map(|address| handles.instance.class(address));
                if class.is_some_and(|class| class != NULL) {
                    return Err(Refused::Argument("is not supported: colour keys change nothing"));
                }
            }
            0x02FC => self.operation = Operation::of(word).ok_or(NO_OPERATION)?,
            0x0300 => self.from = halves(word),
            0x0304 => self.to = halves(word),
            SIZE => self.size = halves(word),
            _ => return self.references.method(0x0188, method, word, handles),
        }
        Ok(())
    }

    /// Copies the rectangle, as far as clip rectangle and memory reach.
    pub(super) fn run(&self, context: &Context, bus: &mut Bus<'_>) -> Result<(), Refused> {
        let surfaces = context.surfaces.ok_or(NO_SURFACES)?;
        let format = surfaces.format;
        let all = Rectangle { x: self.to.0, y: self.to.1, width: self.size.0, height: self.size.1 };
        let (x, y, width, height) = clipped(all, context.clip);
        if width == 0 || height == 0 {
            return Ok(());
        }
        if format.bytes == 0 {
            return Err(NO_FORMAT);
        }
        bus.work += HEAVY;
        let (dx, dy) = (x - u32::from(self.to.0), y - u32::from(self.to.1));
        let (sx, sy) = ((u32::from(self.from.0) + dx) * format.bytes, u32::from(self.from.1) + dy);
        let (x, row) = (x * format.bytes, (width * format.bytes) as usize);
        let (source, destination) = (surfaces.source, surfaces.destination);
        source.settle(sx, sy, row as u32, height, bus);
        destination.settle(x, y, row as u32, height, bus);
        // Where a picture moves down over itself, its last line goes first.
        let downwards = destination.address(x, y, 0) > source.address(sx, sy, 0);
        let mut pixels = vec![0; row];
        let mut under = vec![0; row];
        let size = format.bytes as usize;
        // Bytes of a line that the operation changes.
        let changed = if self.operation == Operation::SourceCopy && format.takes_all() { 0 } else { row };
        bus.wrote = true;
        let mut whole = true;
        for line in 0..height {
            let line = if downwards { height - 1 - line } else { line };
            bus.work += 1 + row as u64 / 4;
            let (Some(from), Some(to)) =
                (source.address(sx, sy + line, row as u32), destination.address(x, y + line, row as u32))
            else {
                whole = false;
                continue;
            };
            if bus.memory.read(from, &mut pixels).is_err() || bus.memory.read(to, &mut under).is_err() {
                whole = false;
                continue;
            }
            for (i, (s, d)) in pixels[..changed].chunks_exact_mut(size).zip(under.chunks_exact(size)).enumerate() {
                let at = (x / format.bytes + i as u32, y + line);
                let pixel = self.operation.pixel(&format, format.load(s), format.load(d), at, context);
                format.store(s, format.finish(pixel));
            }
            let surface = destination.address(0, 0, 0).unwrap_or(to);
            let inside = bus.inside_tiles(surface, to, row as u32) as usize;
            // The range was just read.
            let _written = bus.memory.write(to, &pixels[..inside]);
        }
        if whole { Ok(()) } else { Err(OUTSIDE) }
    }
}

/// What is left of a rectangle inside of the clip rectangle: corner and size.
fn clipped(rectangle: Rectangle, clip: Option<Rectangle>) -> (u32, u32, u32, u32) {
    let span = |first: u16, size: u16, clip: Option<(u16, u16)>| {
        let (first, last) = (u32::from(first), u32::from(first) + u32::from(size));
        let (low, high) = clip.map_or((0, u32::MAX), |(low, size)| (low.into(), u32::from(low) + u32::from(size)));
        let (from, to) = (first.max(low), last.min(high));
        (from, to.saturating_sub(from))
    };
    let (x, width) = span(rectangle.x, rectangle.width, clip.map(|clip| (clip.x, clip.width)));
    let (y, height) = span(rectangle.y, rectangle.height, clip.map(|clip| (clip.y, clip.height)));
    (x, y, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raster_operations_are_their_truth_tables() {
        let (p, s, d) = (0xFF00_FF00, 0xF0F0_F0F0, 0xCCCC_CCCC);
        assert_eq!(ternary(0xCC, p, s, d), s);
        assert_eq!(ternary(0xAA, p, s, d), d);
        assert_eq!(ternary(0xF0, p, s, d), p);
        assert_eq!(ternary(0x66, p, s, d), s ^ d);
        assert_eq!(ternary(0xB8, p, s, d), (p & !s) | (s & d));
        assert_eq!(ternary(0x00, p, s, d), 0);
        assert_eq!(ternary(0xFF, p, s, d), u32::MAX);
    }

    #[test]
    fn the_clip_rectangle_cuts_every_side() {
        let rectangle = |x, y, width, height| Rectangle { x, y, width, height };
        let blit = rectangle(10, 20, 30, 40);
        assert_eq!(clipped(blit, None), (10, 20, 30, 40));
        assert_eq!(clipped(blit, Some(rectangle(15, 0, 5, 30))), (15, 20, 5, 10));
        assert_eq!(clipped(blit, Some(rectangle(0, 0, 0, 100))).2, 0);
        assert_eq!(clipped(blit, Some(rectangle(0xFFFF, 0, 0xFFFF, 1))).3, 0);
    }
}
