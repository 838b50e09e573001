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
;   v21: f32 = const 0.5
;   v22: f32x4 = const 0.5, 0.5, 0.5, 0.5
;   v52: f32 = const -1.0
;   v53: f32 = const 1.0
;   v55: f32x4 = const -1.0, -1.0, -1.0, -1.0
;   v57: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v2: f32x4 = load_input in2
;   v3: f32x2 = swizzle v0.xy
;   v4: f32x4 = sample t0, v3
;   v5: b32x4 = load_const c0[17]
;   v6: b32x2 = swizzle v5.xy
;   v7: b32x2 = swizzle v5.zw
;   v8: f32 = swizzle v4.x
;   v9: f32 = swizzle v4.y
;   v10: f32x2 = swizzle v1.xy
;   v11: f32x2 = bitcast v6
;   v12: f32x2 = swizzle v4.xx
;   v13: f32x2 = fmadz v11, v12, v10
;   v14: f32x2 = bitcast v7
;   v15: f32x2 = swizzle v4.yy
;   v16: f32x2 = fmadz v14, v15, v13
;   v17: f32x4 = swizzle v16.xyyy
;   v18: f32x2 = swizzle v1.zw
;   v19: f32x4 = construct v16, v18
;   v20: f32x4 = sample t1, v16
;   v23: f32x4 = fsub v4, v22
;   v24: f32x4 = fadd v23, v23
;   v25: b32x4 = load_const c0[18]
;   v26: b32x2 = swizzle v25.xy
;   v27: b32x2 = swizzle v25.zw
;   v28: f32 = swizzle v24.x
;   v29: f32 = swizzle v24.y
;   v30: f32x2 = swizzle v2.xy
;   v31: f32x2 = bitcast v26
;   v32: f32x2 = swizzle v24.xx
;   v33: f32x2 = fmadz v31, v32, v30
;   v34: f32x2 = bitcast v27
;   v35: f32x2 = swizzle v24.yy
;   v36: f32x2 = fmadz v34, v35, v33
;   v37: f32x4 = swizzle v36.xyyy
;   v38: f32x2 = swizzle v2.zw
;   v39: f32x4 = construct v36, v38
;   v40: f32x4 = sample t2, v36
;   v41: b32x4 = load_const c0[26]
;   v42: b32 = swizzle v41.x
;   v43: b32 = swizzle v41.y
;   v44: f32 = swizzle v24.z
;   v45: f32 = bitcast v42
;   v46: f32 = bitcast v43
;   v47: f32 = fmadz v44, v45, v46
;   v48: f32x4 = swizzle v47.xxxx
;   v49: f32x4 = fmulz v40, v48
;   v50: f32x4 = fmulz v20, v49
;   v51: b32x4 = load_const c1[1]
;   v54: f32x4 = bitcast v51
;   v56: f32x4 = fmaxc v54, v55
;   v58: f32x4 = fminc v56, v57
;   v59: f32x4 = swizzle v58.zzzz
;   v60: f32x4 = fsat v50
;   store r0.xyzw, v4
;   store r1.xyzw, v20
;   store r2.xyzw, v49
;   store r3.xyzw, v60
;   store r3.w, v59
;   v61: f32x4 = load r3
;   store_output out0, v61
;   return
; }
