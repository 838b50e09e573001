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
;   var r0 "t0" : b32x4
;   var r1 "t1" : b32x4
;   var r2 "r0" : b32x4
;   var r3 "r1" : b32x4
;   var r4 "r2" : b32x4
;   var r5 "r3" : b32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: b32x4 = load r0
;   v5: f32x4 = bitcast v4
;   v6: f32x2 = swizzle v5.xy
;   v7: f32x4 = sample t0, v6
;   v8: b32x4 = bitcast v7
;   store r2.xyzw, v8
;   v9: b32x4 = load r1
;   store r3.xyz, v9
;   v10: b32x4 = load r2
;   v11: f32x4 = bitcast v10
;   v12: f32x4 = bitcast v10
;   v13: f32x4 = fadd v11, v12
;   v14: b32x4 = load r3
;   v15: f32x4 = bitcast v14
;   v16: f32x4 = fadd v13, v15
;   v17: b32x4 = bitcast v16
;   store r2.xyz, v17
;   v18: b32x4 = load r2
;   v19: f32x4 = bitcast v18
;   v20: f32x2 = swizzle v19.xy
;   v21: f32x4 = sample t1, v20
;   v22: b32x4 = bitcast v21
;   store r4.xyzw, v22
;   v23: b32x4 = load r3
;   v24: b32 = swizzle v23.z
;   v25: f32x4 = bitcast v23
;   v26: f32 = bitcast v24
;   v27: f32x4 = swizzle v26.xxxx
;   v28: f32x4 = fdiv v25, v27
;   v29: f32x2 = swizzle v28.xy
;   v30: f32x4 = sample t2, v29
;   v31: b32x4 = bitcast v30
;   store r5.xyzw, v31
;   v32: b32x4 = load r2
;   v33: b32x3 = swizzle v32.xyz
;   v34: f32 = const 0.0
;   v35: f32x3 = bitcast v33
;   v36: f32x3 = swizzle v34.xxx
;   v37: boolx3 = flt v35, v36
;   v38: bool = any v37
;   demote v38
;   v39: b32x4 = load r4
;   v40: b32x4 = load r5
;   v41: f32x4 = bitcast v39
;   v42: f32x4 = bitcast v40
;   v43: f32x4 = fmulz v41, v42
;   v44: b32x4 = bitcast v43
;   store r2.xyzw, v44
;   v45: b32x4 = load r2
;   v46: f32x4 = bitcast v45
;   store_output out0, v46
;   return
; }
