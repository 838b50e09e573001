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
;   v38: f32x4 = const 0.0, 1.0, 0.5, 2.0
;   v39: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v45: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v47: f32 = const 1.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v2: f32x4 = load_input in2
;   v3: f32x4 = load_const c0[0]
;   v4: f32 = fdotz v0, v3
;   v5: f32x4 = load_const c0[1]
;   v6: f32 = fdotz v0, v5
;   v7: f32x4 = load_const c0[2]
;   v8: f32 = fdotz v0, v7
;   v9: f32x4 = load_const c0[3]
;   v10: f32 = fdotz v0, v9
;   v11: f32x4 = construct v4, v6, v8, v10
;   v12: f32x3 = swizzle v1.xyz
;   v13: f32x4 = load_const c0[4]
;   v14: f32x3 = swizzle v13.xyz
;   v15: f32 = fdotz v12, v14
;   v16: f32x4 = load_const c0[5]
;   v17: f32x3 = swizzle v16.xyz
;   v18: f32 = fdotz v12, v17
;   v19: f32x4 = load_const c0[6]
;   v20: f32x3 = swizzle v19.xyz
;   v21: f32 = fdotz v12, v20
;   v22: f32x3 = construct v15, v18, v21
;   v23: f32x4 = swizzle v22.xyzz
;   store r0.xyzw, v0
;   store r1.xyzw, v1
;   store r2.xyzw, v2
;   store r3.xyzw, v11
;   store r4.xyz, v23
;   v24: f32x4 = load r4
;   v25: f32x3 = swizzle v24.xyz
;   v26: f32 = fdotz v25, v25
;   v27: f32 = frsqc v26
;   v28: f32x4 = swizzle v27.xxxx
;   v29: f32x4 = fmulz v24, v28
;   v30: f32x3 = swizzle v29.xyz
;   v31: f32x4 = load_const c0[7]
;   v32: f32x3 = swizzle v31.xyz
;   v33: f32x3 = fneg v32
;   v34: f32 = fdotz v30, v33
;   v35: f32x4 = swizzle v34.xxxx
;   store r5.xyzw, v29
;   store r6.x, v35
;   v36: f32x4 = load r6
;   v37: f32x4 = swizzle v36.xxxx
;   v40: f32x4 = fmaxc v37, v39
;   store r6.x, v40
;   v41: f32x4 = load r6
;   v42: f32x4 = swizzle v41.xxxx
;   v43: f32x4 = load_const c0[9]
;   v44: f32x4 = fmulz v42, v43
;   store r7.xyz, v44
;   store r7.w, v45
;   store r8.xy, v2
;   v46: f32x4 = load r7
;   v48: f32x4 = fsat v46
;   v49: f32x4 = load r8
;   store r9.xyzw, v48
;   store r10.xy, v49
;   store_output out0, v48
;   v50: f32x4 = load r10
;   store_output out1, v50
;   store_output out2, v11
;   return
; }
