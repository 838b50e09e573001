//! Generated instructions of every row come back from their text, and no words do harm.

use crate::Words;
use afterimage_shader_gcn::io::HwStage;
use afterimage_shader_gcn::tables::ROWS;
use afterimage_shader_gcn::{Inst, Program, assemble, code_length, generate};
use proptest::prelude::*;

#[test]
fn every_row_comes_back_from_its_text() {
    let mut random = Words(6);
    for (row, enc) in generate::forms() {
        let mut made = 0;
        for _ in 0..2000 {
            let Some(inst) = generate::instruction(row, enc, random.pair()) else { continue };
            let text = inst.to_string();
            assert_eq!((inst.op, inst.enc), (row.op, enc), "{text}");
            let words = inst.encode().unwrap_or_else(|error| panic!("{text}: {error}"));
            let again = Inst::decode(&words, 0).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(again, inst, "{text}");
            assert_eq!(assemble(&text).as_deref(), Ok(&words[..]), "{text}");
            made += 1;
            if made == 40 {
                break;
            }
        }
        assert!(made >= 10, "{} in {enc:?}: {made} instructions of 2000 words", row.name);
    }
}

#[test]
fn every_row_is_written_in_one_line() {
    for row in ROWS {
        assert!(!row.doc.is_empty() && !row.doc.ends_with('.'), "{}", row.name);
        let sources = row.src.iter().filter(|ty| ty.dwords() > 0).count();
        assert!(row.src[sources..].iter().all(|ty| ty.dwords() == 0), "{}", row.name);
    }
}

fn checked(words: &[u32]) {
    let read = |n: usize| words.get(n).copied();
    let length = code_length(read);
    match Program::parse(words, HwStage::Cs) {
        Ok(program) => {
            assert_eq!(length, Ok(program.words().len()));
            let mut at = 0;
            for (n, inst) in program.insts().iter().enumerate() {
                assert!(inst.at >= at, "instructions do not overlap");
                assert_eq!(program.at(inst.at), Some(n));
                at = inst.next();
            }
            assert_eq!(at as usize, program.words().len(), "the code ends with its last instruction");
            let text = program.to_string();
            let again = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again, program.words(), "{text}");
        }
        Err(error) => {
            assert_eq!(length, Err(error.clone()));
            assert!(error.to_string().contains("word"), "an error says where");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_words_do_harm(words in prop::collection::vec(any::<u32>(), 0..40)) {
        checked(&words);
    }

    #[test]
    fn programs_come_back_from_their_text(words in prop::collection::vec(any::<u32>(), 0..200)) {
        let words = generate::program(&words);
        checked(&words);
    }

    #[test]
    fn no_text_does_harm(text in "[ -~\n]{0,200}") {
        let _ = assemble(&text);
    }
}

/// Text of real instructions, damaged.
#[test]
fn damaged_text_is_an_error_or_code() {
    let mut random = Words(7);
    for (row, enc) in generate::forms() {
        let Some(inst) = (0..100).find_map(|_| generate::instruction(row, enc, random.pair())) else { continue };
        let text = inst.to_string();
        for _ in 0..8 {
            let mut damaged = text.clone().into_bytes();
            let at = random.next() as usize % damaged.len();
            damaged[at] = b"0,v[] |:("[random.next() as usize % 9];
            if let Ok(words) = assemble(&String::from_utf8(damaged).expect("ASCII")) {
                assert!(words.len() <= 2);
            }
        }
    }
}
