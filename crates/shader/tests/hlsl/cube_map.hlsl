// profiles: ps_2_0 ps_3_0
// A cube map by a reflected direction, and a fresnel term.
samplerCUBE sky;
sampler2D base;

float4 main(float3 normal : TEXCOORD0, float3 eye : TEXCOORD1, float2 coord : TEXCOORD2) : COLOR
{
    float3 n = normalize(normal), e = normalize(eye);
    float f = pow(1 - saturate(dot(n, e)), 4);
    return lerp(tex2D(base, coord), texCUBE(sky, reflect(-e, n)), f);
}
