//! Solid lines (class 0x5C).

use super::blit::{NO_FORMAT, NO_OPERATION, NO_SURFACES, Operation};
use super::surfaces::{Format, Surfaces};
use super::{Context, References, Refused, halves};
use crate::machine::{Bus, HEAVY, Handles};

/// A point on the destination.
pub(super) type Point = (i32, i32);

/// The object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) references: References,
    operation: Operation,
    format: u32,
    color: u32,
    from: Point,
    /// The line that the last method completed.
    pub(super) ends: Option<(Point, Point)>,
}

/// Pixels of one line at most: the longest with coordinates of 16 bits.
const MOST: i32 = 0xFFFF;

impl Line {
    pub(super) fn method(&mut self, method: u16, word: u32, handles: Handles<'_>) -> Result<(), Refused> {
        let point = || {
            let (x, y) = halves(word);
            (i32::from(x as i16), i32::from(y as i16))
        };
        self.ends = None;
        match method {
            0x02FC => self.operation = Operation::of(word).ok_or(NO_OPERATION)?,
            0x0300 => self.format = word,
            0x0304 => self.color = word,
            // Sixteen pairs of ends.
            0x0400..=0x047C if method.is_multiple_of(8) => self.from = point(),
            0x0400..=0x047C => self.ends = Some((self.from, point())),
            // A run of points.
            0x0500 => self.from = point(),
            0x0504..=0x057C => {
                self.ends = Some((self.from, point()));
                self.from = point();
            }
            _ => return self.references.method(0x0184, method, word, handles),
        }
        Ok(())
    }

    /// The colour in the surface's format.
    fn pixel(&self, surface: &Format) -> u32 {
        let code = match self.format {
            1 => 0x04,
            2 => 0x02,
            _ => 0x0A,
        };
        match Format::of(code) {
            Some(own) if own.channels != surface.channels => surface.pack(own.unpack(self.color), 0),
            _ => self.color,
        }
    }

    /// Draws a line by Bresenham's algorithm, both ends included.
    pub(super) fn run(&self, (from, to): (Point, Point), context: &Context, bus: &mut Bus<'_>) -> Result<(), Refused> {
        let surfaces = context.surfaces.ok_or(NO_SURFACES)?;
        let format = surfaces.format;
        if format.bytes == 0 {
            return Err(NO_FORMAT);
        }
        let color = self.pixel(&format);
        let (dx, dy) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        let (step_x, step_y) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let (mut x, mut y) = from;
        let mut error = dx - dy;
        let top = from.1.min(to.1).max(0) as u32;
        let right = (from.0.max(to.0).max(0) as u32 + 1) * format.bytes;
        surfaces.destination.settle(0, top, right, dy as u32 + 1, bus);
        bus.wrote = true;
        for _ in 0..=dx.max(dy).min(MOST) {
            self.dot((x, y), color, &surfaces, context, bus);
            let twice = 2 * error;
            if twice > -dy {
                error -= dy;
                x += step_x;
            }
            if twice < dx {
                error += dx;
                y += step_y;
            }
        }
        bus.work += HEAVY + dx.max(dy) as u64;
        Ok(())
    }

    fn dot(&self, (x, y): Point, color: u32, surfaces: &Surfaces, context: &Context, bus: &mut Bus<'_>) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if let Some(clip) = context.clip {
            let inside =
                |at: u32, low: u16, size: u16| (u32::from(low)..u32::from(low) + u32::from(size)).contains(&at);
            if !inside(x, clip.x, clip.width) || !inside(y, clip.y, clip.height) {
                return;
            }
        }
        let format = &surfaces.format;
        let Some(address) = surfaces.destination.address(x * format.bytes, y, format.bytes) else { return };
        let mut bytes = [0; 4];
        let bytes = &mut bytes[..format.bytes as usize];
        if bus.memory.read(address, bytes).is_ok() {
            let pixel = self.operation.pixel(format, color, format.load(bytes), (x, y), context);
            format.store(bytes, format.finish(pixel));
            // The range was just read.
            let _written = bus.memory.write(address, bytes);
        }
    }
}
