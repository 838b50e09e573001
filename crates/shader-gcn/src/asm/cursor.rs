//! How far a line has been read.

use super::operands::{Parsed, expected};

/// A line, without its comment, and how much of it has been read.
pub(super) struct Cursor<'a> {
    line: &'a str,
    at: usize,
    /// Where the last token begins, or what should have been there.
    pub(super) token_at: usize,
}

impl<'a> Cursor<'a> {
    /// From a byte of the line on.
    pub(super) fn new(line: &'a str, at: usize) -> Self {
        Self { line, at, token_at: at }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
        self.token_at = self.at;
    }

    /// Up to a space or comma outside of brackets; empty at the end and in front of a comma.
    pub(super) fn token(&mut self) -> &'a str {
        self.skip_blanks();
        let mut depth = 0usize;
        let mut bars = false;
        let rest = self.rest();
        let end = rest.char_indices().find(|&(_, c)| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                '|' => bars = !bars,
                _ => {}
            }
            depth == 0 && !bars && (c == ',' || c.is_whitespace())
        });
        let token = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        self.at += token.len();
        token
    }

    /// Everything that is left.
    pub(super) fn all(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        self.at = self.line.len();
        rest
    }

    pub(super) fn comma(&mut self) -> Parsed<()> {
        self.skip_blanks();
        if self.rest().starts_with(',') {
            self.at += 1;
            return Ok(());
        }
        let found = self.rest().split_whitespace().next().unwrap_or_default();
        expected("a comma", found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest().trim().is_empty()
    }
}
