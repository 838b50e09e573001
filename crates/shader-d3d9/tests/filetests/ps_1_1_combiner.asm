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
;   var r0 "t0" : f32x4
;   var r1 "t1" : f32x4
;   var r2 "v0" : f32x4
;   var r3 "v1" : f32x4
;   var r4 "r0" : f32x4
;   var r5 "r1" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = load_input in2
;   v3: f32x4 = fsat v2
;   store r2.xyzw, v3
;   v4: f32x4 = load_input in3
;   v5: f32x4 = fsat v4
;   store r3.xyzw, v5
;   v6: f32x4 = load r0
;   v7: f32x2 = swizzle v6.xy
;   v8: f32x4 = sample t0, v7
;   store r0.xyzw, v8
;   v9: f32x4 = load r1
;   v10: f32x3 = swizzle v9.xyz
;   v11: f32x3 = fsat v10
;   v12: f32 = const 1.0
;   v13: f32x4 = construct v11, v12
;   store r1.xyzw, v13
;   v14: f32x4 = load r0
;   v15: f32x3 = swizzle v14.xyz
;   v16: f32 = const 0.5
;   v17: f32x3 = swizzle v16.xxx
;   v18: f32x3 = fsub v15, v17
;   v19: f32x3 = fadd v18, v18
;   v20: f32x4 = load r2
;   v21: f32x3 = swizzle v20.xyz
;   v22: f32 = const 0.5
;   v23: f32x3 = swizzle v22.xxx
;   v24: f32x3 = fsub v21, v23
;   v25: f32x3 = fadd v24, v24
;   v26: f32 = fdotz v19, v25
;   v27: f32x4 = load r0
;   v28: f32x4 = swizzle v27.wwww
;   v29: f32 = fsat v26
;   v30: f32x4 = swizzle v29.xxxx
;   store r4.xyz, v30
;   store r4.w, v28
;   v31: f32x4 = load r4
;   v32: f32 = const 1.0
;   v33: f32x4 = swizzle v32.xxxx
;   v34: f32x4 = fsub v33, v31
;   v35: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v36: f32 = const -1.0
;   v37: f32 = const 1.0
;   v38: f32x4 = bitcast v35
;   v39: f32x4 = swizzle v36.xxxx
;   v40: f32x4 = fmaxc v38, v39
;   v41: f32x4 = swizzle v37.xxxx
;   v42: f32x4 = fminc v40, v41
;   v43: f32x4 = load r1
;   v44: f32x4 = fmadz v34, v42, v43
;   v45: f32 = const 2.0
;   v46: f32x4 = swizzle v45.xxxx
;   v47: f32x4 = fmul v44, v46
;   store r5.xyzw, v47
;   v48: f32x4 = load r5
;   v49: f32 = const 0.5
;   v50: f32x4 = swizzle v49.xxxx
;   v51: f32x4 = fsub v48, v50
;   v52: f32x4 = load r3
;   v53: f32x4 = fneg v52
;   v54: f32x4 = fmulz v51, v53
;   v55: f32 = const 0.5
;   v56: f32x4 = swizzle v55.xxxx
;   v57: f32x4 = fmul v54, v56
;   store r4.xyzw, v57
;   v58: f32x4 = load r4
;   v59: f32 = swizzle v58.w
;   v60: f32x4 = load r5
;   v61: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v62: f32 = const -1.0
;   v63: f32 = const 1.0
;   v64: f32x4 = bitcast v61
;   v65: f32x4 = swizzle v62.xxxx
;   v66: f32x4 = fmaxc v64, v65
;   v67: f32x4 = swizzle v63.xxxx
;   v68: f32x4 = fminc v66, v67
;   v69: f32 = const 0.5
;   v70: bool = flt v69, v59
;   v71: boolx4 = swizzle v70.xxxx
;   v72: f32x4 = select v71, v60, v68
;   store r4.xyzw, v72
;   v73: f32x4 = load r4
;   store_output out0, v73
;   return
; }
