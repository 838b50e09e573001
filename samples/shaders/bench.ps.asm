; Texture times colour times a defined constant, which the benchmark changes to make shaders that nobody has seen.
ps_2_0
def c0, 1.0, 0.5, 0.25, 1.0
dcl v0
dcl t0.xy
dcl_2d s0
texld r0, t0, s0
mul r0, r0, v0
mul r0, r0, c0
mov oC0, r0
