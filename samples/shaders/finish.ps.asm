; Picture plus blurred bright part; b0 turns a darkening towards the corners on.
; c0.x strength of the bright part, c0.y of the darkening
ps_3_0
def c5, -0.5, 1.0, 0.0, 0.0
dcl_texcoord0 v0.xy
dcl_2d s0
dcl_2d s1
texld r0, v0, s0
texld r1, v0, s1
mad r0.xyz, r1, c0.x, r0
if b0
  add r2.xy, v0, c5.x
  dp2add r2.z, r2, r2, c5.z
  mul r2.z, r2.z, c0.y
  add r2.z, c5.y, -r2.z
  mul r0.xyz, r0, r2.z
else
  mov r0.w, c5.y
endif
mov oC0, r0
