//! Tokens of the text form, with line and column.

use crate::parse::ParseError;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    /// A name, keyword or number.
    Word(&'a str),
    /// A quoted name.
    Text(String),
    /// A sign.
    Sign(char),
    /// The end of the text.
    End,
}

/// Cuts the text into tokens.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, line: 1, line_start: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Line and column (in characters, from 1) of the next token, after skipping space and comments.
    pub(crate) fn position(&mut self) -> (u32, u32) {
        while let Some(c) = self.peek() {
            if c == ';' {
                self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
            } else if c.is_ascii_whitespace() {
                self.at += 1;
                if c == '\n' {
                    self.line += 1;
                    self.line_start = self.at;
                }
            } else {
                break;
            }
        }
        (self.line, self.text[self.line_start..self.at].chars().count() as u32 + 1)
    }

    pub(crate) fn next(&mut self) -> Result<Token<'a>, ParseError> {
        let (line, column) = self.position();
        let error = |what: &str| Err(ParseError::new(line, column, what));
        let Some(first) = self.peek() else { return Ok(Token::End) };
        let start = self.at;
        let bytes = self.text.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        match first {
            '"' => self.quoted().map_or_else(|| error("unfinished or wrong quoted name"), |t| Ok(Token::Text(t))),
            c if digit(self.at) || c == '-' && digit(self.at + 1) => {
                // Signs may follow the exponent's letter: -1.5e-7.
                self.at += 1;
                while let Some(&b) = bytes.get(self.at) {
                    let exponent = matches!(b, b'+' | b'-')
                        && matches!(bytes[self.at - 1], b'e' | b'E')
                        && !self.text[start..self.at].contains('x');
                    if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || exponent) {
                        break;
                    }
                    self.at += 1;
                }
                Ok(Token::Word(&self.text[start..self.at]))
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                while bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    self.at += 1;
                }
                Ok(Token::Word(&self.text[start..self.at]))
            }
            '{' | '}' | '(' | ')' | '[' | ']' | ',' | ':' | '=' | '.' => {
                self.at += 1;
                Ok(Token::Sign(first))
            }
            c => error(&format!("unexpected {c:?}")),
        }
    }

    fn quoted(&mut self) -> Option<String> {
        let mut out = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 2;
                    return Some(out);
                }
                '\n' => return None,
                '\\' => match chars.next()?.1 {
                    'u' => {
                        if chars.next()?.1 != '{' {
                            return None;
                        }
                        let mut code = 0u32;
                        loop {
                            match chars.next()?.1 {
                                '}' => break,
                                d => code = code.checked_mul(16)?.checked_add(d.to_digit(16)?)?,
                            }
                        }
                        out.push(char::from_u32(code)?);
                    }
                    c @ ('"' | '\\') => out.push(c),
                    _ => return None,
                },
                c => out.push(c),
            }
        }
        None
    }
}
