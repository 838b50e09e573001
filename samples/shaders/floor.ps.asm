; Texture times light, and the bright part.
ps_3_0
def c5, 0.0, 1.0, 0.0, 0.0
dcl_color0 v0
dcl_texcoord0 v1.xy
dcl_2d s1
texld r0, v1, s1
mul r0.xyz, r0, v0
mov r0.w, c5.y
mov oC0, r0
add r1.xyz, r0, -c2.x
max r1.xyz, r1, c5.x
mov r1.w, c5.y
mov oC1, r1
