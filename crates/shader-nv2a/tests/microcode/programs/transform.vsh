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
;   v3: f32 = const 1.1754944e-38
;   v4: f32x4 = const 1.1754944e-38, 1.1754944e-38, 1.1754944e-38, 1.1754944e-38
;   v6: i32 = const -2147483648
;   v8: i32x4 = const -2147483648, -2147483648, -2147483648, -2147483648
;   v14: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v34: f32 = const 5.421011e-20
;   v35: f32 = const 1.8446744e19
;   v47: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v1: f32x4 = load_input in0
;   v2: f32x4 = fabs v1
;   v5: boolx4 = flt v2, v4
;   v7: i32x4 = bitcast v1
;   v9: i32x4 = iand v7, v8
;   v10: f32x4 = bitcast v9
;   v11: f32x4 = select v5, v10, v1
;   v12: f32x4 = load_const c0[0]
;   v13: f32 = fdotz v11, v12
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
;   v31: f32x4 = fmadz v28, v29, v14
;   v32: f32 = swizzle v28.w
;   v33: f32 = frcp v32
;   v36: f32 = fabs v33
;   v37: f32 = fmax v36, v34
;   v38: f32 = fmin v37, v35
;   v39: i32 = bitcast v33
;   v40: i32 = iand v39, v6
;   v41: i32 = bitcast v38
;   v42: i32 = ior v41, v40
;   v43: f32 = bitcast v42
;   v44: bool = fne v33, v33
;   v45: f32 = select v44, v33, v43
;   v46: f32x4 = shuffle v28, v31 [4, 5, 6, 3]
;   v48: f32x4 = swizzle v45.xxxx
;   v49: f32x4 = shuffle v47, v48 [4, 1, 2, 3]
;   v50: f32x4 = swizzle v49.xxxx
;   v51: f32x4 = load_const c0[59]
;   v52: f32x4 = fmadz v46, v50, v51
;   v53: f32 = swizzle v51.x
;   v54: f32x4 = shuffle v0, v52 [4, 5, 6, 3]
;   v55: f32x4 = shuffle v54, v46 [0, 1, 2, 7]
;   v56: f32x4 = load_input in1
;   v57: f32x4 = fabs v56
;   v58: boolx4 = flt v57, v4
;   v59: i32x4 = bitcast v56
;   v60: i32x4 = iand v59, v8
;   v61: f32x4 = bitcast v60
;   v62: f32x4 = select v58, v61, v56
;   v63: f32x4 = load_input in2
;   v64: f32x4 = fabs v63
;   v65: boolx4 = flt v64, v4
;   v66: i32x4 = bitcast v63
;   v67: i32x4 = iand v66, v8
;   v68: f32x4 = bitcast v67
;   v69: f32x4 = select v65, v68, v63
;   store_output out0, v55
;   store_output out1, v62
;   store_output out2, v69
;   return
; }
