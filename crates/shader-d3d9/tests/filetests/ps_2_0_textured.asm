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
;   v1: f32x4 = fsat v0
;   v2: b32x4 = bitcast v1
;   store r0.xyzw, v2
;   v3: f32x4 = load_input in1
;   v4: b32x4 = bitcast v3
;   store r1.xyzw, v4
;   v5: f32x4 = load_input in2
;   v6: b32x4 = bitcast v5
;   store r2.xyzw, v6
;   v7: b32x4 = load r1
;   v8: f32x4 = bitcast v7
;   v9: f32x2 = swizzle v8.xy
;   v10: f32x4 = sample t0, v9
;   v11: b32x4 = bitcast v10
;   store r3.xyzw, v11
;   v12: b32x4 = load r2
;   v13: b32 = swizzle v12.w
;   v14: f32x4 = bitcast v12
;   v15: f32 = bitcast v13
;   v16: f32x4 = swizzle v15.xxxx
;   v17: f32x4 = fdiv v14, v16
;   v18: f32x2 = swizzle v17.xy
;   v19: f32x4 = sample t0, v18
;   v20: b32x4 = bitcast v19
;   store r4.xyzw, v20
;   v21: b32x4 = load r2
;   v22: b32 = swizzle v21.w
;   v23: f32x4 = bitcast v21
;   v24: f32x3 = swizzle v23.xyz
;   v25: f32 = bitcast v22
;   v26: f32x4 = sample_bias t1, v24, v25
;   v27: b32x4 = bitcast v26
;   store r5.xyzw, v27
;   v28: b32x4 = load r3
;   v29: b32x4 = load r0
;   v30: b32x4 = load r4
;   v31: f32x4 = bitcast v28
;   v32: f32x4 = bitcast v29
;   v33: f32x4 = bitcast v30
;   v34: f32x4 = fmadz v31, v32, v33
;   v35: b32x4 = bitcast v34
;   store r3.xyzw, v35
;   v36: b32x4 = load_const c0[0]
;   v37: b32x4 = swizzle v36.wwww
;   v38: b32x4 = load r3
;   v39: b32x4 = load r5
;   v40: f32x4 = bitcast v38
;   v41: f32x4 = bitcast v39
;   v42: f32x4 = fsub v40, v41
;   v43: f32x4 = bitcast v37
;   v44: f32x4 = bitcast v39
;   v45: f32x4 = fmadz v43, v42, v44
;   v46: f32x4 = fsat v45
;   v47: b32x4 = bitcast v46
;   store r3.xyzw, v47
;   v48: b32x4 = load r3
;   store r6.xyzw, v48
;   v49: b32x4 = load r6
;   v50: f32x4 = bitcast v49
;   store_output out0, v50
;   return
; }
