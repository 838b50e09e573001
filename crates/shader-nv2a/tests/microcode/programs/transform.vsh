; The end of most Direct3D programs: a matrix, a division, the viewport of the slots 58 and 59.
xvs_1_1
    dp4 R0.x, v0, c[0]
    dp4 R0.y, v0, c[1]
    dp4 R0.z, v0, c[2]
    dp4 R0.w, v0, c[3]
    mul R0.xyz, R0, c[58] + rcc R1.x, R0.w
    mad oPos.xyz, R0, R1.x, c[59]
    mov oPos.w, R0
    mov oD0, v3
    mov oT0, v9

; --- outputs
; oPos [1.0, 39.833332, -77.0, -1.5]
; oD0 [4.0, -0.5, -3.0, 1.0]
; oT0 [10.0, 2.5, -9.0, 1.0]
; --- IR
; vertex {
;   input in0 "v0" : f32x4 location 0 smooth
;   input in1 "v3" : f32x4 location 3 smooth
;   input in2 "v9" : f32x4 location 9 smooth
;   output out0 "oPos" : f32x4 location 0
;   output out1 "oD0" : f32x4 location 3
;   output out2 "oT0" : f32x4 location 9
;   bank c0 "c" stage 9 [192]
;   v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
;   v1: f32x4 = load_input in0
;   v2: f32x4 = fabs v1
;   v3: f32 = const 1.1754944e-38
;   v4: f32x4 = swizzle v3.xxxx
;   v5: boolx4 = flt v2, v4
;   v6: i32 = const -2147483648
;   v7: i32x4 = bitcast v1
;   v8: i32x4 = swizzle v6.xxxx
;   v9: i32x4 = iand v7, v8
;   v10: f32x4 = bitcast v9
;   v11: f32x4 = select v5, v10, v1
;   v12: f32x4 = load_const c0[0]
;   v13: f32 = fdotz v11, v12
;   v14: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v15: f32x4 = swizzle v13.xxxx
;   v16: f32x4 = shuffle v14, v15 [4, 1, 2, 3]
;   v17: f32x4 = load_const c0[1]
;   v18: f32 = fdotz v11, v17
;   v19: f32x4 = swizzle v18.xxxx
;   v20: f32x4 = shuffle v16, v19 [0, 5, 2, 3]
;   v21: f32x4 = load_const c0[2]
;   v22: f32 = fdotz v11, v21
;   v23: f32x4 = swizzle v22.xxxx
;   v24: f32x4 = shuffle v20, v23 [0, 1, 6, 3]
;   v25: f32x4 = load_const c0[3]
;   v26: f32 = fdotz v11, v25
;   v27: f32x4 = swizzle v26.xxxx
;   v28: f32x4 = shuffle v24, v27 [0, 1, 2, 7]
;   v29: f32x4 = load_const c0[58]
;   v30: f32x4 = swizzle v28.wwww
;   v31: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v32: f32x4 = fmadz v28, v29, v31
;   v33: f32 = swizzle v30.x
;   v34: f32 = frcp v33
;   v35: f32 = const 5.421011e-20
;   v36: f32 = const 1.8446744e19
;   v37: f32 = fabs v34
;   v38: f32 = fmax v37, v35
;   v39: f32 = fmin v38, v36
;   v40: i32 = const -2147483648
;   v41: i32 = bitcast v34
;   v42: i32 = iand v41, v40
;   v43: i32 = bitcast v39
;   v44: i32 = ior v43, v42
;   v45: f32 = bitcast v44
;   v46: bool = fne v34, v34
;   v47: f32 = select v46, v34, v45
;   v48: f32x4 = shuffle v28, v32 [4, 5, 6, 3]
;   v49: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v50: f32x4 = swizzle v47.xxxx
;   v51: f32x4 = shuffle v49, v50 [4, 1, 2, 3]
;   v52: f32x4 = swizzle v51.xxxx
;   v53: f32x4 = load_const c0[59]
;   v54: f32x4 = fmadz v48, v52, v53
;   v55: f32 = swizzle v53.x
;   v56: f32x4 = shuffle v0, v54 [4, 5, 6, 3]
;   v57: f32x4 = shuffle v56, v48 [0, 1, 2, 7]
;   v58: f32x4 = load_input in1
;   v59: f32x4 = fabs v58
;   v60: f32 = const 1.1754944e-38
;   v61: f32x4 = swizzle v60.xxxx
;   v62: boolx4 = flt v59, v61
;   v63: i32 = const -2147483648
;   v64: i32x4 = bitcast v58
;   v65: i32x4 = swizzle v63.xxxx
;   v66: i32x4 = iand v64, v65
;   v67: f32x4 = bitcast v66
;   v68: f32x4 = select v62, v67, v58
;   v69: f32x4 = load_input in2
;   v70: f32x4 = fabs v69
;   v71: f32 = const 1.1754944e-38
;   v72: f32x4 = swizzle v71.xxxx
;   v73: boolx4 = flt v70, v72
;   v74: i32 = const -2147483648
;   v75: i32x4 = bitcast v69
;   v76: i32x4 = swizzle v74.xxxx
;   v77: i32x4 = iand v75, v76
;   v78: f32x4 = bitcast v77
;   v79: f32x4 = select v73, v78, v69
;   store_output out0, v57
;   store_output out1, v68
;   store_output out2, v79
;   return
; }
