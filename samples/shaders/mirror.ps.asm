; Reflection out of a mip-mapped cube map, the blurrier the rougher (texldl), a highlight under a branch, and the bright
; part of the picture into a second target.
; c0 tint and roughness (level of the cube map), c1 direction to the sun, c2.x threshold of the second target
ps_3_0
def c5, 0.0, 1.0, 0.25, 24.0
def c6, 2.0, 0.86, 0.5, 0.0
dcl_texcoord0 v0.xyz
dcl_texcoord1 v1.xyz
dcl_texcoord2 v2.xy
dcl_cube s0
dcl_2d s1
nrm r0.xyz, v0
nrm r1.xyz, v1
dp3 r1.w, r0, r1
mul r2.w, r1.w, c6.x
mad r2.xyz, r0, r2.w, -r1
mov r2.w, c0.w
texldl r3, r2, s0
texld r4, v2, s1
; the edge reflects more than the middle
add r5.x, c5.y, -r1_abs.w
mul r5.y, r5.x, r5.x
mul r5.x, r5.x, r5.y
lrp r6.xyz, r5.x, c5.y, c0
mul r3.xyz, r3, r6
mul r3.xyz, r3, r4
; the sun, only where it can be seen
dp3 r7.x, r2, c1
if_gt r7.x, c6.y
  add r7.y, r7.x, -c6.y
  mul r7.y, r7.y, r7.y
  mul r7.y, r7.y, c5.w
  mad r3.xyz, r7.y, c6.x, r3
endif
mov r3.w, c5.y
mov oC0, r3
; bright parts
add r8.xyz, r3, -c2.x
max r8.xyz, r8, c5.x
mov r8.w, c5.y
mov oC1, r8
