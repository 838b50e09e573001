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
;   v3: f32x2 = swizzle v0.xy
;   v4: f32x4 = sample t0, v3
;   store r0.xyzw, v4
;   v5: f32x4 = load r0
;   v6: b32x4 = load_const c0[17]
;   v7: b32x2 = swizzle v6.xy
;   v8: b32x2 = swizzle v6.zw
;   v9: f32 = swizzle v5.x
;   v10: f32 = swizzle v5.y
;   v11: f32x2 = swizzle v1.xy
;   v12: f32x2 = bitcast v7
;   v13: f32x2 = swizzle v9.xx
;   v14: f32x2 = fmadz v12, v13, v11
;   v15: f32x2 = bitcast v8
;   v16: f32x2 = swizzle v10.xx
;   v17: f32x2 = fmadz v15, v16, v14
;   v18: f32x4 = swizzle v17.xyyy
;   v19: f32x2 = swizzle v1.zw
;   v20: f32x2 = swizzle v18.xy
;   v21: f32x4 = construct v20, v19
;   v22: f32x2 = swizzle v21.xy
;   v23: f32x4 = sample t1, v22
;   store r1.xyzw, v23
;   v24: f32x4 = load r0
;   v25: f32 = const 0.5
;   v26: f32x4 = swizzle v25.xxxx
;   v27: f32x4 = fsub v24, v26
;   v28: f32x4 = fadd v27, v27
;   v29: b32x4 = load_const c0[18]
;   v30: b32x2 = swizzle v29.xy
;   v31: b32x2 = swizzle v29.zw
;   v32: f32 = swizzle v28.x
;   v33: f32 = swizzle v28.y
;   v34: f32x2 = swizzle v2.xy
;   v35: f32x2 = bitcast v30
;   v36: f32x2 = swizzle v32.xx
;   v37: f32x2 = fmadz v35, v36, v34
;   v38: f32x2 = bitcast v31
;   v39: f32x2 = swizzle v33.xx
;   v40: f32x2 = fmadz v38, v39, v37
;   v41: f32x4 = swizzle v40.xyyy
;   v42: f32x2 = swizzle v2.zw
;   v43: f32x2 = swizzle v41.xy
;   v44: f32x4 = construct v43, v42
;   v45: f32x2 = swizzle v44.xy
;   v46: f32x4 = sample t2, v45
;   v47: b32x4 = load_const c0[26]
;   v48: b32 = swizzle v47.x
;   v49: b32 = swizzle v47.y
;   v50: f32 = swizzle v28.z
;   v51: f32 = bitcast v48
;   v52: f32 = bitcast v49
;   v53: f32 = fmadz v50, v51, v52
;   v54: f32x4 = swizzle v53.xxxx
;   v55: f32x4 = fmulz v46, v54
;   store r2.xyzw, v55
;   v56: f32x4 = load r1
;   v57: f32x4 = load r2
;   v58: f32x4 = fmulz v56, v57
;   v59: b32x4 = load_const c1[1]
;   v60: f32 = const -1.0
;   v61: f32 = const 1.0
;   v62: f32x4 = bitcast v59
;   v63: f32x4 = swizzle v60.xxxx
;   v64: f32x4 = fmaxc v62, v63
;   v65: f32x4 = swizzle v61.xxxx
;   v66: f32x4 = fminc v64, v65
;   v67: f32x4 = swizzle v66.zzzz
;   v68: f32x4 = fsat v58
;   store r3.xyzw, v68
;   store r3.w, v67
;   v69: f32x4 = load r3
;   store_output out0, v69
;   return
; }
