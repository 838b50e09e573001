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
;   v20: f32 = const 0.0
;   v21: f32x3 = const 0.0, 0.0, 0.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v2: f32x4 = load r2
;   v3: f32x2 = swizzle v0.xy
;   v4: f32x4 = sample t0, v3
;   v5: f32x4 = load r3
;   store r0.xyzw, v0
;   store r1.xyzw, v1
;   store r2.xyzw, v4
;   store r3.xyz, v1
;   v6: f32x4 = fadd v4, v4
;   v7: f32x4 = load r3
;   v8: f32x4 = fadd v6, v7
;   store r2.xyz, v8
;   v9: f32x4 = load r4
;   v10: f32x4 = load r2
;   v11: f32x2 = swizzle v10.xy
;   v12: f32x4 = sample t1, v11
;   v13: f32x4 = load r5
;   v14: f32 = swizzle v7.z
;   v15: f32x4 = swizzle v7.zzzz
;   v16: f32x4 = fdiv v7, v15
;   v17: f32x2 = swizzle v16.xy
;   v18: f32x4 = sample t2, v17
;   v19: f32x3 = swizzle v10.xyz
;   v22: boolx3 = flt v19, v21
;   v23: bool = any v22
;   demote v23
;   v24: f32x4 = fmulz v12, v18
;   store_output out0, v24
;   return
; }
