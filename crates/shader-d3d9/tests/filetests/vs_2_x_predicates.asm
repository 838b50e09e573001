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
;   v23: i32 = const 255
;   v27: i32 = const 0
;   v34: i32 = const 1
;   v0: f32x4 = load_input in0
;   v1: f32x4 = fround v0
;   v2: i32x4 = f2i v1
;   store r0.xyzw, v0
;   store r1.xz, v2
;   v3: i32x4 = load r1
;   v4: i32 = swizzle v3.z
;   v5: b32x4 = load_const_dyn c0[7], v4
;   v6: f32x4 = bitcast v5
;   v7: i32 = swizzle v3.x
;   v8: b32x4 = load_const_dyn c0[0], v7
;   v9: f32x4 = bitcast v8
;   v10: boolx4 = flt v0, v9
;   store r2.xyzw, v6
;   store r3.xy, v10
;   v11: f32x4 = fadd v6, v0
;   v12: boolx4 = load r3
;   v13: boolx4 = swizzle v12.yxyx
;   v14: f32x4 = select v13, v11, v6
;   store r2.xz, v14
;   v15: bool = swizzle v12.y
;   v16: bool = bnot v15
;   if v16 {
;     v17: f32x4 = load_const c0[5]
;     v18: boolx4 = bnot v12
;     v19: f32x4 = load r2
;     v20: f32x4 = select v18, v17, v19
;     store r2.xw, v20
;     yield
;   } else {
;     yield
;   }
;   v21: b32x4 = load_const c1[3]
;   v22: b32 = swizzle v21.x
;   v24: i32 = bitcast v22
;   v25: i32 = imin v24, v23
;   store r4.x, v25
;   loop {
;     v26: i32 = load r4
;     v28: bool = ile v26, v27
;     if v28 {
;       break
;     } else {
;       yield
;     }
;     v29: f32x4 = load r2
;     v30: f32x4 = load r0
;     v31: f32x4 = fmulz v29, v30
;     v32: boolx4 = load r3
;     v33: bool = swizzle v32.x
;     store r2.xyzw, v31
;     if v33 {
;       break
;     } else {
;       yield
;     }
;     v35: i32 = isub v26, v34
;     store r4.x, v35
;     continue
;   }
;   v36: f32x4 = load r2
;   v37: f32x4 = swizzle v36.wwww
;   store r5.xyzw, v36
;   store r6.x, v37
;   v38: f32x4 = load r6
;   v39: f32x4 = fsat v38
;   store r7.x, v39
;   v40: f32x4 = load r7
;   store_output out0, v40
;   store_output out1, v36
;   return
; }
