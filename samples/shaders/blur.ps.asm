; One direction of a blur: a loop of i0 steps to both sides, ended early by break, the weight falling off linearly.
; c0.xy step, c0.z fall-off of the weight per step
ps_3_0
def c5, 0.0, 1.0, 0.02, 2.0
defi i0, 24, 0, 0, 0
dcl_texcoord0 v0.xy
dcl_2d s0
texld r0, v0, s0
mov r1.w, c5.y
mov r2.x, c5.y
mov r3.xy, v0
mov r4.xy, v0
rep i0
  add r2.x, r2.x, -c0.z
  break_lt r2.x, c5.z
  add r3.xy, r3, c0
  add r4.xy, r4, -c0
  mov r3.zw, c5.x
  mov r4.zw, c5.x
  texldl r5, r3, s0
  texldl r6, r4, s0
  add r5, r5, r6
  mad r0, r5, r2.x, r0
  mad r1.w, r2.x, c5.w, r1.w
endrep
rcp r1.x, r1.w
mul oC0, r0, r1.x
