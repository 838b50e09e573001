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
;   v5: f32x4 = fsat v4
;   v6: b32x4 = bitcast v5
;   store r2.xyzw, v6
;   v7: f32x4 = load_input in3
;   v8: f32x4 = fsat v7
;   v9: b32x4 = bitcast v8
;   store r3.xyzw, v9
;   v10: b32x4 = load r0
;   v11: f32x4 = bitcast v10
;   v12: f32x2 = swizzle v11.xy
;   v13: f32x4 = sample t0, v12
;   v14: b32x4 = bitcast v13
;   store r0.xyzw, v14
;   v15: b32x4 = load r1
;   v16: b32x3 = swizzle v15.xyz
;   v17: f32x3 = bitcast v16
;   v18: f32x3 = fsat v17
;   v19: f32 = const 1.0
;   v20: f32x4 = construct v18, v19
;   v21: b32x4 = bitcast v20
;   store r1.xyzw, v21
;   v22: b32x4 = load r0
;   v23: b32x3 = swizzle v22.xyz
;   v24: f32 = const 0.5
;   v25: f32x3 = bitcast v23
;   v26: f32x3 = swizzle v24.xxx
;   v27: f32x3 = fsub v25, v26
;   v28: f32x3 = fadd v27, v27
;   v29: b32x4 = load r2
;   v30: b32x3 = swizzle v29.xyz
;   v31: f32 = const 0.5
;   v32: f32x3 = bitcast v30
;   v33: f32x3 = swizzle v31.xxx
;   v34: f32x3 = fsub v32, v33
;   v35: f32x3 = fadd v34, v34
;   v36: f32 = fdotz v28, v35
;   v37: b32x4 = load r0
;   v38: b32x4 = swizzle v37.wwww
;   v39: f32 = fsat v36
;   v40: b32 = bitcast v39
;   v41: b32x4 = swizzle v40.xxxx
;   store r4.xyz, v41
;   store r4.w, v38
;   v42: b32x4 = load r4
;   v43: f32 = const 1.0
;   v44: f32x4 = swizzle v43.xxxx
;   v45: f32x4 = bitcast v42
;   v46: f32x4 = fsub v44, v45
;   v47: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v48: f32 = const -1.0
;   v49: f32 = const 1.0
;   v50: f32x4 = bitcast v47
;   v51: f32x4 = swizzle v48.xxxx
;   v52: f32x4 = fmaxc v50, v51
;   v53: f32x4 = swizzle v49.xxxx
;   v54: f32x4 = fminc v52, v53
;   v55: b32x4 = load r1
;   v56: f32x4 = bitcast v55
;   v57: f32x4 = fmadz v46, v54, v56
;   v58: f32 = const 2.0
;   v59: f32x4 = swizzle v58.xxxx
;   v60: f32x4 = fmul v57, v59
;   v61: b32x4 = bitcast v60
;   store r5.xyzw, v61
;   v62: b32x4 = load r5
;   v63: f32 = const 0.5
;   v64: f32x4 = bitcast v62
;   v65: f32x4 = swizzle v63.xxxx
;   v66: f32x4 = fsub v64, v65
;   v67: b32x4 = load r3
;   v68: f32x4 = bitcast v67
;   v69: f32x4 = fneg v68
;   v70: f32x4 = fmulz v66, v69
;   v71: f32 = const 0.5
;   v72: f32x4 = swizzle v71.xxxx
;   v73: f32x4 = fmul v70, v72
;   v74: b32x4 = bitcast v73
;   store r4.xyzw, v74
;   v75: b32x4 = load r4
;   v76: b32 = swizzle v75.w
;   v77: b32x4 = load r5
;   v78: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v79: f32 = const -1.0
;   v80: f32 = const 1.0
;   v81: f32x4 = bitcast v78
;   v82: f32x4 = swizzle v79.xxxx
;   v83: f32x4 = fmaxc v81, v82
;   v84: f32x4 = swizzle v80.xxxx
;   v85: f32x4 = fminc v83, v84
;   v86: f32 = const 0.5
;   v87: f32 = bitcast v76
;   v88: bool = flt v86, v87
;   v89: boolx4 = swizzle v88.xxxx
;   v90: b32x4 = bitcast v85
;   v91: b32x4 = select v89, v77, v90
;   store r4.xyzw, v91
;   v92: b32x4 = load r4
;   v93: f32x4 = bitcast v92
;   store_output out0, v93
;   return
; }
