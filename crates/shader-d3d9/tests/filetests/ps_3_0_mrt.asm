; Flow control, derivatives, two targets and depth.
ps_3_0
def c0, 0.5, 8.0, 0.0, 1.0
dcl_texcoord0_centroid v0.xy
dcl_texcoord1 v1.xyz
dcl_tangent3 v2
dcl vPos.xy
dcl vFace
dcl_2d s2
mov r0, c0.z
rep i0
    texldl r1, v0.xyyy, s2
    add r0, r0, r1
    if_gt r0.w, c0.w
        break
    endif
endrep
dsx r2.xy, v0
dsy r3.xy, v0
texldd r4, v0, s2, r2, r3
cmp r4, vFace, r4, -r4
mov r5.xy, vPos
mad oC0, r0, c0.x, r4
mov oC1, v1.xyzz
mov oDepth, r5.x

; --- IR
; pixel "ps_3_0" {
;   input in0 "texcoord0" : f32x4 location 2 centroid semantic 5 0
;   input in1 "texcoord1" : f32x4 location 3 smooth semantic 5 1
;   input in2 "tangent3" : f32x4 location 11 smooth semantic 6 3
;   input in3 "vFace" : bool front_facing smooth
;   input in4 "vPos" : f32x4 frag_coord smooth
;   output out0 "oC0" : f32x4 location 0 semantic 10 0
;   output out1 "oC1" : f32x4 location 1 semantic 10 1
;   output out2 "oDepth" : f32 frag_depth
;   bank c0 "c" stage 3 [1]
;   def c0[0] = 0x3f000000, 0x41000000, 0x00000000, 0x3f800000
;   bank c1 "i" stage 4 [1]
;   texture t0 slot 2 2d
;   var r0 "v0" : f32x4
;   var r1 "v1" : f32x4
;   var r2 "v2" : f32x4
;   var r3 "r0" : f32x4
;   var r4 "rounds" : i32
;   var r5 "r1" : f32x4
;   var r6 "r2" : f32x4
;   var r7 "r3" : f32x4
;   var r8 "r4" : f32x4
;   var r9 "r5" : f32x4
;   var r10 "oC0" : f32x4
;   var r11 "oC1" : f32x4
;   var r12 "oDepth" : f32x4
;   v3: f32x4 = const 0.5, 8.0, 0.0, 1.0
;   v4: f32x4 = const 0.0, 0.0, 0.0, 0.0
;   v7: i32 = const 255
;   v11: i32 = const 0
;   v21: f32 = const 1.0
;   v23: i32 = const 1
;   v35: f32 = const -1.0
;   v39: f32 = const 0.0
;   v43: f32x4 = const 0.5, 0.5, 0.0, 0.0
;   v46: f32x4 = const 0.5, 0.5, 0.5, 0.5
;   v0: f32x4 = load_input in0
;   store r0.xy, v0
;   v1: f32x4 = load_input in1
;   store r1.xyz, v1
;   v2: f32x4 = load_input in2
;   v5: b32x4 = load_const c1[0]
;   v6: b32 = swizzle v5.x
;   v8: i32 = bitcast v6
;   v9: i32 = imin v8, v7
;   store r2.xyzw, v2
;   store r3.xyzw, v4
;   store r4.x, v9
;   loop {
;     v10: i32 = load r4
;     v12: bool = ile v10, v11
;     if v12 {
;       break
;     } else {
;       yield
;     }
;     v13: f32x4 = load r0
;     v14: f32x4 = swizzle v13.xyyy
;     v15: f32 = swizzle v13.y
;     v16: f32x2 = swizzle v13.xy
;     v17: f32x4 = sample_lod t0, v16, v15
;     v18: f32x4 = load r3
;     v19: f32x4 = fadd v18, v17
;     v20: f32 = swizzle v19.w
;     v22: bool = flt v21, v20
;     store r5.xyzw, v17
;     store r3.xyzw, v19
;     if v22 {
;       break
;     } else {
;       yield
;     }
;     v24: i32 = isub v10, v23
;     store r4.x, v24
;     continue
;   }
;   v25: f32x4 = load r0
;   v26: f32x4 = ddx v25
;   store r6.xy, v26
;   v27: f32x4 = ddy v25
;   store r7.xy, v27
;   v28: f32x4 = load r6
;   v29: f32x4 = load r7
;   v30: f32x2 = swizzle v25.xy
;   v31: f32x2 = swizzle v28.xy
;   v32: f32x2 = swizzle v29.xy
;   v33: f32x4 = sample_grad t0, v30, v31, v32
;   v34: bool = load_input in3
;   v36: f32 = select v34, v21, v35
;   v37: f32x4 = swizzle v36.xxxx
;   v38: f32x4 = fneg v33
;   v40: boolx4 = fle v4, v37
;   v41: f32x4 = select v40, v33, v38
;   v42: f32x4 = load_input in4
;   v44: f32x4 = fsub v42, v43
;   store r8.xyzw, v41
;   store r9.xy, v44
;   v45: f32x4 = load r3
;   v47: f32x4 = fmadz v45, v46, v41
;   v48: f32x4 = load r1
;   v49: f32x4 = swizzle v48.xyzz
;   v50: f32x4 = load r9
;   v51: f32x4 = swizzle v50.xxxx
;   v52: f32 = swizzle v50.x
;   v53: f32 = fsat v52
;   store_output out0, v47
;   store_output out1, v49
;   store_output out2, v53
;   return
; }
