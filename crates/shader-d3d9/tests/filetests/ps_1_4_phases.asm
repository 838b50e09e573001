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
;   v4: b32x4 = load r2
;   v5: b32x4 = load r0
;   v6: f32x4 = bitcast v5
;   v7: f32x2 = swizzle v6.xy
;   v8: f32x4 = sample t0, v7
;   v9: b32x4 = bitcast v8
;   store r2.xyzw, v9
;   v10: b32x4 = load r3
;   v11: b32x4 = load r1
;   store r3.xyz, v11
;   v12: b32x4 = load r2
;   v13: f32x4 = bitcast v12
;   v14: f32x4 = bitcast v12
;   v15: f32x4 = fadd v13, v14
;   v16: b32x4 = load r3
;   v17: f32x4 = bitcast v16
;   v18: f32x4 = fadd v15, v17
;   v19: b32x4 = bitcast v18
;   store r2.xyz, v19
;   v20: b32x4 = load r4
;   v21: b32x4 = load r2
;   v22: f32x4 = bitcast v21
;   v23: f32x2 = swizzle v22.xy
;   v24: f32x4 = sample t1, v23
;   v25: b32x4 = bitcast v24
;   store r4.xyzw, v25
;   v26: b32x4 = load r5
;   v27: b32x4 = load r3
;   v28: b32 = swizzle v27.z
;   v29: f32x4 = bitcast v27
;   v30: f32 = bitcast v28
;   v31: f32x4 = swizzle v30.xxxx
;   v32: f32x4 = fdiv v29, v31
;   v33: f32x2 = swizzle v32.xy
;   v34: f32x4 = sample t2, v33
;   v35: b32x4 = bitcast v34
;   store r5.xyzw, v35
;   v36: b32x4 = load r2
;   v37: b32x3 = swizzle v36.xyz
;   v38: f32 = const 0.0
;   v39: f32x3 = bitcast v37
;   v40: f32x3 = swizzle v38.xxx
;   v41: boolx3 = flt v39, v40
;   v42: bool = any v41
;   demote v42
;   v43: b32x4 = load r4
;   v44: b32x4 = load r5
;   v45: f32x4 = bitcast v43
;   v46: f32x4 = bitcast v44
;   v47: f32x4 = fmulz v45, v46
;   v48: b32x4 = bitcast v47
;   store r2.xyzw, v48
;   v49: b32x4 = load r2
;   v50: f32x4 = bitcast v49
;   store_output out0, v50
;   return
; }
