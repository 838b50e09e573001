; c0..c3 view-projection
vs_3_0
dcl_position v0
dcl_color v1
dcl_texcoord v2
dcl_position o0
dcl_color0 o1
dcl_texcoord0 o2.xy
m4x4 o0, v0, c0
mov o1, v1
mov o2.xy, v2
