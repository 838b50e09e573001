//! Damaged shaders: every cut and every damaged token gives a typed error that names a place, or another valid shader.

use afterimage_shader_d3d9::{
    LiftError, ParseErrorKind, RuntimeInfo, assemble, disassemble, lift, signature, token_length, tokens_from_bytes,
};
use std::path::Path;

fn filetests() -> Vec<Vec<u32>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let files = std::fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let shaders: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "asm"))
        .map(|path| assemble(&std::fs::read_to_string(path).expect("readable")).expect("assembles"))
        .collect();
    assert!(shaders.len() >= 7);
    shaders
}

#[test]
fn every_cut_is_an_error() {
    for tokens in filetests() {
        for end in 0..tokens.len() {
            let cut = &tokens[..end];
            let error = signature(cut).expect_err("the end token is missing");
            assert!(error.offset as usize <= end, "{error}");
            assert!(token_length(|at| cut.get(at).copied()).is_err());
            assert!(lift(cut, &RuntimeInfo::default()).is_err());
        }
        // What stands behind the end token is not looked at.
        let mut longer = tokens.clone();
        longer.extend([0xDEAD_BEEF; 4]);
        assert_eq!(signature(&longer), signature(&tokens));
        assert_eq!(token_length(|at| longer.get(at).copied()), Ok(tokens.len()));
    }
}

#[test]
fn every_damaged_token_is_an_error_or_another_shader() {
    let damages: [fn(u32) -> u32; 8] = [
        |_| 0,
        |_| !0,
        |_| 0xFFFF,
        |token| !token,
        |token| token ^ 1 << 31,
        |token| token ^ 1 << 13,
        |token| token.wrapping_add(1),
        |token| token ^ 0x0F00_0000,
    ];
    for tokens in filetests() {
        for at in 0..tokens.len() {
            for damage in damages {
                let mut damaged = tokens.clone();
                damaged[at] = damage(damaged[at]);
                if let Err(LiftError::Parse(error)) = lift(&damaged, &RuntimeInfo::default()) {
                    assert!(error.offset as usize <= damaged.len(), "{error}");
                    assert!(error.to_string().starts_with("token "), "{error}");
                }
                if let Ok(text) = disassemble(&damaged) {
                    assert!(assemble(&text).is_ok(), "{text}");
                }
            }
        }
    }
}

/// Errors name the token, the opcode and the field.
#[test]
fn errors_say_what_and_where() {
    let error = |tokens: &[u32]| lift(tokens, &RuntimeInfo::default()).expect_err("wrong").to_string();
    let vs_2_0 = 0xFFFE_0200;
    let cases: [(&[u32], &str); 9] = [
        (&[], "token 0: the code ends here; an end token 0x0000ffff is missing"),
        (
            &[0xFFFE_0900, 0xFFFF],
            "token 0: version token 0xfffe0900 is no Direct3D 9 shader model (0xfffe0101 to 0xffff0300)",
        ),
        (&[vs_2_0, 0x0000_1234], "token 1: opcode number 4660 is not known"),
        (&[vs_2_0, 0x0300_0042], "token 1: this opcode (number 66) does not exist in vs_2_0"),
        (
            &[vs_2_0, 0x0300_0001, 0x800F_0000, 0x90E4_0000, 0xFFFF],
            "token 3 (mov): instruction length field is 3 tokens, but the operands take 2",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x800F_0063, 0x90E4_0000, 0xFFFF],
            "token 2 (mov): destination: register number 99 of `r` is out of range (vs_2_0 has 32)",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x800F_0000, 0x95E4_0000, 0xFFFF],
            "token 3 (mov): source modifier has the value 0x5, which vs_2_0 does not have",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x900F_0000, 0x90E4_0000, 0xFFFF],
            "token 2 (mov): destination: register `v` cannot be used here",
        ),
        (
            &[vs_2_0, 0x0000_002B, 0xFFFF],
            "token 1 (endif): no block is open that this instruction could continue or close",
        ),
    ];
    for (tokens, expected) in cases {
        assert_eq!(error(tokens), expected);
    }
    assert_eq!(tokens_from_bytes(&[0; 7]).expect_err("odd").kind, ParseErrorKind::Unaligned { bytes: 7 });
}
