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
;   var r0 "v0" : f32x4
;   var r1 "v1" : f32x4
;   var r2 "v2" : f32x4
;   var r3 "oPos" : f32x4
;   var r4 "r0" : f32x4
;   var r5 "r1" : f32x4
;   var r6 "r2" : f32x4
;   var r7 "oD0" : f32x4
;   var r8 "oT0" : f32x4
;   var r9 "color0" : f32x4
;   var r10 "texcoord0" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = load_input in2
;   store r2.xyzw, v2
;   v3: f32x4 = load r0
;   v4: f32x4 = load_const c0[0]
;   v5: f32 = fdotz v3, v4
;   v6: f32x4 = load_const c0[1]
;   v7: f32 = fdotz v3, v6
;   v8: f32x4 = load_const c0[2]
;   v9: f32 = fdotz v3, v8
;   v10: f32x4 = load_const c0[3]
;   v11: f32 = fdotz v3, v10
;   v12: f32x4 = construct v5, v7, v9, v11
;   store r3.xyzw, v12
;   v13: f32x4 = load r1
;   v14: f32x3 = swizzle v13.xyz
;   v15: f32x4 = load_const c0[4]
;   v16: f32x3 = swizzle v15.xyz
;   v17: f32 = fdotz v14, v16
;   v18: f32x4 = load_const c0[5]
;   v19: f32x3 = swizzle v18.xyz
;   v20: f32 = fdotz v14, v19
;   v21: f32x4 = load_const c0[6]
;   v22: f32x3 = swizzle v21.xyz
;   v23: f32 = fdotz v14, v22
;   v24: f32x3 = construct v17, v20, v23
;   v25: f32x4 = swizzle v24.xyzz
;   store r4.xyz, v25
;   v26: f32x4 = load r4
;   v27: f32x3 = swizzle v26.xyz
;   v28: f32 = fdotz v27, v27
;   v29: f32 = frsqc v28
;   v30: f32x4 = swizzle v29.xxxx
;   v31: f32x4 = fmulz v26, v30
;   store r5.xyzw, v31
;   v32: f32x4 = load r5
;   v33: f32x3 = swizzle v32.xyz
;   v34: f32x4 = load_const c0[7]
;   v35: f32x3 = swizzle v34.xyz
;   v36: f32x3 = fneg v35
;   v37: f32 = fdotz v33, v36
;   v38: f32x4 = swizzle v37.xxxx
;   store r6.x, v38
;   v39: f32x4 = load r6
;   v40: f32x4 = swizzle v39.xxxx
;   v41: f32x4 = const 0.0, 1.0, 0.5, 2.0
;   v42: f32x4 = swizzle v41.xxxx
;   v43: f32x4 = fmaxc v40, v42
;   store r6.x, v43
;   v44: f32x4 = load r6
;   v45: f32x4 = swizzle v44.xxxx
;   v46: f32x4 = load_const c0[9]
;   v47: f32x4 = fmulz v45, v46
;   store r7.xyz, v47
;   v48: f32x4 = const 0.0, 1.0, 0.5, 2.0
;   v49: f32x4 = swizzle v48.yyyy
;   store r7.w, v49
;   v50: f32x4 = load r2
;   store r8.xy, v50
;   v51: f32x4 = load r3
;   v52: f32x4 = load r7
;   v53: f32 = const 1.0
;   v54: f32x4 = swizzle v53.xxxx
;   store r9.xyzw, v54
;   v55: f32x4 = fsat v52
;   store r9.xyzw, v55
;   v56: f32x4 = load r8
;   store r10.xy, v56
;   v57: f32x4 = load r9
;   store_output out0, v57
;   v58: f32x4 = load r10
;   store_output out1, v58
;   store_output out2, v51
;   return
; }
