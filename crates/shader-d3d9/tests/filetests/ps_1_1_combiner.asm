; Modifiers, shifts and a co-issued pair.
ps_1_1
def c0, 0.25, 0.5, 0.75, 1.0
tex t0
texcoord t1
dp3_sat r0.rgb, t0_bx2, v0_bx2
+ mov r0.a, t0.a
mad_x2 r1, 1-r0, c0, t1
mul_d2 r0, r1_bias, -v1
cnd r0, r0.a, r1, c0

; --- IR
; pixel "ps_1_1" {
;   input in0 "texcoord0" : f32x4 location 2 smooth semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   input in2 "color0" : f32x4 location 0 smooth semantic 10 0
;   input in3 "color1" : f32x4 location 1 smooth semantic 10 1
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   bank c0 "c" stage 3 [1]
;   def c0[0] = 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   texture t0 slot 0 2d
;   var r0 "t0" : b32x4
;   var r1 "t1" : b32x4
;   var r2 "v0" : b32x4
;   var r3 "v1" : b32x4
;   var r4 "r0" : b32x4
;   var r5 "r1" : b32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: f32x4 = load_input in2
;   v5: b32x4 = bitcast v4
;   store r2.xyzw, v5
;   v6: f32x4 = load_input in3
;   v7: b32x4 = bitcast v6
;   store r3.xyzw, v7
;   v8: b32x4 = load r0
;   v9: f32x4 = bitcast v8
;   v10: f32x2 = swizzle v9.xy
;   v11: f32x4 = sample t0, v10
;   v12: b32x4 = bitcast v11
;   store r0.xyzw, v12
;   v13: b32x4 = load r1
;   v14: b32x3 = swizzle v13.xyz
;   v15: f32x3 = bitcast v14
;   v16: f32x3 = fsat v15
;   v17: f32 = const 1.0
;   v18: f32x4 = construct v16, v17
;   v19: b32x4 = bitcast v18
;   store r1.xyzw, v19
;   v20: b32x4 = load r0
;   v21: b32x3 = swizzle v20.xyz
;   v22: f32 = const 0.5
;   v23: f32x3 = bitcast v21
;   v24: f32x3 = swizzle v22.xxx
;   v25: f32x3 = fsub v23, v24
;   v26: f32x3 = fadd v25, v25
;   v27: b32x4 = load r2
;   v28: b32x3 = swizzle v27.xyz
;   v29: f32 = const 0.5
;   v30: f32x3 = bitcast v28
;   v31: f32x3 = swizzle v29.xxx
;   v32: f32x3 = fsub v30, v31
;   v33: f32x3 = fadd v32, v32
;   v34: f32 = fdotz v26, v33
;   v35: b32x4 = load r0
;   v36: b32x4 = swizzle v35.wwww
;   v37: f32 = fsat v34
;   v38: b32 = bitcast v37
;   v39: b32x4 = swizzle v38.xxxx
;   store r4.xyz, v39
;   store r4.w, v36
;   v40: b32x4 = load r4
;   v41: f32 = const 1.0
;   v42: f32x4 = swizzle v41.xxxx
;   v43: f32x4 = bitcast v40
;   v44: f32x4 = fsub v42, v43
;   v45: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v46: b32x4 = load r1
;   v47: f32x4 = bitcast v45
;   v48: f32x4 = bitcast v46
;   v49: f32x4 = fmadz v44, v47, v48
;   v50: f32 = const 2.0
;   v51: f32x4 = swizzle v50.xxxx
;   v52: f32x4 = fmul v49, v51
;   v53: b32x4 = bitcast v52
;   store r5.xyzw, v53
;   v54: b32x4 = load r5
;   v55: f32 = const 0.5
;   v56: f32x4 = bitcast v54
;   v57: f32x4 = swizzle v55.xxxx
;   v58: f32x4 = fsub v56, v57
;   v59: b32x4 = load r3
;   v60: f32x4 = bitcast v59
;   v61: f32x4 = fneg v60
;   v62: f32x4 = fmulz v58, v61
;   v63: f32 = const 0.5
;   v64: f32x4 = swizzle v63.xxxx
;   v65: f32x4 = fmul v62, v64
;   v66: b32x4 = bitcast v65
;   store r4.xyzw, v66
;   v67: b32x4 = load r4
;   v68: b32 = swizzle v67.w
;   v69: b32x4 = load r5
;   v70: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v71: f32 = const 0.5
;   v72: f32 = bitcast v68
;   v73: bool = flt v71, v72
;   v74: boolx4 = swizzle v73.xxxx
;   v75: b32x4 = select v74, v69, v70
;   store r4.xyzw, v75
;   v76: b32x4 = load r4
;   v77: f32x4 = bitcast v76
;   store_output out0, v77
;   return
; }
