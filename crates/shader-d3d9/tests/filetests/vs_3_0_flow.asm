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
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = const 0.0, 1.0, 0.0, 0.0
;   v3: f32x4 = swizzle v2.xxxx
;   store r2.xyzw, v3
;   v4: b32x4 = const 0x00000004, 0x00000008, 0x00000001, 0x00000000
;   v5: b32 = swizzle v4.x
;   v6: i32 = const 255
;   v7: i32 = bitcast v5
;   v8: i32 = imin v7, v6
;   store r3.x, v8
;   v9: b32 = swizzle v4.y
;   v10: i32 = bitcast v9
;   store r4.x, v10
;   v11: b32 = swizzle v4.z
;   loop {
;     v12: i32 = load r3
;     v13: i32 = const 0
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
;     v24: b32x4 = const 0x00000001, 0x00000000, 0x00000000, 0x00000000
;     v25: b32 = swizzle v24.x
;     v26: i32 = bitcast v25
;     v27: i32 = const 0
;     v28: bool = ine v26, v27
;     if v28 {
;       v29: f32x4 = load r5
;       v30: f32x4 = swizzle v29.xxxx
;       v31: i32 = load r4
;       v32: b32x4 = load_const_dyn c2[8], v31
;       v33: f32x4 = load r2
;       v34: f32x4 = bitcast v32
;       v35: f32x4 = fmadz v30, v34, v33
;       store r2.xyzw, v35
;       yield
;     } else {
;       v36: f32x4 = load r2
;       v37: f32x4 = const 0.0, 1.0, 0.0, 0.0
;       v38: f32x4 = swizzle v37.yyyy
;       v39: f32x4 = fadd v36, v38
;       store r2.xyzw, v39
;       yield
;     }
;     v40: f32x4 = load r2
;     v41: f32 = swizzle v40.x
;     v42: f32x4 = const 0.0, 1.0, 0.0, 0.0
;     v43: f32 = swizzle v42.y
;     v44: bool = flt v43, v41
;     if v44 {
;       break
;     } else {
;       yield
;     }
;     v45: i32 = load r3
;     v46: i32 = const 1
;     v47: i32 = isub v45, v46
;     store r3.x, v47
;     v48: i32 = load r4
;     v49: i32 = bitcast v11
;     v50: i32 = iadd v48, v49
;     store r4.x, v50
;     continue
;   }
;   v51: b32x4 = load_const c1[0]
;   v52: b32 = swizzle v51.x
;   v53: i32 = bitcast v52
;   v54: i32 = const 0
;   v55: bool = ine v53, v54
;   if v55 {
;     v56: f32x4 = load r2
;     v57: f32x4 = load_const c2[7]
;     v58: f32x4 = fmulz v56, v57
;     store r2.xyzw, v58
;     yield
;   } else {
;     yield
;   }
;   v59: f32x4 = load r2
;   v60: f32x4 = const 0.0, 1.0, 0.0, 0.0
;   v61: f32x4 = swizzle v60.yyyy
;   v62: boolx4 = fle v61, v59
;   store r6.xyzw, v62
;   v63: f32x4 = const 0.0, 1.0, 0.0, 0.0
;   v64: f32x4 = swizzle v63.yyyy
;   v65: boolx4 = load r6
;   v66: f32x4 = load r2
;   v67: f32x4 = select v65, v64, v66
;   store r2.xyzw, v67
;   v68: f32x4 = load r0
;   v69: f32 = swizzle v68.w
;   v70: f32x3 = swizzle v68.xyz
;   v71: f32x4 = sample_lod t0, v70, v69
;   v72: f32x4 = swizzle v71.wxyz
;   store r7.xyzw, v72
;   v73: f32x4 = load r2
;   v74: f32x4 = load r7
;   v75: f32x4 = fadd v73, v74
;   v76: boolx4 = load r6
;   v77: boolx4 = swizzle v76.xxxx
;   v78: boolx4 = bnot v77
;   v79: f32x4 = load r2
;   v80: f32x4 = select v78, v75, v79
;   store r2.xyz, v80
;   v81: f32x4 = load r2
;   store r8.xyzw, v81
;   v82: f32x4 = load r1
;   store r9.xyz, v82
;   v83: f32x4 = load r0
;   store r10.xyzw, v83
;   v84: f32x4 = load r10
;   v85: f32x4 = load r8
;   v86: f32 = const 1.0
;   v87: f32x4 = swizzle v86.xxxx
;   store r11.xyzw, v87
;   store r11.xyzw, v85
;   v88: f32x4 = load r9
;   store r12.xyz, v88
;   v89: f32x4 = load r11
;   store_output out0, v89
;   v90: f32x4 = load r12
;   store_output out1, v90
;   store_output out2, v84
;   return
; }
