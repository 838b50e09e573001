//! Which frame of one capture belongs to which of the other.
//!
//! A frame's number counts the pictures that the program has presented since it began. Where the captures have numbers in common, frames
//! of the same number belong together. Where they have none, they are of runs that were counted in different ways: then frames belong
//! together that are as far behind each other as makes their pictures the most alike, and where no pictures are alike, the first
//! belongs to the first.

use super::picture::Picture;
use crate::Failure;
use std::path::Path;

/// How frames are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum By {
    /// By their numbers: pictures since the program began.
    Number,
    /// In the order in which each capture has them, moved so far that pictures are alike.
    Picture,
    /// In the order in which each capture has them.
    Order,
}

/// What belongs together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Paired {
    pub(super) by: By,
    /// Numbers in each capture. Where one side is missing, the other has a frame between two that both have.
    pub(super) pairs: Vec<[Option<u64>; 2]>,
    /// Numbers of frames before and behind those that both have; they are not compared.
    pub(super) left_out: [Vec<u64>; 2],
}

/// Edge of the pictures that are held against each other.
const EDGE: usize = 16;
/// Pictures that differ by as much, in levels of 0 to 255 on average, are not alike.
const UNLIKE: u32 = 16;

/// A shown frame, and its picture made small.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) number: u64,
    small: Vec<u8>,
}

/// File name of a frame's picture, without the extension.
pub(super) fn name(number: u64) -> String {
    format!("frame-{number:06}")
}

impl Shown {
    /// The frames whose pictures are in a folder, in order.
    pub(super) fn all(folder: &Path) -> Result<Vec<Self>, Failure> {
        let unreadable = |error| Failure::file("cannot read", folder, error);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let Some(number) = stem.strip_prefix("frame-").and_then(|number| number.parse().ok()) else { continue };
            found.push(Self { number, small: small(&Picture::read(&path).map_err(Failure::new)?) });
        }
        found.sort_by_key(|shown| shown.number);
        Ok(found)
    }

    /// How much two pictures are alike: nothing to [`UNLIKE`].
    fn likeness(&self, other: &Self) -> u64 {
        let apart: u32 = self.small.iter().zip(&other.small).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        UNLIKE.saturating_sub(apart / self.small.len().max(1) as u32).into()
    }
}

/// Red, green and blue of the middles of [`EDGE`] by [`EDGE`] parts of a picture: those of four pixels, on average.
fn small(picture: &Picture) -> Vec<u8> {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let mut small = Vec::with_capacity(EDGE * EDGE * 3);
    if width == 0 || height == 0 {
        return vec![0; EDGE * EDGE * 3];
    }
    let at = |part: usize, size: usize| ((part * 2 + 1) * size / (EDGE * 2)).min(size - 1);
    for y in (0..EDGE).map(|part| at(part, height)) {
        for x in (0..EDGE).map(|part| at(part, width)) {
            let pixel = |x: usize, y: usize| picture.pixels[y.min(height - 1) * width + x.min(width - 1)];
            let four = [pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)];
            small.extend((0..3).map(|part| (four.iter().map(|pixel| u32::from(pixel[part])).sum::<u32>() / 4) as u8));
        }
    }
    small
}

/// Pairs frames in this way, or in that which fits.
pub(super) fn pair(sides: [&[Shown]; 2], by: Option<By>) -> Paired {
    let has = |side: usize, number: u64| sides[side].binary_search_by_key(&number, |shown| shown.number).is_ok();
    let common = || sides[0].iter().map(|shown| shown.number).filter(|number| has(1, *number));
    let numbered = by.unwrap_or(if common().next().is_some() { By::Number } else { By::Picture });
    if numbered == By::Number {
        let span = common().next().unwrap_or(1)..=common().next_back().unwrap_or(0);
        let mut numbers: Vec<u64> = sides.iter().flat_map(|side| side.iter().map(|shown| shown.number)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| span.contains(number));
        let pairs = numbers.iter().map(|&number| [0, 1].map(|side| has(side, number).then_some(number))).collect();
        let left_out = sides.map(|side| {
            side.iter().map(|shown| shown.number).filter(|number| !span.contains(number)).collect::<Vec<_>>()
        });
        return Paired { by: By::Number, pairs, left_out };
    }
    let shift = if numbered == By::Picture { alike(sides) } else { None };
    let by = if shift.is_some() { By::Picture } else { By::Order };
    let [from, to] = starts(shift.unwrap_or(0));
    let (one, other) = (&sides[0][from..], &sides[1][to..]);
    let pairs = one.iter().zip(other).map(|(one, other)| [Some(one.number), Some(other.number)]).collect();
    let count = one.len().min(other.len());
    let left_out = [(sides[0], from), (sides[1], to)].map(|(side, from)| {
        side[..from].iter().chain(&side[from + count..]).map(|shown| shown.number).collect::<Vec<_>>()
    });
    Paired { by, pairs, left_out }
}

/// Where each side begins if the second is so many frames ahead.
fn starts(shift: isize) -> [usize; 2] {
    [(-shift).max(0) as usize, shift.max(0) as usize]
}

/// By how many frames the second side is ahead where its pictures are the most like the first one's; of several the smallest. `None`
/// where no pictures are alike.
fn alike(sides: [&[Shown]; 2]) -> Option<isize> {
    let lengths = sides.map(|side| side.len() as isize);
    let alike = |shift: isize| -> u64 {
        let [from, to] = starts(shift);
        sides[0][from..].iter().zip(&sides[1][to..]).map(|(one, other)| one.likeness(other)).sum()
    };
    let shifts = 1 - lengths[0]..lengths[1];
    let best = shifts.map(|shift| (alike(shift), -shift.abs(), shift)).max()?;
    (best.0 > 0).then_some(best.2)
}

impl Paired {
    /// What belongs together, and what is left out, in lines for people.
    pub(super) fn text(&self, names: [&str; 2]) -> String {
        let first = self.pairs.iter().find_map(|pair| match pair {
            [Some(one), Some(other)] => Some((one, other)),
            _ => None,
        });
        let which =
            first.map_or_else(String::new, |(one, other)| format!(": frame {one} with frame {other}, and so on"));
        let mut text = match self.by {
            By::Number => "frames are paired by number\n".to_owned(),
            By::Picture => format!("frames are paired in order, where their pictures are the most alike{which}\n"),
            By::Order => format!("frames are paired in order{which}\n"),
        };
        for (numbers, name) in self.left_out.iter().zip(names) {
            if !numbers.is_empty() {
                text += &format!("only in {name}, and not compared: {}\n", ranges(numbers));
            }
        }
        text
    }
}

/// `frame 3`, or `frames 1 to 2, 5 to 7`.
fn ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<[u64; 2]> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => parts.push([number; 2]),
        }
    }
    let part = |[first, last]: &[u64; 2]| if first == last { first.to_string() } else { format!("{first} to {last}") };
    let all: Vec<String> = parts.iter().map(part).collect();
    format!("{} {}", if numbers.len() == 1 { "frame" } else { "frames" }, all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of these numbers, with pictures of one level each.
    fn shown(frames: &[(u64, u8)]) -> Vec<Shown> {
        let one = |&(number, level): &(u64, u8)| Shown { number, small: vec![level; EDGE * EDGE * 3] };
        frames.iter().map(one).collect()
    }

    fn paired(one: &[(u64, u8)], other: &[(u64, u8)], by: Option<By>) -> Paired {
        pair([&shown(one), &shown(other)], by)
    }

    #[test]
    fn numbers_pair_frames_and_what_lies_around_is_left_out() {
        let one = [(1, 0), (2, 0), (4, 0), (5, 0)];
        let found = paired(&one, &[(2, 9), (3, 9), (4, 9), (5, 9), (6, 9), (7, 9)], None);
        assert_eq!(found.by, By::Number);
        let both = |number| [Some(number); 2];
        assert_eq!(found.pairs, [both(2), [None, Some(3)], both(4), both(5)]);
        assert_eq!(found.left_out, [vec![1], vec![6, 7]]);
        let text = found.text(["a", "b"]);
        assert!(text.contains("only in a, and not compared: frame 1\n"), "{text}");
        assert!(text.contains("only in b, and not compared: frames 6 to 7\n"), "{text}");
    }

    #[test]
    fn where_no_numbers_are_common_pictures_decide() {
        let one = [(1, 10), (2, 50), (3, 90), (4, 130)];
        let found = paired(&one, &[(101, 89), (102, 131), (103, 170)], None);
        assert_eq!(found.by, By::Picture);
        assert_eq!(found.pairs, [[Some(3), Some(101)], [Some(4), Some(102)]]);
        assert_eq!(found.left_out, [vec![1, 2], vec![103]]);
        // The other way round.
        let found = paired(&[(101, 89), (102, 131), (103, 170)], &one, None);
        assert_eq!(found.pairs, [[Some(101), Some(3)], [Some(102), Some(4)]]);
        // All alike: the first with the first.
        let found = paired(&[(1, 5), (2, 5), (3, 5)], &[(11, 5), (12, 5)], None);
        assert_eq!(found.pairs, [[Some(1), Some(11)], [Some(2), Some(12)]]);
    }

    #[test]
    fn where_nothing_is_alike_and_where_it_is_said_order_decides() {
        let found = paired(&[(1, 0), (2, 0)], &[(11, 200), (12, 200)], None);
        assert_eq!((found.by, found.pairs.len()), (By::Order, 2));
        let found = paired(&[(1, 0), (2, 90)], &[(2, 90), (3, 0)], Some(By::Order));
        assert_eq!(found.pairs, [[Some(1), Some(2)], [Some(2), Some(3)]]);
        let found = paired(&[(1, 0), (2, 90)], &[(2, 0), (3, 90)], Some(By::Number));
        assert_eq!((found.pairs, found.left_out), (vec![[Some(2); 2]], [vec![1], vec![3]]));
        assert!(paired(&[], &[(2, 0)], None).pairs.is_empty());
    }

    #[test]
    fn pictures_of_other_sizes_are_alike() {
        let picture = |edge: u32| {
            let pixel = |at: u32| [(at % edge * 255 / edge) as u8, (at / edge * 255 / edge) as u8, 7, 255];
            Picture { width: edge, height: edge, pixels: (0..edge * edge).map(pixel).collect() }
        };
        let [one, other] = [128, 96].map(|edge| Shown { number: 1, small: small(&picture(edge)) });
        assert!(one.likeness(&other) >= u64::from(UNLIKE) - 2);
        let empty = Picture { width: 0, height: 0, pixels: Vec::new() };
        assert_eq!(one.likeness(&Shown { number: 1, small: small(&empty) }), 0);
    }
}
