; Matrices by address, and reads beyond the memory.
xvs_1_1
    mul R0, v1, c[5].x
    arl A0.x, R0.x
    dp4 oPos.x, v0, c[A0.x + 96]
    dp4 oPos.y, v0, c[A0.x + 97]
    mov oT1, c[A0.x + 255]
    mov oT2, -c[A0.x]

; --- outputs
; oPos [-104.5, -105.5, 0.0, 1.0]
; oT1 [0.0, 0.0, 0.0, 0.0]
; oT2 [-10.0, -10.25, 9.0, -2.0]
; --- IR
; vertex {
;   input in0 "v1" : f32x4 location 1 smooth
;   input in1 "v0" : f32x4 location 0 smooth
;   output out0 "oPos" : f32x4 location 0
;   output out1 "oT1" : f32x4 location 10
;   output out2 "oT2" : f32x4 location 11
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
;   v12: f32x4 = load_const c0[5]
;   v13: f32x4 = swizzle v12.xxxx
;   v14: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v15: f32x4 = fmadz v11, v13, v14
;   v16: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v17: f32x4 = swizzle v15.xxxx
;   v18: f32 = swizzle v17.x
;   v19: f32 = const 0.001
;   v20: f32 = fadd v18, v19
;   v21: f32 = ffloor v20
;   v22: i32 = f2i v21
;   v23: f32x4 = load_input in1
;   v24: f32x4 = fabs v23
;   v25: f32 = const 1.1754944e-38
;   v26: f32x4 = swizzle v25.xxxx
;   v27: boolx4 = flt v24, v26
;   v28: i32 = const -2147483648
;   v29: i32x4 = bitcast v23
;   v30: i32x4 = swizzle v28.xxxx
;   v31: i32x4 = iand v29, v30
;   v32: f32x4 = bitcast v31
;   v33: f32x4 = select v27, v32, v23
;   v34: i32 = const 96
;   v35: i32 = iadd v22, v34
;   v36: i32 = const 192
;   v37: bool = ult v35, v36
;   v38: b32x4 = load_const_dyn c0[96], v22
;   v39: f32x4 = bitcast v38
;   v40: boolx4 = swizzle v37.xxxx
;   v41: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v42: f32x4 = select v40, v39, v41
;   v43: f32 = fdotz v33, v42
;   v44: f32x4 = swizzle v43.xxxx
;   v45: f32x4 = shuffle v0, v44 [4, 1, 2, 3]
;   v46: i32 = const 97
;   v47: i32 = iadd v22, v46
;   v48: i32 = const 192
;   v49: bool = ult v47, v48
;   v50: b32x4 = load_const_dyn c0[97], v22
;   v51: f32x4 = bitcast v50
;   v52: boolx4 = swizzle v49.xxxx
;   v53: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v54: f32x4 = select v52, v51, v53
;   v55: f32 = fdotz v33, v54
;   v56: f32x4 = swizzle v55.xxxx
;   v57: f32x4 = shuffle v45, v56 [0, 5, 2, 3]
;   v58: i32 = const 255
;   v59: i32 = iadd v22, v58
;   v60: i32 = const 192
;   v61: bool = ult v59, v60
;   v62: b32x4 = load_const_dyn c0[255], v22
;   v63: f32x4 = bitcast v62
;   v64: boolx4 = swizzle v61.xxxx
;   v65: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v66: f32x4 = select v64, v63, v65
;   v67: i32 = const 0
;   v68: i32 = iadd v22, v67
;   v69: i32 = const 192
;   v70: bool = ult v68, v69
;   v71: b32x4 = load_const_dyn c0[0], v22
;   v72: f32x4 = bitcast v71
;   v73: boolx4 = swizzle v70.xxxx
;   v74: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v75: f32x4 = select v73, v72, v74
;   v76: f32x4 = fneg v75
;   store_output out0, v57
;   store_output out1, v66
;   store_output out2, v76
;   return
; }
