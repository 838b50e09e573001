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
;   var r0 "v0" : f32x4
;   var r1 "v1" : f32x4
;   var r2 "v2" : f32x4
;   var r3 "r0" : f32x4
;   var r4 "a0" : i32x4
;   var r5 "r1" : f32x4
;   var r6 "r2" : f32x4
;   var r7 "r3" : f32x4
;   var r8 "oPos" : f32x4
;   var r9 "oFog" : f32x4
;   var r10 "fog0" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load_input in1
;   store r1.xyzw, v1
;   v2: f32x4 = load_input in2
;   store r2.xyzw, v2
;   v3: f32x4 = load r2
;   v4: f32x4 = swizzle v3.zyxw
;   v5: f32x4 = const 765.01, 0.0, 1.0, 3.0
;   v6: f32x4 = swizzle v5.xxxx
;   v7: f32x4 = fmulz v4, v6
;   store r3.xyzw, v7
;   v8: f32x4 = load r3
;   v9: f32x4 = swizzle v8.xxxx
;   v10: f32x4 = ffloor v9
;   v11: i32x4 = f2i v10
;   store r4.x, v11
;   v12: f32x4 = load r0
;   v13: i32x4 = load r4
;   v14: i32 = swizzle v13.x
;   v15: b32x4 = load_const_dyn c0[4], v14
;   v16: f32x4 = bitcast v15
;   v17: f32 = fdotz v12, v16
;   v18: i32x4 = load r4
;   v19: i32 = swizzle v18.x
;   v20: b32x4 = load_const_dyn c0[5], v19
;   v21: f32x4 = bitcast v20
;   v22: f32 = fdotz v12, v21
;   v23: i32x4 = load r4
;   v24: i32 = swizzle v23.x
;   v25: b32x4 = load_const_dyn c0[6], v24
;   v26: f32x4 = bitcast v25
;   v27: f32 = fdotz v12, v26
;   v28: f32x3 = construct v17, v22, v27
;   v29: f32x4 = swizzle v28.xyzz
;   store r5.xyz, v29
;   v30: f32x4 = load r3
;   v31: f32x4 = swizzle v30.yyyy
;   v32: f32x4 = ffloor v31
;   v33: i32x4 = f2i v32
;   store r4.x, v33
;   v34: f32x4 = load r0
;   v35: i32x4 = load r4
;   v36: i32 = swizzle v35.x
;   v37: b32x4 = load_const_dyn c0[4], v36
;   v38: f32x4 = bitcast v37
;   v39: f32 = fdotz v34, v38
;   v40: i32x4 = load r4
;   v41: i32 = swizzle v40.x
;   v42: b32x4 = load_const_dyn c0[5], v41
;   v43: f32x4 = bitcast v42
;   v44: f32 = fdotz v34, v43
;   v45: i32x4 = load r4
;   v46: i32 = swizzle v45.x
;   v47: b32x4 = load_const_dyn c0[6], v46
;   v48: f32x4 = bitcast v47
;   v49: f32 = fdotz v34, v48
;   v50: f32x3 = construct v39, v44, v49
;   v51: f32x4 = swizzle v50.xyzz
;   store r6.xyz, v51
;   v52: f32x4 = const 765.01, 0.0, 1.0, 3.0
;   v53: f32x4 = swizzle v52.zzzz
;   v54: f32x4 = load r1
;   v55: f32x4 = swizzle v54.xxxx
;   v56: f32x4 = fsub v53, v55
;   store r7.x, v56
;   v57: f32x4 = load r5
;   v58: f32x4 = load r1
;   v59: f32x4 = swizzle v58.xxxx
;   v60: f32x4 = fmulz v57, v59
;   store r5.xyz, v60
;   v61: f32x4 = load r6
;   v62: f32x4 = load r7
;   v63: f32x4 = swizzle v62.xxxx
;   v64: f32x4 = load r5
;   v65: f32x4 = fmadz v61, v63, v64
;   store r5.xyz, v65
;   v66: f32x4 = const 765.01, 0.0, 1.0, 3.0
;   v67: f32x4 = swizzle v66.zzzz
;   store r5.w, v67
;   v68: f32x4 = load r5
;   v69: f32x4 = load_const c0[0]
;   v70: f32 = fdotz v68, v69
;   v71: f32x4 = load_const c0[1]
;   v72: f32 = fdotz v68, v71
;   v73: f32x4 = load_const c0[2]
;   v74: f32 = fdotz v68, v73
;   v75: f32x4 = load_const c0[3]
;   v76: f32 = fdotz v68, v75
;   v77: f32x4 = construct v70, v72, v74, v76
;   store r8.xyzw, v77
;   v78: f32x4 = load r5
;   v79: f32x4 = swizzle v78.zzzz
;   store r9.xyzw, v79
;   v80: f32x4 = load r8
;   v81: f32x4 = load r9
;   v82: f32x4 = fsat v81
;   store r10.xyzw, v82
;   v83: f32x4 = load r10
;   store_output out0, v83
;   store_output out1, v80
;   return
; }
