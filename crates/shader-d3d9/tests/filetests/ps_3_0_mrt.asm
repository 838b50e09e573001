; Flow control, derivatives, two targets and depth.
ps_3_0
def c0, 0.5, 8.0, 0.0, 1.0
dcl_texcoord0_centroid v0.xy
dcl_texcoord1 v1.xyz
dcl_tangent3 v2
dcl vPos.xy
dcl vFace
dcl_2d s2
mov r0, c0.z
rep i0
    texldl r1, v0.xyyy, s2
    add r0, r0, r1
    if_gt r0.w, c0.w
        break
    endif
endrep
dsx r2.xy, v0
dsy r3.xy, v0
texldd r4, v0, s2, r2, r3
cmp r4, vFace, r4, -r4
mov r5.xy, vPos
mad oC0, r0, c0.x, r4
mov oC1, v1.xyzz
mov oDepth, r5.x

; --- IR
; pixel "ps_3_0" {
;   input in0 "texcoord0" : f32x4 location 2 centroid semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   input in2 "tangent3" : f32x4 location 11 smooth semantic 6 3
;   input in3 "vFace" : bool front_facing smooth
;   input in4 "vPos" : f32x4 frag_coord smooth
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   output out1 "oC1" : f32x4 location 1 semantic 10 1
;   output out2 "oDepth" : f32 frag_depth
;   bank c0 "c" stage 3 [1]
;   def c0[0] = 0x3f000000, 0x41000000, 0x00000000, 0x3f800000
;   bank c1 "i" stage 4 [1]
;   texture t0 slot 2 2d
;   var r0 "v0" : b32x4
;   var r1 "v1" : b32x4
;   var r2 "v2" : b32x4
;   var r3 "r0" : b32x4
;   var r4 "rounds" : i32
;   var r5 "r1" : b32x4
;   var r6 "r2" : b32x4
;   var r7 "r3" : b32x4
;   var r8 "r4" : b32x4
;   var r9 "r5" : b32x4
;   var r10 "oC0" : b32x4
;   var r11 "oC1" : b32x4
;   var r12 "oDepth" : b32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xy, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyz, v3
;   v4: f32x4 = load_input in2
;   v5: b32x4 = bitcast v4
;   store r2.xyzw, v5
;   v6: b32x4 = const 0x3f000000, 0x41000000, 0x00000000, 0x3f800000
;   v7: b32x4 = swizzle v6.zzzz
;   store r3.xyzw, v7
;   v8: b32x4 = load_const c1[0]
;   v9: b32 = swizzle v8.x
;   v10: i32 = const 255
;   v11: i32 = bitcast v9
;   v12: i32 = imin v11, v10
;   store r4.x, v12
;   loop {
;     v13: i32 = load r4
;     v14: i32 = const 0
;     v15: bool = ile v13, v14
;     if v15 {
;       break
;     } else {
;       yield
;     }
;     v16: b32x4 = load r0
;     v17: b32x4 = swizzle v16.xyyy
;     v18: b32 = swizzle v17.w
;     v19: f32x4 = bitcast v17
;     v20: f32x2 = swizzle v19.xy
;     v21: f32 = bitcast v18
;     v22: f32x4 = sample_lod t0, v20, v21
;     v23: b32x4 = bitcast v22
;     store r5.xyzw, v23
;     v24: b32x4 = load r3
;     v25: b32x4 = load r5
;     v26: f32x4 = bitcast v24
;     v27: f32x4 = bitcast v25
;     v28: f32x4 = fadd v26, v27
;     v29: b32x4 = bitcast v28
;     store r3.xyzw, v29
;     v30: b32x4 = load r3
;     v31: b32 = swizzle v30.w
;     v32: b32x4 = const 0x3f000000, 0x41000000, 0x00000000, 0x3f800000
;     v33: b32 = swizzle v32.w
;     v34: f32 = bitcast v33
;     v35: f32 = bitcast v31
;     v36: bool = flt v34, v35
;     if v36 {
;       break
;     } else {
;       yield
;     }
;     v37: i32 = load r4
;     v38: i32 = const 1
;     v39: i32 = isub v37, v38
;     store r4.x, v39
;     continue
;   }
;   v40: b32x4 = load r0
;   v41: f32x4 = bitcast v40
;   v42: f32x4 = ddx v41
;   v43: b32x4 = bitcast v42
;   store r6.xy, v43
;   v44: b32x4 = load r0
;   v45: f32x4 = bitcast v44
;   v46: f32x4 = ddy v45
;   v47: b32x4 = bitcast v46
;   store r7.xy, v47
;   v48: b32x4 = load r0
;   v49: b32x4 = load r6
;   v50: b32x4 = load r7
;   v51: f32x4 = bitcast v48
;   v52: f32x2 = swizzle v51.xy
;   v53: f32x4 = bitcast v49
;   v54: f32x2 = swizzle v53.xy
;   v55: f32x4 = bitcast v50
;   v56: f32x2 = swizzle v55.xy
;   v57: f32x4 = sample_grad t0, v52, v54, v56
;   v58: b32x4 = bitcast v57
;   store r8.xyzw, v58
;   v59: bool = load_input in3
;   v60: f32 = const 1.0
;   v61: f32 = const -1.0
;   v62: f32 = select v59, v60, v61
;   v63: f32x4 = swizzle v62.xxxx
;   v64: b32x4 = load r8
;   v65: b32x4 = load r8
;   v66: f32x4 = bitcast v65
;   v67: f32x4 = fneg v66
;   v68: f32 = const 0.0
;   v69: f32x4 = swizzle v68.xxxx
;   v70: boolx4 = fle v69, v63
;   v71: b32x4 = bitcast v67
;   v72: b32x4 = select v70, v64, v71
;   store r8.xyzw, v72
;   v73: f32x4 = load_input in4
;   v74: f32x4 = const 0.5, 0.5, 0.0, 0.0
;   v75: f32x4 = fsub v73, v74
;   v76: b32x4 = bitcast v75
;   store r9.xy, v76
;   v77: b32x4 = load r3
;   v78: b32x4 = const 0x3f000000, 0x41000000, 0x00000000, 0x3f800000
;   v79: b32x4 = swizzle v78.xxxx
;   v80: b32x4 = load r8
;   v81: f32x4 = bitcast v77
;   v82: f32x4 = bitcast v79
;   v83: f32x4 = bitcast v80
;   v84: f32x4 = fmadz v81, v82, v83
;   v85: b32x4 = bitcast v84
;   store r10.xyzw, v85
;   v86: b32x4 = load r1
;   v87: b32x4 = swizzle v86.xyzz
;   store r11.xyzw, v87
;   v88: b32x4 = load r9
;   v89: b32x4 = swizzle v88.xxxx
;   store r12.xyzw, v89
;   v90: b32x4 = load r10
;   v91: b32x4 = load r11
;   v92: b32x4 = load r12
;   v93: b32 = swizzle v92.x
;   v94: f32 = bitcast v93
;   v95: f32 = fsat v94
;   v96: f32x4 = bitcast v90
;   store_output out0, v96
;   v97: f32x4 = bitcast v91
;   store_output out1, v97
;   store_output out2, v95
;   return
; }
