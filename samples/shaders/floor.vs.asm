; Lit per vertex by as many lights as i0 says: the light's position in c[20 + 2n], its colour in c[21 + 2n].
; c0..c3 world-view-projection, c4..c6 world, c9 ambient
vs_3_0
def c12, 0.0, 1.0, 0.35, 0.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
dcl_position o0
dcl_color0 o1
dcl_texcoord0 o2.xy
m4x4 o0, v0, c0
m4x3 r0.xyz, v0, c4
m3x3 r1.xyz, v1, c4
mov r2, c9
loop aL, i0
  sub r3.xyz, c[aL + 20], r0
  dp3 r3.w, r3, r3
  rsq r4.x, r3.w
  mul r3.xyz, r3, r4.x
  dp3 r4.y, r3, r1
  max r4.y, r4.y, c12.x
  mad r4.z, r3.w, c12.z, c12.y
  rcp r4.z, r4.z
  mul r4.y, r4.y, r4.z
  mad r2.xyz, c[aL + 21], r4.y, r2
endloop
mov o1, r2
mov o2.xy, v2
