; Two matrices of a palette that a0 chooses; mov rounds down.
vs_1_1
def c95, 765.01, 0.0, 1.0, 3.0
dcl_position v0
dcl_blendweight v1
dcl_blendindices v2
mul r0, v2.zyxw, c95.x
mov a0.x, r0.x
m4x3 r1.xyz, v0, c[a0.x + 4]
mov a0.x, r0.y
m4x3 r2.xyz, v0, c[a0.x + 4]
sub r3.x, c95.z, v1.x
mul r1.xyz, r1, v1.x
mad r1.xyz, r2, r3.x, r1
mov r1.w, c95.z
m4x4 oPos, r1, c0
mov oFog, r1.z

; --- IR
; vertex "vs_1_1" {
;   input in0 "v0" : f32x4 location 0 smooth semantic 0 0
;   input in1 "v1" : f32x4 location 1 smooth semantic 1 0
;   input in2 "v2" : f32x4 location 2 smooth semantic 2 0
;   output out0 "fog0" : f32x4 location 10 semantic 11 0
;   output out1 "oPos" : f32x4 position semantic 0 0
;   bank c0 "c" stage 0 [256]
;   def c0[95] = 0x443f40a4, 0x00000000, 0x3f800000, 0x40400000
;   var r0 "v0" : b32x4
;   var r1 "v1" : b32x4
;   var r2 "v2" : b32x4
;   var r3 "r0" : b32x4
;   var r4 "a0" : i32x4
;   var r5 "r1" : b32x4
;   var r6 "r2" : b32x4
;   var r7 "r3" : b32x4
;   var r8 "oPos" : b32x4
;   var r9 "oFog" : b32x4
;   var r10 "fog0" : f32x4
;   v0: f32x4 = load_input in0
;   v1: b32x4 = bitcast v0
;   store r0.xyzw, v1
;   v2: f32x4 = load_input in1
;   v3: b32x4 = bitcast v2
;   store r1.xyzw, v3
;   v4: f32x4 = load_input in2
;   v5: b32x4 = bitcast v4
;   store r2.xyzw, v5
;   v6: b32x4 = load r2
;   v7: b32x4 = swizzle v6.zyxw
;   v8: b32x4 = const 0x443f40a4, 0x00000000, 0x3f800000, 0x40400000
;   v9: b32x4 = swizzle v8.xxxx
;   v10: f32x4 = bitcast v7
;   v11: f32x4 = bitcast v9
;   v12: f32x4 = fmulz v10, v11
;   v13: b32x4 = bitcast v12
;   store r3.xyzw, v13
;   v14: b32x4 = load r3
;   v15: b32x4 = swizzle v14.xxxx
;   v16: f32x4 = bitcast v15
;   v17: f32x4 = ffloor v16
;   v18: i32x4 = f2i v17
;   store r4.x, v18
;   v19: b32x4 = load r0
;   v20: i32x4 = load r4
;   v21: i32 = swizzle v20.x
;   v22: b32x4 = load_const_dyn c0[4], v21
;   v23: f32x4 = bitcast v19
;   v24: f32x4 = bitcast v22
;   v25: f32 = fdotz v23, v24
;   v26: i32x4 = load r4
;   v27: i32 = swizzle v26.x
;   v28: b32x4 = load_const_dyn c0[5], v27
;   v29: f32x4 = bitcast v19
;   v30: f32x4 = bitcast v28
;   v31: f32 = fdotz v29, v30
;   v32: i32x4 = load r4
;   v33: i32 = swizzle v32.x
;   v34: b32x4 = load_const_dyn c0[6], v33
;   v35: f32x4 = bitcast v19
;   v36: f32x4 = bitcast v34
;   v37: f32 = fdotz v35, v36
;   v38: f32x3 = construct v25, v31, v37
;   v39: b32x3 = bitcast v38
;   v40: b32x4 = swizzle v39.xyzz
;   store r5.xyz, v40
;   v41: b32x4 = load r3
;   v42: b32x4 = swizzle v41.yyyy
;   v43: f32x4 = bitcast v42
;   v44: f32x4 = ffloor v43
;   v45: i32x4 = f2i v44
;   store r4.x, v45
;   v46: b32x4 = load r0
;   v47: i32x4 = load r4
;   v48: i32 = swizzle v47.x
;   v49: b32x4 = load_const_dyn c0[4], v48
;   v50: f32x4 = bitcast v46
;   v51: f32x4 = bitcast v49
;   v52: f32 = fdotz v50, v51
;   v53: i32x4 = load r4
;   v54: i32 = swizzle v53.x
;   v55: b32x4 = load_const_dyn c0[5], v54
;   v56: f32x4 = bitcast v46
;   v57: f32x4 = bitcast v55
;   v58: f32 = fdotz v56, v57
;   v59: i32x4 = load r4
;   v60: i32 = swizzle v59.x
;   v61: b32x4 = load_const_dyn c0[6], v60
;   v62: f32x4 = bitcast v46
;   v63: f32x4 = bitcast v61
;   v64: f32 = fdotz v62, v63
;   v65: f32x3 = construct v52, v58, v64
;   v66: b32x3 = bitcast v65
;   v67: b32x4 = swizzle v66.xyzz
;   store r6.xyz, v67
;   v68: b32x4 = const 0x443f40a4, 0x00000000, 0x3f800000, 0x40400000
;   v69: b32x4 = swizzle v68.zzzz
;   v70: b32x4 = load r1
;   v71: b32x4 = swizzle v70.xxxx
;   v72: f32x4 = bitcast v69
;   v73: f32x4 = bitcast v71
;   v74: f32x4 = fsub v72, v73
;   v75: b32x4 = bitcast v74
;   store r7.x, v75
;   v76: b32x4 = load r5
;   v77: b32x4 = load r1
;   v78: b32x4 = swizzle v77.xxxx
;   v79: f32x4 = bitcast v76
;   v80: f32x4 = bitcast v78
;   v81: f32x4 = fmulz v79, v80
;   v82: b32x4 = bitcast v81
;   store r5.xyz, v82
;   v83: b32x4 = load r6
;   v84: b32x4 = load r7
;   v85: b32x4 = swizzle v84.xxxx
;   v86: b32x4 = load r5
;   v87: f32x4 = bitcast v83
;   v88: f32x4 = bitcast v85
;   v89: f32x4 = bitcast v86
;   v90: f32x4 = fmadz v87, v88, v89
;   v91: b32x4 = bitcast v90
;   store r5.xyz, v91
;   v92: b32x4 = const 0x443f40a4, 0x00000000, 0x3f800000, 0x40400000
;   v93: b32x4 = swizzle v92.zzzz
;   store r5.w, v93
;   v94: b32x4 = load r5
;   v95: b32x4 = load_const c0[0]
;   v96: f32x4 = bitcast v94
;   v97: f32x4 = bitcast v95
;   v98: f32 = fdotz v96, v97
;   v99: b32x4 = load_const c0[1]
;   v100: f32x4 = bitcast v94
;   v101: f32x4 = bitcast v99
;   v102: f32 = fdotz v100, v101
;   v103: b32x4 = load_const c0[2]
;   v104: f32x4 = bitcast v94
;   v105: f32x4 = bitcast v103
;   v106: f32 = fdotz v104, v105
;   v107: b32x4 = load_const c0[3]
;   v108: f32x4 = bitcast v94
;   v109: f32x4 = bitcast v107
;   v110: f32 = fdotz v108, v109
;   v111: f32x4 = construct v98, v102, v106, v110
;   v112: b32x4 = bitcast v111
;   store r8.xyzw, v112
;   v113: b32x4 = load r5
;   v114: b32x4 = swizzle v113.zzzz
;   store r9.xyzw, v114
;   v115: b32x4 = load r8
;   v116: f32x4 = bitcast v115
;   v117: b32x4 = load r9
;   v118: f32x4 = bitcast v117
;   v119: f32x4 = fsat v118
;   store r10.xyzw, v119
;   v120: f32x4 = load r10
;   store_output out0, v120
;   store_output out1, v116
;   return
; }
