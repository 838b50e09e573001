//! Where figures stand: lines of text and the graph as rectangles.

use crate::hud::Rectangle;
use crate::hud::font;
use crate::hud::times::Times;
use afterimage_stream::packets::{Corner, Overlay};

/// Frames in the graph, a column each, and its height in pixels of letters.
pub const COLUMNS: u32 = 120;

const GRAPH: u32 = 24;

/// Around and inside of the panel, in pixels of letters.
const MARGIN: u32 = 2;

const PANEL: [u8; 4] = [0, 0, 0, 150];

const PLAIN: [u8; 4] = [235, 235, 235, 255];

const BUSY: [u8; 4] = [255, 190, 60, 255];

const QUICK: [u8; 4] = [90, 200, 110, 255];

const SLOW: [u8; 4] = [255, 90, 80, 255];

/// What stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Text.
    Text(String),
    /// Text that says why it stutters.
    Busy(String),
    /// The times of the last frames, a column each.
    Graph,
}

impl Line {
    /// Width and height in pixels of letters.
    fn size(&self) -> (u32, u32) {
        match self {
            Self::Text(text) | Self::Busy(text) => (text.chars().count() as u32 * font::WIDTH, font::HEIGHT + 1),
            Self::Graph => (COLUMNS, GRAPH + 1),
        }
    }
}

/// Pixels of the window for one of a letter.
fn scale(overlay: &Overlay, height: u32) -> f32 {
    if overlay.scale > 0.0 { overlay.scale } else { (height as f32 / 540.0).round().max(1.0) }
}

/// Puts rectangles where they belong.
struct Pen {
    /// The panel's corner in pixels of the window, and the scale.
    origin: [f32; 2],
    scale: f32,
    out: Vec<Rectangle>,
}

impl Pen {
    /// A rectangle in pixels of letters from the panel's corner. What does not fit the window's edges is cut off by the GPU.
    fn put(&mut self, [x, y]: [f32; 2], [width, height]: [f32; 2], glyph: u32, color: [u8; 4]) {
        let edge = |axis: usize, at: f32| (self.origin[axis] + at * self.scale).round().clamp(0.0, 65_535.0) as u16;
        let (left, top) = (edge(0, x), edge(1, y));
        let (width, height) = (edge(0, x + width) - left, edge(1, y + height) - top);
        if width > 0 && height > 0 {
            self.out.push(Rectangle { x: left, y: top, width, height, glyph, color });
        }
    }
}

/// The rectangles of lines in a window of this size: the panel first, then what stands on it.
pub fn rectangles(overlay: &Overlay, lines: &[Line], times: &Times, [width, height]: [u32; 2]) -> Vec<Rectangle> {
    if lines.is_empty() {
        return Vec::new();
    }
    let scale = scale(overlay, height);
    let inner = lines.iter().map(Line::size).fold((0, 0), |(w, h), (x, y)| (w.max(x), h + y));
    let panel = [inner.0 + 2 * MARGIN, inner.1 + 2 * MARGIN].map(|edge| edge as f32);
    let corner = Corner::of(overlay.corner);
    let far = [
        matches!(corner, Corner::TopRight | Corner::BottomRight),
        matches!(corner, Corner::BottomLeft | Corner::BottomRight),
    ];
    let margin = MARGIN as f32 * scale;
    let origin = std::array::from_fn(|axis| {
        let rest = [width, height][axis] as f32 - panel[axis] * scale - margin;
        if far[axis] { rest.max(0.0) } else { margin }
    });
    let mut pen = Pen { origin, scale, out: Vec::new() };
    pen.put([0.0; 2], panel, Rectangle::FILLED, PANEL);
    let (left, mut top) = (MARGIN as f32, MARGIN as f32);
    for line in lines {
        match line {
            Line::Graph => graph(&mut pen, times, [left, top]),
            Line::Text(text) => write(&mut pen, text, PLAIN, [left, top]),
            Line::Busy(text) => write(&mut pen, text, BUSY, [left, top]),
        }
        top += line.size().1 as f32;
    }
    pen.out
}

fn write(pen: &mut Pen, text: &str, color: [u8; 4], [mut x, y]: [f32; 2]) {
    let size = [font::WIDTH as f32, font::HEIGHT as f32];
    for character in text.chars() {
        if character != ' ' {
            pen.put([x, y], size, font::glyph(character), color);
        }
        x += size[0];
    }
}

/// A column per frame, twice the mean being the whole height.
fn graph(pen: &mut Pen, times: &Times, [left, top]: [f32; 2]) {
    let (sum, count) = times.last(COLUMNS as usize).fold((0.0, 0), |(sum, count), time| (sum + time, count + 1));
    if count == 0 {
        return;
    }
    let mean = (sum / count as f32).max(0.001);
    let first = left + (COLUMNS - count) as f32;
    for (column, time) in times.last(COLUMNS as usize).enumerate() {
        let height = (time / (2.0 * mean) * GRAPH as f32).clamp(1.0, GRAPH as f32);
        let color = match time / mean {
            slow if slow > 2.0 => SLOW,
            late if late > 1.5 => BUSY,
            _ => QUICK,
        };
        let y = top + GRAPH as f32 - height;
        pen.put([first + column as f32, y], [1.0, height], Rectangle::FILLED, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(corner: Corner, scale: f32) -> Overlay {
        Overlay { items: Overlay::FPS, scale, corner: corner as u8, ..Overlay::default() }
    }

    #[test]
    fn text_stands_in_cells_on_a_panel_in_its_corner() {
        let lines = [Line::Text("AB c".into()), Line::Busy("d".into())];
        let window = [200, 100];
        let at = |corner, scale| rectangles(&overlay(corner, scale), &lines, &Times::default(), window);
        let all = at(Corner::TopLeft, 1.0);
        // The panel, then a rectangle for each character that is not a space.
        let panel = Rectangle { x: 2, y: 2, width: 28, height: 22, glyph: Rectangle::FILLED, color: PANEL };
        assert_eq!(all[0], panel);
        let places: Vec<_> = all[1..].iter().map(|r| (r.x, r.y, r.glyph)).collect();
        let glyph = font::glyph;
        assert_eq!(places, [(4, 4, glyph('A')), (10, 4, glyph('B')), (22, 4, glyph('c')), (4, 13, glyph('d'))]);
        assert!(all[1..].iter().all(|r| (r.width, r.height) == (6, 8)));
        assert_eq!((all[1].color, all[4].color), (PLAIN, BUSY));
        // Twice the size in the other corner.
        let all = at(Corner::BottomRight, 2.0);
        assert_eq!((all[0].x + all[0].width, all[0].y + all[0].height), (200 - 4, 100 - 4));
        assert_eq!((all[1].width, all[1].height), (12, 16));
        // A window that is too small shows what fits from the left.
        assert_eq!(rectangles(&overlay(Corner::BottomRight, 16.0), &lines, &Times::default(), [9, 9])[0].x, 0);
        assert_eq!(rectangles(&overlay(Corner::TopLeft, 1.0), &[], &Times::default(), window), []);
    }

    #[test]
    fn the_scale_goes_by_the_window() {
        let scale = |height| scale(&overlay(Corner::TopLeft, 0.0), height);
        assert_eq!([100, 720, 1080, 2160].map(scale), [1.0, 1.0, 2.0, 4.0]);
    }

    #[test]
    fn the_graph_has_a_column_a_frame_from_the_right() {
        let mut times = Times::default();
        for time in [10.0, 10.0, 10.0, 40.0] {
            times.add(time);
        }
        let all = rectangles(&overlay(Corner::TopLeft, 1.0), &[Line::Graph], &times, [400, 300]);
        let columns = &all[1..];
        let right = |r: &Rectangle| u32::from(r.x) + u32::from(r.width);
        assert_eq!(columns.len(), 4);
        assert_eq!(right(&columns[3]), 2 * MARGIN + COLUMNS);
        assert!(columns.iter().all(|r| u32::from(r.y) + u32::from(r.height) == 2 * MARGIN + GRAPH));
        assert_eq!((u32::from(columns[3].height), columns[3].color), (GRAPH, SLOW));
        assert_eq!((columns[0].height, columns[0].color), (7, QUICK));
    }
}
