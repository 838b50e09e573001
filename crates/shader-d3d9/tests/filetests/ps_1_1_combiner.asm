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
;   v6: f32x2 = swizzle v0.xy
;   v7: f32x4 = sample t0, v6
;   store r0.xyzw, v7
;   v8: f32x3 = swizzle v1.xyz
;   v9: f32x3 = fsat v8
;   v10: f32 = const 1.0
;   v11: f32x4 = construct v9, v10
;   store r1.xyzw, v11
;   v12: f32x4 = load r0
;   v13: f32x3 = swizzle v12.xyz
;   v14: f32 = const 0.5
;   v15: f32x3 = swizzle v14.xxx
;   v16: f32x3 = fsub v13, v15
;   v17: f32x3 = fadd v16, v16
;   v18: f32x4 = load r2
;   v19: f32x3 = swizzle v18.xyz
;   v20: f32 = const 0.5
;   v21: f32x3 = swizzle v20.xxx
;   v22: f32x3 = fsub v19, v21
;   v23: f32x3 = fadd v22, v22
;   v24: f32 = fdotz v17, v23
;   v25: f32x4 = load r0
;   v26: f32x4 = swizzle v25.wwww
;   v27: f32 = fsat v24
;   v28: f32x4 = swizzle v27.xxxx
;   store r4.xyz, v28
;   store r4.w, v26
;   v29: f32x4 = load r4
;   v30: f32 = const 1.0
;   v31: f32x4 = swizzle v30.xxxx
;   v32: f32x4 = fsub v31, v29
;   v33: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v34: f32 = const -1.0
;   v35: f32 = const 1.0
;   v36: f32x4 = bitcast v33
;   v37: f32x4 = swizzle v34.xxxx
;   v38: f32x4 = fmaxc v36, v37
;   v39: f32x4 = swizzle v35.xxxx
;   v40: f32x4 = fminc v38, v39
;   v41: f32x4 = load r1
;   v42: f32x4 = fmadz v32, v40, v41
;   v43: f32 = const 2.0
;   v44: f32x4 = swizzle v43.xxxx
;   v45: f32x4 = fmul v42, v44
;   store r5.xyzw, v45
;   v46: f32x4 = load r5
;   v47: f32 = const 0.5
;   v48: f32x4 = swizzle v47.xxxx
;   v49: f32x4 = fsub v46, v48
;   v50: f32x4 = load r3
;   v51: f32x4 = fneg v50
;   v52: f32x4 = fmulz v49, v51
;   v53: f32 = const 0.5
;   v54: f32x4 = swizzle v53.xxxx
;   v55: f32x4 = fmul v52, v54
;   store r4.xyzw, v55
;   v56: f32x4 = load r4
;   v57: f32 = swizzle v56.w
;   v58: f32x4 = load r5
;   v59: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v60: f32 = const -1.0
;   v61: f32 = const 1.0
;   v62: f32x4 = bitcast v59
;   v63: f32x4 = swizzle v60.xxxx
;   v64: f32x4 = fmaxc v62, v63
;   v65: f32x4 = swizzle v61.xxxx
;   v66: f32x4 = fminc v64, v65
;   v67: f32 = const 0.5
;   v68: bool = flt v67, v57
;   v69: boolx4 = swizzle v68.xxxx
;   v70: f32x4 = select v69, v58, v66
;   store r4.xyzw, v70
;   v71: f32x4 = load r4
;   store_output out0, v71
;   return
; }
