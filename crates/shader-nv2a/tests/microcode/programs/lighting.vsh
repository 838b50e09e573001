; Both units at work; R12 is the position.
xvs_1_1
    mov oPos, v0
    dp3 R0.x, v2, c[10] + rsq R1.w, v2.x
    mul R0.y, R0.x, R1.w
    slt R0.w, R12, c[0] + mov R1, c[0]
    lit R2, R0.xyyw
    max R3, oD0, R2, v3
    add oD1.xyz, R3, -R1 + exp R1.y, -R1.x
    mov oFog.y, R1

; --- outputs
; oPos [1.0, -2.0, -0.0, 1.0]
; oD0 [4.0, 37.75, 21.79497, 1.0]
; oD1 [4.0, 37.5, 20.79497, 1.0]
; oFog [0.0, 0.0, 0.0, 1.0]
; --- IR
; vertex {
;   input in0 "v0" : f32x4 location 0 smooth
;   input in1 "v2" : f32x4 location 2 smooth
;   input in2 "v3" : f32x4 location 3 smooth
;   output out0 "oPos" : f32x4 location 0
;   output out1 "oD0" : f32x4 location 3
;   output out2 "oD1" : f32x4 location 4
;   output out3 "oFog" : f32x4 location 5
;   bank c0 "c" stage 9 [192]
;   v0: f32x4 = const 0.0, 0.0, 0.0, 1.0
;   v3: f32 = const 1.1754944e-38
;   v4: f32x4 = const 1.1754944e-38, 1.1754944e-38, 1.1754944e-38, 1.1754944e-38
;   v6: i32 = const -2147483648
;   v8: i32x4 = const -2147483648, -2147483648, -2147483648, -2147483648
;   v27: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v39: i32 = const 31
;   v40: i32 = const 2147483647
;   v41: i32x4 = const 31, 31, 31, 31
;   v43: i32x4 = const 2147483647, 2147483647, 2147483647, 2147483647
;   v51: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v60: f32 = const 0.0
;   v61: f32 = const 1.0
;   v62: f32 = const -128.0
;   v63: f32 = const 127.99988
;   v76: i32 = const 8388608
;   v77: i32 = const 0
;   v105: f32 = const 8388608.0
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
;   v19: f32x4 = load_const c0[10]
;   v20: f32x4 = swizzle v18.xxxx
;   v21: f32x3 = swizzle v18.xyz
;   v22: f32x3 = swizzle v19.xyz
;   v23: f32 = fdotz v21, v22
;   v24: f32 = swizzle v18.x
;   v25: f32 = fabs v24
;   v26: f32 = frsq v25
;   v28: f32x4 = swizzle v23.xxxx
;   v29: f32x4 = shuffle v27, v28 [4, 1, 2, 3]
;   v30: f32x4 = swizzle v26.xxxx
;   v31: f32x4 = shuffle v27, v30 [0, 1, 2, 7]
;   v32: f32x4 = swizzle v29.xxxx
;   v33: f32x4 = swizzle v31.wwww
;   v34: f32x4 = fmadz v32, v33, v27
;   v35: f32x4 = shuffle v29, v34 [0, 5, 2, 3]
;   v36: f32x4 = load_const c0[0]
;   v37: f32x4 = load_const c0[0]
;   v38: i32x4 = bitcast v11
;   v42: i32x4 = ishr v38, v41
;   v44: i32x4 = iand v42, v43
;   v45: i32x4 = ixor v38, v44
;   v46: i32x4 = bitcast v36
;   v47: i32x4 = ishr v46, v41
;   v48: i32x4 = iand v47, v43
;   v49: i32x4 = ixor v46, v48
;   v50: boolx4 = ilt v45, v49
;   v52: f32x4 = select v50, v51, v27
;   v53: f32 = swizzle v37.x
;   v54: f32x4 = shuffle v35, v52 [0, 1, 2, 7]
;   v55: f32x4 = swizzle v54.xyyw
;   v56: f32 = swizzle v54.x
;   v57: f32 = swizzle v54.x
;   v58: f32 = swizzle v54.y
;   v59: f32 = swizzle v54.w
;   v64: bool = flt v59, v62
;   v65: f32 = select v64, v62, v59
;   v66: bool = flt v63, v65
;   v67: f32 = select v66, v63, v65
;   v68: bool = flt v58, v60
;   v69: f32 = select v68, v60, v58
;   v70: f32 = flog2 v69
;   v71: f32 = fmul v67, v70
;   v72: f32 = fexp2 v71
;   v73: bool = feq v59, v60
;   v74: f32 = select v73, v61, v72
;   v75: i32 = bitcast v57
;   v78: bool = ile v76, v75
;   v79: f32 = select v78, v74, v60
;   v80: bool = ilt v75, v77
;   v81: f32 = select v80, v60, v57
;   v82: f32x4 = construct v61, v81, v79, v61
;   v83: f32x4 = load_input in2
;   v84: f32x4 = fabs v83
;   v85: boolx4 = flt v84, v4
;   v86: i32x4 = bitcast v83
;   v87: i32x4 = iand v86, v8
;   v88: f32x4 = bitcast v87
;   v89: f32x4 = select v85, v88, v83
;   v90: i32x4 = bitcast v82
;   v91: i32x4 = ishr v90, v41
;   v92: i32x4 = iand v91, v43
;   v93: i32x4 = ixor v90, v92
;   v94: i32x4 = bitcast v89
;   v95: i32x4 = ishr v94, v41
;   v96: i32x4 = iand v95, v43
;   v97: i32x4 = ixor v94, v96
;   v98: boolx4 = ilt v93, v97
;   v99: f32x4 = select v98, v89, v82
;   v100: f32x4 = fneg v37
;   v101: f32x4 = fadd v99, v100
;   v102: f32 = swizzle v100.x
;   v103: f32 = ffloor v102
;   v104: f32 = fabs v102
;   v106: bool = fle v105, v104
;   v107: f32 = fsub v102, v103
;   v108: f32 = select v106, v60, v107
;   v109: f32 = fexp2 v103
;   v110: f32 = fexp2 v102
;   v111: f32x4 = construct v109, v108, v110, v61
;   v112: f32x4 = shuffle v0, v101 [4, 5, 6, 3]
;   v113: f32x4 = shuffle v37, v111 [0, 5, 2, 3]
;   v114: f32x4 = shuffle v0, v113 [4, 1, 2, 3]
;   store_output out0, v11
;   store_output out1, v99
;   store_output out2, v112
;   store_output out3, v114
;   return
; }
