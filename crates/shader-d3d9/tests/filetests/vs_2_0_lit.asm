; Transform, a directional light, and texture coordinates passed on.
vs_2_0
def c8, 0.0, 1.0, 0.5, 2.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
m4x4 oPos, v0, c0
m3x3 r0.xyz, v1, c4
nrm r1, r0
dp3 r2.x, r1, -c7
max r2.x, r2.x, c8.x
mul oD0.xyz, r2.x, c9
mov oD0.w, c8.y
mov oT0.xy, v2

; --- IR
; vertex "vs_2_0" {
;   input in0 "v0" : f32x4 location 0 smooth semantic 0 0
;   input in1 "v1" : f32x4 location 1 smooth semantic 3 0
;   input in2 "v2" : f32x4 location 2 smooth semantic 5 0
;   output out0 "color0" : f32x4 location 0 semantic 10 0
;   output out1 "texcoord0" : f32x4 location 2 semantic 5 0
;   output out2 "oPos" : f32x4 position semantic 0 0
;   bank c0 "c" stage 0 [10]
;   def c0[8] = 0x00000000, 0x3f800000, 0x3f000000, 0x40000000
;   var r0 "v0" : b32x4
;   var r1 "v1" : b32x4
;   var r2 "v2" : b32x4
;   var r3 "oPos" : b32x4
;   var r4 "r0" : b32x4
;   var r5 "r1" : b32x4
;   var r6 "r2" : b32x4
;   var r7 "oD0" : b32x4
;   var r8 "oT0" : b32x4
;   var r9 "color0" : f32x4
;   var r10 "texcoord0" : f32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: f32x4 = load_input in2
;   v5: b32x4 = bitcast v4
;   store r2.xyzw, v5
;   v6: b32x4 = load r0
;   v7: b32x4 = load_const c0[0]
;   v8: f32x4 = bitcast v6
;   v9: f32x4 = bitcast v7
;   v10: f32 = fdotz v8, v9
;   v11: b32x4 = load_const c0[1]
;   v12: f32x4 = bitcast v6
;   v13: f32x4 = bitcast v11
;   v14: f32 = fdotz v12, v13
;   v15: b32x4 = load_const c0[2]
;   v16: f32x4 = bitcast v6
;   v17: f32x4 = bitcast v15
;   v18: f32 = fdotz v16, v17
;   v19: b32x4 = load_const c0[3]
;   v20: f32x4 = bitcast v6
;   v21: f32x4 = bitcast v19
;   v22: f32 = fdotz v20, v21
;   v23: f32x4 = construct v10, v14, v18, v22
;   v24: b32x4 = bitcast v23
;   store r3.xyzw, v24
;   v25: b32x4 = load r1
;   v26: b32x3 = swizzle v25.xyz
;   v27: b32x4 = load_const c0[4]
;   v28: b32x3 = swizzle v27.xyz
;   v29: f32x3 = bitcast v26
;   v30: f32x3 = bitcast v28
;   v31: f32 = fdotz v29, v30
;   v32: b32x4 = load_const c0[5]
;   v33: b32x3 = swizzle v32.xyz
;   v34: f32x3 = bitcast v26
;   v35: f32x3 = bitcast v33
;   v36: f32 = fdotz v34, v35
;   v37: b32x4 = load_const c0[6]
;   v38: b32x3 = swizzle v37.xyz
;   v39: f32x3 = bitcast v26
;   v40: f32x3 = bitcast v38
;   v41: f32 = fdotz v39, v40
;   v42: f32x3 = construct v31, v36, v41
;   v43: b32x3 = bitcast v42
;   v44: b32x4 = swizzle v43.xyzz
;   store r4.xyz, v44
;   v45: b32x4 = load r4
;   v46: b32x3 = swizzle v45.xyz
;   v47: f32x3 = bitcast v46
;   v48: f32x3 = bitcast v46
;   v49: f32 = fdotz v47, v48
;   v50: f32 = frsqc v49
;   v51: f32x4 = bitcast v45
;   v52: f32x4 = swizzle v50.xxxx
;   v53: f32x4 = fmulz v51, v52
;   v54: b32x4 = bitcast v53
;   store r5.xyzw, v54
;   v55: b32x4 = load r5
;   v56: b32x3 = swizzle v55.xyz
;   v57: b32x4 = load_const c0[7]
;   v58: b32x3 = swizzle v57.xyz
;   v59: f32x3 = bitcast v58
;   v60: f32x3 = fneg v59
;   v61: f32x3 = bitcast v56
;   v62: f32 = fdotz v61, v60
;   v63: b32 = bitcast v62
;   v64: b32x4 = swizzle v63.xxxx
;   store r6.x, v64
;   v65: b32x4 = load r6
;   v66: b32x4 = swizzle v65.xxxx
;   v67: b32x4 = const 0x00000000, 0x3f800000, 0x3f000000, 0x40000000
;   v68: b32x4 = swizzle v67.xxxx
;   v69: f32x4 = bitcast v66
;   v70: f32x4 = bitcast v68
;   v71: f32x4 = fmaxc v69, v70
;   v72: b32x4 = bitcast v71
;   store r6.x, v72
;   v73: b32x4 = load r6
;   v74: b32x4 = swizzle v73.xxxx
;   v75: b32x4 = load_const c0[9]
;   v76: f32x4 = bitcast v74
;   v77: f32x4 = bitcast v75
;   v78: f32x4 = fmulz v76, v77
;   v79: b32x4 = bitcast v78
;   store r7.xyz, v79
;   v80: b32x4 = const 0x00000000, 0x3f800000, 0x3f000000, 0x40000000
;   v81: b32x4 = swizzle v80.yyyy
;   store r7.w, v81
;   v82: b32x4 = load r2
;   store r8.xy, v82
;   v83: b32x4 = load r3
;   v84: f32x4 = bitcast v83
;   v85: b32x4 = load r7
;   v86: f32x4 = bitcast v85
;   v87: f32 = const 1.0
;   v88: f32x4 = swizzle v87.xxxx
;   store r9.xyzw, v88
;   v89: f32x4 = fsat v86
;   store r9.xyzw, v89
;   v90: b32x4 = load r8
;   v91: f32x4 = bitcast v90
;   store r10.xy, v91
;   v92: f32x4 = load r9
;   store_output out0, v92
;   v93: f32x4 = load r10
;   store_output out1, v93
;   store_output out2, v84
;   return
; }
