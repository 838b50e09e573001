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
;   var r0 "v0" : b32x4
;   var r1 "t0" : b32x4
;   var r2 "t1" : b32x4
;   var r3 "r0" : b32x4
;   var r4 "r1" : b32x4
;   var r5 "r2" : b32x4
;   var r6 "oC0" : b32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: f32x4 = load_input in2
;   v5: b32x4 = bitcast v4
;   store r2.xyzw, v5
;   v6: b32x4 = load r1
;   v7: f32x4 = bitcast v6
;   v8: f32x2 = swizzle v7.xy
;   v9: f32x4 = sample t0, v8
;   v10: b32x4 = bitcast v9
;   store r3.xyzw, v10
;   v11: b32x4 = load r2
;   v12: b32 = swizzle v11.w
;   v13: f32x4 = bitcast v11
;   v14: f32 = bitcast v12
;   v15: f32x4 = swizzle v14.xxxx
;   v16: f32x4 = fdiv v13, v15
;   v17: f32x2 = swizzle v16.xy
;   v18: f32x4 = sample t0, v17
;   v19: b32x4 = bitcast v18
;   store r4.xyzw, v19
;   v20: b32x4 = load r2
;   v21: b32 = swizzle v20.w
;   v22: f32x4 = bitcast v20
;   v23: f32x3 = swizzle v22.xyz
;   v24: f32 = bitcast v21
;   v25: f32x4 = sample_bias t1, v23, v24
;   v26: b32x4 = bitcast v25
;   store r5.xyzw, v26
;   v27: b32x4 = load r3
;   v28: b32x4 = load r0
;   v29: b32x4 = load r4
;   v30: f32x4 = bitcast v27
;   v31: f32x4 = bitcast v28
;   v32: f32x4 = bitcast v29
;   v33: f32x4 = fmadz v30, v31, v32
;   v34: b32x4 = bitcast v33
;   store r3.xyzw, v34
;   v35: b32x4 = load_const c0[0]
;   v36: b32x4 = swizzle v35.wwww
;   v37: b32x4 = load r3
;   v38: b32x4 = load r5
;   v39: f32x4 = bitcast v37
;   v40: f32x4 = bitcast v38
;   v41: f32x4 = fsub v39, v40
;   v42: f32x4 = bitcast v36
;   v43: f32x4 = bitcast v38
;   v44: f32x4 = fmadz v42, v41, v43
;   v45: f32x4 = fsat v44
;   v46: b32x4 = bitcast v45
;   store r3.xyzw, v46
;   v47: b32x4 = load r3
;   store r6.xyzw, v47
;   v48: b32x4 = load r6
;   v49: f32x4 = bitcast v48
;   store_output out0, v49
;   return
; }
