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
;   v4: f32x4 = const 765.01, 0.0, 1.0, 3.0
;   v5: f32x4 = const 765.01, 765.01, 765.01, 765.01
;   v43: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v2: f32x4 = load_input in2
;   v3: f32x4 = swizzle v2.zyxw
;   v6: f32x4 = fmulz v3, v5
;   v7: f32x4 = swizzle v6.xxxx
;   v8: f32x4 = ffloor v7
;   v9: i32x4 = f2i v8
;   store r0.xyzw, v0
;   store r1.xyzw, v1
;   store r2.xyzw, v2
;   store r3.xyzw, v6
;   store r4.x, v9
;   v10: i32x4 = load r4
;   v11: i32 = swizzle v10.x
;   v12: b32x4 = load_const_dyn c0[4], v11
;   v13: f32x4 = bitcast v12
;   v14: f32 = fdotz v0, v13
;   v15: i32 = swizzle v10.x
;   v16: b32x4 = load_const_dyn c0[5], v15
;   v17: f32x4 = bitcast v16
;   v18: f32 = fdotz v0, v17
;   v19: i32 = swizzle v10.x
;   v20: b32x4 = load_const_dyn c0[6], v19
;   v21: f32x4 = bitcast v20
;   v22: f32 = fdotz v0, v21
;   v23: f32x3 = construct v14, v18, v22
;   v24: f32x4 = swizzle v23.xyzz
;   store r5.xyz, v24
;   v25: f32x4 = swizzle v6.yyyy
;   v26: f32x4 = ffloor v25
;   v27: i32x4 = f2i v26
;   store r4.x, v27
;   v28: i32x4 = load r4
;   v29: i32 = swizzle v28.x
;   v30: b32x4 = load_const_dyn c0[4], v29
;   v31: f32x4 = bitcast v30
;   v32: f32 = fdotz v0, v31
;   v33: i32 = swizzle v28.x
;   v34: b32x4 = load_const_dyn c0[5], v33
;   v35: f32x4 = bitcast v34
;   v36: f32 = fdotz v0, v35
;   v37: i32 = swizzle v28.x
;   v38: b32x4 = load_const_dyn c0[6], v37
;   v39: f32x4 = bitcast v38
;   v40: f32 = fdotz v0, v39
;   v41: f32x3 = construct v32, v36, v40
;   v42: f32x4 = swizzle v41.xyzz
;   store r6.xyz, v42
;   v44: f32x4 = swizzle v1.xxxx
;   v45: f32x4 = fsub v43, v44
;   store r7.x, v45
;   v46: f32x4 = load r5
;   v47: f32x4 = swizzle v1.xxxx
;   v48: f32x4 = fmulz v46, v47
;   store r5.xyz, v48
;   v49: f32x4 = load r6
;   v50: f32x4 = load r7
;   v51: f32x4 = swizzle v50.xxxx
;   v52: f32x4 = load r5
;   v53: f32x4 = fmadz v49, v51, v52
;   store r5.xyz, v53
;   store r5.w, v43
;   v54: f32x4 = load r5
;   v55: f32x4 = load_const c0[0]
;   v56: f32 = fdotz v54, v55
;   v57: f32x4 = load_const c0[1]
;   v58: f32 = fdotz v54, v57
;   v59: f32x4 = load_const c0[2]
;   v60: f32 = fdotz v54, v59
;   v61: f32x4 = load_const c0[3]
;   v62: f32 = fdotz v54, v61
;   v63: f32x4 = construct v56, v58, v60, v62
;   v64: f32x4 = swizzle v54.zzzz
;   v65: f32x4 = fsat v64
;   store_output out0, v65
;   store_output out1, v63
;   return
; }
