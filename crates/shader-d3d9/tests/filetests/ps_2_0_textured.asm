; One texture times the vertex colour, plain, projected and biased.
ps_2_0
dcl v0
dcl t0.xy
dcl_pp t1
dcl_2d s0
dcl_cube s1
texld r0, t0, s0
texldp r1, t1, s0
texldb_pp r2, t1, s1
mad r0, r0, v0, r1
lrp_sat r0, c0.w, r0, r2
mov oC0, r0

; --- IR
; pixel "ps_2_0" {
;   input in0 "color0" : f32x4 location 0 smooth semantic 10 0
;   input in1 "texcoord0" : f32x4 location 2 smooth semantic 5 0
;   input in2 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   bank c0 "c" stage 3 [1]
;   texture t0 slot 0 2d
;   texture t1 slot 1 cube
;   var r0 "v0" : f32x4
;   var r1 "t0" : f32x4
;   var r2 "t1" : f32x4
;   var r3 "r0" : f32x4
;   var r4 "r1" : f32x4
;   var r5 "r2" : f32x4
;   var r6 "oC0" : f32x4
;   v0: f32x4 = load_input in0
;   v1: f32x4 = fsat v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   store r1.xyzw, v2
;   v3: f32x4 = load_input in2
;   store r2.xyzw, v3
;   v4: f32x4 = load r1
;   v5: f32x2 = swizzle v4.xy
;   v6: f32x4 = sample t0, v5
;   store r3.xyzw, v6
;   v7: f32x4 = load r2
;   v8: f32 = swizzle v7.w
;   v9: f32x4 = swizzle v8.xxxx
;   v10: f32x4 = fdiv v7, v9
;   v11: f32x2 = swizzle v10.xy
;   v12: f32x4 = sample t0, v11
;   store r4.xyzw, v12
;   v13: f32x4 = load r2
;   v14: f32 = swizzle v13.w
;   v15: f32x3 = swizzle v13.xyz
;   v16: f32x4 = sample_bias t1, v15, v14
;   store r5.xyzw, v16
;   v17: f32x4 = load r3
;   v18: f32x4 = load r0
;   v19: f32x4 = load r4
;   v20: f32x4 = fmadz v17, v18, v19
;   store r3.xyzw, v20
;   v21: f32x4 = load_const c0[0]
;   v22: f32x4 = swizzle v21.wwww
;   v23: f32x4 = load r3
;   v24: f32x4 = load r5
;   v25: f32x4 = fsub v23, v24
;   v26: f32x4 = fmadz v22, v25, v24
;   v27: f32x4 = fsat v26
;   store r3.xyzw, v27
;   v28: f32x4 = load r3
;   store r6.xyzw, v28
;   v29: f32x4 = load r6
;   store_output out0, v29
;   return
; }
