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
;   v12: f32x4 = load_input in1
;   v13: f32x4 = fabs v12
;   v14: f32 = const 1.1754944e-38
;   v15: f32x4 = swizzle v14.xxxx
;   v16: boolx4 = flt v13, v15
;   v17: i32 = const -2147483648
;   v18: i32x4 = bitcast v12
;   v19: i32x4 = swizzle v17.xxxx
;   v20: i32x4 = iand v18, v19
;   v21: f32x4 = bitcast v20
;   v22: f32x4 = select v16, v21, v12
;   v23: f32x4 = swizzle v22.xxxx
;   v24: f32 = swizzle v23.x
;   v25: f32 = frcp v24
;   v26: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v27: f32x4 = swizzle v25.xxxx
;   v28: f32x4 = shuffle v26, v27 [4, 1, 2, 3]
;   v29: f32x4 = swizzle v25.xxxx
;   v30: f32x4 = shuffle v0, v29 [4, 1, 2, 7]
;   v31: f32x4 = load_input in2
;   v32: f32x4 = fabs v31
;   v33: f32 = const 1.1754944e-38
;   v34: f32x4 = swizzle v33.xxxx
;   v35: boolx4 = flt v32, v34
;   v36: i32 = const -2147483648
;   v37: i32x4 = bitcast v31
;   v38: i32x4 = swizzle v36.xxxx
;   v39: i32x4 = iand v37, v38
;   v40: f32x4 = bitcast v39
;   v41: f32x4 = select v35, v40, v31
;   v42: f32 = swizzle v41.x
;   v43: f32x4 = load_input in3
;   v44: f32x4 = fabs v43
;   v45: f32 = const 1.1754944e-38
;   v46: f32x4 = swizzle v45.xxxx
;   v47: boolx4 = flt v44, v46
;   v48: i32 = const -2147483648
;   v49: i32x4 = bitcast v43
;   v50: i32x4 = swizzle v48.xxxx
;   v51: i32x4 = iand v49, v50
;   v52: f32x4 = bitcast v51
;   v53: f32x4 = select v47, v52, v43
;   v54: f32x4 = swizzle v53.zzzz
;   v55: f32 = swizzle v54.x
;   v56: f32 = fabs v55
;   v57: i32 = bitcast v56
;   v58: i32 = const 23
;   v59: i32 = const 127
;   v60: i32 = const 8388608
;   v61: i32 = const 2139095040
;   v62: i32 = const 8388607
;   v63: i32 = const 1065353216
;   v64: f32 = const 1.0
;   v65: f32 = const 0xff800000
;   v66: bool = ilt v57, v60
;   v67: i32 = ushr v57, v58
;   v68: i32 = isub v67, v59
;   v69: f32 = i2f v68
;   v70: bool = ilt v57, v61
;   v71: f32 = select v70, v69, v56
;   v72: f32 = select v66, v65, v71
;   v73: i32 = iand v57, v62
;   v74: i32 = ior v73, v63
;   v75: f32 = bitcast v74
;   v76: bool = ilt v61, v57
;   v77: f32 = select v76, v56, v75
;   v78: f32 = select v66, v64, v77
;   v79: f32 = flog2 v56
;   v80: f32 = select v66, v65, v79
;   v81: f32x4 = construct v72, v78, v80, v64
;   v82: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v83: f32 = swizzle v81.y
;   v84: f32 = swizzle v53.y
;   v85: f32 = const 0.0
;   v86: f32 = const 1.0
;   v87: f32 = fmadz v83, v84, v85
;   v88: f32 = swizzle v81.z
;   v89: f32 = swizzle v53.w
;   v90: f32x4 = construct v86, v87, v88, v89
;   v91: f32x4 = swizzle v81.zwxy
;   v92: i32x4 = bitcast v22
;   v93: i32 = const 31
;   v94: i32 = const 2147483647
;   v95: i32x4 = swizzle v93.xxxx
;   v96: i32x4 = ishr v92, v95
;   v97: i32x4 = swizzle v94.xxxx
;   v98: i32x4 = iand v96, v97
;   v99: i32x4 = ixor v92, v98
;   v100: i32x4 = bitcast v91
;   v101: i32 = const 31
;   v102: i32 = const 2147483647
;   v103: i32x4 = swizzle v101.xxxx
;   v104: i32x4 = ishr v100, v103
;   v105: i32x4 = swizzle v102.xxxx
;   v106: i32x4 = iand v104, v105
;   v107: i32x4 = ixor v100, v106
;   v108: boolx4 = ilt v99, v107
;   v109: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v110: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v111: f32x4 = select v108, v110, v109
;   v112: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v113: f32x4 = shuffle v112, v111 [4, 1, 6, 3]
;   store_output out0, v111
;   store_output out1, v30
;   store_output out2, v41
;   store_output out3, v90
;   return
; }
