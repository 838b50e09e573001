; Modifiers, shifts and a co-issued pair.
ps_1_1
def c0, 0.25, 0.5, 0.75, 1.0
tex t0
texcoord t1
dp3_sat r0.rgb, t0_bx2, v0_bx2
+ mov r0.a, t0.a
mad_x2 r1, 1-r0, c0, t1
mul_d2 r0, r1_bias, -v1
cnd r0, r0.a, r1, c0

; --- IR
; pixel "ps_1_1" {
;   input in0 "texcoord0" : f32x4 location 2 smooth semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   input in2 "color0" : f32x4 location 0 smooth semantic 10 0
;   input in3 "color1" : f32x4 location 1 smooth semantic 10 1
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   bank c0 "c" stage 3 [1]
;   def c0[0] = 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   texture t0 slot 0 2d
;   var r0 "t0" : f32x4
;   var r1 "t1" : f32x4
;   var r2 "v0" : f32x4
;   var r3 "v1" : f32x4
;   var r4 "r0" : f32x4
;   var r5 "r1" : f32x4
;   v10: f32 = const 1.0
;   v13: f32 = const 0.5
;   v14: f32x3 = const 0.5, 0.5, 0.5
;   v25: f32x4 = const 1.0, 1.0, 1.0, 1.0
;   v27: b32x4 = const 0x3e800000, 0x3f000000, 0x3f400000, 0x3f800000
;   v28: f32 = const -1.0
;   v29: f32x4 = const 0.25, 0.5, 0.75, 1.0
;   v30: f32x4 = const -1.0, -1.0, -1.0, -1.0
;   v34: f32 = const 2.0
;   v35: f32x4 = const 2.0, 2.0, 2.0, 2.0
;   v37: f32x4 = const 0.5, 0.5, 0.5, 0.5
;   v43: f32x4 = const 0.25, 0.5, 0.75, 1.0
;   v0: f32x4 = load_input in0
;   v1: f32x4 = load_input in1
;   v2: f32x4 = load_input in2
;   v3: f32x4 = fsat v2
;   v4: f32x4 = load_input in3
;   v5: f32x4 = fsat v4
;   v6: f32x2 = swizzle v0.xy
;   v7: f32x4 = sample t0, v6
;   v8: f32x3 = swizzle v1.xyz
;   v9: f32x3 = fsat v8
;   v11: f32x4 = construct v9, v10
;   v12: f32x3 = swizzle v7.xyz
;   v15: f32x3 = fsub v12, v14
;   v16: f32x3 = fadd v15, v15
;   v17: f32x3 = swizzle v3.xyz
;   v18: f32x3 = fsub v17, v14
;   v19: f32x3 = fadd v18, v18
;   v20: f32 = fdotz v16, v19
;   v21: f32x4 = swizzle v7.wwww
;   v22: f32 = fsat v20
;   v23: f32x4 = swizzle v22.xxxx
;   store r0.xyzw, v7
;   store r1.xyzw, v11
;   store r2.xyzw, v3
;   store r3.xyzw, v5
;   store r4.xyz, v23
;   store r4.w, v21
;   v24: f32x4 = load r4
;   v26: f32x4 = fsub v25, v24
;   v31: f32x4 = fmaxc v29, v30
;   v32: f32x4 = fminc v31, v25
;   v33: f32x4 = fmadz v26, v32, v11
;   v36: f32x4 = fmul v33, v35
;   v38: f32x4 = fsub v36, v37
;   v39: f32x4 = fneg v5
;   v40: f32x4 = fmulz v38, v39
;   v41: f32x4 = fmul v40, v37
;   v42: f32 = swizzle v41.w
;   v44: f32x4 = fmaxc v43, v30
;   v45: f32x4 = fminc v44, v25
;   v46: bool = flt v13, v42
;   v47: boolx4 = swizzle v46.xxxx
;   v48: f32x4 = select v47, v36, v45
;   store_output out0, v48
;   return
; }
