; Moves the vertex by c0; colour and texture coordinates pass through.
vs_2_0
dcl_position v0
dcl_color v1
dcl_texcoord v2
add oPos, v0, c0
mov oD0, v1
mov oT0, v2
