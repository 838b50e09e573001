#version 450
//! about Post-processing: a tone curve with push constants.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 2d rgba16f 16x16 1 nearest edge halves
//! image 2 2d rgba32f 16x16 1 zero
//! push 1.5
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 2, rgba32f) writeonly uniform image2D target;
layout(push_constant) uniform Push { float exposure; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec3 colour = texelFetch(source, at, 0).rgb * exposure;
    colour = colour * (2.51 * colour + 0.03) / (colour * (2.43 * colour + 0.59) + 0.14);
    imageStore(target, at, vec4(clamp(colour, 0.0, 1.0), 1.0));
}
