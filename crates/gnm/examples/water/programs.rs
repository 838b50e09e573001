//! The scene's programs, in the words of AMD's assembler.

/// Computes vertices of the water: one for each lane, 64 a group, a group for each row. The V# of the vertices is in s[0:3], s4 has
/// the time in turns. Groups follow in s16.
///
/// The height is the sum of two waves; what is stored is position, u, normal, v.
pub(crate) const WATER: &str = "
    v_cvt_f32_u32 v1, v0
    v_cvt_f32_u32 v2, s16
    v_mov_b32 v20, 0x3d020821           ; 2 / 63
    v_mad_f32 v4, v1, v20, -1.0         ; x
    v_mad_f32 v6, v2, v20, -1.0         ; z
    v_mul_f32 v8, 0x3fa66666, v4        ; 1.3 turns along x
    v_add_f32 v8, s4, v8
    v_fract_f32 v8, v8
    v_mul_f32 v9, 0x3f666666, v6        ; 0.9 along z, and half a turn along x
    v_mac_f32 v9, 0.5, v4
    v_subrev_f32 v9, s4, v9
    v_fract_f32 v9, v9
    v_sin_f32 v10, v8
    v_sin_f32 v11, v9
    v_cos_f32 v12, v8
    v_cos_f32 v13, v9
    v_add_f32 v5, v10, v11
    v_mul_f32 v5, 0x3db851ec, v5        ; y: 0.09 of the sum
    v_mul_f32 v14, 0xbf3c31a8, v12      ; -dy/dx: -0.09 * 2 pi * 1.3 and 0.5
    v_mov_b32 v21, 0xbe90c3bc
    v_mac_f32 v14, v21, v13
    v_mov_b32 v15, 1.0
    v_mul_f32 v16, 0xbf0249c3, v13      ; -dy/dz: 0.9
    v_mul_f32 v7, 2.0, v4               ; u, v
    v_mul_f32 v17, 2.0, v6
    s_lshl_b32 s20, s16, 6
    v_add_i32 v18, vcc, s20, v0
    v_lshlrev_b32 v18, 5, v18
    buffer_store_dwordx4 v[4:7], v18, s[0:3], 0 offen
    buffer_store_dwordx4 v[14:17], v18, s[0:3], 0 offen offset:16
    s_endpgm
";

/// Puts out a vertex (position, u, normal, v) of the V# in s[0:3], by rows of two matrices in the constant buffer at s[4:7]: four
/// rows to clip space, three to the world's directions.
pub(crate) const VERTEX: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_buffer_load_dwordx16 s[16:31], s[4:7], 0x0
    s_buffer_load_dwordx8 s[32:39], s[4:7], 0x10
    s_buffer_load_dwordx4 s[40:43], s[4:7], 0x18
    s_waitcnt 0x0
    v_mov_b32 v12, s19
    v_mac_f32 v12, s16, v4
    v_mac_f32 v12, s17, v5
    v_mac_f32 v12, s18, v6
    v_mov_b32 v13, s23
    v_mac_f32 v13, s20, v4
    v_mac_f32 v13, s21, v5
    v_mac_f32 v13, s22, v6
    v_mov_b32 v14, s27
    v_mac_f32 v14, s24, v4
    v_mac_f32 v14, s25, v5
    v_mac_f32 v14, s26, v6
    v_mov_b32 v15, s31
    v_mac_f32 v15, s28, v4
    v_mac_f32 v15, s29, v5
    v_mac_f32 v15, s30, v6
    exp pos0 v12, v13, v14, v15 done
    v_mul_f32 v16, s32, v8
    v_mac_f32 v16, s33, v9
    v_mac_f32 v16, s34, v10
    v_mul_f32 v17, s36, v8
    v_mac_f32 v17, s37, v9
    v_mac_f32 v17, s38, v10
    v_mul_f32 v18, s40, v8
    v_mac_f32 v18, s41, v9
    v_mac_f32 v18, s42, v10
    exp param0 v16, v17, v18, v7
    exp param1 v11, v11, v11, v11
    s_endpgm
";

/// A texture in the light of a lamp: T# and S# are in a table at s[0:1], the lamp's direction in s[4:6], a tint in s[8:10].
/// What is put out is 16-bit floats.
pub(crate) const PIXEL: &str = "
    s_mov_b32 m0, s16
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    s_load_dwordx4 s[28:31], s[0:1], 0x8
    v_interp_p1_f32 v4, v0, attr0.x
    v_interp_p2_f32 v4, v1, attr0.x
    v_interp_p1_f32 v5, v0, attr0.y
    v_interp_p2_f32 v5, v1, attr0.y
    v_interp_p1_f32 v6, v0, attr0.z
    v_interp_p2_f32 v6, v1, attr0.z
    v_interp_p1_f32 v7, v0, attr0.w
    v_interp_p2_f32 v7, v1, attr0.w
    v_interp_p1_f32 v8, v0, attr1.x
    v_interp_p2_f32 v8, v1, attr1.x
    s_waitcnt lgkmcnt(0)
    image_sample v[12:15], v[7:8], s[20:27], s[28:31] dmask:0xf
    v_mul_f32 v9, v4, v4                ; one over the normal's length
    v_mac_f32 v9, v5, v5
    v_mac_f32 v9, v6, v6
    v_rsq_f32 v9, v9
    v_mul_f32 v10, s4, v4               ; the cosine of the angle to the lamp
    v_mac_f32 v10, s5, v5
    v_mac_f32 v10, s6, v6
    v_mul_f32 v10, v10, v9
    v_max_f32 v10, 0, v10
    v_mul_f32 v11, v10, v10             ; a highlight: its eighth power
    v_mul_f32 v11, v11, v11
    v_mul_f32 v11, v11, v11
    v_mul_f32 v11, 0x3ecccccd, v11
    v_mul_f32 v10, 0x3f400000, v10      ; 0.75 of it, and 0.25 everywhere
    v_add_f32 v10, 0x3e800000, v10
    s_waitcnt vmcnt(0)
    v_mul_f32 v12, s8, v12
    v_mul_f32 v13, s9, v13
    v_mul_f32 v14, s10, v14
    v_mov_b32 v15, 1.0
    v_mad_f32 v12, v12, v10, v11
    v_mad_f32 v13, v13, v10, v11
    v_mad_f32 v14, v14, v10, v11
    v_cvt_pkrtz_f16_f32 v12, v12, v13
    v_cvt_pkrtz_f16_f32 v13, v14, v15
    exp mrt0 v12, v12, v13, v13 done compr vm
    s_endpgm
";

/// One colour, in s[0:3].
pub(crate) const COLOUR: &str = "
    v_mov_b32 v2, s0
    v_mov_b32 v3, s1
    v_mov_b32 v4, s2
    v_mov_b32 v5, s3
    v_cvt_pkrtz_f16_f32 v2, v2, v3
    v_cvt_pkrtz_f16_f32 v3, v4, v5
    exp mrt0 v2, v2, v3, v3 done compr vm
    s_endpgm
";
