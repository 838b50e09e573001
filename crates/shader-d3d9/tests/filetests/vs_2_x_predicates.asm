; Predicated writes of some components, a call and a break by the predicate, constants by two address components.
vs_2_x
dcl_position v0
mova a0.xz, v0
mov r0, c[a0.z + 7]
setp_lt p0.xy, v0, c[a0.x]
(p0.yxyx) add r0.xz, r0, v0
callnz l0, !p0.y
rep i3
    mul r0, r0, v0
    breakp p0.x
endrep
mov oPos, r0
mov oFog.x, r0.w
ret
label l0
(!p0) mov r0.xw, c5
ret

; --- IR
; vertex "vs_2_x" {
;   input in0 "v0" : f32x4 location 0 smooth semantic 0 0
;   output out0 "fog0" : f32x4 location 10 semantic 11 0
;   output out1 "oPos" : f32x4 position semantic 0 0
;   bank c0 "c" stage 0 [256]
;   bank c1 "i" stage 1 [4]
;   var r0 "v0" : f32x4
;   var r1 "a0" : i32x4
;   var r2 "r0" : f32x4
;   var r3 "p0" : boolx4
;   var r4 "rounds" : i32
;   var r5 "oPos" : f32x4
;   var r6 "oFog" : f32x4
;   var r7 "fog0" : f32x4
;   v0: f32x4 = load_input in0
;   store r0.xyzw, v0
;   v1: f32x4 = load r0
;   v2: f32x4 = fround v1
;   v3: i32x4 = f2i v2
;   store r1.xz, v3
;   v4: i32x4 = load r1
;   v5: i32 = swizzle v4.z
;   v6: b32x4 = load_const_dyn c0[7], v5
;   v7: f32x4 = bitcast v6
;   store r2.xyzw, v7
;   v8: f32x4 = load r0
;   v9: i32x4 = load r1
;   v10: i32 = swizzle v9.x
;   v11: b32x4 = load_const_dyn c0[0], v10
;   v12: f32x4 = bitcast v11
;   v13: boolx4 = flt v8, v12
;   store r3.xy, v13
;   v14: f32x4 = load r2
;   v15: f32x4 = load r0
;   v16: f32x4 = fadd v14, v15
;   v17: boolx4 = load r3
;   v18: boolx4 = swizzle v17.yxyx
;   v19: f32x4 = load r2
;   v20: f32x4 = select v18, v16, v19
;   store r2.xz, v20
;   v21: boolx4 = load r3
;   v22: bool = swizzle v21.y
;   v23: bool = bnot v22
;   if v23 {
;     v24: f32x4 = load_const c0[5]
;     v25: boolx4 = load r3
;     v26: boolx4 = bnot v25
;     v27: f32x4 = load r2
;     v28: f32x4 = select v26, v24, v27
;     store r2.xw, v28
;     yield
;   } else {
;     yield
;   }
;   v29: b32x4 = load_const c1[3]
;   v30: b32 = swizzle v29.x
;   v31: i32 = const 255
;   v32: i32 = bitcast v30
;   v33: i32 = imin v32, v31
;   store r4.x, v33
;   loop {
;     v34: i32 = load r4
;     v35: i32 = const 0
;     v36: bool = ile v34, v35
;     if v36 {
;       break
;     } else {
;       yield
;     }
;     v37: f32x4 = load r2
;     v38: f32x4 = load r0
;     v39: f32x4 = fmulz v37, v38
;     store r2.xyzw, v39
;     v40: boolx4 = load r3
;     v41: bool = swizzle v40.x
;     if v41 {
;       break
;     } else {
;       yield
;     }
;     v42: i32 = load r4
;     v43: i32 = const 1
;     v44: i32 = isub v42, v43
;     store r4.x, v44
;     continue
;   }
;   v45: f32x4 = load r2
;   store r5.xyzw, v45
;   v46: f32x4 = load r2
;   v47: f32x4 = swizzle v46.wwww
;   store r6.x, v47
;   v48: f32x4 = load r5
;   v49: f32x4 = load r6
;   v50: f32x4 = fsat v49
;   store r7.x, v50
;   v51: f32x4 = load r7
;   store_output out0, v51
;   store_output out1, v48
;   return
; }
