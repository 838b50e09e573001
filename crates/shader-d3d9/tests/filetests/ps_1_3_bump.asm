; Bump mapping with luminance, whose matrix is a constant of the fixed-function stage; a constant of the application,
; which is clamped.
ps_1_3
tex t0
texbem t1, t0
texbeml t2, t0_bx2
mul_sat r0, t1, t2
+ mov r0.a, c1.b

; --- IR
; pixel "ps_1_3" {
;   input in0 "texcoord0" : f32x4 location 2 smooth semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   input in2 "texcoord2" : f32x4 location 4 smooth semantic 5 2
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   bank c0 "fixed" stage 7 [32]
;   bank c1 "c" stage 3 [2]
;   texture t0 slot 0 2d
;   texture t1 slot 1 2d
;   texture t2 slot 2 2d
;   var r0 "t0" : f32x4
;   var r1 "t1" : f32x4
;   var r2 "t2" : f32x4
;   var r3 "r0" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = load_input in2
;   store r2.xyzw, v2
;   v3: f32x4 = load r0
;   v4: f32x2 = swizzle v3.xy
;   v5: f32x4 = sample t0, v4
;   store r0.xyzw, v5
;   v6: f32x4 = load r1
;   v7: f32x4 = load r0
;   v8: b32x4 = load_const c0[17]
;   v9: b32x2 = swizzle v8.xy
;   v10: b32x2 = swizzle v8.zw
;   v11: f32 = swizzle v7.x
;   v12: f32 = swizzle v7.y
;   v13: f32x2 = swizzle v6.xy
;   v14: f32x2 = bitcast v9
;   v15: f32x2 = swizzle v11.xx
;   v16: f32x2 = fmadz v14, v15, v13
;   v17: f32x2 = bitcast v10
;   v18: f32x2 = swizzle v12.xx
;   v19: f32x2 = fmadz v17, v18, v16
;   v20: f32x4 = swizzle v19.xyyy
;   v21: f32x2 = swizzle v6.zw
;   v22: f32x2 = swizzle v20.xy
;   v23: f32x4 = construct v22, v21
;   v24: f32x2 = swizzle v23.xy
;   v25: f32x4 = sample t1, v24
;   store r1.xyzw, v25
;   v26: f32x4 = load r2
;   v27: f32x4 = load r0
;   v28: f32 = const 0.5
;   v29: f32x4 = swizzle v28.xxxx
;   v30: f32x4 = fsub v27, v29
;   v31: f32x4 = fadd v30, v30
;   v32: b32x4 = load_const c0[18]
;   v33: b32x2 = swizzle v32.xy
;   v34: b32x2 = swizzle v32.zw
;   v35: f32 = swizzle v31.x
;   v36: f32 = swizzle v31.y
;   v37: f32x2 = swizzle v26.xy
;   v38: f32x2 = bitcast v33
;   v39: f32x2 = swizzle v35.xx
;   v40: f32x2 = fmadz v38, v39, v37
;   v41: f32x2 = bitcast v34
;   v42: f32x2 = swizzle v36.xx
;   v43: f32x2 = fmadz v41, v42, v40
;   v44: f32x4 = swizzle v43.xyyy
;   v45: f32x2 = swizzle v26.zw
;   v46: f32x2 = swizzle v44.xy
;   v47: f32x4 = construct v46, v45
;   v48: f32x2 = swizzle v47.xy
;   v49: f32x4 = sample t2, v48
;   v50: b32x4 = load_const c0[26]
;   v51: b32 = swizzle v50.x
;   v52: b32 = swizzle v50.y
;   v53: f32 = swizzle v31.z
;   v54: f32 = bitcast v51
;   v55: f32 = bitcast v52
;   v56: f32 = fmadz v53, v54, v55
;   v57: f32x4 = swizzle v56.xxxx
;   v58: f32x4 = fmulz v49, v57
;   store r2.xyzw, v58
;   v59: f32x4 = load r1
;   v60: f32x4 = load r2
;   v61: f32x4 = fmulz v59, v60
;   v62: b32x4 = load_const c1[1]
;   v63: f32 = const -1.0
;   v64: f32 = const 1.0
;   v65: f32x4 = bitcast v62
;   v66: f32x4 = swizzle v63.xxxx
;   v67: f32x4 = fmaxc v65, v66
;   v68: f32x4 = swizzle v64.xxxx
;   v69: f32x4 = fminc v67, v68
;   v70: f32x4 = swizzle v69.zzzz
;   v71: f32x4 = fsat v61
;   store r3.xyzw, v71
;   store r3.w, v70
;   v72: f32x4 = load r3
;   store_output out0, v72
;   return
; }
