//! Words that are no program, and bytes that are no code.

use afterimage_shader_nv2a::tables::{self, Field, Words};
use afterimage_shader_nv2a::{ParseErrorKind, Program, assemble};

fn words(text: &str) -> Vec<Words> {
    assemble(text).expect("assembles").words().collect()
}

/// The message for `mov oPos, v0` with a field changed, in slot 1.
fn message(fields: &[(Field, u8)]) -> String {
    let mut memory = [words("mov oPos, v0\nmov oPos, v0"), words("mov oD0, v0")].concat();
    tables::FINAL.set(&mut memory[1], 0);
    for (field, value) in fields {
        field.set(&mut memory[1], *value);
    }
    Program::parse(&memory, 0).expect_err("wrong").to_string()
}

#[test]
fn errors_name_slot_and_field() {
    assert_eq!(
        message(&[(tables::A_SOURCE, 0)]),
        "slot 1: source of A has the value 0, which is none of 1 (temporary), 2 (input), 3 (constant)"
    );
    assert_eq!(
        message(&[(tables::A_SOURCE, 1), (tables::A_TEMP, 13)]),
        "slot 1: temporary of A has the value 13; the file of temporaries has 13 registers"
    );
    assert_eq!(
        message(&[(tables::A_SOURCE, 3), (tables::CONSTANT, 192)]),
        "slot 1: constant index has the value 192; constant memory has 192 registers"
    );
    assert_eq!(
        message(&[(tables::TEMP, 15), (tables::MAC_MASK, 1)]),
        "slot 1: temporary destination has the value 15; the file of temporaries has 13 registers"
    );
    assert_eq!(
        message(&[(tables::OUTPUT_ADDRESS, 2)]),
        "slot 1: the output address has the value 2, which is no output register"
    );
    assert_eq!(
        message(&[(tables::OUTPUT_BANK, 0), (tables::OUTPUT_ADDRESS, 200)]),
        "slot 1: output address has the value 200; constant memory has 192 registers"
    );
}

#[test]
fn fields_without_effect_may_hold_anything() {
    let program = assemble("mov oPos, v0\nrcp R2.x, v0.w").expect("assembles");
    let mut memory: Vec<Words> = program.words().collect();
    for field in [tables::B_SOURCE, tables::C_SOURCE, tables::B_TEMP, tables::CONSTANT, tables::TEMP, tables::RELATIVE]
    {
        field.set(&mut memory[0], 0xFF);
    }
    memory[0][0] = 0xDEAD_BEEF;
    memory[1][0] = 1;
    assert_eq!(Program::parse(&memory, 0).as_ref(), Ok(&program));
    // The opcodes 14 and 15 do nothing.
    tables::MAC.set(&mut memory[0], 15);
    let nothing = Program::parse(&memory, 0).expect("parses");
    assert_eq!(nothing.instructions[0], Default::default());
}

#[test]
fn programs_begin_and_end_in_memory() {
    let mut memory = words("mov oPos, v0\nmov oD0, v3\nmov oT0, v9");
    assert_eq!(Program::parse(&memory, 1).expect("parses").instructions.len(), 2);
    // Without a final bit, the memory's end is the program's.
    tables::FINAL.set(&mut memory[2], 0);
    assert_eq!(Program::parse(&memory, 0).expect("parses").instructions.len(), 3);
    let error = Program::parse(&memory, 3).expect_err("wrong");
    assert_eq!(error.to_string(), "slot 3: program memory has 3 slots, so no program starts here");
    assert!(Program::parse(&memory, usize::MAX).is_err());
}

#[test]
fn code_is_a_header_and_instructions() {
    let good = assemble("mov oPos, v0").expect("assembles").to_bytes();
    assert_eq!(good.len(), 32);
    let kind = |bytes: &[u8]| Program::from_bytes(bytes).map_err(|error| error.kind);
    assert!(kind(&good).is_ok());
    assert_eq!(kind(&good[..31]), Err(ParseErrorKind::Size { bytes: 31, header: 16 }));
    assert_eq!(kind(&[]), Err(ParseErrorKind::Size { bytes: 0, header: 16 }));
    assert_eq!(kind(&good[..16]), Err(ParseErrorKind::Count(0)));
    assert_eq!(kind(&vec![0; 16 * 138]), Err(ParseErrorKind::Count(137)));
    let mut flagged = good;
    flagged[1] = 1;
    assert_eq!(kind(&flagged), Err(ParseErrorKind::Flags(0x100)));
    flagged[1] = 0;
    flagged[0] = 1;
    assert_eq!(kind(&flagged).expect("points").flags, 1);
}
