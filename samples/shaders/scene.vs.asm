; Position, normal and texture coordinates in, and all that per-pixel lighting needs out.
; c0..c3 world-view-projection, c4..c6 world, c7 light position, c8 eye position, c9.x texture repeat,
; c10.xy distance to fade factor (scale, offset)
vs_2_0
def c11, 0.0, 1.0, 0.0, 0.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
m4x4 oPos, v0, c0
m4x3 r0.xyz, v0, c4
m3x3 r1.xyz, v1, c4
mul oT0.xy, v2, c9.x
mov oT1.xyz, r1
sub r2.xyz, c7, r0
mov oT2.xyz, r2
sub r3.xyz, c8, r0
mov oT3.xyz, r3
dp3 r4.x, r3, r3
rsq r4.y, r4.x
mul r4.x, r4.x, r4.y
mad r4.x, r4.x, c10.x, c10.y
max r4.x, r4.x, c11.x
min oT3.w, r4.x, c11.y
