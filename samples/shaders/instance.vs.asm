; c0..c3 view-projection; c4 where the light comes from
vs_3_0
def c5, 1, 0.25, 0.75, 0
dcl_position v0
dcl_normal v1
dcl_texcoord1 v2
dcl_color v3
dcl_position o0
dcl_color0 o1
mad r0.xyz, v0, v2.w, v2
mov r0.w, c5.x
m4x4 o0, r0, c0
dp3 r1.x, v1, c4
max r1.x, r1.x, c5.w
mad r1.x, r1.x, c5.z, c5.y
mul o1.xyz, v3, r1.x
mov o1.w, c5.x
