; For everything that reflects the surroundings.
; c0..c3 world-view-projection, c4..c6 world, c8 eye position
vs_3_0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
dcl_position o0
dcl_texcoord0 o1.xyz
dcl_texcoord1 o2.xyz
dcl_texcoord2 o3.xy
m4x4 o0, v0, c0
m4x3 r0.xyz, v0, c4
m3x3 r1.xyz, v1, c4
mov o1.xyz, r1
sub o2.xyz, c8, r0
mov o3.xy, v2
