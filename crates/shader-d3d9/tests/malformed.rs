//! Damaged shaders: every cut and every damaged token gives a typed error that names a place, or another valid shader.

use afterimage_shader_d3d9::{
    AsmError, Constants, Decoder, LiftError, ParseErrorKind, Refused, Rule, RuleSet, RuntimeInfo, assemble, check,
    disassemble, lift, signature, token_length, tokens_from_bytes,
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

/// Wine's HLSL compiler has a version of its own for the profile ps_2_b.
#[test]
fn version_2_2_is_2_x() {
    let signature = signature(&[0xFFFF_0202, 0xFFFF]).expect("an empty shader");
    assert_eq!(signature.version, afterimage_shader_d3d9::tables::Version::ps(2, 1));
    assert!(afterimage_shader_d3d9::signature(&[0xFFFF_0203, 0xFFFF]).is_err());
}

/// The position is no input of the pixel stage; others of its usage are semantics like any.
#[test]
fn pixel_shaders_have_no_position() {
    let with = |index: u32| signature(&[0xFFFF_0300, 0x0200_001F, 0x8000_0000 | index << 16, 0x900F_0000, 0xFFFF]);
    let error = with(0).expect_err("the rasteriser's").to_string();
    assert_eq!(error, "token 3 (dcl): usage has the value 0x0, which ps_3_0 does not have");
    assert!(with(1).is_ok());
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
            "token 0: version token 0xfffe0900 is no Direct3D 9 shader model (0xfffe0100 to 0xffff0300)",
        ),
        (&[vs_2_0, 0x0000_1234], "token 1: opcode number 4660 is not known"),
        (&[vs_2_0, 0x0300_0042], "token 1: this opcode (number 66) does not exist in vs_2_0"),
        (
            &[vs_2_0, 0x0300_0001, 0x800F_0000, 0xA0E4_0000, 0xFFFF],
            "token 3 (mov): instruction length field is 3 tokens, but the operands take 2",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x800F_0063, 0xA0E4_0000, 0xFFFF],
            "token 2 (mov): destination: register number 99 of `r` is out of range (vs_2_0 has 32)",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x800F_0000, 0xAEE4_0000, 0xFFFF],
            "token 3 (mov): source modifier has the value 0xe, which vs_2_0 does not have",
        ),
        (
            &[vs_2_0, 0x0200_0001, 0x900F_0000, 0xA0E4_0000, 0xFFFF],
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

/// What the shader reference forbids, by model: the validator names place and reason. The places are those of the instruction or
/// of the operand. What only the validator refuses is created, says which rule it broke, and becomes IR.
#[test]
fn illegal_shaders_are_rejected_with_the_reason() {
    let cases: &[(&str, &str)] = &[
        // Opcodes of other models.
        ("ps_1_1\ncmp r0, r0, r0, r0", "does not exist in ps_1_1"),
        ("vs_1_1\nlrp r0, c0, c0, c0", "does not exist in vs_1_1"),
        ("ps_2_0\ncnd r0, r0, r0, r0", "does not exist in ps_2_0"),
        ("ps_2_0\nslt r0, c0, c1", "does not exist in ps_2_0"),
        ("ps_2_0\ndsx r0, c0", "does not exist in ps_2_0"),
        ("vs_2_0\nif_gt c0.x, c0.y\nendif", "does not exist in vs_2_0"),
        ("vs_1_1\nmova a0.x, c0.x", "does not exist in vs_1_1"),
        ("ps_1_4\ntex t0", "does not exist in ps_1_4"),
        // Registers.
        ("vs_1_1\nmov c0, c1", "token 2 (mov): destination: register `c` cannot be used here"),
        ("ps_2_0\nmov r0, oC0", "token 3 (mov): source 0: register `oC` cannot be used here"),
        ("ps_2_0\nmov oC4, r0", "register number 4 of `oC` is out of range (ps_2_0 has 4)"),
        ("vs_1_1\nmov r12, c0", "register number 12 of `r` is out of range (vs_1_1 has 12)"),
        ("vs_1_1\nmov r32, c0", "register number 32 of `r` is out of range (vs_1_1 has 12)"),
        ("ps_1_1\nmov r2, c0", "register number 2 of `r` is out of range (ps_1_1 has 2)"),
        ("ps_3_0\ndcl_texcoord10 v10\nmov oC0, v10", "register number 10 of `v` is out of range (ps_3_0 has 10)"),
        ("vs_3_0\ndcl_texcoord10 o12\nmov o12, c0", "register number 12 of `o` is out of range (vs_3_0 has 12)"),
        ("vs_2_0\ndcl_position v16", "register number 16 of `v` is out of range (vs_2_0 has 16)"),
        ("ps_1_4\ntexld r6, t0", "register number 6 of `r` is out of range (ps_1_4 has 6)"),
        ("ps_1_4\ntexld r0, t6", "register number 6 of `t` is out of range (ps_1_4 has 6)"),
        ("ps_1_4\nmov r0, t0", "token 3 (mov): source 0: register `t` cannot be used here"),
        ("vs_2_0\nmov a0, c0", "token 2 (mov): destination: register `a` cannot be used here"),
        ("vs_3_0\nm4x4 r0, c0, c254", "register number 257 of `c` is out of range (vs_3_0 has 256)"),
        ("vs_2_0\ndcl_position v0\nmov r0, v[a0.x]", "relative addressing of `v` is not possible"),
        ("ps_3_0\ndcl_texcoord v0\nloop aL, i0\nmov r0, c[aL]\nendloop", "relative addressing of `c` is not possible"),
        // Modifiers, masks, swizzles.
        ("vs_1_1\nmov_pp r0, c0", "token 2 (mov): result modifier has the value 0x2, which vs_1_1 does not have"),
        ("vs_3_0\nmov_pp r0, c0", "result modifier has the value 0x2"),
        ("ps_2_0\nmov_centroid r0, c0", "result modifier has the value 0x4"),
        ("ps_2_0\nmov_x2 r0, c0", "result shift has the value 0x1, which ps_2_0 does not have"),
        ("ps_1_1\nmov_d4 r0, c0", "result shift has the value 0xe, which ps_1_1 does not have"),
        ("ps_2_0\nmov r0, c0_abs", "token 3 (mov): source modifier has the value 0xb, which ps_2_0 does not have"),
        ("ps_2_0\nmov r0, c0_bx2", "source modifier has the value 0x4"),
        ("ps_1_3\nmov r0, r1_x2", "source modifier has the value 0x7"),
        ("vs_2_0\nm3x3 r0.xyz, c0, -c1", "source modifier has the value 0x1"),
        ("vs_2_0\nm3x3 r0, c0, c1", "write mask .xyzw is not possible here; it must be .xyz"),
        ("vs_2_0\nm3x2 r0.xyz, c0, c1", "write mask .xyz is not possible here; it must be .xy"),
        ("vs_2_0\ncrs r0, c0, c1", "write mask .xyzw is not possible here, which has no w"),
        ("vs_2_0\nnrm r0.xy, c0", "write mask .xy is not possible here; it must be .xyz or .xyzw"),
        ("ps_1_4\ntexcrd r0.rgb, t0\nbem r1, c0, r0", "write mask .xyzw is not possible here; it must be .xy"),
        ("vs_2_0\nrcp r0, c0", "token 3 (rcp): source 0: the swizzle must name one component, such as .x"),
        (
            "vs_2_0\nmov r1, c0\nm4x4 r1, r1, c0",
            "token 4 (m4x4): the destination of a matrix opcode cannot be one of its sources",
        ),
        // Declarations.
        ("vs_1_1\nmov oPos, v0", "token 3 (mov): source 0: v0 is not declared (a dcl is missing above)"),
        ("vs_3_0\nmov o0, c0", "token 2 (mov): destination: o0 is not declared"),
        ("ps_2_0\nmov r0, t1\nmov r1, v1", "t1 is not declared"),
        ("ps_2_0\ndcl t0\ntexld r0, t0, s3", "token 7 (texld): source 1: s3 is not declared"),
        ("ps_3_0\nmov r0, vFace", "vFace is not declared"),
        ("ps_2_0\ndcl t0\ndcl t0", "token 4 (dcl): t0 has been declared already"),
        ("vs_3_0\ndcl_texcoord o0.xyw\ndcl_texcoord1 o0.yz", "o0 has been declared already"),
        // Flow.
        ("vs_2_0\nmov r0, c[aL]", "aL is used outside of a loop"),
        (
            "vs_3_0\nrep i0\nrep i0\nrep i0\nrep i0\nrep i0\nendrep\nendrep\nendrep\nendrep\nendrep",
            "token 9 (rep): flow control is nested deeper than 4",
        ),
        (&"if b0\n".repeat(25).replacen("", "vs_3_0\n", 1), "flow control is nested deeper than 24"),
        ("vs_2_0\nif b0\nloop aL, i0\nendif", "token 6 (endif): no block is open"),
        ("vs_2_0\nif b0", "1 blocks are still open here"),
        ("vs_2_x\nbreak", "token 1 (break): no block is open"),
        ("vs_2_0\nmov r0, c0\ncall l3", "token 4 (call): there is no label l3"),
        ("vs_2_0\ncall l0\nret\nlabel l0\nret\nlabel l0\nret", "token 7 (label): label l0 stands here a second time"),
        ("vs_2_0\ncall l0\nret\nlabel l0\ncall l0\nret", "token 6 (call): l0 stands before this call"),
        (
            "vs_3_0\ncall l0\nret\nlabel l0\ncall l1\nret\nlabel l1\ncall l2\nret\nlabel l2\ncall l3\nret\n\
             label l3\ncall l4\nret\nlabel l4\nret",
            "calls are nested deeper than 4",
        ),
        // Model 1.
        ("ps_1_1\nmov r0, c0\ntex t0", "token 4 (tex): texture opcodes must stand before all arithmetic"),
        ("ps_1_4\nphase\nphase", "token 2 (phase): there can be one phase instruction"),
        ("ps_1_1\n+ mov r0, c0", "token 1 (mov): only an arithmetic instruction of ps_1_x can be paired"),
        ("ps_1_1\ntex t0\n+ mov r0, c0", "only an arithmetic instruction of ps_1_x can be paired"),
        ("ps_1_1\ntex t0\ntexm3x2tex t1, t0", "token 3 (texm3x2tex): texm3x2 and texm3x3 opcodes need their pads"),
        ("ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t3, t0", "must be in consecutive registers"),
    ];
    let mut seen = RuleSet::default();
    for (text, expected) in cases {
        let Ok(tokens) = assemble(text) else {
            let error = assemble(text).expect_err(text);
            assert!(error.to_string().contains(expected), "{text}\n{error}\ninstead of\n{expected}");
            if let AsmError::Invalid { source, .. } = error {
                assert!(!source.rule.is_lenient(), "{text}: {source}");
                seen.insert(source.rule);
            }
            continue;
        };
        let mut strict = Decoder::strict(&tokens, Constants::OfModel).expect("a version");
        let error = strict.find_map(Result::err).unwrap_or_else(|| panic!("nothing is wrong with {text}"));
        assert!(error.to_string().contains(expected), "{text}\n{error}\ninstead of\n{expected}");
        let (_, broken) = check(&tokens, Constants::OfModel).expect(text);
        assert!(error.rule.is_lenient() && broken.contains(error.rule), "{text}: {broken}");
        seen.insert(error.rule);
        lift(&tokens, &RuntimeInfo::default()).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
    // Those that no text can break, and that a test of its own has.
    let elsewhere = [
        Rule::FlowOpcode,
        Rule::Predicate,
        Rule::Version,
        Rule::PixelPosition,
        Rule::Tokens,
        Rule::Values,
        Rule::ControlBits,
        Rule::SamplerType,
    ];
    let missing: Vec<_> = Rule::TABLE.iter().filter(|row| !seen.contains(row.rule)).map(|row| row.rule).collect();
    let missing: Vec<_> = missing.into_iter().filter(|rule| !elsewhere.contains(rule)).collect();
    assert!(missing.is_empty(), "no case breaks {missing:?}");
}

/// What tokens can break and text cannot.
#[test]
fn broken_tokens_are_judged_by_their_rules() {
    let rule = |tokens: &[u32]| match check(tokens, Constants::OfModel) {
        Ok((_, broken)) => broken.iter().next(),
        Err(error) => Some(error.rule),
    };
    let (vs_2_0, ps_2_0) = (0xFFFE_0200, 0xFFFF_0200);
    let cases: [(&[u32], Rule); 11] = [
        (&[0xFFFE_0400, 0xFFFF], Rule::Version),
        (&[vs_2_0, 0x0300_0042, 0xFFFF], Rule::FlowOpcode),
        (&[vs_2_0, 0x1300_0001, 0x800F_0000, 0xB000_1000, 0xA0E4_0000, 0xFFFF], Rule::Predicate),
        (&[0xFFFF_0300, 0x0200_001F, 0x8000_0000, 0x900F_0000, 0xFFFF], Rule::PixelPosition),
        (&[vs_2_0, 0x0200_0001, 0x000F_0000, 0xA0E4_0000, 0xFFFF], Rule::Tokens),
        (&[vs_2_0, 0x0200_001F, 0x8000_001E, 0x900F_0000, 0xFFFF], Rule::Values),
        (&[vs_2_0, 0x0204_0001, 0x800F_0000, 0xA0E4_0000, 0xFFFF], Rule::ControlBits),
        (&[ps_2_0, 0x0200_001F, 0x8800_0000, 0xA00F_0800, 0xFFFF], Rule::SamplerType),
        (&[vs_2_0, 0x4200_0001, 0x800F_0000, 0xA0E4_0000, 0xFFFF], Rule::Pair),
        (&[ps_2_0, 0x0200_0001, 0x880F_0000, 0xA0E4_0000, 0xFFFF], Rule::Values),
        (&[vs_2_0, 0x0200_0001, 0x808F_0000, 0xA0E4_0000, 0xFFFF], Rule::ResultModifier),
    ];
    for (tokens, expected) in cases {
        assert_eq!(rule(tokens), Some(expected), "{tokens:x?}");
    }
    // Irrlicht's, which the validator takes as well.
    let irrlicht = [
        0xFFFE_0101,
        0x0000_001F,
        0x8000_0000,
        0x900F_0000,
        0x0000_0017,
        0x800F_0000,
        0x90E4_0000,
        0xA0E4_0000,
        0x0000_0001,
        0xC00F_0000,
        0x80E4_0000,
        0xFFFF,
    ];
    assert_eq!(check(&irrlicht, Constants::OfModel).map(|(_, broken)| broken), Ok(RuleSet::default()));
    assert!(Decoder::strict(&irrlicht, Constants::OfModel).expect("a version").all(|i| i.is_ok()));
}

/// `docs/shader-rules.md` is the table. `AFTERIMAGE_BLESS=1` writes it.
#[test]
fn the_rules_are_documented() {
    use std::fmt::Write;
    let mut text = "# What a shader may break\n\n\
        Generated from `crates/shader-d3d9/src/refusals.rs` (`cargo xtask bless afterimage-shader-d3d9`).\n\n\
        The validator of Direct3D 9's SDK holds shaders to the whole of the shader reference; the calls that create shaders did not,\n\
        and compilers and programs make use of that. The validator here (`Direct3DShaderValidatorCreate9`) refuses whatever breaks a\n\
        rule of this page. A shader that is created is refused for those of the first two tables; for the third, the log says once\n\
        which rules a program's shaders break, and they are drawn.\n"
        .to_owned();
    let groups = [
        (Refused::Runtime, "Refused, as on Windows", "why"),
        (Refused::Meaningless, "Refused, since nothing could be drawn", "why"),
        (Refused::Validator, "Refused by the validator alone", "what is drawn"),
    ];
    for (refused, title, then) in groups {
        write!(text, "\n## {title}\n\n| rule | it says | {then} | source |\n|---|---|---|---|\n").expect("a string");
        for row in Rule::TABLE.iter().filter(|row| row.refused == refused) {
            writeln!(text, "| {} | {} | {} | {} |", row.name, row.says, row.then, row.source).expect("a string");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shader-rules.md");
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &text).expect("writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is not the table's (cargo xtask bless afterimage-shader-d3d9)", path.display());
}
