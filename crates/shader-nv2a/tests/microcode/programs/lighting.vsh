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
;   v23: f32x4 = load_const c0[10]
;   v24: f32x4 = swizzle v22.xxxx
;   v25: f32x3 = swizzle v22.xyz
;   v26: f32x3 = swizzle v23.xyz
;   v27: f32 = fdotz v25, v26
;   v28: f32 = swizzle v24.x
;   v29: f32 = fabs v28
;   v30: f32 = frsq v29
;   v31: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v32: f32x4 = swizzle v27.xxxx
;   v33: f32x4 = shuffle v31, v32 [4, 1, 2, 3]
;   v34: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v35: f32x4 = swizzle v30.xxxx
;   v36: f32x4 = shuffle v34, v35 [0, 1, 2, 7]
;   v37: f32x4 = swizzle v33.xxxx
;   v38: f32x4 = swizzle v36.wwww
;   v39: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v40: f32x4 = fmadz v37, v38, v39
;   v41: f32x4 = shuffle v33, v40 [0, 5, 2, 3]
;   v42: f32x4 = load_const c0[0]
;   v43: f32x4 = load_const c0[0]
;   v44: i32x4 = bitcast v11
;   v45: i32 = const 31
;   v46: i32 = const 2147483647
;   v47: i32x4 = swizzle v45.xxxx
;   v48: i32x4 = ishr v44, v47
;   v49: i32x4 = swizzle v46.xxxx
;   v50: i32x4 = iand v48, v49
;   v51: i32x4 = ixor v44, v50
;   v52: i32x4 = bitcast v42
;   v53: i32 = const 31
;   v54: i32 = const 2147483647
;   v55: i32x4 = swizzle v53.xxxx
;   v56: i32x4 = ishr v52, v55
;   v57: i32x4 = swizzle v54.xxxx
;   v58: i32x4 = iand v56, v57
;   v59: i32x4 = ixor v52, v58
;   v60: boolx4 = ilt v51, v59
;   v61: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v62: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v63: f32x4 = select v60, v61, v62
;   v64: f32 = swizzle v43.x
;   v65: f32x4 = shuffle v41, v63 [0, 1, 2, 7]
;   v66: f32x4 = swizzle v65.xyyw
;   v67: f32 = swizzle v66.x
;   v68: f32 = swizzle v66.x
;   v69: f32 = swizzle v66.y
;   v70: f32 = swizzle v66.w
;   v71: f32 = const 0.0
;   v72: f32 = const 1.0
;   v73: f32 = const -128.0
;   v74: f32 = const 127.99988
;   v75: bool = flt v70, v73
;   v76: f32 = select v75, v73, v70
;   v77: bool = flt v74, v76
;   v78: f32 = select v77, v74, v76
;   v79: bool = flt v69, v71
;   v80: f32 = select v79, v71, v69
;   v81: f32 = flog2 v80
;   v82: f32 = fmul v78, v81
;   v83: f32 = fexp2 v82
;   v84: bool = feq v70, v71
;   v85: f32 = select v84, v72, v83
;   v86: i32 = bitcast v68
;   v87: i32 = const 8388608
;   v88: i32 = const 0
;   v89: bool = ile v87, v86
;   v90: f32 = select v89, v85, v71
;   v91: bool = ilt v86, v88
;   v92: f32 = select v91, v71, v68
;   v93: f32x4 = construct v72, v92, v90, v72
;   v94: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v95: f32x4 = load_input in2
;   v96: f32x4 = fabs v95
;   v97: f32 = const 1.1754944e-38
;   v98: f32x4 = swizzle v97.xxxx
;   v99: boolx4 = flt v96, v98
;   v100: i32 = const -2147483648
;   v101: i32x4 = bitcast v95
;   v102: i32x4 = swizzle v100.xxxx
;   v103: i32x4 = iand v101, v102
;   v104: f32x4 = bitcast v103
;   v105: f32x4 = select v99, v104, v95
;   v106: i32x4 = bitcast v93
;   v107: i32 = const 31
;   v108: i32 = const 2147483647
;   v109: i32x4 = swizzle v107.xxxx
;   v110: i32x4 = ishr v106, v109
;   v111: i32x4 = swizzle v108.xxxx
;   v112: i32x4 = iand v110, v111
;   v113: i32x4 = ixor v106, v112
;   v114: i32x4 = bitcast v105
;   v115: i32 = const 31
;   v116: i32 = const 2147483647
;   v117: i32x4 = swizzle v115.xxxx
;   v118: i32x4 = ishr v114, v117
;   v119: i32x4 = swizzle v116.xxxx
;   v120: i32x4 = iand v118, v119
;   v121: i32x4 = ixor v114, v120
;   v122: boolx4 = ilt v113, v121
;   v123: f32x4 = select v122, v105, v93
;   v124: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v125: f32x4 = fneg v43
;   v126: f32x4 = fadd v123, v125
;   v127: f32 = swizzle v125.x
;   v128: f32 = ffloor v127
;   v129: f32 = fabs v127
;   v130: f32 = const 8388608.0
;   v131: f32 = const 0.0
;   v132: bool = fle v130, v129
;   v133: f32 = fsub v127, v128
;   v134: f32 = select v132, v131, v133
;   v135: f32 = fexp2 v128
;   v136: f32 = fexp2 v127
;   v137: f32 = const 1.0
;   v138: f32x4 = construct v135, v134, v136, v137
;   v139: f32x4 = shuffle v0, v126 [4, 5, 6, 3]
;   v140: f32x4 = shuffle v43, v138 [0, 5, 2, 3]
;   v141: f32x4 = shuffle v0, v140 [4, 1, 2, 3]
;   store_output out0, v11
;   store_output out1, v123
;   store_output out2, v139
;   store_output out3, v141
;   return
; }
