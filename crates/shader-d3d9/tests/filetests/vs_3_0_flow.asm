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
;   var r0 "v0" : b32x4
;   var r1 "v1" : b32x4
;   var r2 "r0" : b32x4
;   var r3 "rounds" : i32
;   var r4 "aL" : i32
;   var r5 "r1" : b32x4
;   var r6 "p0" : boolx4
;   var r7 "r2" : b32x4
;   var r8 "o1" : b32x4
;   var r9 "o2" : b32x4
;   var r10 "o0" : b32x4
;   var r11 "color0" : f32x4
;   var r12 "tangent3" : f32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: b32x4 = const 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;   v5: b32x4 = swizzle v4.xxxx
;   store r2.xyzw, v5
;   v6: b32x4 = const 0x00000004, 0x00000008, 0x00000001, 0x00000000
;   v7: b32 = swizzle v6.x
;   v8: i32 = const 255
;   v9: i32 = bitcast v7
;   v10: i32 = imin v9, v8
;   store r3.x, v10
;   v11: b32 = swizzle v6.y
;   v12: i32 = bitcast v11
;   store r4.x, v12
;   v13: b32 = swizzle v6.z
;   loop {
;     v14: i32 = load r3
;     v15: i32 = const 0
;     v16: bool = ile v14, v15
;     if v16 {
;       break
;     } else {
;       yield
;     }
;     v17: b32x4 = load r1
;     v18: b32x3 = swizzle v17.xyz
;     v19: i32 = load r4
;     v20: b32x4 = load_const_dyn c2[0], v19
;     v21: b32x3 = swizzle v20.xyz
;     v22: f32x3 = bitcast v18
;     v23: f32x3 = bitcast v21
;     v24: f32 = fdotz v22, v23
;     v25: f32 = fsat v24
;     v26: b32 = bitcast v25
;     v27: b32x4 = swizzle v26.xxxx
;     store r5.x, v27
;     v28: b32x4 = const 0x00000001, 0x00000000, 0x00000000, 0x00000000
;     v29: b32 = swizzle v28.x
;     v30: i32 = bitcast v29
;     v31: i32 = const 0
;     v32: bool = ine v30, v31
;     if v32 {
;       v33: b32x4 = load r5
;       v34: b32x4 = swizzle v33.xxxx
;       v35: i32 = load r4
;       v36: b32x4 = load_const_dyn c2[8], v35
;       v37: b32x4 = load r2
;       v38: f32x4 = bitcast v34
;       v39: f32x4 = bitcast v36
;       v40: f32x4 = bitcast v37
;       v41: f32x4 = fmadz v38, v39, v40
;       v42: b32x4 = bitcast v41
;       store r2.xyzw, v42
;       yield
;     } else {
;       v43: b32x4 = load r2
;       v44: b32x4 = const 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;       v45: b32x4 = swizzle v44.yyyy
;       v46: f32x4 = bitcast v43
;       v47: f32x4 = bitcast v45
;       v48: f32x4 = fadd v46, v47
;       v49: b32x4 = bitcast v48
;       store r2.xyzw, v49
;       yield
;     }
;     v50: b32x4 = load r2
;     v51: b32 = swizzle v50.x
;     v52: b32x4 = const 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;     v53: b32 = swizzle v52.y
;     v54: f32 = bitcast v53
;     v55: f32 = bitcast v51
;     v56: bool = flt v54, v55
;     if v56 {
;       break
;     } else {
;       yield
;     }
;     v57: i32 = load r3
;     v58: i32 = const 1
;     v59: i32 = isub v57, v58
;     store r3.x, v59
;     v60: i32 = load r4
;     v61: i32 = bitcast v13
;     v62: i32 = iadd v60, v61
;     store r4.x, v62
;     continue
;   }
;   v63: b32x4 = load_const c1[0]
;   v64: b32 = swizzle v63.x
;   v65: i32 = bitcast v64
;   v66: i32 = const 0
;   v67: bool = ine v65, v66
;   if v67 {
;     v68: b32x4 = load r2
;     v69: b32x4 = load_const c2[7]
;     v70: f32x4 = bitcast v68
;     v71: f32x4 = bitcast v69
;     v72: f32x4 = fmulz v70, v71
;     v73: b32x4 = bitcast v72
;     store r2.xyzw, v73
;     yield
;   } else {
;     yield
;   }
;   v74: b32x4 = load r2
;   v75: b32x4 = const 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;   v76: b32x4 = swizzle v75.yyyy
;   v77: f32x4 = bitcast v76
;   v78: f32x4 = bitcast v74
;   v79: boolx4 = fle v77, v78
;   store r6.xyzw, v79
;   v80: b32x4 = const 0x00000000, 0x3f800000, 0x00000000, 0x00000000
;   v81: b32x4 = swizzle v80.yyyy
;   v82: boolx4 = load r6
;   v83: b32x4 = load r2
;   v84: b32x4 = select v82, v81, v83
;   store r2.xyzw, v84
;   v85: b32x4 = load r0
;   v86: b32 = swizzle v85.w
;   v87: f32x4 = bitcast v85
;   v88: f32x3 = swizzle v87.xyz
;   v89: f32 = bitcast v86
;   v90: f32x4 = sample_lod t0, v88, v89
;   v91: f32x4 = swizzle v90.wxyz
;   v92: b32x4 = bitcast v91
;   store r7.xyzw, v92
;   v93: b32x4 = load r2
;   v94: b32x4 = load r7
;   v95: f32x4 = bitcast v93
;   v96: f32x4 = bitcast v94
;   v97: f32x4 = fadd v95, v96
;   v98: boolx4 = load r6
;   v99: boolx4 = swizzle v98.xxxx
;   v100: boolx4 = bnot v99
;   v101: b32x4 = load r2
;   v102: b32x4 = bitcast v97
;   v103: b32x4 = select v100, v102, v101
;   store r2.xyz, v103
;   v104: b32x4 = load r2
;   store r8.xyzw, v104
;   v105: b32x4 = load r1
;   store r9.xyz, v105
;   v106: b32x4 = load r0
;   store r10.xyzw, v106
;   v107: b32x4 = load r10
;   v108: f32x4 = bitcast v107
;   v109: b32x4 = load r8
;   v110: f32x4 = bitcast v109
;   v111: f32 = const 1.0
;   v112: f32x4 = swizzle v111.xxxx
;   store r11.xyzw, v112
;   store r11.xyzw, v110
;   v113: b32x4 = load r9
;   v114: f32x4 = bitcast v113
;   store r12.xyz, v114
;   v115: f32x4 = load r11
;   store_output out0, v115
;   v116: f32x4 = load r12
;   store_output out1, v116
;   store_output out2, v108
;   return
; }
