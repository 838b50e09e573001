; Constants that programs write, and outputs of the ILU.
xvs_1_1
    mov c[100], v0
    rcp R4.x, oB0.xw, v1.x
    + mov oB1, v2
    log R5, v7.z
    dst oT3, R5, v7
    nop
    sge R0.xz, oPts, v1, R5.zwxy

; --- outputs
; oPts [0.0, 0.0, 0.0, 0.0]
; oB0 [0.5, 0.0, 0.0, 0.5]
; oB1 [3.0, -1.0, -2.0, 1.0]
; oT3 [1.0, 2.625, 2.807355, 1.0]
; --- IR
; vertex {
;   input in0 "v0" : f32x4 location 0 smooth
;   input in1 "v1" : f32x4 location 1 smooth
;   input in2 "v2" : f32x4 location 2 smooth
;   input in3 "v7" : f32x4 location 7 smooth
;   output out0 "oPts" : f32x4 location 6
;   output out1 "oB0" : f32x4 location 7
;   output out2 "oB1" : f32x4 location 8
;   output out3 "oT3" : f32x4 location 12
;   v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
;   v3: f32 = const 1.1754944e-38
;   v4: f32x4 = const 1.1754944e-38, 1.1754944e-38, 1.1754944e-38, 1.1754944e-38
;   v6: i32 = const -2147483648
;   v8: i32x4 = const -2147483648, -2147483648, -2147483648, -2147483648
;   v22: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v46: i32 = const 23
;   v47: i32 = const 127
;   v48: i32 = const 8388608
;   v49: i32 = const 2139095040
;   v50: i32 = const 8388607
;   v51: i32 = const 1065353216
;   v52: f32 = const 1.0
;   v53: f32 = const 0xff800000
;   v71: f32 = const 0.0
;   v77: i32 = const 31
;   v78: i32 = const 2147483647
;   v79: i32x4 = const 31, 31, 31, 31
;   v81: i32x4 = const 2147483647, 2147483647, 2147483647, 2147483647
;   v89: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v1: f32x4 = load_input in0
;   v2: f32x4 = fabs v1
;   v5: boolx4 = flt v2, v4
;   v7: i32x4 = bitcast v1
;   v9: i32x4 = iand v7, v8
;   v10: f32x4 = bitcast v9
;   v11: f32x4 = select v5, v10, v1
;   v12: f32x4 = load_input in1
;   v13: f32x4 = fabs v12
;   v14: boolx4 = flt v13, v4
;   v15: i32x4 = bitcast v12
;   v16: i32x4 = iand v15, v8
;   v17: f32x4 = bitcast v16
;   v18: f32x4 = select v14, v17, v12
;   v19: f32x4 = swizzle v18.xxxx
;   v20: f32 = swizzle v18.x
;   v21: f32 = frcp v20
;   v23: f32x4 = swizzle v21.xxxx
;   v24: f32x4 = shuffle v22, v23 [4, 1, 2, 3]
;   v25: f32x4 = swizzle v21.xxxx
;   v26: f32x4 = shuffle v0, v25 [4, 1, 2, 7]
;   v27: f32x4 = load_input in2
;   v28: f32x4 = fabs v27
;   v29: boolx4 = flt v28, v4
;   v30: i32x4 = bitcast v27
;   v31: i32x4 = iand v30, v8
;   v32: f32x4 = bitcast v31
;   v33: f32x4 = select v29, v32, v27
;   v34: f32 = swizzle v33.x
;   v35: f32x4 = load_input in3
;   v36: f32x4 = fabs v35
;   v37: boolx4 = flt v36, v4
;   v38: i32x4 = bitcast v35
;   v39: i32x4 = iand v38, v8
;   v40: f32x4 = bitcast v39
;   v41: f32x4 = select v37, v40, v35
;   v42: f32x4 = swizzle v41.zzzz
;   v43: f32 = swizzle v41.z
;   v44: f32 = fabs v43
;   v45: i32 = bitcast v44
;   v54: bool = ilt v45, v48
;   v55: i32 = ushr v45, v46
;   v56: i32 = isub v55, v47
;   v57: f32 = i2f v56
;   v58: bool = ilt v45, v49
;   v59: f32 = select v58, v57, v44
;   v60: f32 = select v54, v53, v59
;   v61: i32 = iand v45, v50
;   v62: i32 = ior v61, v51
;   v63: f32 = bitcast v62
;   v64: bool = ilt v49, v45
;   v65: f32 = select v64, v44, v63
;   v66: f32 = select v54, v52, v65
;   v67: f32 = flog2 v44
;   v68: f32 = select v54, v53, v67
;   v69: f32x4 = construct v60, v66, v68, v52
;   v70: f32 = swizzle v41.y
;   v72: f32 = fmadz v66, v70, v71
;   v73: f32 = swizzle v41.w
;   v74: f32x4 = construct v52, v72, v68, v73
;   v75: f32x4 = swizzle v69.zwxy
;   v76: i32x4 = bitcast v18
;   v80: i32x4 = ishr v76, v79
;   v82: i32x4 = iand v80, v81
;   v83: i32x4 = ixor v76, v82
;   v84: i32x4 = bitcast v75
;   v85: i32x4 = ishr v84, v79
;   v86: i32x4 = iand v85, v81
;   v87: i32x4 = ixor v84, v86
;   v88: boolx4 = ilt v83, v87
;   v90: f32x4 = select v88, v22, v89
;   v91: f32x4 = shuffle v22, v90 [4, 1, 6, 3]
;   store_output out0, v90
;   store_output out1, v26
;   store_output out2, v33
;   store_output out3, v74
;   return
; }
