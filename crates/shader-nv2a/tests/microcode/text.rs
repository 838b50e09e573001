//! The assembler: what it takes, and what it says to what it does not.

use afterimage_shader_nv2a::{AsmError, assemble};

#[test]
fn text_has_room_for_habits() {
    let plain =
        "mad R0.xyz, oT0, v0, c[1], -R1 + rcp R1.w, R1.x\nmov oPos, c[A0.x + 12]\n+ mov R3, v2.xyyy\nrsq R4.x, R0.w";
    let free = "; a program\n xvs.1.1 // its version\n\n MAD r0.xyz,OT0.xyzw,V0 , c1, -r1+RCP r1.w,-r1.x\n\
                mov opos,c[ a0.x+12 ]\n+mov r3,v2.xy ; alone\nrsq r4.x, r0.wwww";
    let free = free.replace("-r1.x", "r1.x");
    // The ILU reads the addend of the MAC, sign and all.
    let error = assemble(plain).expect_err("another sign");
    assert!(error.what.contains("must be the same"), "{error}");
    let [plain, free] = [plain.replace("-R1 +", "R1 +"), free.replace("-r1+", "r1+")];
    let program = assemble(&plain).expect("assembles");
    assert_eq!(assemble(&free).as_ref(), Ok(&program));
    assert_eq!(program.to_string(), format!("xvs_1_1\n    {}\n", plain.replace('\n', "\n    ")));
}

#[test]
fn mistakes_are_named_in_their_place() {
    let cases = [
        ("", 1, 1, "expected an instruction such as `mov oPos, v0`, found the end of the text"),
        ("xvs_1_1\nmvo R0, v0", 2, 1, "expected an opcode such as mov, mad, dp4 or rcp, found `mvo`"),
        ("mov R0, v16", 1, 10, "there is no input 16; they end at 15"),
        ("mov R13, v0", 1, 6, "there is no temporary 13; they end at 12"),
        ("mov R0, c[192]", 1, 11, "there is no constant 192; they end at 191"),
        ("mov R0, c[x]", 1, 11, "expected a number, found `x]`"),
        ("mov R0, c[3", 1, 12, "expected `]`, found the end of the line"),
        ("mov R0.zx, v0", 1, 5, "a mask names components once, in the order x, y, z, w"),
        ("mov R0.q, v0", 1, 8, "expected components: x, y, z, w, found `q`"),
        ("mov v1, v0", 1, 5, "inputs cannot be written"),
        ("mov R0, oD0", 1, 9, "this cannot be read; R12 is the position"),
        ("mov R0", 1, 5, "`mov` takes 2 or 3 operands, destinations first, found 1"),
        ("nop R0", 1, 5, "`nop` has no operands"),
        ("mov R0, _", 1, 9, "this cannot be read; R12 is the position"),
        ("add R0, v0, v1", 1, 13, "an instruction reads one input"),
        ("add R0, c[1], c[2]", 1, 15, "an instruction reads one constant"),
        ("mov oD0, oD1, v0", 1, 10, "an instruction writes one output or constant"),
        ("mov R0, v0 + rcp R2.x, v0.x", 1, 18, "beside an opcode of the MAC, the ILU writes no temporary but R1"),
        ("mov R1, v0 + rcp R1.x, v0.x", 1, 14, "beside an opcode of the ILU, the MAC cannot write R1"),
        ("rcp R1.x, v0.x + mov R0, v0", 1, 16, "the opcode of the MAC stands before that of the ILU"),
        ("arl R0, v0", 1, 5, "`arl` writes A0.x and nothing else"),
        ("mov R0, v0 v1", 1, 12, "expected `,`, `+` or the end of the line, found `v1`"),
        ("mov ö, v0", 1, 5, "expected a register such as R0, v0, c[0] or oPos, found `ö`"),
    ];
    for (text, line, column, what) in cases {
        let error = match assemble(text) {
            Err(error) => error,
            Ok(program) => panic!("{text} is {program}"),
        };
        assert_eq!(error, AsmError { line, column, what: what.to_owned() }, "{text}");
    }
    let long = "nop\n".repeat(137);
    assert_eq!(
        assemble(&long).expect_err("too long").to_string(),
        "line 137, column 1: a program has at most 136 instructions"
    );
}
