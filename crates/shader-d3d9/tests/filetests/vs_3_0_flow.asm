; Loop over lights with aL, a static branch, a subroutine, a predicate, a vertex texture.
vs_3_0
defi i0, 4, 8, 1, 0
defb b1, true
def c20, 0.0, 1.0, 0.0, 0.0
dcl_position v0
dcl_normal0 v1
dcl_position o0
dcl_color0 o1
dcl_tangent3 o2.xyz
dcl_volume s1
mov r0, c20.x
loop aL, i0
    dp3_sat r1.x, v1, c[aL]
    if b1
        mad r0, r1.x, c[aL + 8], r0
    else
        add r0, r0, c20.y
    endif
    break_gt r0.x, c20.y
endloop
callnz l3, b0
setp_ge p0, r0, c20.y
(p0) mov r0, c20.y
texldl r2, v0, s1.wxyz
(!p0.x) add r0.xyz, r0, r2
mov o1, r0
mov o2.xyz, v1
mov o0, v0
ret
label l3
    mul r0, r0, c7
    ret

; --- IR
; vertex "vs_3_0" {
;   input in0 "v0" : f32x4 location 0 smooth semantic 0 0
;   input in1 "v1" : f32x4 location 1 smooth semantic 3 0
;   output out0 "color0" : f32x4 location 0 semantic 10 0
;   output out1 "tangent3" : f32x4 location 11 semantic 6 3
;   output out2 "oPos" : f32x4 position semantic 0 0
;   bank c0 "i" stage 1 [1]
;   def c0[0] = 0x00000004, 0x00000008, 0x00000001, 0x00000000
;   bank c1 "b" stage 2 [2]
;   def c1[1] = 0x00000001, 0x00000000, 0x00000000, 0x00000000
;   bank c2 "c" stage 0 [256]
;   def c2[20] = 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;   texture t0 slot 17 3d
;   var r0 "v0" : f32x4
;   var r1 "v1" : f32x4
;   var r2 "r0" : f32x4
;   var r3 "rounds" : i32
;   var r4 "aL" : i32
;   var r5 "r1" : f32x4
;   var r6 "p0" : boolx4
;   var r7 "r2" : f32x4
;   var r8 "o1" : f32x4
;   var r9 "o2" : f32x4
;   var r10 "o0" : f32x4
;   var r11 "color0" : f32x4
;   var r12 "tangent3" : f32x4
;   v2: f32x4 = const 0.0, 1.0, 0.0, 0.0
;   v3: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v4: b32x4 = const 0x00000004, 0x00000008, 0x00000001, 0x00000000
;   v5: b32 = const 0x00000004
;   v6: i32 = const 255
;   v7: i32 = const 4
;   v9: b32 = const 0x00000008
;   v10: i32 = const 8
;   v11: b32 = const 0x00000001
;   v13: i32 = const 0
;   v24: b32x4 = const 0x00000001, 0x00000000, 0x00000000, 0x00000000
;   v25: i32 = const 1
;   v34: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v38: f32 = const 1.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v8: i32 = imin v7, v6
;   store r0.xyzw, v0
;   store r1.xyzw, v1
;   store r2.xyzw, v3
;   store r3.x, v8
;   store r4.x, v10
;   loop {
;     v12: i32 = load r3
;     v14: bool = ile v12, v13
;     if v14 {
;       break
;     } else {
;       yield
;     }
;     v15: f32x4 = load r1
;     v16: f32x3 = swizzle v15.xyz
;     v17: i32 = load r4
;     v18: b32x4 = load_const_dyn c2[0], v17
;     v19: b32x3 = swizzle v18.xyz
;     v20: f32x3 = bitcast v19
;     v21: f32 = fdotz v16, v20
;     v22: f32 = fsat v21
;     v23: f32x4 = swizzle v22.xxxx
;     store r5.x, v23
;     v26: bool = ine v25, v13
;     if v26 {
;       v27: f32x4 = load r5
;       v28: f32x4 = swizzle v27.xxxx
;       v29: b32x4 = load_const_dyn c2[8], v17
;       v30: f32x4 = load r2
;       v31: f32x4 = bitcast v29
;       v32: f32x4 = fmadz v28, v31, v30
;       store r2.xyzw, v32
;       yield
;     } else {
;       v33: f32x4 = load r2
;       v35: f32x4 = fadd v33, v34
;       store r2.xyzw, v35
;       yield
;     }
;     v36: f32x4 = load r2
;     v37: f32 = swizzle v36.x
;     v39: bool = flt v38, v37
;     if v39 {
;       break
;     } else {
;       yield
;     }
;     v40: i32 = isub v12, v25
;     v41: i32 = iadd v17, v25
;     store r3.x, v40
;     store r4.x, v41
;     continue
;   }
;   v42: b32x4 = load_const c1[0]
;   v43: b32 = swizzle v42.x
;   v44: i32 = bitcast v43
;   v45: bool = ine v44, v13
;   if v45 {
;     v46: f32x4 = load r2
;     v47: f32x4 = load_const c2[7]
;     v48: f32x4 = fmulz v46, v47
;     store r2.xyzw, v48
;     yield
;   } else {
;     yield
;   }
;   v49: f32x4 = load r2
;   v50: boolx4 = fle v34, v49
;   v51: f32x4 = select v50, v34, v49
;   v52: f32 = swizzle v0.w
;   v53: f32x3 = swizzle v0.xyz
;   v54: f32x4 = sample_lod t0, v53, v52
;   v55: f32x4 = swizzle v54.wxyz
;   v56: f32x4 = fadd v51, v55
;   v57: boolx4 = swizzle v50.xxxx
;   v58: boolx4 = bnot v57
;   v59: f32x4 = select v58, v56, v51
;   store r6.xyzw, v50
;   store r2.xyzw, v51
;   store r7.xyzw, v55
;   store r2.xyz, v59
;   v60: f32x4 = load r2
;   v61: f32x4 = load r1
;   store r8.xyzw, v60
;   store r9.xyz, v61
;   v62: f32x4 = load r9
;   store r10.xyzw, v0
;   store r11.xyzw, v60
;   store r12.xyz, v62
;   store_output out0, v60
;   v63: f32x4 = load r12
;   store_output out1, v63
;   store_output out2, v0
;   return
; }
