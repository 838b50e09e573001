//! The font of figures over pictures: a glyph of 6 by 8 pixels for each printable ASCII character, the last column empty.
//!
//! `font.txt` has a line per character: the character, then its eight rows of five pixels. It was drawn for this.

/// Pixels of a glyph.
pub const WIDTH: u32 = 6;

/// Likewise.
pub const HEIGHT: u32 = 8;

/// Characters from space on.
pub const GLYPHS: u32 = 95;

const TABLE: &str = include_str!("font.txt");

/// A bit per pixel, by glyph, row and column from the left, in words from the lowest bit on.
pub fn bits() -> Vec<u32> {
    let mut words = vec![0; (GLYPHS * WIDTH * HEIGHT).div_ceil(32) as usize];
    for (glyph, line) in TABLE.lines().enumerate() {
        let rows = line.get(1..).unwrap_or_default().split_whitespace();
        for (row, pixels) in rows.enumerate() {
            for (column, _) in pixels.bytes().enumerate().filter(|(_, pixel)| *pixel == b'#') {
                let bit = (glyph * HEIGHT as usize + row) * WIDTH as usize + column;
                if let Some(word) = words.get_mut(bit / 32) {
                    *word |= 1 << (bit % 32);
                }
            }
        }
    }
    words
}

/// The number of a character's glyph; what has none looks like `?`.
pub fn glyph(character: char) -> u32 {
    let printable = |c: &char| (' '..='~').contains(c);
    u32::from(Some(character).filter(printable).unwrap_or('?')) - u32::from(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_character_has_a_glyph_of_its_own() {
        let lines: Vec<&str> = TABLE.lines().collect();
        assert_eq!(lines.len(), GLYPHS as usize);
        let mut seen = std::collections::HashSet::new();
        for (line, character) in lines.iter().zip(' '..='~') {
            assert!(line.starts_with(character), "{character}: {line}");
            let rows: Vec<&str> = line[1..].split_whitespace().collect();
            assert_eq!(rows.len(), HEIGHT as usize, "{character}");
            assert!(rows.iter().all(|row| row.len() == WIDTH as usize - 1 && row.bytes().all(|b| b"#.".contains(&b))));
            assert!(seen.insert(rows.concat()), "{character} looks like another one");
            assert_eq!(character == ' ', !rows.concat().contains('#'), "{character}");
        }
        assert_eq!((glyph(' '), glyph('~'), glyph('\u{fc}')), (0, GLYPHS - 1, glyph('?')));
    }

    #[test]
    fn bits_are_the_pixels_of_the_table() {
        let bits = bits();
        let pixel = |character, x: u32, y: u32| {
            let bit = (glyph(character) * HEIGHT + y) * WIDTH + x;
            bits[bit as usize / 32] >> (bit % 32) & 1
        };
        // The L: a line down and a line along.
        for y in 0..8 {
            for x in 0..6 {
                let expected = (x == 0 && y < 7) || (y == 6 && x < 5);
                assert_eq!(pixel('L', x, y), u32::from(expected), "{x} {y}");
            }
        }
    }
}
