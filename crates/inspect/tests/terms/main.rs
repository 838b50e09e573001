//! Each state of each guest is set through the guest to each value: the terms of the state that the receiver has then give that
//! name and that value back.

mod d3d9;
mod gnm;
mod gnm_programs;
#[path = "../guests/mod.rs"]
mod guests;
mod nv2a;
mod nv2a_methods;
mod watch;

use afterimage_inspect::terms::Term;

/// Whether a text has a word, such as a constant's name, by itself.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(part) && !behind.starts_with(part)
    })
}

/// What is wrong with how a state is said, if anything: its value has to be there, or among what its note says it may be instead.
fn missing(terms: &[Term], name: &str, value: &str) -> Option<String> {
    let found: Vec<&Term> = terms.iter().filter(|term| term.name == name).collect();
    if found.iter().any(|term| has_word(&term.value, value) || has_word(&term.note, value)) {
        return None;
    }
    let said: Vec<String> = found.iter().map(|term| format!("{} ({})", term.value, term.note)).collect();
    Some(format!("{name} = {value} is said as {said:?}"))
}

/// Fails with every name that is said wrongly.
fn report(failures: Vec<String>) {
    assert!(failures.is_empty(), "{} states:\n{}", failures.len(), failures.join("\n"));
}
