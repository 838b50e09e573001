; Blinn-Phong lighting per pixel from one point light, then a fade into the background.
; c0 tint, c1.xyz light colour, c1.w falloff, c2.xyz ambient, c3.xyz highlight colour, c3.w exponent, c6 background
ps_2_0
def c5, 0.0, 1.0, 0.5, 0.0
dcl t0.xy
dcl t1.xyz
dcl t2.xyz
dcl t3
dcl_2d s0
texld r0, t0, s0
nrm r1.xyz, t1
nrm r2.xyz, t2
nrm r3.xyz, t3
add r4.xyz, r2, r3
nrm r5.xyz, r4
dp3_sat r6.x, r1, r2
dp3_sat r6.y, r1, r5
pow r6.z, r6.y, c3.w
dp3 r6.w, t2, t2
mad r6.w, r6.w, c1.w, c5.y
rcp r6.w, r6.w
mul r7.xyz, r6.x, c1
mad r7.xyz, r7, r6.w, c2
mul r0.xyz, r0, c0
mul r8.xyz, r6.z, c3
mul r8.xyz, r8, r6.w
mad r0.xyz, r0, r7, r8
lrp r4.xyz, t3.w, c6, r0
mov r4.w, c5.y
mov oC0, r4
