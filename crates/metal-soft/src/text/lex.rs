//! Words of Metal's language.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word.
    Word,
    /// A number, a string or a character.
    Literal,
    /// A character of punctuation.
    Punctuation,
}

/// A token: what it is, and where it is in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Where a run of characters that `is` takes ends.
fn run(text: &str, from: usize, mut is: impl FnMut(char) -> bool) -> usize {
    text[from..].char_indices().find(|(_, c)| !is(*c)).map_or(text.len(), |(at, _)| from + at)
}

/// The tokens of a text, without comments and what is for the preprocessor.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut begins_line = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let next = at + c.len_utf8();
        if c == '\n' {
            begins_line = true;
            at = next;
        } else if c.is_whitespace() {
            at = next;
        } else if rest.starts_with("//") {
            at = rest.find('\n').map_or(text.len(), |end| at + end);
        } else if rest.starts_with("/*") {
            at = rest.find("*/").map_or(text.len(), |end| at + end + 2);
        } else if c == '#' && begins_line {
            // To the end of the line that no backslash continues.
            loop {
                let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                let continued = text[at..end].trim_end().ends_with('\\');
                at = (end + 1).min(text.len());
                if !continued || at == text.len() {
                    break;
                }
            }
        } else {
            begins_line = false;
            let (kind, end) = if c.is_alphabetic() || c == '_' {
                (Kind::Word, run(text, at, |c| c.is_alphanumeric() || c == '_'))
            } else if c.is_ascii_digit() {
                (Kind::Literal, run(text, at, |c| c.is_alphanumeric() || matches!(c, '.' | '_')))
            } else if c == '"' || c == '\'' {
                let mut escaped = false;
                let end = run(text, next, |d| {
                    let goes_on = escaped || d != c;
                    escaped = !escaped && d == '\\';
                    goes_on
                });
                (Kind::Literal, (end + 1).min(text.len()))
            } else {
                (Kind::Punctuation, next)
            };
            out.push(Token { kind, text: &text[at..end], at });
            at = end;
        }
    }
    out
}
