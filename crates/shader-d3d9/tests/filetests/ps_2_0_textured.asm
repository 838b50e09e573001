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
;   v2: f32x4 = load_input in1
;   v3: f32x4 = load_input in2
;   v4: f32x2 = swizzle v2.xy
;   v5: f32x4 = sample t0, v4
;   v6: f32 = swizzle v3.w
;   v7: f32x4 = swizzle v3.wwww
;   v8: f32x4 = fdiv v3, v7
;   v9: f32x2 = swizzle v8.xy
;   v10: f32x4 = sample t0, v9
;   v11: f32 = swizzle v3.w
;   v12: f32x3 = swizzle v3.xyz
;   v13: f32x4 = sample_bias t1, v12, v11
;   v14: f32x4 = fmadz v5, v1, v10
;   v15: f32x4 = load_const c0[0]
;   v16: f32x4 = swizzle v15.wwww
;   v17: f32x4 = fsub v14, v13
;   v18: f32x4 = fmadz v16, v17, v13
;   v19: f32x4 = fsat v18
;   store_output out0, v19
;   return
; }
