//! The assembler's language and its errors, and comments in the disassembly.

use afterimage_shader_d3d9::ctab::{CTAB, ConstantTable};
use afterimage_shader_d3d9::parse::Comment;
use afterimage_shader_d3d9::{Program, assemble, disassemble};

/// Ways to write the same shader.
#[test]
fn the_sdk_dialect_is_read() {
    let same: &[(&str, &str)] = &[
        ("vs.1.1\nDCL_POSITION V0\nMOV OPOS, V0", "vs_1_1\ndcl_position v0\nmov oPos, v0"),
        ("vs_2_0\nmova a0.x, c0.x\nmov r0, c3[a0.x]", "vs_2_0\nmova a0.x, c0.x\nmov r0, c[a0.x + 3]"),
        ("vs_2_0\nmova a0, c0\nmov r0, c[ 3 + a0.w ]", "vs_2_0\nmova a0, c0\nmov r0, c[a0.w + 3]"),
        ("vs_1_1\nmov a0.x, c0.x\nmov r0, c[a0+2]", "vs_1_1\nmov a0.x, c0.x\nmov r0, c[a0.x + 2]"),
        ("vs_2_0\nmov r0, c[12]", "vs_2_0\nmov r0, c12"),
        ("ps_1_4\ntexcrd r0.rg, t0_da.xyw", "ps_1_4\ntexcrd r0.xy, t0_dw.xyww"),
        (
            "ps_1_1\ntex t0 ; texture\nadd_x2_sat r0.rgb,1 - t0,-v0_bx2\n+mov r0.a,c0.b",
            "ps_1_1\ntex t0\nadd_sat_x2 r0.xyz, 1-t0, -v0_bx2\n+ mov r0.w, c0.z",
        ),
        ("ps_3_0\nmov r0, -c0.x_abs", "ps_3_0\nmov r0, -c0_abs.x"),
        (
            "// head\n/* more\nlines */ ps_2_0 // here\n\n  def c0, 1, .5f, -2e-3, 0x40000000\n",
            "ps_2_0\ndef c0, 1.0, 0.5, -0.002, 2.0",
        ),
        ("vs_2_0\ndefi i0, -1, 0x10, 3, 4\ndefb b0, 1", "vs_2_0\ndefi i0, -1, 16, 3, 4\ndefb b0, true"),
        ("ps_3_0\ndcl_texcoord3_centroid_pp v1.xy", "ps_3_0\ndcl_texcoord3_pp_centroid v1.xy"),
        ("vs_2_x\n( !p0.x ) add r0, r0, c0", "vs_2_x\n(!p0.x) add r0, r0, c0"),
    ];
    for (one, other) in same {
        assert_eq!(assemble(one).as_ref().map_err(ToString::to_string), Ok(&assemble(other).unwrap()), "{one}");
    }
}

#[test]
fn the_disassembly_is_the_sdk_dialect() {
    let text = "vs_3_0
    dcl_texcoord3 v1
    dcl_texcoord o1.xy
    def c4, 1.0, 0.5, -0.002, 2.0
    defi i0, 3, 0, 1, 0
    mova a0.xy, v1
    loop aL, i0
        add_sat r0.xyz, -c[a0.y + 3], v[aL].zyxx
        if_gt r0.x, -r0_abs.y
            break
        endif
    endloop
    setp_ne p0, r0, c4
    (!p0.z) mov o1.xy, r0
    ret
";
    assert_eq!(disassemble(&assemble(text).unwrap()).as_deref(), Ok(text));
    let text = "ps_1_4
    texcrd r0.xyz, t0_dw.xyww
    phase
    texld r1, r0_dz
    mul_x2_sat r0, 1-r1, -c0
    + mov_d8 r0.w, r1_bx2.x
";
    assert_eq!(disassemble(&assemble(text).unwrap()).as_deref(), Ok(text));
}

#[test]
fn errors_name_line_column_and_what_was_expected() {
    let cases: &[(&str, &str)] = &[
        ("", "line 1, column 1: expected a shader version such as vs_2_0 or ps_3_0, found the end of the text"),
        (
            "\n  mov r0, c0",
            "line 2, column 3: expected a shader version such as vs_2_0 or ps_3_0 before everything else, found `mov r0, c0`",
        ),
        ("vs_2_0\nmvo r0, c0", "line 2, column 1: expected an opcode, found `mvo`"),
        ("vs_2_0\n  cnd r0, c0, c0, c0", "line 2, column 3: `cnd` does not exist in vs_2_0"),
        (
            "vs_2_0\nmov_sta r0, c0",
            "line 2, column 4: expected a comparison (_gt...), a shift (_x2...), _sat or _pp behind `mov`, found `_sta`",
        ),
        (
            "vs_2_0\ndcl_tex0 v0",
            "line 2, column 4: expected a usage, a texture dimension, _pp or _centroid behind `dcl`, found `_tex0`",
        ),
        ("vs_2_0\nmov r0 c0", "line 2, column 8: expected `,` and another operand of `mov`, found `c0`"),
        ("vs_2_0\nmov r0", "line 2, column 7: expected `,` and another operand of `mov`, found the end of the line"),
        ("vs_2_0\nmov q0, c0", "line 2, column 5: expected a register of vs_2_0, found `q0`"),
        ("vs_2_0\nmov r, c0", "line 2, column 6: expected a register number, found `,`"),
        ("vs_2_0\nmov r0.q, c0", "line 2, column 7: expected a write mask of x, y, z, w, found `.q`"),
        (
            "vs_2_0\nmov r0.yx, c0",
            "line 2, column 7: expected the components of a write mask in order, each once, found `.yx`",
        ),
        ("vs_2_0\nmov r0, c0.xyzwx", "line 2, column 11: expected a swizzle of one to four components, found `.xyzwx`"),
        ("vs_2_0\nmov r0, c[b0.x]", "line 2, column 11: expected a0.x, aL or a register number, found `b0.x]`"),
        ("vs_2_0\nmov r0, c[a0.xy]", "line 2, column 11: expected a0 with one component, such as a0.x, found `a0.xy]`"),
        ("vs_2_0\nmov r0, c[a0.x - 1]", "line 2, column 16: expected `+` or `]`, found `-`"),
        ("ps_1_1\nmov r0, 2-r0", "line 2, column 9: expected a register of ps_1_1, found `2-r0`"),
        (
            "ps_1_1\nmov r0, !r0_bx3",
            "line 2, column 9: there is no source modifier `!_bx3`; expected one such as `-`, `_bx2` or `_abs`",
        ),
        ("ps_2_0\ndef c0, 1, 2, x, 4", "line 2, column 15: expected a number, found `x`"),
        ("vs_2_0\ndefi i0, 1, 2.5, 3, 4", "line 2, column 13: expected an integer of 32 bits, found `2.5`"),
        ("vs_2_0\ndefb b0, yes", "line 2, column 10: expected true or false, found `yes`"),
        ("vs_2_0\nmov r0, c0, c1", "line 2, column 11: expected the end of the line, found `,`"),
        // What the token parser says, at the operand or the opcode.
        (
            "vs_2_0\nadd r0, c0, r99",
            "line 2, column 13: token 4 (add): source 1: register number 99 of `r` is out of range (vs_2_0 has 32)",
        ),
        (
            "ps_2_x\n\n(p0) mov r0, v2",
            "line 3, column 14: token 4 (mov): source 0: register number 2 of `v` is out of range (ps_2_x has 2)",
        ),
        (
            "vs_2_0\nnop\n  endif",
            "line 3, column 3: token 2 (endif): no block is open that this instruction could continue or close",
        ),
        ("vs_2_0\nif b0\nnop", "line 3, column 1: token 4: 1 blocks are still open here"),
    ];
    for (text, expected) in cases {
        assert_eq!(assemble(text).expect_err(text).to_string(), *expected, "{text}");
    }
}

/// A constant table of a matrix, an array and a sampler, as a compiler lays it out.
fn constant_table() -> Vec<u32> {
    let mut bytes = Vec::new();
    let mut long = |value: u32| bytes.extend(value.to_le_bytes());
    // Header; constants at 28; types at 88; texts at 136.
    [28, 136, 0xFFFE_0200, 3, 28, 0, 142].into_iter().for_each(&mut long);
    // Name, set and first register, count, type, default.
    for (name, set, first, count, ty) in [(149, 2, 4, 4, 88), (153, 2, 8, 8, 104), (159, 3, 1, 1, 120)] {
        [name, set | first << 16, count, ty, 0].into_iter().for_each(&mut long);
    }
    // Class and kind, rows and columns, elements and members, members.
    [3 | 3 << 16, 4 | 4 << 16, 1, 0].into_iter().for_each(&mut long);
    [1 | 3 << 16, 1 | 3 << 16, 8, 0].into_iter().for_each(&mut long);
    [4 | 12 << 16, 1 | 1 << 16, 1, 0].into_iter().for_each(&mut long);
    bytes.extend(b"maker\0vs_2_0\0mvp\0bones\0map\0");
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    std::iter::once(CTAB).chain(words).collect()
}

#[test]
fn comments_are_kept_and_shown() {
    let mut program = Program::parse(&assemble("ps_2_0\nmov r0, c0\nmov oC0, r0").unwrap()).unwrap();
    let text: Vec<u32> = b"hello, world\0\0\0\0".as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    program.comments = vec![
        Comment { before: 0, words: constant_table() },
        Comment { before: 1, words: text },
        Comment { before: 2, words: vec![u32::from_le_bytes(*b"DBUG"), 7, 0xFFFF] },
    ];
    let tokens = program.encode();
    let again = Program::parse(&tokens).unwrap();
    assert_eq!(again.comments, program.comments);
    assert_eq!(again.encode(), tokens);
    let shown = "ps_2_0
    // maker, vs_2_0
    //   float4x4 mvp: c4..c7
    //   float3[8] bones: c8..c15
    //   sampler2D map: s1
    mov r0, c0
    // hello, world
    mov oC0, r0
    // DBUG, 3 tokens
";
    assert_eq!(disassemble(&tokens).as_deref(), Ok(shown));
    assert_eq!(again.constant_table().map(|table| table.constants.len()), Some(3));
}

/// Whatever is done to a table, it is read or not, but nothing else happens.
#[test]
fn damaged_constant_tables_do_no_harm() {
    let table = constant_table();
    for at in 0..table.len() {
        assert!(ConstantTable::parse(&table[..at]).is_none_or(|read| read.constants.len() <= 3));
        for damage in [0, 1, !0, 0x8000_0000, 0x7FFF_FFFF, 0xFFFF] {
            let mut damaged = table.clone();
            damaged[at] = damage;
            if let Some(read) = ConstantTable::parse(&damaged) {
                assert!(read.constants.len() <= 8192);
            }
        }
    }
}
