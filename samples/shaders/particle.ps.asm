; A soft disc; pixels that add nothing are not drawn.
ps_3_0
def c5, 0.0, 1.0, 0.01, 2.0
dcl_color0 v0
dcl_texcoord0 v1.xy
mad r0.xy, v1, c5.w, -c5.y
dp2add r0.z, r0, r0, c5.x
add r0.z, c5.y, -r0.z
add r1, r0.z, -c5.z
texkill r1
mul r0.z, r0.z, r0.z
mul r2.xyz, v0, r0.z
mul r2.w, v0.w, r0.z
mov oC0, r2
mov oC1, r2
