; A cube around the eye, as far away as can be. c0..c3 view rotation and projection
vs_3_0
dcl_position v0
dcl_position o0
dcl_texcoord0 o1.xyz
m4x4 r0, v0, c0
mov o0, r0.xyww
mov o1.xyz, v0
