//! Rust code as words and signs, as much as is needed to find what it imports.

/// The names of a path.
pub(crate) type Names = Vec<String>;

/// Words, `::` and other signs of code, without comments, strings, characters and lifetimes.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let (length, kept) = match first {
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), false),
            'r' if raw_hashes(rest).is_some() => (raw_string(rest), false),
            '"' => (quoted(rest, '"'), false),
            '\'' => (character(rest), false),
            ':' if rest.starts_with("::") => (2, true),
            _ if is_word(first) => (rest.find(|c| !is_word(c)).unwrap_or(rest.len()), true),
            _ => (first.len_utf8(), !first.is_whitespace()),
        };
        if kept {
            found.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How many `#` a raw string begins with, if this is one.
fn raw_hashes(text: &str) -> Option<usize> {
    let after = text[1..].trim_start_matches('#');
    after.starts_with('"').then_some(text.len() - 1 - after.len())
}

fn raw_string(text: &str) -> usize {
    let hashes = raw_hashes(text).unwrap_or_default();
    let begin = hashes + 2;
    let end = format!("\"{}", "#".repeat(hashes));
    text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len())
}

/// The length of a string or character with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The length of a character, or the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.chars().skip(1);
    let is_character = chars.next() == Some('\\') || chars.next() == Some('\'');
    if is_character { quoted(text, '\'') } else { 1 }
}

/// Where what opens at a token is closed, by any kind of bracket.
pub(crate) fn closing(tokens: &[impl AsRef<str>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_ref() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Where an item ends that begins at a token: behind its `;`, `,` or block.
fn end_of_item(tokens: &[&str], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at] {
            ";" | "," => return at + 1,
            "{" => return closing(tokens, at) + 1,
            "(" | "[" => at = closing(tokens, at),
            "}" | ")" | "]" => return at,
            _ => {}
        }
        at += 1;
    }
    tokens.len()
}

/// Code without what is compiled for tests only, and the modules in other files that are.
pub(crate) fn without_tests<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut code, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let rest = &tokens[at..];
        let for_tests = rest.starts_with(&["#", "[", "cfg", "(", "test"])
            || rest.starts_with(&["#", "[", "cfg", "(", "all", "(", "test"]);
        if !for_tests {
            code.push(tokens[at]);
            at += 1;
            continue;
        }
        let end = end_of_item(tokens, closing(tokens, at + 1) + 1).min(tokens.len());
        if let [.., "mod", name, ";"] = &tokens[at..end] {
            modules.push(*name);
        }
        at = end;
    }
    (code, modules)
}

/// The paths of a tree of imports that begins at a token, each with the name that it gives; and where the tree ends.
pub(crate) fn tree(code: &[String], mut at: usize) -> (usize, Vec<(Names, String)>) {
    let token = |at: usize| code.get(at).map_or("", String::as_str);
    let mut path = Names::new();
    while token(at) == "*" || token(at).starts_with(is_word) {
        path.push(token(at).to_owned());
        at += 1;
        if token(at) != "::" {
            break;
        }
        at += 1;
    }
    let mut found = Vec::new();
    if token(at) == "{" && (path.is_empty() || token(at - 1) == "::") {
        at += 1;
        while !["}", ""].contains(&token(at)) {
            let (end, below) = tree(code, at);
            found.extend(below.into_iter().map(|(names, name)| match names.as_slice() {
                [own] if own == "self" => (path.clone(), path.last().cloned().unwrap_or_default()),
                _ => ([path.clone(), names].concat(), name),
            }));
            at = if end == at || token(end) == "," { end + 1 } else { end };
        }
        return (at + 1, found);
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if token(at) == "as" {
        name = token(at + 1).to_owned();
        at += 2;
    }
    found.push((path, name));
    (at, found)
}

#[test]
fn code_is_read_without_comments_strings_and_tests() {
    let text = "use crate::a; // crate::b\nfn f<'a>(x: &'a str) { \"crate::c\\\"\"; r#\"\"crate::d\"#; '\"'; '\\''; a::b }\n\
                #[cfg(test)]\nmod other;\n#[cfg(test)]\n#[allow(x)]\nmod tests { fn g() {} }\nstruct S;";
    let (code, modules) = without_tests(&tokens(text));
    assert_eq!(code.join(" "), "use crate :: a ; fn f < a > ( x : & a str ) { ; ; ; ; a :: b } struct S ;");
    assert_eq!(modules, ["other"]);
}
