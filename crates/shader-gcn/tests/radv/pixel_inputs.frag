#version 450
layout(location = 0) out vec4 target;

void main() {
    target = vec4(gl_FragCoord.xy / 64.0, gl_FragCoord.z * gl_FragCoord.w, gl_FrontFacing ? 1.0 : float(gl_PrimitiveID));
}
