//! Vector comparisons: VOPC. In VOP3 they have the same numbers. The columns are explained in `tables`.

macro_rules! compare { ([$($rest:ident)*] $($rows:tt)*) => { chain! { [$($rest)*] $($rows)*
    // cmp F32
    VCmpFF32: Vopc 0 "v_cmp_f_f32", Mask <- F32 F32, [], Compare(False) => "never";
    VCmpLtF32: Vopc 1 "v_cmp_lt_f32", Mask <- F32 F32, [], Compare(Lt) => "a < b";
    VCmpEqF32: Vopc 2 "v_cmp_eq_f32", Mask <- F32 F32, [], Compare(Eq) => "a == b";
    VCmpLeF32: Vopc 3 "v_cmp_le_f32", Mask <- F32 F32, [], Compare(Le) => "a <= b";
    VCmpGtF32: Vopc 4 "v_cmp_gt_f32", Mask <- F32 F32, [], Compare(Gt) => "a > b";
    VCmpLgF32: Vopc 5 "v_cmp_lg_f32", Mask <- F32 F32, [], Compare(Lg) => "a < b or a > b";
    VCmpGeF32: Vopc 6 "v_cmp_ge_f32", Mask <- F32 F32, [], Compare(Ge) => "a >= b";
    VCmpOF32: Vopc 7 "v_cmp_o_f32", Mask <- F32 F32, [], Compare(Ordered) => "neither is NaN";
    VCmpUF32: Vopc 8 "v_cmp_u_f32", Mask <- F32 F32, [], Compare(Unordered) => "either is NaN";
    VCmpNgeF32: Vopc 9 "v_cmp_nge_f32", Mask <- F32 F32, [], Compare(Nge) => "not a >= b";
    VCmpNlgF32: Vopc 10 "v_cmp_nlg_f32", Mask <- F32 F32, [], Compare(Nlg) => "not (a < b or a > b)";
    VCmpNgtF32: Vopc 11 "v_cmp_ngt_f32", Mask <- F32 F32, [], Compare(Ngt) => "not a > b";
    VCmpNleF32: Vopc 12 "v_cmp_nle_f32", Mask <- F32 F32, [], Compare(Nle) => "not a <= b";
    VCmpNeqF32: Vopc 13 "v_cmp_neq_f32", Mask <- F32 F32, [], Compare(Neq) => "not a == b";
    VCmpNltF32: Vopc 14 "v_cmp_nlt_f32", Mask <- F32 F32, [], Compare(Nlt) => "not a < b";
    VCmpTruF32: Vopc 15 "v_cmp_tru_f32", Mask <- F32 F32, [], Compare(True) => "always";
    // cmpx F32
    VCmpxFF32: Vopc 16 "v_cmpx_f_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtF32: Vopc 17 "v_cmpx_lt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqF32: Vopc 18 "v_cmpx_eq_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeF32: Vopc 19 "v_cmpx_le_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtF32: Vopc 20 "v_cmpx_gt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxLgF32: Vopc 21 "v_cmpx_lg_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Lg) => "a < b or a > b";
    VCmpxGeF32: Vopc 22 "v_cmpx_ge_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxOF32: Vopc 23 "v_cmpx_o_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ordered) => "neither is NaN";
    VCmpxUF32: Vopc 24 "v_cmpx_u_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Unordered) => "either is NaN";
    VCmpxNgeF32: Vopc 25 "v_cmpx_nge_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nge) => "not a >= b";
    VCmpxNlgF32: Vopc 26 "v_cmpx_nlg_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nlg) => "not (a < b or a > b)";
    VCmpxNgtF32: Vopc 27 "v_cmpx_ngt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ngt) => "not a > b";
    VCmpxNleF32: Vopc 28 "v_cmpx_nle_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nle) => "not a <= b";
    VCmpxNeqF32: Vopc 29 "v_cmpx_neq_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Neq) => "not a == b";
    VCmpxNltF32: Vopc 30 "v_cmpx_nlt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nlt) => "not a < b";
    VCmpxTruF32: Vopc 31 "v_cmpx_tru_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(True) => "always";
    // cmp F64
    VCmpFF64: Vopc 32 "v_cmp_f_f64", Mask <- F64 F64, [], Compare(False) => "never";
    VCmpLtF64: Vopc 33 "v_cmp_lt_f64", Mask <- F64 F64, [], Compare(Lt) => "a < b";
    VCmpEqF64: Vopc 34 "v_cmp_eq_f64", Mask <- F64 F64, [], Compare(Eq) => "a == b";
    VCmpLeF64: Vopc 35 "v_cmp_le_f64", Mask <- F64 F64, [], Compare(Le) => "a <= b";
    VCmpGtF64: Vopc 36 "v_cmp_gt_f64", Mask <- F64 F64, [], Compare(Gt) => "a > b";
    VCmpLgF64: Vopc 37 "v_cmp_lg_f64", Mask <- F64 F64, [], Compare(Lg) => "a < b or a > b";
    VCmpGeF64: Vopc 38 "v_cmp_ge_f64", Mask <- F64 F64, [], Compare(Ge) => "a >= b";
    VCmpOF64: Vopc 39 "v_cmp_o_f64", Mask <- F64 F64, [], Compare(Ordered) => "neither is NaN";
    VCmpUF64: Vopc 40 "v_cmp_u_f64", Mask <- F64 F64, [], Compare(Unordered) => "either is NaN";
    VCmpNgeF64: Vopc 41 "v_cmp_nge_f64", Mask <- F64 F64, [], Compare(Nge) => "not a >= b";
    VCmpNlgF64: Vopc 42 "v_cmp_nlg_f64", Mask <- F64 F64, [], Compare(Nlg) => "not (a < b or a > b)";
    VCmpNgtF64: Vopc 43 "v_cmp_ngt_f64", Mask <- F64 F64, [], Compare(Ngt) => "not a > b";
    VCmpNleF64: Vopc 44 "v_cmp_nle_f64", Mask <- F64 F64, [], Compare(Nle) => "not a <= b";
    VCmpNeqF64: Vopc 45 "v_cmp_neq_f64", Mask <- F64 F64, [], Compare(Neq) => "not a == b";
    VCmpNltF64: Vopc 46 "v_cmp_nlt_f64", Mask <- F64 F64, [], Compare(Nlt) => "not a < b";
    VCmpTruF64: Vopc 47 "v_cmp_tru_f64", Mask <- F64 F64, [], Compare(True) => "always";
    // cmpx F64
    VCmpxFF64: Vopc 48 "v_cmpx_f_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtF64: Vopc 49 "v_cmpx_lt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqF64: Vopc 50 "v_cmpx_eq_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeF64: Vopc 51 "v_cmpx_le_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtF64: Vopc 52 "v_cmpx_gt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxLgF64: Vopc 53 "v_cmpx_lg_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Lg) => "a < b or a > b";
    VCmpxGeF64: Vopc 54 "v_cmpx_ge_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxOF64: Vopc 55 "v_cmpx_o_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ordered) => "neither is NaN";
    VCmpxUF64: Vopc 56 "v_cmpx_u_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Unordered) => "either is NaN";
    VCmpxNgeF64: Vopc 57 "v_cmpx_nge_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nge) => "not a >= b";
    VCmpxNlgF64: Vopc 58 "v_cmpx_nlg_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nlg) => "not (a < b or a > b)";
    VCmpxNgtF64: Vopc 59 "v_cmpx_ngt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ngt) => "not a > b";
    VCmpxNleF64: Vopc 60 "v_cmpx_nle_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nle) => "not a <= b";
    VCmpxNeqF64: Vopc 61 "v_cmpx_neq_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Neq) => "not a == b";
    VCmpxNltF64: Vopc 62 "v_cmpx_nlt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nlt) => "not a < b";
    VCmpxTruF64: Vopc 63 "v_cmpx_tru_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(True) => "always";
    // cmps F32
    VCmpsFF32: Vopc 64 "v_cmps_f_f32", Mask <- F32 F32, [], Compare(False) => "never";
    VCmpsLtF32: Vopc 65 "v_cmps_lt_f32", Mask <- F32 F32, [], Compare(Lt) => "a < b";
    VCmpsEqF32: Vopc 66 "v_cmps_eq_f32", Mask <- F32 F32, [], Compare(Eq) => "a == b";
    VCmpsLeF32: Vopc 67 "v_cmps_le_f32", Mask <- F32 F32, [], Compare(Le) => "a <= b";
    VCmpsGtF32: Vopc 68 "v_cmps_gt_f32", Mask <- F32 F32, [], Compare(Gt) => "a > b";
    VCmpsLgF32: Vopc 69 "v_cmps_lg_f32", Mask <- F32 F32, [], Compare(Lg) => "a < b or a > b";
    VCmpsGeF32: Vopc 70 "v_cmps_ge_f32", Mask <- F32 F32, [], Compare(Ge) => "a >= b";
    VCmpsOF32: Vopc 71 "v_cmps_o_f32", Mask <- F32 F32, [], Compare(Ordered) => "neither is NaN";
    VCmpsUF32: Vopc 72 "v_cmps_u_f32", Mask <- F32 F32, [], Compare(Unordered) => "either is NaN";
    VCmpsNgeF32: Vopc 73 "v_cmps_nge_f32", Mask <- F32 F32, [], Compare(Nge) => "not a >= b";
    VCmpsNlgF32: Vopc 74 "v_cmps_nlg_f32", Mask <- F32 F32, [], Compare(Nlg) => "not (a < b or a > b)";
    VCmpsNgtF32: Vopc 75 "v_cmps_ngt_f32", Mask <- F32 F32, [], Compare(Ngt) => "not a > b";
    VCmpsNleF32: Vopc 76 "v_cmps_nle_f32", Mask <- F32 F32, [], Compare(Nle) => "not a <= b";
    VCmpsNeqF32: Vopc 77 "v_cmps_neq_f32", Mask <- F32 F32, [], Compare(Neq) => "not a == b";
    VCmpsNltF32: Vopc 78 "v_cmps_nlt_f32", Mask <- F32 F32, [], Compare(Nlt) => "not a < b";
    VCmpsTruF32: Vopc 79 "v_cmps_tru_f32", Mask <- F32 F32, [], Compare(True) => "always";
    // cmpsx F32
    VCmpsxFF32: Vopc 80 "v_cmpsx_f_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(False) => "never";
    VCmpsxLtF32: Vopc 81 "v_cmpsx_lt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpsxEqF32: Vopc 82 "v_cmpsx_eq_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpsxLeF32: Vopc 83 "v_cmpsx_le_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpsxGtF32: Vopc 84 "v_cmpsx_gt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpsxLgF32: Vopc 85 "v_cmpsx_lg_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Lg) => "a < b or a > b";
    VCmpsxGeF32: Vopc 86 "v_cmpsx_ge_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpsxOF32: Vopc 87 "v_cmpsx_o_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ordered) => "neither is NaN";
    VCmpsxUF32: Vopc 88 "v_cmpsx_u_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Unordered) => "either is NaN";
    VCmpsxNgeF32: Vopc 89 "v_cmpsx_nge_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nge) => "not a >= b";
    VCmpsxNlgF32: Vopc 90 "v_cmpsx_nlg_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nlg) => "not (a < b or a > b)";
    VCmpsxNgtF32: Vopc 91 "v_cmpsx_ngt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Ngt) => "not a > b";
    VCmpsxNleF32: Vopc 92 "v_cmpsx_nle_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nle) => "not a <= b";
    VCmpsxNeqF32: Vopc 93 "v_cmpsx_neq_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Neq) => "not a == b";
    VCmpsxNltF32: Vopc 94 "v_cmpsx_nlt_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(Nlt) => "not a < b";
    VCmpsxTruF32: Vopc 95 "v_cmpsx_tru_f32", Mask <- F32 F32, [WRITES_EXEC], Compare(True) => "always";
    // cmps F64
    VCmpsFF64: Vopc 96 "v_cmps_f_f64", Mask <- F64 F64, [], Compare(False) => "never";
    VCmpsLtF64: Vopc 97 "v_cmps_lt_f64", Mask <- F64 F64, [], Compare(Lt) => "a < b";
    VCmpsEqF64: Vopc 98 "v_cmps_eq_f64", Mask <- F64 F64, [], Compare(Eq) => "a == b";
    VCmpsLeF64: Vopc 99 "v_cmps_le_f64", Mask <- F64 F64, [], Compare(Le) => "a <= b";
    VCmpsGtF64: Vopc 100 "v_cmps_gt_f64", Mask <- F64 F64, [], Compare(Gt) => "a > b";
    VCmpsLgF64: Vopc 101 "v_cmps_lg_f64", Mask <- F64 F64, [], Compare(Lg) => "a < b or a > b";
    VCmpsGeF64: Vopc 102 "v_cmps_ge_f64", Mask <- F64 F64, [], Compare(Ge) => "a >= b";
    VCmpsOF64: Vopc 103 "v_cmps_o_f64", Mask <- F64 F64, [], Compare(Ordered) => "neither is NaN";
    VCmpsUF64: Vopc 104 "v_cmps_u_f64", Mask <- F64 F64, [], Compare(Unordered) => "either is NaN";
    VCmpsNgeF64: Vopc 105 "v_cmps_nge_f64", Mask <- F64 F64, [], Compare(Nge) => "not a >= b";
    VCmpsNlgF64: Vopc 106 "v_cmps_nlg_f64", Mask <- F64 F64, [], Compare(Nlg) => "not (a < b or a > b)";
    VCmpsNgtF64: Vopc 107 "v_cmps_ngt_f64", Mask <- F64 F64, [], Compare(Ngt) => "not a > b";
    VCmpsNleF64: Vopc 108 "v_cmps_nle_f64", Mask <- F64 F64, [], Compare(Nle) => "not a <= b";
    VCmpsNeqF64: Vopc 109 "v_cmps_neq_f64", Mask <- F64 F64, [], Compare(Neq) => "not a == b";
    VCmpsNltF64: Vopc 110 "v_cmps_nlt_f64", Mask <- F64 F64, [], Compare(Nlt) => "not a < b";
    VCmpsTruF64: Vopc 111 "v_cmps_tru_f64", Mask <- F64 F64, [], Compare(True) => "always";
    // cmpsx F64
    VCmpsxFF64: Vopc 112 "v_cmpsx_f_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(False) => "never";
    VCmpsxLtF64: Vopc 113 "v_cmpsx_lt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpsxEqF64: Vopc 114 "v_cmpsx_eq_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpsxLeF64: Vopc 115 "v_cmpsx_le_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpsxGtF64: Vopc 116 "v_cmpsx_gt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpsxLgF64: Vopc 117 "v_cmpsx_lg_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Lg) => "a < b or a > b";
    VCmpsxGeF64: Vopc 118 "v_cmpsx_ge_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpsxOF64: Vopc 119 "v_cmpsx_o_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ordered) => "neither is NaN";
    VCmpsxUF64: Vopc 120 "v_cmpsx_u_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Unordered) => "either is NaN";
    VCmpsxNgeF64: Vopc 121 "v_cmpsx_nge_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nge) => "not a >= b";
    VCmpsxNlgF64: Vopc 122 "v_cmpsx_nlg_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nlg) => "not (a < b or a > b)";
    VCmpsxNgtF64: Vopc 123 "v_cmpsx_ngt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Ngt) => "not a > b";
    VCmpsxNleF64: Vopc 124 "v_cmpsx_nle_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nle) => "not a <= b";
    VCmpsxNeqF64: Vopc 125 "v_cmpsx_neq_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Neq) => "not a == b";
    VCmpsxNltF64: Vopc 126 "v_cmpsx_nlt_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(Nlt) => "not a < b";
    VCmpsxTruF64: Vopc 127 "v_cmpsx_tru_f64", Mask <- F64 F64, [WRITES_EXEC], Compare(True) => "always";
    // cmp I32
    VCmpFI32: Vopc 128 "v_cmp_f_i32", Mask <- I32 I32, [], Compare(False) => "never";
    VCmpLtI32: Vopc 129 "v_cmp_lt_i32", Mask <- I32 I32, [], Compare(Lt) => "a < b";
    VCmpEqI32: Vopc 130 "v_cmp_eq_i32", Mask <- I32 I32, [], Compare(Eq) => "a == b";
    VCmpLeI32: Vopc 131 "v_cmp_le_i32", Mask <- I32 I32, [], Compare(Le) => "a <= b";
    VCmpGtI32: Vopc 132 "v_cmp_gt_i32", Mask <- I32 I32, [], Compare(Gt) => "a > b";
    VCmpNeI32: Vopc 133 "v_cmp_ne_i32", Mask <- I32 I32, [], Compare(Lg) => "a != b";
    VCmpGeI32: Vopc 134 "v_cmp_ge_i32", Mask <- I32 I32, [], Compare(Ge) => "a >= b";
    VCmpTI32: Vopc 135 "v_cmp_t_i32", Mask <- I32 I32, [], Compare(True) => "always";
    // cmpx I32
    VCmpxFI32: Vopc 144 "v_cmpx_f_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtI32: Vopc 145 "v_cmpx_lt_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqI32: Vopc 146 "v_cmpx_eq_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeI32: Vopc 147 "v_cmpx_le_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtI32: Vopc 148 "v_cmpx_gt_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxNeI32: Vopc 149 "v_cmpx_ne_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Lg) => "a != b";
    VCmpxGeI32: Vopc 150 "v_cmpx_ge_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxTI32: Vopc 151 "v_cmpx_t_i32", Mask <- I32 I32, [WRITES_EXEC], Compare(True) => "always";
    // cmp I64
    VCmpFI64: Vopc 160 "v_cmp_f_i64", Mask <- I64 I64, [], Compare(False) => "never";
    VCmpLtI64: Vopc 161 "v_cmp_lt_i64", Mask <- I64 I64, [], Compare(Lt) => "a < b";
    VCmpEqI64: Vopc 162 "v_cmp_eq_i64", Mask <- I64 I64, [], Compare(Eq) => "a == b";
    VCmpLeI64: Vopc 163 "v_cmp_le_i64", Mask <- I64 I64, [], Compare(Le) => "a <= b";
    VCmpGtI64: Vopc 164 "v_cmp_gt_i64", Mask <- I64 I64, [], Compare(Gt) => "a > b";
    VCmpNeI64: Vopc 165 "v_cmp_ne_i64", Mask <- I64 I64, [], Compare(Lg) => "a != b";
    VCmpGeI64: Vopc 166 "v_cmp_ge_i64", Mask <- I64 I64, [], Compare(Ge) => "a >= b";
    VCmpTI64: Vopc 167 "v_cmp_t_i64", Mask <- I64 I64, [], Compare(True) => "always";
    // cmpx I64
    VCmpxFI64: Vopc 176 "v_cmpx_f_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtI64: Vopc 177 "v_cmpx_lt_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqI64: Vopc 178 "v_cmpx_eq_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeI64: Vopc 179 "v_cmpx_le_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtI64: Vopc 180 "v_cmpx_gt_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxNeI64: Vopc 181 "v_cmpx_ne_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Lg) => "a != b";
    VCmpxGeI64: Vopc 182 "v_cmpx_ge_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxTI64: Vopc 183 "v_cmpx_t_i64", Mask <- I64 I64, [WRITES_EXEC], Compare(True) => "always";
    // cmp U32
    VCmpFU32: Vopc 192 "v_cmp_f_u32", Mask <- U32 U32, [], Compare(False) => "never";
    VCmpLtU32: Vopc 193 "v_cmp_lt_u32", Mask <- U32 U32, [], Compare(Lt) => "a < b";
    VCmpEqU32: Vopc 194 "v_cmp_eq_u32", Mask <- U32 U32, [], Compare(Eq) => "a == b";
    VCmpLeU32: Vopc 195 "v_cmp_le_u32", Mask <- U32 U32, [], Compare(Le) => "a <= b";
    VCmpGtU32: Vopc 196 "v_cmp_gt_u32", Mask <- U32 U32, [], Compare(Gt) => "a > b";
    VCmpNeU32: Vopc 197 "v_cmp_ne_u32", Mask <- U32 U32, [], Compare(Lg) => "a != b";
    VCmpGeU32: Vopc 198 "v_cmp_ge_u32", Mask <- U32 U32, [], Compare(Ge) => "a >= b";
    VCmpTU32: Vopc 199 "v_cmp_t_u32", Mask <- U32 U32, [], Compare(True) => "always";
    // cmpx U32
    VCmpxFU32: Vopc 208 "v_cmpx_f_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtU32: Vopc 209 "v_cmpx_lt_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqU32: Vopc 210 "v_cmpx_eq_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeU32: Vopc 211 "v_cmpx_le_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtU32: Vopc 212 "v_cmpx_gt_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxNeU32: Vopc 213 "v_cmpx_ne_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Lg) => "a != b";
    VCmpxGeU32: Vopc 214 "v_cmpx_ge_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxTU32: Vopc 215 "v_cmpx_t_u32", Mask <- U32 U32, [WRITES_EXEC], Compare(True) => "always";
    // cmp U64
    VCmpFU64: Vopc 224 "v_cmp_f_u64", Mask <- U64 U64, [], Compare(False) => "never";
    VCmpLtU64: Vopc 225 "v_cmp_lt_u64", Mask <- U64 U64, [], Compare(Lt) => "a < b";
    VCmpEqU64: Vopc 226 "v_cmp_eq_u64", Mask <- U64 U64, [], Compare(Eq) => "a == b";
    VCmpLeU64: Vopc 227 "v_cmp_le_u64", Mask <- U64 U64, [], Compare(Le) => "a <= b";
    VCmpGtU64: Vopc 228 "v_cmp_gt_u64", Mask <- U64 U64, [], Compare(Gt) => "a > b";
    VCmpNeU64: Vopc 229 "v_cmp_ne_u64", Mask <- U64 U64, [], Compare(Lg) => "a != b";
    VCmpGeU64: Vopc 230 "v_cmp_ge_u64", Mask <- U64 U64, [], Compare(Ge) => "a >= b";
    VCmpTU64: Vopc 231 "v_cmp_t_u64", Mask <- U64 U64, [], Compare(True) => "always";
    // cmpx U64
    VCmpxFU64: Vopc 240 "v_cmpx_f_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(False) => "never";
    VCmpxLtU64: Vopc 241 "v_cmpx_lt_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Lt) => "a < b";
    VCmpxEqU64: Vopc 242 "v_cmpx_eq_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Eq) => "a == b";
    VCmpxLeU64: Vopc 243 "v_cmpx_le_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Le) => "a <= b";
    VCmpxGtU64: Vopc 244 "v_cmpx_gt_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Gt) => "a > b";
    VCmpxNeU64: Vopc 245 "v_cmpx_ne_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Lg) => "a != b";
    VCmpxGeU64: Vopc 246 "v_cmpx_ge_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(Ge) => "a >= b";
    VCmpxTU64: Vopc 247 "v_cmpx_t_u64", Mask <- U64 U64, [WRITES_EXEC], Compare(True) => "always";
    // class
    VCmpClassF32: Vopc 136 "v_cmp_class_f32", Mask <- F32 B32, [], Class => "a is of a class that b names: bits 0 to 9 signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity";
    VCmpxClassF32: Vopc 152 "v_cmpx_class_f32", Mask <- F32 B32, [WRITES_EXEC], Class => "a is of a class that b names: bits 0 to 9 signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity";
    VCmpClassF64: Vopc 168 "v_cmp_class_f64", Mask <- F64 B32, [], Class => "a is of a class that b names: bits 0 to 9 signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity";
    VCmpxClassF64: Vopc 184 "v_cmpx_class_f64", Mask <- F64 B32, [WRITES_EXEC], Class => "a is of a class that b names: bits 0 to 9 signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity";
}};}
