; A dependent read in the second phase.
ps_1_4
texld r0, t0
texcrd r1.rgb, t1
add r0.rgb, r0_x2, r1
phase
texld r2, r0
texld r3, r1_dz
texkill r0
mul r0, r2, r3

; --- IR
; pixel "ps_1_4" {
;   input in0 "texcoord0" : f32x4 location 2 smooth semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   texture t0 slot 0 2d
;   texture t1 slot 2 2d
;   texture t2 slot 3 2d
;   var r0 "t0" : f32x4
;   var r1 "t1" : f32x4
;   var r2 "r0" : f32x4
;   var r3 "r1" : f32x4
;   var r4 "r2" : f32x4
;   var r5 "r3" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = load r2
;   v3: f32x4 = load r0
;   v4: f32x2 = swizzle v3.xy
;   v5: f32x4 = sample t0, v4
;   store r2.xyzw, v5
;   v6: f32x4 = load r3
;   v7: f32x4 = load r1
;   store r3.xyz, v7
;   v8: f32x4 = load r2
;   v9: f32x4 = fadd v8, v8
;   v10: f32x4 = load r3
;   v11: f32x4 = fadd v9, v10
;   store r2.xyz, v11
;   v12: f32x4 = load r4
;   v13: f32x4 = load r2
;   v14: f32x2 = swizzle v13.xy
;   v15: f32x4 = sample t1, v14
;   store r4.xyzw, v15
;   v16: f32x4 = load r5
;   v17: f32x4 = load r3
;   v18: f32 = swizzle v17.z
;   v19: f32x4 = swizzle v18.xxxx
;   v20: f32x4 = fdiv v17, v19
;   v21: f32x2 = swizzle v20.xy
;   v22: f32x4 = sample t2, v21
;   store r5.xyzw, v22
;   v23: f32x4 = load r2
;   v24: f32x3 = swizzle v23.xyz
;   v25: f32 = const 0.0
;   v26: f32x3 = swizzle v25.xxx
;   v27: boolx3 = flt v24, v26
;   v28: bool = any v27
;   demote v28
;   v29: f32x4 = load r4
;   v30: f32x4 = load r5
;   v31: f32x4 = fmulz v29, v30
;   store r2.xyzw, v31
;   v32: f32x4 = load r2
;   store_output out0, v32
;   return
; }
