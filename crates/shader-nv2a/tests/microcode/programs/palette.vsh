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
;   v3: f32 = const 1.1754944e-38
;   v4: f32x4 = const 1.1754944e-38, 1.1754944e-38, 1.1754944e-38, 1.1754944e-38
;   v6: i32 = const -2147483648
;   v8: i32x4 = const -2147483648, -2147483648, -2147483648, -2147483648
;   v14: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v18: f32 = const 0.001
;   v29: i32 = const 96
;   v31: i32 = const 192
;   v36: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v41: i32 = const 97
;   v43: i32 = const 192
;   v48: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v53: i32 = const 255
;   v55: i32 = const 192
;   v60: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v62: i32 = const 0
;   v64: i32 = const 192
;   v69: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v1: f32x4 = load_input in0
;   v2: f32x4 = fabs v1
;   v5: boolx4 = flt v2, v4
;   v7: i32x4 = bitcast v1
;   v9: i32x4 = iand v7, v8
;   v10: f32x4 = bitcast v9
;   v11: f32x4 = select v5, v10, v1
;   v12: f32x4 = load_const c0[5]
;   v13: f32x4 = swizzle v12.xxxx
;   v15: f32x4 = fmadz v11, v13, v14
;   v16: f32x4 = swizzle v15.xxxx
;   v17: f32 = swizzle v15.x
;   v19: f32 = fadd v17, v18
;   v20: f32 = ffloor v19
;   v21: i32 = f2i v20
;   v22: f32x4 = load_input in1
;   v23: f32x4 = fabs v22
;   v24: boolx4 = flt v23, v4
;   v25: i32x4 = bitcast v22
;   v26: i32x4 = iand v25, v8
;   v27: f32x4 = bitcast v26
;   v28: f32x4 = select v24, v27, v22
;   v30: i32 = iadd v21, v29
;   v32: bool = ult v30, v31
;   v33: b32x4 = load_const_dyn c0[96], v21
;   v34: f32x4 = bitcast v33
;   v35: boolx4 = swizzle v32.xxxx
;   v37: f32x4 = select v35, v34, v36
;   v38: f32 = fdotz v28, v37
;   v39: f32x4 = swizzle v38.xxxx
;   v40: f32x4 = shuffle v0, v39 [4, 1, 2, 3]
;   v42: i32 = iadd v21, v41
;   v44: bool = ult v42, v43
;   v45: b32x4 = load_const_dyn c0[97], v21
;   v46: f32x4 = bitcast v45
;   v47: boolx4 = swizzle v44.xxxx
;   v49: f32x4 = select v47, v46, v48
;   v50: f32 = fdotz v28, v49
;   v51: f32x4 = swizzle v50.xxxx
;   v52: f32x4 = shuffle v40, v51 [0, 5, 2, 3]
;   v54: i32 = iadd v21, v53
;   v56: bool = ult v54, v55
;   v57: b32x4 = load_const_dyn c0[255], v21
;   v58: f32x4 = bitcast v57
;   v59: boolx4 = swizzle v56.xxxx
;   v61: f32x4 = select v59, v58, v60
;   v63: i32 = iadd v21, v62
;   v65: bool = ult v63, v64
;   v66: b32x4 = load_const_dyn c0[0], v21
;   v67: f32x4 = bitcast v66
;   v68: boolx4 = swizzle v65.xxxx
;   v70: f32x4 = select v68, v67, v69
;   v71: f32x4 = fneg v70
;   store_output out0, v52
;   store_output out1, v61
;   store_output out2, v71
;   return
; }
