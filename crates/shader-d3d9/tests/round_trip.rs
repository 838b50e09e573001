//! Tokens to text to tokens, and back, over generated instruction streams.

use afterimage_shader_d3d9::tables::Version;
use afterimage_shader_d3d9::{AsmError, Program, assemble, disassemble, generate, signature, token_length};
use proptest::collection::vec;
use proptest::prelude::*;

/// The program with the fields that only its tokens give.
fn placed(program: &Program, parsed: &Program) -> Program {
    let mut placed = program.clone();
    placed.length = parsed.length;
    for (to, from) in placed.instructions.iter_mut().zip(&parsed.instructions) {
        to.offset = from.offset;
    }
    placed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instruction_survives(version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000)) {
        let program = generate(Version::ALL[version], &bytes);
        let tokens = program.encode();
        let parsed = Program::parse(&tokens).map_err(|e| TestCaseError::fail(format!("{e}\n{program}")))?;
        prop_assert_eq!(&placed(&program, &parsed), &parsed);
        prop_assert_eq!(token_length(|at| tokens.get(at).copied()), Ok(tokens.len()));
        prop_assert_eq!(signature(&tokens).map(|s| s.length as usize), Ok(tokens.len()));

        // Text has comments too, but not for the words in those of tokens.
        let program = Program { comments: Vec::new(), ..program };
        let tokens = program.encode();
        let text = program.to_string();
        let assembled = assemble(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&assembled, &tokens, "{}", text);
        prop_assert_eq!(disassemble(&assembled), Ok(text));
    }

    #[test]
    fn damaged_tokens_never_panic(
        version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000), at in any::<prop::sample::Index>(), token: u32,
        cut in any::<prop::sample::Index>(),
    ) {
        let mut tokens = generate(Version::ALL[version], &bytes).encode();
        let short = &tokens[..cut.index(tokens.len())];
        prop_assert!(Program::parse(short).is_err());
        prop_assert!(token_length(|at| short.get(at).copied()).is_err());

        let place = at.index(tokens.len());
        tokens[place] = token;
        match Program::parse(&tokens) {
            // What still parses must still go through text, though comments get lost on the way.
            Ok(program) => prop_assert!(assemble(&program.to_string()).is_ok(), "{}", program),
            Err(error) => prop_assert!(error.offset as usize <= tokens.len(), "{}", error),
        }
    }

    #[test]
    fn damaged_text_never_panics(
        version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>(),
        with in "[-+.,;:/*\\[\\]()!_ 0-9a-z\\né]{0,4}", cut in 0..4usize,
    ) {
        let mut text: Vec<char> = generate(Version::ALL[version], &bytes).to_string().chars().collect();
        let place = at.index(text.len());
        text.splice(place..(place + cut).min(text.len()), with.chars());
        let text: String = text.into_iter().collect();
        match assemble(&text) {
            // What says nothing is not in the text that comes back, so it is that which must stay what it is.
            Ok(tokens) => {
                let text = disassemble(&tokens).expect("it was assembled");
                let again = assemble(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
                prop_assert_eq!(disassemble(&again), Ok(text));
            }
            Err(AsmError::Syntax { line, column, .. } | AsmError::Invalid { line, column, .. }) => {
                let there = text.lines().nth(line - 1).map_or(0, |line| line.chars().count());
                prop_assert!((1..=there + 1).contains(&column), "{line}, {column}\n{text}");
            }
        }
    }
}
